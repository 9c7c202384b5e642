"""A schedule file: one frozen struct per table, every key with its unit, range and default.

`validation.load` makes these from a TOML file; the store keeps the resolved schedule as JSON beside the games.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from fiedler import protocol
from fiedler.support.errors import UsageError
from fiedler.support.player_table import PlayerTable
from fiedler.tournament.elo import MOST_ELO
from fiedler.tournament.schedule.methods import Method, method
from fiedler.tournament.termination import FAILURES, Termination

CRITERIA = ("connectivity", "precision", "order")
"""Values of `criterion`."""
BACKENDS = ("builtin", "bayeselo")
"""Values of `backend`."""
SPRT_MODELS = ("logistic", "normalised")
"""Values of `model` of `sprt`."""
MODELS = ("bayeselo", "davidson")
"""Values of `model` of `[rating]`."""
UNEQUAL = ("warn", "refuse")
"""Values of `unequal`."""
DEGREE_CAPS = ("near-equal", "none")
"""Values of `degree_cap` besides numbers."""
OWN_START, RANDOM_STARTS = "start", "random"
POSITIONS = (OWN_START, RANDOM_STARTS)
"""Values of `[openings] positions`."""
ORDERS = ("listed", "random")
"""Values of `order`."""

POSTERIOR, ML = "posterior", "ml"
PLANS = (POSTERIOR, ML)
"""Values of `plan`."""
BEST = "best"
GOALS = (BEST,)
"""Values of `goal` besides tables."""

UNNAMED = "schedule"
"""The name of a schedule that no file has."""

CONTINUE, STOP = "continue", "stop"
DISPUTES = (CONTINUE, STOP)
"""Values of `disputes`."""

NEVER, EACH_GAME = "never", "game"
RESTARTS = (NEVER, EACH_GAME)
"""Values of `restart`."""

JSON, TEXT = "json", "text"
FORMATS = (JSON, TEXT)
"""Values of `format`."""

MAX_CONCURRENCY = 192
"""Most concurrent games; our server accepts 256 sessions, and some may belong to games that have just ended."""
MOST_AWAY_S = 30 * 86400
"""Most seconds for which a run waits for a player: a month."""
MAX_PRIOR_GAMES = 10**9
"""Most earlier games of a pair, and most virtual draws of a player."""

Elo = Annotated[float, Meta(ge=-MOST_ELO, le=MOST_ELO)]
Deviation = Annotated[float, Meta(gt=0, le=MOST_ELO)]
MANY = 10**9
"""The largest number of a key that counts something."""
Positive = Annotated[int, Meta(ge=1, le=MANY)]
NotNegative = Annotated[int, Meta(ge=0, le=MANY)]
Milliseconds = Annotated[int, Meta(ge=1, le=protocol.MAX_MS)]


class _Table(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A table of a schedule: immutable, without unknown keys."""


class Tournament(_Table, frozen=True, kw_only=True):
    """`[tournament]`: the game, and the number of games."""

    name: str
    """Name of the run's folder under `results/`: letters, digits, `.`, `_` and `-`."""
    game: str
    """Id of a game in `engine games`, or `FILE.py:OBJECT` or `MODULE:OBJECT`, which becomes the id of that game."""
    games_per_pair: Positive = 2
    """Games of every pair that meets; even, because each opening is played with both colours."""
    seed: Annotated[int, Meta(ge=0)] = 0
    """Seed of the openings, of the meeting graph and of the players' own seeds; below 2⁶³."""
    concurrency: Positive = 1
    """Number of concurrent games; `--concurrency` overrides it."""
    pin: bool = False
    """Whether each concurrent game has its own cores for the programs that the manager starts."""
    bench_after: NotNegative = 5
    """Consecutive failures after which a player gets no more games; 0: never."""
    disputes: str = CONTINUE
    """With `game = "generic"`: whether the run continues after a dispute, or `stop`, the first one ends it."""
    rules: dict[str, bool | int | float | str] = {}
    """The rules of the game, which has a key for each: `games/rule_keys.py`; once checked, those that
    are not its default ones."""


