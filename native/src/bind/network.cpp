// What Python sees of the network searches: the batcher, PUCT, self-play and its samples.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "bind/bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace fiedler {
namespace {

using Floats = nb::ndarray<float, nb::c_contig, nb::device::cpu>;
using ConstFloats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using SharedBatcher = std::shared_ptr<Batcher>;

void require(bool fine, const std::string& what) {
    if (!fine) throw nb::value_error(what.c_str());
}

template <class Array>
void require_size(const Array& array, std::size_t size, const std::string& name) {
    require(array.size() == size,
            name + ": expected " + std::to_string(size) + " floats, got " + std::to_string(array.size()));
}

SharedBatcher make_batcher(std::string_view game, std::size_t rows) {
    require(rows >= 1 && rows <= 65536, "rows: expected 1 to 65536");
    return find_game(game).batcher(rows);
}

void bind_batcher(nb::module_& m) {
    nb::exception<EvaluationError>(m, "EvaluationError", PyExc_RuntimeError);
    nb::class_<BatcherStats>(m, "BatcherStats", "What has gone through a batcher so far.")
        .def_ro("batches", &BatcherStats::batches, "Batches answered.")
        .def_ro("rows", &BatcherStats::rows, "Leaves in them, padding not counted.")
        .def_ro("seconds", &BatcherStats::seconds, "Between taking a batch and its answer, summed over evaluators.");
    nb::class_<Batcher>(m, "Batcher",
                        "Network evaluation shared by every search that is given this object.\n\n"
                        "Searches block until an evaluator thread, which loops over `collect` and `answer`, has served "
                        "them. Every batch has `rows` rows, padded with zeros.")
        .def(nb::new_(&make_batcher), "game"_a, "rows"_a)
        .def_prop_ro("rows", &Batcher::rows)
        .def(
            "collect",
            [](Batcher& self, Floats planes) {
                require_size(planes, self.rows() * self.planes(), "planes");
                float* out = planes.data();
                nb::gil_scoped_release released;
                return self.collect(out);
            },
            "planes"_a, "Wait for a batch and write its planes; the ticket for `answer`, 0 once closed.",
            nb::sig("def collect(self, planes: numpy.typing.NDArray[numpy.float32]) -> int"))
        .def(
            "answer",
            [](Batcher& self, std::uint64_t ticket, ConstFloats policy, ConstFloats values) {
                require_size(policy, self.rows() * self.actions(), "policy");
                require_size(values, self.rows(), "values");
                nb::gil_scoped_release released;
                self.answer(ticket, policy.data(), values.data());
            },
            "ticket"_a, "policy"_a, "values"_a,
            nb::sig("def answer(self, ticket: int, policy: numpy.typing.NDArray[numpy.float32], "
                    "values: numpy.typing.NDArray[numpy.float32]) -> None"),
            "`policy`: (rows, actions) logits; `values`: (rows,) in -1 .. 1 for the side to move.")
        .def("close", &Batcher::close, "why"_a = "the network is closed", nb::call_guard<nb::gil_scoped_release>(),
             "Searches that wait or come later raise EvaluationError with this message; `collect` gives 0.")
        .def_prop_ro("closed", &Batcher::closed)
        .def("stats", &Batcher::stats);
}

void bind_puct(nb::module_& m) {
    nb::class_<RootMove>(m, "RootMove", "What a search knows of one move at its root.")
        .def_ro("move", &RootMove::move)
        .def_ro("visits", &RootMove::visits)
        .def_ro("score", &RootMove::score, "Expected score of the side to move, 0 .. 1.")
        .def_ro("prior", &RootMove::prior, "The network's probability, 0 .. 1.");
    using Handle = std::unique_ptr<ErasedPuct>;
    nb::class_<Handle> bound(m, "Puct", "PUCT over a network, with proven results and tree reuse.");
    bound.def(
        "__init__",
        [](Handle* self, std::string_view game, SharedBatcher batcher, double c_puct, double fpu_reduction,
           std::size_t batch, double temperature, std::size_t hash_mb, std::uint64_t seed) {
            require(batch >= 1 && batch <= 128, "batch: expected 1 to 128");
            require(std::isfinite(c_puct) && c_puct >= 0, "c_puct: expected a number of at least 0");
            require(std::isfinite(fpu_reduction), "fpu_reduction: expected a number");
            require(std::isfinite(temperature) && temperature >= 0, "temperature: expected a number of at least 0");
            const PuctOptions options{c_puct, fpu_reduction, batch, temperature, checked_hash(hash_mb), seed};
            new (self) Handle(find_game(game).puct(batcher, options));
        },
        "game"_a, "batcher"_a, nb::kw_only(), "c_puct"_a = 1.5, "fpu_reduction"_a = 0.2, "batch"_a = 8,
        "temperature"_a = 0.0, "hash_mb"_a = 256, "seed"_a = 0,
        "`batch`: leaves handed in at a time, 1 .. 128; `temperature` of the choice among visits, 0 = the most "
        "visited.\n\nRaises ValueError for an unknown game or a batcher of another game.");
    bind_tree_search(bound, "Search with the GIL released; `limits.nodes` counts simulations. Raises EvaluationError.");
    bound.def(
        "root_moves", [](const Handle& self) { return self->root_moves(); },
        "The moves of the last position searched, most visited first.");
}

using SamplesHandle = std::unique_ptr<ErasedSamples>;

nb::object array(std::vector<std::size_t> shape) {
    std::size_t size = 1;
    for (const std::size_t n : shape) size *= n;
    auto* data = new float[size];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<float*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, float>(data, shape.size(), shape.data(), owner));
}

