// Monte Carlo tree search (UCB1) whose trees are kept from game to game, one tree for each side.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "core/pages.hpp"
#include "search/bounds.hpp"
#include "search/rollout.hpp"

namespace fiedler {

// The same for symmetric positions.
template <Position P>
std::uint64_t lowest_key(const P& position) {
    std::uint64_t key = position.key();
    for (unsigned symmetry = 1; symmetry < P::symmetries; ++symmetry)
        key = std::min(key, position.transformed(symmetry).key());
    return key;
}

// The key of a move, by the lowest keys of the positions before and after it. Visits of a move in one position say
// nothing about it in another one, so each has its own node, although both may lead to the same position.
inline std::uint64_t node_key(std::uint64_t before, std::uint64_t after) {
    return before * 0x9e3779b97f4a7c15ULL + after;
}

// A node: a move of the tree's side in a position, with the episodes through it and the sum of their results for that
// side. Without visits: none.
struct KeptNode {
    std::uint64_t key = 0;
    std::uint32_t visits = 0;
    std::int32_t results = 0;

    bool sound() const { return visits > 0 && std::abs(static_cast<std::int64_t>(results)) <= visits; }
};
static_assert(sizeof(KeptNode) == 16);

// The nodes of one side: a hash table with linear probing, at most three quarters full, which doubles.
class NodeTable {
  public:
    static constexpr std::size_t first_slots = huge_page / sizeof(KeptNode);  // the smallest Pages

    NodeTable() : slots_(first_slots) {}

    std::size_t size() const { return size_; }
    std::size_t bytes() const { return slots_.size() * sizeof(KeptNode); }
    bool full() const { return 4 * (size_ + 1) > 3 * slots_.size(); }

    void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[home(key)]); }
    // The node of this key, or one without visits.
    const KeptNode& find(std::uint64_t key) const { return slots_[place(key)]; }
    // The node of this key, new if there was none; then the table must not be full.
    KeptNode& at(std::uint64_t key) {
        KeptNode& node = slots_[place(key)];
        if (!node.visits) {
            assert(!full());
            node.key = key;
            ++size_;
        }
        return node;
    }
    void grow() {
        NodeTable larger(2 * slots_.size());
        each([&](const KeptNode& node) { larger.at(node.key) = node; });
        *this = std::move(larger);
    }
    template <class Visit>
    void each(Visit visit) const {
        for (std::size_t i = 0; i < slots_.size(); ++i)
            if (slots_[i].visits) visit(slots_[i]);
    }

  private:
    explicit NodeTable(std::size_t slots) : slots_(slots) {}

    // The least of some uniform keys is not uniform, so the key is mixed once more.
    std::size_t home(std::uint64_t key) const { return mix_word(key) & (slots_.size() - 1); }
    std::size_t place(std::uint64_t key) const {
        std::size_t slot = home(key);
        while (slots_[slot].visits && slots_[slot].key != key) slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }

    Pages<KeptNode> slots_;
    std::size_t size_ = 0;
};

struct KeptTreesOptions {
    double c = 1;  // exploration constant of UCB1, for results from -1 to 1
    RolloutPolicy rollout = RolloutPolicy::random;
    std::size_t hash_mb = 96;  // most memory of both trees, in MiB; full trees stop growing
    std::uint64_t seed = 0;
};

// The work of one call of `play`.
struct KeptTreesStats {
    std::uint64_t episodes = 0;
    std::uint64_t tree_plies = 0;             // moves chosen in the trees
    std::uint64_t first_wins = 0, draws = 0;  // of the episodes
};

// In an episode both sides move by their own trees: by UCB1 once all moves are known, before that by a random unknown
// move, which adds one node and ends the part in the trees. A rollout gives the result, which goes to the nodes of both
// sides. The number of an episode and the seed decide its random numbers: any sequence of calls, and any dump between
// them, gives the same trees.
template <Position P>
class KeptTrees {
  public:
    using Sides = std::array<std::vector<KeptNode>, 2>;

    // Fewer than the visits that a node can count, and than those whose logarithm is known.
    static constexpr std::uint64_t most_episodes = std::numeric_limits<std::int32_t>::max();

