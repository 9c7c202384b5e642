"""A schedule file: one frozen struct per table, every key with its unit, range and default.

`validation.load` makes these from a TOML file; the store keeps the resolved schedule as JSON beside the games.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

import protocol
from support.errors import UsageError
from tournament.elo import MOST_ELO

METHODS = ("meeting-graph", "adaptive", "ladder", "round-robin", "gauntlet", "swiss", "knockout", "sprt")
FIXED = ("meeting-graph", "round-robin", "gauntlet")
"""methods whose pairs are known before the first game"""
CRITERIA = ("connectivity", "precision", "order")
BACKENDS = ("builtin", "bayeselo")
SPRT_MODELS = ("logistic", "normalised")
MODELS = ("bayeselo", "davidson")
DEGREE_CAPS = ("near-equal", "none")
ORDERS = ("listed", "random")

MAX_CONCURRENCY = 192
"""games at the same time; a server of ours takes 256 sessions, some of which may be of games that have just ended"""
MAX_PRIOR_GAMES = 10**9

Elo = Annotated[float, Meta(ge=-MOST_ELO, le=MOST_ELO)]
Deviation = Annotated[float, Meta(gt=0, le=MOST_ELO)]
Positive = Annotated[int, Meta(ge=1)]
NotNegative = Annotated[int, Meta(ge=0)]
Milliseconds = Annotated[int, Meta(ge=1, le=protocol.MAX_MS)]
OptionValue = str | int | float | bool


class Table(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A table of a schedule: immutable, and refusing keys that it does not know."""


class Tournament(Table, frozen=True, kw_only=True):
    """`[tournament]`: what is played and how often."""

    name: str
    """names the folder of the run under `results/`; letters, digits, `.`, `_` and `-`"""
    game: str
    """id of a game, as `engine games` lists them"""
    games_per_pair: Positive = 2
    """games between every two players that meet; even, because each opening is played with both colours"""
    seed: NotNegative = 0
    """makes openings, meeting graph and the players' own seeds; below 2⁶³"""
    concurrency: Positive = 1
    """games played at the same time; `--concurrency` overrides it"""
    pin: bool = False
    """each of the games that are played at the same time gets cores of its own for the programs that we start"""
    bench_after: NotNegative = 5
    """failures in a row after which a player gets no more games; 0: never"""


class Limit(Table, frozen=True, kw_only=True):
    """`[limit]`: how much a move, or a game, may cost. Exactly one of the four kinds."""

    movetime_ms: Milliseconds | None = None
    """milliseconds for each move"""
    nodes: Annotated[int, Meta(ge=1, le=protocol.MAX_NODES)] | None = None
    """search nodes for each move"""
    depth: Annotated[int, Meta(ge=1, le=protocol.MAX_DEPTH)] | None = None
    """search depth in plies for each move"""
    base_ms: Milliseconds | None = None
    """a clock: milliseconds for all moves of one side"""
    increment_ms: Annotated[int, Meta(ge=0, le=protocol.MAX_MS)] | None = None
    """with `base_ms`: milliseconds added after each own move; default 0"""
    margin_ms: NotNegative = 50
    """how much later than its limit a move may arrive without losing, in milliseconds"""
    startup_s: Annotated[float, Meta(gt=0, le=3600)] = 10.0
    """seconds a player may take to start, to shake hands, and to get ready for a new game"""
    stall_s: Annotated[float, Meta(gt=0, le=86400)] = 60.0
    """with `nodes` or `depth`, which set no time: seconds after which a silent player loses on time"""


class Stop(Table, frozen=True, kw_only=True):
    """`stop` of `[pairing]`: when to end before all games are played. One of `top` and `error`."""

    top: Positive | None = None
    """the best so many players are known to be the best"""
    confidence: Annotated[float, Meta(gt=0.5, lt=1)] = 0.95
    """how likely that must be"""
    error: Deviation | None = None
    """every player's 95 % interval reaches at most so many Elo up and down"""


