// An incremental value network over the cells of a board, in the manner of NNUE (Nasu 2018): each cell has a pattern
// for either side, and the first layer is a sum over the cells, which changes by a few cells from position to position.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/pages.hpp"
#include "net/dense_layer.hpp"
#include "net/integer_sums.hpp"

namespace fiedler {

// The weights as they are learned. The value of a position, for the side to move, whose cells have the patterns own[c]
// for that side and other[c] for the opponent:
//
//     sum     = sum over c of clip(rows[side][0][own[c]] + rows[side][1][other[c]], 0, 1)     of `width` units
//     first   = clip(first * sum, 0, 1)       of CellNet::hidden; all products here with their biases
//     second  = clip(second * first, 0, 1)    of CellNet::hidden
//     value   = last * second                 the logarithm of the odds of a win
//
// Numbers of rows beyond +-4 count as +-4.
// `sides` is 1 if both sides have the same rows, 2 if the first and the second player have rows of their own.
struct CellWeights {
    std::size_t cells, sides, patterns, width;
    std::span<const float> rows;  // sides x 2 x patterns x width
    DenseLayer first, second, last;
};

// The network in whole numbers of 16 bits, with sums of 32. Any number of threads may use it.
class CellNet {
  public:
    static constexpr std::size_t hidden = 32, most_cells = 400;
    static constexpr std::size_t widest = 128;
    static constexpr std::array<std::size_t, 3> widths{32, 64, widest};

    // Throws std::invalid_argument if the weights do not fit together, or are too large for the whole numbers.
    explicit CellNet(const CellWeights& weights)
        : cells_(weights.cells),
          sides_(weights.sides),
          patterns_(weights.patterns),
          width_(checked(weights).width),
          rows_(weights.rows.size()),
          first_(width_ * hidden),
          second_(hidden * hidden) {
        constexpr int most_sum = std::numeric_limits<std::int16_t>::max();
        while (log_sum_ < log_cell && (2 << log_sum_) * static_cast<int>(cells_) <= most_sum) ++log_sum_;
        const float unit = static_cast<float>(1 << log_cell);
        constexpr float most = (1 << 14) - 1;  // two of them fit into 16 bits
        for (std::size_t i = 0; i < weights.rows.size(); ++i)
            rows_[i] = static_cast<std::int16_t>(std::lround(std::clamp(weights.rows[i] * unit, -most, most)));
        first_shift_ = fill(weights.first, log_sum_, most_sum, first_.data(), first_bias_.data());
        second_shift_ = fill(weights.second, log_activation, activation, second_.data(), second_bias_.data());
        fill_last(weights.last);
    }

    std::size_t cells() const { return cells_; }
    std::size_t sides() const { return sides_; }
    std::size_t patterns() const { return patterns_; }

    // The value of one position, given by the rows of its cells (pattern_rows of TakesCellNet).
    float value_of(const std::uint16_t* rows) const {
        std::array<std::int32_t, widest> sum{};
        for (std::size_t c = 0; c < cells_; ++c)
            add(&rows_[rows[c] * width_], &rows_[rows[cells_ + c] * width_], sum.data());
        return value_of_sum(sum.data());
    }

    // The first layer of one search, which follows its positions. One object for each thread.
    class Board {
      public:
        explicit Board(std::shared_ptr<const CellNet> net) : net_(std::move(net)) {
            for (Sums& sums : sums_) {
                sums.seen.assign(2 * net_->cells_, 0);
                sums.units.assign(net_->width_, 0);
            }
            for (std::size_t side = 0; side < 2; ++side) net_->start(side, sums_[side].units.data());
        }
        // The value of a board for `side`, to move: `patterns[s]` are those of its cells for side s, and `index` maps
        // them to the numbers of the rows.
        float value(int side, const std::array<const std::uint16_t*, 2>& patterns, const std::uint16_t* index) {
            const auto s = static_cast<std::size_t>(side);
            Sums& sums = sums_[s];
            const std::uint16_t *const own = patterns[s], *const other = patterns[1 - s];
            switch (net_->width_) {
                case 32: net_->follow<32>(s, own, other, index, sums.seen.data(), sums.units.data()); break;
                case 64: net_->follow<64>(s, own, other, index, sums.seen.data(), sums.units.data()); break;
                default: net_->follow<128>(s, own, other, index, sums.seen.data(), sums.units.data()); break;
            }
            assert(net_->is_sum(s, sums.seen.data(), index, sums.units.data()));
            return net_->value_of_sum(sums.units.data());
        }

      private:
        struct Sums {                         // for one side to move
            std::vector<std::uint16_t> seen;  // the patterns that are summed: own ones, then the other side's
            std::vector<std::int32_t> units;
        };
        std::shared_ptr<const CellNet> net_;
        std::array<Sums, 2> sums_;
    };

