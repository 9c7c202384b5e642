"""`events.jsonl`: numbered lines, none lost, none repeated."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import pytest

from fiedler.support.errors import WorkError
from fiedler.tournament.run.event_log import FILE, EventLog
from fiedler.tournament.run.events import Warned, Withdrawn
from fiedler.tournament.run.store import Store
from tests.tournament.run.test_given_up import OF_AB, disputed, journal_of, schedule
from tests.tournament.schedules import Bench, player

WARNED = Warned(at="2026-01-01T00:00:00.000+00:00", text="x")


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / FILE).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("torn", [b"", b'{"seq":3,"event":"finis'])
def test_numbers_continue_after_a_resume(tmp_path: Path, torn: bytes) -> None:
    for _ in range(2):
        with EventLog(tmp_path) as log:
            log(WARNED)
            log(WARNED)
        with (tmp_path / FILE).open("ab") as file:
            file.write(torn)
    with EventLog(tmp_path) as log:
        assert log.seq == 4
    assert [line["seq"] for line in lines(tmp_path)] == [1, 2, 3, 4]
    assert {(line["v"], line["event"], line["text"]) for line in lines(tmp_path)} == {(2, "warned", "x")}


@pytest.mark.parametrize(
    ("log", "following"),
    [(b"no JSON\n[1]\n", 3), (b'{"seq":1,"event":"warned"}\n{"seq":3,"event":"warned"}\n', 4)],
)
def test_no_number_repeats_after_damage(tmp_path: Path, log: bytes, following: int) -> None:
    (tmp_path / FILE).write_bytes(log)
    with EventLog(tmp_path) as resumed:
        resumed(WARNED)
    assert json.loads((tmp_path / FILE).read_bytes().splitlines()[-1])["seq"] == following


def test_a_full_disk_leaves_no_part_of_a_line(tmp_path: Path) -> None:
    with EventLog(tmp_path) as log:
        log(WARNED)
        whole = (tmp_path / FILE).read_bytes()
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 20, before[1]))
        try:
            with pytest.raises(WorkError, match="cannot be written"):
                log(WARNED)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert (tmp_path / FILE).read_bytes() == whole
        log(WARNED)
    assert [line["seq"] for line in lines(tmp_path)] == [1, 2]


@pytest.mark.programs
def test_lost_ends_of_games_are_written_once(bench: Bench) -> None:
    games = bench.play([player("a"), player("b"), player("c")], tournament={"games_per_pair": 4})
    folder = bench.results / "test"
    before = lines(folder)
    ends = [number for number, line in enumerate(before) if line["event"] == "finished"]
    lost = {before[number]["game"]["id"] for number in ends[-3:]}
    kept = [line for number, line in enumerate(before) if number not in ends[-3:] and line["event"] != "ended"]
    text = "".join(json.dumps({**line, "seq": seq}) + "\n" for seq, line in enumerate(kept, start=1))
    (folder / FILE).write_text(text, encoding="utf-8")
    for _ in range(2):
        with EventLog(folder) as log, Store.open(folder) as store:
            log.complete(store)
    after = lines(folder)
    assert after[: len(kept)] == [{**line, "seq": seq} for seq, line in enumerate(kept, start=1)]
    added = after[len(kept) :]
    assert {line["game"]["id"] for line in added} == lost
    assert [line["seq"] for line in after] == list(range(1, len(after) + 1))
    assert [line["finished"] for line in added] == [len(games) - 2, len(games) - 1, len(games)]
    assert {line["attempt"] for line in added} == {1}
    found = {line["game"]["id"]: line["game"] for line in after if line["event"] == "finished"}
    assert {id_: (game["result"], tuple(game["moves"])) for id_, game in found.items()} == {
        game.id: (game.result, game.moves) for game in games
    }


def test_a_game_that_is_disputed_again_after_a_withdrawal_has_two_lines(tmp_path: Path) -> None:
    """The manager was killed before it wrote the second line."""
    with journal_of(tmp_path, schedule()) as journal:
        disputed(journal, OF_AB[:1])
        (dispute,) = journal.disputes
        with EventLog(tmp_path) as log:
            log.complete(journal)
        journal.withdraw(dispute, dispute.at, "mended")
        with EventLog(tmp_path) as log:
            log.complete(journal)
            log(Withdrawn(at=dispute.at, dispute=dispute, why="mended", games=1, scheduled=18))
        disputed(journal, OF_AB[:1], number=2)
        with EventLog(tmp_path) as log:
            log.complete(journal)
            log.complete(journal)
    assert [line["event"] for line in lines(tmp_path)] == ["disputed", "withdrawn", "disputed"]
