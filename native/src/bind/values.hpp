// The sources of values of a search: networks behind a batcher, and incremental ones.
#pragma once

#include <variant>

#include "bind/erased_network.hpp"
#include "core/knowledge.hpp"
#include "net/cell_net.hpp"
#include "search/values.hpp"

namespace fiedler {

// The source of a search's values.
using ValueSource = std::variant<std::shared_ptr<Batcher>, std::shared_ptr<const PatternNet>>;

// The network that evaluates for negamax, if any.
using EvaluationNet = std::variant<std::monostate, std::shared_ptr<const PatternNet>, std::shared_ptr<const CellNet>>;

// The cells of a game (HasCellPatterns); none: cells is 0.
struct CellsInfo {
    std::size_t cells = 0, sides = 0, count = 0;
    std::array<std::uint8_t, 4> (*describe)(std::size_t pattern) = nullptr;  // best first
};
template <Position P>
constexpr CellsInfo cells_of() {
    using Own = Knowledge<P>;
    if constexpr (HasCellPatterns<P>)
        return {P::cells_count, Own::pattern_sides, Own::pattern_count, &Own::describe_pattern};
    return {};
}

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

// Throws std::invalid_argument for a network of cells of another game.
template <Position P>
void require_cells(const CellNet& net) {
    constexpr CellsInfo made = cells_of<P>();
    if (!made.cells || net.cells() != made.cells || net.sides() != made.sides || net.patterns() != made.count)
        throw std::invalid_argument("network: not made for " + std::string(P::id));
}

// Let a search or a game of self-play evaluate by a network of cells. Throws std::invalid_argument for one of another
// game.
template <Position P, class User>
void use_cells(const std::shared_ptr<const CellNet>& net, [[maybe_unused]] User& user) {
    require_cells<P>(*net);
    if constexpr (HasCellPatterns<P>) user.use(net);
}

// PUCT whose leaves a network values, or one of cells if there is one.
template <Position P>
std::unique_ptr<ErasedPuct> puct_of(const std::shared_ptr<Batcher>& batcher, const PuctOptions& options,
                                    const std::shared_ptr<const CellNet>& cells) {
    fitting<P>(batcher, policy_and_value<P>());
    if (cells) require_cells<P>(*cells);
    if constexpr (HasCellPatterns<P>)
        if (cells) return std::make_unique<PuctOf<P, CellLeaves<P>>>(batcher, options, cells);
    return std::make_unique<PuctOf<P, NetworkLeaves<P>>>(batcher, options);
}

}  // namespace fiedler
