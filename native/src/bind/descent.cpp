// The Python interface of the incremental network, of best-first search and of its self-play.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "bind/bindings.hpp"
#include "bind/layers.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace fiedler {
namespace {

using Net = std::shared_ptr<PatternNet>;

const PatternsInfo& patterns_of_game(std::string_view game) {
    const PatternsInfo& patterns = find_game(game).patterns;
    if (!patterns.places) throw nb::value_error(("no patterns in game " + std::string(game)).c_str());
    return patterns;
}

std::vector<float> descriptions(const PatternsInfo& patterns) {
    std::vector<float> all(patterns.count * patterns.inputs);
    for (std::size_t i = 0; i < patterns.count; ++i) patterns.describe(i, &all[i * patterns.inputs]);
    return all;
}

Net make_net(std::string_view game, const BoundLayer& describe, const BoundLayer& embed, const BoundLayer& first,
             const BoundLayer& second, const BoundLayer& last) {
    const PatternsInfo& patterns = patterns_of_game(game);
    const std::vector<float> described = descriptions(patterns);
    const PatternWeights weights{.places = patterns.places,
                                 .patterns = patterns.count,
                                 .descriptions = described,
                                 .describe = view(describe),
                                 .embed = view(embed),
                                 .first = view(first),
                                 .second = view(second),
                                 .last = view(last)};
    nb::gil_scoped_release released;
    return std::make_shared<PatternNet>(weights);
}

nb::object pattern_inputs(std::string_view game) {
    const PatternsInfo& patterns = patterns_of_game(game);
    auto* all = new std::vector<float>(descriptions(patterns));
    nb::capsule owner(all, [](void* p) noexcept { delete static_cast<std::vector<float>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, float, nb::ndim<2>>(all->data(), {patterns.count, patterns.inputs}, owner));
}

// Throws ValueError for a number outside of low .. high.
void require_range(double x, double low, double high, const std::string& name) {
    if (!(x >= low && x <= high))
        throw nb::value_error((name + ": expected " + std::to_string(static_cast<int>(low)) + " to " +
                               std::to_string(static_cast<int>(high)))
                                  .c_str());
}

BestFirstOptions search_options(double mean_share, double exploration, double visit_weight, bool to_the_end,
                                std::size_t hash_mb, std::size_t threads = 1) {
    require_range(mean_share, 0, 1, "mean_share");
    require_range(exploration, 0, 10, "exploration");
    require_range(visit_weight, 0, 10, "visit_weight");
    return {mean_share, exploration, visit_weight, to_the_end, checked_hash(hash_mb), checked_threads(threads)};
}

void bind_best_first(nb::module_& m) {
    using Handle = std::unique_ptr<ErasedBestFirst>;
    const BestFirstOptions defaults;
    nb::class_<Handle> bound(m, "BestFirst", "Best-first minimax over a value network, with proven results.");
    bound.def(
        "__init__",
        [](Handle* self, std::string_view game, const std::variant<std::shared_ptr<Batcher>, Net>& network,
           double mean_share, double exploration, double visit_weight, bool to_the_end, std::size_t hash_mb,
           std::size_t threads) {
            const ValueSource source = std::visit([](const auto& one) { return ValueSource(one); }, network);
            const auto options = search_options(mean_share, exploration, visit_weight, to_the_end, hash_mb, threads);
            new (self) Handle(find_game(game).best_first(source, options));
        },
        "game"_a, "network"_a, nb::kw_only(), "mean_share"_a = defaults.mean_share,
        "exploration"_a = defaults.exploration, "visit_weight"_a = defaults.visit_weight,
        "to_the_end"_a = defaults.to_the_end, "hash_mb"_a = defaults.hash_mb, "threads"_a = defaults.threads,
        "`network`: a PatternNet, or a Batcher with the head `value` alone. The other settings are explained in "
        "native/src/search/best_first_tree.hpp.\n\n"
        "Raises ValueError for an unknown game or a network of another game.");
    bind_tree_search(bound, "Search with the GIL released; `limits.nodes` counts expansions. Raises EvaluationError.");
}

void bind_stats(nb::module_& m) {
    nb::class_<DescentPlayStats>(m, "DescentPlayStats", "The work of one call of `DescentPlay.play`.")
        .def_ro("games", &DescentPlayStats::games, "Finished.")
        .def_ro("plies", &DescentPlayStats::plies)
        .def_ro("samples", &DescentPlayStats::samples)
        .def_ro("expansions", &DescentPlayStats::expansions)
        .def_ro("first_wins", &DescentPlayStats::first_wins, "Of the finished games.")
        .def_ro("draws", &DescentPlayStats::draws, "Of the finished games.")
        .def_ro("wins", &DescentPlayStats::wins, "Of the network against the opponent.")
        .def_ro("losses", &DescentPlayStats::losses, "Of the network against the opponent.");
}

void bind_play(nb::module_& m) {
    using Handle = std::unique_ptr<ErasedDescentPlay>;
    nb::class_<Handle>(m, "DescentPlay", "Games of best-first search against itself, in worker threads.")
        .def(
            "__init__",
            [](Handle* self, std::string_view game, std::size_t workers, std::uint64_t expansions, double mean_share,
               double exploration, bool to_the_end, bool replies, double greedy, int opening_plies,
               double opening_share, std::uint32_t least_visits, bool proven_states, double result_share,
               double expert_share, bool winners_only, std::uint64_t seed) {
                const DescentPlayOptions options{
                    .workers = checked_threads(workers),
                    .expansions = expansions,
                    .search = search_options(mean_share, exploration, BestFirstOptions{}.visit_weight, to_the_end, 64),
                    .replies = replies,
                    .greedy = greedy,
                    .opening_plies = opening_plies,
                    .opening_share = opening_share,
                    .least_visits = least_visits,
                    .proven_states = proven_states,
                    .result_share = result_share,
                    .expert_share = expert_share,
                    .winners_only = winners_only,
                    .seed = seed};
                if (expansions < 1) throw nb::value_error("expansions: expected at least 1");
                require_range(opening_plies, 0, 1000, "opening_plies");
                require_range(greedy, 0, 1, "greedy");
                require_range(opening_share, 0, 1, "opening_share");
                require_range(result_share, 0, 1, "result_share");
                require_range(expert_share, 0, 1, "expert_share");
                patterns_of_game(game);
                new (self) Handle(find_game(game).descent_play(options));
            },
            "game"_a, nb::kw_only(), "workers"_a, "expansions"_a, "mean_share"_a, "exploration"_a, "to_the_end"_a,
            "replies"_a, "greedy"_a, "opening_plies"_a, "opening_share"_a, "least_visits"_a, "proven_states"_a,
            "result_share"_a, "expert_share"_a, "winners_only"_a, "seed"_a,
            "The settings are explained in training/descent/recipe.py. Raises ValueError for a game without patterns.")
        .def(
            "play",
            [](Handle& self, const Net& net, const std::vector<Net>& experts, const Net& opponent, std::size_t wanted,
               std::unique_ptr<ErasedSamples>& samples) {
                const DescentNets nets{net, {experts.begin(), experts.end()}, opponent};
                nb::gil_scoped_release released;
                return self->play(nets, wanted, *samples);
            },
            "net"_a, "experts"_a, "opponent"_a.none(), "wanted"_a, "samples"_a,
            "Play whole games until at least `wanted` new samples are added. An `opponent` (None: the network itself) "
            "plays one side of each game.");
}

}  // namespace

void bind_pattern_net(nb::module_& m) {
    nb::class_<PatternNet>(m, "PatternNet",
                           "An incremental value network in whole numbers; any number of searches may share it.")
        .def(nb::new_(&make_net), "game"_a, "describe"_a, "embed"_a, "first"_a, "second"_a, "last"_a,
             "Each layer as weights (outputs, inputs) and biases (outputs); the order of the "
             "layers stands in native/src/net/pattern_net.hpp. `second` has HIDDEN outputs.\n\n"
             "Raises ValueError for a game without patterns, or weights that do not fit it or are too large.")
        .def(
            "value",
            [](const PatternNet& self, const PositionHandle& position) {
                const std::vector<std::uint16_t> patterns = position->patterns();
                if (patterns.size() != self.places()) throw nb::value_error("position: of another game");
                return self.value_of(patterns.data());
            },
            "position"_a, "The value for the side to move, -1 .. 1.")
        .def_prop_ro_static("HIDDEN", [](nb::handle) { return PatternNet::hidden; }, "Units of its second layer.");
    m.def("pattern_inputs", &pattern_inputs, "game"_a,
          nb::sig("def pattern_inputs(game: str) -> numpy.typing.NDArray[numpy.float32]"),
          "The numbers that describe each pattern of a game: (patterns, inputs). Raises ValueError if it has none.");
}

void bind_descent(nb::module_& m) {
    bind_best_first(m);
    bind_stats(m);
    bind_play(m);
}

}  // namespace fiedler
