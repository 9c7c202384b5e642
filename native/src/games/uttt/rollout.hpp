// One uniformly random game of ultimate tic-tac-toe to its end.
#pragma once

#include <cstring>

#include "core/random.hpp"
#include "games/uttt/state.hpp"

namespace fiedler::uttt {

// The state in the form that is fastest to play on: for each board its empty cells (none once it is closed), the same
// as `bits::places`, and their number. Only the free choice and the end of the game are branches; whether a board
// closes is too hard to predict.
class Rollout {
  public:
    explicit Rollout(const State& state) : stones_(state.stones), won_{state.won[0], state.won[1]} {
        for (unsigned open = state.open(); open; open &= open - 1) {
            const unsigned board = first(open);
            set_empty(board, state.empty(board));
        }
        open_ = state.open();
        board_ = state.target == any_board ? free_choice : state.target;
    }

    // The side that has three boards in a row in the end, or 2. The game must be running.
    unsigned play(unsigned side, Random& random) {
        if (side && ply<1>(random.next32())) return winner();
        for (;;) {
            const std::uint64_t word = random.next();  // for two plies
            if (ply<0>(static_cast<std::uint32_t>(word >> 32))) return winner();
            if (ply<1>(static_cast<std::uint32_t>(word))) return winner();
        }
    }
    unsigned boards(unsigned side) const { return bits::count[won_[side]]; }

  private:
    static constexpr unsigned free_choice = 9;

    void set_empty(unsigned board, unsigned cells) {
        empty_[board] = static_cast<board3::Mask>(cells);
        places_[board] = bits::places[cells];
        counts_[board] = static_cast<std::uint8_t>(places_[board] >> 60);
    }

    // Is the game over after one more ply?
    template <unsigned side>
    bool ply(std::uint32_t random) {
        unsigned board = board_, cell;
        if (board == free_choice) {
            cell = pick(random, board);
        } else {
            cell = bits::pick(places_[board], random);
        }
        const unsigned stones = stones_[side][board] | 1u << cell;
        stones_[side][board] = static_cast<board3::Mask>(stones);
        const unsigned wins = board3::has_line[stones];
        const unsigned empty = (empty_[board] ^ 1u << cell) & (wins - 1);
        set_empty(board, empty);
        won_[side] |= wins << board;
        open_ &= ~(unsigned{!empty} << board);
        board_ = places_[cell] ? cell : free_choice;
        return board3::has_line[won_[side]] || !open_;
    }

    // Uniform among all empty cells.
    unsigned pick(std::uint32_t random, unsigned& board) const {
        constexpr std::uint64_t ones = 0x0101010101010101;
        std::uint64_t counts = 0;  // byte by byte; of board 8 it is not needed
        for (unsigned i = 0; i < 8; ++i) counts |= std::uint64_t{counts_[i]} << 8 * i;
        const std::uint64_t sums = counts * ones;  // of the boards up to and with each
        const unsigned k = Random::scale(random, static_cast<unsigned>(sums >> 56) + counts_[8]);
        const std::uint64_t reached = (k * ones | 0x80 * ones) - sums;  // top bit of a byte: k >= its sum
        board = static_cast<unsigned>((reached >> 7 & ones) * ones >> 56);
        return bits::select[empty_[board]][board ? k - (sums >> 8 * (board - 1) & 0xff) : k];
    }

    unsigned winner() const { return board3::has_line[won_[0]] ? 0 : board3::has_line[won_[1]] ? 1 : 2; }

    std::array<std::uint64_t, 9> places_{};
    std::array<std::array<board3::Mask, 9>, 2> stones_;
    std::array<board3::Mask, 9> empty_{};
    std::array<std::uint8_t, 9> counts_{};
    std::array<unsigned, 2> won_;
    unsigned open_, board_;
};

}  // namespace fiedler::uttt
