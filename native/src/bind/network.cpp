// The Python interface of the network searches: the batcher, PUCT, self-play and its samples.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
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

using NamedWidths = std::vector<std::pair<std::string, std::size_t>>;

SharedBatcher make_batcher(std::string_view game, const NamedWidths& named, std::size_t rows,
                           std::optional<std::size_t> enough) {
    require(rows >= 1 && rows <= 65536, "rows: expected 1 to 65536");
    require(!enough || (*enough >= 1 && *enough <= rows), "enough: expected 1 to rows");
    require(!named.empty(), "heads: expected one or more");
    Heads heads;
    for (const auto& [name, width] : named) {
        require(width >= 1 && width <= 65536, "heads: expected widths of 1 to 65536");
        heads.push_back({name, width});
    }
    return find_game(game).batcher(std::move(heads), rows, enough.value_or(rows));
}

// Floats of any shape; (rows, width) becomes (rows,) if the width is 1.
nb::object array(std::vector<std::size_t> shape) {
    if (shape.size() == 2 && shape[1] == 1) shape.pop_back();
    std::size_t size = 1;
    for (const std::size_t n : shape) size *= n;
    auto* data = new float[size];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<float*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, float>(data, shape.size(), shape.data(), owner));
}

// One array for each of `columns` (heads of a network or columns of samples), and the addresses of their numbers.
template <class Columns>
std::pair<nb::list, std::vector<float*>> arrays(const Columns& columns, std::size_t rows) {
    std::pair<nb::list, std::vector<float*>> made;
    for (const auto& column : columns) {
        made.first.append(array({rows, column.width}));
        made.second.push_back(nb::cast<Floats>(made.first[made.first.size() - 1]).data());
    }
    return made;
}

// Given arrays must have `rows` rows of the columns.
template <class Columns, class Array>
void require_sizes(const Columns& columns, const std::vector<Array>& given, std::size_t rows, const std::string& name) {
    require(given.size() == columns.size(),
            name + ": expected " + std::to_string(columns.size()) + " arrays, got " + std::to_string(given.size()));
    std::size_t i = 0;
    for (const auto& column : columns) require_size(given[i++], rows * column.width, std::string(column.name));
}

template <class Columns>
NamedWidths widths(const Columns& columns) {
    NamedWidths found;
    for (const auto& column : columns) found.emplace_back(column.name, column.width);
    return found;
}

// A network that Python runs: `evaluate(leaves)` reads the planes and writes the answers.
class PythonEvaluator final : public Evaluator {
  public:
    PythonEvaluator(Floats planes, std::vector<Floats> answers, nb::callable evaluate)
        : planes_(std::move(planes)), answers_(std::move(answers)), evaluate_(std::move(evaluate)) {
        for (const Floats& answer : answers_) data_.push_back(answer.data());
    }
    PythonEvaluator(const PythonEvaluator&) = delete;
    PythonEvaluator& operator=(const PythonEvaluator&) = delete;
    ~PythonEvaluator() override {
        const nb::gil_scoped_acquire gil;
        planes_ = {};
        answers_.clear();
        evaluate_.reset();
    }

    float* planes() override { return planes_.data(); }

    std::span<const float* const> run(std::size_t leaves) override {
        const nb::gil_scoped_acquire gil;
        try {
            evaluate_(leaves);
        } catch (const nb::python_error& error) {
            if (!error.matches(PyExc_KeyboardInterrupt)) throw EvaluationError("the network failed: " + reason(error));
            evaluate_again(leaves);
        }
        return data_;
    }

  private:
    // Ctrl-C met the thread of a search here. It belongs to the caller of the search, which raises it at its end.
    void evaluate_again(std::size_t leaves) {
        try {
            evaluate_(leaves);
        } catch (const nb::python_error& error) {
            throw EvaluationError("the network failed: " + reason(error));
        }
        PyErr_SetInterrupt();
    }

    // The text of an exception on one line, or its type if it has none.
    static std::string reason(const nb::python_error& error) {
        constexpr int most = 200;
        try {
            const nb::object line = nb::str(" ").attr("join")(nb::str(error.value()).attr("split")());
            const nb::object part = line[nb::slice(0, most)];
            const nb::bytes text = nb::cast<nb::bytes>(part.attr("encode")("utf-8", "replace"));
            if (text.size()) return {text.c_str(), text.size()};
            return nb::cast<std::string>(error.type().attr("__name__"));
        } catch (const nb::python_error&) {
            return "an exception without a text";
        }
    }

