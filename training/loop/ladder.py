"""The ladder of a run: a tournament of its checkpoints, played beside the training by a process of its own."""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from fiedler.games import game
from fiedler.players import player_kind
from fiedler.support.errors import UsageError, WorkError, printable
from fiedler.support.files import write_whole
from fiedler.support.player_spec import OptionValue, toml_value
from fiedler.support.player_table import PlayerTable
from fiedler.support.programs import PYTHON
from fiedler.support.reaper import Reaper, kill_group
from fiedler.training.judge.sides import check_options, kind_of, read_reference, reference
from fiedler.training.loop.checkpoints import name, rated
from fiedler.training.loop.folder import TrainingFolder
from fiedler.training.loop.picture import Rung
from fiedler.training.recipe.recipe import LadderTable, Recipe

SCHEDULE, LOG, RANKING = "ladder.toml", "ladder.log", "ranking.json"
COMMAND = (*PYTHON, "-c", "from fiedler.tournament.start import main; main()", "run")
OPPONENTS = 8
"""Earlier players that each checkpoint meets."""
NODES = 10**9
"""The limit of the schedule, which no player reaches: each has a budget of its own."""
NAME_LENGTH, DIGEST = 64, 8
"""Most characters of a player's name, and those of the digest in a shortened one."""
PATIENCE_S = 20.0
"""The time for an interrupted tournament to end, in seconds; then it is killed. It loses no finished game."""

OnNote = Callable[[str], None]
"""Receives a line about the run."""


class Ladder:
    """The tournament `NAME-ladder`. Its failure is one line, never the end of the training."""

    def __init__(self, recipe: Recipe, folder: TrainingFolder) -> None:
        """Check the references.

        Raises:
            UsageError: One is wrong.
        """
        self.on_note: OnNote = logging.getLogger(__name__).warning
        self._recipe = recipe
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._reaper: Reaper | None = None
        self._played = 0
        """The number of checkpoints in the schedule of the last start."""
        self._logged = 0
        """The bytes of the log before the last start."""
        try:
            if rating := recipe.rating:
                check_options(recipe.player, rating.options)
                for text in rating.against:
                    reference(text, game(recipe.game), rating.simulations).close()
        except UsageError as error:
            raise UsageError(f"rating: {error}") from None

    @property
    def results(self) -> Path:
        """The folder of the tournament."""
        return results(self._recipe, self._folder)

    def after(self, iteration: int) -> None:
        """Start the tournament if a checkpoint is new and none runs; a running one leaves it to a later start."""
        if self._recipe.rating is None or self._running():
            return
        models = [one for one in rated(self._recipe) if one <= iteration and self._model(one).is_file()]
        if len(models) > self._played:
            self._played = len(models)
            self._start(models, self._recipe.rating)

    def finish(self) -> None:
        """Wait until all checkpoints are rated."""
        if self._recipe.rating is None:
            return
        if self._running():
            self.on_note(f"the tournament {self.results} plays its last games; --resume resumes it after Ctrl-C")
        while True:
            if self._process is not None:
                self._process.wait()
            self.after(self._recipe.iterations)
            if not self._running():
                return

    def close(self) -> None:
        """End the tournament; its finished games are kept."""
        try:
            if self._process is not None:
                self._interrupt(self._process)
        finally:
            if self._reaper is not None:
                self._reaper.close()

    def _interrupt(self, process: subprocess.Popen[bytes]) -> None:
        try:
            if process.poll() is None:
                process.terminate()
                process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            kill_group(process.pid)
            process.wait()

    def _running(self) -> bool:
        """Return whether the tournament runs; one that has failed is noted."""
        if self._process is None:
            return False
        if (code := self._process.poll()) is None:
            return True
        assert self._reaper is not None
        self._reaper.forget(self._process.pid)
        self._process = None
        if code:
            log = self._folder.path / LOG
            lines = log.read_bytes()[self._logged :].decode("utf-8", errors="replace").split("\n")
            last = next((line for line in reversed(lines) if line.strip()), "no message")
            self.on_note(f"warning: the tournament {self.results} ended with exit code {code} ({last}); see {log}")
        return False

    def _start(self, models: Iterable[int], rating: LadderTable) -> None:
        fresh = () if (self._folder.path / SCHEDULE).exists() else ("--fresh",)  # keeps that of an earlier run
        try:
            write_whole(self._folder.path / SCHEDULE, "\n".join(self._schedule(models, rating)).lstrip() + "\n")
            command = [*COMMAND, SCHEDULE, *fresh, "--quiet", "--results", os.fspath(self.results.parent.resolve())]
            self._reaper = self._reaper or Reaper()
            with (self._folder.path / LOG).open("ab") as log:
                self._logged = log.tell()
                self._process = subprocess.Popen(
                    command,
                    cwd=self._folder.path,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                    start_new_session=True,
                )
        except (OSError, WorkError) as error:
            self.on_note(f"warning: the tournament {self.results} cannot start ({error})")
            return
        self._reaper.watch(self._process.pid)

    def _schedule(self, models: Iterable[int], rating: LadderTable) -> Iterator[str]:
        recipe = self._recipe
        yield from _table("tournament", name=ladder_name(recipe), game=recipe.game, games_per_pair=rating.games)
        yield f"seed = {recipe.seed}"
        yield from _table("limit", nodes=NODES)
        yield from _table("pairing", method="ladder", opponents=OPPONENTS)
        yield from _table("openings", plies=rating.plies)
        for text in rating.against:
            yield from self._reference(text, rating.simulations)
        budget = player_kind(recipe.player).budget
        for one in models:
            options: dict[str, OptionValue] = {**({budget: rating.simulations} if budget else {}), **rating.options}
            player = PlayerTable(name=rung_name(recipe, one), model=name(recipe, one), options=options)
            yield f"\n{player.toml}"

    def _reference(self, text: str, simulations: int) -> Iterator[str]:
        spec = read_reference(text)
        budget = kind_of(spec).budget if spec.kind is None else ""
        model = None if spec.model is None else os.path.relpath(spec.model, self._folder.path)
        options: dict[str, OptionValue] = {**({budget: str(simulations)} if budget else {}), **spec.options}
        called = shortened(" ".join(text.split()))
        yield f"\n{PlayerTable(name=called, player=spec.kind, model=model, options=options).toml}"

    def _model(self, iteration: int) -> Path:
        return self._folder.path / name(self._recipe, iteration)


