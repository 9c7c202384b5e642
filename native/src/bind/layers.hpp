// Arrays of NumPy as layers of the incremental networks.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <utility>

#include "net/dense_layer.hpp"

namespace fiedler {

using Matrix = nanobind::ndarray<const float, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using Vector = nanobind::ndarray<const float, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using BoundLayer = std::pair<Matrix, Vector>;

inline DenseLayer view(const BoundLayer& layer) {
    const auto& [weight, bias] = layer;
    return {weight.shape(0), weight.shape(1), {weight.data(), weight.size()}, {bias.data(), bias.size()}};
}

}  // namespace fiedler
