// The cube: 4x4x4 tic-tac-toe (Qubic), four in a row on any of its 76 lines wins.
#pragma once

#include <cassert>

#include "concept.hpp"
#include "cube_lines.hpp"
#include "random.hpp"
#include "text.hpp"

namespace fiedler {

// An action is a cell, 16 z + 4 y + x: layer by layer, each row by row from the top left; so are the bits of the masks:
//
//     layer 1         layer 2         layer 3         layer 4
//      0  1  2  3     16 17 18 19     32 33 34 35     48 49 50 51
//      4  5  6  7     20 21 22 23     36 37 38 39     52 53 54 55
//      8  9 10 11     24 25 26 27     40 41 42 43     56 57 58 59
//     12 13 14 15     28 29 30 31     44 45 46 47     60 61 62 63
class Cube {
  public:
    static constexpr std::string_view id = "cube";
    static constexpr std::size_t actions = 64, max_moves = 64;
    static constexpr int max_plies = 64, cells_count = 64, rows = 4, columns = 4, planes_count = 8;
    static constexpr unsigned symmetries = cube::symmetries;

    Outcome outcome() const {
        if (won_) return Outcome::loss;
        return empty() ? Outcome::running : Outcome::draw;
    }
    void moves(Moves<Cube>& list) const {
        if (won_) return;
        push(empty(), list);
    }
    bool legal(Move move) const { return move < actions && !won_ && empty() >> move & 1; }
    void play(Move move) {
        assert(legal(move));
        const cube::Mask placed = cube::bit(move);
        won_ = threats_[side_] >> move & 1;
        stones_[side_] |= placed;
        threats_[side_] = (threats_[side_] & ~placed) | cube::completing(move, stones_[side_], stones_[side_ ^ 1]);
        threats_[side_ ^ 1] &= ~placed;
        side_ ^= 1;
    }
    // The two players have the same rules, so what counts is whose stones are the mover's.
    std::uint64_t key() const { return hash_words(own(), other()); }
    int ply() const { return std::popcount(stones_[0] | stones_[1]); }
    int side() const { return side_; }
    int cell(int i) const { return static_cast<int>((stones_[0] >> i & 1) + 2 * (stones_[1] >> i & 1)); }

    // Planes: the four layers of the stones of the side to move, those of the other side.
    void planes(float* out) const {
        for (const cube::Mask stones : {own(), other()})
            for (unsigned i = 0; i < cube::cells; ++i) *out++ = static_cast<float>(stones >> i & 1);
    }
    Cube transformed(unsigned symmetry) const {
        Cube result = *this;
        for (auto* masks : {&result.stones_, &result.threats_})
            for (cube::Mask& mask : *masks) mask = cube::transformed(symmetry, mask);
        return result;
    }
    static Move transformed_move(unsigned symmetry, Move move) { return cube::symmetry[symmetry][move]; }

    std::string text() const;
    static Cube parse(std::string_view word);
    // The layer, then the cell on it as in `1a1`, which is (0, 3, 0).
    static std::string move_text(Move move) {
        return std::to_string(1 + move / 16) + text::cell_name(move / 4 % 4, move % 4, rows);
    }
    static Move parse_move(std::string_view name);

    // The same position with the other side to move; a stone more never hurts.
    Cube passed() const {
        Cube result = *this;
        result.side_ ^= 1;
        return result;
    }
    Move random_move(std::uint32_t random) const {
        const cube::Mask cells = empty();
        const auto count = static_cast<std::uint32_t>(std::popcount(cells));
        return static_cast<Move>(cube::first(cube::nth(cells, Random::scale(random, count))));
    }
    Move threat(int side) const {
        const cube::Mask cells = threats_[side];
        return cells ? static_cast<Move>(cube::first(cells)) : no_move;
    }
    int line_score(Move move) const;
    int rollout(Random& random) const;
    int heuristic_rollout(Random& random) const;

    // A completed line wins in one ply; two cells on which the other side would complete one cannot both be stopped.
    int proven_plies() const { return threats_[side_] ? 1 : cube::several(threats_[side_ ^ 1]) ? -2 : 0; }
    // All cells, but for a line to complete or to stop.
    void candidates(Moves<Cube>& list) const {
        if (won_) return;
        push(threats_[side_]       ? threats_[side_] & -threats_[side_]
             : threats_[side_ ^ 1] ? threats_[side_ ^ 1] & -threats_[side_ ^ 1]
                                   : empty(),
             list);
    }

    bool operator==(const Cube&) const = default;

  private:
    using Mask = cube::Mask;

    Mask own() const { return stones_[side_]; }
    Mask other() const { return stones_[side_ ^ 1]; }
    Mask empty() const { return ~(stones_[0] | stones_[1]); }
    static void push(Mask cells, Moves<Cube>& list) {
        for (; cells; cells &= cells - 1) list.push(static_cast<Move>(cube::first(cells)));
    }
    void parse_layers(std::string_view layers);
    void check(std::string_view word) const;

