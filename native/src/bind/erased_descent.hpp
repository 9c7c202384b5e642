// Best-first search and its self-play behind one interface each, as in erased.hpp.
#pragma once

#include <variant>

#include "bind/erased_network.hpp"
#include "learn/descent_play.hpp"

namespace fiedler {

// The source of a search's values.
using ValueSource = std::variant<std::shared_ptr<Batcher>, std::shared_ptr<const PatternNet>>;

class ErasedBestFirst : public ErasedTreeSearch {};

template <Position P>
class BestFirstOf final : public TreeSearchOf<P, BestFirst<P>, ErasedBestFirst> {
  public:
    using TreeSearchOf<P, BestFirst<P>, ErasedBestFirst>::TreeSearchOf;
};

// The patterns of a game (HasPatterns).
struct PatternsInfo {
    std::size_t places = 0, count = 0, inputs = 0;
    void (*describe)(std::size_t pattern, float* inputs) = nullptr;
};
template <Position P>
constexpr PatternsInfo patterns_of() {
    if constexpr (HasPatterns<P>) {
        using Patterns = typename P::Patterns;
        return {Patterns::places, Patterns::count, Patterns::inputs, &Patterns::describe};
    }
    return {};
}

// Throws std::invalid_argument for a network of another game.
template <Position P>
std::unique_ptr<Values<P>> values_from(const ValueSource& source) {
    if (const auto* batcher = std::get_if<std::shared_ptr<Batcher>>(&source))
        return std::make_unique<BatchedValues<P>>(fitting<P>(*batcher, {{"value", 1}}));
    if constexpr (HasPatterns<P>) {
        const auto& net = std::get<std::shared_ptr<const PatternNet>>(source);
        if (net && net->places() == P::Patterns::places && net->patterns() == P::Patterns::count)
            return std::make_unique<IncrementalValues<P>>(net);
    }
    throw std::invalid_argument("network: not made for " + std::string(P::id));
}

class ErasedDescentPlay {
  public:
    virtual ~ErasedDescentPlay() = default;
    virtual DescentPlayStats play(const DescentNets& nets, std::size_t wanted, ErasedSamples& samples) = 0;
};

template <HasPatterns P>
class DescentPlayOf final : public ErasedDescentPlay {
  public:
    explicit DescentPlayOf(const DescentPlayOptions& options) : play_(options) {}
    DescentPlayStats play(const DescentNets& nets, std::size_t wanted, ErasedSamples& samples) override {
        auto* found = dynamic_cast<SamplesOf<P, Value>*>(&samples);
        if (!found) throw std::invalid_argument("expected samples of " + std::string(P::id) + " with the target value");
        for (const auto& net : nets.experts) check(net);
        check(nets.net);
        if (nets.opponent) check(nets.opponent);
        const Turn turn(taken_), writing(found->taken);
        return play_.play(nets, wanted, found->value);
    }

  private:
    static void check(const std::shared_ptr<const PatternNet>& net) { values_from<P>(net); }

    DescentPlay<P> play_;
    std::atomic<bool> taken_ = false;
};

}  // namespace fiedler
