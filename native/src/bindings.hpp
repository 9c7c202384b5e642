// What the binding files share.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>

#include "erased.hpp"

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

// Batcher, Puct, Samples and SelfPlay (network_bindings.cpp).
void bind_network_search(nanobind::module_& m);

}  // namespace fiedler
