// Text of unknown encoding: UTF-8 if valid, else Latin-1; and its white space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace fiedler {

inline bool is_ascii(std::string_view text) {
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t word;
        std::memcpy(&word, text.data() + at, 8);
        if (word & 0x8080808080808080u) return false;
    }
    for (; at < text.size(); ++at)
        if (static_cast<unsigned char>(text[at]) >= 0x80) return false;
    return true;
}

// A character of UTF-8 text: its code point and its number of bytes; 0 bytes if it is invalid (RFC 3629: only the
// shortest form, no surrogates, nothing beyond U+10FFFF).
struct Character {
    std::uint32_t code;
    std::size_t bytes;
};

inline Character character_at(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i]));
    };
    if (at >= text.size()) return {0, 0};
    const std::uint32_t first = byte(0);
    if (first < 0x80) return {first, 1};
    const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() - at < bytes) return {0, 0};
    std::uint32_t code = first & (0x7Fu >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return {0, 0};
        code = code << 6 | (byte(i) & 0x3F);
    }
    static constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    return code < smallest[bytes] || code > 0x10FFFF || surrogate ? Character{0, 0} : Character{code, bytes};
}

inline bool is_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t bytes = character_at(text, at).bytes;
        if (bytes == 0) return false;
        at += bytes;
    }
    return true;
}

inline std::string from_latin1(std::string_view text) {
    std::string utf8;
    utf8.reserve(2 * text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) {
            utf8 += c;
        } else {
            utf8 += static_cast<char>(0xC0 | byte >> 6);
            utf8 += static_cast<char>(0x80 | (byte & 0x3F));
        }
    }
    return utf8;
}

// `text` in UTF-8: itself, or `scratch` with its meaning in Latin-1.
inline std::string_view as_utf8(std::string_view text, std::string& scratch) {
    if (is_ascii(text) || is_utf8(text)) return text;
    scratch = from_latin1(text);
    return scratch;
}

// The white space of Python's str.isspace.
inline bool is_space(std::uint32_t code) {
    if (code < 0x80) return (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x20);
    return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
           code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

// Whether a character is printable within a line: it does not control, end, hide or reverse the text after it.
inline bool is_visible(std::uint32_t code) {
    return code >= ' ' && !(code >= 0x7F && code < 0xA0) && !(code >= 0x200B && code <= 0x200F) &&
           !(code >= 0x2028 && code <= 0x202E) && !(code >= 0x2060 && code <= 0x206F) && code != 0xFEFF;
}

// The end of the white space that begins at `at` of UTF-8 text.
inline std::size_t after_space(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const Character found = character_at(text, at);
        if (found.bytes == 0 || !is_space(found.code)) break;
        at += found.bytes;
    }
    return at;
}

// The first `count` characters of UTF-8 text.
inline std::string_view first_characters(std::string_view text, std::size_t count) {
    std::size_t at = 0;
    for (; count > 0 && at < text.size(); --count) at += character_at(text, at).bytes;
    return text.substr(0, at);
}

}  // namespace fiedler
