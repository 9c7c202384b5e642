// Heuristic play to the end for five in a row: a random move of the first group that is not empty, after the fast
// rollouts of a renju program with a policy network (docs/searches.md).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "core/random.hpp"
#include "games/gomoku/lines.hpp"
#include "games/gomoku/masks.hpp"
#include "games/gomoku/rollout.hpp"

namespace fiedler::five {

// A few of the cells or patterns of one side, the latest last; the oldest beyond its capacity are forgotten.
template <class Item>
class Few {
  public:
    void push(const Item& item) {
        if (count_ < items_.size()) items_[count_++] = item;
    }
    // The latest for which `holds` is true; drops later ones. nullptr if there is none.
    template <class Holds>
    const Item* latest(Holds holds) {
        while (count_ && !holds(items_[count_ - 1])) --count_;
        return count_ ? &items_[count_ - 1] : nullptr;
    }

  private:
    std::array<Item, 32> items_;
    std::size_t count_ = 0;
};

// The groups: the cell that completes a four; the cell that stops the other side's; the cell that makes a three a
// straight four; the cells that stop the other side's three; the neighbours of all stones; the centre. Each move adds
// the patterns on its four lines only. `Game` is a Gomoku.
template <class Game>
class PriorityRollout {
  public:
    // The game must be running.
    explicit PriorityRollout(const Game& start) : game_(start) {
        const Rows empty = game_.empty_cells();
        for (const unsigned side : {0u, 1u}) {
            const Rows stones = game_.stones(side);
            find_fives(side, Game::exactly(side) ? masks::completing<true>(stones, empty)
                                                 : masks::completing<false>(stones, empty));
            find_threes<masks::Across>(side, stones, empty);
            find_threes<masks::Down>(side, stones, empty);
            find_threes<masks::DownRight>(side, stones, empty);
            find_threes<masks::DownLeft>(side, stones, empty);
        }
        find_neighbours(empty);
    }

    // The first player's result.
    int play(Random& random) {
        while (true) {
            const unsigned side = game_.side_;
            const Move move = choose(side, random);
            if (move == no_move) return 0;
            assert(game_.empty(move) && !game_.forbidden(move));
            const lines::Sight sight = lines::look<size>(game_.words_[side], game_.words_[side ^ 1], move);
            if (Game::wins(side, sight.stones)) return side ? -1 : 1;
            game_.turn_over(side, move);
            add_patterns(side, move, sight);
            add_neighbours(move);
            game_.side_ ^= 1;
        }
    }

  private:
    static constexpr int size = Game::size;
    using Rows = masks::Rows<size>;
    using Index = std::conditional_t<(Game::actions < 0xff), std::uint8_t, std::uint16_t>;  // a move, or a place
    static constexpr Index nowhere = static_cast<Index>(~0u);

    // Six cells in a row with three stones: the inner empty cell and the outer two.
    struct Three {
        Move gap;
        std::array<Move, 2> ends;
    };

    Move choose(unsigned side, Random& random) {
        if (const Move* five = five_of(side)) return *five;
        if (const Move* five = five_of(side ^ 1); five && !game_.forbidden(*five)) return *five;
        if (const Three* three = three_of(side); three && !game_.forbidden(three->gap)) return three->gap;
        if (const Three* three = three_of(side ^ 1)) {
            const std::uint32_t cell = random.below(4);
            const Move move = cell < 2 ? three->gap : three->ends[cell - 2];
            if (!game_.forbidden(move)) return move;
        }
        return beside_a_stone(random);
    }
    const Move* five_of(unsigned side) {
        return fives_[side].latest([&](Move cell) {
            if (!game_.empty(cell)) return false;
            if (!Game::exactly(side)) return true;
            return lines::exact_fives(lines::look<size>(game_.words_[side], game_.words_[side ^ 1], cell).stones) != 0;
        });
    }
    const Three* three_of(unsigned side) {
        return threes_[side].latest([&](const Three& three) {
            return game_.empty(three.gap) && game_.empty(three.ends[0]) && game_.empty(three.ends[1]);
        });
    }
    Move beside_a_stone(Random& random) {
        if (!neighbours_count_ && game_.empty(Game::centre)) return Game::centre;
        for (std::size_t left = neighbours_count_; left; --left) {
            const Move move = neighbours_[random.below(static_cast<std::uint32_t>(left))];
            if (!game_.forbidden(move)) return move;
            exchange(place_[move], left - 1);
        }
        EmptyCells<size> cells(game_.words_[0].data(), game_.words_[1].data());
        return cells.count ? game_.draw_legal(cells, random) : no_move;
    }

