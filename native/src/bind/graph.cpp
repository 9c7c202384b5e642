// The Python interface of the meeting graph: the exchange of edges, the order of play.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "graph/exchange.hpp"
#include "graph/order.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace fiedler {
namespace {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Blocks = nb::ndarray<T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Orbits = Matrix<std::int32_t>;
using Caps = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static_assert(sizeof(Complex) == sizeof(std::complex<double>) && sizeof(Orbit) == 3 * sizeof(std::int32_t));

void require(bool fine, const std::string& what) {
    if (!fine) throw nb::value_error(what.c_str());
}

std::vector<Orbit> read_orbits(const Orbits& array, std::int32_t nodes, std::int32_t turns, const std::string& name) {
    require(array.shape(1) == 3, name + ": expected rows i, j, t");
    std::vector<Orbit> orbits(array.shape(0));
    if (!orbits.empty()) std::memcpy(orbits.data(), array.data(), orbits.size() * sizeof(Orbit));
    for (const Orbit& orbit : orbits)
        require(Exchange::canonical(orbit, nodes, turns),
                name + ": expected i < j and 0 <= t < turns, or i = j and 1 <= t <= turns / 2");
    return orbits;
}

template <class T>
std::vector<T> read_matrix(const std::optional<Matrix<T>>& array, std::int32_t nodes, const std::string& name) {
    if (!array) return {};
    const auto n = static_cast<std::size_t>(nodes);
    require(array->shape(0) == n && array->shape(1) == n, name + ": expected nodes x nodes");
    return std::vector<T>(array->data(), array->data() + n * n);
}

auto orbit_array(const std::vector<Orbit>& orbits) {
    auto* copy = new std::vector<Orbit>(orbits);
    const nb::capsule owner(copy, [](void* p) noexcept { delete static_cast<std::vector<Orbit>*>(p); });
    return nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>(copy->data(), {copy->size(), 3}, owner);
}

// Runs with the GIL released; `Python` and `Native` are the same number under two names.
template <class Python, class Native>
std::tuple<std::int64_t, std::int64_t, double> walk(Exchange& self, const Blocks<Python>& inverse,
                                                    const Blocks<Python>& square, double temperature,
                                                    std::int64_t trials, std::int64_t accepts, bool by_determinant) {
    for (const Blocks<Python>& blocks : {inverse, square})
        require(
            blocks.shape(0) == self.frequencies() && blocks.shape(1) == self.size() && blocks.shape(2) == self.size(),
            "expected turns // 2 + 1 blocks of nodes x nodes");
    const WalkLimits limits{temperature, trials, accepts, by_determinant};
    auto *k = reinterpret_cast<Native*>(inverse.data()), *kk = reinterpret_cast<Native*>(square.data());
    nb::gil_scoped_release released;
    const WalkTally tally = self.walk<Native>(k, kk, limits);
    return {tally.trials, tally.accepts, tally.lowest};
}

using Square = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

auto order_units(const Square& inverse, const Square& square, const Orbits& edges,
                 const nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& weights) {
    const std::size_t n = inverse.shape(0);
    require(inverse.shape(1) == n && square.shape(0) == n && square.shape(1) == n, "expected players x players");
    require(edges.shape(1) == 3 && edges.shape(0) == weights.shape(0), "edges: expected rows i, j, units");
    std::vector<OrderEdge> read;
    for (std::size_t e = 0; e < edges.shape(0); ++e) {
        const std::int32_t i = edges(e, 0), j = edges(e, 1), units = edges(e, 2);
        const auto end = static_cast<std::int32_t>(n);
        require(i >= 0 && j >= 0 && i < end && j < end && i != j && units >= 1, "edges: no such pair or no units");
        require(weights(e) > 0, "weights: expected numbers above 0");
        read.push_back({i, j, units, weights(e)});
    }
    Order order(n, std::move(read), inverse.data(), square.data());
    for (std::int64_t begin = 0; begin < order.total(); begin += 256) {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        nb::gil_scoped_release released;
        for (std::int64_t place = begin; place < std::min(order.total(), begin + 256); ++place) order.step();
    }
    auto* found = new std::vector<std::int32_t>(order.order());
    const nb::capsule owner(found, [](void* p) noexcept { delete static_cast<std::vector<std::int32_t>*>(p); });
    return nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>(found->data(), {found->size()}, owner);
}

constexpr const char* kWalk =
    "Anneal at one temperature (change of tr K, or of log det): at most `trials` changes, `accepts` accepted.\n\n"
    "`inverse` K = (L - l)^-1 and `square` K K, (turns // 2 + 1, nodes, nodes), are kept up to date in place. Real\n"
    "numbers for turns = 1, complex ones else. Returns trials, accepted moves and the lowest log objective reached,\n"
    "0 at the start, which is that of `best`. The GIL is released.";

}  // namespace

