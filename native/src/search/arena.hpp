// The memory of a tree: slots given out from the front.
#pragma once

#include <cstdint>
#include <memory>
#include <new>

#include "core/pages.hpp"

namespace fiedler {

// Address space for `capacity` slots, aligned to cache lines; memory is taken as slots are used, in huge pages where
// the system has them: reads of a tree are scattered, and the processor's table of small pages is short.
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
    std::uint32_t size() const { return size_; }
    std::uint32_t capacity() const { return static_cast<std::uint32_t>(capacity_); }
    bool has_room(std::uint32_t count) const { return count <= capacity_ - size_; }

    // The first of `count` new slots, each an empty Node. There must be room for them.
    std::uint32_t add(std::uint32_t count) {
        const std::uint32_t first = size_;
        size_ += count;
        std::uninitialized_fill_n(slots_ + first, count, Node{});
        return first;
    }
    // Free all slots from `size` on.
    void resize(std::uint32_t size) { size_ = size; }

  private:
    const std::size_t capacity_, alignment_;
    Node* const slots_;
    std::uint32_t size_ = 0;
};

}  // namespace fiedler