    void add_patterns(unsigned side, Move move, const lines::Sight& sight) {
        const auto along = [&](unsigned direction, unsigned bit) {
            return lines::along<size>(move, direction, static_cast<int>(bit) - static_cast<int>(lines::middle));
        };
        const auto gap = [&](unsigned direction, unsigned first) {
            const auto empty = static_cast<unsigned>(sight.empty >> 16 * direction & lines::window_bits) >> first;
            return along(direction, first + static_cast<unsigned>(std::countr_zero(empty)));
        };
        const bool exactly = Game::exactly(side);
        for_each_start(exactly ? lines::fours<true>(sight) : lines::fours<false>(sight),
                       [&](unsigned direction, unsigned start) { fives_[side].push(gap(direction, start)); });
        for_each_start(exactly ? lines::threes<true>(sight) : lines::threes<false>(sight), [&](unsigned direction,
                                                                                               unsigned start) {
            threes_[side].push({gap(direction, start + 1), {along(direction, start), along(direction, start + 5)}});
        });
    }
    template <class Action>
    static void for_each_start(lines::Packed starts, Action action) {
        for (; starts; starts &= starts - 1) {
            const auto bit = static_cast<unsigned>(std::countr_zero(starts));
            action(bit / 16, bit % 16);
        }
    }

    // A stone removes its cell from the list of neighbours, and adds the empty cells around it.
    void add_neighbours(Move move) {
        if (place_[move] != nowhere) {
            exchange(place_[move], --neighbours_count_);
            place_[move] = nowhere;
        }
        const int row = move / size, column = move % size;
        unsigned fresh = 0;  // of the nine cells around, three bits a row
        for (int i = 0; i < 3; ++i) {
            const typename Rows::Word known = known_[row - 1 + i], unknown = static_cast<typename Rows::Word>(~known);
            fresh |= (unsigned{unknown} << 1 >> column & 7) << 3 * i;
            known_.set(row - 1 + i, known | 7u << column >> 1);
        }
        constexpr unsigned middle = 1u << 4;
        for (fresh &= ~middle; fresh; fresh &= fresh - 1) {
            const int cell = std::countr_zero(fresh);
            list_neighbour(static_cast<Move>(move + (cell / 3 - 1) * size + cell % 3 - 1));
        }
    }
    void list_neighbour(Move move) {
        place_[move] = static_cast<Index>(neighbours_count_);
        neighbours_[neighbours_count_++] = static_cast<Index>(move);
    }
    void exchange(std::size_t i, std::size_t k) {
        std::swap(neighbours_[i], neighbours_[k]);
        place_[neighbours_[i]] = static_cast<Index>(i);
        place_[neighbours_[k]] = static_cast<Index>(k);
    }

    void find_fives(unsigned side, const Rows& cells) {
        if (!cells.any()) return;
        for (int row = 0; row < size; ++row)
            for (unsigned left = cells[row]; left; left &= left - 1)
                fives_[side].push(static_cast<Move>(size * row + std::countr_zero(left)));
    }
    template <class D>
    void find_threes(unsigned side, const Rows& stones, const Rows& empty) {
        const Rows starts = masks::threes<D>(stones, empty);
        if (!starts.any()) return;
        constexpr int step = size * D::row + D::column;
        for (int row = 0; row < size; ++row)
            for (unsigned left = starts[row]; left; left &= left - 1) {
                const int start = size * row + std::countr_zero(left);
                int gap = start + step;
                while (!game_.empty(static_cast<Move>(gap))) gap += step;
                threes_[side].push(
                    {static_cast<Move>(gap), {static_cast<Move>(start), static_cast<Move>(start + 5 * step)}});
            }
    }
    void find_neighbours(const Rows& empty) {
        place_.fill(nowhere);
        known_.set(-1, ~0u);
        known_.set(size, ~0u);
        for (int row = 0; row < size; ++row) {
            unsigned near = 0;
            for (int i = std::max(row - 1, 0); i <= std::min(row + 1, size - 1); ++i)
                near |= Game::full_row & ~static_cast<unsigned>(empty[i]);
            near |= near << 1 | near >> 1;
            known_.set(row, near | ~static_cast<unsigned>(empty[row]));
            for (unsigned left = near & empty[row]; left; left &= left - 1)
                list_neighbour(static_cast<Move>(size * row + std::countr_zero(left)));
        }
    }

    Game game_;
    std::array<Few<Move>, 2> fives_;  // cells that completed a four of this side when they were found
    std::array<Few<Three>, 2> threes_;
    std::array<Index, Game::actions> neighbours_;  // empty cells beside a stone, in any order
    std::array<Index, Game::actions> place_;       // of each cell among them, or nowhere
    std::size_t neighbours_count_ = 0;
    Rows known_;  // the neighbours, the stones, and the places off the board
};

}  // namespace fiedler::five
