// An incremental value network over patterns (HasPatterns), in the manner of NNUE (Nasu 2018): the first layer is a sum
// of rows, one for the pattern of each place, which changes by a few rows from position to position.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "core/pages.hpp"
#include "net/dense_layer.hpp"
#include "net/integer_sums.hpp"

namespace fiedler {

// The weights as they are learned, each matrix outputs x inputs. The value of a position, for the side to move, whose
// pattern at each place has the description d (P::Patterns::describe):
//
//     e[place] = embed * max(describe * d[place], 0)         of `depth` numbers; all products here with their biases
//     first    = clip(first * (e of all places), 0, 1)       of `width` units
//     second   = clip(second * first, 0, 1)                  of PatternNet::hidden
//     x        = last * second
//     value    = x / sqrt(1 + x * x)                         in -1 .. 1
struct PatternWeights {
    std::size_t places;
    std::size_t patterns;
    std::span<const float> descriptions;  // of the patterns, one after the other
    DenseLayer describe, embed, first, second, last;
};

// The network in whole numbers: rows of 16 bits, sums of 32. Any number of threads may use it.
class PatternNet {
  public:
    static constexpr std::size_t hidden = 32, most_places = 16;
    static constexpr std::array<std::size_t, 4> widths{32, 64, 128, 256};

    // Throws std::invalid_argument if the weights do not fit together, or are too large for the whole numbers.
    explicit PatternNet(const PatternWeights& weights)
        : places_(weights.places),
          patterns_(weights.patterns),
          width_(checked(weights).first.outputs),
          rows_(places_ * patterns_ * width_),
          first_bias_(width_),
          second_(width_ * hidden) {
        fill_rows(weights);
        fill_layers(weights);
    }

    std::size_t places() const { return places_; }
    std::size_t patterns() const { return patterns_; }

    // The values of several positions, each given by its patterns, side by side in memory. `near` are patterns close to
    // all of them: their first layers are computed from its.
    void values(const std::uint16_t* near, const std::uint16_t* positions, std::size_t count, float* values) const {
        switch (width_) {
            case 32: return values_of<32>(near, positions, count, values);
            case 64: return values_of<64>(near, positions, count, values);
            case 128: return values_of<128>(near, positions, count, values);
            default: return values_of<256>(near, positions, count, values);
        }
    }
    // The value of one position.
    float value_of(const std::uint16_t* patterns) const {
        float found;
        values(patterns, patterns, 1, &found);
        return found;
    }

  private:
    // Thirty-two units of the first layer; the compiler takes as many registers for them as the build has to.
    using Units = std::int16_t __attribute__((vector_size(64)));
    template <std::size_t width>
    using Layer = std::array<Units, width / 32>;

    static constexpr int log_unit = 10, most_log = 14;  // of an activation of 1 in the second layer, and of any weight
    static constexpr std::int32_t unit = 1 << log_unit;
    // Positions whose second layers are computed side by side: their sums fit into the registers.
    static constexpr std::size_t group = integer::Sums::size == 16 ? 4 : integer::Sums::size == 8 ? 2 : 1;

