// Uniformly random games of ultimate tic-tac-toe side by side, one in each lane of a vector.
#pragma once

#include <algorithm>

#include "core/wide.hpp"
#include "games/uttt/state.hpp"

namespace fiedler::uttt {

// A ply of all games at once, without a branch. The boards allowed to the mover are a mask: one, or all open ones, or
// none once the game is over; so the free choice is not a special case.
class Lockstep {
  public:
    Lockstep() = default;
    explicit Lockstep(const State& state) {
        for (unsigned board = 0; board < 9; ++board) {
            const unsigned cells = state.open() >> board & 1 ? state.empty(board) : 0;
            places_[board] = wide::all(cells | unsigned{bits::count[cells]} << 9);
            for (unsigned side = 0; side < 2; ++side) stones_[side][board] = wide::all(state.stones[side][board]);
        }
        for (unsigned side = 0; side < 2; ++side) won_[side] = wide::all(state.won[side]);
        open_ = wide::all(state.open());
        allowed_ = wide::all(state.target == any_board ? state.open() : 1u << state.target);
    }

    bool running() const { return wide::any(allowed_); }
    template <unsigned side>
    void ply(Random& random) {
        play<side>(wide::random_lanes(random));
    }

    // The first player's result in each game.
    template <bool majority>
    wide::Truth results() const {
        Truth won[2] = {has_line(won_[0]), has_line(won_[1])};
        if constexpr (majority) {
            const Truth line = won[0] | won[1];
            const Lanes boards[2] = {count(won_[0]), count(won_[1])};
            for (unsigned side = 0; side < 2; ++side) won[side] |= ~line & (boards[side] > boards[side ^ 1]);
        }
        return won[1] - won[0];
    }

  private:
    using Lanes = wide::Lanes;
    using Truth = wide::Truth;

    using Nine = std::array<Lanes, 9>;

    template <unsigned side>
    [[gnu::always_inline]] void play(const Lanes& random) {
        // The boards in order divide the numbers 0 .. total - 1 by their empty cells; `k` belongs to one of them.
        Nine sums;
        for (unsigned board = 0; board < 9; ++board)
            sums[board] = (places_[board] >> 9) & (Lanes)((allowed_ & wide::all(1u << board)) != 0);
        add_up(sums);
        const Lanes k = wide::high_product(random, sums[8]);
        std::array<Truth, 9> chosen;
        Nine boards, below, places, stones;
        for (unsigned board = 0; board < 9; ++board) {
            chosen[board] = k < sums[board];
            if (board) chosen[board] &= k >= sums[board - 1];
            const Lanes mask = (Lanes)chosen[board];
            boards[board] = mask & wide::all(1u << board);
            below[board] = board ? mask & sums[board - 1] : Lanes{};
            places[board] = mask & places_[board];
            stones[board] = mask & stones_[side][board];
        }
        const Lanes board = joined(boards), old = joined(places), empty = old & wide::all(board3::full);
        const Lanes cell = nth(empty, k - joined(below));
        const Lanes after = joined(stones) | cell;
        const Lanes wins = (Lanes)has_line(after);
        const Lanes left = (old - cell - wide::all(1u << 9)) & ~wins;
        for (unsigned i = 0; i < 9; ++i) {
            places_[i] = chosen[i] ? left : places_[i];
            stones_[side][i] = chosen[i] ? after : stones_[side][i];
        }
        const Lanes won = won_[side] | board;
        const Lanes over = wins & (Lanes)has_line(won);
        won_[side] = wins ? won : won_[side];
        open_ &= ~(board & (wins | (Lanes)(empty == cell)));
        const Lanes target = open_ & cell;
        allowed_ = target != 0 ? target : open_ & (Lanes)(allowed_ != 0);
        allowed_ &= ~over;
    }

    // Each becomes the sum of those up to and with it. Here and below in threes, for short chains of dependence.
    static void add_up(Nine& values) {
        for (unsigned row = 0; row < 9; row += 3) {
            values[row + 1] += values[row];
            values[row + 2] += values[row + 1];
        }
        const Lanes one = values[2], two = one + values[5];
        for (unsigned i = 0; i < 3; ++i) {
            values[3 + i] += one;
            values[6 + i] += two;
        }
    }
    static Lanes joined(const Nine& v) { return ((v[0] | v[1] | v[2]) | (v[3] | v[4] | v[5])) | (v[6] | v[7] | v[8]); }
    static Truth has_line(const Lanes& m) {
        const Lanes lines = (m & m >> 1 & m >> 2 & 0x49) | (m & m >> 3 & m >> 6 & 7) | (m & m >> 4 & m >> 8 & 1) |
                            (m >> 2 & m >> 4 & m >> 6 & 1);
        return lines != 0;
    }
    static Lanes count(const Lanes& m) {
        const Lanes columns = (m & 0x49) + (m >> 1 & 0x49) + (m >> 2 & 0x49);
        return (columns & 3) + (columns >> 3 & 3) + (columns >> 6);
    }
    // The k-th set bit of m, as a bit: first its row, then it within the row.
    static Lanes nth(const Lanes& m, const Lanes& k) {
        const Lanes rows = (m & 0x49) + (m >> 1 & 0x49) + (m >> 2 & 0x49);
        const Lanes one = rows & 3, two = one + (rows >> 3 & 3);
        const Truth second = k >= one, third = k >= two;
        const Lanes rest = k - (third ? two : (Lanes)second & one);
        Lanes row = third ? m & 0700 : second ? m & 0070 : m & 0007;
        row = rest > 0 ? row & (row - 1) : row;
        row = rest > 1 ? row & (row - 1) : row;
        return row & -row;
    }

    std::array<Lanes, 9> places_;  // empty cells, none once the board is closed; their number above
    std::array<std::array<Lanes, 9>, 2> stones_;
    std::array<Lanes, 2> won_;
    Lanes open_, allowed_;
};

// Sixteen games side by side from one position, whose game must be running, to their ends.
class Sixteen {
  public:
    Sixteen(const State& state, Random& random) {
        groups_.fill(Lockstep(state));
        if (state.side) ply<1>(random);
        while (running()) {
            ply<0>(random);
            ply<1>(random);
        }
    }

    // The first player's result in each.
    template <bool majority>
    std::array<std::int8_t, wide::games> results() const {
        std::array<std::int8_t, wide::games> all;
        auto to = all.begin();
        for (const Lockstep& group : groups_) {
            const wide::Truth results = group.template results<majority>();
            for (unsigned lane = 0; lane < wide::lanes; ++lane) *to++ = static_cast<std::int8_t>(results[lane]);
        }
        return all;
    }

  private:
    template <unsigned side>
    void ply(Random& random) {
        for (Lockstep& group : groups_) group.ply<side>(random);
    }
    bool running() const {
        return std::any_of(groups_.begin(), groups_.end(), [](const Lockstep& group) { return group.running(); });
    }

    std::array<Lockstep, wide::games / wide::lanes> groups_;
};

}  // namespace fiedler::uttt
