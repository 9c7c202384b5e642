// Wins by force in gomoku: fours alone, each answered by the only reply; then fours and threes.
#pragma once

#include "core/limits.hpp"
#include "core/random.hpp"
#include "games/gomoku/tables.hpp"

namespace fiedler {

// Searches wins of the side to move on a stack of tables, one for each move played. A claimed win is certain; a win may
// be missed.
//
// Fours are searched completely (depth first), threes by proof-number search with its two thresholds and a table
// (df-pn: Nagai 2002, "Df-pn algorithm for searching AND/OR trees and its applications").
template <int n, LineKind black, LineKind white>
class GomokuThreats {
  public:
    using Tables = GomokuTables<n, black, white>;
    using Cells = typename Tables::Cells;

    // A win in `plies` at the latest, beginning with `first`; 0 plies if none was found.
    struct Win {
        int plies = 0, first = -1;
    };

    GomokuThreats() : stack_(n * n + 1) {}

    // A new board; earlier ones are forgotten.
    void reset(const typename Tables::Words& first, const typename Tables::Words& second) {
        height_ = 0;
        stack_[0].reset(first, second);
        salt_ = hash_words(salt_);
    }
    const Tables& top() const { return stack_[height_]; }
    void play(int cell, int side) {
        stack_[height_ + 1] = stack_[height_];
        stack_[++height_].play(cell, side);
    }
    void undo() { --height_; }

    // A win of `side`, to move, by fours that each leave one reply, with at most `nodes` positions. If the search ends
    // by itself (see exhausted) without one, there is none.
    Win fours(int side, std::uint64_t nodes) {
        nodes_left_ = static_cast<std::int64_t>(std::min<std::uint64_t>(nodes, most_nodes));
        return attack_by_fours(side);
    }
    // The same by fours and open threes, in the order of a best-first search. A second call on the same board resumes
    // it.
    Win threes(int side, std::uint64_t nodes) {
        if (proofs_.empty()) proofs_.resize(proof_slots);
        nodes_left_ = static_cast<std::int64_t>(std::min<std::uint64_t>(nodes, most_nodes));
        attacker_ = side;
        const Proof found = search(side, {infinite, infinite});
        return found.proof == 0 ? Win{found.plies, found.move} : Win{};
    }
    // Whether `side` may play on this empty cell.
    bool allowed(int cell, int side) const { return side != 0 || !top().forbidden(cell); }
    // Whether `side`, to move, must let the other side make its five on this cell. (Without any move it would have a
    // draw.)
    bool unstoppable(int cell, int side) const { return !allowed(cell, side) && can_move(side); }
    // The cells that might stop every one of the wins() of a side.
    Cells spoilers(int side) const {
        Cells common = top().empty();
        top().wins(side).each([&](int cell) { common &= top().spoilers(cell, side); });
        return common;
    }

    // From now on a search returns, as if its nodes were used up, once this flag is set.
    void heed(const StopFlag& stop) { stop_ = &stop; }
    // Whether the last search stopped because its nodes were used up or the flag was set.
    bool exhausted() const { return nodes_left_ < 0 || (stop_ && stop_->is_set()); }
    // Of the nodes of the last search.
    std::uint64_t left() const { return static_cast<std::uint64_t>(std::max<std::int64_t>(nodes_left_, 0)); }

  private:
    static constexpr std::uint64_t most_nodes = std::uint64_t{1} << 40;
    static constexpr std::uint32_t infinite = 1u << 30;
    static constexpr std::size_t failure_slots = 1u << 13, proof_slots = 1u << 16;

    // The knowledge of a position in the search by threes: the least number of leaves to prove for the attacker's win,
    // and to refute for its failure (0: done); after a proof, the most plies to the win.
    struct Proof {
        std::uint64_t key = 0;
        std::uint32_t proof = 1, disproof = 1;
        std::int16_t plies = 0;
        std::int16_t move = -1;
    };
    struct Thresholds {
        std::uint32_t proof, disproof;
    };
    struct Replies {
        std::array<std::int16_t, n * n> moves;
        std::size_t size = 0;
        void push(int move) { moves[size++] = static_cast<std::int16_t>(move); }
    };

    // Whether an allowed cell is left, by the patterns.
    bool can_move(int side) const { return side != 0 || !top().empty().without(top().suspects()).empty(); }

    // --- fours alone ---

