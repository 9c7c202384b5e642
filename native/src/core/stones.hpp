// The common part of the text of all boards: stones in rows, cells as letter and number.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/concept.hpp"
#include "text/unicode.hpp"

namespace fiedler::text {

inline constexpr std::string_view stones = ".XO";  // 0 empty, 1 first player, 2 second player

// A word for an error of one line: cut when long, with '?' for unprintable characters and for bytes that are not UTF-8.
inline std::string quoted(std::string_view word) {
    constexpr int longest = 60;
    std::string shown;
    std::size_t at = 0;
    for (int count = 0; count < longest && at < word.size(); ++count) {
        const Character found = character_at(word, at);
        const bool visible = found.bytes > 0 && is_visible(found.code);
        shown += visible ? word.substr(at, found.bytes) : "?";
        at += found.bytes > 0 ? found.bytes : 1;
    }
    return "'" + shown + (at < word.size() ? "...'" : "'");
}

// The first character of a text, which is not empty.
inline std::string quoted_first(std::string_view signs) {
    const std::size_t bytes = character_at(signs, 0).bytes;
    return quoted(signs.substr(0, bytes > 0 ? bytes : 1));
}

// The owner of the stone sign that `signs` begin with: 0 empty, 1 X, 2 O.
inline int parse_stone(std::string_view signs, std::string_view where) {
    const auto found = stones.find(signs[0]);
    if (found == std::string_view::npos)
        throw PositionError("position: expected '.', 'X' or 'O' in " + std::string(where) + ", got " +
                            quoted_first(signs));
    return static_cast<int>(found);
}

// The side to move and the rest of `X;rest` or `O;rest`.
inline std::pair<int, std::string_view> parse_side(std::string_view word) {
    if (word.size() < 2 || (word[0] != 'X' && word[0] != 'O') || word[1] != ';')
        throw PositionError("position: expected 'startpos', or 'X;' or 'O;' and the board, got " + quoted(word));
    return {word[0] == 'O', word.substr(2)};
}

// X moves first, so it is his turn when both have as many stones, and O's when X has one more.
inline void check_stones(int first, int second, int side) {
    if (first - second != side)
        throw PositionError("position: " + std::to_string(first) + " X and " + std::to_string(second) +
                            " O stones, but " + (side ? "O" : "X") + " to move");
}

// Stones in rows from the top, separated by '/': calls `place(row, column, owner)` for each stone.
template <class Place>
void parse_rows(std::string_view board, int rows, int columns, Place place) {
    const auto expected = static_cast<std::size_t>(rows * (columns + 1) - 1);
    if (board.size() != expected)
        throw PositionError("position: expected " + std::to_string(rows) + " rows of " + std::to_string(columns) +
                            " cells separated by '/', got " + quoted(board));
    for (int row = 0; row < rows; ++row) {
        const auto start = static_cast<std::size_t>(row * (columns + 1));
        if (row && board[start - 1] != '/')
            throw PositionError("position: expected '/' before row " + std::to_string(row + 1) + " in " +
                                quoted(board));
        for (int column = 0; column < columns; ++column)
            if (const int owner = parse_stone(board.substr(start + static_cast<std::size_t>(column)), "the board"))
                place(row, column, owner - 1);
    }
}

template <Position P>
std::string rows_text(const P& position) {
    std::string word = position.side() ? "O;" : "X;";
    for (int row = 0; row < P::rows; ++row) {
        if (row) word += '/';
        for (int column = 0; column < P::columns; ++column)
            word += stones[static_cast<std::size_t>(position.cell(row * P::columns + column))];
    }
    return word;
}

// A cell as column letter and row number, a1 bottom left; row and column count from the top left.
inline std::string cell_name(int row, int column, int rows) {
    return std::string(1, static_cast<char>('a' + column)) + std::to_string(rows - row);
}

// Row and column of a cell's name; throws IllegalMove naming the first and the last cell.
inline std::pair<int, int> parse_cell(std::string_view name, int rows, int columns) {
    const auto fail = [&]() {
        return IllegalMove("move: expected a1 to " + cell_name(0, columns - 1, rows) + ", got " + quoted(name));
    };
    if (name.size() < 2 || name.size() > 3 || name[1] == '0') throw fail();
    const int column = name[0] - 'a';
    int number = 0;
    for (char digit : name.substr(1)) {
        if (digit < '0' || digit > '9') throw fail();
        number = number * 10 + (digit - '0');
    }
    if (column < 0 || column >= columns || number < 1 || number > rows) throw fail();
    return {rows - number, column};
}

}  // namespace fiedler::text