class LimitSection(_Table, frozen=True, kw_only=True):
    """`[limit]`: the limit of a move or of a game, exactly one of four kinds."""

    movetime_ms: Milliseconds | None = None
    """Milliseconds per move."""
    nodes: Annotated[int, Meta(ge=1, le=protocol.MAX_NODES)] | None = None
    """Search nodes per move."""
    depth: Annotated[int, Meta(ge=1, le=protocol.MAX_DEPTH)] | None = None
    """Search depth in plies per move."""
    base_ms: Milliseconds | None = None
    """A clock: milliseconds for all moves of one side."""
    increment_ms: Annotated[int, Meta(ge=0, le=protocol.MAX_MS)] | None = None
    """With `base_ms`: milliseconds added after each own move; default 0."""
    margin_ms: Annotated[int, Meta(ge=0, le=protocol.MAX_MS)] = 50
    """Milliseconds after its limit within which a move does not lose on time."""
    lag_credit_ms: Annotated[int, Meta(ge=0, le=protocol.MAX_MS)] = 0
    """Most milliseconds of lag that are subtracted from the time of a move; 0: none."""
    reconnect_s: Annotated[float, Meta(ge=0, le=86400)] = 0.0
    """Seconds for which a game waits for a player whose line is lost; 0: it loses at once."""
    away_s: Annotated[float, Meta(ge=0, le=MOST_AWAY_S)] = 600.0
    """Seconds for which the games of a player that dials in wait while it has no connection; then they are set aside.
    """
    startup_s: Annotated[float, Meta(gt=0, le=3600)] = 10.0
    """Seconds for the start of a player, for its handshake, and for its preparation of a new game."""
    stall_s: Annotated[float, Meta(gt=0, le=86400)] = 60.0
    """With `nodes` or `depth`, which set no time: seconds after which a silent player loses on time."""


class StopRule(_Table, frozen=True, kw_only=True):
    """`stop` of `[pairing]`: a rule that ends a tournament before all games are played. One of `top` and `error`."""

    top: Positive | None = None
    """Number of players that must be known to be the best ones."""
    confidence: Annotated[float, Meta(gt=0.5, lt=1)] = 0.95
    """Probability required with `top`."""
    error: Deviation | None = None
    """Largest half-width of every player's 95 % interval, in Elo."""


class GoalRule(_Table, frozen=True, kw_only=True):
    """`goal` of `[pairing]`: which player is the best. It is met as soon as one of its two conditions is."""

    best: Deviation | None = None
    """Largest distance of the chosen player from the best one, in Elo, that has the probability `confidence`."""
    confidence: Annotated[float, Meta(gt=0.5, lt=1)] = 0.95
    """Probability required with `best`."""
    loss: Deviation | None = None
    """Largest expected distance of the chosen player from the best one, in Elo."""

    @property
    def text(self) -> str:
        """The conditions in words."""
        near = [] if self.best is None else [f"within {self.best:g} Elo, {100 * self.confidence:g} %"]
        return ", or ".join([*near, *([] if self.loss is None else [f"expected loss {self.loss:g} Elo"])])


class Sprt(_Table, frozen=True, kw_only=True):
    """`sprt` of `[pairing]`: the two hypotheses about the first player's advantage over the second."""

    elo0: Elo = 0.0
    """Elo under H0."""
    elo1: Elo = 10.0
    """Elo under H1; more than `elo0`."""
    alpha: Annotated[float, Meta(gt=0, lt=0.5)] = 0.05
    """Probability of accepting H1 if H0 is true."""
    beta: Annotated[float, Meta(gt=0, lt=0.5)] = 0.05
    """Probability of accepting H0 if H1 is true."""
    model: str = "logistic"
    """`logistic`, or `normalised`: in units of the standard deviation of a game, so that draws do not matter."""
    pentanomial: bool = True
    """Whether to count meetings, two games of one opening, instead of games."""


BEST_PLAYER = GoalRule(best=10.0, confidence=0.95, loss=3.0)
"""The rule of `goal = "best"`."""


