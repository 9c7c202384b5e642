"""The native core: games, searches, graphs and fast readers."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, overload

import numpy
import numpy.typing
from numpy.typing import NDArray


class PositionError(ValueError):
    pass

class IllegalMoveError(ValueError):
    pass

class Position:
    """A position of one of the games."""

    def __init__(self, game: str, text: str = 'startpos') -> None:
        """
        `text` is `startpos` or the game's one-word notation.

        Raises ValueError for an unknown game, PositionError for text that is not a position of it.
        """

    @property
    def game(self) -> str: ...

    @property
    def ply(self) -> int:
        """
        Stones on the board; of a game whose pieces move or are taken, the plies since its start.
        """

    @property
    def plies_left(self) -> int:
        """The most plies until the end."""

    @property
    def fills_cells(self) -> bool:
        """Whether each move puts a stone on an empty cell, and removes none."""

    @property
    def ending(self) -> str:
        """
        How the finished game ended, such as `stalemate`; empty in a game that ends in one way.
        """

    @property
    def side_to_move(self) -> int:
        """0 first player, 1 second player."""

    @property
    def key(self) -> int:
        """64-bit hash; equal positions have equal keys."""

    @property
    def result(self) -> int | None:
        """
        None while the game is running; 1 the first player won, -1 the second player won, 0 draw.
        """

    @property
    def cells(self) -> bytes:
        """
        Row-major from the top left, of the cube layer by layer: 0 empty, 1 first player, 2 second player; of chess the pieces of White from 1 and of Black from 7, each a pawn, a knight, a bishop, a rook, a queen, a king.
        """

    @property
    def num_actions(self) -> int:
        """Moves are 0 .. num_actions - 1."""

    @property
    def num_symmetries(self) -> int: ...

    @property
    def planes_shape(self) -> tuple[int, int, int]:
        """(planes, rows, columns) of `planes()`."""

    def copy(self) -> Position: ...

    def legal_moves(self) -> list[int]:
        """Ascending; empty once the game is over."""

    def is_legal(self, move: int) -> bool: ...

    def forbidden_moves(self) -> dict[int, str]:
        """
        The empty cells where a rule forbids the side to move to play, with the reason: {52: 'double three'}.
        """

    def play(self, move: int) -> None:
        """Raises IllegalMoveError."""

    def parse_move(self, text: str) -> int:
        """
        The legal move of this name. Raises IllegalMoveError for any other text.
        """

    def move_text(self, move: int) -> str: ...

    def planes(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        The network's binary input, (planes, rows, columns), as the side to move sees it.
        """

    def patterns(self) -> list[int]:
        """
        The input of an incremental network, as the side to move sees it; empty in games without patterns.
        """

    def transformed(self, symmetry: int) -> Position:
        """The position under one of the board's symmetries; 0 is the identity."""

    def transformed_move(self, symmetry: int, move: int) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

class Limits:
    """
    The limits of a search; zero means no limit of that kind, and the first to be reached ends it.
    """

    def __init__(self, depth: int = 0, nodes: int = 0, seconds: float = 0.0) -> None:
        """`depth` in plies, `nodes` as the search counts them."""

    @property
    def depth(self) -> int: ...

    @property
    def nodes(self) -> int: ...

    @property
    def seconds(self) -> float: ...

class StopFlag:
    """Ends a search within a millisecond or so; set from any thread."""

    def __init__(self) -> None: ...

    def set(self) -> None: ...

    def clear(self) -> None: ...

    @property
    def is_set(self) -> bool: ...

