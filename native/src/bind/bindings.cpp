// The Python interface of the core: positions, searches, perft. It checks at the edge, and has no rules of its own.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <map>

#include "bind/bindings.hpp"
#include "bind/registry.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace fiedler {
namespace {

PositionHandle make_position(std::string_view game, std::string_view text) {
    return PositionHandle(find_game(game).position(text));
}

[[noreturn]] void refuse(const PositionHandle& position, std::string_view move, std::string_view why) {
    throw IllegalMove("move " + std::string(move) + ": " + std::string(why) + " in " + position->text());
}

Move checked(const PositionHandle& position, std::int64_t move) {
    if (move < 0 || move >= static_cast<std::int64_t>(position->actions()))
        throw IllegalMove("move: expected 0 to " + std::to_string(position->actions() - 1) + ", got " +
                          std::to_string(move));
    return static_cast<Move>(move);
}

// The reason why a move is illegal.
std::string reason(const PositionHandle& position, Move move) {
    if (position->outcome() != Outcome::running) return "the game is over";
    const std::string_view refusal = position->refusal(move);
    return refusal.empty() ? "not legal" : "not legal (" + std::string(refusal) + ")";
}

Move legal(const PositionHandle& position, std::int64_t move) {
    const Move checked_move = checked(position, move);
    if (!position->legal(checked_move))
        refuse(position, position->move_text(checked_move), reason(position, checked_move));
    return checked_move;
}

std::map<Move, std::string> forbidden_moves(const PositionHandle& position) {
    std::map<Move, std::string> found;
    for (std::size_t move = 0; move < position->actions(); ++move)
        if (const auto why = position->refusal(static_cast<Move>(move)); !why.empty()) found.emplace(move, why);
    return found;
}

unsigned checked_symmetry(const PositionHandle& position, unsigned symmetry) {
    if (symmetry >= position->symmetries())
        throw nb::value_error(("symmetry: expected 0 to " + std::to_string(position->symmetries() - 1)).c_str());
    return symmetry;
}

void require_running(const PositionHandle& position) {
    if (position->outcome() != Outcome::running) throw IllegalMove("the game is over in " + position->text());
}

nb::object planes(const PositionHandle& position) {
    const auto shape = position->planes_shape();
    auto* data = new float[shape[0] * shape[1] * shape[2]];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<float*>(p); });
    position->planes(data);
    return nb::cast(nb::ndarray<nb::numpy, float, nb::ndim<3>>(data, {shape[0], shape[1], shape[2]}, owner));
}

