// The cube: 4x4x4 tic-tac-toe (Qubic), four in a row on any of its 76 lines wins.
#pragma once

#include <cassert>

#include "core/concept.hpp"
#include "core/random.hpp"
#include "core/stones.hpp"
#include "games/cube/threats.hpp"

namespace fiedler {

class CubeKnowledge;

// An action is a cell, 16 z + 4 y + x: layer by layer, each row by row from the top left; so are the bits of the masks:
//
//     layer 1         layer 2         layer 3         layer 4
//      0  1  2  3     16 17 18 19     32 33 34 35     48 49 50 51
//      4  5  6  7     20 21 22 23     36 37 38 39     52 53 54 55
//      8  9 10 11     24 25 26 27     40 41 42 43     56 57 58 59
//     12 13 14 15     28 29 30 31     44 45 46 47     60 61 62 63
class Cube {
  public:
    using Knowledge = CubeKnowledge;

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
    int move_count() const { return won_ ? 0 : std::popcount(empty()); }
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
    // The two players have the same rules, so only the stones of the mover and of the other side count.
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

    // The same position with the other side to move, to find its threats.
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

    // A completed line wins in one ply, two simultaneous threats win in three; two cells on which the other side would
    // complete a line cannot both be stopped.
    int proven_plies() const {
        if (threats_[side_]) return 1;
        const Mask danger = threats_[side_ ^ 1];
        if (cube::several(danger)) return -2;
        return cube::threes(own(), other()).twice & (danger ? danger : ~Mask{0}) ? 3 : 0;
    }
    ForcedWin forced_win(std::uint64_t nodes) const {
        static thread_local cube::ThreatSearch search;
        search.reset();
        return forced_win(search, nodes);
    }
    // The same with a search whose memory of failures is kept.
    ForcedWin forced_win(cube::ThreatSearch& search, std::uint64_t nodes) const {
        if (const Mask wins = threats_[side_]) return {1, static_cast<Move>(cube::first(wins))};
        const cube::Attack found = attack(search, nodes);
        return found.plies ? ForcedWin{found.plies, static_cast<Move>(found.first)} : ForcedWin{};
    }
    // All cells, unless there is a line to complete or to stop.
    void candidates(Moves<Cube>& list) const {
        if (!won_) push(worth_a_look(), list);
    }
    // If the other side would win by threes with the move, only the cells that may stop that.
    void candidates(cube::ThreatSearch& search, std::uint64_t nodes, Moves<Cube>& list) const {
        if (won_) return;
        Mask cells = worth_a_look();
        if (cube::several(cells))
            if (const cube::Attack found = passed().attack(search, nodes); found.plies) cells &= found.defences;
        push(cells, list);
    }

    bool operator==(const Cube&) const = default;

  private:
    using Mask = cube::Mask;