    explicit KeptTrees(const KeptTreesOptions& options) : options_(options) {}

    // Throws std::invalid_argument beyond `most_episodes` in all.
    KeptTreesStats play(std::uint64_t episodes) {
        if (episodes > most_episodes - episodes_)
            throw std::invalid_argument("episodes: expected at most " + std::to_string(most_episodes) + " in all");
        KeptTreesStats stats;
        for (std::uint64_t i = 0; i < episodes; ++i) play_one(stats);
        return stats;
    }

    std::uint64_t episodes() const { return episodes_; }
    std::size_t size(int side) const { return table(side).size(); }
    std::size_t bytes() const { return tables_[0].bytes() + tables_[1].bytes(); }

    // The `count` most visited nodes of both sides together; each side's by ascending key.
    Sides most_visited(std::size_t count) const {
        std::vector<std::pair<int, KeptNode>> all;
        for (const int side : {0, 1}) table(side).each([&](const KeptNode& node) { all.emplace_back(side, node); });
        count = std::min(count, all.size());
        std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(count), [](auto& a, auto& b) {
            return std::tuple(b.second.visits, a.first, a.second.key) <
                   std::tuple(a.second.visits, b.first, b.second.key);
        });
        all.resize(count);
        Sides sides;
        for (const auto& [side, node] : all) sides[static_cast<std::size_t>(side)].push_back(node);
        for (auto& nodes : sides) std::ranges::sort(nodes, {}, &KeptNode::key);
        return sides;
    }

    // Both trees as bytes for this machine's own use, with a checksum; equal trees give equal bytes.
    std::vector<char> dump() const {
        const Sides sides = all_nodes();
        const Header header = header_of(sides, episodes_);
        std::vector<char> bytes(sizeof header + (header.first + header.second) * sizeof(KeptNode));
        char* out = bytes.data();
        std::memcpy(out, &header, sizeof header);
        out += sizeof header;
        for (const auto& nodes : sides)
            if (!nodes.empty()) {
                std::memcpy(out, nodes.data(), nodes.size() * sizeof(KeptNode));
                out += nodes.size() * sizeof(KeptNode);
            }
        return bytes;
    }

    // Throws std::invalid_argument if the bytes are not a whole dump of trees of this game, or too many.
    void load(const char* bytes, std::size_t size) {
        Header header;
        if (size < sizeof header) throw std::invalid_argument("trees: the dump is cut short");
        std::memcpy(&header, bytes, sizeof header);
        const std::size_t rest = size - sizeof header, count = rest / sizeof(KeptNode);
        if (rest % sizeof(KeptNode) || header.first > count || header.second != count - header.first)
            throw std::invalid_argument("trees: the dump is cut short, or not one");
        Sides sides{std::vector<KeptNode>(header.first), std::vector<KeptNode>(header.second)};
        const char* in = bytes + sizeof header;
        for (auto& nodes : sides)
            if (!nodes.empty()) {
                std::memcpy(static_cast<void*>(nodes.data()), in, nodes.size() * sizeof(KeptNode));
                in += nodes.size() * sizeof(KeptNode);
            }
        if (header.checksum != header_of(sides, header.episodes).checksum || header.episodes > most_episodes)
            throw std::invalid_argument("trees: the dump is damaged, or of another game");
        KeptTrees loaded(options_);
        for (const int side : {0, 1})
            for (const KeptNode& node : sides[static_cast<std::size_t>(side)]) loaded.restore(side, node);
        tables_ = std::move(loaded.tables_);
        episodes_ = header.episodes;
    }

  private:
    NodeTable& table(int side) { return tables_[static_cast<std::size_t>(side)]; }
    const NodeTable& table(int side) const { return tables_[static_cast<std::size_t>(side)]; }

    Sides all_nodes() const {
        Sides sides;
        for (const int side : {0, 1}) {
            auto& nodes = sides[static_cast<std::size_t>(side)];
            nodes.reserve(table(side).size());
            table(side).each([&](const KeptNode& node) { nodes.push_back(node); });
            std::ranges::sort(nodes, {}, &KeptNode::key);
        }
        return sides;
    }
    void restore(int side, const KeptNode& node) {
        if (!node.sound() || table(side).find(node.key).visits)
            throw std::invalid_argument("trees: the dump is damaged");
        if (!room(side)) throw std::invalid_argument("trees: the dump has more nodes than the memory allows");
        table(side).at(node.key) = node;
    }

    struct Header {
        std::uint64_t first, second, episodes, checksum;
    };
    static Header header_of(const Sides& sides, std::uint64_t episodes) {
        std::uint64_t checksum = hash_words(P{}.key(), P::actions, sides[0].size(), sides[1].size(), episodes);
        for (const char letter : P::id) checksum = hash_words(checksum, letter);
        for (const auto& nodes : sides)
            for (const KeptNode& node : nodes)
                checksum = hash_words(checksum, node.key, node.visits, static_cast<std::uint32_t>(node.results));
        return {sides[0].size(), sides[1].size(), episodes, checksum};
    }

    // A move, with its node if it is known.
    struct Child {
        Move move;
        std::uint64_t key;
        KeptNode node;
    };
    struct Step {
        int side;
        std::uint64_t key;
    };

    void play_one(KeptTreesStats& stats) {
        Random random(hash_words(options_.seed, episodes_));
        P position;
        path_.clear();
        bool known = true;
        while (known && position.outcome() == Outcome::running) {
            const int side = position.side();
            expand(position);
            const Child* next = choose(room(side), random);
            if (!next) break;
            known = next->node.visits > 0;
            position.play(next->move);
            path_.push_back({side, next->key});
        }
        const int result = position.outcome() == Outcome::running ? rollout(position, random, options_.rollout)
                                                                  : first_player_result(position);
        for (const Step& step : path_) {
            KeptNode& node = table(step.side).at(step.key);
            ++node.visits;
            node.results += step.side == 0 ? result : -result;
        }
        ++episodes_;
        ++stats.episodes;
        stats.tree_plies += path_.size();
        stats.first_wins += result > 0;
        stats.draws += result == 0;
    }

    // Whether the tree of this side has room for a node. The old table is kept while a larger one is filled.
    bool room(int side) {
        if (!table(side).full()) return true;
        if (bytes() + 2 * table(side).bytes() > options_.hash_mb << 20) return false;
        table(side).grow();
        return true;
    }

    // The moves of the position to `children_`.
    void expand(const P& position) {
        const NodeTable& nodes = table(position.side());
        const std::uint64_t before = lowest_key(position);
        Moves<P> moves;
        position.moves(moves);
        children_.clear();
        for (const Move move : moves) {
            P after = position;
            after.play(move);
            children_.push_back({move, node_key(before, lowest_key(after)), {}});
            nodes.prefetch(children_.back().key);
        }
        for (Child& child : children_) child.node = nodes.find(child.key);
    }

    // A random unknown child, if there is one and room for it; else the known one with the highest upper confidence
    // bound, the first of equals; nullptr if no child is known.
    const Child* choose(bool grows, Random& random) const {
        std::uint32_t unknown = 0;
        std::uint64_t visits = 0;
        for (const Child& child : children_) {
            unknown += !child.node.visits;
            visits += child.node.visits;
        }
        if (unknown && grows) return unknown_child(random.below(unknown));
        const auto total = static_cast<std::uint32_t>(std::min(visits, most_episodes));
        const float exploration = static_cast<float>(options_.c) * SqrtLog::of(std::max(total, 1u));
        const Child* best = nullptr;
        float highest = 0;
        for (const Child& child : children_) {
            if (!child.node.visits) continue;
            const auto n = static_cast<float>(child.node.visits);
            const float bound = static_cast<float>(child.node.results) / n + exploration / std::sqrt(n);
            if (!best || bound > highest) best = &child, highest = bound;
        }
        return best;
    }
    const Child* unknown_child(std::uint32_t skipped) const {
        for (const Child& child : children_)
            if (!child.node.visits && skipped-- == 0) return &child;
        return nullptr;
    }

    const KeptTreesOptions options_;
    std::array<NodeTable, 2> tables_;
    std::uint64_t episodes_ = 0;
    std::vector<Step> path_;
    std::vector<Child> children_;
};

}  // namespace fiedler