void bind_position(nb::module_& m) {
    nb::class_<PositionHandle>(m, "Position", "A position of one of the games.")
        .def(
            "__init__",
            [](PositionHandle* self, std::string_view game, std::string_view text) {
                new (self) PositionHandle(make_position(game, text));
            },
            "game"_a, "text"_a = "startpos",
            "`text` is `startpos` or the game's one-word notation.\n\n"
            "Raises ValueError for an unknown game, PositionError for text that is not a position of it.")
        .def_prop_ro("game", [](const PositionHandle& p) { return std::string(p->game()); })
        .def_prop_ro(
            "ply", [](const PositionHandle& p) { return p->ply(); },
            "Stones on the board; of a game whose pieces move or are taken, the plies since its start.")
        .def_prop_ro(
            "plies_left", [](const PositionHandle& p) { return p->plies_left(); }, "The most plies until the end.")
        .def_prop_ro(
            "fills_cells", [](const PositionHandle& p) { return p->fills_cells(); },
            "Whether each move puts a stone on an empty cell, and removes none.")
        .def_prop_ro(
            "ending", [](const PositionHandle& p) { return std::string(p->ending()); },
            "How the finished game ended, such as `stalemate`; empty in a game that ends in one way.")
        .def_prop_ro(
            "side_to_move", [](const PositionHandle& p) { return p->side(); }, "0 first player, 1 second player.")
        .def_prop_ro(
            "key", [](const PositionHandle& p) { return p->key(); }, "64-bit hash; equal positions have equal keys.")
        .def_prop_ro(
            "result", [](const PositionHandle& p) { return p->result(); },
            "None while the game is running; 1 the first player won, -1 the second player won, 0 draw.")
        .def_prop_ro(
            "cells",
            [](const PositionHandle& p) {
                const auto cells = p->cells();
                return nb::bytes(cells.data(), cells.size());
            },
            "Row-major from the top left, of the cube layer by layer: 0 empty, 1 first player, 2 second player; of "
            "chess the "
            "pieces of White from 1 and of Black from 7, each a pawn, a knight, a bishop, a rook, a queen, a king.")
        .def_prop_ro(
            "num_actions", [](const PositionHandle& p) { return p->actions(); }, "Moves are 0 .. num_actions - 1.")
        .def_prop_ro("num_symmetries", [](const PositionHandle& p) { return p->symmetries(); })
        .def_prop_ro(
            "planes_shape",
            [](const PositionHandle& p) {
                const auto s = p->planes_shape();
                return std::tuple(s[0], s[1], s[2]);
            },
            "(planes, rows, columns) of `planes()`.")
        .def("copy", [](const PositionHandle& p) { return p; })
        .def(
            "legal_moves", [](const PositionHandle& p) { return p->moves(); },
            "Ascending; empty once the game is over.")
        .def(
            "is_legal", [](const PositionHandle& p, Move move) { return p->legal(move); }, "move"_a)
        .def("forbidden_moves", &forbidden_moves,
             "The empty cells where a rule forbids the side to move to play, with the reason: {52: 'double three'}.")
        .def(
            "play", [](PositionHandle& p, std::int64_t move) { p->play(legal(p, move)); }, "move"_a,
            "Raises IllegalMoveError.")
        .def(
            "parse_move", [](const PositionHandle& p, std::string_view text) { return legal(p, p->parse_move(text)); },
            "text"_a, "The legal move of this name. Raises IllegalMoveError for any other text.")
        .def(
            "move_text", [](const PositionHandle& p, std::int64_t move) { return p->move_text(checked(p, move)); },
            "move"_a)
        .def("planes", &planes, nb::sig("def planes(self) -> numpy.typing.NDArray[numpy.float32]"),
             "The network's binary input, (planes, rows, columns), as the side to move sees it.")
        .def(
            "patterns", [](const PositionHandle& p) { return p->patterns(); },
            "The input of an incremental network, as the side to move sees it; empty in games without patterns.")
        .def(
            "transformed",
            [](const PositionHandle& p, unsigned s) { return PositionHandle(p->transformed(checked_symmetry(p, s))); },
            "symmetry"_a, "The position under one of the board's symmetries; 0 is the identity.")
        .def(
            "transformed_move",
            [](const PositionHandle& p, unsigned s, std::int64_t move) {
                return p->transformed_move(checked_symmetry(p, s), checked(p, move));
            },
            "symmetry"_a, "move"_a)
        .def("__str__", [](const PositionHandle& p) { return p->text(); })
        .def("__repr__",
             [](const PositionHandle& p) { return "Position('" + std::string(p->game()) + "', '" + p->text() + "')"; })
        .def(
            "__eq__",
            [](const PositionHandle& p, nb::object other) {
                return nb::isinstance<PositionHandle>(other) && p->equals(*nb::cast<const PositionHandle&>(other));
            },
            nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [](const PositionHandle& p) { return p->key(); });
}

void bind_limits(nb::module_& m) {
    nb::class_<Limits>(m, "Limits",
                       "The limits of a search; zero means no limit of that kind, and the first to be reached ends it.")
        .def(
            "__init__",
            [](Limits* self, int depth, std::uint64_t nodes, double seconds) {
                if (depth < 0 || !(seconds >= 0))
                    throw nb::value_error("limits: expected depth and seconds of at least 0");
                new (self) Limits{depth, nodes, seconds};
            },
            "depth"_a = 0, "nodes"_a = 0, "seconds"_a = 0.0, "`depth` in plies, `nodes` as the search counts them.")
        .def_ro("depth", &Limits::depth)
        .def_ro("nodes", &Limits::nodes)
        .def_ro("seconds", &Limits::seconds);
    nb::class_<StopFlag>(m, "StopFlag", "Ends a search within a millisecond or so; set from any thread.")
        .def(nb::init<>())
        .def("set", &StopFlag::set)
        .def("clear", &StopFlag::clear)
        .def_prop_ro("is_set", &StopFlag::is_set);
    nb::class_<SearchInfo>(m, "SearchInfo", "The findings of a search so far.")
        .def(
            "__init__",
            [](SearchInfo* self, Move best) {
                SearchInfo info;
                info.depth = 1, info.nodes = 1, info.best = best, info.pv = {best};
                new (self) SearchInfo(std::move(info));
            },
            "best"_a, "The answer of a player that does not search: one node, an even score, a variation of one move.")
        .def_ro("depth", &SearchInfo::depth, "Plies.")
        .def_ro("nodes", &SearchInfo::nodes)
        .def_ro("seconds", &SearchInfo::seconds)
        .def_prop_ro("nps", &SearchInfo::nps, "Nodes per second.")
        .def_ro("score", &SearchInfo::score, "Expected score of the side to move, 0 .. 1.")
        .def_ro("mate", &SearchInfo::mate,
                "Own moves to the forced win, negative when losing; None if unproven or drawn.")
        .def_ro("proven_draw", &SearchInfo::proven_draw)
        .def_ro("pv", &SearchInfo::pv, "Principal variation.")
        .def_prop_ro(
            "best",
            [](const SearchInfo& info) { return info.best == no_move ? std::nullopt : std::optional(info.best); },
            "The move to play; None only when the game is over.");
}