    Mask own() const { return stones_[side_]; }
    Mask other() const { return stones_[side_ ^ 1]; }
    Mask empty() const { return ~(stones_[0] | stones_[1]); }
    Mask worth_a_look() const {
        const Mask urgent = threats_[side_] ? threats_[side_] : threats_[side_ ^ 1];
        return urgent ? urgent & -urgent : empty();
    }
    // The side to move has no line to complete, the other side one at most.
    cube::Attack attack(cube::ThreatSearch& search, std::uint64_t nodes) const {
        if (cube::several(threats_[side_ ^ 1])) return {};
        return search.attack(own(), other(), threats_[side_ ^ 1], nodes);
    }
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

// A finished game was won by its last stone, which is on all completed lines.
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

// Two plies for each step and each random word. A player cannot win before his fourth stone, which saves some tests.
inline int Cube::rollout(Random& random) const {
    const int result = side_ ? -1 : 1;  // if the side to move wins
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

// Complete a line, else stop one, else anywhere. Once the first win is missed, no old win remains: every threat is new,
// made by the last stone.
inline int Cube::heuristic_rollout(Random& random) const {
    int result = side_ ? -1 : 1;  // if the side to move wins
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

// The knowledge of negamax for the cube: the state of every line, and the search by threes.
class CubeKnowledge {
  public:
    // Most searches by threes end by themselves before that.
    static constexpr std::uint64_t threat_nodes(int /*depth*/) { return 1000; }

    void reset(const Cube& root) {
        threats_.reset();
        stones_.fill(0);
        balance_ = 0;
        overlooked_ = -1;
        for (int i = 0; i < Cube::cells_count; ++i)
            if (const int owner = root.cell(i)) place(static_cast<unsigned>(i), one_stone(owner - 1));
    }
    void play(const Cube& before, Move move) { place(move, one_stone(before.side())); }
    void undo(const Cube& before, Move move) { place(move, -one_stone(before.side())); }

    int evaluate(const Cube& position) const { return (position.side() ? -balance_ : balance_) + worth_of_the_move; }
    int proven_plies(const Cube& position) const { return position.proven_plies(); }
    void overlook(int side) { overlooked_ = side; }
    ForcedWin forced_win(const Cube& position, std::uint64_t nodes) {
        return position.side() == overlooked_ ? ForcedWin{} : position.forced_win(threats_, nodes);
    }
    void candidates(const Cube& position, Moves<Cube>& list) {
        if ((position.side() ^ 1) == overlooked_) {
            position.candidates(list);
        } else {
            position.candidates(threats_, threat_nodes(0), list);
        }
    }
    int order(const Cube& position, Move move) const {
        const auto& use = use_of_line[static_cast<unsigned>(position.side())];
        int sum = 0;
        for (const unsigned line : cube::numbers_through(move)) sum += use[stones_[line]];
        return sum;
    }

  private:
    // A line's stones in one number: the first player's plus five times the second's.
    static constexpr int one_stone(int side) { return side ? 5 : 1; }
    static constexpr int worth_of_the_move = 25;
    // By the stones of the only player with stones on the line.
    static constexpr std::array<int, 5> value_of_line{0, 4, 16, 60, 0};
    static constexpr std::array<int, 5> use_of_own{1, 3, 9, 60, 0}, use_of_other{0, 2, 7, 50, 0};

    static constexpr auto value = [] {
        std::array<std::int8_t, 25> table{};
        for (unsigned n = 1; n <= 4; ++n)
            table[n] = static_cast<std::int8_t>(value_of_line[n]), table[5 * n] = static_cast<std::int8_t>(-table[n]);
        return table;
    }();
    static constexpr auto use_of_line = [] {
        std::array<std::array<std::int8_t, 25>, 2> table{};
        for (unsigned n = 0; n <= 4; ++n)
            for (unsigned side = 0; side < 2; ++side) {
                table[side][side ? n : 5 * n] = static_cast<std::int8_t>(use_of_other[n]);
                table[side][side ? 5 * n : n] = static_cast<std::int8_t>(use_of_own[n]);
            }
        return table;
    }();
    void place(unsigned cell, int change) {
        for (const unsigned line : cube::numbers_through(cell)) {
            std::uint8_t& stones = stones_[line];
            balance_ -= value[stones];
            stones = static_cast<std::uint8_t>(stones + change);
            balance_ += value[stones];
        }
    }

    cube::ThreatSearch threats_;
    std::array<std::uint8_t, cube::lines_count> stones_{};  // of each line
    int balance_ = 0;                                       // of the values of the lines, for the first player
    int overlooked_ = -1;                                   // the side whose wins by threes are overlooked
};

static_assert(Position<Cube> && HasRandomMove<Cube> && HasThreats<Cube> && HasLineScore<Cube> && HasProof<Cube> &&
              HasCandidates<Cube> && HasRollout<Cube> && HasHeuristicRollout<Cube> && HasForcedWin<Cube>);

}  // namespace fiedler
