// Large arrays for random access.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace fiedler {

inline constexpr std::size_t huge_page = 2u << 20;

// Requests huge pages under these bytes, which begin at a multiple of `huge_page`. The system may refuse; that changes
// only the speed.
inline void wish_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
    madvise(data, bytes, MADV_HUGEPAGE);
#endif
}

// `size` zeroed values of T, in huge pages if the system has them: a random access then seldom misses the translation
// buffer, too.
template <class T>
class Pages {
  public:
    static_assert(std::is_trivially_destructible_v<T>);

    explicit Pages(std::size_t size) : size_(size), data_(allocate(size)) { clear(); }

    void clear() { std::memset(static_cast<void*>(data_.get()), 0, size_ * sizeof(T)); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_.get()[i]; }
    const T& operator[](std::size_t i) const { return data_.get()[i]; }

  private:
    struct Free {
        void operator()(T* data) const { std::free(data); }
    };
    static T* allocate(std::size_t size) {
        const std::size_t bytes = (size * sizeof(T) + huge_page - 1) / huge_page * huge_page;
        void* data = std::aligned_alloc(huge_page, bytes);
        if (!data) throw std::bad_alloc();
        wish_huge_pages(data, bytes);
        return static_cast<T*>(data);
    }

    std::size_t size_;
    std::unique_ptr<T, Free> data_;
};

}  // namespace fiedler
