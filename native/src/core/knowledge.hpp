// The knowledge of negamax beyond the rules: the game's optional members behind one interface. A game that keeps more
// than a position can hold (pattern tables updated move by move, say) has its own class with this interface as
// `P::Knowledge`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "core/concept.hpp"
#include "core/limits.hpp"

namespace fiedler {

// Follows the path from the root of a search to the present position.
template <Position P>
class OwnKnowledge {
  public:
    void reset(const P&) {}                  // the path is this position alone
    void play(const P& /*before*/, Move) {}  // appends a move to the path
    void undo(const P& /*before*/, Move) {}  // removes it
    // The other members are about the position at the end of the path, whose game is running.

    // Centipawns for the side to move.
    int evaluate(const P& position) {
        if constexpr (HasEvaluation<P>) return position.evaluate();
        return 0;
    }
    // 0, or n > 0: the side to move wins in n plies and not sooner; n < 0: it loses in -n plies and not later.
    int proven_plies(const P& position) {
        if constexpr (HasProof<P>) return position.proven_plies();
        return 0;
    }
    // Appends the legal moves worth a search: no other move is better than the best of these.
    void candidates(const P& position, Moves<P>& list) {
        if constexpr (HasCandidates<P>) {
            position.candidates(list);
        } else {
            position.moves(list);
        }
    }
    // Appends the moves that change an evaluation at once, such as captures.
    void loud_moves(const P& position, Moves<P>& list)
        requires HasLoudMoves<P>
    {
        position.loud_moves(list);
    }
    // The promise of a move; higher is searched first.
    int order(const P& position, Move move) {
        if constexpr (HasMoveOrder<P>) return position.order(move);
        return 0;
    }
};

template <class P>
struct KnowledgeOfGame {
    using type = OwnKnowledge<P>;
};
template <class P>
    requires requires { typename P::Knowledge; }
struct KnowledgeOfGame<P> {
    using type = typename P::Knowledge;
};

// Knowledge that finds wins by continuous threats (HasForcedWin), and gives the number of positions of such a search in
// a node that negamax searches `depth` plies deep.
template <class K, class P>
concept FindsForcedWins = requires(K knowledge, const P position, std::uint64_t nodes, int depth) {
    { knowledge.forced_win(position, nodes) } -> std::same_as<ForcedWin>;
    { K::threat_nodes(depth) } -> std::same_as<std::uint64_t>;
};

// Knowledge whose longer searches, by threats say, return soon after a stop flag is set.
template <class K>
concept HeedsStops = requires(K knowledge, const StopFlag& stop) { knowledge.heed(stop); };

// Knowledge that can overlook the wins by threats of one side, until the next reset.
template <class K>
concept OverlooksThreats = requires(K knowledge, int side) { knowledge.overlook(side); };

// Knowledge that reports whether there is only one reply to a threat. Such positions are not evaluated: the search
// continues past its depth.
template <class K, class P>
concept KnowsForcedReplies = requires(K knowledge, const P position) {
    { knowledge.forced(position) } -> std::same_as<bool>;
};

// Knowledge of the moves that change an evaluation at once: a leaf is evaluated after those that pay.
template <class K, class P>
concept KnowsLoudMoves =
    requires(K knowledge, const P position, Moves<P>& list) { knowledge.loud_moves(position, list); };

// Knowledge whose candidates in most positions are a selection, not all moves that could be best: if all of them lose,
// the position is still not proven lost.
template <class K, class P>
concept LeavesMovesOut = requires(K knowledge, const P position) {
    { knowledge.selective(position) } -> std::same_as<bool>;
};

// Knowledge that a search may prune by: near its leaves it leaves out positions better than the window by `margin`
// centipawns for each ply left, and moves after the first `likely` for each ply left.
template <class K>
concept Prunes = requires {
    { K::margin } -> std::convertible_to<int>;
    { K::likely } -> std::convertible_to<std::size_t>;
};

class CellNet;

// Knowledge of the patterns of the cells, whose evaluation a network over them may replace. `pattern_rows` writes, for
// each cell, the row of CellNet for the side to move, then the same for the other side; of `pattern_sides` times two
// times `pattern_count` rows; `describe_pattern` gives the parts of a pattern. `quiet` is whether a position is
// evaluated, not searched on.
template <class K, class P>
concept TakesCellNet =
    requires(K knowledge, const P position, std::shared_ptr<const CellNet> net, std::uint16_t* rows) {
        knowledge.use(std::move(net));
        { K::pattern_sides } -> std::convertible_to<std::size_t>;
        { K::pattern_count } -> std::convertible_to<std::size_t>;
        { knowledge.pattern_rows(position, rows) } -> std::same_as<void>;
        { K::describe_pattern(std::size_t{}) } -> std::same_as<std::array<std::uint8_t, 4>>;
        { knowledge.quiet(position) } -> std::same_as<bool>;
    };

// One object for each thread that searches.
template <Position P>
using Knowledge = typename KnowledgeOfGame<P>::type;

template <class P>
concept HasCellPatterns = Position<P> && TakesCellNet<Knowledge<P>, P>;

// Wins by threats may not be the shortest; then a search does not look for shorter ones.
template <Position P>
inline constexpr bool any_win_will_do = FindsForcedWins<Knowledge<P>, P>;

}  // namespace fiedler