void bind_negamax(nb::module_& m) {
    using Handle = std::unique_ptr<ErasedNegamax>;
    const NegamaxOptions defaults;
    nb::class_<Handle> bound(m, "Negamax", "Alpha-beta with iterative deepening and a transposition table.");
    bound.def(
        "__init__",
        [](Handle* self, std::string_view game, std::size_t hash_mb, std::size_t threads,
           const std::optional<std::variant<std::shared_ptr<PatternNet>, std::shared_ptr<CellNet>>>& network) {
            const NegamaxOptions options{checked_hash(hash_mb), checked_threads(threads)};
            const EvaluationNet net =
                network ? std::visit([](const auto& one) { return EvaluationNet(one); }, *network) : EvaluationNet();
            new (self) Handle(find_game(game).negamax(options, net));
        },
        "game"_a, "hash_mb"_a = defaults.hash_mb, "threads"_a = defaults.threads, "network"_a = nb::none(),
        nb::call_guard<nb::gil_scoped_release>(),
        "`network` evaluates in place of the game's knowledge. Raises ValueError for one of another game.");
    bind_search(bound, "Search with the GIL released; `on_info` is called after every finished iteration.");
    bound.def(
        "clear", [](Handle& self) { self->clear(); }, nb::call_guard<nb::gil_scoped_release>(),
        "Forget everything learned.");
}

int checked_leaf_rollouts(int count) {
    constexpr int most = 16;
    if (count < 1 || count > most)
        throw nb::value_error(("leaf_rollouts: expected 1 to " + std::to_string(most)).c_str());
    return count;
}

void bind_root_move(nb::module_& m) {
    nb::class_<RootMove>(m, "RootMove", "The findings of a search on one move at its root.")
        .def_ro("move", &RootMove::move)
        .def_ro("visits", &RootMove::visits)
        .def_ro("score", &RootMove::score, "Expected score of the side to move, 0 .. 1.")
        .def_ro("prior", &RootMove::prior, "The network's probability, 0 .. 1; None in a search without a network.");
}

void bind_mcts(nb::module_& m) {
    using Handle = std::unique_ptr<ErasedTreeSearch>;
    const MctsOptions defaults;
    nb::class_<Handle> bound(m, "Mcts", "UCT with rollouts, proven results and tree reuse.");
    bound.def(
        "__init__",
        [](Handle* self, std::string_view game, double c, std::string_view rollout, std::size_t hash_mb,
           std::uint64_t seed, std::size_t threads, double fpu, int leaf_rollouts, bool solver) {
            if (!std::isfinite(c) || !std::isfinite(fpu)) throw nb::value_error("c, fpu: expected finite numbers");
            const MctsOptions options{.c = c,
                                      .rollout = rollout_policy(rollout),
                                      .hash_mb = checked_hash(hash_mb),
                                      .seed = seed,
                                      .threads = checked_threads(threads),
                                      .fpu = fpu,
                                      .leaf_rollouts = checked_leaf_rollouts(leaf_rollouts),
                                      .solver = solver};
            new (self) Handle(find_game(game).mcts(options));
        },
        "game"_a, "c"_a = defaults.c, "rollout"_a = "random", "hash_mb"_a = defaults.hash_mb, "seed"_a = defaults.seed,
        "threads"_a = defaults.threads, "fpu"_a = defaults.fpu, "leaf_rollouts"_a = defaults.leaf_rollouts,
        "solver"_a = defaults.solver);
    bind_tree_search(bound, "Search with the GIL released; `limits.nodes` counts simulations.");
}

}  // namespace

std::size_t checked_hash(std::size_t hash_mb) {
    constexpr std::size_t most = 65535;
    if (hash_mb < 1 || hash_mb > most)
        throw nb::value_error(("hash_mb: expected 1 to " + std::to_string(most)).c_str());
    return hash_mb;
}

std::size_t checked_threads(std::size_t threads) {
    constexpr std::size_t most = 256;
    if (threads < 1 || threads > most)
        throw nb::value_error(("threads: expected 1 to " + std::to_string(most)).c_str());
    return threads;
}

