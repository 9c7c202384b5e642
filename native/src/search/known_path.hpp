// The knowledge of a game at the end of a path from the root of a tree.
#pragma once

#include <memory>
#include <vector>

#include "core/knowledge.hpp"

namespace fiedler {

// Successive paths have their first moves in common, and these are neither undone nor played again: the update of the
// knowledge is the dearest part of a simulation.
template <Position P>
class KnownPath {
  public:
    explicit KnownPath(std::shared_ptr<const CellNet> net)
        requires HasCellPatterns<P>
    {
        knowledge_.use(std::move(net));
    }

    void reset(const P& root) {
        knowledge_.reset(root);
        steps_.clear();
    }
    // Move number `depth` of a path, played in the position `before`, which may be known from the path before this one.
    void play(std::size_t depth, const P& before, Move move) {
        if (depth < steps_.size() && steps_[depth].move != move) shorten(depth);
        if (depth < steps_.size()) return;
        knowledge_.play(before, move);
        steps_.push_back({before, move});
    }
    // The knowledge after `depth` moves, at which the path ends from now on; it has that many or more.
    Knowledge<P>& after(std::size_t depth) {
        shorten(depth);
        return knowledge_;
    }

  private:
    struct Step {
        P before;
        Move move;
    };
    void shorten(std::size_t depth) {
        for (; steps_.size() > depth; steps_.pop_back()) knowledge_.undo(steps_.back().before, steps_.back().move);
    }

    Knowledge<P> knowledge_;
    std::vector<Step> steps_;
};

}  // namespace fiedler
