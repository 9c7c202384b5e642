// The patterns of a position as the input of its incremental network, whichever kind that is.
#pragma once

#include "core/knowledge.hpp"

namespace fiedler {

// The patterns of a position: places of HasPatterns, or twice the cells of HasCellPatterns, or none.
template <Position P>
inline constexpr std::size_t pattern_places = [] {
    if constexpr (HasPatterns<P>) return std::size_t{P::Patterns::places};
    return HasCellPatterns<P> ? 2 * std::size_t{P::cells_count} : 0;
}();

// Writes pattern_places<P> numbers.
template <Position P>
void write_patterns([[maybe_unused]] const P& position, [[maybe_unused]] std::uint16_t* out) {
    if constexpr (HasPatterns<P>) {
        position.patterns(out);
    } else if constexpr (HasCellPatterns<P>) {
        static thread_local Knowledge<P> knowledge;
        knowledge.reset(position);
        knowledge.pattern_rows(position, out);
    }
}

}  // namespace fiedler
