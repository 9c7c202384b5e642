"""A game counts once its record is stored, and a record that the store refuses ends the run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from fiedler.support.errors import WorkError
from fiedler.tournament.dispute import Dispute
from fiedler.tournament.game import GameRecord
from fiedler.tournament.run.events import Finished
from fiedler.tournament.run.journal import Attempt, Journal, VoidAttempt
from fiedler.tournament.run.scheduler import Scheduler
from fiedler.tournament.run.store import Store
from tests.tournament.schedules import Bench, player

NODES = {"nodes": 1}


@pytest.mark.parametrize("fault", ["fine", "crash"])
def test_a_game_counts_once_it_is_stored(bench: Bench, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    done, stored = Scheduler.done, list[GameRecord | None]()

    async def counted(self: Scheduler, record: GameRecord, step: int, turn: int) -> None:
        with Store.open_again(bench.results / "test") as store:
            stored.append(store.game(record.number))
        await done(self, record, step, turn)

    monkeypatch.setattr(Scheduler, "done", counted)
    tournament = {"games_per_pair": 6, "concurrency": 2, "bench_after": 0}
    games = bench.play([player("a", fault), player("b")], tournament=tournament, limit=NODES)
    assert sorted(stored, key=lambda game: game.number if game else 0) == games


def test_a_record_that_the_store_refuses_ends_the_run(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as one of a table that has outlived its manager."""
    write = Journal.write

    def outlived(
        self: Journal,
        begun: Iterable[Attempt],
        void: Iterable[VoidAttempt],
        finished: Iterable[tuple[GameRecord, Attempt]],
        credits_ms: Sequence[tuple[str, float]] = (),
        disputed: Sequence[tuple[Dispute, Attempt]] = (),
    ) -> set[Attempt]:
        late = [(record, attempt._replace(start=attempt.start + (record.number == 2))) for record, attempt in finished]
        refused = write(self, begun, void, late, credits_ms, disputed)
        return {attempt._replace(start=attempt.start - 1) for attempt in refused}

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "write", outlived)
        with pytest.raises(WorkError, match="the record of game 2, attempt 1 of start 1 is refused"):
            bench.play([player("a"), player("b")], tournament={"games_per_pair": 4}, limit=NODES)
    assert 2 not in [event.game.number for event in bench.events if isinstance(event, Finished)]
    assert [game.number for game in bench.play()] == [1, 2, 3, 4]
    with Store.open(bench.results / "test") as store:
        assert store.rows("games", "number, attempts, voids, start")[1] == (2, 2, 1, 2)
