// The stones of a Go board in chains, and their captures; no history.
#pragma once

#include <array>
#include <bitset>
#include <cassert>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/random.hpp"

namespace fiedler::go {

// A list of points of bounded length.
template <class Point, std::size_t N>
struct Points {
    std::array<Point, N> at;
    std::size_t size = 0;

    const Point* begin() const { return at.data(); }
    const Point* end() const { return at.data() + size; }
    void push(Point point) { at[size++] = point; }
};

// Points are size * row + column from the top left. Each chain is a ring through its stones, named by one of them, and
// counts its pseudo-liberties: the pairs of a stone and an empty point beside it. So it has no liberty if it has no
// pseudo-liberty, and a point is its only liberty if all its pseudo-liberties are there.
template <int board_size>
class Chains {
  public:
    static constexpr std::size_t points = board_size * board_size;
    using Point = std::conditional_t<(points < 255), std::uint8_t, std::uint16_t>;
    using Mask = std::bitset<points>;

    static constexpr auto neighbours = [] {
        std::array<Points<Point, 4>, points> table{};
        for (int row = 0; row < board_size; ++row)
            for (int column = 0; column < board_size; ++column) {
                auto& beside = table[static_cast<std::size_t>(board_size * row + column)];
                const auto add = [&](int r, int c) {
                    if (r >= 0 && r < board_size && c >= 0 && c < board_size)
                        beside.at[beside.size++] = static_cast<Point>(board_size * r + c);
                };
                add(row - 1, column), add(row, column - 1), add(row, column + 1), add(row + 1, column);
            }
        return table;
    }();
    static constexpr auto diagonals = [] {
        std::array<Points<Point, 4>, points> table{};
        for (int row = 0; row < board_size; ++row)
            for (int column = 0; column < board_size; ++column)
                for (const auto& [r, c] : {std::pair{row - 1, column - 1},
                                           {row - 1, column + 1},
                                           {row + 1, column - 1},
                                           {row + 1, column + 1}})
                    if (r >= 0 && r < board_size && c >= 0 && c < board_size) {
                        auto& beside = table[static_cast<std::size_t>(board_size * row + column)];
                        beside.at[beside.size++] = static_cast<Point>(board_size * r + c);
                    }
        return table;
    }();

    // 0 empty, 1 first player, 2 second player.
    unsigned owner(std::size_t point) const { return owner_[point]; }
    // The XOR of the numbers of all stones (Zobrist 1970).
    std::uint64_t key() const { return key_; }

    // Whether a stone of `side` on an empty point has a liberty once it has captured.
    bool lives(unsigned side, std::size_t point) const {
        const auto& beside = neighbours[point];
        for (const Point other : beside)
            if (!owner_[other]) return true;
        for (const Point other : beside)
            if ((owner_[other] == side + 1) != only_liberty(beside, other)) return true;
        return false;
    }
    // The key of the board after that move; it must live.
    std::uint64_t key_after(unsigned side, std::size_t point) const {
        std::uint64_t key = key_ ^ numbers[side][point];
        const auto& beside = neighbours[point];
        for (std::size_t i = 0; i < beside.size; ++i) {
            const Point other = beside.at[i];
            if (owner_[other] != 2 - side || seen_before(beside, i) || !only_liberty(beside, other)) continue;
            Point stone = other;
            do key ^= numbers[side ^ 1][stone];
            while ((stone = next_[stone]) != other);
        }
        return key;
    }

    // The key of the board after a move that does not live: the chains beside it go, and its own stone does not stay.
    std::uint64_t key_after_suicide(unsigned side, std::size_t point) const {
        std::uint64_t key = key_;
        const auto& beside = neighbours[point];
        for (std::size_t i = 0; i < beside.size; ++i) {
            const Point other = beside.at[i];
            if (owner_[other] != side + 1 || seen_before(beside, i)) continue;
            Point stone = other;
            do key ^= numbers[side][stone];
            while ((stone = next_[stone]) != other);
        }
        return key;
    }

    // Puts a stone of `side` on an empty point and removes the chains of the other side that it leaves without a
    // liberty, or else its own chain if that has none: calls `removed` for each of their stones.
    template <class Removed>
    void play(unsigned side, std::size_t point, Removed removed) {
        put(side, point);
        for (const Point other : neighbours[point])
            if (owner_[other] == 2 - side && !liberties_[chain_[other]]) remove(other, removed);
        if (!liberties_[chain_[point]]) remove(static_cast<Point>(point), removed);
    }
    // Puts a stone on an empty point and captures nothing: chains without a liberty stay.
    void put(unsigned side, std::size_t where) {
        assert(!owner_[where]);
        const auto point = static_cast<Point>(where);
        owner_[point] = static_cast<std::uint8_t>(side + 1);
        key_ ^= numbers[side][point];
        chain_[point] = next_[point] = point;
        stones_[point] = 1;
        liberties_[point] = 0;
        for (const Point other : neighbours[point])
            if (owner_[other]) {
                --liberties_[chain_[other]];
            } else {
                ++liberties_[point];
            }
        for (const Point other : neighbours[point])
            if (owner_[other] == side + 1 && chain_[other] != chain_[point]) join(chain_[other], chain_[point]);
    }
    // Whether a stone is in a chain without a liberty.
    bool captured(std::size_t point) const { return owner_[point] && !liberties_[chain_[point]]; }
    // Whether a stone is in a chain with one liberty.
    bool in_atari(std::size_t point) const {
        const Point first = static_cast<Point>(point);
        Point stone = first;
        do
            for (const Point other : neighbours[stone])
                if (!owner_[other]) return only_liberty(neighbours[other], first);
        while ((stone = next_[stone]) != first);
        return false;
    }