class SearchInfo:
    """The findings of a search so far."""

    def __init__(self, best: int) -> None:
        """
        The answer of a player that does not search: one node, an even score, a variation of one move.
        """

    @property
    def depth(self) -> int:
        """Plies."""

    @property
    def nodes(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def nps(self) -> float:
        """Nodes per second."""

    @property
    def score(self) -> float:
        """Expected score of the side to move, 0 .. 1."""

    @property
    def mate(self) -> int | None:
        """
        Own moves to the forced win, negative when losing; None if unproven or drawn.
        """

    @property
    def proven_draw(self) -> bool: ...

    @property
    def pv(self) -> list[int]:
        """Principal variation."""

    @property
    def best(self) -> int | None:
        """The move to play; None only when the game is over."""

class PatternNet:
    """
    An incremental value network in whole numbers; any number of searches may share it.
    """

    def __init__(self, game: str, describe: tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], embed: tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], first: tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], second: tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], last: tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None:
        """
        Each layer as weights (outputs, inputs) and biases (outputs); the order of the layers stands in native/src/net/pattern_net.hpp. `second` has HIDDEN outputs.

        Raises ValueError for a game without patterns, or weights that do not fit it or are too large.
        """

    def value(self, position: Position) -> float:
        """The value for the side to move, -1 .. 1."""

    HIDDEN: Final[int] = ...
    """Units of its second layer."""

def pattern_inputs(game: str) -> numpy.typing.NDArray[numpy.float32]:
    """
    The numbers that describe each pattern of a game: (patterns, inputs). Raises ValueError if it has none.
    """

class CellNet:
    """
    An incremental value network over the cells of a board; any number of searches may share it.
    """

    def __init__(self, game: str, rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], second: tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], last: tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None:
        """
        `rows` (sides times two times patterns, width), the layers as weights (outputs, inputs) and biases (outputs); their order stands in native/src/net/cell_net.hpp.

        Raises ValueError for a game without patterns of cells, or weights that do not fit it or are too large.
        """

    def value(self, position: Position) -> float:
        """The value for the side to move, -1 .. 1."""

    HIDDEN: Final[int] = ...
    """Units of its inner layers."""

def cell_rows(game: str) -> int:
    """
    The number of rows of a CellNet of the game. Raises ValueError for one without patterns of cells.
    """

def pattern_sets(game: str) -> numpy.typing.NDArray[numpy.uint8]:
    """
    The patterns of the four directions, 0 to 15, best first, of each set that a cell can have: (sets, 4). Raises ValueError for a game without patterns of cells.
    """

class Negamax:
    """Alpha-beta with iterative deepening and a transposition table."""

    def __init__(self, game: str, hash_mb: int = 64, threads: int = 1, network: PatternNet | CellNet | None = None) -> None:
        """
        `network` evaluates in place of the game's knowledge. Raises ValueError for one of another game.
        """

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: Callable[[SearchInfo], None] | None = None) -> SearchInfo:
        """
        Search with the GIL released; `on_info` is called after every finished iteration.
        """

    def clear(self) -> None:
        """Forget everything learned."""

class RootMove:
    """The findings of a search on one move at its root."""

    @property
    def move(self) -> int: ...

    @property
    def visits(self) -> int: ...

    @property
    def score(self) -> float:
        """Expected score of the side to move, 0 .. 1."""

    @property
    def prior(self) -> float | None:
        """The network's probability, 0 .. 1; None in a search without a network."""

class Mcts:
    """UCT with rollouts, proven results and tree reuse."""

    def __init__(self, game: str, c: float = 1.0, rollout: str = 'random', hash_mb: int = 64, seed: int = 0, threads: int = 1, fpu: float = 100.0, leaf_rollouts: int = 1, solver: bool = True) -> None: ...

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: Callable[[SearchInfo], None] | None = None) -> SearchInfo:
        """Search with the GIL released; `limits.nodes` counts simulations."""

    def clear(self) -> None:
        """Forget the tree and start the random numbers anew."""

    def seed(self, seed: int) -> None: ...

    @property
    def size(self) -> int:
        """Nodes in the tree."""

    @property
    def bytes_per_node(self) -> int: ...

    def root_moves(self) -> list[RootMove]:
        """
        The moves of the last position searched that are in the tree, most visited first.
        """

def games() -> list[str]:
    """The ids of all games."""

def perft(position: Position, depth: int, stop: StopFlag | None = None) -> list[int]:
    """
    Move paths of exactly 1, 2, … `depth` plies. The numbers mean nothing once `stop` is set.
    """

