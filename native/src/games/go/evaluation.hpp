// A plain value of a Go board for negamax, by the nearest stones.
#pragma once

#include <array>
#include <cstdint>

#include "games/go/chains.hpp"

namespace fiedler::go {

// The points of `side` less those of the other one if each empty point belongs to the side with the nearest stone, of
// points as near to both to nobody, and if `side`, which is to move, captures the stones that have one liberty.
template <int board_size>
int nearest_stones(const Chains<board_size>& board, unsigned side) {
    using Board = Chains<board_size>;
    constexpr std::uint8_t own = 1, other = 2;
    std::array<std::uint8_t, Board::points> near{}, reached{};
    Points<typename Board::Point, Board::points> front;
    for (std::size_t point = 0; point < Board::points; ++point) {
        if (!board.owner(point)) continue;
        near[point] = board.owner(point) == side + 1 || board.in_atari(point) ? own : other;
        front.push(static_cast<typename Board::Point>(point));
    }
    while (front.size) {
        Points<typename Board::Point, Board::points> next;
        for (const auto point : front)
            for (const auto beside : Board::neighbours[point]) {
                if (near[beside]) continue;
                if (!reached[beside]) next.push(beside);
                reached[beside] |= near[point];
            }
        for (const auto point : next) near[point] = reached[point];
        front = next;
    }
    int lead = 0;
    for (const std::uint8_t nearest : near) lead += (nearest == own) - (nearest == other);
    return lead;
}

}  // namespace fiedler::go
