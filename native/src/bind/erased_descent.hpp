// Best-first search and its self-play behind one interface each, as in erased.hpp.
#pragma once

#include "bind/values.hpp"
#include "learn/descent_play.hpp"
#include "search/best_first.hpp"

namespace fiedler {

class ErasedBestFirst : public ErasedTreeSearch {};

template <Position P>
class BestFirstOf final : public TreeSearchOf<P, BestFirst<P>, ErasedBestFirst> {
  public:
    using TreeSearchOf<P, BestFirst<P>, ErasedBestFirst>::TreeSearchOf;
};

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
