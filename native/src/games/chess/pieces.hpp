// The pieces on a board of chess.
#pragma once

#include <array>
#include <cassert>

#include "core/random.hpp"
#include "games/chess/attacks.hpp"

namespace fiedler::chess {

enum Kind : std::uint8_t { pawn, knight, bishop, rook, queen, king, kinds_count };
inline constexpr unsigned white = 0, black = 1;

// 0 an empty square, 1 to 6 White's pieces in the order of their kinds, 7 to 12 Black's.
using Piece = std::uint8_t;
constexpr Piece piece_of(unsigned side, Kind kind) {
    return static_cast<Piece>(1 + kinds_count * side + kind);
}
constexpr Kind kind_of(Piece piece) {
    return static_cast<Kind>((piece - 1) % kinds_count);
}
constexpr unsigned side_of(Piece piece) {
    return piece > kinds_count;
}

class Pieces {
  public:
    Mask of(unsigned side) const { return sides_[side]; }
    Mask of(unsigned side, Kind kind) const { return sides_[side] & kinds_[kind]; }
    Mask of(Kind kind) const { return kinds_[kind]; }
    Mask occupied() const { return sides_[white] | sides_[black]; }
    Square king_of(unsigned side) const { return first(of(side, king)); }
    Piece at(Square square) const { return cells_[square]; }
    Kind kind_at(Square square) const { return kind_of(cells_[square]); }
    std::uint64_t key() const { return key_; }  // of the pieces alone (Zobrist 1970)

    void put(Square square, Piece piece) {
        assert(!cells_[square]);
        cells_[square] = piece;
        flip(square, piece);
    }
    void remove(Square square) {
        flip(square, cells_[square]);
        cells_[square] = 0;
    }

    // The pieces of a side that attack a square, on a board with these occupied squares.
    Mask attackers(Square square, unsigned side, Mask occupied) const {
        const Mask straight = kinds_[rook] | kinds_[queen], oblique = kinds_[bishop] | kinds_[queen];
        return sides_[side] &
               ((pawn_attacks[side ^ 1][square] & kinds_[pawn]) | (knight_attacks[square] & kinds_[knight]) |
                (king_attacks[square] & kinds_[king]) | (bishop_attacks(square, occupied) & oblique) |
                (rook_attacks(square, occupied) & straight));
    }
    // The pieces of `side` that alone stand between its king and a piece that would attack it.
    Mask pinned(unsigned side) const {
        const Square home = king_of(side);
        const Mask own = sides_[side], others = sides_[side ^ 1];
        Mask far = others & ((rook_attacks(home, others) & (kinds_[rook] | kinds_[queen])) |
                             (bishop_attacks(home, others) & (kinds_[bishop] | kinds_[queen])));
        Mask found = 0;
        for (; far; far &= far - 1)
            if (const Mask shield = queen_lines.between[home][first(far)] & own; !several(shield)) found |= shield;
        return found;
    }
    // The squares that a piece other than a pawn attacks.
    static Mask attacks(Kind kind, Square square, Mask occupied) {
        switch (kind) {
            case knight: return knight_attacks[square];
            case bishop: return bishop_attacks(square, occupied);
            case rook: return rook_attacks(square, occupied);
            case queen: return bishop_attacks(square, occupied) | rook_attacks(square, occupied);
            default: return king_attacks[square];
        }
    }
    bool operator==(const Pieces&) const = default;

  private:
    static constexpr auto numbers = zobrist_numbers<kinds_count * 64>(0x2b7e151628aed2a6);

    void flip(Square square, Piece piece) {
        const unsigned side = side_of(piece);
        const Kind kind = kind_of(piece);
        sides_[side] ^= bit(square);
        kinds_[kind] ^= bit(square);
        key_ ^= numbers[side][64u * kind + square];
    }

    std::array<Mask, kinds_count> kinds_{};
    std::array<Mask, 2> sides_{};
    std::array<Piece, 64> cells_{};
    std::uint64_t key_ = 0;
};

}  // namespace fiedler::chess