class _Rated(msgspec.Struct):
    """A player of `ranking.json`."""

    name: str
    elo: float | None = None
    plus: float | None = None
    minus: float | None = None


class _Ranking(msgspec.Struct):
    """That file of a tournament."""

    players: list[_Rated]


def ladder_name(recipe: Recipe) -> str:
    """Return the name of the tournament of a run."""
    return f"{recipe.name}-ladder"


def results(recipe: Recipe, folder: TrainingFolder) -> Path:
    """Return the folder of the tournament of a run."""
    return folder.path.parent.parent / ladder_name(recipe)


def rungs(recipe: Recipe, folder: TrainingFolder) -> list[Rung]:
    """Return the ratings of the checkpoints of a run, as its tournament last wrote them; none without it."""
    if recipe.rating is None:
        return []
    try:
        ranking = msgspec.json.decode((results(recipe, folder) / RANKING).read_bytes(), type=_Ranking)
    except (OSError, ValueError, msgspec.MsgspecError):
        return []
    by_name = {one.name: one for one in ranking.players}
    found = ((one, by_name.get(rung_name(recipe, one))) for one in rated(recipe))
    return [
        Rung(one, player.elo, player.elo - player.minus, player.elo + player.plus)
        for one, player in found
        if player and player.elo is not None and player.plus is not None and player.minus is not None
    ]


def rung_name(recipe: Recipe, iteration: int) -> str:
    """Return the name of a checkpoint in the tournament."""
    number = f"-{Path(name(recipe, iteration)).stem}"
    return shortened(recipe.name, NAME_LENGTH - len(number)) + number


def shortened(text: str, most: int = NAME_LENGTH) -> str:
    """Return a text of at most `most` characters, which names a player: a longer one loses its middle to a digest."""
    text = printable(text)
    if len(text) <= most:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:DIGEST]
    tail = (most - DIGEST - 2) // 2
    head = most - DIGEST - 2 - tail
    return f"{text[:head]}…{digest}…{text[-tail:]}"


def _table(called: str, **values: str | int) -> Iterator[str]:
    yield f"\n[{called}]"
    yield from (f"{key} = {toml_value(value)}" for key, value in values.items())
