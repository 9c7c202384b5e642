// The results of the games of a PGN file, counted while its bytes go by: memory grows with the pairs, not the games.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/unicode.hpp"

namespace fiedler {

// An error in a file: the line, the expectation, and the input if it is printable.
struct Complaint {
    std::size_t line;
    std::string expected;
    std::optional<std::string> got;
};

// Games by ordered pair of players, both numbered by first appearance, the first player of a game before the second.
class PairCounts {
  public:
    // first, second, and the number of wins, draws and losses of the first
    using Row = std::array<std::int64_t, 5>;

    void add(std::string_view first, std::string_view second, std::size_t outcome) {
        const std::uint64_t mover = number(first), other = number(second);
        const auto [found, is_new] = places_.try_emplace(mover << 32 | other, rows_.size());
        if (is_new) rows_.push_back({static_cast<std::int64_t>(mover), static_cast<std::int64_t>(other), 0, 0, 0});
        ++rows_[found->second][2 + outcome];
    }

    const std::vector<std::string>& names() const { return names_; }
    const std::vector<Row>& rows() const { return rows_; }

  private:
    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };

    std::uint32_t number(std::string_view name) {
        const auto found = numbers_.find(name);
        if (found != numbers_.end()) return found->second;
        const auto next = static_cast<std::uint32_t>(names_.size());
        names_.emplace_back(name);
        numbers_.emplace(name, next);
        return next;
    }

    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
    std::unordered_map<std::uint64_t, std::size_t> places_;
    std::vector<std::string> names_;
    std::vector<Row> rows_;
};

// Takes the bytes of a file in pieces of any size, then `finish`. After a complaint nothing more is read.
//
// Only the tags White, Black and Result count. A game begins with its first tag after movetext, or at a repeated tag.
// Comments in braces may span lines and hold any text; `;` comments and lines that begin with % are skipped. A missing
// Result tag is the result `*`. Lines that are not UTF-8 are read as Latin-1.
class PgnCounter {
  public:
    void feed(std::string_view bytes) {
        while (!bytes.empty() && !complaint_) {
            const std::size_t size = bytes.find('\n') + 1;
            if (size == 0) {
                carried_ += bytes;
                return;
            }
            if (carried_.empty()) {
                take_line(bytes.substr(0, size));
            } else {
                carried_ += bytes.substr(0, size);
                take_line(carried_);
                carried_.clear();
            }
            bytes.remove_prefix(size);
        }
    }

    void finish() {
        if (!complaint_ && !carried_.empty()) take_line(carried_);
        if (!complaint_ && comment_line_) complain(comment_line_, "expected a } that closes the comment begun here");
        if (!complaint_) end_game();
    }

    const std::optional<Complaint>& complaint() const { return complaint_; }
    const PairCounts& counts() const { return counts_; }
    std::size_t skipped() const { return skipped_; }  // games without a known result

  private:
    enum Tag : std::size_t { white, black, result, event, site, date, round, other };

    static Tag tag_of(std::string_view name) {
        if (name == "White") return white;
        if (name == "Black") return black;
        if (name == "Result") return result;
        if (name == "Event") return event;
        if (name == "Site") return site;
        if (name == "Date") return date;
        if (name == "Round") return round;
        return other;
    }

    // The game whose tags are being read.
    struct Game {
        std::size_t line = 0;  // of the first tag; 0: no tag yet
        bool moves_seen = false;
        unsigned seen = 0;                       // a bit for each tag but `other`
        std::vector<std::string> others;         // the names of the others
        std::array<std::string, 3> values = {};  // white, black, result

        bool has(Tag tag, std::string_view name) const {
            if (tag != other) return seen >> tag & 1;
            for (const std::string& known : others)
                if (known == name) return true;
            return false;
        }

        void clear() {
            line = 0, moves_seen = false, seen = 0;
            others.clear();
            for (std::string& value : values) value.clear();
        }
    };

