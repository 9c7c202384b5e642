// The Python interface of the network of cells, and of its self-play.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cmath>

#include "bind/bindings.hpp"
#include "bind/layers.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace fiedler {
namespace {

using Net = std::shared_ptr<CellNet>;

const CellsInfo& cells_of_game(std::string_view game) {
    const CellsInfo& cells = find_game(game).cells;
    if (!cells.cells) throw nb::value_error(("no patterns of cells in game " + std::string(game)).c_str());
    return cells;
}

Net make_net(std::string_view game, const Matrix& rows, const BoundLayer& first, const BoundLayer& second,
             const BoundLayer& last) {
    const CellsInfo& cells = cells_of_game(game);
    const CellWeights weights{.cells = cells.cells,
                              .sides = cells.sides,
                              .patterns = cells.count,
                              .width = rows.shape(1),
                              .rows = {rows.data(), rows.size()},
                              .first = view(first),
                              .second = view(second),
                              .last = view(last)};
    nb::gil_scoped_release released;
    return std::make_shared<CellNet>(weights);
}

nb::object pattern_sets(std::string_view game) {
    const CellsInfo& cells = cells_of_game(game);
    auto* all = new std::uint8_t[cells.count * 4];
    nb::capsule owner(all, [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
    for (std::size_t i = 0; i < cells.count; ++i) std::ranges::copy(cells.describe(i), all + 4 * i);
    return nb::cast(nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<2>>(all, {cells.count, 4}, owner));
}

}  // namespace

void bind_cell_net(nb::module_& m) {
    nb::class_<CellNet>(m, "CellNet",
                        "An incremental value network over the cells of a board; any number of searches may share it.")
        .def(nb::new_(&make_net), "game"_a, "rows"_a, "first"_a, "second"_a, "last"_a,
             "`rows` (sides times two times patterns, width), the layers as weights (outputs, inputs) and biases "
             "(outputs); their order stands in native/src/net/cell_net.hpp.\n\n"
             "Raises ValueError for a game without patterns of cells, or weights that do not fit it or are too large.")
        .def(
            "value",
            [](const CellNet& self, const PositionHandle& position) {
                const std::vector<std::uint16_t> rows = position->patterns();
                const std::size_t known = self.sides() * 2 * self.patterns();
                if (rows.size() != 2 * self.cells() || *std::ranges::max_element(rows) >= known)
                    throw nb::value_error("position: of another game");
                return std::tanh(self.value_of(rows.data()) / 2);
            },
            "position"_a, "The value for the side to move, -1 .. 1.")
        .def_prop_ro_static("HIDDEN", [](nb::handle) { return CellNet::hidden; }, "Units of its inner layers.");
    m.def(
        "cell_rows", [](std::string_view game) { return cells_of_game(game).sides * 2 * cells_of_game(game).count; },
        "game"_a, "The number of rows of a CellNet of the game. Raises ValueError for one without patterns of cells.");
    m.def(
        "pattern_sets", &pattern_sets, "game"_a,
        nb::sig("def pattern_sets(game: str) -> numpy.typing.NDArray[numpy.uint8]"),
        "The patterns of the four directions, 0 to 15, best first, of each set that a cell can have: (sets, 4). Raises "
        "ValueError for a game without patterns of cells.");
}

void bind_label_play(nb::module_& m) {
    nb::class_<LabelPlayStats>(m, "LabelPlayStats", "The work of one call of `LabelPlay.play`.")
        .def_ro("games", &LabelPlayStats::games)
        .def_ro("plies", &LabelPlayStats::plies)
        .def_ro("samples", &LabelPlayStats::samples)
        .def_ro("nodes", &LabelPlayStats::nodes);
    using Handle = std::unique_ptr<ErasedLabelPlay>;
    nb::class_<Handle>(m, "LabelPlay", "Games of negamax against itself, whose positions get the values of searches.")
        .def(
            "__init__",
            [](Handle* self, std::string_view game, std::uint64_t nodes, std::uint64_t label_nodes, int neighbours,
               int steps, double random_share, int opening_plies, int opening_square, double balance,
               std::uint64_t seed) {
                const auto require = [](bool fine, const char* wrong) {
                    if (!fine) throw nb::value_error(wrong);
                };
                require(nodes >= 1 && label_nodes >= 1, "nodes, label_nodes: expected at least 1");
                require(neighbours >= 0 && neighbours <= 100, "neighbours: expected 0 to 100");
                require(steps >= 1 && steps <= 100, "steps: expected 1 to 100");
                require(random_share >= 0 && random_share <= 1, "random_share: expected 0 to 1");
                require(opening_plies >= 1 && opening_plies <= 100, "opening_plies: expected 1 to 100");
                require(opening_square >= 1, "opening_square: expected at least 1");
                require(balance >= 0 && balance <= 0.5, "balance: expected 0 to 0.5");
                cells_of_game(game);
                new (self) Handle(find_game(game).label_play({.nodes = nodes,
                                                              .label_nodes = label_nodes,
                                                              .neighbours = neighbours,
                                                              .steps = steps,
                                                              .random_share = random_share,
                                                              .opening_plies = opening_plies,
                                                              .opening_square = opening_square,
                                                              .balance = balance,
                                                              .seed = seed}));
            },
            "game"_a, nb::kw_only(), "nodes"_a, "label_nodes"_a, "neighbours"_a, "steps"_a, "random_share"_a,
            "opening_plies"_a, "opening_square"_a, "balance"_a, "seed"_a,
            "The settings are explained in training/nnue/recipe.py. Raises ValueError for a game without patterns of "
            "cells.")
        .def(
            "use", [](Handle& self, const Net& net) { self->use(net); }, "net"_a, "From now on `net` evaluates.")
        .def(
            "play",
            [](Handle& self, std::size_t wanted, std::unique_ptr<ErasedSamples>& samples) {
                nb::gil_scoped_release released;
                return self->play(wanted, *samples);
            },
            "wanted"_a, "samples"_a,
            "Play whole games until at least `wanted` new samples are added. Raises RuntimeError if random openings "
            "are hardly ever about even.");
}

}  // namespace fiedler
