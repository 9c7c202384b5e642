// The rules of Go that a game may choose, and their words in a position.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/concept.hpp"
#include "core/stones.hpp"

namespace fiedler::go {

// The default rules are those of Tromp and Taylor without suicide. Only others are written, behind the position:
// `;komi=6.5`, `;suicide=true` or `;komi=6.5;suicide=true`.
struct Rules {
    static constexpr int most_komi = 361;

    std::int16_t komi2 = 15;  // half points for the second player
    bool suicide = false;     // whether a move may take the last liberty of its own chain, which is removed then

    bool operator==(const Rules&) const = default;

    // 0 for the default rules.
    std::uint64_t key() const {
        if (*this == Rules{}) return 0;
        return 1 + 2 * static_cast<std::uint64_t>(komi2 + 2 * most_komi) + suicide;
    }
    std::string text() const {
        std::string words;
        if (komi2 != Rules{}.komi2) {
            const int half = komi2 < 0 ? -komi2 : komi2;
            words.append(";komi=").append(komi2 < 0 ? "-" : "").append(std::to_string(half / 2));
            if (half % 2) words += ".5";
        }
        if (suicide) words += ";suicide=true";
        return words;
    }
    // Takes the rules off the end of a position's word.
    static Rules take(std::string_view& word) {
        const std::size_t sign = word.find('=');
        if (sign == word.npos) return {};
        const std::size_t start = word.rfind(';', sign);
        if (start == word.npos) return {};
        std::string_view words = word.substr(start);
        word = word.substr(0, start);
        Rules found;
        while (!words.empty()) {
            const std::string_view one = words.substr(1, words.find(';', 1) - 1);
            words.remove_prefix(1 + one.size());
            found.read(one);
        }
        return found;
    }

  private:
    void read(std::string_view word) {
        const std::string_view name = word.substr(0, word.find('='));
        const std::string_view value = word.substr(std::min(word.size(), name.size() + 1));
        if (name == "komi") {
            komi2 = parse_komi(value);
        } else if (name == "suicide" && (value == "true" || value == "false")) {
            suicide = value == "true";
        } else {
            throw PositionError("position: expected the rules komi=NUMBER or suicide=true, got " + text::quoted(word));
        }
    }
    static std::int16_t parse_komi(std::string_view text) {
        const auto fail = [&] {
            return PositionError("position: expected a komi from -361 to 361 in whole or half points, got " +
                                 text::quoted(text));
        };
        const bool negative = !text.empty() && text[0] == '-';
        std::string_view digits = text.substr(negative);
        int half = 0;
        if (const std::size_t point = digits.find('.'); point != digits.npos) {
            if (digits.substr(point) != ".5" && digits.substr(point) != ".0") throw fail();
            half = digits[point + 1] == '5';
            digits = digits.substr(0, point);
        }
        if (digits.empty() || digits.size() > 3) throw fail();
        int points = 0;
        for (const char digit : digits) {
            if (digit < '0' || digit > '9') throw fail();
            points = 10 * points + (digit - '0');
        }
        const int komi2 = 2 * points + half;
        if (komi2 > 2 * most_komi) throw fail();
        return static_cast<std::int16_t>(negative ? -komi2 : komi2);
    }
};

}  // namespace fiedler::go
