// The order of play: units of games such that every prefix is itself a good design.
//
// Greedy: next comes the unit that lowers tr K most, K the covariance of the ratings after the units so far (with a
// weak prior, so that it exists from the start), among the units of players who are not ahead of their share of these
// units. So no player is ever more than one unit ahead. If no such unit is left, earlier ones are changed until there
// is one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace fiedler {

struct OrderEdge {
    std::int32_t i, j;   // i != j
    std::int32_t units;  // at least 1
    double weight;       // the information of one unit, more than 0
};

class Order {
  public:
    // `inverse`, `square`: K and K K, players x players; they follow the units chosen.
    Order(std::size_t players, std::vector<OrderEdge> edges, double* inverse, double* square)
        : n_(players),
          edges_(std::move(edges)),
          inverse_(inverse),
          square_(square),
          edge_of_(players * players, -1),
          share_(players, 0),
          behind_(players, 0),
          u_(players),
          v_(players) {
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            const OrderEdge& edge = edges_[e];
            edge_of_[at(edge.i) * n_ + at(edge.j)] = edge_of_[at(edge.j) * n_ + at(edge.i)] =
                static_cast<std::int32_t>(e);
            total_ += edge.units;
            share_[at(edge.i)] += edge.units;
            share_[at(edge.j)] += edge.units;
        }
    }

    std::int64_t total() const { return total_; }
    const std::vector<std::int32_t>& order() const { return order_; }  // indices of edges; complete after total() steps

    // Put one more unit at the end; call it total() times.
    void step() {
        for (std::size_t p = 0; p < n_; ++p) behind_[p] += share_[p];
        const std::int32_t pick = next();
        order_.push_back(pick);
        play(pick);
    }

  private:
    static constexpr int kDeepest = 12;         // units that change so that one more fits, at most
    static constexpr int kTries = 2000;         // of places that change hands, each time
    static constexpr std::int64_t kUrgent = 4;  // a player more than 1 / kUrgent units behind plays now

    static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
    std::int64_t now() const { return static_cast<std::int64_t>(order_.size()); }

    // Players behind their share play, or at least none who is ahead; else, the unit closest to the shares.
    std::int32_t next() {
        const auto last = std::max_element(behind_.begin(), behind_.end());
        const std::int32_t anchor = *last * kUrgent > total_ ? static_cast<std::int32_t>(last - behind_.begin()) : -1;
        for (const std::int64_t least : {1, 0}) {
            std::int32_t pick = best(anchor, least);
            if (pick < 0 && anchor >= 0) pick = best(-1, least);
            if (pick < 0) pick = mend(least);
            if (pick >= 0) return pick;
        }
        return closest();
    }

    // The edge of the largest gain among those of `anchor` (of all players: -1) whose players are `least` behind; -1:
    // none.
    std::int32_t best(std::int32_t anchor, std::int64_t least) const {
        std::int32_t found = -1;
        double most = -1;
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            const OrderEdge& edge = edges_[e];
            if (edge.units == 0 || (anchor >= 0 && edge.i != anchor && edge.j != anchor)) continue;
            if (behind_[at(edge.i)] < least || behind_[at(edge.j)] < least) continue;
            const double gain = edge.weight * form(square_, edge) / (1 + edge.weight * form(inverse_, edge));
            if (gain > most) most = gain, found = static_cast<std::int32_t>(e);
        }
        return found;
    }

    // If no two players x, y who are `least` behind have a unit left: let x take the place of b in an earlier unit ab,
    // b that of another one, and so on, until the last one has a unit left with some y: that is returned, else -1.
    std::int32_t mend(std::int64_t least) {
        able_.clear();
        for (std::size_t p = 0; p < n_; ++p)
            if (behind_[p] >= least) able_.push_back(static_cast<std::int32_t>(p));
        tries_ = kTries;
        for (int depth = 1; depth <= kDeepest; ++depth)
            for (const std::int32_t x : able_) {
                chain_.assign(1, {now(), x});
                const std::int32_t found = reseat(now(), x, least, depth);
                if (found >= 0) return found;
            }
        return -1;
    }

    // Move `p` from one unit to a player's place in another one, and `depth` - 1 others.
    std::int32_t reseat(std::int64_t from, std::int32_t p, std::int64_t least, int depth) {
        const std::int64_t first = std::max<std::int64_t>(0, now() - static_cast<std::int64_t>(n_));
        for (std::int64_t t = now() - 1; t >= first; --t) {
            const std::int32_t old = order_[static_cast<std::size_t>(t)];
            for (const bool turned : {false, true}) {
                const std::int32_t a = turned ? edges_[at(old)].j : edges_[at(old)].i;
                const std::int32_t b = turned ? edges_[at(old)].i : edges_[at(old)].j;
                const std::int32_t in = left(p, a);
                if (in < 0 || chained(t, b) || !movable(p, from, t, least)) continue;
                if (--tries_ < 0) return -1;
                --edges_[at(in)].units;
                ++edges_[at(old)].units;
                chain_.push_back({t, b});
                const std::int32_t found = depth > 1 ? reseat(t, b, least, depth - 1) : opponent(t, b, least);
                chain_.pop_back();
                ++edges_[at(in)].units;
                --edges_[at(old)].units;
                if (found < 0) continue;
                replace(t, in);
                return found;
            }
        }
        return -1;
    }

    // A unit that is left between `p`, who no longer plays at `from`, and another player who is behind.
    std::int32_t opponent(std::int64_t from, std::int32_t p, std::int64_t least) const {
        if (movable(p, from, now(), least))
            for (const std::int32_t y : able_)
                if (!chained(now() + 1, y) && left(p, y) >= 0) return left(p, y);
        return -1;
    }

    bool chained(std::int64_t t, std::int32_t p) const {
        return std::any_of(chain_.begin(), chain_.end(), [&](const auto& c) { return c.first == t || c.second == p; });
    }

    // Whether a player stays near its share if it plays at `to` instead of at `from`, without a unit in between.
    bool movable(std::int32_t p, std::int64_t from, std::int64_t to, std::int64_t least) const {
        std::int64_t behind = behind_[at(p)] - (now() - to) * share_[at(p)] + (from < now() ? total_ : 0);
        for (std::int64_t t = std::min(from, to); t < now(); ++t) {
            const OrderEdge& edge = edges_[at(order_[static_cast<std::size_t>(t)])];
            if (t == from || (edge.i != p && edge.j != p)) continue;
            if (t <= std::max(from, to)) return false;
            behind += total_;
        }
        return behind >= least && behind <= total_ + share_[at(p)];
    }

    // The edge between two players if it has units left, else -1.
    std::int32_t left(std::int32_t i, std::int32_t j) const {
        const std::int32_t edge = edge_of_[at(i) * n_ + at(j)];
        return edge >= 0 && edges_[at(edge)].units > 0 ? edge : -1;
    }

    void replace(std::int64_t t, std::int32_t in) {
        std::int32_t& place = order_[static_cast<std::size_t>(t)];
        OrderEdge& out = edges_[at(place)];
        ++out.units;
        behind_[at(out.i)] += total_;
        behind_[at(out.j)] += total_;
        learn(out, -out.weight);
        place = in;
        play(in);
    }

    std::int32_t closest() const {
        std::int32_t found = -1;
        std::int64_t most = std::numeric_limits<std::int64_t>::min();
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            if (edges_[e].units == 0) continue;
            const std::int64_t value = std::min(behind_[at(edges_[e].i)], behind_[at(edges_[e].j)]);
            if (value > most) most = value, found = static_cast<std::int32_t>(e);
        }
        return found;
    }

    // b^T A b
    double form(const double* a, const OrderEdge& e) const {
        return a[at(e.i) * n_ + at(e.i)] + a[at(e.j) * n_ + at(e.j)] - 2 * a[at(e.i) * n_ + at(e.j)];
    }

    void play(std::int32_t index) {
        OrderEdge& edge = edges_[at(index)];
        --edge.units;
        behind_[at(edge.i)] -= total_;
        behind_[at(edge.j)] -= total_;
        learn(edge, edge.weight);
    }

    // Update K for a unit that is added (weight > 0) or removed.
    void learn(const OrderEdge& edge, double weight) {
        const double by = weight / (1 + weight * form(inverse_, edge));
        double norm = 0;
        for (std::size_t k = 0; k < n_; ++k) {
            u_[k] = inverse_[at(edge.i) * n_ + k] - inverse_[at(edge.j) * n_ + k];
            v_[k] = square_[at(edge.i) * n_ + k] - square_[at(edge.j) * n_ + k];
            norm += u_[k] * u_[k];
        }
        for (std::size_t k = 0; k < n_; ++k) v_[k] = 0.5 * by * norm * u_[k] - v_[k];
        const double* __restrict u = u_.data(), * __restrict v = v_.data();
        for (std::size_t r = 0; r < n_; ++r) {
            double* __restrict inverse = inverse_ + r * n_, * __restrict square = square_ + r * n_;
            const double ur = by * u[r], vr = by * v[r];
            for (std::size_t k = 0; k < n_; ++k) {
                inverse[k] -= ur * u[k];
                square[k] += ur * v[k] + vr * u[k];
            }
        }
    }

    std::size_t n_;
    std::vector<OrderEdge> edges_;
    double *inverse_, *square_;
    std::int64_t total_ = 0;
    std::vector<std::int32_t> order_, edge_of_;  // indices of edges: one unit after the other; n x n, -1: none
    std::vector<std::int64_t> share_, behind_;   // units in all; those behind that share so far, times total
    // Of `mend`: the players behind their share; the changed places with their former units; the remaining attempts.
    std::vector<std::int32_t> able_;
    std::vector<std::pair<std::int64_t, std::int32_t>> chain_;
    int tries_ = 0;
    std::vector<double> u_, v_;
};

}  // namespace fiedler
