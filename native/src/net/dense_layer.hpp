// A dense layer of an incremental network as it is learned, and the checks of its weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

namespace fiedler {

struct DenseLayer {
    std::size_t outputs, inputs;
    std::span<const float> weight, bias;  // weight: outputs x inputs
};

// Throws std::invalid_argument unless the weights of a network are as they must be.
inline void require_weights(bool fine, const std::string& what) {
    if (!fine) throw std::invalid_argument("network: " + what);
}

inline void require_finite(std::span<const float> weights, const std::string& where = "") {
    const bool fine = std::ranges::all_of(weights, [](float x) { return std::isfinite(x); });
    require_weights(fine, where + "a weight is not a number");
}

inline void require_layer(const std::string& name, const DenseLayer& layer, std::size_t outputs, std::size_t inputs) {
    const auto shape = [](std::size_t rows, std::size_t columns) {
        return std::to_string(rows) + " x " + std::to_string(columns);
    };
    const std::string where = "layer " + name + ": ";
    require_weights(layer.outputs == outputs && layer.inputs == inputs && layer.weight.size() == outputs * inputs,
                    where + "expected " + shape(outputs, inputs) + ", got " + shape(layer.outputs, layer.inputs));
    require_weights(layer.bias.size() == outputs, where + "expected " + std::to_string(outputs) + " biases");
    require_finite(layer.weight, where);
    require_finite(layer.bias, where);
}

}  // namespace fiedler