    template <std::size_t width>
    void values_of(const std::uint16_t* near, const std::uint16_t* positions, std::size_t count, float* values) const {
        const Layer<width> base = sum_of_rows<width>(near);
        std::array<Layer<width>, group> layers;
        for (; count >= group; count -= group, positions += group * places_, values += group) {
            for (std::size_t i = 0; i < group; ++i) layers[i] = updated<width>(base, near, positions + i * places_);
            finish<group, width>(layers.data(), values);
        }
        for (; count; --count, positions += places_, ++values) {
            layers[0] = updated<width>(base, near, positions);
            finish<1, width>(layers.data(), values);
        }
    }
    // Part i of the row of a pattern.
    Units row(std::size_t place, std::uint16_t pattern, std::size_t i) const {
        Units units;
        std::memcpy(&units, &rows_[(place * patterns_ + pattern) * width_ + 32 * i], sizeof units);
        return units;
    }
    template <std::size_t width>
    Layer<width> sum_of_rows(const std::uint16_t* patterns) const {
        Layer<width> sum;
        std::memcpy(sum.data(), first_bias_.data(), sizeof sum);
        for (std::size_t place = 0; place < places_; ++place)
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += row(place, patterns[place], i);
        return sum;
    }
    // The first layer of a position, by the rows that differ from those of `near`, with its activation.
    template <std::size_t width>
    Layer<width> updated(const Layer<width>& base, const std::uint16_t* near, const std::uint16_t* patterns) const {
        std::array<std::size_t, most_places> changed;
        std::size_t changes = 0;
        for (std::size_t place = 0; place < places_; ++place) {
            changed[changes] = place;
            changes += near[place] != patterns[place];
        }
        Layer<width> sum;
        if (2 * changes >= places_) {
            sum = sum_of_rows<width>(patterns);
        } else {
            sum = base;
            for (std::size_t k = 0; k < changes; ++k) {
                const std::size_t place = changed[k];
                for (std::size_t i = 0; i < sum.size(); ++i)
                    sum[i] = sum[i] - row(place, near[place], i) + row(place, patterns[place], i);
            }
        }
        const Units none{}, most = none + static_cast<std::int16_t>(first_unit_);
        for (Units& units : sum) {
            units = units > none ? units : none;
            units = units < most ? units : most;
        }
        return sum;
    }
    template <std::size_t rows, std::size_t width>
    void finish(const Layer<width>* layers, float* values) const {
        alignas(64) std::array<std::int32_t, rows * hidden> sums;
        const auto* const first = reinterpret_cast<const char*>(layers);
        integer::dense<rows, width, hidden>(first, second_.data(), second_bias_.data(), sums.data());
        for (std::size_t row = 0; row < rows; ++row) {
            std::int32_t sum = 0;
            for (std::size_t i = 0; i < hidden; ++i)
                sum += std::clamp(sums[row * hidden + i] >> shift_, 0, unit) * last_[i];
            const float x = (static_cast<float>(sum) + last_bias_) * last_scale_;
            values[row] = x / std::sqrt(1 + x * x);
        }
    }

    static const PatternWeights& checked(const PatternWeights& w) {
        require_weights(w.places >= 1 && w.places <= most_places && w.patterns >= 1 && w.patterns <= 65536,
                        "expected 1 to 16 places and 1 to 65536 patterns");
        const std::size_t width = w.first.outputs;
        require_weights(std::ranges::find(widths, width) != widths.end(), "expected a width of 32, 64, 128 or 256");
        const std::size_t inputs = w.descriptions.size() / w.patterns;
        require_layer("describe", w.describe, w.describe.outputs, inputs);
        require_layer("embed", w.embed, w.embed.outputs, w.describe.outputs);
        require_layer("first", w.first, width, w.places * w.embed.outputs);
        require_layer("second", w.second, hidden, width);
        require_layer("last", w.last, 1, hidden);
        return w;
    }

    // The largest power of two, up to 2^most_log, by which numbers up to `largest` stay within `limit`.
    static int log_scale(double largest, double limit) {
        int log = most_log;
        while (log > 0 && largest * (1 << log) > limit) --log;
        require_weights(largest * (1 << log) <= limit, "its weights are too large");
        return log;
    }
    static std::int32_t rounded(double x) { return static_cast<std::int32_t>(std::lround(x)); }

