// The moves of chess and Chess960 (FIDE Laws of Chess, articles 3 and guidelines II).
#pragma once

#include "core/concept.hpp"
#include "games/chess/pieces.hpp"

namespace fiedler::chess {

// A move is (64 * from + to) * 5 + promotion, which is 0 or the kind of the new piece, a knight to a queen.
inline constexpr std::size_t moves_count = 64 * 64 * 5;
constexpr Move make_move(Square from, Square to, unsigned promotion = 0) {
    return static_cast<Move>((64 * from + to) * 5 + promotion);
}
constexpr Square from_of(Move move) {
    return move / 320;
}
constexpr Square to_of(Move move) {
    return move / 5 % 64;
}
constexpr unsigned promotion_of(Move move) {
    return move % 5;
}

// Everything in a position that the next moves depend on; no draws by counting. `shuffled` is Chess960: castling is a
// move of the king to the square of its rook, otherwise two squares aside.
template <bool shuffled>
class Rules {
  public:
    // The start of chess, which is one of the 960.
    Rules() {
        constexpr std::array<Kind, 8> row{rook, knight, bishop, queen, king, bishop, knight, rook};
        for (Square file = 0; file < 8; ++file) {
            pieces_.put(file, piece_of(white, row[file]));
            pieces_.put(8 + file, piece_of(white, pawn));
            pieces_.put(48 + file, piece_of(black, pawn));
            pieces_.put(56 + file, piece_of(black, row[file]));
        }
        castling_ = bit(0) | bit(7) | bit(56) | bit(63);
    }
    // A position from its parts, which must fit together (fen.hpp): `castling` are the rooks that may castle, `passed`
    // is the square that a pawn passed with the last move.
    Rules(const Pieces& pieces, unsigned side, Mask castling, Square passed)
        : pieces_(pieces), castling_(castling), side_(static_cast<std::uint8_t>(side)) {
        look();
        allow(passed);
    }

    const Pieces& pieces() const { return pieces_; }
    unsigned side() const { return side_; }
    Mask castling() const { return castling_; }
    // The square where a pawn may be taken in passing, legally; else no_square.
    Square passed() const { return passed_; }
    bool in_check() const { return checkers_; }
    // Positions with the same moves, now and later, have the same key.
    std::uint64_t key() const {
        std::uint64_t key = pieces_.key() ^ (side_ ? 0x9e3779b97f4a7c15ULL : 0);
        if (castling_) key ^= mix_word(castling_);
        if (passed_ != no_square) key ^= mix_word(passed_ + 1);
        return key;
    }

    // Calls `visit(from, squares)` for each piece with legal moves, ascending, until it returns true; whether it did.
    template <class Visit>
    bool each_piece(Visit visit) const {
        if (several(checkers_)) {
            const Square home = pieces_.king_of(side_);
            const Mask squares = king_squares(home);
            return squares && visit(home, squares);
        }
        for (Mask rest = pieces_.of(side_); rest; rest &= rest - 1) {
            const Square from = first(rest);
            if (const Mask squares = squares_from(from); squares && visit(from, squares)) return true;
        }
        return false;
    }
    // The squares to which the piece of the side to move on `from` can go.
    Mask squares_from(Square from) const {
        const Kind kind = pieces_.kind_at(from);
        if (kind == king) return king_squares(from);
        if (several(checkers_)) return 0;
        const Mask occupied = pieces_.occupied(), own = pieces_.of(side_);
        Mask squares = kind == pawn ? pawn_squares(from, occupied) : Pieces::attacks(kind, from, occupied) & ~own;
        const Square home = pieces_.king_of(side_);
        if (checkers_) squares &= checkers_ | queen_lines.between[home][first(checkers_)];
        if (pinned_ & bit(from)) squares &= queen_lines.through[home][from];
        if (kind == pawn && passed_ != no_square && pawn_attacks[side_][from] & bit(passed_) && may_pass(from, passed_))
            squares |= bit(passed_);
        return squares;
    }
    bool promotes(Square from) const { return pieces_.of(pawn) & bit(from) & rank_mask(side_ ? 1 : 6); }

    // The rook with which a legal move castles; else no_square.
    Square castling_rook(Square from, Square to) const {
        if (pieces_.kind_at(from) != king) return no_square;
        if constexpr (shuffled) return pieces_.of(side_) & bit(to) ? to : no_square;
        return to == from + 2 ? from + 3 : to + 2 == from ? from - 4 : no_square;
    }
    // Whether a legal move takes a pawn in passing.
    bool passes(Square from, Square to) const { return to == passed_ && pieces_.kind_at(from) == pawn; }

