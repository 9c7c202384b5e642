// Leaves of PUCT that wait for the network: it judges their moves and their values.
#pragma once

#include <algorithm>
#include <vector>

#include "core/knowledge.hpp"
#include "core/random.hpp"
#include "search/puct_tree.hpp"
#include "search/rollout.hpp"

namespace fiedler {

template <Position P>
class NetworkLeaves {
  public:
    using Leaf = PuctLeaf<P>;

    static constexpr std::uint64_t between_looks = 256;

    explicit NetworkLeaves(const PuctOptions& options)
        : width_(options.width ? options.width : P::max_moves),
          rollouts_(options.rollouts),
          rollout_share_(options.rollout_share) {}

    void reset(const P&) { pending_.clear(); }
    void begin() { known_ = false; }
    void follow(const Leaf&, std::uint32_t, Move, float*) { known_ = false; }

    // The search by threats at the end of a simulation and the choice of its moves share the knowledge. That is the
    // same for all trees of a thread, for it is large; nothing in it lasts from one position to the next.
    Knowledge<P>& about(const Leaf& leaf) {
        static thread_local Knowledge<P> knowledge;
        if (!known_) knowledge.reset(leaf.position);
        known_ = true;
        return knowledge;
    }
    static std::uint64_t threat_positions(std::uint64_t wanted) { return wanted; }

    template <class Tree>
    bool evaluate(Tree& tree, Leaf& leaf, float* planes) {
        if (!tree.lend(leaf)) return false;
        leaf.position.planes(planes + pending_.size() * planes_size<P>);
        tree.find_moves(leaf, width_);
        pending_.push_back(leaf);
        return true;
    }

    std::size_t rows() const { return pending_.size(); }
    std::size_t due(std::size_t) const { return pending_.size(); }

    template <class Tree>
    void answer(Tree& tree, const float* policy, float* values, Random& random) {
        if (rollouts_) roll_out(values, random);
        for (std::size_t i = 0; i < pending_.size(); ++i) {
            const Leaf& leaf = pending_[i];
            tree.expand(leaf, policy + i * P::actions);
            tree.take_back(leaf);
            tree.back_up(leaf, -std::clamp(values[i], -1.0f, 1.0f));
        }
        pending_.clear();
    }

  private:
    // The mean result of rollouts from a leaf gets its share of the value.
    void roll_out(float* values, Random& random) const {
        for (std::size_t i = 0; i < pending_.size(); ++i) {
            const P& position = pending_[i].position;
            int sum = 0;
            for (unsigned k = 0; k < rollouts_; ++k) sum += rollout<RolloutPolicy::heuristic>(position, random);
            const double mean = (position.side() ? -1.0 : 1.0) * sum / rollouts_;
            values[i] = static_cast<float>((1 - rollout_share_) * values[i] + rollout_share_ * mean);
        }
    }

    std::size_t width_;  // most children of a node
    unsigned rollouts_;
    double rollout_share_;
    std::vector<Leaf> pending_;
    bool known_ = false;  // whether the thread's knowledge is about the present end of the simulation
};

}  // namespace fiedler
