// The memory of a tree: slots given out from the front, also to several threads at once.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>

#include "core/pages.hpp"
#include "search/tree.hpp"

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
    std::uint32_t size() const { return size_.load(std::memory_order_relaxed); }

    // Slots that one thread has taken and not used yet; unused ones stay empty.
    struct Reserve {
        std::uint32_t next = 0, end = 0;

        std::uint32_t left() const { return end - next; }
    };

    bool has_room(std::uint32_t count, const Reserve& reserve) const {
        return count <= reserve.left() || count <= capacity_ - size();
    }

    // The first of `count` new slots, each an empty Node; no_node if there is no room for them.
    template <bool shared>
    std::uint32_t add(std::uint32_t count, Reserve& reserve) {
        if (count > reserve.left() && !refill<shared>(count, reserve)) return no_node;
        const std::uint32_t first = reserve.next;
        reserve.next += count;
        std::uninitialized_fill_n(slots_ + first, count, Node{});
        return first;
    }
    // Free all slots from `size` on.
    void resize(std::uint32_t size) { size_.store(size, std::memory_order_relaxed); }

  private:
    // Threads take some blocks ahead: they seldom contend here, and the cache lines of each thread are adjacent.
    template <bool shared>
    bool refill(std::uint32_t count, Reserve& reserve) {
        constexpr std::size_t most_ahead = 256, part_ahead = 512;
        std::uint32_t first = size(), end = first;
        do {
            const std::size_t room = capacity_ - first, ahead = shared ? std::min(most_ahead, room / part_ahead) : 0;
            if (count > room) return false;
            end = first + count * static_cast<std::uint32_t>(std::max<std::size_t>(ahead / count, 1));
        } while (!claim<shared>(first, end));
        reserve = {first, end};
        return true;
    }
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
