// Self-play for networks of cells behind its interface, as in erased.hpp.
#pragma once

#include "bind/values.hpp"
#include "learn/label_play.hpp"

namespace fiedler {

class ErasedLabelPlay {
  public:
    virtual ~ErasedLabelPlay() = default;
    virtual void use(const std::shared_ptr<const CellNet>& net) = 0;
    virtual LabelPlayStats play(std::size_t wanted, ErasedSamples& samples) = 0;
};

template <HasCellPatterns P>
class LabelPlayOf final : public ErasedLabelPlay {
  public:
    explicit LabelPlayOf(const LabelPlayOptions& options) : play_(options) {}
    void use(const std::shared_ptr<const CellNet>& net) override {
        const Turn turn(taken_);
        use_cells<P>(net, play_);
    }
    LabelPlayStats play(std::size_t wanted, ErasedSamples& samples) override {
        auto* found = dynamic_cast<SamplesOf<P, Value>*>(&samples);
        if (!found) throw std::invalid_argument("expected samples of " + std::string(P::id) + " with the target value");
        const Turn turn(taken_), writing(found->taken);
        return play_.play(wanted, found->value);
    }

  private:
    LabelPlay<P> play_;
    std::atomic<bool> taken_ = false;
};

}  // namespace fiedler