    Floats planes_;
    std::vector<Floats> answers_;
    nb::callable evaluate_;
    std::vector<const float*> data_;
};

void serve(Batcher& batcher, Floats planes, std::vector<Floats> answers, nb::callable evaluate) {
    require_size(planes, batcher.rows() * batcher.planes(), "planes");
    require_sizes(batcher.heads(), answers, batcher.rows(), "answers");
    std::fill_n(planes.data(), planes.size(), 0.0f);
    batcher.add(std::make_unique<PythonEvaluator>(std::move(planes), std::move(answers), std::move(evaluate)));
}

// Submits rows like a search and waits for the answer.
nb::list evaluate(Batcher& batcher, ConstFloats planes) {
    require(planes.size() % batcher.planes() == 0,
            "planes: expected rows of " + std::to_string(batcher.planes()) + " floats");
    const std::size_t rows = planes.size() / batcher.planes();
    const auto [outputs, data] = arrays(batcher.heads(), rows);
    const float* in = planes.data();
    {
        nb::gil_scoped_release released;
        Batcher::Client(batcher).evaluate(in, rows, std::span<float* const>(data));
    }
    return outputs;
}

void bind_batcher(nb::module_& m) {
    nb::exception<EvaluationError>(m, "EvaluationError", PyExc_RuntimeError);
    nb::class_<BatcherStats>(m, "BatcherStats", "The traffic of a batcher so far.")
        .def_ro("batches", &BatcherStats::batches, "Batches answered.")
        .def_ro("rows", &BatcherStats::rows, "Leaves in them, padding not counted.")
        .def_ro("seconds", &BatcherStats::seconds, "Between taking a batch and its answer, summed over evaluators.");
    nb::class_<Batcher>(m, "Batcher",
                        "Network evaluation shared by every search that is given this object.\n\n"
                        "A batch has `rows` rows at most. One of its searches runs the network, on its own thread.")
        .def(nb::new_(&make_batcher), "game"_a, "heads"_a, "rows"_a, "enough"_a = nb::none(),
             "`heads`: names and widths (floats a row) of the network's outputs; a batch of `enough` rows (None: all) "
             "does not wait for more.")
        .def_prop_ro("rows", &Batcher::rows)
        .def_prop_ro("heads", [](const Batcher& self) { return widths(self.heads()); })
        .def("serve", &serve, "planes"_a.noconvert(), "answers"_a.noconvert(), "evaluate"_a,
             nb::sig("def serve(self, planes: numpy.typing.NDArray[numpy.float32], answers: "
                     "collections.abc.Sequence[numpy.typing.NDArray[numpy.float32]], evaluate: "
                     "collections.abc.Callable[[int], object]) -> None"),
             "Let `evaluate` run the network, on the threads of searches, one call at a time. Each call of `serve` "
             "adds one evaluator; they run side by side.\n\n"
             "`evaluate` gets the number of positions in the batch, which fill the first of the `rows` rows of "
             "`planes`, the others being zeros, and writes as many rows of `answers`: (rows, width) of each head. An "
             "exception closes the batcher.")
        .def("evaluate", &evaluate, "planes"_a,
             nb::sig("def evaluate(self, planes: numpy.typing.NDArray[numpy.float32]) -> "
                     "list[numpy.typing.NDArray[numpy.float32]]"),
             "Wait, as a search does, until any number of rows is answered: (rows, width) of each head, (rows,) where "
             "the width is 1. Raises EvaluationError.")
        .def("close", &Batcher::close, "why"_a = "the network is closed", nb::call_guard<nb::gil_scoped_release>(),
             "Searches that wait or come later raise EvaluationError with this message.")
        .def_prop_ro("closed", &Batcher::closed)
        .def("stats", &Batcher::stats);
}

