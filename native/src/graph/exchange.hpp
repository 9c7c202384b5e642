// Annealed exchange of edges (Fedorov 1972): the search behind the meeting graph.
//
// s k players form s orbits of k, and edges come in whole orbits (i, j, t) = {(i, a) to (j, a + t mod k)}; with k = 1
// these are plain edges. The Laplacian then splits into Hermitian s x s blocks L_f, one for each frequency f of Z_k,
// to which an orbit of weight w adds w b b* with b = e_i - w_f^-t e_j, w_f = exp(2 pi i f / k). With K = (L - l)^-1 and
// K K known, a trial costs O(1) for each frequency, an accepted move O(s^2) (Woodbury).
#pragma once

#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/random.hpp"

namespace fiedler {

// A complex number multiplied by the plain formula, the same on every processor; laid out as std::complex<double>.
struct Complex {
    double re = 0, im = 0;
    Complex() = default;
    Complex(double real, double imaginary = 0) : re(real), im(imaginary) {}
    Complex& operator+=(Complex o) { return re += o.re, im += o.im, *this; }
    Complex& operator-=(Complex o) { return re -= o.re, im -= o.im, *this; }
    friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    friend Complex operator-(Complex a) { return {-a.re, -a.im}; }
    friend Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
    friend Complex operator*(double a, Complex b) { return {a * b.re, a * b.im}; }
};

inline double conj(double a) {
    return a;
}
inline Complex conj(Complex a) {
    return {a.re, -a.im};
}
inline double real(double a) {
    return a;
}
inline double real(Complex a) {
    return a.re;
}

struct Orbit {
    std::int32_t i, j, t;  // canonical: i < j and 0 <= t < k, or i == j and 1 <= t <= k/2
};

// The fixed part of a search: the nodes, the allowed pairs and the weights of pairs.
struct ExchangeProblem {
    std::int32_t nodes, turns;            // s and k
    std::vector<std::int32_t> cap;        // most edges of each player of an orbit
    std::vector<double> weights;          // nodes x nodes, or empty: all 1
    std::vector<std::uint8_t> forbidden;  // nodes x nodes, or empty: none
    std::vector<Orbit> partners;          // the source of new edges; empty: all pairs
    bool repeats = false;                 // an edge may be chosen more than once (no orbits)
};

struct WalkLimits {
    double temperature;    // of a relative change of the objective
    std::int64_t trials;   // the most proposals
    std::int64_t accepts;  // the most accepted moves
    bool by_determinant;   // maximise det (L - l) instead of minimising tr K
};

struct WalkTally {
    std::int64_t trials = 0, accepts = 0;
    double height = 0;  // logarithm of the objective against the start of the walk; the best one is that of best()
    double lowest = 0;
};

class Exchange {
  public:
    // `movable`: orbits that may be removed, distinct unless they may repeat; `kept`: others, which stay.
    Exchange(ExchangeProblem problem, std::vector<Orbit> movable, const std::vector<Orbit>& kept, std::uint64_t seed)
        : problem_(std::move(problem)),
          chosen_(std::move(movable)),
          best_(chosen_),
          taken_(cells(), 0),
          slack_(problem_.cap),
          random_(seed) {
        for (std::size_t cell = 0; cell < problem_.forbidden.size(); ++cell)
            if (problem_.forbidden[cell])
                for (std::int32_t t = 0; t < turns(); ++t) taken_[cell * static_cast<std::size_t>(turns()) + at(t)] = 1;
        for (const Orbit& orbit : chosen_) set(orbit, true);
        for (const Orbit& orbit : kept) set(orbit, true);
        for (std::int32_t f = 0; f <= turns() / 2; ++f)
            for (std::int32_t t = 0; t < turns(); ++t) {
                const double angle =
                    2 * std::numbers::pi * static_cast<double>(std::int64_t{f} * t % turns()) / turns();
                phases_.push_back({-std::cos(angle), std::sin(angle)});
            }
        list_partners();
    }

    const std::vector<Orbit>& chosen() const { return chosen_; }
    const std::vector<Orbit>& best() const { return best_; }  // where the last walk was lowest
    std::size_t size() const { return at(problem_.nodes); }
    std::size_t frequencies() const { return at(turns() / 2 + 1); }
    static bool canonical(const Orbit& o, std::int32_t nodes, std::int32_t turns) {
        if (o.i < 0 || o.j >= nodes || o.i > o.j) return false;
        return o.i < o.j ? o.t >= 0 && o.t < turns : o.t >= 1 && o.t <= turns / 2;
    }