void bind_graph(nb::module_& m) {
    nb::class_<Exchange>(m, "Exchange",
                         "Annealed exchange of edges, or of the orbits of edges of a cyclic symmetry (exchange.hpp).")
        .def(
            "__init__",
            [](Exchange* self, std::int32_t nodes, std::int32_t turns, const Caps& cap, const Orbits& movable,
               const Orbits& kept, std::uint64_t seed, const std::optional<Matrix<double>>& weights,
               const std::optional<Matrix<bool>>& forbidden, const std::optional<Orbits>& partners, bool repeats) {
                require(nodes >= 1 && turns >= 1, "nodes, turns: expected at least 1");
                require(turns == 1 || (!weights && !forbidden && !partners && !repeats), "orbits are all alike");
                const auto barred = read_matrix<bool>(forbidden, nodes, "forbidden");
                require(cap.shape(0) == static_cast<std::size_t>(nodes), "cap: expected one number for each node");
                ExchangeProblem problem{nodes,
                                        turns,
                                        std::vector<std::int32_t>(cap.data(), cap.data() + nodes),
                                        read_matrix<double>(weights, nodes, "weights"),
                                        std::vector<std::uint8_t>(barred.begin(), barred.end()),
                                        {},
                                        repeats};
                if (partners) problem.partners = read_orbits(*partners, nodes, turns, "partners");
                new (self) Exchange(std::move(problem), read_orbits(movable, nodes, turns, "movable"),
                                    read_orbits(kept, nodes, turns, "kept"), seed);
            },
            "nodes"_a, "turns"_a, "cap"_a, "movable"_a, "kept"_a, "seed"_a, nb::kw_only(), "weights"_a = nb::none(),
            "forbidden"_a = nb::none(), "partners"_a = nb::none(), "repeats"_a = false,
            "Orbits are rows i, j, t of int32: i < j and 0 <= t < turns, or i = j and 1 <= t <= turns / 2.\n\n"
            "cap (nodes,): most edges of each player of an orbit; weights, forbidden: nodes x nodes; partners: "
            "candidates for new edges;\n"
            "repeats: an edge may be chosen more than once.",
            nb::sig("def __init__(self, nodes: int, turns: int, cap: numpy.typing.NDArray[numpy.int32], "
                    "movable: numpy.typing.NDArray[numpy.int32], "
                    "kept: numpy.typing.NDArray[numpy.int32], seed: int, *, "
                    "weights: numpy.typing.NDArray[numpy.float64] | None = None, "
                    "forbidden: numpy.typing.NDArray[numpy.bool_] | None = None, "
                    "partners: numpy.typing.NDArray[numpy.int32] | None = None, repeats: bool = False) -> None"))
        .def("walk", &walk<double, double>, "inverse"_a.noconvert(), "square"_a.noconvert(), "temperature"_a,
             "trials"_a, "accepts"_a, "by_determinant"_a = false,
             nb::sig("def walk(self, inverse: numpy.typing.NDArray[numpy.float64], "
                     "square: numpy.typing.NDArray[numpy.float64], temperature: float, trials: int, accepts: int, "
                     "by_determinant: bool = False) -> tuple[int, int, float]"),
             kWalk)
        .def("walk", &walk<std::complex<double>, Complex>, "inverse"_a.noconvert(), "square"_a.noconvert(),
             "temperature"_a, "trials"_a, "accepts"_a, "by_determinant"_a = false,
             nb::sig("def walk(self, inverse: numpy.typing.NDArray[numpy.complex128], "
                     "square: numpy.typing.NDArray[numpy.complex128], temperature: float, trials: int, accepts: int, "
                     "by_determinant: bool = False) -> tuple[int, int, float]"),
             "The same for orbits (turns > 1).")
        .def_prop_ro(
            "chosen", [](const Exchange& self) { return orbit_array(self.chosen()); }, nb::rv_policy::move,
            "The movable orbits as they are now, (M, 3).",
            nb::sig("def chosen(self) -> numpy.typing.NDArray[numpy.int32]"))
        .def_prop_ro(
            "best", [](const Exchange& self) { return orbit_array(self.best()); }, nb::rv_policy::move,
            "The movable orbits where the last walk was lowest, (M, 3).",
            nb::sig("def best(self) -> numpy.typing.NDArray[numpy.int32]"));
    m.def(
        "order_units", &order_units, "inverse"_a.noconvert(), "square"_a.noconvert(), "edges"_a, "weights"_a,
        nb::sig("def order_units(inverse: numpy.typing.NDArray[numpy.float64], "
                "square: numpy.typing.NDArray[numpy.float64], edges: numpy.typing.NDArray[numpy.int32], "
                "weights: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.int32]"),
        "The order of play (order.hpp): for every unit the index of its edge.\n\n"
        "`inverse` K, the covariance of the ratings before, and `square` K K are changed. Edges are rows i, j, units;\n"
        "weights (E,) the information of one unit of each. The GIL is released; Ctrl-C interrupts.");
}

}  // namespace fiedler
