// The local boards of ultimate tic-tac-toe as patterns: the input of an incremental network.
#pragma once

#include <algorithm>

#include "games/uttt/state.hpp"

namespace fiedler::uttt {

constexpr bool is_open(unsigned own, unsigned other) {
    return !(own & other) && (own | other) != board3::full && !board3::has_line[own] && !board3::has_line[other];
}
inline constexpr unsigned open_boards = 11093;

// A board has one of these patterns for the side to move. A closed board is won, lost or drawn, and its stones no
// longer matter. An open board counts with its stones, once for each use of it: `rest`, nobody can play there now;
// `aimed`, it is the only board for the next move; `free`, one of several.
class Patterns {
  public:
    static constexpr std::size_t places = 9, inputs = 23;

    enum Use : unsigned { rest, aimed, free };
    static constexpr std::uint16_t won = 0, lost = 1, drawn = 2, first_open = 3;
    static constexpr std::size_t count = first_open + 3 * open_boards;

    // The patterns of all boards for `side`, whose turn it is if `playable` (the boards of the next move) is not empty.
    static void of(const State& state, unsigned side, unsigned playable, std::uint16_t* out) {
        const unsigned use = !playable ? rest : playable & (playable - 1) ? free : aimed;
        const auto& own = state.stones[side];
        const auto& other = state.stones[side ^ 1];
        for (unsigned board = 0; board < places; ++board)
            out[board] = pattern(own[board], other[board], playable >> board & 1 ? use : rest);
    }

    // The bits behind a pattern: own stones, other stones (row by row), won, lost, drawn, aimed, free.
    static void describe(std::size_t pattern, float* out) {
        std::fill_n(out, inputs, 0.0f);
        if (pattern < first_open) {
            out[18 + pattern] = 1;
            return;
        }
        const std::size_t use = (pattern - first_open) / open_boards;
        const auto [own, other] = table().stones[(pattern - first_open) % open_boards];
        for (unsigned cell = 0; cell < 9; ++cell) {
            out[cell] = static_cast<float>(own >> cell & 1);
            out[9 + cell] = static_cast<float>(other >> cell & 1);
        }
        if (use != rest) out[20 + use] = 1;
    }

  private:
    struct Table {
        Table() {
            for (unsigned own = 0; own < 512; ++own) {
                for (unsigned other = 0; other < 512; ++other) {
                    if (own & other) continue;
                    std::uint16_t& entry = of_state[ternary[own] + 2u * ternary[other]];
                    if (is_open(own, other)) {
                        entry = static_cast<std::uint16_t>(first_open + open);
                        stones[open++] = {static_cast<board3::Mask>(own), static_cast<board3::Mask>(other)};
                    } else {
                        entry = board3::has_line[own] ? won : board3::has_line[other] ? lost : drawn;
                    }
                }
            }
        }
        unsigned open = 0;                                     // open_boards in the end
        std::array<std::uint16_t, ternary_states> of_state{};  // in use `rest`
        std::array<std::pair<board3::Mask, board3::Mask>, open_boards> stones{};
    };
    static const Table& table() {
        static const Table made;
        return made;
    }
    static std::uint16_t pattern(board3::Mask own, board3::Mask other, unsigned use) {
        return static_cast<std::uint16_t>(table().of_state[ternary[own] + 2u * ternary[other]] + use * open_boards);
    }
};

}  // namespace fiedler::uttt