class Pairing(_Table, frozen=True, kw_only=True):
    """`[pairing]`: the choice of the pairs."""

    method: str = "meeting-graph"
    """`meeting-graph`, `adaptive`, `ladder`, `round-robin`, `gauntlet`, `swiss`, `knockout` or `sprt`."""
    pairs: Positive | None = None
    """meeting-graph: number of pairs that meet."""
    degree: Positive | None = None
    """meeting-graph, instead of `pairs`: opponents of each player."""
    games: Positive | None = None
    """Most games of the whole tournament; meeting-graph: instead of `pairs`; adaptive: required."""
    criterion: str = "connectivity"
    """meeting-graph: the criterion of the design: `connectivity`, `precision` or `order`."""
    degree_cap: str | Positive = "near-equal"
    """meeting-graph: `near-equal`, `none`, or the most opponents of a player."""
    required: tuple[tuple[str, str], ...] = ()
    """meeting-graph: pairs of names that must meet."""
    forbidden: tuple[tuple[str, str], ...] = ()
    """meeting-graph, adaptive: pairs of names that must not meet."""
    prior_games: tuple[tuple[str, str, Annotated[int, Meta(ge=1, le=MAX_PRIOR_GAMES)]], ...] = ()
    """meeting-graph, adaptive: games played elsewhere, `["a", "b", 20]`, which the graph takes into account."""
    style_sd: Annotated[float, Meta(ge=0, le=MOST_ELO)] | None = None
    """meeting-graph, adaptive: standard deviation of a pair's result from the ratings, in Elo; default: 0, with `goal`
    an estimate."""
    challengers: tuple[str, ...] = ()
    """gauntlet: the players that meet all others; default: the first player."""
    batches: Positive = 4
    """adaptive: number of batches, each planned on the ratings so far; not with `goal`."""
    plan: str | None = None
    """adaptive: the ratings on which batches are planned: `posterior`, or `ml`, those of the ranking without anchors;
    default: what the run began with, a new one with `posterior`."""
    goal: GoalRule | str | None = None
    """adaptive: `best`, short for `{ best = 10, confidence = 0.95, loss = 3 }`, or such a table: which player is the
    best; default: precise ratings of all."""
    opponents: Positive = 16
    """ladder: number of earlier players that each player meets."""
    rounds: Positive | None = None
    """swiss: number of rounds; default: that of a knockout."""
    stop: StopRule | None = None
    """A stopping rule; not for knockout and sprt."""
    sprt: Sprt | None = None
    """sprt: the hypotheses; default: 0 against 10 Elo."""

    @property
    def kind(self) -> Method:
        """What the method is."""
        return method(self.method)

    @property
    def aim(self) -> GoalRule | None:
        """The rule of `goal`; None without one."""
        return BEST_PLAYER if isinstance(self.goal, str) else self.goal

    @property
    def plans_by_posterior(self) -> bool:
        """Whether the posterior plans the batches."""
        return self.plan != ML

    @property
    def ends_early(self) -> bool:
        """Whether a stopping rule or a goal may end a tournament before all games are played."""
        return self.stop is not None or self.goal is not None

    @property
    def test(self) -> Sprt:
        """The hypotheses of a sequential test, given or by default."""
        return self.sprt or Sprt()


class Openings(_Table, frozen=True, kw_only=True):
    """`[openings]`: the first moves of the games. A pair plays each opening twice, colours reversed."""

    plies: Annotated[int, Meta(ge=0)] = 0
    """Random legal moves at the start; the openings differ also up to the symmetries of the game. With a PGN the first
    moves of each game, with a book the moves that are drawn."""
    positions: str = OWN_START
    """`start`, that of the game, or `random`: the starts of a game that has several, from the seed."""
    file: str | None = None
    """A text file, or the name of a shipped list such as `renju26`: one opening per line, moves separated by blanks,
    `#` comments; or an EPD, a PGN, a book of PolyGlot, by the ending."""
    coordinates: str | None = None
    """With `file`: `own`, the game's notation, `gomocup`, points `x,y` from the top left, or `centre`, offsets from the
    centre; default: by the file."""
    order: str = "listed"
    """With `file`: `listed`, or `random`, an order from the seed."""
    balance: str | None = None
    """With `plies`: `PLAYER key=value …`, with `depth` or `nodes`; only openings that it finds even are kept."""
    tolerance: Annotated[float, Meta(ge=0, le=0.5)] = 0.1
    """With `balance`: largest distance of the expected score of the side to move from 0.5."""
    start: Annotated[int, Meta(ge=0, le=10**6)] = 0
    """Number of openings skipped at the beginning of the list, so that several runs can share a list."""
    count: Positive | None = None
    """Number of openings used from `start` on; default: all that are needed."""

    @property
    def given(self) -> str:
        """The key from which the openings come; empty if games begin at the start."""
        if self.plies:
            return "plies"
        return "file" if self.file is not None else "positions" if self.has_random_starts else ""

    @property
    def has_random_starts(self) -> bool:
        """Whether games begin at different starts of the game."""
        return self.positions == RANDOM_STARTS