    // Walk from the present state by Metropolis' rule. K and K K: frequencies x nodes x nodes, on the space orthogonal
    // to the ones vector; both follow. The caller refreshes them now and then, as rounding errors add up. They may be
    // the part of a larger K and of its square for these nodes: trials and updates need nothing else.
    template <class Scalar>
    WalkTally walk(Scalar* inverse, Scalar* square, const WalkLimits& limits) {
        State<Scalar> state{inverse, square, 0, std::vector<Scalar>(8 * 4 * size())};
        state.trace = trace(inverse);
        best_ = chosen_;
        WalkTally tally;
        if (chosen_.empty()) return tally;
        Move move;
        while (tally.trials < limits.trials && tally.accepts < limits.accepts) {
            ++tally.trials;
            if (!propose(move)) continue;
            if (move.rank == 2)
                attempt<2>(state, move, limits, tally);
            else
                attempt<4>(state, move, limits, tally);
        }
        return tally;
    }

  private:
    // The first half of the orbits is added, the other half, chosen_[out], is removed.
    struct Move {
        int rank;
        std::array<Orbit, 4> orbits;
        std::array<double, 4> change;  // of the weight
        std::array<std::size_t, 2> out;
    };

    template <class Scalar>
    struct State {
        Scalar *inverse, *square;
        double trace;
        std::vector<Scalar> work;
    };

    template <class Scalar, int R>
    using Small = std::array<std::array<Scalar, R>, R>;

    static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
    std::int32_t turns() const { return problem_.turns; }
    std::size_t cells() const { return size() * size() * at(problem_.turns); }
    std::size_t cell(const Orbit& o) const { return (at(o.i) * size() + at(o.j)) * at(turns()) + at(o.t); }
    bool half(const Orbit& o) const { return o.i == o.j && 2 * o.t == turns(); }
    double weight(const Orbit& o) const {
        if (half(o)) return 0.5;
        return problem_.weights.empty() ? 1.0 : problem_.weights[at(o.i) * size() + at(o.j)];
    }
    double multiplicity(std::size_t f) const { return f == 0 || 2 * f == at(turns()) ? 1.0 : 2.0; }

    // The canonical form of the orbit from i to j by t, any integers in range.
    Orbit orbit(std::int32_t i, std::int32_t j, std::int32_t t) const {
        if (i > j) return {j, i, t == 0 ? 0 : turns() - t};
        if (i == j && 2 * t > turns()) return {i, j, turns() - t};
        return {i, j, t};
    }
    bool open(const Orbit& o) const { return (o.i != o.j || o.t != 0) && !taken_[cell(o)]; }

    void load(const Orbit& o, std::int32_t sign) {
        slack_[at(o.i)] -= sign;
        if (!half(o)) slack_[at(o.j)] -= sign;
    }
    void set(const Orbit& o, bool in) {
        if (!problem_.repeats) taken_[cell(o)] = in;
        load(o, in ? 1 : -1);
    }

    void list_partners() {
        if (problem_.partners.empty()) return;
        first_partner_.assign(size() + 1, 0);
        for (const Orbit& o : problem_.partners) ++first_partner_[at(o.i) + 1], ++first_partner_[at(o.j) + 1];
        for (std::size_t i = 0; i < size(); ++i) first_partner_[i + 1] += first_partner_[i];
        partner_.resize(first_partner_.back());
        std::vector<std::uint32_t> next(first_partner_.begin(), first_partner_.end() - 1);
        for (const Orbit& o : problem_.partners) partner_[next[at(o.i)]++] = o.j, partner_[next[at(o.j)]++] = o.i;
    }

    std::int32_t any_node() { return below(problem_.nodes); }
    std::int32_t any_turn() { return turns() == 1 ? 0 : below(turns()); }
    std::int32_t below(std::int32_t n) {
        return static_cast<std::int32_t>(random_.below(static_cast<std::uint32_t>(n)));
    }
    std::int32_t partner_of(std::int32_t i) {
        if (partner_.empty()) return any_node();
        const std::uint32_t begin = first_partner_[at(i)], end = first_partner_[at(i) + 1];
        return begin == end ? any_node() : partner_[begin + random_.below(end - begin)];
    }
    std::size_t any_chosen() { return random_.below(static_cast<std::uint32_t>(chosen_.size())); }

    // Draw a move; false if the constraints forbid it. Half of them switch the ends of two edges, which keeps all
    // degrees; of the others half keep one end (or, among orbits, both).
    bool propose(Move& move) {
        const std::uint32_t kind = random_.below(8);
        const Orbit out = chosen_[move.out[0] = any_chosen()];
        const bool turned = random_.below(2);
        const std::int32_t a = turned ? out.j : out.i, b = turned ? out.i : out.j;
        if (kind < 4 && (turns() == 1 || kind < 2)) return propose_switch(move, out, a, b);
        Orbit in;
        if (turns() > 1 && kind < 6)
            in = orbit(a, b, any_turn());
        else if (kind < 6)
            in = orbit(a, partner_of(a), any_turn());
        else if (problem_.partners.empty())
            in = orbit(any_node(), any_node(), any_turn());
        else
            in = problem_.partners[random_.below(static_cast<std::uint32_t>(problem_.partners.size()))];
        if (!open(in) || half(in) != half(out) || !room(in, out)) return false;
        move.rank = 2;
        move.orbits = {in, out};
        move.change = {weight(in), -weight(out)};
        return true;
    }