void bind_puct(nb::module_& m) {
    using Handle = std::unique_ptr<ErasedPuct>;
    nb::class_<Handle> bound(m, "Puct", "PUCT over a network, with proven results and tree reuse.");
    bound.def(
        "__init__",
        [](Handle* self, std::string_view game, SharedBatcher batcher, double c_puct, double fpu_reduction,
           std::size_t batch, double temperature, std::size_t hash_mb, std::uint64_t seed, std::uint64_t threats,
           std::uint64_t solve, bool candidates, std::size_t width, unsigned rollouts, double rollout_share,
           const std::shared_ptr<CellNet>& cells, std::uint32_t ask_from) {
            require(batch >= 1 && batch <= 128, "batch: expected 1 to 128");
            require(std::isfinite(c_puct) && c_puct >= 0, "c_puct: expected a number of at least 0");
            require(std::isfinite(fpu_reduction), "fpu_reduction: expected a number");
            require(std::isfinite(temperature) && temperature >= 0, "temperature: expected a number of at least 0");
            require(rollouts <= 1024, "rollouts: expected at most 1024");
            require(rollout_share >= 0 && rollout_share <= 1, "rollout_share: expected 0 to 1");
            const PuctOptions options{c_puct,
                                      fpu_reduction,
                                      batch,
                                      temperature,
                                      checked_hash(hash_mb),
                                      seed,
                                      {threats, solve, candidates},
                                      width,
                                      rollouts,
                                      rollout_share,
                                      ask_from};
            new (self) Handle(find_game(game).puct(batcher, options, cells));
        },
        "game"_a, "batcher"_a, nb::kw_only(), "c_puct"_a = 1.5, "fpu_reduction"_a = 0.2, "batch"_a = 8,
        "temperature"_a = 0.0, "hash_mb"_a = 256, "seed"_a = 0, "threats"_a = 900, "solve"_a = 900,
        "candidates"_a = true, "width"_a = 0, "rollouts"_a = 0, "rollout_share"_a = 1.0, "cells"_a = nb::none(),
        "ask_from"_a = 64,
        "`batch`: leaves handed in at a time, 1 .. 128; `temperature` of the choice among visits, 0 = the most "
        "visited; `threats`: positions of the search by threats at every new node, longer ones at the root and at "
        "nodes with many visits, 0 = none; `solve`: positions of the search to the end of the game at every new node "
        "late enough for it, 0 = none; `candidates`: a node has only the moves among which one is best by the game's "
        "knowledge; `width`: most children of a node, the likeliest ones, where no threat limits them, 0 = all; "
        "`rollouts` from each leaf, whose mean has the weight `rollout_share` in its value. `cells`: an incremental "
        "network that values the leaves at once, without rollouts; the network of the batcher then judges the moves of "
        "nodes with `ask_from` visits.\n\n"
        "Raises ValueError for an unknown game, or a batcher or `cells` of another game.");
    bind_tree_search(bound, "Search with the GIL released; `limits.nodes` counts simulations. Raises EvaluationError.");
}

using SamplesHandle = std::unique_ptr<ErasedSamples>;

nb::tuple draw(const SamplesHandle& samples, std::size_t count, std::uint64_t seed) {
    require(samples->size() > 0, "samples: there are none to draw from");
    require(count <= 1u << 24, "count: expected at most 2^24");
    const auto shape = samples->planes_shape();
    nb::list drawn;
    drawn.append(array({count, shape[0], shape[1], shape[2]}));
    float* planes = nb::cast<Floats>(drawn[0]).data();
    const auto [targets, data] = arrays(samples->columns(), count);
    drawn.extend(targets);
    {
        nb::gil_scoped_release released;
        samples->draw(count, seed, planes, data.data());
    }
    return nb::tuple(drawn);
}

nb::tuple draw_patterns(const SamplesHandle& samples, std::size_t count, std::uint64_t seed) {
    require(samples->size() > 0, "samples: there are none to draw from");
    require(count <= 1u << 24, "count: expected at most 2^24");
    require(samples->places() > 0, "samples: no patterns in this game");
    auto* patterns = new std::uint16_t[count * samples->places()];
    nb::capsule owner(patterns, [](void* p) noexcept { delete[] static_cast<std::uint16_t*>(p); });
    nb::list drawn;
    drawn.append(nb::ndarray<nb::numpy, std::uint16_t, nb::ndim<2>>(patterns, {count, samples->places()}, owner));
    const auto [targets, data] = arrays(samples->columns(), count);
    drawn.extend(targets);
    {
        nb::gil_scoped_release released;
        samples->draw_patterns(count, seed, patterns, data.data());
    }
    return nb::tuple(drawn);
}