RolloutPolicy rollout_policy(std::string_view name) {
    if (name == "random") return RolloutPolicy::random;
    if (name == "heuristic") return RolloutPolicy::heuristic;
    throw nb::value_error(("rollout: expected 'random' or 'heuristic', got '" + std::string(name) + "'").c_str());
}

SearchInfo released_search(const std::function<SearchInfo(const OnInfo&)>& search, const PyOnInfo& on_info) {
    OnInfo report;
    if (on_info)
        report = [&](const SearchInfo& info) {
            nb::gil_scoped_acquire held;
            (*on_info)(info);
        };
    nb::gil_scoped_release released;
    return search(report);
}

}  // namespace fiedler

// FIEDLER_MODULE is _core_baseline, _core_v3, … (native/levels.py chooses).
#define FIEDLER_BIND(name, m) NB_MODULE(name, m)
FIEDLER_BIND(FIEDLER_MODULE, m) {
    using namespace fiedler;
    m.doc() = "The native core: games, searches, graphs and fast readers.";
#ifdef NDEBUG
    // Ctrl-C may come while Python starts a thread, whose objects then outlive the interpreter: no user can mend that.
    // The sanitized build still reports it.
    nb::set_leak_warnings(false);
#endif
    nb::exception<PositionError>(m, "PositionError", PyExc_ValueError);
    nb::exception<IllegalMove>(m, "IllegalMoveError", PyExc_ValueError);
    bind_position(m);
    bind_limits(m);
    bind_pattern_net(m);
    bind_cell_net(m);
    bind_negamax(m);
    bind_root_move(m);
    bind_mcts(m);
    m.def(
        "games",
        [] {
            std::vector<std::string> names;
            for (const GameFactory* game : factories()) names.emplace_back(game->id);
            return names;
        },
        "The ids of all games.");
    m.def(
        "perft",
        [](const PositionHandle& position, int depth, const StopFlag* stop) {
            if (depth < 1) throw nb::value_error("depth: expected at least 1");
            const PositionHandle own = position;  // as in a search
            const StopFlag never;
            nb::gil_scoped_release released;
            std::vector<std::uint64_t> paths;
            for (int d = 1; d <= depth; ++d) paths.push_back(own->perft(d, stop ? *stop : never));
            return paths;
        },
        "position"_a, "depth"_a, "stop"_a.none() = nb::none(),
        "Move paths of exactly 1, 2, … `depth` plies. The numbers mean nothing once `stop` is set.");
    m.def(
        "rollouts",
        [](const PositionHandle& position, std::uint64_t count, std::uint64_t seed, std::string_view policy,
           unsigned side_by_side) {
            require_running(position);
            const RolloutOptions options{rollout_policy(policy), side_by_side};
            const PositionHandle own = position;
            nb::gil_scoped_release released;
            const RolloutTally tally = own->rollouts(count, seed, options);
            return std::tuple(tally.wins, tally.draws, tally.losses);
        },
        "position"_a, "count"_a, "seed"_a = 0, "policy"_a = "random", "side_by_side"_a = 1,
        "Play `count` rollouts, one by one or (random ones of some games) 16 side by side; (wins, draws, losses) of "
        "the "
        "first player.");
    m.def(
        "forced_win",
        [](const PositionHandle& position, std::uint64_t nodes) -> std::optional<std::tuple<int, std::vector<Move>>> {
            require_running(position);
            const PositionHandle own = position;
            nb::gil_scoped_release released;
            auto [plies, line] = own->forced_line(nodes);
            if (plies == 0) return std::nullopt;
            return std::tuple(plies, std::move(line));
        },
        "position"_a, "nodes"_a,
        "A win of the side to move by continuous threats: the plies it takes at most, and a line to it.\n\n"
        "`nodes` bounds the positions looked at for each move of the line; in gomoku fewer than 1000 leave out threes "
        "and\n"
        "search fours alone. None if no win was found, or the game has no such search. Raises IllegalMoveError when "
        "the\n"
        "game is over.");
    m.def(
        "choose_osp",
        [](const PositionHandle& p, std::uint64_t seed) {
            require_running(p);
            return p->choose_osp(seed);
        },
        "position"_a, "seed"_a, "The move of the bot osp. Raises IllegalMoveError when the game is over.");
    m.def(
        "choose_hsp",
        [](const PositionHandle& p, std::uint64_t seed) {
            require_running(p);
            return p->choose_hsp(seed);
        },
        "position"_a, "seed"_a, "The move of the bot hsp. Raises IllegalMoveError when the game is over.");
    bind_network_search(m);
    bind_descent(m);
    bind_label_play(m);
    bind_kept_trees(m);
    bind_graph(m);
    bind_pgn(m);
}