    std::array<Mask, 2> stones_{};   // of each player
    std::array<Mask, 2> threats_{};  // the empty cells on which each would complete a line
    std::uint8_t side_ = 0;
    bool won_ = false;  // by the side that has just moved
};

inline std::string Cube::text() const {
    std::string word = side_ ? "O" : "X";
    for (int i = 0; i < cells_count; ++i) {
        if (i % 4 == 0) word += i % 16 ? '/' : ';';
        word += text::stones[static_cast<std::size_t>(cell(i))];
    }
    return word;
}

inline Cube Cube::parse(std::string_view word) {
    const auto [side, layers] = text::parse_side(word);
    Cube position;
    position.side_ = static_cast<std::uint8_t>(side);
    position.parse_layers(layers);
    text::check_stones(std::popcount(position.stones_[0]), std::popcount(position.stones_[1]), side);
    position.check(word);
    const auto& stones = position.stones_;
    for (unsigned owner = 0; owner < 2; ++owner)
        for (Mask rest = stones[owner]; rest; rest &= rest - 1)
            position.threats_[owner] |= cube::completing(cube::first(rest), stones[owner], stones[owner ^ 1]);
    for (const Mask line : cube::lines) position.won_ |= !(line & ~position.other());
    return position;
}

inline void Cube::parse_layers(std::string_view layers) {
    constexpr std::size_t layer_size = 19;
    if (layers.size() != 4 * layer_size + 3)
        throw PositionError("position: expected 4 layers of 4 rows of 4 cells after the side, got " +
                            text::quoted(layers));
    for (unsigned z = 0; z < 4; ++z) {
        const std::size_t start = z * (layer_size + 1);
        if (z && layers[start - 1] != ';')
            throw PositionError("position: expected ';' before layer " + std::to_string(z + 1) + " in " +
                                text::quoted(layers));
        text::parse_rows(layers.substr(start, layer_size), rows, columns, [&](int row, int column, int owner) {
            stones_[static_cast<unsigned>(owner)] |= cube::bit(16 * z + static_cast<unsigned>(4 * row + column));
        });
    }
}

// A finished game was won by its last stone, on which all completed lines meet.
inline void Cube::check(std::string_view word) const {
    Mask common = ~Mask{0};
    for (const Mask line : cube::lines) {
        if (!(line & ~own()))
            throw PositionError("position: the side to move has four in a row already in " + text::quoted(word));
        if (!(line & ~other())) common &= line;
    }
    if (!common) throw PositionError("position: no one move completed all the lines of four in " + text::quoted(word));
}

inline Move Cube::parse_move(std::string_view name) {
    if (name.size() != 3 || name[0] < '1' || name[0] > '4' || name[1] < 'a' || name[1] > 'd' || name[2] < '1' ||
        name[2] > '4')
        throw IllegalMove("move: expected 1a1 to 4d4, got " + text::quoted(name));
    return static_cast<Move>(16 * (name[0] - '1') + 4 * ('4' - name[2]) + (name[1] - 'a'));
}

inline int Cube::line_score(Move move) const {
    int sum = 0;
    for (const Mask line : cube::lines_through[move].line) {
        if (!~line) continue;
        const Mask first = line & stones_[0], second = line & stones_[1];
        if (!second) sum += 1 << 2 * std::popcount(first);
        if (!first) sum += 1 << 2 * std::popcount(second);
    }
    return sum;
}

// Two plies for each step and each random word. That a player cannot win before his fourth stone saves some tests.
inline int Cube::rollout(Random& random) const {
    const int result = side_ ? -1 : 1;  // of the side to move, should it win
    if (won_) return -result;
    Mask mine = own(), theirs = other(), cells = empty();
    auto left = static_cast<std::uint32_t>(std::popcount(cells));
    for (; left >= 2; left -= 2) {
        const std::uint64_t word = random.next();
        const Mask here = cube::nth(cells, Random::scale(static_cast<std::uint32_t>(word >> 32), left));
        cells ^= here;
        const Mask there = cube::nth(cells, Random::scale(static_cast<std::uint32_t>(word), left - 1));
        cells ^= there;
        mine |= here, theirs |= there;
        if (left > cube::cells - 6) continue;
        const bool won = cube::has_line_through(cube::first(here), mine);
        if (won | cube::has_line_through(cube::first(there), theirs)) return won ? result : -result;
    }
    return left && cube::has_line_through(cube::first(cells), mine | cells) ? result : 0;
}

// Complete a line, else stop one, else anywhere. Once the first win is passed up, nobody keeps one to come back to:
// what threatens is always what the last stone made.
inline int Cube::heuristic_rollout(Random& random) const {
    int result = side_ ? -1 : 1;  // of the side to move, should it win
    if (won_) return -result;
    if (threats_[side_]) return result;
    Mask mine = own(), theirs = other(), dangers = threats_[side_ ^ 1], cells = empty();
    for (auto left = static_cast<std::uint32_t>(std::popcount(cells)); left; --left) {
        if (cube::several(dangers)) return -result;
        const Mask here = cube::nth(dangers ? dangers : cells, random.below(dangers ? 1 : left));
        cells ^= here;
        mine |= here;
        dangers = cube::completing(cube::first(here), mine, theirs);
        std::swap(mine, theirs);
        result = -result;
    }
    return 0;
}

static_assert(Position<Cube> && HasRandomMove<Cube> && HasThreats<Cube> && HasLineScore<Cube> && HasProof<Cube> &&
              HasCandidates<Cube> && HasPass<Cube> && HasRollout<Cube> && HasHeuristicRollout<Cube>);

}  // namespace fiedler