void bind_samples(nb::module_& m) {
    nb::class_<SamplesHandle>(m, "Samples", "A ring of positions with their training targets.")
        .def(
            "__init__",
            [](SamplesHandle* self, std::string_view game, std::size_t capacity, std::string_view target) {
                new (self) SamplesHandle(find_game(game).samples(target, capacity));
            },
            "game"_a, "capacity"_a, "target"_a,
            "`target`: `policy-value`, a search's policy, the game's result and the search's value; or `value`, one "
            "number. Results and values are for the side to move.")
        .def("__len__", [](const SamplesHandle& self) { return self->size(); })
        .def_prop_ro("capacity", [](const SamplesHandle& self) { return self->capacity(); })
        .def_prop_ro(
            "added", [](const SamplesHandle& self) { return self->added(); }, "Samples ever added.")
        .def_prop_ro(
            "columns", [](const SamplesHandle& self) { return widths(self->columns()); },
            "Names and widths of the target's numbers.")
        .def(
            "add",
            [](SamplesHandle& self, const PositionHandle& position, const std::vector<ConstFloats>& targets) {
                require_sizes(self->columns(), targets, 1, "targets");
                std::vector<const float*> data;
                for (const ConstFloats& one : targets) {
                    require(std::all_of(one.data(), one.data() + one.size(), [](float x) { return std::isfinite(x); }),
                            "targets: expected finite numbers");
                    data.push_back(one.data());
                }
                self->add(*position, data.data());
            },
            "position"_a, "targets"_a,
            nb::sig("def add(self, position: Position, targets: collections.abc.Sequence["
                    "numpy.typing.NDArray[numpy.float32]]) -> None"),
            "`targets`: the numbers of each column. Raises ValueError for a position of another game.")
        .def(
            "draw", &draw, "count"_a, "seed"_a,
            nb::sig("def draw(self, count: int, seed: int) -> tuple[numpy.typing.NDArray[numpy.float32], ...]"),
            "`count` samples at random, each under a random symmetry: planes (count, planes, rows, columns), then each "
            "column, (count, width), or (count,) where the width is 1; a policy sums to 1.\n\n"
            "Raises ValueError when there are none.")
        .def_prop_ro(
            "places", [](const SamplesHandle& self) { return self->places(); },
            "Patterns of a position; 0 in a game without patterns.")
        .def("draw_patterns", &draw_patterns, "count"_a, "seed"_a,
             nb::sig("def draw_patterns(self, count: int, seed: int) -> tuple[numpy.typing.NDArray[typing.Any], ...]"),
             "The same with patterns (count, places), uint16, in place of planes. Raises ValueError, too, for a game "
             "without patterns.")
        .def(
            "dump",
            [](const SamplesHandle& self) {
                const std::vector<char> bytes = self->dump();
                return nb::bytes(bytes.data(), bytes.size());
            },
            "The ring as bytes, for this machine's own use.")
        .def(
            "load", [](SamplesHandle& self, nb::bytes bytes) { self->load(bytes.c_str(), bytes.size()); }, "dumped"_a,
            "Raises ValueError if `dumped` is not a whole dump of this game, target and at most this capacity.");
}

void bind_selfplay_stats(nb::module_& m) {
    nb::class_<SelfPlayStats>(m, "SelfPlayStats", "The work of one call of `SelfPlay.play`.")
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
               double late_temperature, double c_puct, double fpu_reduction, std::uint64_t threats, std::uint64_t solve,
               bool candidates, double tactics_share, std::uint64_t seed) {
                const SelfPlayOptions options{games,
                                              workers,
                                              full,
                                              fast,
                                              full_share,
                                              opening_plies,
                                              opening_share,
                                              noise_alpha,
                                              noise_share,
                                              temperature,
                                              temperature_plies,
                                              late_temperature,
                                              c_puct,
                                              fpu_reduction,
                                              {threats, solve, candidates},
                                              tactics_share,
                                              seed};
                check(options);
                new (self) Handle(find_game(game).self_play(batcher, options));
            },
            "game"_a, "batcher"_a, nb::kw_only(), "games"_a, "workers"_a, "full"_a, "fast"_a, "full_share"_a,
            "opening_plies"_a, "opening_share"_a, "noise_alpha"_a, "noise_share"_a, "temperature"_a,
            "temperature_plies"_a, "late_temperature"_a, "c_puct"_a, "fpu_reduction"_a, "threats"_a, "solve"_a,
            "candidates"_a, "tactics_share"_a, "seed"_a,
            "`games` at once in each of the `workers`; `threats`, `solve` and `candidates` as in Puct, in "
            "`tactics_share` of the games; the other settings are explained in training/alphazero/recipe.py.")
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
