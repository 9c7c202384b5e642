// The memory of a tree: slots handed out from the front, by several threads at once where need be.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>

#include "pages.hpp"
#include "tree.hpp"

namespace fiedler {

// Address space for `capacity` slots, aligned to cache lines; memory is taken as slots are used, in huge pages where
// the system has them: a tree is read all over, and the processor's table of small pages is short.
template <class Node>
class Arena {
  public:
    explicit Arena(std::size_t capacity)
        : capacity_(capacity),
          alignment_(capacity * sizeof(Node) < huge_page ? 64 : huge_page),
          slots_(static_cast<Node*>(::operator new(capacity * sizeof(Node), std::align_val_t{alignment_}))) {
        if (alignment_ == huge_page) wish_huge_pages(slots_, capacity * sizeof(Node));
    }
    ~Arena() { ::operator delete(slots_, std::align_val_t{alignment_}); }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    Node& operator[](std::uint32_t slot) const { return slots_[slot]; }
    std::uint32_t size() const { return size_.load(std::memory_order_relaxed); }

    bool has_room(std::uint32_t count) const { return size() + std::size_t{count} <= capacity_; }

    // The first of `count` new slots, each an empty Node; no_node when there is no room for them.
    template <bool shared>
    std::uint32_t add(std::uint32_t count) {
        std::uint32_t first = size();
        do {
            if (first + std::size_t{count} > capacity_) return no_node;
        } while (!claim<shared>(first, first + count));
        std::uninitialized_fill_n(slots_ + first, count, Node{});
        return first;
    }
    // Give back all slots from `size` on.
    void resize(std::uint32_t size) { size_.store(size, std::memory_order_relaxed); }

  private:
    template <bool shared>
    bool claim(std::uint32_t& expected, std::uint32_t size) {
        if constexpr (shared) return size_.compare_exchange_weak(expected, size, std::memory_order_relaxed);
        resize(size);
        return true;
    }

    const std::size_t capacity_, alignment_;
    Node* const slots_;
    alignas(64) std::atomic<std::uint32_t> size_ = 0;  // away from what all threads read
};

}  // namespace fiedler
