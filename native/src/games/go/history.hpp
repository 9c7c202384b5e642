// The past of a game of Go: its start, its moves and the boards that they led to.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>

#include "core/concept.hpp"
#include "core/random.hpp"

namespace fiedler::go {

// Two games are equal if their starts and their moves are.
template <std::size_t points, std::size_t max_plies>
class History {
  public:
    using Mask = std::bitset<points>;
    using Action = std::conditional_t<(points < 255), std::uint8_t, std::uint16_t>;

    // A game that begins with these stones and this side; `rules` is 0, or a number of rules of its own.
    History(const std::array<Mask, 2>& stones, unsigned side, std::uint64_t key, std::uint64_t rules)
        : start_(stones), stood_(stones), side_(side), path_(hash_words(key, side)) {
        if (rules) path_ = hash_words(path_, rules);
        boards_[0] = key;
    }
    bool operator==(const History& other) const {
        return path_ == other.path_ && plies_ == other.plies_ && side_ == other.side_ && start_ == other.start_ &&
               std::equal(moves_.data(), moves_.data() + plies_, other.moves_.data());
    }

    std::size_t plies() const { return plies_; }
    Move move(std::size_t ply) const { return moves_[ply]; }
    // The stones of a side at the start, and the side of the first move.
    const Mask& start(unsigned side) const { return start_[side]; }
    unsigned first_side() const { return side_; }
    // A hash of start and moves.
    std::uint64_t key() const { return path_; }

    // Appends a pass, which leads to the same board.
    void pass() { append(static_cast<Move>(points), boards_[plies_]); }
    // Appends a stone; `key` is that of the board after it.
    void stone(unsigned side, std::size_t point, std::uint64_t key) {
        stood_[side].set(point);
        append(static_cast<Move>(point), key);
    }

    // Whether a stone of `side` has stood on a point. If none has, a board with one there is new.
    bool stood(unsigned side, std::size_t point) const { return stood_[side][point]; }
    // Whether a board has been there before.
    bool has(std::uint64_t key) const {
        bool found = false;  // without a branch for each, so that vectors compare them
        for (std::size_t i = 0; i <= plies_; ++i) found |= boards_[i] == key;
        return found;
    }

  private:
    void append(Move move, std::uint64_t key) {
        moves_[plies_++] = static_cast<Action>(move);
        boards_[plies_] = key;
        path_ = hash_words(path_, move);
    }

    std::array<Mask, 2> start_;
    std::array<Mask, 2> stood_;  // the points that each side has had at some time
    std::size_t plies_ = 0;
    unsigned side_ = 0;
    std::uint64_t path_ = 0;
    std::array<Action, max_plies> moves_{};
    std::array<std::uint64_t, max_plies + 1> boards_{};  // their keys, that of the start first
};

}  // namespace fiedler::go
