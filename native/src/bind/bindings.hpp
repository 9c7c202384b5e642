// The common part of the binding files.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>

#include "bind/registry.hpp"

namespace fiedler {

// The Python object Position: a copyable owner of a position of any game.
class PositionHandle {
  public:
    explicit PositionHandle(std::unique_ptr<ErasedPosition> position) : position_(std::move(position)) {}
    PositionHandle(const PositionHandle& other) : position_(other->copy()) {}
    PositionHandle(PositionHandle&&) = default;
    PositionHandle& operator=(PositionHandle&&) = default;

    ErasedPosition* operator->() { return position_.get(); }
    const ErasedPosition* operator->() const { return position_.get(); }
    const ErasedPosition& operator*() const { return *position_; }

  private:
    std::unique_ptr<ErasedPosition> position_;
};

using PyOnInfo = std::optional<std::function<void(const SearchInfo&)>>;

// Throws ValueError for an unknown name.
RolloutPolicy rollout_policy(std::string_view name);

// Run a search with the GIL released, taking it back only to call `on_info`.
SearchInfo released_search(const std::function<SearchInfo(const OnInfo&)>& search, const PyOnInfo& on_info);

// The memory of a search in MiB, such that its nodes can be counted in 32 bits; throws ValueError.
std::size_t checked_hash(std::size_t hash_mb);

// Throws ValueError beyond 1 .. 256.
std::size_t checked_threads(std::size_t threads);

// The method `search` of the object that `Handle` owns, an ErasedNegamax or an ErasedTreeSearch.
template <class Handle>
void bind_search(nanobind::class_<Handle>& bound, const char* docstring) {
    using nanobind::literals::operator""_a;
    bound.def(
        "search",
        [](Handle& self, const PositionHandle& position, const Limits& limits, const StopFlag& stop,
           const PyOnInfo& on_info) {
            const PositionHandle own = position;  // the caller's may change while the GIL is released
            return released_search([&](const OnInfo& report) { return self->search(*own, limits, stop, report); },
                                   on_info);
        },
        "position"_a, "limits"_a, "stop"_a, "on_info"_a = nanobind::none(), docstring);
}

// The Python members of every tree search; `Handle` owns an ErasedTreeSearch or a class derived from it.
template <class Handle>
void bind_tree_search(nanobind::class_<Handle>& bound, const char* docstring) {
    using nanobind::literals::operator""_a;
    bind_search(bound, docstring);
    bound.def(
             "clear", [](Handle& self) { self->clear(); }, "Forget the tree and start the random numbers anew.")
        .def(
            "seed", [](Handle& self, std::uint64_t seed) { self->seed(seed); }, "seed"_a)
        .def_prop_ro(
            "size", [](const Handle& self) { return self->size(); }, "Nodes in the tree.")
        .def_prop_ro("bytes_per_node", [](const Handle& self) { return self->bytes_per_node(); })
        .def(
            "root_moves", [](const Handle& self) { return self->root_moves(); },
            "The moves of the last position searched that are in the tree, most visited first.");
}

// Batcher, Puct, Samples and SelfPlay (network_bindings.cpp).
void bind_network_search(nanobind::module_& m);

// PatternNet (descent.cpp), which negamax takes, too.
void bind_pattern_net(nanobind::module_& m);

// CellNet (cells.cpp), which negamax takes, too.
void bind_cell_net(nanobind::module_& m);

// LabelPlay (cells.cpp); after bind_network_search.
void bind_label_play(nanobind::module_& m);

// BestFirst and DescentPlay (descent.cpp); after bind_network_search.
void bind_descent(nanobind::module_& m);

// KeptTrees (trees.cpp).
void bind_kept_trees(nanobind::module_& m);

// Exchange and order (graph_bindings.cpp).
void bind_graph(nanobind::module_& m);
// PgnCounter (pgn_bindings.cpp).
void bind_pgn(nanobind::module_& m);

}  // namespace fiedler
