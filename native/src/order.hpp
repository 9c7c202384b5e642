// The order of play: units of games such that every prefix is itself a good design.
//
// Greedy: next comes the unit that lowers tr K most, K the covariance of the ratings after what was played (with a weak
// prior, so that it exists from the start), among the units that keep every player near its share of the games so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace fiedler {

struct OrderEdge {
    std::int32_t i, j;   // i != j
    std::int32_t units;  // at least 1
    double weight;       // what one unit tells, more than 0
};

class Order {
  public:
    // `inverse`, `square`: K and K K, players x players; they follow the units chosen.
    Order(std::size_t players, std::vector<OrderEdge> edges, double* inverse, double* square)
        : n_(players),
          edges_(std::move(edges)),
          inverse_(inverse),
          square_(square),
          share_(players, 0),
          behind_(players, 0),
          u_(players),
          v_(players) {
        for (const OrderEdge& edge : edges_) {
            total_ += edge.units;
            share_[at(edge.i)] += edge.units;
            share_[at(edge.j)] += edge.units;
        }
        for (double& share : share_) share /= static_cast<double>(total_);
    }

    std::int64_t total() const { return total_; }

    // The index of the next edge; call it total() times.
    std::int32_t next() {
        std::size_t last = 0;
        for (std::size_t p = 0; p < n_; ++p) {
            behind_[p] += share_[p];
            if (behind_[p] > behind_[last]) last = p;
        }
        // A player far behind plays now; else whoever is not ahead; else, whatever keeps closest to the shares.
        const std::int32_t anchor = behind_[last] > kUrgent ? static_cast<std::int32_t>(last) : -1;
        std::int32_t pick = best(anchor);
        if (pick < 0 && anchor >= 0) pick = best(-1);
        if (pick < 0) pick = closest();
        play(edges_[at(pick)]);
        return pick;
    }

  private:
    static constexpr double kUrgent = 0.25;  // units

    static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

    // The edge of the largest gain among those of `anchor` (of everybody: -1) whose players are not ahead; -1 if none.
    std::int32_t best(std::int32_t anchor) const {
        std::int32_t found = -1;
        double most = -1;
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            const OrderEdge& edge = edges_[e];
            if (edge.units == 0 || (anchor >= 0 && edge.i != anchor && edge.j != anchor)) continue;
            if (behind_[at(edge.i)] < 0 || behind_[at(edge.j)] < 0) continue;
            const double gain = edge.weight * form(square_, edge) / (1 + edge.weight * form(inverse_, edge));
            if (gain > most) most = gain, found = static_cast<std::int32_t>(e);
        }
        return found;
    }

    std::int32_t closest() const {
        std::int32_t found = -1;
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            if (edges_[e].units == 0) continue;
            const double i = behind_[at(edges_[e].i)], j = behind_[at(edges_[e].j)], value = i < j ? i : j;
            if (value > most) most = value, found = static_cast<std::int32_t>(e);
        }
        return found;
    }

    // b^T A b
    double form(const double* a, const OrderEdge& e) const {
        return a[at(e.i) * n_ + at(e.i)] + a[at(e.j) * n_ + at(e.j)] - 2 * a[at(e.i) * n_ + at(e.j)];
    }

    void play(OrderEdge& edge) {
        --edge.units;
        behind_[at(edge.i)] -= 1;
        behind_[at(edge.j)] -= 1;
        const double by = edge.weight / (1 + edge.weight * form(inverse_, edge));
        double norm = 0;
        for (std::size_t k = 0; k < n_; ++k) {
            u_[k] = inverse_[at(edge.i) * n_ + k] - inverse_[at(edge.j) * n_ + k];
            v_[k] = square_[at(edge.i) * n_ + k] - square_[at(edge.j) * n_ + k];
            norm += u_[k] * u_[k];
        }
        for (std::size_t k = 0; k < n_; ++k) v_[k] = 0.5 * by * norm * u_[k] - v_[k];
        const double *__restrict u = u_.data(), *__restrict v = v_.data();
        for (std::size_t r = 0; r < n_; ++r) {
            double *__restrict inverse = inverse_ + r * n_, *__restrict square = square_ + r * n_;
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
    std::vector<double> share_, behind_;  // units a step; units behind that share
    std::vector<double> u_, v_;
};

}  // namespace fiedler
