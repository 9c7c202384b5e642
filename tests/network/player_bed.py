"""Players on the far host: at an address, or dialling in; by the clock, or by nodes."""

from __future__ import annotations

from pathlib import Path

from fiedler.support.interrupt import INTERRUPTED
from tests.network.bed import NOTHING, Bed
from tests.patience import until
from tests.tournament.schedules import Tables, player
from tools.wire.wire import ADDRESSES, FAR, NEAR, Wire

TOKEN = "secret-of-far"
MANAGER, PLAYER = f"{ADDRESSES[NEAR]}:4090", f"{ADDRESSES[FAR]}:4081"
LIMITS: dict[str, Tables] = {
    "clock": {"base_ms": 12_000, "reconnect_s": 60},
    # no search before the first game asks for a limit of so few nodes
    "nodes": {"nodes": 9, "stall_s": 110, "reconnect_s": 60},
}
STARTUPS = {"address": {"startup_s": 20}, "dials in": {"startup_s": 60}}
"""Those of docs/network.md."""
RULES = "rules"


class PlayerBed(Bed):
    """A game between a player here, which waits for the fault with its first move, and one on the far host."""

    def __init__(self, wire: Wire, folder: Path, end: str) -> None:
        """`end` is the head of the column: `address, clock`."""
        super().__init__(wire, folder)
        self._way, _, self._limit = end.partition(", ")
        for name, text in (("token", TOKEN), ("tokens", f"far {TOKEN}")):
            file = folder / name
            file.write_text(f"{text}\n", "utf-8")
            file.chmod(0o600)

    async def start(self) -> None:
        far: Tables = {"name": "far"}
        options = []
        if self._way == "address":
            await self.start_peer()
            await self.until_said("listening on ")
            far |= {"address": PLAYER, "token_file": "token"}
        else:
            far |= {"dial_in": True}
            options = ["--listen", MANAGER, "--token-file", str(self.folder / "tokens")]
        games, limit = {"games_per_pair": 4}, {**LIMITS[self._limit], **STARTUPS[self._way]}
        await self.start_run([far, player("near", "held")], *options, tournament=games, limit=limit)
        if self._way != "address":
            await self.start_peer()
        await until((self.folder / "holding").exists, f"no game began: {self.said()}")

    async def start_peer(self) -> None:
        words = ["serve", "--game", "tictactoe", "--player", "negamax", "--token-file", str(self.folder / "token")]
        if self._way == "address":
            host, _, port = PLAYER.partition(":")
            await self.far("engine", *words, "--host", host, "--port", port)
        else:
            await self.far("engine", *words, "--dial", MANAGER, "--name", "far")

    async def come_to(self, word: str, seconds: float) -> str:
        await until(lambda: self.events("finished"), f"the game has not ended: {self.said()}", seconds)
        ends = word == NOTHING or not self.fault_lasts
        code = await (self.end_run() if ends else self.stop_run())
        assert code == (0 if ends else INTERRUPTED), self.said()
        games = [one["game"] for one in self.events("finished")]
        wrong = [one for one in games if one["termination"] != RULES and loser(one) != "far"]
        assert not wrong, f"the wrong player is blamed: {wrong}"
        if ends:
            assert {one["termination"] for one in games[1:]} == {RULES}, games
            assert not self.events("voided"), self.said()
        found = str(games[0]["termination"])
        return NOTHING if found == RULES else found


def loser(game: dict[str, str]) -> str:
    return game[{"1-0": "second", "0-1": "first"}[game["result"]]]