class Sprt(Table, frozen=True, kw_only=True):
    """`sprt` of `[pairing]`: the two hypotheses about the first player's advantage over the second."""

    elo0: Elo = 0.0
    """Elo under H0"""
    elo1: Elo = 10.0
    """Elo under H1; more than `elo0`"""
    alpha: Annotated[float, Meta(gt=0, lt=0.5)] = 0.05
    """how often H1 may be accepted although H0 is true"""
    beta: Annotated[float, Meta(gt=0, lt=0.5)] = 0.05
    """how often H0 may be accepted although H1 is true"""
    model: str = "logistic"
    """`logistic`, or `normalised`: in units of the standard deviation of a game, so that draws do not matter"""
    pentanomial: bool = True
    """count meetings, two games of one opening, rather than games"""


class Pairing(Table, frozen=True, kw_only=True):
    """`[pairing]`: who meets whom."""

    method: str = "meeting-graph"
    """`meeting-graph`, `adaptive`, `ladder`, `round-robin`, `gauntlet`, `swiss`, `knockout` or `sprt`"""
    pairs: Positive | None = None
    """meeting-graph: number of pairs that meet"""
    degree: Positive | None = None
    """meeting-graph, instead of `pairs`: opponents of each player"""
    games: Positive | None = None
    """games of the whole tournament, at most; meeting-graph: instead of `pairs`; adaptive: required"""
    criterion: str = "connectivity"
    """meeting-graph: what the graph is best in: `connectivity`, `precision` or `order`"""
    degree_cap: str | Positive = "near-equal"
    """meeting-graph: `near-equal`, `none`, or the most opponents a player may have"""
    required: tuple[tuple[str, str], ...] = ()
    """meeting-graph: pairs of names that must meet"""
    forbidden: tuple[tuple[str, str], ...] = ()
    """meeting-graph, adaptive: pairs of names that must not meet"""
    prior_games: tuple[tuple[str, str, Annotated[int, Meta(ge=1, le=MAX_PRIOR_GAMES)]], ...] = ()
    """meeting-graph, adaptive: games played elsewhere, `["a", "b", 20]`, that the graph may rest on"""
    style_sd: Annotated[float, Meta(ge=0, le=MOST_ELO)] = 0.0
    """meeting-graph, adaptive: how far in Elo the result of a pair may differ from what the ratings say"""
    challengers: tuple[str, ...] = ()
    """gauntlet: the players that meet all others; default the first player"""
    batches: Positive = 4
    """adaptive: how often the games that are left are planned anew"""
    opponents: Positive = 16
    """ladder: how many of the players before it each player meets"""
    rounds: Positive | None = None
    """swiss: number of rounds; default as many as a knockout would take"""
    stop: Stop | None = None
    """when to end before all games are played; not for knockout and sprt"""
    sprt: Sprt | None = None
    """sprt: the hypotheses; default 0 against 10 Elo"""


class Openings(Table, frozen=True, kw_only=True):
    """`[openings]`: how games begin. Each opening is played twice by a pair, colours reversed."""

    plies: NotNegative = 0
    """random legal moves at the start, distinct up to the symmetries of the game"""
    file: str | None = None
    """instead of `plies`: a text file, or the name of a shipped list such as `renju26`; one opening a line, moves
    separated by blanks, `#` comments"""
    coordinates: str | None = None
    """with `file`: `own`, the game's moves, or `gomocup`, points `x,y` from the top left; default: what the file has"""
    order: str = "listed"
    """with `file`: `listed`, or `random`: in an order that the seed makes"""
    balance: str | None = None
    """with `plies`: `PLAYER key=value …`, `depth` or `nodes` among them: only openings are kept that it finds even"""
    tolerance: Annotated[float, Meta(ge=0, le=0.5)] = 0.1
    """with `balance`: how far from 0.5 the expected score of the side to move may be"""
    start: NotNegative = 0
    """openings of the list that are left out at its beginning: runs that share a list play parts of it"""
    count: Positive | None = None
    """openings of the list that are played, from `start` on; default: all that are needed"""