    // The stones that a move on an empty point captures, or that have no other liberty.
    int freed(std::size_t point) const {
        const auto& beside = neighbours[point];
        int stones = 0;
        for (std::size_t i = 0; i < beside.size; ++i) {
            const Point other = beside.at[i];
            if (owner_[other] && !seen_before(beside, i) && only_liberty(beside, other))
                stones += stones_[chain_[other]];
        }
        return stones;
    }

    // Whether an empty point is an eye of `side`, which random play does not fill: stones of this side are on all
    // points beside it, and of the other side on at most one of those across, or on none if the edge is one of them.
    bool is_eye(unsigned side, std::size_t point) const {
        for (const Point other : neighbours[point])
            if (owner_[other] != side + 1) return false;
        std::size_t enemies = diagonals[point].size < 4;
        for (const Point other : diagonals[point]) enemies += owner_[other] == 2 - side;
        return enemies < 2;
    }

    // The points of the first player less those of the second by area: stones, and empty points from which empty
    // points alone lead to no stone of the other side.
    int area() const {
        int score = 0;
        for (std::size_t point = 0; point < points; ++point)
            if (owner_[point]) score += owner_[point] == 1 ? 1 : -1;
        Mask seen;
        std::array<Point, points> region;
        for (std::size_t start = 0; start < points; ++start) {
            if (owner_[start] || seen[start]) continue;
            std::size_t size = 0;
            unsigned borders = 0;
            const auto reach = [&](std::size_t point) {
                seen.set(point);
                region[size++] = static_cast<Point>(point);
            };
            reach(start);
            for (std::size_t i = 0; i < size; ++i)
                for (const Point other : neighbours[region[i]])
                    if (owner_[other]) {
                        borders |= owner_[other];
                    } else if (!seen[other]) {
                        reach(other);
                    }
            if (borders == 1) score += static_cast<int>(size);
            if (borders == 2) score -= static_cast<int>(size);
        }
        return score;
    }

  private:
    static constexpr auto numbers = zobrist_numbers<points>(0x676f + board_size);

    // Whether all liberties of the chain through `stone` are the point that these points are beside.
    bool only_liberty(const Points<Point, 4>& beside, Point stone) const {
        const Point chain = chain_[stone];
        unsigned here = 0;
        for (const Point other : beside) here += owner_[other] && chain_[other] == chain;
        return liberties_[chain] == here;
    }
    // Whether the chain of neighbour i is that of an earlier one.
    bool seen_before(const Points<Point, 4>& beside, std::size_t i) const {
        for (std::size_t earlier = 0; earlier < i; ++earlier)
            if (owner_[beside.at[earlier]] && chain_[beside.at[earlier]] == chain_[beside.at[i]]) return true;
        return false;
    }
    void join(Point one, Point other) {
        if (stones_[one] < stones_[other]) std::swap(one, other);
        stones_[one] = static_cast<Point>(stones_[one] + stones_[other]);
        liberties_[one] = static_cast<std::uint16_t>(liberties_[one] + liberties_[other]);
        Point stone = other;
        do chain_[stone] = one;
        while ((stone = next_[stone]) != other);
        std::swap(next_[one], next_[other]);
    }
    template <class Removed>
    void remove(Point first, Removed removed) {
        const unsigned side = owner_[first] - 1u;
        Point stone = first;
        do {
            owner_[stone] = 0;
            key_ ^= numbers[side][stone];
            for (const Point other : neighbours[stone])
                if (owner_[other]) ++liberties_[chain_[other]];
            removed(stone);
        } while ((stone = next_[stone]) != first);
    }

    std::array<std::uint8_t, points> owner_{};
    std::array<Point, points> chain_{};              // of a stone: the name of its chain
    std::array<Point, points> next_{};               // of a stone: the next one of its chain
    std::array<Point, points> stones_{};             // of a chain
    std::array<std::uint16_t, points> liberties_{};  // of a chain: its pseudo-liberties
    std::uint64_t key_ = 0;
};

}  // namespace fiedler::go