class Adjudication(_Table, frozen=True, kw_only=True):
    """`[adjudication]`: the end of a game by the referee before its end by the rules. By default there is none.

    Scores are the last ones that the players report before their moves, in centipawns: 400·log10(s/(1−s)) for an
    expected score s.
    """

    resign_score: Positive | None = None
    """A side loses if both players agree: at most -`resign_score` for it, at least `resign_score` for the other."""
    resign_moves: Positive = 3
    """With `resign_score`: number of consecutive moves of each side."""
    draw_score: NotNegative | None = None
    """A draw if both players report at most this score for either side."""
    draw_moves: Positive = 8
    """With `draw_score`: number of consecutive moves of each side."""
    draw_after: NotNegative = 0
    """With `draw_score`: plies before the first such draw, the opening included."""
    max_plies: Positive | None = None
    """A draw after this number of plies, the opening included."""
    proof: bool = False
    """Whether to end a game with a proven result at once: no open line, or fours that force a win."""


class RatingSection(_Table, frozen=True, kw_only=True):
    """`[rating]`: the computation of the ranking from the results."""

    backend: str = "builtin"
    """`builtin`, or `bayeselo`: the original program."""
    advantage: Elo | str = 32.8
    """Elo that the first player of a game gains, or `fit`."""
    draw_elo: Elo | str = 97.3
    """Draw parameter in Elo (the larger, the more draws), or `fit`."""
    prior: Annotated[float, Meta(ge=0, le=MAX_PRIOR_GAMES)] = 2.0
    """Virtual draws of each player."""
    imitate: bool = False
    """Whether to repeat the early-stopping iteration of the original program."""
    model: str = "bayeselo"
    """The model of draws: `bayeselo` (Rao and Kupper), or `davidson`."""
    anchor: dict[str, Elo] = {}
    """Elo by name of player: one shifts all ratings, several are held."""
    posterior: str | None = None
    """The prior of posterior ratings beside the ranking: `population` or `curve`; default: none."""
    series: tuple[str, ...] = ()
    """With `posterior = "curve"`: the stems of the series, the names before the numbers; default: all."""


class ClusterSection(_Table, frozen=True, kw_only=True):
    """`[cluster]`: the nodes of `tournament run --cluster`."""

    tables: Positive | None = None
    """Games at the same time at each node; default: its cores, divided by the most `threads` of a player."""
    wait_s: Annotated[float, Meta(ge=0, le=86400)] = 60.0
    """Seconds without any node after which the games are played at home."""
    lost_s: Annotated[float, Meta(ge=3, le=3600)] = 10.0
    """Seconds without a word of a node after which its games are void and played elsewhere."""
    unequal: str = "warn"
    """With limits of time, for a node whose speed is over 10 % from the median: `warn` or `refuse`."""
    cache_mb: Positive = 2048
    """Most MiB of model files that a node keeps."""
    folder: str = ""
    """The folder at the nodes in which `command` players start; default: the home of the node's user, with `local:N`
    the folder of the schedule."""


class Notify(_Table, frozen=True, kw_only=True):
    """`[notify]`: the receiver of the notices of a run. Its URL may hold a secret: the schedule names its place."""

    url: str | None = None
    """`env:NAME`: the variable of the environment that has the URL."""
    url_file: str | None = None
    """Instead of `url`: a file with the URL alone on a line."""
    format: str = JSON
    """`json`, an object with the notice and its text, or `text`, the text alone."""

    @property
    def place(self) -> str:
        """The place of the URL, which messages name; empty if there are no notices."""
        return self.url or self.url_file or ""


class Discover(_Table, frozen=True, kw_only=True):
    """`discover` of `[[players]]`: engines that announce themselves at the broker of `tournament run --mqtt`."""

    game: str | None = None
    """The game of the engines; default: that of the tournament, which it must be."""
    name: str = "*"
    """A pattern of announced names, or of names with their six digits: `*`, `?` and `[…]`."""
    min: Positive = 1
    """Fewest engines; with fewer the run does not begin."""
    wait_s: Annotated[float, Meta(gt=0, le=3600)] = 10.0
    """Seconds to wait for them."""


