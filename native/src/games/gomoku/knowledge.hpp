// The knowledge of the searches for gomoku: the value of the patterns, decisive threats, candidate moves.
#pragma once

#include "games/gomoku/pattern_sets.hpp"
#include "games/gomoku/threats.hpp"
#include "net/cell_net.hpp"

namespace fiedler {

// The interface of OwnKnowledge for P = Gomoku<size, rule>, on pattern tables updated move by move.
template <class P>
class GomokuKnowledge {
  public:
    static constexpr LineKind black = P::rule == FiveRule::freestyle  ? LineKind::any
                                      : P::rule == FiveRule::standard ? LineKind::exact
                                                                      : LineKind::black;
    static constexpr LineKind white = P::rule == FiveRule::standard ? LineKind::exact : LineKind::any;
    static constexpr int margin = 80;  // see Prunes
    static constexpr std::size_t likely = 3;
    // A search with fewer nodes leaves out threes: they seldom come to an end with so few.
    static constexpr std::uint64_t least_nodes_for_threes = 1000;

    void heed(const StopFlag& stop) { threats_.heed(stop); }
    void reset(const P& position) { threats_.reset(position.words(0), position.words(1)); }
    void play(const P& before, Move move) { threats_.play(move, before.side()); }
    void undo(const P&, Move) { threats_.undo(); }

    // The rows of a network: of the sets of patterns of each cell. In renju the sides have different patterns.
    static constexpr std::size_t pattern_sides = black == white ? 1 : 2, pattern_count = PatternSets::count;
    void pattern_rows(const P& position, std::uint16_t* rows) const {
        const auto side = static_cast<std::size_t>(position.side());
        const std::uint16_t* const set = PatternSets::instance().index();
        for (std::size_t owner = 0; owner < 2; ++owner) {
            const std::size_t first = ((pattern_sides == 2 ? side : 0) * 2 + owner) * pattern_count;
            for (const std::uint16_t code : top().patterns(static_cast<int>(owner ? 1 - side : side)))
                *rows++ = static_cast<std::uint16_t>(first + set[code]);
        }
    }
    static std::array<std::uint8_t, 4> describe_pattern(std::size_t pattern) {
        return PatternSets::instance()[pattern];
    }
    // Whether the search evaluates this position at its leaves.
    bool quiet(const P& position) {
        return !forced(position) && !proven_plies(position) && !forced_win(position, threat_nodes(0)).plies;
    }
    // From now on a network evaluates.
    void use(std::shared_ptr<const CellNet> net) { board_.emplace(std::move(net)); }

    int evaluate(const P& position) {
        const int side = position.side();
        if (!board_) return top().value(side);
        const float odds =
            board_->value(side, {top().patterns(0).data(), top().patterns(1).data()}, PatternSets::instance().index());
        return static_cast<int>(std::lround(centipawns_per_odds * odds));
    }

    // Whether there is a five to stop.
    bool forced(const P& position) const { return !top().fives(1 - position.side()).empty(); }

    // Whether candidates() leaves out moves that might be better.
    bool selective(const P& position) const {
        const int other = 1 - position.side();
        return top().fives(other).empty() && top().wins(other).empty();
    }

    // Fives, moves that make two fives at once, and those that cannot be stopped.
    int proven_plies(const P& position) const {
        const int side = position.side(), other = 1 - side;
        if (!top().fives(side).empty()) return 1;
        const Cells& danger = top().fives(other);
        if (!danger.empty()) return danger.several() || unstoppable(danger.first(), side) ? -2 : 0;
        if (!top().wins(side).empty()) return 3;
        return !top().wins(other).empty() && top().fours(side).empty() && threats_.spoilers(other).empty() ? -4 : 0;
    }

    // The only moves that do not lose at once, if there is a threat; or else the best cells for either side within two
    // steps of a stone. The last of these are left out. That is not a proof, but in a game of tempo the cells that do
    // least in all four directions for both sides waste a move.
    void candidates(const P& position, Moves<P>& list) const {
        const int side = position.side(), other = 1 - side;
        if (position.ply() == 0) return list.push(P::centre);
        if (!top().fives(side).empty()) return list.push(move(top().fives(side).first()));
        if (!top().fives(other).empty()) {
            push_best(top().fives(other), side, P::cells_count, list);
        } else if (!top().wins(side).empty()) {
            list.push(move(top().wins(side).first()));
        } else if (!top().wins(other).empty()) {
            push_best(threats_.spoilers(other) | top().fours(side), side, P::cells_count, list);
        } else {
            push_best(top().near() & top().empty(), side, most_candidates, list);
        }
        if (list.empty()) position.moves(list);
    }
    int order(const P& position, Move move) const { return rank(move, position.side()); }