class Adjudication(Table, frozen=True, kw_only=True):
    """`[adjudication]`: when the referee ends a game before the rules do. Nothing, if nothing is given.

    Scores are those that the players say last before their moves, in centipawns: 400·log10(s/(1−s)) for an expected
    score s.
    """

    resign_score: Positive | None = None
    """a side is lost once both players say so: at most -`resign_score` for it, at least `resign_score` for the other"""
    resign_moves: Positive = 3
    """with `resign_score`: for so many moves of each side, one after the other"""
    draw_score: NotNegative | None = None
    """a draw once both players see no more than this for either side"""
    draw_moves: Positive = 8
    """with `draw_score`: for so many moves of each side, one after the other"""
    draw_after: NotNegative = 0
    """with `draw_score`: plies of the game, the opening included, before which no such draw is given"""
    max_plies: Positive | None = None
    """a draw once so many plies are played, the opening included"""
    proof: bool = False
    """end a game whose result the referee can prove at once: no line is open any more, or fours that force a win"""


class Rating(Table, frozen=True, kw_only=True):
    """`[rating]`: how the ranking is computed from the results."""

    backend: str = "builtin"
    """`builtin`, or `bayeselo`: the original program"""
    advantage: Elo | str = 32.8
    """Elo that moving first is worth, or `fit`"""
    draw_elo: Elo | str = 97.3
    """Elo that makes draws as frequent as they are, or `fit`"""
    prior: Annotated[float, Meta(ge=0, le=MAX_PRIOR_GAMES)] = 2.0
    """virtual draws that each player starts with"""
    imitate: bool = False
    """round and iterate as the original program does"""
    model: str = "bayeselo"
    """how draws come about: `bayeselo` (Rao and Kupper), or `davidson`"""
    anchor: dict[str, Elo] = {}
    """Elo by name of player: one shifts all ratings, several are held where they are"""


class Player(Table, frozen=True, kw_only=True):
    """`[[players]]`: exactly one of `player`, `model`, `models`, `command`, `address` says how to reach it."""

    name: str = ""
    """unique; 1 to 64 printable characters; not with `models`, whose players are named after their files"""
    player: str | None = None
    """a player of `engine players`, started as `engine serve --player`"""
    model: str | None = None
    """an ONNX file, started as `engine serve --model`"""
    models: str | None = None
    """a glob: one player per file, named after its stem"""
    command: tuple[str, ...] | None = None
    """a program and its arguments, spoken to on its pipes; it runs in the schedule's folder"""
    address: str | None = None
    """`HOST:PORT` of a player that listens"""
    protocol: str = "ugi"
    """the dialect it speaks"""
    options: dict[str, OptionValue] = {}
    """settings of the player, sent before its first game"""
    required: bool = True
    """false: a run begins without it where it does not start, and it plays once it comes; not for knockout and sprt"""
    elo: Elo | None = None
    """strength believed before, in Elo"""
    elo_sd: Deviation | None = None
    """standard deviation of that belief, in Elo; only where an `elo` is given, of this player or another"""


class Schedule(Table, frozen=True, kw_only=True):
    """A whole schedule, checked, with its `models` expanded and its model files absolute."""

    tournament: Tournament
    limit: Limit
    pairing: Pairing = Pairing()
    openings: Openings = Openings()
    adjudication: Adjudication = Adjudication()
    rating: Rating = Rating()
    players: tuple[Player, ...]
    folder: str = "."
    """absolute path of the folder that its relative paths start from; no key of the file"""
    file: str = "schedule"
    """what errors call the file; no key of it"""

    def error(self, key: str, wrong: str) -> UsageError:
        """Return the error that names the file and the key."""
        return UsageError(f"{self.file}: {key}: {wrong}")

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names in the order of the schedule."""
        return tuple(player.name for player in self.players)

    @property
    def places(self) -> dict[str, int]:
        """The number of each player, from 0, in the order of the schedule."""
        return {name: number for number, name in enumerate(self.names)}