    Win attack_by_fours(int side) {
        if (--nodes_left_ < 0) return {};
        const Tables& now = top();
        if (!now.fives(side).empty()) return {1, now.fives(side).first()};
        const Cells& danger = now.fives(1 - side);
        if (danger.several()) return {};
        if (danger.empty() && !now.wins(side).empty()) return {3, now.wins(side).first()};
        Cells moves = now.fours(side);
        if (!danger.empty()) moves &= danger;
        if (moves.empty()) return {};
        const std::uint64_t key = now.key() ^ salt_ ^ static_cast<std::uint64_t>(side);
        std::uint64_t& failure = failures_[key % failure_slots];
        if (failure == key) return {};
        Replies ordered;
        by_rank(moves, side, ordered);
        for (std::size_t i = 0; i < ordered.size; ++i) {
            const int move = ordered.moves[i];
            if (!allowed(move, side)) continue;
            if (const int plies = win_after_four(move, side)) return {plies, move};
            if (exhausted()) return {};
        }
        failures_[key % failure_slots] = key;
        return {};
    }

    // Plies to the win, this four included; 0 if none was found.
    int win_after_four(int move, int side) {
        play(move, side);
        int plies = 0;
        const Cells& fives = top().fives(side);
        const int reply = fives.first();
        if (fives.several() || unstoppable(reply, 1 - side)) {
            plies = 3;
        } else if (allowed(reply, 1 - side)) {
            play(reply, 1 - side);
            const Win rest = attack_by_fours(side);
            if (rest.plies) plies = rest.plies + 2;
            undo();
        }
        undo();
        return plies;
    }

    // The best first; equal ones in ascending order.
    void by_rank(const Cells& moves, int side, Replies& ordered) const {
        std::array<int, n * n> ranks;
        moves.each([&](int move) {
            const int rank = 2 * top().threats(move, side).rank + top().threats(move, 1 - side).rank;
            std::size_t at = ordered.size++;
            for (; at > 0 && ranks[at - 1] < rank; --at)
                ranks[at] = ranks[at - 1], ordered.moves[at] = ordered.moves[at - 1];
            ranks[at] = rank, ordered.moves[at] = static_cast<std::int16_t>(move);
        });
    }

    // --- fours and threes ---

    static Proof won(int plies, int move) {
        return {0, 0, infinite, static_cast<std::int16_t>(plies), static_cast<std::int16_t>(move)};
    }
    static constexpr Proof failed() { return {0, infinite, 0, 0, -1}; }

    // Expand the position on top until its numbers reach a threshold, they are final or the nodes are used up.
    Proof search(int side, Thresholds limit) {
        const bool attacking = side == attacker_;
        Replies moves;
        Proof now = attacking ? attacks(moves) : defences(moves);
        if (now.proof && now.disproof && moves.size == 0) now = attacking || !can_move(side) ? failed() : won(4, -1);
        while (now.proof && now.disproof) {
            const Choice choice = choose(moves, side);
            now = choice.now;
            if (!now.proof || !now.disproof || now.proof >= limit.proof || now.disproof >= limit.disproof ||
                exhausted())
                break;
            play(choice.best, side);
            search(1 - side, thresholds(limit, choice, attacking));
            undo();
        }
        store(now, side);
        return now;
    }

    // The numbers of a position by those of its children, and the child to look at next.
    struct Choice {
        Proof now;
        int best = -1;
        Proof child;
        std::uint32_t second = infinite;  // the number, by which children are chosen, of the next best
    };