    // In the tree only fours, at every depth: threes did not pay there.
    static constexpr std::uint64_t threat_nodes(int /*depth*/) { return 50; }

    // A win by fours, or by fours and threes if there are enough nodes (GomokuThreats). A second call at the same
    // position resumes the search by threes.
    ForcedWin forced_win(const P& position, std::uint64_t nodes) {
        const int side = position.side();
        auto win = threats_.fours(side, nodes);
        if (!win.plies && nodes >= least_nodes_for_threes) win = threats_.threes(side, threats_.left());
        return win.plies ? ForcedWin{win.plies, move(win.first)} : ForcedWin{};
    }

    // The same for a position without tables.
    static ForcedWin forced_win_of(const P& position, std::uint64_t nodes) {
        if (nodes < least_nodes_for_threes &&
            !may_make_four(position.words(position.side()), position.words(1 - position.side())))
            return {};
        static thread_local GomokuKnowledge knowledge;
        knowledge.reset(position);
        return knowledge.forced_win(position, nodes);
    }

  private:
    using Words = typename P::Words;
    // Whether five cells of a line hold three or more own stones and none of the other side.
    static bool may_make_four(const Words& own, const Words& others) {
        for (std::size_t line = 0; line < own.size(); ++line) {
            const unsigned stones = own[line], open = lines::cells<P::size>[line] & ~unsigned{others[line]};
            const unsigned room = open & open >> 1 & open >> 2 & open >> 3 & open >> 4;
            const unsigned a = stones ^ stones >> 1, b = stones & stones >> 1;  // how many of two cells
            const unsigned c = a >> 2, d = b >> 2;                              // of the next two
            const unsigned fifth = stones >> 4;
            const unsigned four = b & d, three = (b & c) | (a & d), two = b | d | (a & c);
            if (room & (four | three | (two & fifth))) return true;
        }
        return false;
    }

    using Threats = GomokuThreats<P::size, black, white>;
    using Cells = typename Threats::Cells;
    static constexpr std::size_t most_candidates = 20;  // where no threat limits them

    const typename Threats::Tables& top() const { return threats_.top(); }
    static Move move(int cell) { return static_cast<Move>(cell); }
    int rank(int cell, int side) const {
        return 2 * top().threats(cell, side).rank + top().threats(cell, 1 - side).rank;
    }
    bool unstoppable(int cell, int side) const { return threats_.unstoppable(cell, side); }

    // Appends the allowed ones of these cells, the best ranks first and no more than `most`.
    void push_best(const Cells& cells, int side, std::size_t most, Moves<P>& list) const {
        using Cell = std::conditional_t<(P::cells_count <= 0xff), std::uint8_t, std::uint16_t>;  // or how many
        std::array<std::uint8_t, P::cells_count> ranks;
        std::array<Cell, P::cells_count> found, sorted;
        std::array<Cell, 129> place{};
        std::size_t size = 0;
        cells.each([&](int cell) {
            if (!threats_.allowed(cell, side)) return;
            const auto rank_from_best = static_cast<std::uint8_t>(127 - rank(cell, side) / 6);
            found[size] = static_cast<Cell>(cell), ranks[size++] = rank_from_best;
            ++place[rank_from_best + 1u];
        });
        for (std::size_t i = 1; i < place.size(); ++i) place[i] = static_cast<Cell>(place[i] + place[i - 1]);
        for (std::size_t i = 0; i < size; ++i) sorted[place[ranks[i]]++] = found[i];
        for (std::size_t i = 0; i < std::min(size, most); ++i) list.push(move(sorted[i]));
    }

    static constexpr float centipawns_per_odds = 173.7178f;  // 400 / ln 10, as in expected_score

    Threats threats_;
    std::optional<CellNet::Board> board_;
};

}  // namespace fiedler