class PlayerEntry(PlayerTable, frozen=True, kw_only=True, omit_defaults=True):
    """`[[players]]`: a player, started or reached in exactly one way.

    The ways: `player`, `model`, `models`, `command`, `address`, `listen`, `dial_in`, `discover`; `player` may name the
    kind beside `model` or `models`. The `name` has 1 to 64 printable characters and is unique; players of `models` are
    named after their files. The `options` are sent before its first game.
    """

    models: str | None = None
    """A glob: one player per file, named after its stem."""
    prefix: str = ""
    """With `models`: the beginning of their names, before the stems."""
    command: tuple[str, ...] | None = None
    """A program and its arguments, connected by pipes; it runs in the schedule's folder."""
    address: str | None = None
    """`HOST:PORT` of a listening player."""
    listen: str | None = None
    """`HOST:PORT` at which we listen for a player that opens the connection itself."""
    discover: Discover | None = None
    """Engines at a broker: one player for each, named after it. The stored schedule has their addresses, too."""
    dial_in: bool = False
    """Whether the player connects to `tournament run --listen` and gives its name and its token."""
    token_file: str | None = None
    """With `address`, or with `discover`, `tls` and `ca`: a file with the token to send."""
    tls: bool = False
    """With `address`: whether the connection is encrypted."""
    ca: str | None = None
    """With `tls`: a PEM file of the authorities to trust; default: those of the system."""
    protocol: str = "ugi"
    """The dialect of the player."""
    own_limit: bool = False
    """With `nodes` or `depth` in a dialect that cannot express them: the player limits its own search."""
    load_model: str | None = None
    """makemove: the text of `LOAD_MODEL`, sent as it is; by default it is not sent: some programs do not know it."""
    send_time: bool = False
    """makemove: send `SET_TIME_PER_MOVE` with `movetime_ms`; some programs do not know it."""
    isolate: bool = False
    """With `player`, `model` or `models`: whether the player has its own process; otherwise local players share one."""
    restart: str = NEVER
    """With `command`: `never`, or `game`, a process for each game."""
    reserve_ms: Annotated[int, Meta(ge=0, le=protocol.MAX_MS)] = 0
    """Milliseconds that are subtracted from every time that the player gets, for a program that overruns."""
    required: bool = True
    """False: if the player does not start, the run begins without it, and it plays later; not for knockout and sprt."""
    elo: Elo | None = None
    """Expected strength in Elo."""
    elo_sd: Deviation | None = None
    """Standard deviation of the expected strength in Elo; only with an `elo` of this player or of another one."""


class Shard(_Table, frozen=True, kw_only=True):
    """A share of the games of a run, played as a run of its own."""

    number: Positive
    """Its number, from 1."""
    of: Positive
    """The number of shards of the run."""
    run: str
    """The name of the whole run."""

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def has(self, game: int) -> bool:
        """Return whether a game of the plan, by its number from 1, is one of this shard: they take turns."""
        return (game - self.number) % self.of == 0


class Schedule(_Table, frozen=True, kw_only=True):
    """A checked schedule, with `models` expanded and absolute paths of model files."""

    tournament: Tournament
    limit: LimitSection
    pairing: Pairing = Pairing()
    openings: Openings = Openings()
    adjudication: Adjudication = Adjudication()
    rating: RatingSection = RatingSection()
    cluster: ClusterSection = ClusterSection()
    notify: Notify = Notify()
    players: tuple[PlayerEntry, ...]
    folder: str = "."
    """Absolute path of the folder of relative paths; not a key of the file."""
    file: str = UNNAMED
    """Name of the file in error messages; not a key of it."""
    shard: Shard | None = None
    """The games that are played, of `--shard`; None: all. Not a key of the file."""
    rules: str = ""
    """The place of the game if the file names one, with an absolute path; not a key of it. For the rules of the game
    see `tournament.rules`."""

    def error(self, key: str, wrong: str) -> UsageError:
        """Return the error that names the file and the key."""
        return UsageError(f"{self.file}: {key}: {wrong}")

    def plays(self, game: int) -> bool:
        """Return whether the run plays the game of its plan with this number."""
        return self.shard is None or self.shard.has(game)

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names in the order of the schedule."""
        return tuple(player.name for player in self.players)

    @property
    def places(self) -> dict[str, int]:
        """The index of each player in the order of the schedule."""
        return {name: number for number, name in enumerate(self.names)}

    @property
    def dialling(self) -> tuple[str, ...]:
        """The names of the players that dial in."""
        return tuple(player.name for player in self.players if player.dial_in)

    def counts_failure(self, termination: Termination, loser: str | None) -> bool:
        """Return whether a game counts for `bench_after`: `away_s` judges the lost lines of players that dial in."""
        return termination in FAILURES and not (termination == Termination.DISCONNECT and loser in self.dialling)
