// Positions of chess as FEN, and X-FEN for Chess960 (Reinhard Scharnagl), in one word: `_` stands for the blanks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/stones.hpp"
#include "games/chess/rules.hpp"

namespace fiedler::chess {

inline constexpr std::string_view signs = ".PNBRQKpnbrqk";  // by Piece
inline constexpr int draw_clock = 100;                      // plies without a capture or a move of a pawn
inline constexpr int most_turns = 9999;

// The six fields of a FEN.
template <bool shuffled>
struct Fen {
    Rules<shuffled> rules;
    int clock = 0;  // plies since the last capture or move of a pawn
    int turn = 1;   // of both sides, from 1
};

inline std::string square_name(Square square) {
    return text::cell_name(static_cast<int>(7 - rank_of(square)), static_cast<int>(file_of(square)), 8);
}

// The square of a name such as e4; no_square for any other text.
inline Square parse_square(std::string_view name) {
    const bool fits = name.size() == 2 && name[0] >= 'a' && name[0] <= 'h' && name[1] >= '1' && name[1] <= '8';
    return fits ? static_cast<Square>(8 * (name[1] - '1') + (name[0] - 'a')) : no_square;
}

[[noreturn]] inline void refuse(std::string_view what, std::string_view got) {
    throw PositionError("position: " + std::string(what) + ", got " + text::quoted(got));
}

inline std::vector<std::string_view> fields_of(std::string_view word) {
    std::vector<std::string_view> fields(1);
    std::size_t start = 0;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (word[i] == '_' || word[i] == ' ') start = i + 1, fields.emplace_back();
        fields.back() = word.substr(start, i + 1 - start);
    }
    if (word.ends_with('_') || word.ends_with(' ')) fields.back() = {};
    return fields;
}

inline Pieces parse_pieces(std::string_view board) {
    Pieces pieces;
    int rank = 7, file = 0;
    for (std::size_t i = 0; i <= board.size(); ++i) {
        const char sign = i < board.size() ? board[i] : '/';
        if (sign == '/') {
            if (file != 8 || rank < 0) refuse("expected 8 ranks of 8 squares separated by '/'", board);
            --rank, file = 0;
            continue;
        }
        const bool blanks = sign >= '1' && sign <= '8';
        const auto piece = sign == '.' ? std::string_view::npos : signs.find(sign);
        if (!blanks && piece == std::string_view::npos)
            throw PositionError("position: expected pieces PNBRQKpnbrqk, digits 1 to 8 and '/', got " +
                                text::quoted_first(board.substr(i)) + " in " + text::quoted(board));
        if (rank < 0 || file + (blanks ? sign - '0' : 1) > 8)
            refuse("expected 8 ranks of 8 squares separated by '/'", board);
        if (!blanks) pieces.put(static_cast<Square>(8 * rank + file), static_cast<Piece>(piece));
        file += blanks ? sign - '0' : 1;
    }
    if (rank != -1) refuse("expected 8 ranks of 8 squares separated by '/'", board);
    return pieces;
}

// One king a side, no pawn on the first or last rank, and no more pieces than pawns can have become.
inline void check_pieces(const Pieces& pieces, std::string_view board) {
    constexpr std::array<int, kinds_count> most{8, 2, 2, 2, 1, 1};
    for (const unsigned side : {white, black}) {
        const std::string owner = side ? "Black" : "White";
        const auto count = [&](Kind kind) { return std::popcount(pieces.of(side, kind)); };
        if (count(king) != 1) refuse("expected one king of " + owner + ", found " + std::to_string(count(king)), board);
        int promoted = 0;
        for (const Kind kind : {knight, bishop, rook, queen}) promoted += std::max(0, count(kind) - most[kind]);
        if (count(pawn) + promoted > most[pawn])
            refuse("expected 8 pawns and promoted pieces of " + owner + " at most, found " +
                       std::to_string(count(pawn) + promoted),
                   board);
    }
    if (pieces.of(pawn) & (rank_mask(0) | rank_mask(7))) refuse("expected no pawn on the first or last rank", board);
}

// The rook that a letter of the third field names: K and Q the outermost one on that side of the king, A to H that of
// the file.
inline Square rook_of(const Pieces& pieces, char letter) {
    const unsigned side = letter >= 'a';
    const char capital = static_cast<char>(side ? letter - 'a' + 'A' : letter);
    const Mask rank = rank_mask(side ? 7 : 0), rooks = pieces.of(side, rook) & rank;
    const Square home = pieces.king_of(side);
    if (!(rank & bit(home))) return no_square;
    const Mask right = rooks & ~(bit(home) - 1), left = rooks & (bit(home) - 1);
    if (capital == 'K') return right ? 63 - static_cast<Square>(std::countl_zero(right)) : no_square;
    if (capital == 'Q') return left ? first(left) : no_square;
    if (capital < 'A' || capital > 'H') return no_square;
    const Mask named = rooks & (first_file << (capital - 'A'));
    return named ? first(named) : no_square;
}