    // out = weight * in + bias for each of `count` rows, in the order of one loop on every machine.
    static std::vector<float> through(const DenseLayer& layer, const float* in, std::size_t count) {
        std::vector<float> transposed(layer.inputs * layer.outputs), out(count * layer.outputs);
        for (std::size_t o = 0; o < layer.outputs; ++o)
            for (std::size_t i = 0; i < layer.inputs; ++i)
                transposed[i * layer.outputs + o] = layer.weight[o * layer.inputs + i];
        for (std::size_t row = 0; row < count; ++row) {
            float* const to = &out[row * layer.outputs];
            std::ranges::copy(layer.bias, to);
            for (std::size_t i = 0; i < layer.inputs; ++i) {
                const float x = in[row * layer.inputs + i];
                if (x == 0) continue;
                const float* const from = &transposed[i * layer.outputs];
                for (std::size_t o = 0; o < layer.outputs; ++o) to[o] += x * from[o];
            }
        }
        return out;
    }
    // The rows of each place are made twice: the scale depends on all of them, and in floats they are large.
    void fill_rows(const PatternWeights& w) {
        std::vector<float> described = through(w.describe, w.descriptions.data(), patterns_);
        for (float& x : described) x = std::max(x, 0.0f);
        const std::vector<float> embedding = through(w.embed, described.data(), patterns_);
        std::vector<float> largest(width_);
        for (std::size_t i = 0; i < width_; ++i) largest[i] = std::abs(w.first.bias[i]);
        for (std::size_t place = 0; place < places_; ++place) {
            std::vector<float> most(width_);
            const std::vector<float> rows = rows_of(w, embedding, place);
            for (std::size_t k = 0; k < rows.size(); k += width_)
                for (std::size_t i = 0; i < width_; ++i) {
                    require_weights(std::isfinite(rows[k + i]), "its weights are too large");
                    most[i] = std::max(most[i], std::abs(rows[k + i]));
                }
            for (std::size_t i = 0; i < width_; ++i) largest[i] += most[i];
        }
        constexpr int most_log_first = 11;  // for the sums of the second layer
        const double rounding = static_cast<double>(places_ + 1);
        first_log_ =
            std::min(log_scale(*std::ranges::max_element(largest), std::numeric_limits<std::int16_t>::max() - rounding),
                     most_log_first);
        constexpr int least_log_first = 7;  // coarser units would not give the values of the floats
        require_weights(first_log_ >= least_log_first, "its weights are too large");
        first_unit_ = 1 << first_log_;
        const auto whole = [&](float x) {
            return static_cast<std::int16_t>(rounded(x * static_cast<float>(first_unit_)));
        };
        std::ranges::transform(w.first.bias, first_bias_.begin(), whole);
        for (std::size_t place = 0; place < places_; ++place) {
            const std::vector<float> rows = rows_of(w, embedding, place);
            std::ranges::transform(rows, &rows_[place * rows.size()], whole);
        }
    }
    std::vector<float> rows_of(const PatternWeights& w, const std::vector<float>& embedding, std::size_t place) const {
        const std::size_t depth = w.embed.outputs;
        std::vector<float> part(width_ * depth);
        const std::vector<float> none(width_);
        for (std::size_t o = 0; o < width_; ++o)
            std::copy_n(&w.first.weight[o * w.first.inputs + place * depth], depth, &part[o * depth]);
        return through({width_, depth, part, none}, embedding.data(), patterns_);
    }
    void fill_layers(const PatternWeights& w) {
        double largest = 0, largest_sum = 0;
        for (std::size_t o = 0; o < hidden; ++o) {
            double sum = std::abs(w.second.bias[o]);
            for (std::size_t i = 0; i < width_; ++i) {
                const double weight = std::abs(w.second.weight[o * width_ + i]);
                largest = std::max(largest, weight);
                sum += weight;
            }
            largest_sum = std::max(largest_sum, sum);
        }
        const int log = std::min(log_scale(largest, std::numeric_limits<std::int16_t>::max()),
                                 log_scale(largest_sum * first_unit_, std::numeric_limits<std::int32_t>::max() / 2));
        const double scale = 1 << log;
        for (std::size_t i = 0; i < width_; ++i)
            for (std::size_t o = 0; o < hidden; ++o)
                second_[(i / 2 * hidden + o) * 2 + i % 2] =
                    static_cast<std::int16_t>(rounded(w.second.weight[o * width_ + i] * scale));
        shift_ = first_log_ + log - log_unit;
        require_weights(shift_ >= 0, "its weights are too large");
        for (std::size_t o = 0; o < hidden; ++o)
            second_bias_[o] = rounded(w.second.bias[o] * first_unit_ * scale) + (1 << shift_ >> 1);
        double sum = 0;
        for (const float weight : w.last.weight) sum += std::abs(weight);
        const int last_log = log_scale(sum * unit, std::numeric_limits<std::int32_t>::max() / 2);
        for (std::size_t o = 0; o < hidden; ++o)
            last_[o] = rounded(w.last.weight[o] * static_cast<float>(1 << last_log));
        last_scale_ = 1 / (static_cast<float>(unit) * static_cast<float>(1 << last_log));
        last_bias_ = w.last.bias[0] / last_scale_;
        require_weights(std::isfinite(last_bias_), "its weights are too large");
    }

    const std::size_t places_, patterns_, width_;
    Pages<std::int16_t> rows_;  // places x patterns x width
    std::vector<std::int16_t> first_bias_, second_;
    std::array<std::int32_t, hidden> second_bias_, last_;
    float last_bias_, last_scale_;
    int first_log_ = 0, first_unit_ = 1, shift_ = 0;
};

}  // namespace fiedler
