// The Python interface of the trees that are kept between games.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <memory>

#include "bind/bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace fiedler {
namespace {

using Handle = std::unique_ptr<ErasedKeptTrees>;

// One member of the nodes.
template <class T>
nb::object column(const std::vector<KeptNode>& nodes, T KeptNode::* member) {
    auto* data = new T[nodes.size()];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    for (std::size_t i = 0; i < nodes.size(); ++i) data[i] = nodes[i].*member;
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {nodes.size()}, owner));
}

nb::list most_visited(const Handle& trees, std::size_t count) {
    std::array<std::vector<KeptNode>, 2> sides;
    {
        nb::gil_scoped_release released;
        sides = trees->most_visited(count);
    }
    nb::list arrays;
    for (const auto& nodes : sides)
        arrays.append(nb::make_tuple(column(nodes, &KeptNode::key), column(nodes, &KeptNode::visits),
                                     column(nodes, &KeptNode::results)));
    return arrays;
}

nb::bytes dump(const Handle& trees) {
    std::vector<char> bytes;
    {
        nb::gil_scoped_release released;
        bytes = trees->dump();
    }
    return nb::bytes(bytes.data(), bytes.size());
}

void load(Handle& trees, const nb::bytes& dumped) {
    const char* bytes = dumped.c_str();
    const std::size_t size = dumped.size();
    nb::gil_scoped_release released;
    trees->load(bytes, size);
}

void bind_stats(nb::module_& m) {
    nb::class_<KeptTreesStats>(m, "KeptTreesStats", "The work of one call of `KeptTrees.play`.")
        .def_ro("episodes", &KeptTreesStats::episodes)
        .def_ro("tree_plies", &KeptTreesStats::tree_plies, "Moves chosen in the trees.")
        .def_ro("first_wins", &KeptTreesStats::first_wins, "Of the episodes.")
        .def_ro("draws", &KeptTreesStats::draws, "Of the episodes.");
}

}  // namespace

void bind_kept_trees(nb::module_& m) {
    bind_stats(m);
    nb::class_<Handle>(
        m, "KeptTrees",
        "Monte Carlo tree search by UCB1 from the start of a game; each side keeps a tree of its own.\n\n"
        "A node is a move of the tree's side in a position, the same for symmetric ones. Its key is "
        "(a * 0x9e3779b97f4a7c15 + b) mod 2^64, where a and b are the lowest `Position.key` among the "
        "symmetric positions before and after it.")
        .def(
            "__init__",
            [](Handle* self, std::string_view game, double c, std::string_view rollout, std::size_t hash_mb,
               std::uint64_t seed) {
                if (!std::isfinite(c) || c < 0) throw nb::value_error("c: expected a number of at least 0");
                const KeptTreesOptions options{c, rollout_policy(rollout), checked_hash(hash_mb), seed};
                new (self) Handle(find_game(game).kept_trees(options));
            },
            "game"_a, nb::kw_only(), "c"_a = 1.0, "rollout"_a = "random", "hash_mb"_a = 96, "seed"_a = 0,
            "`c`: the exploration constant for results from -1 to 1; `hash_mb`: most memory of both trees, of which "
            "4 MiB are used at once; full trees stop growing.\n\nRaises ValueError.")
        .def(
            "play", [](Handle& self, std::uint64_t episodes) { return self->play(episodes); }, "episodes"_a,
            nb::call_guard<nb::gil_scoped_release>(),
            "Play episodes; one adds at most one node. Raises ValueError beyond 2^31 - 1 in all.")
        .def_prop_ro(
            "episodes", [](const Handle& self) { return self->episodes(); }, "Played so far.")
        .def_prop_ro(
            "sizes", [](const Handle& self) { return std::tuple(self->size(0), self->size(1)); },
            "Nodes in the trees of the first and of the second player.")
        .def_prop_ro(
            "memory_bytes", [](const Handle& self) { return self->bytes(); }, "Memory of both trees.")
        .def("most_visited", &most_visited, "count"_a,
             nb::sig("def most_visited(self, count: int) -> list[tuple[numpy.typing.NDArray[numpy.uint64], "
                     "numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.int32]]]"),
             "The `count` most visited nodes of both trees together: for the first and for the second player the keys, "
             "ascending, the visits, and the sums of results for that side.")
        .def("dump", &dump, "Both trees as bytes for this machine's own use; equal trees give equal bytes.")
        .def("load", &load, "dumped"_a,
             "Continue from a dump. Raises ValueError if it is damaged, of another game or too large for `hash_mb`.");
}

}  // namespace fiedler