    bool propose_switch(Move& move, const Orbit& first, std::int32_t a, std::int32_t b) {
        const Orbit second = chosen_[move.out[1] = any_chosen()];
        if (move.out[0] == move.out[1] || half(first) || half(second)) return false;
        const bool turned = random_.below(2);
        const std::int32_t c = turned ? second.j : second.i, d = turned ? second.i : second.j;
        const Orbit ac = orbit(a, c, any_turn()), bd = orbit(b, d, any_turn());
        if (!open(ac) || !open(bd) || half(ac) || half(bd)) return false;
        if (cell(ac) == cell(bd) && !problem_.repeats) return false;
        move.rank = 4;
        move.orbits = {ac, bd, first, second};
        move.change = {weight(ac), weight(bd), -weight(first), -weight(second)};
        return true;
    }

    bool room(const Orbit& in, const Orbit& out) {
        load(out, -1);
        load(in, 1);
        const bool fits = slack_[at(in.i)] >= 0 && slack_[at(in.j)] >= 0;
        load(in, -1);
        load(out, 1);
        return fits;
    }

    template <class Scalar>
    double trace(const Scalar* inverse) const {
        double total = 0;
        for (std::size_t f = 0; f < frequencies(); ++f)
            for (std::size_t i = 0; i < size(); ++i)
                total += multiplicity(f) * real(inverse[(f * size() + i) * size() + i]);
        return total;
    }

    // The coefficient of e_j in b; that of e_i is 1.
    template <class Scalar>
    Scalar far(const Orbit& o, std::size_t f) const {
        if constexpr (std::is_same_v<Scalar, double>)
            return -1.0;
        else
            return phases_[f * at(turns()) + at(o.t)];
    }

    // b_k* A b_l for all orbits of a move.
    template <int R, class Scalar>
    void forms(const Scalar* matrix, const Move& move, std::size_t f, Small<Scalar, R>& out) const {
        for (int k = 0; k < R; ++k) {
            const Orbit& p = move.orbits[k];
            const Scalar *near_row = matrix + at(p.i) * size(), *far_row = matrix + at(p.j) * size();
            const Scalar p_far = conj(far<Scalar>(p, f));
            for (int l = k; l < R; ++l) {
                const Orbit& q = move.orbits[l];
                const Scalar q_far = far<Scalar>(q, f);
                out[k][l] = near_row[q.i] + near_row[q.j] * q_far + p_far * (far_row[q.i] + far_row[q.j] * q_far);
                out[l][k] = conj(out[k][l]);
            }
        }
    }

    // W = (S^-1 + B* K B)^-1 with S the changes of weight, by Gauss and Jordan; `ratio` is det(L' - l) / det(L - l).
    // False if an eigenvalue falls to the level: new orbits are added first, so that each step shows it.
    template <int R, class Scalar>
    static bool invert(Small<Scalar, R>& a, const Move& move, double& ratio) {
        ratio = 1;
        for (int k = 0; k < R; ++k) a[k][k] += 1 / move.change[k];
        for (int k = 0; k < R; ++k) {
            const double pivot = real(a[k][k]), factor = pivot * move.change[k];
            if (!(factor > 1e-9)) return false;
            ratio *= factor;
            const double inverse = 1 / pivot;
            a[k][k] = 1.0;
            for (int j = 0; j < R; ++j) a[k][j] = inverse * a[k][j];
            for (int i = 0; i < R; ++i) {
                if (i == k) continue;
                const Scalar by = a[i][k];
                a[i][k] = 0.0;
                for (int j = 0; j < R; ++j) a[i][j] -= by * a[k][j];
            }
        }
        return true;
    }

    // The change of tr K = -tr(W B* K K B), and of log det; false if the move is not sound.
    template <int R, class Scalar>
    bool price(const State<Scalar>& state, const Move& move, bool by_determinant, double& change, double& log) const {
        change = log = 0;
        const std::size_t block = size() * size();
        for (std::size_t f = 0; f < frequencies(); ++f) {
            Small<Scalar, R> middle, square;
            forms<R>(state.inverse + f * block, move, f, middle);
            double ratio;
            if (!invert<R, Scalar>(middle, move, ratio)) return false;
            forms<R>(state.square + f * block, move, f, square);
            double part = 0;
            for (int k = 0; k < R; ++k)
                for (int l = 0; l < R; ++l) part += real(middle[k][l] * square[l][k]);
            change -= multiplicity(f) * part;
            if (by_determinant) log += multiplicity(f) * std::log(ratio);
        }
        return true;
    }