def rollouts(position: Position, count: int, seed: int = 0, policy: str = 'random', side_by_side: int = 1) -> tuple[int, int, int]:
    """
    Play `count` rollouts, one by one or (random ones of some games) 16 side by side; (wins, draws, losses) of the first player.
    """

def forced_win(position: Position, nodes: int) -> tuple[int, list[int]] | None:
    """
    A win of the side to move by continuous threats: the plies it takes at most, and a line to it.

    `nodes` bounds the positions looked at for each move of the line; in gomoku fewer than 1000 leave out threes and
    search fours alone. None if no win was found, or the game has no such search. Raises IllegalMoveError when the
    game is over.
    """

def choose_osp(position: Position, seed: int) -> int:
    """
    The move of the bot osp. Raises IllegalMoveError when the game is over.
    """

def choose_hsp(position: Position, seed: int) -> int:
    """
    The move of the bot hsp. Raises IllegalMoveError when the game is over.
    """

class EvaluationError(RuntimeError):
    pass

class BatcherStats:
    """The traffic of a batcher so far."""

    @property
    def batches(self) -> int:
        """Batches answered."""

    @property
    def rows(self) -> int:
        """Leaves in them, padding not counted."""

    @property
    def seconds(self) -> float:
        """Between taking a batch and its answer, summed over evaluators."""

class Batcher:
    """
    Network evaluation shared by every search that is given this object.

    A batch has `rows` rows at most. One of its searches runs the network, on its own thread.
    """

    def __init__(self, game: str, heads: Sequence[tuple[str, int]], rows: int, enough: int | None = None) -> None:
        """
        `heads`: names and widths (floats a row) of the network's outputs; a batch of `enough` rows (None: all) does not wait for more.
        """

    @property
    def rows(self) -> int: ...

    @property
    def heads(self) -> list[tuple[str, int]]: ...

    def serve(self, planes: numpy.typing.NDArray[numpy.float32], answers: Sequence[numpy.typing.NDArray[numpy.float32]], evaluate: Callable[[int], object]) -> None:
        """
        Let `evaluate` run the network, on the threads of searches, one call at a time. Each call of `serve` adds one evaluator; they run side by side.

        `evaluate` gets the number of positions in the batch, which fill the first of the `rows` rows of `planes`, the others being zeros, and writes as many rows of `answers`: (rows, width) of each head. An exception closes the batcher.
        """

    def evaluate(self, planes: numpy.typing.NDArray[numpy.float32]) -> list[numpy.typing.NDArray[numpy.float32]]:
        """
        Wait, as a search does, until any number of rows is answered: (rows, width) of each head, (rows,) where the width is 1. Raises EvaluationError.
        """

    def close(self, why: str = 'the network is closed') -> None:
        """
        Searches that wait or come later raise EvaluationError with this message.
        """

    @property
    def closed(self) -> bool: ...

    def stats(self) -> BatcherStats: ...

class Puct:
    """PUCT over a network, with proven results and tree reuse."""

    def __init__(self, game: str, batcher: Batcher, *, c_puct: float = 1.5, fpu_reduction: float = 0.2, batch: int = 8, temperature: float = 0.0, hash_mb: int = 256, seed: int = 0, threats: int = 900, solve: int = 900, candidates: bool = True, width: int = 0, rollouts: int = 0, rollout_share: float = 1.0, cells: CellNet | None = None, ask_from: int = 64) -> None:
        """
        `batch`: leaves handed in at a time, 1 .. 128; `temperature` of the choice among visits, 0 = the most visited; `threats`: positions of the search by threats at every new node, longer ones at the root and at nodes with many visits, 0 = none; `solve`: positions of the search to the end of the game at every new node late enough for it, 0 = none; `candidates`: a node has only the moves among which one is best by the game's knowledge; `width`: most children of a node, the likeliest ones, where no threat limits them, 0 = all; `rollouts` from each leaf, whose mean has the weight `rollout_share` in its value. `cells`: an incremental network that values the leaves at once, without rollouts; the network of the batcher then judges the moves of nodes with `ask_from` visits.

        Raises ValueError for an unknown game, or a batcher or `cells` of another game.
        """

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: Callable[[SearchInfo], None] | None = None) -> SearchInfo:
        """
        Search with the GIL released; `limits.nodes` counts simulations. Raises EvaluationError.
        """

    def clear(self) -> None:
        """Forget the tree and start the random numbers anew."""

    def seed(self, seed: int) -> None: ...

    @property
    def size(self) -> int:
        """Nodes in the tree."""

    @property
    def bytes_per_node(self) -> int: ...

    def root_moves(self) -> list[RootMove]:
        """
        The moves of the last position searched that are in the tree, most visited first.
        """

