// The source of values for best-first search: an incremental network, or one behind a batcher.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/concept.hpp"
#include "net/pattern_net.hpp"
#include "search/batcher.hpp"

namespace fiedler {

// One object for each search.
template <Position P>
class Values {
  public:
    virtual ~Values() = default;
    // The values, -1 .. 1 for their sides to move, of positions that one move from `parent` leads to. Throws
    // EvaluationError.
    virtual void of(const P& parent, std::span<const P> positions, float* values) = 0;
    // The value of one position.
    virtual float of(const P& position) = 0;
    // Whether a call takes less than a look at the clock or two.
    virtual bool fast() const = 0;
};

template <HasPatterns P>
class IncrementalValues final : public Values<P> {
  public:
    explicit IncrementalValues(std::shared_ptr<const PatternNet> net) : net_(std::move(net)) {}

    void of(const P& parent, std::span<const P> positions, float* values) override {
        parent.patterns_for_opponent(near_.data());
        for (std::size_t i = 0; i < positions.size(); ++i) positions[i].patterns(&patterns_[i * places]);
        net_->values(near_.data(), patterns_.data(), positions.size(), values);
    }
    float of(const P& position) override {
        position.patterns(patterns_.data());
        return net_->value_of(patterns_.data());
    }
    bool fast() const override { return true; }

  private:
    static constexpr std::size_t places = P::Patterns::places;

    std::shared_ptr<const PatternNet> net_;
    std::array<std::uint16_t, places> near_;
    std::array<std::uint16_t, P::max_moves * places> patterns_;
};

template <Position P>
class BatchedValues final : public Values<P> {
  public:
    explicit BatchedValues(std::shared_ptr<Batcher> batcher) : batcher_(std::move(batcher)) {}

    void of(const P&, std::span<const P> positions, float* values) override {
        planes_.resize(positions.size() * size);
        for (std::size_t i = 0; i < positions.size(); ++i) positions[i].planes(&planes_[i * size]);
        float* const heads[] = {values};
        Batcher::Client(*batcher_).evaluate(planes_.data(), positions.size(), heads);
        for (float& value : std::span(values, positions.size())) value = std::clamp(value, -1.0f, 1.0f);
    }
    float of(const P& position) override {
        float value;
        of(position, {&position, 1}, &value);
        return value;
    }
    bool fast() const override { return false; }

  private:
    static constexpr std::size_t size = planes_size<P>;

    std::shared_ptr<Batcher> batcher_;
    std::vector<float> planes_;
};

// A position counts by the best of its replies: their values, one ply deeper.
template <Position P>
class ReplyValues final : public Values<P> {
  public:
    explicit ReplyValues(std::unique_ptr<Values<P>> values) : values_(std::move(values)) {}

    void of(const P&, std::span<const P> positions, float* values) override {
        for (std::size_t i = 0; i < positions.size(); ++i) values[i] = of(positions[i]);
    }
    float of(const P& position) override {
        Moves<P> moves;
        position.moves(moves);
        std::size_t running = 0;
        float best = -1;
        for (const Move move : moves) {
            P& after = after_[running];
            after = position;
            after.play(move);
            const Outcome outcome = after.outcome();
            if (outcome == Outcome::running) {
                ++running;
            } else {
                best = std::max(best, outcome == Outcome::loss ? 1.0f : outcome == Outcome::win ? -1.0f : 0.0f);
            }
        }
        if (running) values_->of(position, {after_.data(), running}, found_.data());
        for (std::size_t i = 0; i < running; ++i) best = std::max(best, -found_[i]);
        return best;
    }
    bool fast() const override { return false; }

  private:
    std::unique_ptr<Values<P>> values_;
    std::array<P, P::max_moves> after_;
    std::array<float, P::max_moves> found_;
};

}  // namespace fiedler