    template <int R, class Scalar>
    void attempt(State<Scalar>& state, const Move& move, const WalkLimits& limits, WalkTally& tally) {
        double change, log;
        if (!price<R>(state, move, limits.by_determinant, change, log) || state.trace + change <= 0) return;
        const double rise = limits.by_determinant ? -log : std::log1p(change / state.trace);
        if (rise > 0 && rise >= -limits.temperature * std::log(1 - random_.uniform())) return;
        follow<R>(state, move);
        for (int k = 0; k < R / 2; ++k) {
            set(move.orbits[R / 2 + k], false);
            chosen_[move.out[k]] = move.orbits[k];
        }
        for (int k = 0; k < R / 2; ++k) set(move.orbits[k], true);
        ++tally.accepts;
        state.trace += change;
        tally.height += rise;
        if (tally.height < tally.lowest - 1e-12) {
            tally.lowest = tally.height;
            best_ = chosen_;
        }
    }

    // K' = K - Y U* and K'K' = KK + Z Y* + Y Z*, where U = K B, Y = U W and Z = -KK B + Y U*U / 2. The conjugates of
    // all columns are kept in `work`.
    template <int R, class Scalar>
    void follow(State<Scalar>& state, const Move& move) const {
        const std::size_t n = size();
        Scalar *u = state.work.data(), *y = u + R * n, *z = y + R * n;
        for (std::size_t f = 0; f < frequencies(); ++f) {
            Scalar *inverse = state.inverse + f * n * n, *square = state.square + f * n * n;
            Small<Scalar, R> middle, gram;
            forms<R>(inverse, move, f, middle);
            double ratio;
            [[maybe_unused]] const bool sound = invert<R, Scalar>(middle, move, ratio);
            assert(sound);
            for (int k = 0; k < R; ++k) {
                const Orbit& o = move.orbits[k];
                const Scalar by = conj(far<Scalar>(o, f));
                for (std::size_t i = 0; i < n; ++i) {
                    u[k * n + i] = inverse[at(o.i) * n + i] + by * inverse[at(o.j) * n + i];
                    z[k * n + i] = -square[at(o.i) * n + i] - by * square[at(o.j) * n + i];
                }
            }
            combine<R>(y, u, middle, n, false);
            forms<R>(square, move, f, gram);  // U*U = B* K K B
            for (auto& row : gram)
                for (Scalar& value : row) value = 0.5 * value;
            combine<R>(z, y, gram, n, true);
            for (std::size_t i = 0; i < n; ++i) follow_row<R>(inverse + i * n, square + i * n, u, y, z, i, n);
        }
    }

    // The columns (conjugate) of A M, added to the present ones or in their place.
    template <int R, class Scalar>
    static void combine(Scalar* to, const Scalar* from, const Small<Scalar, R>& by, std::size_t n, bool add) {
        for (int k = 0; k < R; ++k)
            for (std::size_t i = 0; i < n; ++i) {
                Scalar sum = add ? to[k * n + i] : Scalar(0.0);
                for (int l = 0; l < R; ++l) sum += from[l * n + i] * conj(by[l][k]);
                to[k * n + i] = sum;
            }
    }

    template <int R, class Scalar>
    static void follow_row(Scalar* __restrict inverse, Scalar* __restrict square, const Scalar* __restrict u,
                           const Scalar* __restrict y, const Scalar* __restrict z, std::size_t i, std::size_t n) {
        std::array<Scalar, R> yi, zi;
        for (int k = 0; k < R; ++k) yi[k] = conj(y[k * n + i]), zi[k] = conj(z[k * n + i]);
        for (std::size_t j = 0; j < n; ++j) {
            Scalar less = yi[0] * u[j], more = zi[0] * y[j] + yi[0] * z[j];
            for (int k = 1; k < R; ++k) {
                less += yi[k] * u[k * n + j];
                more += zi[k] * y[k * n + j] + yi[k] * z[k * n + j];
            }
            inverse[j] -= less;
            square[j] += more;
        }
    }

    ExchangeProblem problem_;
    std::vector<Orbit> chosen_, best_;
    std::vector<std::uint8_t> taken_;
    std::vector<std::int32_t> slack_;
    std::vector<Complex> phases_;
    std::vector<std::uint32_t> first_partner_;
    std::vector<std::int32_t> partner_;
    Random random_;
};

}  // namespace fiedler
