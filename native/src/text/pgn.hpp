// The results of the games of a PGN file, counted while its bytes go by: memory grows with the pairs, not the games.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/unicode.hpp"

namespace fiedler {

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

// Games that do not count, by reason in the order of first appearance: their number and the lines of the first ones.
class LeftOut {
  public:
    static constexpr std::size_t most_lines = 3, most_reasons = 30;

    struct Reason {
        std::string text;
        std::int64_t games;
        std::vector<std::size_t> lines;
    };

    void add(std::string_view text, std::size_t line) {
        if (find(text) == reasons_.size() && reasons_.size() >= most_reasons) text = "other reasons";
        const std::size_t place = find(text);
        if (place == reasons_.size()) reasons_.push_back({std::string(text), 0, {}});
        Reason& reason = reasons_[place];
        ++reason.games;
        if (reason.lines.size() < most_lines) reason.lines.push_back(line);
    }

    const std::vector<Reason>& reasons() const { return reasons_; }

  private:
    std::size_t find(std::string_view text) const {
        std::size_t at = 0;
        while (at < reasons_.size() && reasons_[at].text != text) ++at;
        return at;
    }

    std::vector<Reason> reasons_;
};

// Takes the bytes of a file in pieces of any size, then `finish`.
//
// The file is a list of tokens (PGN import format, section 8 of the standard); a line matters only to `;` comments, to
// lines that begin with %, and after an error. Only the tags White, Black and Result count; without a Result the
// termination marker of the moves does. A game begins with its first tag after moves, or at a repeated tag of the seven
// of the roster; it ends with its marker, or where the next one begins. A game that cannot count is left out with its
// reason, never the whole file. Values that are not UTF-8 are read as Latin-1.
class PgnCounter {
  public:
    void feed(std::string_view bytes) {
        while (!bytes.empty()) {
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
        if (!carried_.empty()) take_line(carried_);
        carried_.clear();
        if (!open_tag_.empty()) give_up_tag();
        end_game();
        end_stray();
    }

    const PairCounts& counts() const { return counts_; }
    const LeftOut& left_out() const { return left_out_; }
    const LeftOut& malformed() const { return malformed_; }     // tags that do not count
    std::size_t open_comment() const { return comment_line_; }  // the line of a comment that has not ended, or 0

  private:
    enum Tag : std::size_t { white, black, result, event, site, date, round, other };
    enum Outcome : std::size_t { first_wins, draw, second_wins, unfinished, unknown };
    static constexpr std::size_t most_tag_lines = 10;

    static Tag tag_of(std::string_view name) {
        static constexpr std::string_view names[] = {"White", "Black", "Result", "Event", "Site", "Date", "Round"};
        std::size_t tag = white;
        while (tag < other && names[tag] != name) ++tag;
        return static_cast<Tag>(tag);
    }

    static Outcome outcome_of(std::string_view text) {
        if (text == "1-0") return first_wins;
        if (text == "0-1") return second_wins;
        if (text == "*") return unfinished;
        for (const std::string_view known : {"1/2-1/2", "1/2", "\xC2\xBD-\xC2\xBD", "\xC2\xBD", "0.5-0.5"})
            if (text == known) return draw;
        return unknown;
    }

    static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

    static bool is_blank(std::string_view text) { return after_blanks(text, 0) == text.size(); }

    static std::size_t after_blanks(std::string_view text, std::size_t at) {
        while (at < text.size() && is_blank(text[at])) ++at;
        return at;
    }

    static std::string_view trimmed(std::string_view text) {
        text.remove_prefix(after_blanks(text, 0));
        while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
        return text;
    }

    // The game that is being read.
    struct Game {
        std::size_t line = 0;  // of the first tag; 0: no tag yet
        bool moves_seen = false;
        bool swallowed = false;                  // a comment has swallowed tags, so the next marker may be another's
        unsigned seen = 0, malformed = 0;        // a bit for each tag but `other`
        Outcome marked = unknown;                // by the termination marker
        std::array<std::string, 3> values = {};  // white, black, result

        void clear() {
            line = 0, moves_seen = swallowed = false, seen = malformed = 0, marked = unknown;
            for (std::string& value : values) value.clear();
        }
    };

    void take_line(std::string_view text) {
        if (++number_ == 1 && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
        while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
        if (!open_tag_.empty()) {
            continue_tag(text);
        } else if (comment_line_) {
            take_comment_line(text);
        } else if (!text.starts_with('%')) {
            take_tokens(text, 0);
        }
    }

    void take_comment_line(std::string_view text) {
        if (text.starts_with("[White ") || text.starts_with("[White\"")) {
            left_out_.add("within a comment", number_);
            game_.swallowed = game_.line > 0;
        }
        const std::size_t brace = text.find('}');
        if (brace == text.npos) return;
        comment_line_ = 0;
        take_tokens(text, brace + 1);
    }

    void take_tokens(std::string_view text, std::size_t at) {
        while ((at = after_blanks(text, at)) < text.size()) {
            const char c = text[at];
            if (c == ';') return;
            if (c == '[') {
                at = take_bracket(text, at);
            } else if (c == '{') {
                const std::size_t brace = text.find('}', at);
                if (brace == text.npos) comment_line_ = number_;
                at = brace == text.npos ? text.size() : brace + 1;
            } else if (c == '(' || c == ')') {
                depth_ = c == '(' ? depth_ + 1 : depth_ - (depth_ > 0);
                ++at;
            } else {
                at = game_.line ? take_moves(text, at) : take_stray(text, at);
            }
        }
    }

    // What ends a token, and what every termination marker has.
    static constexpr std::string_view delimiters = "{;()[", marks = "-*/";

    static constexpr std::array<bool, 256> stops = [] {
        std::array<bool, 256> all = {};
        for (const char c : delimiters) all[static_cast<unsigned char>(c)] = true;
        for (const char c : marks) all[static_cast<unsigned char>(c)] = true;
        return all;
    }();

    static bool is_delimiter(char c) { return is_blank(c) || delimiters.find(c) != delimiters.npos; }

    static std::size_t end_of_token(std::string_view text, std::size_t at) {
        while (at < text.size() && !is_delimiter(text[at])) ++at;
        return at;
    }

    // Takes the moves of the open game up to a delimiter or its termination marker. Nearly all of a file goes by here.
    std::size_t take_moves(std::string_view text, const std::size_t begin) {
        game_.moves_seen = true;
        std::size_t at = begin;
        for (;;) {
            while (at < text.size() && !stops[static_cast<unsigned char>(text[at])]) ++at;
            if (at == text.size() || delimiters.find(text[at]) != delimiters.npos) return at;
            std::size_t start = at;
            while (start > begin && !is_delimiter(text[start - 1])) --start;
            at = end_of_token(text, at);
            const Outcome marked = outcome_of(text.substr(start, at - start));
            if (marked == unknown || depth_ > 0) continue;
            game_.marked = marked;
            end_game();
            return at;
        }
    }

    // Takes a token outside of any game.
    std::size_t take_stray(std::string_view text, std::size_t at) {
        const std::size_t end = end_of_token(text, at);
        const bool is_marker = depth_ == 0 && outcome_of(text.substr(at, end - at)) != unknown;
        if (!is_marker) {
            if (!stray_line_) stray_line_ = number_;
        } else if (stray_line_) {
            left_out_.add("moves without tags", std::exchange(stray_line_, 0));
        } else {
            left_out_.add("result without a game", number_);
        }
        return end;
    }

    void end_stray() {
        if (stray_line_) left_out_.add("text without tags or result", std::exchange(stray_line_, 0));
    }

    // A tag [Name "value"] as far as the text goes.
    struct Found {
        enum State { whole, open, malformed } state;
        std::string_view name = {}, value = {};
        std::size_t end = 0;
    };

    static Found tag_at(std::string_view text, std::size_t at) {
        const std::size_t name_at = after_blanks(text, at + 1);
        std::size_t name_end = name_at;
        while (name_end < text.size() && is_word(text[name_end])) ++name_end;
        const std::string_view name = text.substr(name_at, name_end - name_at);
        const std::size_t quote = after_blanks(text, name_end);
        if (quote >= text.size()) return {Found::open, name};
        if (name.empty() || text[quote] != '"') return {Found::malformed, name};
        const std::size_t end_quote = end_of_value(text, quote + 1);
        if (end_quote >= text.size()) return {Found::open, name};
        const std::size_t close = after_blanks(text, end_quote + 1);
        if (close >= text.size()) return {Found::open, name};
        if (text[close] != ']') return {Found::malformed, name};
        return {Found::whole, name, text.substr(quote + 1, end_quote - quote - 1), close + 1};
    }

    static bool is_word(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    }

    // The place of the closing quotation mark; the size of the text, or more, if there is none.
    static std::size_t end_of_value(std::string_view text, std::size_t at) {
        while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
        return at;
    }

    std::size_t take_bracket(std::string_view text, std::size_t at) {
        const Found tag = tag_at(text, at);
        if (tag.state == Found::malformed) return after_malformed(text, at, tag.name, at == 0);
        if (tag.state == Found::whole) {
            keep(tag, number_);
            return tag.end;
        }
        open_tag_ = text.substr(at);
        open_line_ = number_;
        open_lines_ = 1;
        open_first_ = at == 0;
        return text.size();
    }

    // The tag that the lines before have begun. An empty line, or one that begins with a bracket, is no part of it.
    void continue_tag(std::string_view text) {
        open_tag_ += '\n';
        open_tag_ += text;
        if (is_blank(text) || text.starts_with('[') || ++open_lines_ > most_tag_lines) {
            give_up_tag();
            return;
        }
        const Found tag = tag_at(open_tag_, 0);
        if (tag.state == Found::open) return;
        if (tag.state == Found::malformed) {
            give_up_tag();
            return;
        }
        keep(tag, open_line_);
        const std::string whole = std::exchange(open_tag_, {});
        take_tokens(whole, tag.end);
    }

    // The tag is malformed: its first line is read as such, the others once more as lines of their own.
    void give_up_tag() {
        const std::string text = std::exchange(open_tag_, {});
        number_ = open_line_;
        std::string_view rest = text;
        const std::string_view line = rest.substr(0, rest.find('\n'));
        take_tokens(line, after_malformed(line, 0, tag_at(line, 0).name, open_first_));
        rest.remove_prefix(line.size());
        while (!rest.empty()) {
            rest.remove_prefix(1);
            const std::string_view next = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(next.size());
            take_line(next);
        }
    }

    // Returns where to read on after a bracket at `at` that begins no tag. Among moves it may be anything, elsewhere it
    // is a malformed tag: up to a closing bracket before another tag or the end of the line, else the whole line.
    std::size_t after_malformed(std::string_view text, std::size_t at, std::string_view name, bool first) {
        const Tag tag = tag_of(name);
        if (tag > result && !first && game_.line && game_.moves_seen) return at + 1;
        if (tag <= result) {
            begin(tag, number_);
            game_.malformed |= 1u << tag;
        } else {
            malformed_.add("malformed", number_);
        }
        for (std::size_t close = text.find(']', at); close != text.npos; close = text.find(']', close + 1)) {
            const std::size_t next = after_blanks(text, close + 1);
            if (next == text.size() || text[next] == '[') return close + 1;
        }
        return text.size();
    }

    void keep(const Found& found, std::size_t line) {
        const Tag tag = tag_of(found.name);
        begin(tag, line);
        if (tag <= result) unescape(as_utf8(found.value, scratch_), game_.values[tag]);
    }

    static void unescape(std::string_view value, std::string& into) {
        for (std::size_t at = 0; at < value.size(); ++at) {
            if (value[at] == '\\') ++at;
            into += value[at] == '\n' ? ' ' : value[at];
        }
    }

    // A tag comes: the first of a game, or one more.
    void begin(Tag tag, std::size_t line) {
        if (game_.line && (game_.moves_seen || (tag != other && (game_.seen >> tag & 1)))) end_game();
        if (!game_.line) {
            end_stray();
            game_.line = line;
            depth_ = 0;
        }
        game_.seen |= 1u << tag;
    }

    void end_game() {
        depth_ = 0;
        if (!game_.line) return;
        const Outcome outcome = this->outcome();
        const std::string reason = reason_to_leave_out(outcome);
        if (reason.empty()) {
            counts_.add(game_.values[white], game_.values[black], outcome);
        } else {
            left_out_.add(reason, game_.line);
        }
        game_.clear();
    }

    Outcome outcome() const {
        const std::string_view tag = trimmed(game_.values[result]);
        if (!tag.empty() && tag != "?") return outcome_of(tag);
        return game_.swallowed ? unknown : game_.marked;
    }

    // Empty if the game counts.
    std::string reason_to_leave_out(Outcome outcome) const {
        if (game_.malformed >> result & 1) return "malformed tag Result";
        if (outcome == unfinished) return "unfinished";
        if (outcome == unknown) return unknown_result();
        for (const Tag side : {white, black}) {
            const std::string name = side == white ? "White" : "Black";
            const std::string& value = game_.values[side];
            if (game_.malformed >> side & 1) return "malformed tag " + name;
            if (!(game_.seen >> side & 1)) return "no tag " + name;
            if (after_space(value, 0) == value.size()) return "the name of " + name + " is empty";
            if (trimmed(value) == "?") return "the name of " + name + " is unknown (?)";
        }
        return {};
    }

    std::string unknown_result() const {
        const std::string_view tag = trimmed(game_.values[result]);
        if (tag.empty() || tag == "?") return "no result";
        std::string shown;
        std::size_t at = 0;
        for (int count = 0; count < 20 && at < tag.size(); ++count) {
            const Character found = character_at(tag, at);
            shown += is_visible(found.code) ? tag.substr(at, found.bytes) : "?";
            at += found.bytes;
        }
        return "unknown result '" + shown + (at < tag.size() ? "\xE2\x80\xA6'" : "'");
    }

    PairCounts counts_;
    LeftOut left_out_, malformed_;
    Game game_;
    std::size_t depth_ = 0;         // of variations
    std::size_t stray_line_ = 0;    // of the first move outside of games; 0: none
    std::size_t number_ = 0;        // of the present line, from 1
    std::size_t comment_line_ = 0;  // where the open comment began; 0: none is open
    std::string open_tag_;          // a tag that has no end yet, from its bracket on
    std::size_t open_line_ = 0, open_lines_ = 0;
    bool open_first_ = false;  // whether it begins its line
    std::string carried_;      // the beginning of a line whose end has not come
    std::string scratch_;
};

}  // namespace fiedler