class Samples:
    """A ring of positions with their training targets."""

    def __init__(self, game: str, capacity: int, target: str) -> None:
        """
        `target`: `policy-value`, a search's policy, the game's result and the search's value; or `value`, one number. Results and values are for the side to move.
        """

    def __len__(self) -> int: ...

    @property
    def capacity(self) -> int: ...

    @property
    def added(self) -> int:
        """Samples ever added."""

    @property
    def columns(self) -> list[tuple[str, int]]:
        """Names and widths of the target's numbers."""

    def add(self, position: Position, targets: Sequence[numpy.typing.NDArray[numpy.float32]]) -> None:
        """
        `targets`: the numbers of each column. Raises ValueError for a position of another game.
        """

    def draw(self, count: int, seed: int) -> tuple[numpy.typing.NDArray[numpy.float32], ...]:
        """
        `count` samples at random, each under a random symmetry: planes (count, planes, rows, columns), then each column, (count, width), or (count,) where the width is 1; a policy sums to 1.

        Raises ValueError when there are none.
        """

    @property
    def places(self) -> int:
        """Patterns of a position; 0 in a game without patterns."""

    def draw_patterns(self, count: int, seed: int) -> tuple[numpy.typing.NDArray[Any], ...]:
        """
        The same with patterns (count, places), uint16, in place of planes. Raises ValueError, too, for a game without patterns.
        """

    def dump(self) -> bytes:
        """The ring as bytes, for this machine's own use."""

    def load(self, dumped: bytes) -> None:
        """
        Raises ValueError if `dumped` is not a whole dump of this game, target and at most this capacity.
        """

class SelfPlayStats:
    """The work of one call of `SelfPlay.play`."""

    @property
    def games(self) -> int:
        """Finished."""

    @property
    def plies(self) -> int: ...

    @property
    def samples(self) -> int: ...

    @property
    def simulations(self) -> int: ...

    @property
    def first_wins(self) -> int:
        """Of the finished games."""

    @property
    def draws(self) -> int:
        """Of the finished games."""

class SelfPlay:
    """Many games of a network against itself, in worker threads."""

    def __init__(self, game: str, batcher: Batcher, *, games: int, workers: int, full: int, fast: int, full_share: float, opening_plies: int, opening_share: float, noise_alpha: float, noise_share: float, temperature: float, temperature_plies: int, late_temperature: float, c_puct: float, fpu_reduction: float, threats: int, solve: int, candidates: bool, tactics_share: float, seed: int) -> None:
        """
        `games` at once in each of the `workers`; `threats`, `solve` and `candidates` as in Puct, in `tactics_share` of the games; the other settings are explained in training/alphazero/recipe.py.
        """

    def play(self, wanted: int, samples: Samples) -> SelfPlayStats:
        """
        Play until at least `wanted` new samples are added. Raises EvaluationError, after which this object is of no more use.
        """

class BestFirst:
    """Best-first minimax over a value network, with proven results."""

    def __init__(self, game: str, network: Batcher | PatternNet, *, mean_share: float = 0.8, exploration: float = 0.3, visit_weight: float = 0.15, to_the_end: bool = False, hash_mb: int = 256, threads: int = 1) -> None:
        """
        `network`: a PatternNet, or a Batcher with the head `value` alone. The other settings are explained in native/src/search/best_first_tree.hpp.

        Raises ValueError for an unknown game or a network of another game.
        """

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: Callable[[SearchInfo], None] | None = None) -> SearchInfo:
        """
        Search with the GIL released; `limits.nodes` counts expansions. Raises EvaluationError.
        """

    def clear(self) -> None:
        """Forget the tree and start the random numbers anew."""

    def seed(self, seed: int) -> None: ...

    @property
    def size(self) -> int:
        """Nodes in the tree."""

    @property
    def bytes_per_node(self) -> int: ...

    def root_moves(self) -> list[RootMove]:
        """
        The moves of the last position searched that are in the tree, most visited first.
        """

