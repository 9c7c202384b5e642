// The kept trees behind one interface, as in erased.hpp.
#pragma once

#include "bind/erased.hpp"
#include "learn/kept_trees.hpp"

namespace fiedler {

class ErasedKeptTrees {
  public:
    virtual ~ErasedKeptTrees() = default;
    virtual KeptTreesStats play(std::uint64_t episodes) = 0;
    virtual std::uint64_t episodes() const = 0;
    virtual std::size_t size(int side) const = 0;
    virtual std::size_t bytes() const = 0;
    virtual std::array<std::vector<KeptNode>, 2> most_visited(std::size_t count) const = 0;
    virtual std::vector<char> dump() const = 0;
    virtual void load(const char*, std::size_t) = 0;
};

template <Position P>
class KeptTreesOf final : public ErasedKeptTrees {
  public:
    explicit KeptTreesOf(const KeptTreesOptions& options) : trees_(options) {}
    KeptTreesStats play(std::uint64_t episodes) override {
        const Turn turn(taken_);
        return trees_.play(episodes);
    }
    std::uint64_t episodes() const override {
        const Turn turn(taken_);
        return trees_.episodes();
    }
    std::size_t size(int side) const override {
        const Turn turn(taken_);
        return trees_.size(side);
    }
    std::size_t bytes() const override {
        const Turn turn(taken_);
        return trees_.bytes();
    }
    std::array<std::vector<KeptNode>, 2> most_visited(std::size_t count) const override {
        const Turn turn(taken_);
        return trees_.most_visited(count);
    }
    std::vector<char> dump() const override {
        const Turn turn(taken_);
        return trees_.dump();
    }
    void load(const char* bytes, std::size_t size) override {
        const Turn turn(taken_);
        trees_.load(bytes, size);
    }

  private:
    KeptTrees<P> trees_;
    mutable std::atomic<bool> taken_ = false;
};

}  // namespace fiedler