nb::tuple draw(const SamplesHandle& samples, std::size_t count, std::uint64_t seed) {
    require(samples->size() > 0, "samples: there are none to draw from");
    require(count <= 1u << 24, "count: expected at most 2^24");
    const auto shape = samples->planes_shape();
    nb::tuple arrays = nb::make_tuple(array({count, shape[0], shape[1], shape[2]}), array({count, samples->actions()}),
                                      array({count}), array({count}));
    float* out[4];
    for (std::size_t i = 0; i < 4; ++i) out[i] = nb::cast<Floats>(arrays[i]).data();
    nb::gil_scoped_release released;
    samples->draw(count, seed, out[0], out[1], out[2], out[3]);
    return arrays;
}

void bind_samples(nb::module_& m) {
    nb::class_<SamplesHandle>(m, "Samples", "A ring of positions with the search's verdict, for training.")
        .def(
            "__init__",
            [](SamplesHandle* self, std::string_view game, std::size_t capacity) {
                new (self) SamplesHandle(find_game(game).samples(capacity));
            },
            "game"_a, "capacity"_a)
        .def("__len__", [](const SamplesHandle& self) { return self->size(); })
        .def_prop_ro("capacity", [](const SamplesHandle& self) { return self->capacity(); })
        .def_prop_ro(
            "added", [](const SamplesHandle& self) { return self->added(); }, "Samples ever added.")
        .def("draw", &draw, "count"_a, "seed"_a,
             nb::sig("def draw(self, count: int, seed: int) -> tuple[numpy.typing.NDArray[numpy.float32], "
                     "numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], "
                     "numpy.typing.NDArray[numpy.float32]]"),
             "`count` samples at random, each under a random symmetry: planes (count, planes, rows, columns), policy "
             "(count, actions) summing to 1, game results (count,) and search values (count,) for the side to move.\n\n"
             "Raises ValueError when there are none.")
        .def(
            "dump",
            [](const SamplesHandle& self) {
                const std::vector<char> bytes = self->dump();
                return nb::bytes(bytes.data(), bytes.size());
            },
            "The ring as bytes, for this machine's own use.")
        .def(
            "load", [](SamplesHandle& self, nb::bytes bytes) { self->load(bytes.c_str(), bytes.size()); }, "dumped"_a,
            "Raises ValueError if `dumped` is not a whole dump of this game and at most this capacity.");
}

void bind_selfplay_stats(nb::module_& m) {
    nb::class_<SelfPlayStats>(m, "SelfPlayStats", "What one call of `SelfPlay.play` did.")
        .def_ro("games", &SelfPlayStats::games, "Finished.")
        .def_ro("plies", &SelfPlayStats::plies)
        .def_ro("samples", &SelfPlayStats::samples)
        .def_ro("simulations", &SelfPlayStats::simulations)
        .def_ro("first_wins", &SelfPlayStats::first_wins, "Of the finished games.")
        .def_ro("draws", &SelfPlayStats::draws, "Of the finished games.");
}

void check(const SelfPlayOptions& o) {
    require(o.games >= 1 && o.games <= 65536, "games: expected 1 to 65536");
    require(o.workers >= 1 && o.workers <= 256, "workers: expected 1 to 256");
    require(o.full >= 2 && o.fast >= 1, "full, fast: expected at least 2 and 1");
    require(o.opening_plies >= 0, "opening_plies: expected at least 0");
    require(o.noise_alpha > 0, "noise_alpha: expected more than 0");
}

void bind_selfplay(nb::module_& m) {
    using Handle = std::unique_ptr<ErasedSelfPlay>;
    nb::class_<Handle>(m, "SelfPlay", "Many games of a network against itself, in worker threads.")
        .def(
            "__init__",
            [](Handle* self, std::string_view game, SharedBatcher batcher, std::size_t games, std::size_t workers,
               std::uint32_t full, std::uint32_t fast, double full_share, int opening_plies, double opening_share,
               double noise_alpha, double noise_share, double temperature, int temperature_plies,
               double late_temperature, double c_puct, double fpu_reduction, std::uint64_t seed) {
                const SelfPlayOptions options{
                    games,         workers,       full,        fast,        full_share,        opening_plies,
                    opening_share, noise_alpha,   noise_share, temperature, temperature_plies, late_temperature,
                    c_puct,        fpu_reduction, seed};
                check(options);
                new (self) Handle(find_game(game).self_play(batcher, options));
            },
            "game"_a, "batcher"_a, nb::kw_only(), "games"_a, "workers"_a, "full"_a, "fast"_a, "full_share"_a,
            "opening_plies"_a, "opening_share"_a, "noise_alpha"_a, "noise_share"_a, "temperature"_a,
            "temperature_plies"_a, "late_temperature"_a, "c_puct"_a, "fpu_reduction"_a, "seed"_a,
            "`games` at once in each of the `workers`; the other settings are explained in training/recipe.py.")
        .def(
            "play",
            [](Handle& self, std::size_t wanted, SamplesHandle& samples) {
                nb::gil_scoped_release released;
                return self->play(wanted, *samples);
            },
            "wanted"_a, "samples"_a,
            "Play until at least `wanted` new samples are added. Raises EvaluationError, after which this object is of "
            "no more use.");
}

}  // namespace

void bind_network_search(nb::module_& m) {
    bind_batcher(m);
    bind_puct(m);
    bind_samples(m);
    bind_selfplay_stats(m);
    bind_selfplay(m);
}

}  // namespace fiedler
