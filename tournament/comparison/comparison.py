"""A strength test as the schedule of a run: both players, their limit, the test, the openings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from fiedler import games
from fiedler.protocol import MAX_MOVES
from fiedler.support.errors import UsageError, UsageErrors
from fiedler.support.player_spec import toml_value
from fiedler.tournament.comparison.contender import contender_text
from fiedler.tournament.run.continuation import ADVICE
from fiedler.tournament.run.run_file import RESULTS
from fiedler.tournament.schedule.schedule import UNNAMED, PlayerEntry, Schedule, Sprt
from fiedler.tournament.schedule.sharding import sharded
from fiedler.tournament.schedule.validation import load

OUT = RESULTS / "compare"
"""The folder of the games unless another one is given."""
BASE, CANDIDATE = "base", "candidate"
UGI = "ugi"
ELO1 = 20.0
"""Elo under H1: a gain that two cores show within minutes."""
MOST_GAMES = 4000
PLIES = "4"
"""Random plies of an opening."""
MOVETIME_MS = 100
MARGIN_MS = 100
"""Milliseconds after the limit: a shared machine answers late."""
MAX_PLIES = 400
"""Plies after which a game without a bound is drawn."""
OPTIONS = {
    f"players '{CANDIDATE}'": "--candidate",
    f"players '{BASE}'": "--base",
    "tournament.game": "--game",
    "tournament.seed": "--seed",
    "tournament.concurrency": "--concurrency",
    "limit.movetime_ms": "--movetime",
    "limit.nodes": "--nodes",
    "limit.margin_ms": "--margin",
    "pairing.games": "--games",
    "pairing.sprt.elo0": "--elo0",
    "pairing.sprt.elo1": "--elo1",
    "pairing.sprt": "--elo0",
    "openings": "--openings",
    "adjudication.max_plies": "--max-plies",
}
"""Beginnings of keys of a schedule -> the options that they come from."""


class Comparison(Struct, frozen=True, kw_only=True):
    """The options of a strength test."""

    base: PlayerEntry
    candidate: PlayerEntry
    game: str
    """An id, or `FILE.py:OBJECT`."""
    test: Sprt = Sprt(elo1=ELO1)
    movetime_ms: int | None = None
    nodes: int | None = None
    """One of both."""
    margin_ms: int = MARGIN_MS
    openings: str = PLIES
    """A number of random plies, or a file of openings."""
    max_plies: int | None = None
    games: int = MOST_GAMES
    """Most games, even."""
    seed: int = 0
    concurrency: int = 1
    shard: str | None = None
    """`I/N`: the games of a share, without a decision."""

    def schedule(self, name: str, file: Path, folder: Path) -> Schedule:
        """Write the schedule to a new file, and return it; `name` is that of the run, paths start from `folder`.

        Raises:
            UsageError: an option is wrong; the message names it.

        """
        file.write_text("\n".join(self._toml(name, folder)) + "\n", "utf-8")
        with about_options(str(file)):
            return self._read(file, folder)

    def _read(self, file: Path, folder: Path) -> Schedule:
        """Return the schedule of the file; programs run in `folder`. All shards store the test for the verdict."""
        schedule = msgspec.structs.replace(load(file), folder=str(folder), file=UNNAMED)
        if self.shard is None:
            return schedule
        pairing = msgspec.structs.replace(schedule.pairing, sprt=self.test)
        return msgspec.structs.replace(sharded(schedule, self.shard), pairing=pairing)

    def _toml(self, name: str, folder: Path) -> Iterator[str]:
        """Yield the lines of the file. A plan that shards can share is fixed: all games."""
        game = games.absolute(self.game, folder) if games.is_place(self.game) else self.game
        whole = self.shard is None
        yield from _table("tournament", name=name, game=game, games_per_pair=2 if whole else self.games, seed=self.seed)
        yield f"concurrency = {self.concurrency}"
        yield from _table("limit", movetime_ms=self.movetime_ms, nodes=self.nodes, margin_ms=self.margin_ms)
        if whole:
            yield from _table("pairing", method="sprt", games=self.games)
            yield from _table("pairing.sprt", **msgspec.structs.asdict(self.test))
        else:
            yield from _table("pairing", method="round-robin")
        yield from self._openings(folder)
        yield from _table("adjudication", max_plies=self._longest(game))
        for player in (self.candidate, self.base):
            yield from _player(player)

    def _openings(self, folder: Path) -> Iterator[str]:
        if self.openings.isascii() and self.openings.isdecimal():
            yield from _table("openings", plies=int(self.openings))
            return
        file = folder / self.openings
        yield from _table("openings", file=str(file) if file.exists() else self.openings, order="random")

    def _longest(self, game: str) -> int | None:
        """Return the plies of the longest game; by default those of the rules, if they have a bound."""
        if self.max_plies is not None:
            return self.max_plies
        with suppress(UsageError):  # a wrong game is the complaint of the schedule
            found = games.game_at(game) if games.is_place(game) else games.any_game(game)
            return None if found.most_plies is not None and found.most_plies <= MAX_MOVES else MAX_PLIES
        return None


@contextmanager
def about_options(file: str = UNNAMED) -> Iterator[None]:
    """Turn complaints about keys of a file into those about the options that the keys come from."""
    try:
        yield
    except UsageError as error:
        raise UsageErrors([_as_option(line, f"{file}: ") for line in str(error).splitlines()]) from None


def _as_option(line: str, file: str) -> str:
    """Return a complaint whose key, perhaps behind the folder of a run, is an option."""
    wrong = line.removeprefix(file).replace(ADVICE, "--fresh starts anew, --out takes another folder")
    for key, option in OPTIONS.items():
        if found := re.match(rf"(?:\S+: )?{re.escape(key)}(?:\.options\.([^:]+)|[^:]*): ", wrong):
            of_player = f"{found[1]}: " if found[1] else ""
            return f"{option}: {of_player}{wrong[found.end() :]}"
    return wrong


def command_of(schedule: Schedule, out: Path | None = None) -> list[str]:
    """Return the command that repeats a strength test, whose games are in `out`; without the places of other files."""
    candidate, base = schedule.players
    test, limit, openings = schedule.pairing.test, schedule.limit, schedule.openings
    games_ = schedule.pairing.games or schedule.tournament.games_per_pair
    kind = ("--movetime", limit.movetime_ms) if limit.nodes is None else ("--nodes", limit.nodes)
    given: list[tuple[str, object, object]] = [
        ("--base", contender_text(base), None),
        ("--candidate", contender_text(candidate), None),
        ("--game", schedule.rules or schedule.tournament.game, None),
        ("--protocol", next((one.protocol for one in schedule.players if _is_foreign(one)), UGI), UGI),
        (*kind, None),
        ("--margin", limit.margin_ms, MARGIN_MS),
        ("--openings", openings.file or str(openings.plies), PLIES),
        ("--max-plies", schedule.adjudication.max_plies, None),
        ("--elo0", f"{test.elo0:g}", "0"),
        ("--elo1", f"{test.elo1:g}", f"{ELO1:g}"),
        ("--alpha", f"{test.alpha:g}", "0.05"),
        ("--beta", f"{test.beta:g}", "0.05"),
        ("--model", test.model, Sprt().model),
        ("--games", games_, MOST_GAMES),
        ("--seed", schedule.tournament.seed, 0),
        ("--concurrency", schedule.tournament.concurrency, None),
        ("--out", out or OUT, OUT),
    ]
    words = [word for option, value, default in given if value != default for word in (option, str(value))]
    return ["tournament", "compare", *words, *_common_options(schedule)]


def _common_options(schedule: Schedule) -> Iterator[str]:
    """Yield the options that programs get: those of both sides are the same."""
    foreign = next((one for one in schedule.players if _is_foreign(one)), None)
    for key, value in (foreign.options if foreign else {}).items():
        yield from ("--option", f"{key}={value}")


def _is_foreign(player: PlayerEntry) -> bool:
    return player.player is None and player.model is None


def _player(player: PlayerEntry) -> Iterator[str]:
    yield "\n[[players]]"
    for key in ("name", "player", "model", "command", "address"):
        if getattr(player, key) is not None:
            yield f"{key} = {toml_value(getattr(player, key))}"
    if _is_foreign(player):
        yield f"protocol = {toml_value(player.protocol)}"
    if player.options:
        options = ", ".join(f"{toml_value(key)} = {toml_value(value)}" for key, value in player.options.items())
        yield f"options = {{ {options} }}"


def _table(name: str, /, **keys: object) -> Iterator[str]:
    """Yield the lines of a table; a key without a value has none."""
    yield f"\n[{name}]"
    yield from (f"{key} = {json.dumps(value)}" for key, value in keys.items() if value is not None)
