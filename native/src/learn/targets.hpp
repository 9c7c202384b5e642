// Training targets: the part of a sample that depends on the learning system.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "core/concept.hpp"

namespace fiedler {

// A column of the drawn numbers, such as `policy` with 81 floats a row.
struct Column {
    std::string_view name;
    std::size_t width;  // floats a row
};

// A target is a small copyable value, stored compactly and drawn as rows of floats: one pointer for each column.
template <class T>
concept Target = std::is_trivially_copyable_v<T> &&
                 requires(const T target, unsigned symmetry, float* const* rows, const float* const* given) {
                     { T::name } -> std::convertible_to<std::string_view>;
                     { T::columns[0] } -> std::convertible_to<Column>;
                     { target.write(symmetry, rows) } -> std::same_as<void>;  // under that symmetry; all floats written
                     { T::read(given) } -> std::same_as<T>;                   // from finite numbers
                 };

// AlphaZero's target: policy and value of the search, and the result of the game.
template <Position P>
struct PolicyValue {
    static constexpr std::string_view name = "policy-value";
    // The policy sums to 1; result and value are for the side to move.
    static constexpr std::array<Column, 3> columns{{{"policy", P::actions}, {"result", 1}, {"value", 1}}};

    std::array<std::uint8_t, P::actions> visits{};  // of the moves, scaled to 255 for the most visited one
    std::int8_t result = 0;                         // of the game: 1, 0 or -1
    float value = 0;                                // of the search, -1 .. 1

    void write(unsigned symmetry, float* const* rows) const {
        float* const policy = rows[0];
        std::fill_n(policy, P::actions, 0.0f);
        float sum = 0;
        for (const std::uint8_t count : visits) sum += count;
        for (std::size_t move = 0; move < P::actions; ++move)
            if (visits[move]) policy[P::transformed_move(symmetry, static_cast<Move>(move))] = visits[move] / sum;
        *rows[1] = result;
        *rows[2] = value;
    }

    static PolicyValue read(const float* const* given) {
        PolicyValue target{.result = static_cast<std::int8_t>(std::lround(std::clamp(*given[1], -1.0f, 1.0f))),
                           .value = std::clamp(*given[2], -1.0f, 1.0f)};
        const float most = *std::max_element(given[0], given[0] + P::actions);
        for (std::size_t move = 0; move < P::actions; ++move)
            if (given[0][move] > 0) target.visits[move] = static_cast<std::uint8_t>(255 * given[0][move] / most + 0.5f);
        return target;
    }
};

// One number for the side to move.
struct Value {
    static constexpr std::string_view name = "value";
    static constexpr std::array<Column, 1> columns{{{"value", 1}}};

    float value = 0;

    void write(unsigned, float* const* rows) const { *rows[0] = value; }
    static Value read(const float* const* given) { return {*given[0]}; }
};
static_assert(Target<Value>);

}  // namespace fiedler