  private:
    // Thirty-two units; the compiler takes as many registers for them as the build has to.
    using Units = std::int16_t __attribute__((vector_size(64)));

    using Wide = std::int32_t __attribute__((vector_size(128)));

    static constexpr int log_cell = 12;  // of an activation of 1 in a cell
    static constexpr int log_activation = 10;
    static constexpr std::int32_t activation = 1 << log_activation;

    const std::int16_t* row(std::size_t side, std::size_t owner, std::uint16_t pattern) const {
        return &rows_[(((sides_ == 2 ? side : 0) * 2 + owner) * patterns_ + pattern) * width_];
    }
    // Part i of a cell.
    void cell(const std::int16_t* own, const std::int16_t* other, std::size_t i, Units& units) const {
        Units more;
        std::memcpy(&units, own + 32 * i, sizeof units);
        std::memcpy(&more, other + 32 * i, sizeof more);
        const Units none{}, most = none + static_cast<std::int16_t>(1 << log_cell);
        units += more;
        units = units > none ? units : none;
        units = units < most ? units : most;
    }
    void add(const std::int16_t* own, const std::int16_t* other, std::int32_t* sum) const {
        for (std::size_t i = 0; i < width_ / 32; ++i) {
            Units units;
            cell(own, other, i, units);
            for (std::size_t k = 0; k < 32; ++k) sum[32 * i + k] += units[k];
        }
    }
    // The sum of a board whose patterns are all 0.
    void start(std::size_t side, std::int32_t* sum) const {
        for (std::size_t c = 0; c < cells_; ++c) add(row(side, 0, 0), row(side, 1, 0), sum);
    }
    template <std::size_t width>
    void follow(std::size_t side, const std::uint16_t* own, const std::uint16_t* other, const std::uint16_t* index,
                std::uint16_t* seen, std::int32_t* sum) const {
        std::array<Wide, width / 32> units;
        std::memcpy(units.data(), sum, sizeof units);
        std::uint16_t *const seen_own = seen, *const seen_other = seen + cells_;
        std::array<std::uint16_t, most_cells + 1> changed;  // collected without branches: which cells is unpredictable
        std::size_t changes = 0;
        const auto look = [&](std::size_t first, std::size_t last) {
            for (std::size_t c = first; c < last; ++c) {
                changed[changes] = static_cast<std::uint16_t>(c);
                changes += (own[c] != seen_own[c]) | (other[c] != seen_other[c]);
            }
        };
        constexpr std::size_t together = 16;  // cells compared at once
        std::size_t from = 0;
        for (; from + together <= cells_; from += together)
            if (std::memcmp(own + from, seen_own + from, 2 * together) ||
                std::memcmp(other + from, seen_other + from, 2 * together))
                look(from, from + together);
        look(from, cells_);
        for (std::size_t k = 0; k < changes; ++k) {
            const std::size_t c = changed[k];
            const std::int16_t* const before_own = row(side, 0, index[seen_own[c]]);
            const std::int16_t* const before_other = row(side, 1, index[seen_other[c]]);
            seen_own[c] = own[c], seen_other[c] = other[c];
            const std::int16_t* const after_own = row(side, 0, index[own[c]]);
            const std::int16_t* const after_other = row(side, 1, index[other[c]]);
            for (std::size_t i = 0; i < units.size(); ++i) {
                Units before, after;
                cell(before_own, before_other, i, before);
                cell(after_own, after_other, i, after);
                units[i] += __builtin_convertvector(after - before, Wide);
            }
        }
        std::memcpy(sum, units.data(), sizeof units);
    }
    // Whether a sum that followed the positions is that of a board with these patterns.
    bool is_sum(std::size_t side, const std::uint16_t* seen, const std::uint16_t* index,
                const std::int32_t* sum) const {
        std::array<std::int32_t, widest> found{};
        for (std::size_t c = 0; c < cells_; ++c)
            add(row(side, 0, index[seen[c]]), row(side, 1, index[seen[cells_ + c]]), found.data());
        return std::equal(sum, sum + width_, found.begin());
    }
    float value_of_sum(const std::int32_t* exact) const {
        alignas(64) std::array<std::int16_t, widest> sum;
        const int finer = log_cell - log_sum_;
        for (std::size_t i = 0; i < width_; ++i)
            sum[i] = static_cast<std::int16_t>((exact[i] + (1 << finer >> 1)) >> finer);
        alignas(64) std::array<std::int32_t, hidden> found;
        alignas(64) std::array<std::int16_t, hidden> units;
        const auto* const bytes = reinterpret_cast<const char*>(sum.data());
        switch (width_) {
            case 32: integer::dense<1, 32, hidden>(bytes, first_.data(), first_bias_.data(), found.data()); break;
            case 64: integer::dense<1, 64, hidden>(bytes, first_.data(), first_bias_.data(), found.data()); break;
            default: integer::dense<1, 128, hidden>(bytes, first_.data(), first_bias_.data(), found.data()); break;
        }
        const auto activate = [&](int shift) {
            for (std::size_t i = 0; i < hidden; ++i)
                units[i] = static_cast<std::int16_t>(std::clamp(found[i] >> shift, 0, activation));
        };
        activate(first_shift_);
        integer::dense<1, hidden, hidden>(reinterpret_cast<const char*>(units.data()), second_.data(),
                                          second_bias_.data(), found.data());
        activate(second_shift_);
        std::int32_t value = last_bias_;
        for (std::size_t i = 0; i < hidden; ++i) value += units[i] * last_[i];
        return static_cast<float>(value) * last_scale_;
    }

