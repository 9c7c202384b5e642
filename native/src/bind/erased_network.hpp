// The network searches behind one interface each, as in erased.hpp.
#pragma once

#include <span>

#include "bind/erased.hpp"
#include "learn/selfplay.hpp"
#include "search/cell_leaves.hpp"
#include "search/network_leaves.hpp"
#include "search/puct.hpp"

namespace fiedler {

// Python has a class of its own for each type.
class ErasedPuct : public ErasedTreeSearch {};

template <Position P, class Evaluation>
using PuctOf = TreeSearchOf<P, Puct<P, Evaluation>, ErasedPuct>;

// The heads of PUCT: logits of all actions, and a value in -1 .. 1 for the side to move.
template <Position P>
Heads policy_and_value() {
    return {{"policy", P::actions}, {"value", 1}};
}

inline std::string text_of(const Heads& heads) {
    std::string text;
    for (const Head& head : heads) text += (text.empty() ? "" : ", ") + head.name + " " + std::to_string(head.width);
    return text;
}

// The batcher of a network with the planes of game P and these heads; throws std::invalid_argument for another.
template <Position P>
const std::shared_ptr<Batcher>& fitting(const std::shared_ptr<Batcher>& batcher, const Heads& heads) {
    if (batcher->planes() != planes_size<P>) throw std::invalid_argument("batcher: not made for " + std::string(P::id));
    if (batcher->heads() != heads)
        throw std::invalid_argument("batcher: expected the heads " + text_of(heads) + ", got " +
                                    text_of(batcher->heads()));
    return batcher;
}

class ErasedSamples {
  public:
    virtual ~ErasedSamples() = default;
    virtual std::string_view game() const = 0;
    virtual std::size_t size() const = 0;
    virtual std::size_t capacity() const = 0;
    virtual std::uint64_t added() const = 0;
    virtual std::array<std::size_t, 3> planes_shape() const = 0;
    virtual std::string_view target() const = 0;
    virtual std::span<const Column> columns() const = 0;
    virtual void add(const ErasedPosition& position, const float* const* targets) = 0;  // throws invalid_argument
    virtual void draw(std::size_t count, std::uint64_t seed, float* planes, float* const* targets) const = 0;
    // In place of the planes, as many patterns a row as the game has places; none if it has no patterns.
    virtual std::size_t places() const = 0;
    virtual void draw_patterns(std::size_t count, std::uint64_t seed, std::uint16_t* patterns,
                               float* const* targets) const = 0;
    virtual std::vector<char> dump() const = 0;
    virtual void load(const char*, std::size_t) = 0;
};

template <Position P, Target T>
class SamplesOf final : public ErasedSamples {
  public:
    explicit SamplesOf(std::size_t capacity) : value(capacity) {}
    std::string_view game() const override { return P::id; }
    std::size_t size() const override {
        const Turn turn(taken);
        return value.size();
    }
    std::size_t capacity() const override { return value.capacity(); }
    std::uint64_t added() const override {
        const Turn turn(taken);
        return value.added();
    }
    std::array<std::size_t, 3> planes_shape() const override { return {P::planes_count, P::rows, P::columns}; }
    std::string_view target() const override { return T::name; }
    std::span<const Column> columns() const override { return T::columns; }
    void add(const ErasedPosition& position, const float* const* targets) override {
        const auto* found = dynamic_cast<const PositionOf<P>*>(&position);
        if (!found) throw std::invalid_argument("expected a position of " + std::string(P::id));
        const Turn turn(taken);
        value.add({found->value, T::read(targets)});
    }
    void draw(std::size_t count, std::uint64_t seed, float* planes, float* const* targets) const override {
        const Turn turn(taken);
        value.draw(count, seed, planes, columns_of(targets));
    }
    std::size_t places() const override { return pattern_places<P>; }
    void draw_patterns(std::size_t count, std::uint64_t seed, std::uint16_t* patterns,
                       float* const* targets) const override {
        const Turn turn(taken);
        value.draw_patterns(count, seed, patterns, columns_of(targets));
    }
    std::vector<char> dump() const override {
        const Turn turn(taken);
        return value.dump();
    }
    void load(const char* bytes, std::size_t size) override {
        const Turn turn(taken);
        value.load(bytes, size);
    }

    Samples<P, T> value;
    mutable std::atomic<bool> taken = false;

  private:
    static std::array<float*, T::columns.size()> columns_of(float* const* targets) {
        std::array<float*, T::columns.size()> columns;
        std::copy_n(targets, columns.size(), columns.begin());
        return columns;
    }
};

// Samples with one of the targets, by its name; throws std::invalid_argument for another.
template <Position P, Target... T>
std::unique_ptr<ErasedSamples> samples_with(std::string_view target, std::size_t capacity) {
    std::unique_ptr<ErasedSamples> made;
    ((target == T::name ? void(made = std::make_unique<SamplesOf<P, T>>(capacity)) : void()), ...);
    if (made) return made;
    std::string known;
    ((known += (known.empty() ? "" : ", ") + std::string(T::name)), ...);
    throw std::invalid_argument("target: expected one of " + known + ", got '" + std::string(target) + "'");
}

class ErasedSelfPlay {
  public:
    virtual ~ErasedSelfPlay() = default;
    virtual SelfPlayStats play(std::size_t wanted, ErasedSamples& samples) = 0;
};

template <Position P>
class SelfPlayOf final : public ErasedSelfPlay {
  public:
    SelfPlayOf(std::shared_ptr<Batcher> batcher, const SelfPlayOptions& options) : play_(std::move(batcher), options) {}
    SelfPlayStats play(std::size_t wanted, ErasedSamples& samples) override {
        auto* found = dynamic_cast<SamplesOf<P, PolicyValue<P>>*>(&samples);
        if (!found)
            throw std::invalid_argument("expected samples of " + std::string(P::id) + " with the target " +
                                        std::string(PolicyValue<P>::name) + ", got samples of " +
                                        std::string(samples.game()) + " with the target " +
                                        std::string(samples.target()));
        const Turn turn(taken_), writing(found->taken);
        return play_.play(wanted, found->value);
    }

  private:
    SelfPlay<P> play_;
    std::atomic<bool> taken_ = false;
};

}  // namespace fiedler
