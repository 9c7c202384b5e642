// What negamax knows of a position beyond the rules: the game's optional members behind one face. A game that keeps
// more than a position can hold (pattern tables updated move by move, say) brings a class of its own with this face as
// `P::Knowledge`.
#pragma once

#include <algorithm>

#include "core/concept.hpp"
#include "core/limits.hpp"

namespace fiedler {

// Follows the path from the root of a search to the position it looks at.
template <Position P>
class OwnKnowledge {
  public:
    void reset(const P&) {}                  // the path is this position alone
    void play(const P& /*before*/, Move) {}  // the path gets a move longer
    void undo(const P& /*before*/, Move) {}  // and shorter again
    // The rest asks about the position at the end of the path, whose game is running.

    // Centipawns for the side to move.
    int evaluate(const P& position) {
        if constexpr (HasEvaluation<P>) return position.evaluate();
        return 0;
    }
    // 0, or n > 0: the side to move wins in n plies and not sooner; n < 0: it loses in -n plies and can make it no
    // later.
    int proven_plies(const P& position) {
        if constexpr (HasProof<P>) return position.proven_plies();
        return 0;
    }
    // Appends the legal moves worth a search: none of the others is better than the best of these.
    void candidates(const P& position, Moves<P>& list) {
        if constexpr (HasCandidates<P>) {
            position.candidates(list);
        } else {
            position.moves(list);
        }
    }
    // How promising a move looks; higher goes first.
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

// Knowledge that finds wins by continuous threats (HasForcedWin), and says how many positions such a search may look at
// in a node that negamax searches `depth` plies deep.
template <class K, class P>
concept FindsForcedWins = requires(K knowledge, const P position, std::uint64_t nodes, int depth) {
    { knowledge.forced_win(position, nodes) } -> std::same_as<ForcedWin>;
    { K::threat_nodes(depth) } -> std::same_as<std::uint64_t>;
};

// Knowledge whose longer searches, by threats say, come back soon after a stop flag is set.
template <class K>
concept HeedsStops = requires(K knowledge, const StopFlag& stop) { knowledge.heed(stop); };

// Knowledge that can overlook the wins by threats of one side, until the next reset.
template <class K>
concept OverlooksThreats = requires(K knowledge, int side) { knowledge.overlook(side); };

// Knowledge that tells whether there is but one reply to a threat. Such positions are not judged where they stand: the
// search goes on past its depth.
template <class K, class P>
concept KnowsForcedReplies = requires(K knowledge, const P position) {
    { knowledge.forced(position) } -> std::same_as<bool>;
};

// Knowledge whose candidates are a choice in most positions, not all that could be best: if all of these lose the
// position is still not proven lost.
template <class K, class P>
concept LeavesMovesOut = requires(K knowledge, const P position) {
    { knowledge.selective(position) } -> std::same_as<bool>;
};

// One object for each thread that searches.
template <Position P>
using Knowledge = typename KnowledgeOfGame<P>::type;

// Where wins are found by threats nobody knows whether they are the shortest, so a search seeks no shorter one.
template <Position P>
inline constexpr bool any_win_will_do = FindsForcedWins<Knowledge<P>, P>;

}  // namespace fiedler