    static const CellWeights& checked(const CellWeights& w) {
        require_weights(std::ranges::find(widths, w.width) != widths.end(), "expected a width of 32, 64 or 128");
        require_weights(w.cells >= 1 && w.cells <= most_cells && (w.sides == 1 || w.sides == 2),
                        "expected 1 to 400 cells, 1 or 2 sides");
        require_weights(w.patterns >= 1 && w.rows.size() == w.sides * 2 * w.patterns * w.width,
                        "expected rows for every side and pattern");
        require_finite(w.rows);
        require_layer("first", w.first, hidden, w.width);
        require_layer("second", w.second, hidden, hidden);
        require_layer("last", w.last, 1, hidden);
        return w;
    }

    // A layer in whole numbers, whose inputs are 1 at 1 << log_input and at most `largest_input`; returns the bits by
    // which its sums are shifted to units of `activation`.
    static int fill(const DenseLayer& layer, int log_input, double largest_input, std::int16_t* weights,
                    std::int32_t* biases) {
        double largest = 0, largest_sum = 0;
        for (std::size_t o = 0; o < layer.outputs; ++o) {
            double sum = std::abs(layer.bias[o]) * (1 << log_input);
            for (std::size_t i = 0; i < layer.inputs; ++i) {
                const double weight = std::abs(layer.weight[o * layer.inputs + i]);
                largest = std::max(largest, weight);
                sum += weight * largest_input;
            }
            largest_sum = std::max(largest_sum, sum);
        }
        int log = 24;
        const auto fits = [&] {
            return largest * (1 << log) <= std::numeric_limits<std::int16_t>::max() &&
                   largest_sum * (1 << log) <= std::numeric_limits<std::int32_t>::max() / 2;
        };
        while (log > 0 && !fits()) --log;
        const int shift = log_input + log - log_activation;
        require_weights(fits() && shift >= 0, "its weights are too large");
        for (std::size_t i = 0; i < layer.inputs; ++i)
            for (std::size_t o = 0; o < layer.outputs; ++o)
                weights[(i / 2 * layer.outputs + o) * 2 + i % 2] =
                    static_cast<std::int16_t>(std::lround(layer.weight[o * layer.inputs + i] * (1 << log)));
        for (std::size_t o = 0; o < layer.outputs; ++o) {
            const double bias = static_cast<double>(layer.bias[o]) * (1 << log_input) * (1 << log);
            biases[o] = static_cast<std::int32_t>(std::lround(bias)) + (1 << shift >> 1);
        }
        return shift;
    }

    void fill_last(const DenseLayer& layer) {
        double sum = std::abs(layer.bias[0]);
        for (const float weight : layer.weight) sum += std::abs(weight);
        int log = 24;
        while (log > 0 && sum * activation * (1 << log) > std::numeric_limits<std::int32_t>::max() / 2) --log;
        const double scale = static_cast<double>(activation) * (1 << log);
        require_weights(sum * scale <= std::numeric_limits<std::int32_t>::max() / 2, "its weights are too large");
        for (std::size_t i = 0; i < hidden; ++i)
            last_[i] = static_cast<std::int32_t>(std::lround(layer.weight[i] * (1 << log)));
        last_bias_ = static_cast<std::int32_t>(std::lround(layer.bias[0] * scale));
        last_scale_ = static_cast<float>(1 / scale);
    }

    std::size_t cells_, sides_, patterns_, width_;
    int log_sum_ = 0;           // of an activation of 1 in a cell, such that all cells together fit into 16 bits
    Pages<std::int16_t> rows_;  // sides x 2 x patterns x width
    std::vector<std::int16_t> first_, second_;
    std::array<std::int32_t, hidden> first_bias_, second_bias_, last_;
    std::int32_t last_bias_ = 0;
    float last_scale_ = 0;
    int first_shift_ = 0, second_shift_ = 0;
};

}  // namespace fiedler
