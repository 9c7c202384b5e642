// Leaves of PUCT that a network of cells values at once, in some microseconds. The network of the batcher judges the
// moves of nodes with many visits.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "core/knowledge.hpp"
#include "core/random.hpp"
#include "search/known_path.hpp"
#include "search/puct_tree.hpp"

namespace fiedler {

template <Position P>
    requires HasCellPatterns<P>
class CellLeaves {
  public:
    using Leaf = PuctLeaf<P>;

    static constexpr std::uint64_t between_looks = 32;

    CellLeaves(const PuctOptions& options, std::shared_ptr<const CellNet> net)
        : ask_from_(options.ask_from), path_(std::move(net)) {}

    void reset(const P& root) {
        asked_.clear();
        path_.reset(root);
    }
    void begin() {}
    // The network is asked for the moves of a node with as many visits.
    void follow(const Leaf& leaf, std::uint32_t visits, Move move, float* planes) {
        if (visits == ask_from_) {
            leaf.position.planes(planes + asked_.size() * planes_size<P>);
            asked_.push_back(leaf.node());
        }
        path_.play(leaf.depth(), leaf.position, move);
    }
    Knowledge<P>& about(const Leaf& leaf) { return path_.after(leaf.depth()); }
    // No more than at the leaves of negamax.
    static std::uint64_t threat_positions(std::uint64_t wanted) {
        return std::min(wanted, Knowledge<P>::threat_nodes(0));
    }

    // The moves have the order of the knowledge as their logits.
    template <class Tree>
    bool evaluate(Tree& tree, Leaf& leaf, float*) {
        tree.find_moves(leaf, wide);
        std::array<float, P::actions> logits;
        for (const Move move : leaf.moves) logits[move] = about(leaf).order(leaf.position, move) / order_per_logit;
        tree.expand(leaf, logits.data());
        tree.back_up(leaf, -quiet_value(leaf));
        return true;
    }

    std::size_t rows() const { return asked_.size(); }
    std::size_t due(std::size_t wanted) const { return asked_.size() < wanted ? 0 : asked_.size(); }

    // The last node comes first: a judgement moves the children of a node and those of them that wait, too, which were
    // asked for later than it.
    template <class Tree>
    void answer(Tree& tree, const float* policy, float*, Random&) {
        for (std::size_t i = asked_.size(); i-- > 0;) tree.judge(asked_[i], policy + i * P::actions);
        asked_.clear();
    }

  private:
    // The value for the side to move: that of the position after the only replies to threats, if there are some.
    float quiet_value(const Leaf& leaf) {
        Knowledge<P>& knowledge = about(leaf);
        P position = leaf.position;
        Outcome outcome = Outcome::running;
        std::size_t replies = 0;
        int plies = knowledge.proven_plies(position);
        while (!plies && outcome == Outcome::running && knowledge.forced(position) && replies < most_replies) {
            Moves<P> moves;
            knowledge.candidates(position, moves);
            path_.play(leaf.depth() + replies++, position, moves[0]);
            position.play(moves[0]);
            outcome = position.outcome();
            if (outcome == Outcome::running) plies = knowledge.proven_plies(position);
        }
        float value = static_cast<float>((plies > 0) - (plies < 0));
        if (outcome != Outcome::running) {
            value = -static_cast<float>(proven_value(proof_by_rules(outcome)));
        } else if (!plies) {
            value = static_cast<float>(2 * expected_score(knowledge.evaluate(position)) - 1);
        }
        return replies % 2 ? -value : value;
    }

    static constexpr float order_per_logit = 60;     // of a move: nearly even priors were the strongest
    static constexpr std::size_t wide = 16;          // most children of a node
    static constexpr std::size_t most_replies = 12;  // to threats, before a position is evaluated

    std::uint32_t ask_from_;
    std::vector<std::uint32_t> asked_;  // nodes that wait for better priors
    KnownPath<P> path_;                 // of the simulations
};

}  // namespace fiedler
