// Wins in the cube by threes: each threatens to complete a line and so leaves the other side one answer, until one
// stone makes two threats at once.
#pragma once

#include "core/random.hpp"
#include "games/cube/lines.hpp"

namespace fiedler::cube {

// Cells on which a stone makes three in a row with the fourth cell empty: of one line at least, of two at least.
struct Threes {
    Mask once = 0, twice = 0;
};

// For the player `own`, who has no line to complete. The stones of each line of a direction are combined at its start,
// and the result is spread over the line again.
inline Threes threes(Mask own, Mask other) {
    static constexpr unsigned padded = (directions_count + lanes - 1) / lanes * lanes;
    struct Table {
        std::array<Mask, padded> starts{}, step{};
    };
    static constexpr Table table = [] {
        Table made;
        for (unsigned i = 0; i < directions_count; ++i)
            made.starts[i] = directions[i].starts, made.step[i] = directions[i].step;
        return made;
    }();
    Lanes once{}, twice{};
    for (unsigned i = 0; i < padded; i += lanes) {
        const Lanes step = load(&table.step[i]), step2 = step + step, step3 = step2 + step;
        const Lanes a = Lanes{} + own, b = a >> step, c = a >> step2, d = a >> step3;
        const Lanes o = Lanes{} + other;
        const Lanes spoilt = o | o >> step | o >> step2 | o >> step3;
        const Lanes two = ((a & b) | (c & d) | ((a | b) & (c | d))) & ~spoilt & load(&table.starts[i]);
        const Lanes spread = two | two << step | two << step2 | two << step3;
        twice |= once & spread;
        once |= spread;
    }
    Threes found;
    for (unsigned i = 0; i < lanes; ++i) {
        found.twice |= twice[i] | (found.once & once[i]);
        found.once |= once[i];
    }
    return {found.once & ~own, found.twice & ~own};
}

// A win by threes: its plies (0: none), the first cell, and the defences of the other side if he is to move instead.
struct Attack {
    int plies = 0;
    unsigned first = 0;
    Mask defences = 0;  // the only cells on which his stone can stop it
};

// Depth-first, without a heap; failures are remembered until the next reset.
class ThreatSearch {
  public:
    void reset() { salt_ += 0x9e3779b97f4a7c15ULL; }

    // A win of `own`, who is to move and has no line to complete; `danger` is the one cell on which `other` would
    // complete one, or 0. Looks at no more than `nodes` positions.
    Attack attack(Mask own, Mask other, Mask danger, std::uint64_t nodes) {
        left_ = nodes;
        Attack found;
        found.plies = visit(own, other, danger, 0);
        if (!found.plies) return found;
        found.first = path_[0].three;
        found.defences = defences(own, other, static_cast<unsigned>(found.plies / 2));
        return found;
    }

  private:
    struct Step {
        unsigned three = 0, answer = 0;
    };

    // Plies to the win from here, which is `depth` steps from the start.
    int visit(Mask own, Mask other, Mask danger, unsigned depth) {
        if (!left_) return 0;
        --left_;
        const Mask allowed = danger ? danger : ~Mask{0};
        const Threes found = threes(own, other);
        if (const Mask wins = found.twice & allowed) {
            path_[depth].three = first(wins);
            return 3;
        }
        Mask moves = found.once & allowed;
        if (!moves) return 0;
        const std::uint64_t key = hash_words(own, other, 1) ^ salt_;
        std::uint64_t& slot = table_[key & (table_.size() - 1)];
        if (slot == key) return 0;
        for (; moves; moves &= moves - 1) {
            const unsigned three = first(moves);
            const Mask after = own | bit(three), answer = completing(three, after, other);
            const Mask threats = completing(first(answer), other | answer, after);
            if (several(threats)) continue;
            path_[depth] = {three, first(answer)};
            if (const int plies = visit(after, other | answer, threats, depth + 1)) return plies + 2;
        }
        if (left_) slot = key;
        return 0;
    }

    // The defender must take a cell of the attack, or one that gives him three in a row together with his answers: then
    // the attack may have to stop for it.
    Mask defences(Mask own, Mask other, unsigned steps) const {
        Mask answers = other, used = 0;
        for (unsigned i = 0; i + 1 < steps; ++i) {
            answers |= bit(path_[i].answer);
            used |= bit(path_[i].three) | bit(path_[i].answer);
        }
        Mask attackers = own | (used & ~answers);
        const unsigned last = path_[steps - 1].three;
        const Mask wins = completing(last, attackers | bit(last), answers);
        used |= bit(last) | wins;
        return (used | beside_two(answers, own)) & ~(own | other);
    }
    // The cells of the lines on which `own` has two stones or more and `other` has none.
    static Mask beside_two(Mask own, Mask other) {
        Mask found = 0;
        for (const Mask line : lines)
            if (!(line & other) && several(line & own)) found |= line;
        return found;
    }

    std::array<Step, cells / 2> path_{};
    std::array<std::uint64_t, 1 << 14> table_{};
    std::uint64_t salt_ = 0;  // of the failures since the reset; it moves entries of one slot together to another, so
                              // that results do not depend on earlier searches
    std::uint64_t left_ = 0;
};

}  // namespace fiedler::cube
