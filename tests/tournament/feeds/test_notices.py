"""`[notify]`: the notices of a run, and receivers that may not delay or fail it."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import pytest

from fiedler.support.errors import UsageError
from fiedler.tournament.feeds.notices import Notices
from fiedler.tournament.feeds.receiver import take_url
from fiedler.tournament.game import now
from fiedler.tournament.run.events import Began, Benched, Ended
from fiedler.tournament.schedule.validation import load
from tests.patience import wait_until
from tests.tournament.feeds.feed_process import hurry, patient
from tests.tournament.feeds.receivers import SECRET, Receiver, closed, receiving, silent
from tests.tournament.manager_process import Manager, children
from tests.tournament.schedules import Bench, Tables, player

BOTH = [player("a"), player("b")]
HOOK = {"url": "env:HOOK"}


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def write(bench: Bench, players: list[Tables] = BOTH, games: int = 10, **more: Tables) -> None:
    bench.write(players, tournament={"games_per_pair": games}, **{"notify": HOOK, **more})


def end(bench: Bench, *options: str) -> tuple[int, str]:
    """Run to the end, and return the exit code and the errors, which do not have the secret."""
    code, errors = Manager(bench, "--progress", "none", *options).end()
    assert SECRET not in errors
    return code, errors


@pytest.mark.programs
def test_a_run_has_a_start_and_a_verdict(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    write(bench)
    with receiving() as receiver:
        monkeypatch.setenv("HOOK", receiver.url)
        code, errors = end(bench, "--log", str(bench.folder / "log"))
        assert code == 0
        assert "notices:" not in errors
        first, last = (post.document for post in receiver.posts)
        assert first["text"] == "test (tictactoe): started with 2 players: a, b; 0 of 10 games finished"
        assert first["notice"]["players"] == ["a", "b"]
        ranking = (bench.results / "test" / "ranking.txt").read_text("utf-8")
        assert last["notice"]["verdict"].partition(";")[0] in ranking
        assert last["text"].startswith("test (tictactoe): finished, 10 of 10 games: ")
        assert re.search(r"^1\. [ab] ", last["text"], re.MULTILINE)
        assert [one["games"] for one in last["notice"]["ranking"]] == [10, 10]
        assert end(bench)[0] == 0
        assert len(receiver.posts) == 2, "a run without a game left has no notice"
    for file in bench.folder.rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file


@pytest.mark.programs
def test_players_do_not_get_the_url(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiving() as receiver:
        monkeypatch.setenv("HOOK", receiver.url)
        write(bench, patient(bench))
        manager = Manager(bench)
        manager.wait_for("Finished", 1)
        for folder in children(manager.process, b""):
            assert SECRET.encode() not in (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes()
        hurry(bench)
        assert manager.end()[0] == 0


@pytest.mark.programs
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_or_killed_run_resumes_with_another_receiver(bench: Bench, number: signal.Signals) -> None:
    file = bench.folder / "hook"
    with receiving() as receiver, receiving() as other:
        file.write_text(f"# of the league\n{receiver.url}\n", "utf-8")
        file.chmod(0o600)
        write(bench, patient(bench), games=40, notify={"url_file": "hook"})
        manager = Manager(bench)
        manager.wait_for("Finished", 2)
        manager.process.send_signal(number)
        code, _ = manager.end()
        receiver.wait_for(2)
        killed = number is signal.SIGKILL
        assert (code, receiver.events) == (-9 if killed else 130, ["started", "failed" if killed else "interrupted"])
        assert receiver.posts[-1].document["text"].endswith("the same command resumes it")
        hurry(bench)
        _resume(bench, file, other)


def _resume(bench: Bench, file: Path, receiver: Receiver) -> None:
    file.write_text(receiver.url, "utf-8")
    text = bench.path.read_text("utf-8").replace('url_file = "hook"', 'url_file = "hook"\nformat = "text"')
    bench.path.write_text(text, "utf-8")
    assert end(bench)[0] == 0
    first, last = (post.body for post in receiver.posts)
    assert re.match(r"test \(tictactoe\): resumed with 2 players: a, b; \d+ of 40 games finished$", first)
    assert last.startswith("test (tictactoe): finished, 40 of 40 games: ")


@pytest.mark.programs
def test_a_run_that_fails_has_a_line(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    write(bench, [player("a"), {"name": "b", "command": [sys.executable, "-c", "pass"]}])
    with receiving() as receiver:
        monkeypatch.setenv("HOOK", receiver.url)
        assert end(bench)[0] == 2
        (post,) = receiver.posts
    assert post.document["notice"]["event"] == "failed"
    assert post.document["text"].startswith("test (tictactoe): failed: ")
    assert "\n" not in post.document["text"]


@pytest.mark.programs
@pytest.mark.parametrize("kind", ["refuses", "hangs"])
def test_a_receiver_does_not_fail_a_run(bench: Bench, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    write(bench)
    with silent() as url:
        monkeypatch.setenv("HOOK", closed() if kind == "refuses" else url)
        code, errors = end(bench)
    assert code == 0
    assert len(bench.games()) == 10
    lines = [line for line in errors.splitlines() if "notices:" in line]
    assert [line.partition(": not sent")[0] for line in lines] == [
        f"warning: notices: env:HOOK: {event}" for event in ("started", "finished")
    ]


@pytest.mark.programs
def test_a_frozen_sender_does_not_hold_the_run(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiving() as receiver:
        monkeypatch.setenv("HOOK", receiver.url)
        write(bench, patient(bench))
        manager = Manager(bench, "--progress", "all")
        manager.wait_for("Finished", 1)
        (sender,) = children(manager.process, b"fiedler.tournament.feeds.notifier")
        os.kill(int(sender.name), signal.SIGSTOP)
        hurry(bench)
        assert manager.end()[0] == 0
        wait_until(lambda: not sender.exists(), "the sender outlived its manager")
    assert len(bench.games()) == 10


def schedule_with(bench: Bench, **table: object) -> str:
    """Return the complaint about a table, which does not have the secret."""
    with pytest.raises(UsageError) as found:
        load(bench.write(BOTH, notify=table))
    assert SECRET not in str(found.value)
    return str(found.value).removeprefix(f"{bench.path}: ")


def test_complaints_show_no_value(bench: Bench) -> None:
    url = f"https://hooks.example/{SECRET}"
    assert schedule_with(bench, url=url).startswith(
        "notify.url: expected 'env:NAME', a variable with the URL, or url_f"
    )
    assert schedule_with(bench, url=[url]) == "notify.url: expected a text, got a value that is not shown"
    assert schedule_with(bench, url=f"env:{url}").endswith(
        "got another text: a run keeps its schedule, and a URL may hold a secret"
    )
    assert schedule_with(bench, format="text") == "notify: expected exactly one of url, url_file, got none"
    both = schedule_with(bench, url="env:A", url_file="a")
    assert both == "notify: expected exactly one of url, url_file, got url and url_file"
    assert (
        schedule_with(bench, url="env:A", format=SECRET) == "notify.format: expected 'json' or 'text', got another text"
    )
    bench.path.write_text(
        f'notify = "{url}"\n{bench.path.read_text("utf-8").replace("[notify]", "[cluster]")}', "utf-8"
    )
    with pytest.raises(UsageError) as found:
        load(bench.path)
    assert SECRET not in str(found.value)


@pytest.mark.parametrize(
    "url", ["", SECRET, f"ftp://a/{SECRET}", f"https://a:{SECRET}/", "https:///x", "https://a/\x7f"]
)
def test_a_place_without_a_url_is_refused(bench: Bench, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    file = bench.folder / "hook"
    file.write_text(url, "utf-8")
    monkeypatch.setenv("HOOK", url)
    for table in (HOOK, {"url_file": "hook"}):
        with pytest.raises(UsageError) as found:
            take_url(load(bench.write(BOTH, notify=table)))
        assert SECRET not in str(found.value)
    assert "HOOK" not in os.environ


def test_a_missing_file_is_named(bench: Bench) -> None:
    with pytest.raises(UsageError, match=r"hook: cannot be read: no such file"):
        take_url(load(bench.write(BOTH, notify={"url_file": "hook"})))


def test_events_without_a_game_have_no_notice(bench: Bench) -> None:
    notices = Notices(load(bench.write(BOTH, notify=HOOK)))
    assert notices.at_end(KeyboardInterrupt()) is None
    began = Began(at=now(), name="test", game="tictactoe", players=("a", "b"), scheduled=2, finished=2)
    assert notices.after(began) is None
    assert notices.after(Ended(at=now(), state="finished", finished=2, scheduled=2)) is None
    assert notices.at_end(None) is None
    benched = notices.after(Benched(at=now(), player="a", why="by hand", given_up=0, scheduled=2))
    assert benched is not None
    assert benched.text == "test (tictactoe): benched a: by hand"
    failed = notices.at_end(ValueError("a\nb"))
    assert failed is not None
    assert failed.text == "test (tictactoe): failed after 2 of 2 games: ValueError: a b"
