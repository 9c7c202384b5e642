// The value of a position of ultimate tic-tac-toe without a search.
#pragma once

#include <algorithm>
#include <cmath>

#include "games/uttt/state.hpp"

namespace fiedler::uttt {

// The prospect of one side on a local board: its chance to win the board in the random-turn game, in which a fair coin
// chooses the mover of every move and both play best (Peres, Schramm, Sheffield and Wilson 2007, "Random-turn Hex and
// other selection games"); play elsewhere decides who moves here next, so a coin is a fair model. And the change of the
// chance if the next mover here is known. All but the chance are 0 once the board is closed.
struct Prospect {
    float chance = 0;
    float gain = 0;  // if this side moves here next
    float loss = 0;  // if the other does
};

class Prospects {
  public:
    static const Prospect& of(board3::Mask own, board3::Mask other) {
        static const Prospects table;
        return table.prospects_[ternary[own] + 2 * ternary[other]];
    }

  private:
    static constexpr unsigned states = ternary_states;

    // A stone always raises the ternary number, so going down visits every successor first.
    Prospects() {
        std::array<float, states> lead{};  // chance less that of the other side
        for (unsigned state = states; state-- > 0;) {
            unsigned own = 0, other = 0;
            for (unsigned cell = 0, rest = state; cell < 9; ++cell, rest /= 3) {
                own |= unsigned{rest % 3 == 1} << cell;
                other |= unsigned{rest % 3 == 2} << cell;
            }
            settle(lead, state, own, other);
        }
    }
    void settle(std::array<float, states>& lead, unsigned state, unsigned own, unsigned other) {
        const unsigned empty = board3::full & ~(own | other);
        if (board3::has_line[own] || board3::has_line[other] || !empty) {
            prospects_[state].chance = board3::has_line[own];
            lead[state] = static_cast<float>(board3::has_line[own] - board3::has_line[other]);
            return;
        }
        unsigned best = 0, worst = 0;
        float highest = -2, lowest = 2;
        for (unsigned cells = empty, power = 1, cell = 0; cell < 9; ++cell, power *= 3) {
            if (!(cells >> cell & 1)) continue;
            if (lead[state + power] > highest) highest = lead[state + power], best = state + power;
            if (lead[state + 2 * power] < lowest) lowest = lead[state + 2 * power], worst = state + 2 * power;
        }
        const float first = prospects_[best].chance, second = prospects_[worst].chance, chance = (first + second) / 2;
        prospects_[state] = {chance, first - chance, chance - second};
        lead[state] = (highest + lowest) / 2;
    }

    std::array<Prospect, states> prospects_{};
};

// The value of a position is the chance of each side to own a macro line, the product of its chances on the three
// boards, summed over the lines; and the effect of the next two moves: the side to move moves next on the board it is
// sent to (the one that matters most, if it is free to choose), and sends the other to the board that gives it least.
template <bool majority>
class Evaluation {
  public:
    explicit Evaluation(const State& state) : state_(state) {
        for (unsigned board = 0; board < 9; ++board) {
            const board3::Mask own = state.stones[state.side][board], other = state.stones[state.side ^ 1][board];
            prospects_[0][board] = Prospects::of(own, other);
            prospects_[1][board] = Prospects::of(other, own);
        }
        for (unsigned who = 0; who < 2; ++who) weigh(who);
    }

    // Centipawns for the side to move. The weights were found by logistic regression on results and scores of 400,000
    // positions of our own games, and then by matches.
    int centipawns() const {
        constexpr float scale = 250, own_move = 1.3f, their_move = 0.9f;
        const float next = state_.target == any_board ? best_tempo(0) : tempo(0, state_.target);
        const float reply = state_.target == any_board ? 0 : least_reply();
        return static_cast<int>(std::lround(scale * (lines_[0] - lines_[1] + own_move * next - their_move * reply)));
    }

  private:
    static constexpr std::array<std::array<std::uint8_t, 3>, 8> macro_lines{
        {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}}};

    // The lines of one side, and the weight of each of its boards in them.
    void weigh(unsigned who) {
        // If the majority decides, a board also counts by itself.
        constexpr float alone = majority ? 0.15f : 0;
        const auto& boards = prospects_[who];
        auto& weight = weights_[who];
        weight.fill(alone);
        float sum = 0;
        for (const auto& [a, b, c] : macro_lines) {
            const float x = boards[a].chance, y = boards[b].chance, z = boards[c].chance;
            weight[a] += y * z;
            weight[b] += x * z;
            weight[c] += x * y;
            sum += x * y * z;
        }
        if constexpr (majority)
            for (const Prospect& board : boards) sum += alone * board.chance;
        lines_[who] = sum;
    }
    // The value of the next move on a board for `who` (0: the side to move).
    float tempo(unsigned who, unsigned board) const {
        return weights_[who][board] * prospects_[who][board].gain +
               weights_[who ^ 1][board] * prospects_[who ^ 1][board].loss;
    }
    float best_tempo(unsigned who) const {
        float best = 0;
        for (unsigned open = state_.open(); open; open &= open - 1) best = std::max(best, tempo(who, first(open)));
        return best;
    }
    float least_reply() const {
        const unsigned cells = state_.empty(state_.target);
        float least = cells & state_.closed ? best_tempo(1) : 1e9f;
        for (unsigned open = cells & state_.open(); open; open &= open - 1)
            least = std::min(least, tempo(1, first(open)));
        return least;
    }

    const State& state_;
    std::array<std::array<Prospect, 9>, 2> prospects_;  // of the side to move, of the other
    std::array<std::array<float, 9>, 2> weights_;
    std::array<float, 2> lines_{};
};

}  // namespace fiedler::uttt