class DescentPlayStats:
    """The work of one call of `DescentPlay.play`."""

    @property
    def games(self) -> int:
        """Finished."""

    @property
    def plies(self) -> int: ...

    @property
    def samples(self) -> int: ...

    @property
    def expansions(self) -> int: ...

    @property
    def first_wins(self) -> int:
        """Of the finished games."""

    @property
    def draws(self) -> int:
        """Of the finished games."""

    @property
    def wins(self) -> int:
        """Of the network against the opponent."""

    @property
    def losses(self) -> int:
        """Of the network against the opponent."""

class DescentPlay:
    """Games of best-first search against itself, in worker threads."""

    def __init__(self, game: str, *, workers: int, expansions: int, mean_share: float, exploration: float, to_the_end: bool, replies: bool, greedy: float, opening_plies: int, opening_share: float, least_visits: int, proven_states: bool, result_share: float, expert_share: float, winners_only: bool, seed: int) -> None:
        """
        The settings are explained in training/descent/recipe.py. Raises ValueError for a game without patterns.
        """

    def play(self, net: PatternNet, experts: Sequence[PatternNet], opponent: PatternNet | None, wanted: int, samples: Samples) -> DescentPlayStats:
        """
        Play whole games until at least `wanted` new samples are added. An `opponent` (None: the network itself) plays one side of each game.
        """

class LabelPlayStats:
    """The work of one call of `LabelPlay.play`."""

    @property
    def games(self) -> int: ...

    @property
    def plies(self) -> int: ...

    @property
    def samples(self) -> int: ...

    @property
    def nodes(self) -> int: ...

class LabelPlay:
    """
    Games of negamax against itself, whose positions get the values of searches.
    """

    def __init__(self, game: str, *, nodes: int, label_nodes: int, neighbours: int, steps: int, random_share: float, opening_plies: int, opening_square: int, balance: float, seed: int) -> None:
        """
        The settings are explained in training/nnue/recipe.py. Raises ValueError for a game without patterns of cells.
        """

    def use(self, net: CellNet) -> None:
        """From now on `net` evaluates."""

    def play(self, wanted: int, samples: Samples) -> LabelPlayStats:
        """
        Play whole games until at least `wanted` new samples are added. Raises RuntimeError if random openings are hardly ever about even.
        """

class KeptTreesStats:
    """The work of one call of `KeptTrees.play`."""

    @property
    def episodes(self) -> int: ...

    @property
    def tree_plies(self) -> int:
        """Moves chosen in the trees."""

    @property
    def first_wins(self) -> int:
        """Of the episodes."""

    @property
    def draws(self) -> int:
        """Of the episodes."""

class KeptTrees:
    """
    Monte Carlo tree search by UCB1 from the start of a game; each side keeps a tree of its own.

    A node is a move of the tree's side in a position, the same for symmetric ones. Its key is (a * 0x9e3779b97f4a7c15 + b) mod 2^64, where a and b are the lowest `Position.key` among the symmetric positions before and after it.
    """

    def __init__(self, game: str, *, c: float = 1.0, rollout: str = 'random', hash_mb: int = 96, seed: int = 0) -> None:
        """
        `c`: the exploration constant for results from -1 to 1; `hash_mb`: most memory of both trees, of which 4 MiB are used at once; full trees stop growing.

        Raises ValueError.
        """

    def play(self, episodes: int) -> KeptTreesStats:
        """
        Play episodes; one adds at most one node. Raises ValueError beyond 2^31 - 1 in all.
        """

    @property
    def episodes(self) -> int:
        """Played so far."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Nodes in the trees of the first and of the second player."""

    @property
    def memory_bytes(self) -> int:
        """Memory of both trees."""

    def most_visited(self, count: int) -> list[tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.int32]]]:
        """
        The `count` most visited nodes of both trees together: for the first and for the second player the keys, ascending, the visits, and the sums of results for that side.
        """

    def dump(self) -> bytes:
        """
        Both trees as bytes for this machine's own use; equal trees give equal bytes.
        """

    def load(self, dumped: bytes) -> None:
        """
        Continue from a dump. Raises ValueError if it is damaged, of another game or too large for `hash_mb`.
        """