    void take_line(std::string_view text) {
        if (++number_ == 1 && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
        while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
        if (comment_line_ || !text.starts_with('[')) {
            take_movetext(text);
        } else {
            take_tags(as_utf8(text, scratch_));
        }
    }

    // Movetext before the first tag belongs to no game.
    void take_movetext(std::string_view text) {
        if (text.starts_with('%') && !comment_line_) return;
        if (game_.line && !game_.moves_seen) game_.moves_seen = !is_blank(text);
        while (!text.empty()) {
            const std::size_t brace = text.find(comment_line_ ? '}' : '{');
            if (brace == text.npos) return;
            if (comment_line_) {
                comment_line_ = 0;
            } else {
                if (text.substr(0, brace).find(';') != text.npos) return;
                comment_line_ = number_;
            }
            text.remove_prefix(brace + 1);
        }
    }

    bool is_blank(std::string_view text) {
        if (!text.empty() && text[0] > ' ') return false;  // nearly all movetext
        text = as_utf8(text, scratch_);
        return after_space(text, 0) == text.size();
    }

    void take_tags(std::string_view text) {
        for (std::size_t at = 0; at < text.size() && !complaint_;) {
            const std::size_t end = take_tag(text, at);
            if (end == text.npos) {
                complain(number_, "expected a tag [Name \"value\"]",
                         std::string(first_characters(text.substr(at), 60)));
                return;
            }
            at = end;
        }
    }

    // Takes [Name "value"] at `at` and the white space behind it; npos if there is no tag.
    std::size_t take_tag(std::string_view text, std::size_t at) {
        if (text[at] != '[') return text.npos;
        const std::size_t name_at = after_space(text, at + 1);
        std::size_t name_end = name_at;
        while (name_end < text.size() && is_word(text[name_end])) ++name_end;
        const std::size_t quote = after_space(text, name_end);
        if (name_end == name_at || quote == name_end || quote == text.size() || text[quote] != '"') return text.npos;
        const std::size_t end_quote = end_of_value(text, quote + 1);
        if (end_quote >= text.size()) return text.npos;
        const std::size_t close = after_space(text, end_quote + 1);
        if (close == text.size() || text[close] != ']') return text.npos;
        keep(text.substr(name_at, name_end - name_at), text.substr(quote + 1, end_quote - quote - 1));
        return after_space(text, close + 1);
    }

    static bool is_word(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    }

    // The place of the closing quotation mark; the size of the text, or more, if there is none.
    static std::size_t end_of_value(std::string_view text, std::size_t at) {
        while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
        return at;
    }

    void keep(std::string_view name, std::string_view value) {
        const Tag tag = tag_of(name);
        if (game_.line && (game_.moves_seen || game_.has(tag, name))) end_game();
        if (complaint_) return;
        if (!game_.line) game_.line = number_;
        if (tag == other) {
            game_.others.emplace_back(name);
            return;
        }
        game_.seen |= 1u << tag;
        if (tag <= result) unescape(value, game_.values[tag]);
    }

    static void unescape(std::string_view value, std::string& into) {
        for (std::size_t at = 0; at < value.size(); ++at) {
            if (value[at] == '\\') ++at;
            into += value[at];
        }
    }

    void end_game() {
        if (!game_.line) return;
        const std::string& value = game_.values[result];
        const std::size_t outcome = value == "1-0" ? 0 : value == "1/2-1/2" ? 1 : value == "0-1" ? 2 : 3;
        if (outcome == 3) {
            ++skipped_;
        } else if (game_.values[white].empty() || game_.values[black].empty()) {
            const std::string missing = game_.values[white].empty() ? "White" : "Black";
            complain(game_.line, "expected a tag [" + missing + " \"name\"] in the game that begins here");
        } else {
            counts_.add(game_.values[white], game_.values[black], outcome);
        }
        game_.clear();
    }

    void complain(std::size_t line, std::string expected, std::optional<std::string> got = {}) {
        complaint_ = Complaint{line, std::move(expected), std::move(got)};
    }

    PairCounts counts_;
    Game game_;
    std::size_t skipped_ = 0;
    std::size_t number_ = 0;        // of the present line, from 1
    std::size_t comment_line_ = 0;  // where the open comment began; 0: none is open
    std::string carried_;           // the beginning of a line whose end has not come
    std::string scratch_;
    std::optional<Complaint> complaint_;
};

}  // namespace fiedler