    // Plays a legal move. Whether no earlier position can occur again: a pawn moved, or a piece was taken.
    bool play(Move move) {
        const Square from = from_of(move), to = to_of(move), rook_from = castling_rook(from, to);
        const Piece piece = pieces_.at(from);
        const bool pawn_moved = kind_of(piece) == pawn, takes = rook_from == no_square && pieces_.at(to);
        pieces_.remove(from);
        if (rook_from != no_square) {
            castle(from, rook_from, piece);
        } else {
            if (takes) pieces_.remove(to);
            if (pawn_moved && to == passed_) pieces_.remove(behind(to));
            const unsigned promotion = promotion_of(move);
            pieces_.put(to, promotion ? piece_of(side_, static_cast<Kind>(promotion)) : piece);
        }
        if (castling_) castling_ &= ~(bit(from) | bit(to) | (kind_of(piece) == king ? home_rank() : 0));
        const Square passed = pawn_moved && (from ^ to) == 16 ? (from + to) / 2 : no_square;
        side_ ^= 1;
        look();
        allow(passed);
        return pawn_moved || takes;
    }
    bool operator==(const Rules&) const = default;

  private:
    Mask home_rank() const { return rank_mask(side_ ? 7 : 0); }
    // The square of the pawn that passed `passed`, or the square before a pawn of the side to move.
    Square behind(Square passed) const { return side_ ? passed + 8 : passed - 8; }

    // Finds checks and pins of the side to move.
    void look() {
        checkers_ = pieces_.attackers(pieces_.king_of(side_), side_ ^ 1, pieces_.occupied());
        pinned_ = pieces_.pinned(side_);
    }
    // Keeps the square that a pawn has just passed if it can be taken there.
    void allow(Square passed) {
        passed_ = no_square;
        if (passed == no_square) return;
        for (Mask takers = pawn_attacks[side_ ^ 1][passed] & pieces_.of(side_, pawn); takers; takers &= takers - 1)
            if (may_pass(first(takers), passed)) passed_ = static_cast<std::uint8_t>(passed);
    }
    // Whether the king is safe once the pawn on `from` has taken in passing: two pawns leave the board's lines.
    bool may_pass(Square from, Square passed) const {
        const Mask taken = bit(behind(passed)), occupied = (pieces_.occupied() ^ bit(from) ^ taken) | bit(passed);
        return !(pieces_.attackers(pieces_.king_of(side_), side_ ^ 1, occupied) & ~taken);
    }
    Mask pawn_squares(Square from, Mask occupied) const {
        const Mask takes = pawn_attacks[side_][from] & pieces_.of(side_ ^ 1), here = bit(from);
        const Mask one = (side_ ? here >> 8 : here << 8) & ~occupied, again = one & rank_mask(side_ ? 5 : 2);
        return takes | one | ((side_ ? again >> 8 : again << 8) & ~occupied);
    }
    Mask king_squares(Square from) const {
        const Mask occupied = pieces_.occupied() ^ bit(from);
        Mask squares = king_attacks[from] & ~pieces_.of(side_);
        for (Mask rest = squares; rest; rest &= rest - 1)
            if (pieces_.attackers(first(rest), side_ ^ 1, occupied)) squares ^= rest & -rest;
        if (!checkers_)
            for (Mask rooks = castling_ & home_rank(); rooks; rooks &= rooks - 1)
                if (may_castle(from, first(rooks)))
                    squares |= shuffled ? rooks & -rooks : bit(king_goes(from, first(rooks)));
        return squares;
    }

    static Square king_goes(Square from, Square rook_from) { return (from & 56) + (rook_from > from ? 6 : 2); }
    static Square rook_goes(Square from, Square rook_from) { return (from & 56) + (rook_from > from ? 5 : 3); }

    // Both ways are free but for the two pieces, the king passes no attacked square, and there is no check in the end.
    bool may_castle(Square from, Square rook_from) const {
        const Square to = king_goes(from, rook_from), rook_to = rook_goes(from, rook_from);
        const Mask two = bit(from) | bit(rook_from), others = pieces_.occupied() ^ two;
        const Mask way = queen_lines.between[from][to] | bit(to);
        if (others & (way | queen_lines.between[rook_from][rook_to] | bit(rook_to))) return false;
        for (Mask rest = way & ~(bit(from) | bit(to)); rest; rest &= rest - 1)
            if (pieces_.attackers(first(rest), side_ ^ 1, others | bit(rook_from))) return false;
        return !pieces_.attackers(to, side_ ^ 1, others | bit(rook_to));
    }
    // The king has left the board already.
    void castle(Square from, Square rook_from, Piece piece) {
        const Piece tower = pieces_.at(rook_from);
        pieces_.remove(rook_from);
        pieces_.put(king_goes(from, rook_from), piece);
        pieces_.put(rook_goes(from, rook_from), tower);
    }

    Pieces pieces_;
    Mask castling_ = 0;               // rooks that may castle, if the way is free
    Mask checkers_ = 0, pinned_ = 0;  // follow from the rest
    std::uint8_t side_ = white, passed_ = no_square;
};

}  // namespace fiedler::chess
