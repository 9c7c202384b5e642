// The scores of negamax.
#pragma once

namespace fiedler {

// From the side to move, in centipawns of the UGI scale. A win in n plies from the root is win_score - n, a loss
// -(win_score - n); everything within `longest_win` plies of win_score is such a proven result.
inline constexpr int win_score = 30000, longest_win = 1000, infinite_score = 32000;
// The score, less the plies, of a win that is unproven since moves of the loser were left out; every evaluation is
// below it.
inline constexpr int unproven_win = 10000, most_unproven = 9000;
// The score of the value 1 of a network, in searches that it evaluates: their scores are not centipawns.
inline constexpr int value_scale = 8000;

inline bool is_win(int score) {
    return score > win_score - longest_win;
}
inline bool is_proven(int score) {
    return is_win(score) || is_win(-score);
}
// A score counted from the root as one counted from a position `ply` plies below it, and back.
inline int from_here(int score, int ply) {
    return is_win(score) ? score + ply : is_win(-score) ? score - ply : score;
}
inline int from_root(int score, int ply) {
    return from_here(score, -ply);
}
// The score of a position `ply` plies below the root that wins in n > 0 plies or loses in -n > 0.
inline int proven_score(int n, int ply) {
    return n > 0 ? win_score - ply - n : -(win_score - ply + n);
}

}  // namespace fiedler
