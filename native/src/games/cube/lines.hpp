// The geometry of the 4x4x4 cube: its 76 lines, the effect of a stone on the lines through its cell, and the 192
// symmetries of the lines.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "core/bits.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace fiedler::cube {

// A set of cells: bit 16 z + 4 y + x for the cell (z, y, x).
using Mask = std::uint64_t;
inline constexpr unsigned size = 4, cells = 64, lines_count = 76;

constexpr Mask bit(unsigned cell) {
    return Mask{1} << cell;
}
constexpr unsigned first(Mask mask) {
    return static_cast<unsigned>(std::countr_zero(mask));
}
constexpr bool several(Mask mask) {
    return mask & (mask - 1);
}

// The lines of one direction are disjoint: each has one of the cells `starts` and every `step`-th after it.
struct Direction {
    unsigned step = 1;
    Mask starts = 0;

    constexpr Mask line(unsigned start) const { return bit(start) * spread(); }
    // Times a set of starts: the cells of their lines.
    constexpr Mask spread() const { return 1 | bit(step) | bit(2 * step) | bit(3 * step); }
};

// One of each pair of opposite directions: the one whose steps raise the cell's number.
inline constexpr unsigned directions_count = 13;
inline constexpr auto directions = [] {
    const auto fits = [](unsigned start, int d) { return d == 0 || start == (d > 0 ? 0 : size - 1); };
    std::array<Direction, directions_count> list{};
    for (unsigned i = 0; i < directions_count; ++i) {
        const int code = static_cast<int>(i) + 14;  // dz, dy, dx are its digits base 3, each less one
        const int dz = code / 9 - 1, dy = code / 3 % 3 - 1, dx = code % 3 - 1;
        list[i].step = static_cast<unsigned>(16 * dz + 4 * dy + dx);
        for (unsigned cell = 0; cell < cells; ++cell)
            if (fits(cell / 16, dz) && fits(cell / 4 % 4, dy) && fits(cell % 4, dx)) list[i].starts |= bit(cell);
    }
    return list;
}();

inline constexpr auto lines = [] {
    std::array<Mask, lines_count> list{};
    unsigned found = 0;
    for (const Direction& direction : directions)
        for (Mask starts = direction.starts; starts; starts &= starts - 1)
            list[found++] = direction.line(first(starts));
    return list;
}();

// The four to seven lines through each cell. The rest of the row is filled with the whole cube, which one player never
// fills, not even but for one stone.
struct alignas(64) Row {
    std::array<Mask, 8> line;
};
inline constexpr auto lines_through = [] {
    std::array<Row, cells> rows{};
    for (unsigned cell = 0; cell < cells; ++cell) {
        unsigned found = 0;
        rows[cell].line.fill(~Mask{0});
        for (const Mask line : lines)
            if (line & bit(cell)) rows[cell].line[found++] = line;
    }
    return rows;
}();

// The same lines by their numbers in `lines`.
struct Numbers {
    std::array<std::uint8_t, 7> number{};
    std::uint8_t count = 0;

    constexpr const std::uint8_t* begin() const { return number.data(); }
    constexpr const std::uint8_t* end() const { return number.data() + count; }
};
inline const Numbers& numbers_through(unsigned cell) {
    static constexpr auto table = [] {
        std::array<Numbers, cells> made{};
        for (unsigned at = 0; at < cells; ++at)
            for (unsigned line = 0; line < lines_count; ++line)
                if (lines[line] & bit(at)) made[at].number[made[at].count++] = static_cast<std::uint8_t>(line);
        return made;
    }();
    return table[cell];
}

// Lines side by side in a vector register. (Eight are slower to reduce.)
#if defined(__AVX2__)
inline constexpr unsigned lanes = 4;
#else
inline constexpr unsigned lanes = 1;
#endif
using Lanes = Mask __attribute__((vector_size(lanes * sizeof(Mask))));