template <bool shuffled>
Mask parse_castling(const Pieces& pieces, std::string_view field) {
    if (field == "-") return 0;
    Mask castling = 0;
    for (const char letter : field) {
        const Square found = rook_of(pieces, letter);
        const bool at_home =
            shuffled || (found != no_square && file_of(found) % 7 == 0 && file_of(pieces.king_of(letter >= 'a')) == 4);
        if (found == no_square || !at_home || castling & bit(found))
            refuse(shuffled ? "expected '-' or letters KQkq or files of rooks that may castle"
                            : "expected '-' or letters KQkq, each with its king and rook at their first squares",
                   field);
        castling |= bit(found);
    }
    for (const unsigned side : {white, black}) {
        const Mask rooks = castling & rank_mask(side ? 7 : 0), below = bit(pieces.king_of(side)) - 1;
        if (several(rooks & below) || several(rooks & ~below))
            refuse("expected one rook on each side of a king to castle", field);
    }
    if (field.empty()) refuse("expected '-' or letters of rooks that may castle", field);
    return castling;
}

// The square that a pawn of the other side has just passed.
inline Square parse_passed(const Pieces& pieces, unsigned side, std::string_view field) {
    if (field == "-") return no_square;
    const Square passed = parse_square(field);
    if (passed == no_square || rank_of(passed) != (side ? 2u : 5u))
        refuse(side ? "expected '-' or a square of the third rank" : "expected '-' or a square of the sixth rank",
               field);
    const Square at = side ? passed + 8 : passed - 8, before = side ? passed - 8 : passed + 8;
    if (pieces.at(at) != piece_of(side ^ 1, pawn) || pieces.at(passed) || pieces.at(before))
        refuse("expected a square that a pawn has just passed", field);
    return passed;
}

inline int parse_number(std::string_view field, int least, int most, std::string_view name) {
    int number = 0;
    for (const char digit : field) {
        if (digit < '0' || digit > '9' || number > most) {
            number = -1;
            break;
        }
        number = 10 * number + (digit - '0');
    }
    const bool padded = field.size() > 1 && field[0] == '0';
    if (field.empty() || padded || number < least || number > most)
        refuse("expected " + std::string(name) + " from " + std::to_string(least) + " to " + std::to_string(most),
               field);
    return number;
}

// Throws PositionError.
template <bool shuffled>
Fen<shuffled> parse_fen(std::string_view word) {
    const auto fields = fields_of(word);
    if (fields.size() != 6) refuse("expected 'startpos' or the six fields of a FEN, separated by '_'", word);
    const Pieces pieces = parse_pieces(fields[0]);
    check_pieces(pieces, fields[0]);
    if (fields[1] != "w" && fields[1] != "b") refuse("expected the side to move, w or b", fields[1]);
    const unsigned side = fields[1] == "b";
    if (pieces.attackers(pieces.king_of(side ^ 1), side, pieces.occupied()))
        throw PositionError("position: the side to move could take the king in " + text::quoted(word));
    const Mask castling = parse_castling<shuffled>(pieces, fields[2]);
    Fen<shuffled> fen{Rules<shuffled>(pieces, side, castling, parse_passed(pieces, side, fields[3]))};
    fen.clock = parse_number(fields[4], 0, draw_clock, "plies without a capture or a move of a pawn");
    fen.turn = parse_number(fields[5], 1, most_turns, "the number of the turn");
    return fen;
}

inline std::string pieces_text(const Pieces& pieces) {
    std::string word;
    for (Square rank = 8; rank-- > 0;) {
        int blanks = 0;
        for (Square file = 0; file < 8; ++file) {
            const Piece piece = pieces.at(8 * rank + file);
            if (!piece) {
                ++blanks;
                continue;
            }
            if (blanks) word += std::to_string(blanks);
            word += signs[piece];
            blanks = 0;
        }
        if (blanks) word += std::to_string(blanks);
        if (rank) word += '/';
    }
    return word;
}

// White first, the king's side first; the file of a rook only if it is not the outermost one.
inline std::string castling_text(const Pieces& pieces, Mask castling) {
    std::string word;
    for (const unsigned side : {white, black}) {
        for (Mask rooks = castling & rank_mask(side ? 7 : 0); rooks;) {
            const Square at = 63 - static_cast<Square>(std::countl_zero(rooks));
            const char named = at > pieces.king_of(side) ? 'K' : 'Q', lower = side ? 'a' - 'A' : 0;
            const bool outermost = rook_of(pieces, static_cast<char>(named + lower)) == at;
            word += static_cast<char>((outermost ? named : 'A' + static_cast<char>(file_of(at))) + lower);
            rooks ^= bit(at);
        }
    }
    return word.empty() ? "-" : word;
}

template <bool shuffled>
std::string fen_text(const Fen<shuffled>& fen) {
    const Rules<shuffled>& rules = fen.rules;
    const std::string passed = rules.passed() == no_square ? "-" : square_name(rules.passed());
    return pieces_text(rules.pieces()) + (rules.side() ? "_b_" : "_w_") +
           castling_text(rules.pieces(), rules.castling()) + "_" + passed + "_" + std::to_string(fen.clock) + "_" +
           std::to_string(fen.turn);
}

}  // namespace fiedler::chess