    // In an attack the best child decides the proof number and all of them the disproof number; in a defence it is the
    // reverse.
    Choice choose(const Replies& moves, int side) {
        const bool attacking = side == attacker_;
        Choice choice;
        std::uint32_t least = infinite + 1;
        std::uint64_t sum = 0;
        int shortest = 0, longest = 0;
        for (std::size_t i = 0; i < moves.size; ++i) {
            const Proof child = find(moves.moves[i], side);
            const std::uint32_t wanted = attacking ? child.proof : child.disproof;
            sum += attacking ? child.disproof : child.proof;
            if (child.proof == 0) {
                longest = std::max<int>(longest, child.plies);
                if (attacking && (shortest == 0 || child.plies < shortest))
                    shortest = child.plies, choice.best = moves.moves[i];
            }
            if (wanted < least) {
                choice.second = std::min(least, infinite);
                least = wanted;
                choice.best = moves.moves[i];
                choice.child = child;
            } else {
                choice.second = std::min(choice.second, wanted);
            }
        }
        const auto total = static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, infinite));
        choice.now.proof = attacking ? least : total;
        choice.now.disproof = attacking ? total : least;
        if (choice.now.proof == 0) choice.now = won(1 + (attacking ? shortest : longest), choice.best);
        if (choice.now.disproof == 0) choice.now = failed();
        return choice;
    }

    static Thresholds thresholds(Thresholds limit, const Choice& choice, bool attacking) {
        const auto rest = [](std::uint32_t all, std::uint32_t now, std::uint32_t child) {
            return all >= infinite ? infinite : all - now + child;
        };
        const std::uint32_t beyond_second =
            choice.second >= infinite ? infinite : choice.second + 1 + choice.second / 4;
        if (attacking)
            return {std::min(limit.proof, beyond_second),
                    rest(limit.disproof, choice.now.disproof, choice.child.disproof)};
        return {rest(limit.proof, choice.now.proof, choice.child.proof), std::min(limit.disproof, beyond_second)};
    }

    // The attacker is to move: its fours, and its threes unless it has to stop something faster.
    Proof attacks(Replies& moves) {
        const int side = attacker_;
        const Win quick = attack_by_fours_within(side, 200);
        if (quick.plies) return won(quick.plies, quick.first);
        const Tables& now = top();
        if (now.fives(1 - side).several()) return failed();
        Cells wanted = now.fours(side) | now.threes(side);
        if (!now.fives(1 - side).empty()) {
            wanted = now.fives(1 - side);
        } else if (!now.wins(1 - side).empty()) {
            wanted &= now.fours(side) | spoilers(1 - side);
        }
        push_allowed(wanted, side, moves);
        return {};
    }

    // The defender is to move. It must stop a five; or else a threat of two fives at once, or make a four of its own;
    // any other move loses at once.
    Proof defences(Replies& moves) {
        --nodes_left_;
        const int side = 1 - attacker_;
        const Tables& now = top();
        const Cells& fives = now.fives(attacker_);
        if (!now.fives(side).empty()) return failed();
        if (fives.several()) return won(2, -1);
        if (!fives.empty()) {
            if (unstoppable(fives.first(), side)) return won(2, -1);
            if (!allowed(fives.first(), side)) return failed();
            moves.push(fives.first());
            return {};
        }
        if (now.wins(attacker_).empty()) return failed();
        push_allowed(spoilers(attacker_) | now.fours(side), side, moves);
        return {};
    }

    void push_allowed(const Cells& cells, int side, Replies& moves) const {
        Replies ordered;
        by_rank(cells, side, ordered);
        for (std::size_t i = 0; i < ordered.size; ++i)
            if (allowed(ordered.moves[i], side)) moves.push(ordered.moves[i]);
    }

    // Fours from here, but not at the cost of the whole search.
    Win attack_by_fours_within(int side, std::int64_t nodes) {
        const std::int64_t all = nodes_left_;
        nodes_left_ = std::min(all, nodes);
        const std::int64_t given = nodes_left_;
        const Win win = attack_by_fours(side);
        nodes_left_ = all - std::max<std::int64_t>(given - std::max<std::int64_t>(nodes_left_, 0), 1);
        return win;
    }

    // --- the table of the search by threes ---

    std::uint64_t proof_key(std::uint64_t stones, int side) const {
        return hash_words(stones, attacker_ * 2 + side) ^ salt_;
    }
    Proof find(int move, int side) const {
        const std::uint64_t key = proof_key(top().key_after(move, side), 1 - side);
        const Proof& slot = proofs_[key % proof_slots];
        return slot.key == key ? slot : Proof{};
    }
    void store(Proof proof, int side) {
        proof.key = proof_key(top().key(), side);
        proofs_[proof.key % proof_slots] = proof;
    }

    std::vector<Tables> stack_;
    std::size_t height_ = 0;
    std::array<std::uint64_t, failure_slots> failures_{};  // keys of positions without a win by fours
    std::vector<Proof> proofs_;
    std::uint64_t salt_ = 1;  // of the board; it moves entries of one slot together to another, so that results do not
                              // depend on earlier searches
    std::int64_t nodes_left_ = 0;
    const StopFlag* stop_ = nullptr;
    int attacker_ = 0;
};

}  // namespace fiedler