inline Lanes load(const Mask* masks) {
    Lanes loaded;
    std::memcpy(&loaded, masks, sizeof loaded);
    return loaded;
}
inline Mask union_of(const Lanes& masks) {
    Mask all = 0;
    for (unsigned i = 0; i < lanes; ++i) all |= masks[i];
    return all;
}

// Does one of the lines through `cell` lie in `own`?
inline bool has_line_through(unsigned cell, Mask own) {
    const Row& row = lines_through[cell];
#if defined(__AVX512F__)
    return _mm512_testn_epi64_mask(_mm512_load_si512(row.line.data()),
                                   _mm512_set1_epi64(static_cast<long long>(~own))) != 0;
#else
    Lanes found{};
    for (unsigned i = 0; i < row.line.size(); i += lanes) found |= static_cast<Lanes>((load(&row.line[i]) & ~own) == 0);
    return union_of(found) != 0;
#endif
}

// The empty cells that would complete a line through `cell` for `own`, who has a stone there.
inline Mask completing(unsigned cell, Mask own, Mask other) {
    const Row& row = lines_through[cell];
    Lanes found{};
    for (unsigned i = 0; i < row.line.size(); i += lanes) {
        const Lanes lacking = load(&row.line[i]) & ~own;
        const Lanes spoilt = (lacking & (lacking - 1)) | (lacking & other);
        found |= static_cast<Lanes>(spoilt == 0) & lacking;
    }
    return union_of(found);
}

// The n-th of the cells of a mask, lowest first, as a mask.
inline Mask nth(Mask mask, unsigned n) {
#if defined(__BMI2__)
    return _pdep_u64(Mask{1} << n, mask);
#else
    // The number of cells in each byte, and in each with all bytes below it (Vigna 2008, "Broadword implementation of
    // rank/select queries").
    constexpr Mask every_byte = 0x0101010101010101ULL;
    Mask sums = mask - (mask >> 1 & 0x55 * every_byte);
    sums = (sums & 0x33 * every_byte) + (sums >> 2 & 0x33 * every_byte);
    sums = ((sums + (sums >> 4)) & 0x0f * every_byte) * every_byte;
    const Mask passed = ((n * every_byte | 0x80 * every_byte) - sums) & 0x80 * every_byte;
    const unsigned place = static_cast<unsigned>((passed >> 7) * every_byte >> 56) * 8;
    const auto before = static_cast<unsigned>(sums << 8 >> place & 0xff);
    return bit(place + bits::select[mask >> place & 0xff][n - before]);
#endif
}

// The symmetries: symmetry[s][cell] is the image of the cell. s % 48 is a symmetry of the cube: its bits 0 to 2 mirror
// x, y and z, the rest permutes the axes afterwards. s / 48 permutes the values of each coordinate before: bit 0 swaps
// 1 and 2, bit 1 swaps 0 with 1 and 2 with 3. (All permutations of 0 .. 3 that map opposite values to opposite ones
// keep the lines if applied to every coordinate; these represent the classes that differ by more than a mirror.)
inline constexpr unsigned symmetries = 192;
inline constexpr auto symmetry = [] {
    constexpr unsigned axes[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    std::array<std::array<std::uint8_t, cells>, symmetries> table{};
    for (unsigned s = 0; s < symmetries; ++s)
        for (unsigned cell = 0; cell < cells; ++cell) {
            const unsigned at[3] = {cell % 4, cell / 4 % 4, cell / 16};
            unsigned to = 0;
            for (unsigned axis = 0; axis < 3; ++axis) {
                unsigned value = at[axis];
                if (s / 48 & 1 && (value == 1 || value == 2)) value = 3 - value;
                if (s / 48 & 2) value ^= 1;
                if (s % 8 >> axis & 1) value = 3 - value;
                to |= value << 2 * axes[s % 48 / 8][axis];
            }
            table[s][cell] = static_cast<std::uint8_t>(to);
        }
    return table;
}();

constexpr Mask transformed(unsigned s, Mask mask) {
    Mask image = 0;
    for (; mask; mask &= mask - 1) image |= bit(symmetry[s][first(mask)]);
    return image;
}

}  // namespace fiedler::cube