class Exchange:
    """
    Annealed exchange of edges, or of the orbits of edges of a cyclic symmetry (exchange.hpp).
    """

    def __init__(self, nodes: int, turns: int, cap: numpy.typing.NDArray[numpy.int32], movable: numpy.typing.NDArray[numpy.int32], kept: numpy.typing.NDArray[numpy.int32], seed: int, *, weights: numpy.typing.NDArray[numpy.float64] | None = None, forbidden: numpy.typing.NDArray[numpy.bool_] | None = None, partners: numpy.typing.NDArray[numpy.int32] | None = None, repeats: bool = False) -> None:
        """
        Orbits are rows i, j, t of int32: i < j and 0 <= t < turns, or i = j and 1 <= t <= turns / 2.

        cap (nodes,): most edges of each player of an orbit; weights, forbidden: nodes x nodes; partners: candidates for new edges;
        repeats: an edge may be chosen more than once.
        """

    @overload
    def walk(self, inverse: numpy.typing.NDArray[numpy.float64], square: numpy.typing.NDArray[numpy.float64], temperature: float, trials: int, accepts: int, by_determinant: bool = False) -> tuple[int, int, float]:
        """
        Anneal at one temperature (change of tr K, or of log det): at most `trials` changes, `accepts` accepted.

        `inverse` K = (L - l)^-1 and `square` K K, (turns // 2 + 1, nodes, nodes), are kept up to date in place. Real
        numbers for turns = 1, complex ones else. Returns trials, accepted moves and the lowest log objective reached,
        0 at the start, which is that of `best`. The GIL is released.
        """

    @overload
    def walk(self, inverse: numpy.typing.NDArray[numpy.complex128], square: numpy.typing.NDArray[numpy.complex128], temperature: float, trials: int, accepts: int, by_determinant: bool = False) -> tuple[int, int, float]:
        """The same for orbits (turns > 1)."""

    @property
    def chosen(self) -> numpy.typing.NDArray[numpy.int32]:
        """The movable orbits as they are now, (M, 3)."""

    @property
    def best(self) -> numpy.typing.NDArray[numpy.int32]:
        """The movable orbits where the last walk was lowest, (M, 3)."""

def order_units(inverse: numpy.typing.NDArray[numpy.float64], square: numpy.typing.NDArray[numpy.float64], edges: numpy.typing.NDArray[numpy.int32], weights: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.int32]:
    """
    The order of play (order.hpp): for every unit the index of its edge.

    `inverse` K, the covariance of the ratings before, and `square` K K are changed. Edges are rows i, j, units;
    weights (E,) the information of one unit of each. The GIL is released; Ctrl-C interrupts.
    """

class PgnCounter:
    """
    The results of the games of a PGN file, counted while its bytes go by.

    Memory grows with the pairs of players, not with the games. One thread at a time.
    """

    def __init__(self) -> None: ...

    def feed(self, data: bytes) -> None:
        """Take the next bytes, in pieces of any size."""

    def finish(self) -> None:
        """Note the end of the file."""

    @property
    def open_comment(self) -> int:
        """The line of a comment that has not ended; 0 if there is none."""

    @property
    def names(self) -> list[str]:
        """Players by first appearance."""

    @property
    def rows(self) -> list[tuple[int, int, int, int, int]]:
        """
        (first, second, first_wins, draws, second_wins) for each ordered pair, by first appearance.
        """

    @property
    def left_out(self) -> list[tuple[str, int, list[int]]]:
        """
        Games that do not count, as (reason, games, lines of the first three), by first appearance.
        """

    @property
    def malformed_tags(self) -> list[tuple[str, int, list[int]]]:
        """Malformed tags other than White, Black and Result, in the same form."""
