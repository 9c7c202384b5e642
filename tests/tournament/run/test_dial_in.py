"""Players that dial in: admission, several sessions, lost lines, refusals, tokens that nobody prints."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
import trustme
from click.testing import CliRunner

from fiedler.support.address import Address
from fiedler.support.errors import UsageError
from fiedler.tournament.cli import tournament
from fiedler.tournament.commands.run import run
from fiedler.tournament.game import GameRecord
from fiedler.tournament.play.admission import Listening
from fiedler.tournament.report import write_report
from fiedler.tournament.run import manager
from fiedler.tournament.run.events import Event, Finished, Voided, Warned
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.store import Store
from tests.engine.engine_process import Client
from tests.folders import ROOT
from tests.patience import PATIENCE, wait_until
from tests.tournament.line import Cut, free_port, line_to
from tests.tournament.manager_process import Manager
from tests.tournament.schedules import Bench, Tables, player, tables, toml

SECRET = "s3cret-of-far"
FAR: Tables = {"name": "far", "dial_in": True}
NODES: Tables = {"nodes": 1, "startup_s": PATIENCE}


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    path = tmp_path / "tokens"
    path.write_text(f"# players\nfar {SECRET}\nfar away another-secret\n", encoding="utf-8")
    path.chmod(0o600)
    return path


@contextmanager
def dialling(
    address: str, name: str = "far", token: str = SECRET, sessions: int = 1, *fault: str
) -> Iterator[subprocess.Popen[str]]:
    """A player of tic-tac-toe that dials an address."""
    words = [sys.executable, "-m", "tests.players.dial", address, name, token, str(sessions), *fault]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


def play(
    bench: Bench, port: int, token_file: Path, players: Sequence[Tables], log: Path | None = None, **changes: Tables
) -> list[GameRecord]:
    """Play a schedule with players that dial in at a port of this machine."""
    bench.write(players, **changes)
    listening = Listening.read(Address("127.0.0.1", port), token_file, None, None)
    subscribers = [bench.events.append, *bench.subscribers]
    manager.run(bench.path, results=bench.results, subscribers=subscribers, log=log, listening=listening)
    return bench.games()


def course(games: Sequence[GameRecord]) -> list[tuple[object, ...]]:
    return [(one.id, one.moves, one.result, one.termination) for one in games]


def test_a_player_dials_in_and_its_token_is_in_no_file(bench: Bench, port: int, token_file: Path) -> None:
    log = bench.folder / "log"
    with dialling(f"127.0.0.1:{port}") as far:
        games = play(bench, port, token_file, [FAR, player("near")], log, limit=NODES)
        assert far.stdout is not None
        assert far.stdout.readline() == "welcome\n"
        write_report(bench.results / "test")
    assert [one.termination for one in games] == ["rules"] * 2
    assert '<td class="wrap">dials in</td>' in (bench.results / "test" / "report.html").read_text("utf-8")
    assert " far#1 > ugi\n" in log.read_text("utf-8")
    written = [path for path in bench.folder.rglob("*") if path.is_file() and path != token_file]
    assert len(written) > 5
    for path in written:
        assert SECRET.encode() not in path.read_bytes(), path


def test_a_name_of_several_words(bench: Bench, port: int, token_file: Path) -> None:
    with dialling(f"127.0.0.1:{port}", "far away", "another-secret"):
        games = play(bench, port, token_file, [{"name": "far away", "dial_in": True}, player("near")], limit=NODES)
    assert [one.termination for one in games] == ["rules"] * 2


def test_a_suggested_command_has_the_options_for_players_that_dial_in(
    bench: Bench, port: int, token_file: Path
) -> None:
    with dialling(f"127.0.0.1:{port}"):
        play(bench, port, token_file, [FAR, player("near")], limit=NODES)
    where = ["--results", str(bench.results)]
    again = f"--listen HOST:PORT --token-file FILE --results {bench.results}`"
    for command, option in (("bench", "--bench near "), ("readmit", "--readmit near "), ("add", "")):
        done = CliRunner().invoke(tournament, [command, "test", "near", *where])
        assert f"`tournament run {bench.path} {option}{again}" in str(done.exception)
    with closing(Journal.open(bench.results / "test")) as journal:
        journal.bench("near", "by hand")
    done = CliRunner().invoke(tournament, ["void", "test", "1", "--why", "the line was down", *where])
    assert done.stdout.endswith(f"until near is readmitted: `tournament run {bench.path} --readmit near {again}\n")


def test_on_loopback_a_token_is_not_needed(bench: Bench, port: int) -> None:
    bench.write([FAR, player("near")], limit=NODES)
    with dialling(f"127.0.0.1:{port}", token="-"):
        listening = Listening.read(Address("127.0.0.1", port), None, None, None)
        manager.run(bench.path, results=bench.results, listening=listening)
    assert [one.termination for one in bench.games()] == ["rules"] * 2


@pytest.mark.parametrize(("sessions", "concurrency"), [(1, 3), (2, 3), (3, 2)])
def test_a_player_plays_as_many_games_as_it_has_sessions(
    bench: Bench, port: int, token_file: Path, sessions: int, concurrency: int
) -> None:
    """Games with two such players do not wait for each other for ever."""
    token_file.write_text("a x\nb y\nc z\n", encoding="utf-8")
    players = [{"name": name, "dial_in": True} for name in "abc"]
    address = f"127.0.0.1:{port}"
    more = {"concurrency": concurrency, "games_per_pair": 6}
    with (
        dialling(address, "a", "x", sessions),
        dialling(address, "b", "y", sessions),
        dialling(address, "c", "z", sessions),
    ):
        games = play(bench, port, token_file, [*players, player("near")], tournament=more, limit=NODES)
    assert len(games) == 36
    assert {one.termination for one in games} == {"rules"}


def test_other_clients_are_refused(bench: Bench, port: int, token_file: Path) -> None:
    """A wrong token, an unknown name, no first line of ours, and a connection too many."""
    answers: list[str] = []

    def ask(first: str) -> None:
        with Client(port) as client:
            client.say(first)
            answers.append(client.line())
            assert client.line() == ""
        if len(answers) == 5:
            (bench.folder / "released").touch()

    def look(event: Event) -> None:
        if isinstance(event, Finished) and not answers:
            lines = ("player far wrong", "player nobody x", f"player far {SECRET}", "GET / HTTP/1.1", f"token {SECRET}")
            threads = [threading.Thread(target=ask, args=(first,)) for first in lines]
            for one in threads:
                one.start()
            asking.extend(threads)

    asking: list[threading.Thread] = []
    bench.subscribers = [look]
    players = [FAR, player("near", "held", 2)]
    with dialling(f"127.0.0.1:{port}"):
        games = play(bench, port, token_file, players, tournament={"games_per_pair": 4}, limit=NODES)
    for one in asking:
        one.join(PATIENCE)
    assert [one.termination for one in games] == ["rules"] * 4
    assert sorted(answers) == [
        "refused: all sessions are connected",
        "refused: expected player NAME TOKEN as the first line",
        "refused: unknown name or wrong token",
        "refused: unknown name or wrong token",
        "refused: unknown name or wrong token",
    ]
    warned = {event.text for event in bench.events if isinstance(event, Warned)}
    assert "a connection as 'far' was refused: unknown name or wrong token; later ones are not reported" in warned
    assert not [text for text in warned if SECRET in text]


def test_a_player_that_does_not_dial_in_is_waited_for_once(bench: Bench, port: int, token_file: Path) -> None:
    with pytest.raises(UsageError) as caught:
        play(bench, port, token_file, [FAR, player("near")], limit={"nodes": 1, "startup_s": 8, "reconnect_s": 40})
    advice = "a player with required = false may come later, and its games wait"
    assert str(caught.value) == f"player 'far': did not dial in within 8 s at 127.0.0.1:{port}; {advice}"


def test_a_player_with_a_wrong_token_does_not_take_part(bench: Bench, port: int, token_file: Path) -> None:
    with line_to(f"127.0.0.1:{port}") as line, dialling(line.address, token="wrong") as far:
        wait_until(lambda: line.attempts)
        with pytest.raises(UsageError, match="player 'far': did not dial in within 8 s"):
            play(bench, port, token_file, [FAR, player("near")], limit={"nodes": 1, "startup_s": 8})
        assert far.wait(PATIENCE) == 1
        assert far.stdout is not None
        assert far.stdout.read() == "refused: unknown name or wrong token\n"


CUTS: dict[str, tuple[Cut, ...]] = {
    "in the middle of a move": ((b"go nodes", 2),),
    "while the opponent thinks": ((b"bestmove", 2),),
    "twice": ((b"go nodes", 1), (b"bestmove", 2)),
    "at the announcement": ((b"uginewgame", 1),),
    "between two games": ((b"uginewgame", 2),),
}


@pytest.mark.parametrize("cuts", CUTS.values(), ids=CUTS)
def test_a_game_resumes_after_a_loss_of_the_line(bench: Bench, token_file: Path, cuts: tuple[Cut, ...]) -> None:
    played = []
    for given in ((), cuts):
        port = free_port()
        bench.results = bench.folder / f"{len(given)}-cuts"
        with line_to(f"127.0.0.1:{port}", *given) as line, dialling(line.address):
            limit = {**NODES, "reconnect_s": PATIENCE}
            games = play(bench, port, token_file, [FAR, player("near")], limit=limit, openings={"plies": 1})
            assert line.cuts_left == 0
        played.append(course(games))
    assert {termination for *_, termination in played[0]} == {"rules"}
    assert played[0] == played[1]
    assert not [event for event in bench.events if isinstance(event, Voided)]


def test_only_the_game_under_way_is_lost_by_a_player_that_stays_away(bench: Bench, port: int, token_file: Path) -> None:
    limit = {"nodes": 1, "startup_s": 8, "reconnect_s": 0.5, "away_s": 0.5}
    with line_to(f"127.0.0.1:{port}", (b"go nodes", 2), closed_s=3600) as line, dialling(line.address):
        wait_until(lambda: line.attempts)
        more = {"games_per_pair": 4, "bench_after": 1}
        games = play(bench, port, token_file, [FAR, player("near")], tournament=more, limit=limit)
    assert [one.termination for one in games] == ["disconnect"]
    assert games[0].detail.startswith("far closed the connection and did not return within 0.5 s")


def test_without_reconnect_s_the_next_game_takes_the_player_back(bench: Bench, port: int, token_file: Path) -> None:
    with line_to(f"127.0.0.1:{port}", (b"go nodes", 2)) as line, dialling(line.address):
        games = play(bench, port, token_file, [FAR, player("near")], limit=NODES)
    assert [one.termination for one in games] == ["disconnect", "rules"]


def test_a_killed_manager_finds_the_player_again(bench: Bench, port: int, token_file: Path) -> None:
    bench.write([FAR, player("near")], tournament={"games_per_pair": 40}, limit=NODES)
    options = ("--listen", f"127.0.0.1:{port}", "--token-file", str(token_file), "--progress", "all")
    with dialling(f"127.0.0.1:{port}", "far", SECRET, 1, "slow", "0.01"):
        first = Manager(bench, *options)
        first.wait_for("Finished", 3)
        first.process.kill()
        first.process.communicate()
        second = Manager(bench, *options)
        code, errors = second.end()
    assert (code, errors) == (0, "")
    assert [one.termination for one in bench.games()] == ["rules"] * 40


def test_the_command_that_resumes_has_the_options(bench: Bench, port: int, token_file: Path) -> None:
    bench.write([FAR, player("near", "held", 2)], tournament={"games_per_pair": 400}, limit=NODES)
    options = ("--listen", f"127.0.0.1:{port}", "--token-file", str(token_file), "--progress", "all")
    with dialling(f"127.0.0.1:{port}"):
        first = Manager(bench, *options)
        first.wait_for(f"Listening on 127.0.0.1:{port} for far", 1)
        first.wait_for("Finished", 1)
        first.process.terminate()
        code, errors = first.end()
    assert code == 130
    assert f"--listen 127.0.0.1:{port} --token-file {token_file}" in errors


REFUSED = [
    ([FAR, player("near")], (), "players 'far'.dial_in: expected the option --listen HOST:PORT, got none"),
    ([player("a"), player("b")], ("--listen", "127.0.0.1:4999"), "--listen: expected a player with dial_in = true in "),
    (
        [FAR, player("near")],
        ("--listen", "0.0.0.0:4999"),
        "--listen: expected --token-file FILE beyond loopback: anyone who reaches 0.0.0.0:4999 could play, got none",
    ),
    (
        [FAR, player("near")],
        ("--listen", "4999"),
        "--listen: expected HOST:PORT with a port from 1 to 65535, got '4999'",
    ),
    ([FAR, player("near")], ("--token-file", "x"), "--token-file: only with --listen, which is missing"),
    ([FAR, player("near")], ("--listen", "127.0.0.1:4999", "--key", "x"), "--key: only with --cert, which is missing"),
    (
        [FAR, player("near")],
        ("--listen", "127.0.0.1:4999", "--processes", "2", "--concurrency", "2"),
        "--processes: expected 1 with players that dial in, got 2",
    ),
    (
        [{"name": "other", "dial_in": True}, player("near")],
        ("--listen", "127.0.0.1:4999", "--token-file", "tokens"),
        "expected a line NAME TOKEN for player 'other', got none",
    ),
]


@pytest.mark.parametrize(("players", "options", "message"), REFUSED, ids=[message for *_, message in REFUSED])
def test_options_that_do_not_fit_are_one_line(
    bench: Bench,
    token_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    players: list[Tables],
    options: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(bench.folder)
    bench.path.write_text(toml(tables(players)), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        run.main([str(bench.path), *options], standalone_mode=False)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_port_that_is_taken_is_one_line(bench: Bench, token_file: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"--listen: cannot listen on 127.0.0.1:{port}: address already in use"):
            play(bench, port, token_file, [FAR, player("near")], limit=NODES)


def test_a_dropped_connection_before_its_first_line_does_not_matter(bench: Bench, port: int, token_file: Path) -> None:
    def knock() -> None:
        wait_until(lambda: connects(port))
        for text in (b"player far", b"\xff\xfe\n", b"x" * 5000):
            with socket.create_connection(("127.0.0.1", port)) as link:
                link.sendall(text)
        ready.set()

    ready = threading.Event()
    knocking = threading.Thread(target=knock)
    knocking.start()

    def late() -> None:
        ready.wait(PATIENCE)
        with dialling(f"127.0.0.1:{port}"):
            done.wait(PATIENCE)

    done = threading.Event()
    dial = threading.Thread(target=late)
    dial.start()
    games = play(bench, port, token_file, [FAR, player("near")], limit=NODES)
    done.set()
    dial.join(PATIENCE)
    knocking.join(PATIENCE)
    assert [one.termination for one in games] == ["rules"] * 2


def test_the_shipped_schedule_is_played(tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As its comment says, but for the port; with the program that the page shows."""
    for folder in ("configs", "examples"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    for name, text in (("tokens", f"far {SECRET}\n"), ("token", f"{SECRET}\n")):
        Path(name).write_text(text, encoding="utf-8")
        Path(name).chmod(0o600)
    address = f"127.0.0.1:{port}"
    dialler = [sys.executable, "-S", "-E", "examples/dial_in.py", address, "far", "token", "--"]
    program = [sys.executable, "-S", "-E", "examples/ugi_random.py"]
    with subprocess.Popen([*dialler, *program], stderr=subprocess.PIPE, start_new_session=True) as far:
        try:
            words = ["configs/dial-in.toml", "--listen", address, "--token-file", "tokens", "--quiet"]
            run.main(words, standalone_mode=False)
        finally:
            os.killpg(far.pid, signal.SIGKILL)
    with closing(Store.open(Path("results/dial-in"))) as store:
        games = store.games()
    assert len(games) == 60
    assert {one.termination for one in games} <= {"rules", "time"}  # a busy machine is slow
    assert "rules" in {one.termination for one in games}


def connects(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


@contextmanager
def carried(address: str, secret: Path, program: str, *options: str) -> Iterator[None]:
    """An example program that `examples/dial_in.py` takes to an address."""
    words = [sys.executable, "-S", "-E", str(ROOT / "examples" / "dial_in.py"), address, "far", str(secret)]
    words += [*options, "--", sys.executable, "-S", "-E", str(ROOT / "examples" / program)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, start_new_session=True) as far:
        try:
            yield
        finally:
            os.killpg(far.pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("protocol", "program", "game"),
    [("gtp", "gtp_random.py", "gomoku9"), ("uci", "uci_random.py", "connect4"), ("rowcol", "rowcol_random.py", "uttt")],
)
def test_a_program_of_any_protocol_dials_in(
    bench: Bench, port: int, token_file: Path, protocol: str, program: str, game: str
) -> None:
    """In rowcol each game ends its conversation, and the program dials in again."""
    secret = bench.folder / "secret"
    secret.write_text(SECRET, encoding="utf-8")
    limit: Tables = {"movetime_ms": 20_000, "startup_s": PATIENCE, "reconnect_s": PATIENCE}
    with carried(f"127.0.0.1:{port}", secret, program):
        entry = {**FAR, "protocol": protocol}
        near = {"name": "near", "player": "osp"}
        games = play(bench, port, token_file, [entry, near], tournament={"game": game}, limit=limit)
    assert [one.termination for one in games] == ["rules"] * 2


@pytest.mark.parametrize(("last", "over"), [("quit", True), ("END", True), ("isready", False)])
def test_a_program_that_dials_in_tells_the_end_of_a_run_from_a_lost_line(tmp_path: Path, last: str, over: bool) -> None:
    secret = tmp_path / "secret"
    secret.write_text(SECRET, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as door:
        where = f"127.0.0.1:{door.getsockname()[1]}"
        words = [sys.executable, "-S", "-E", str(ROOT / "examples" / "dial_in.py"), where, "far", str(secret)]
        words += ["--", sys.executable, "-S", "-E", str(ROOT / "examples" / "ugi_random.py")]
        far = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True)
        link, _ = door.accept()
        link.recv(1024)
        link.sendall(f"welcome\n{last}\n".encode())
    try:
        with link, suppress(OSError):
            link.shutdown(socket.SHUT_WR)
            while link.recv(1024):
                pass
        assert far.stderr is not None
        line = next(line for line in far.stderr if line.startswith(where))
        assert ("after it had ended the session: its run may be over; trying again" in line) == over
    finally:
        os.killpg(far.pid, signal.SIGKILL)
        far.communicate()


def test_connections_are_encrypted(bench: Bench, port: int, token_file: Path) -> None:
    """Without TLS nobody gets in, and the manager prints nothing about it."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(bench.folder / "ca.pem")
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(bench.folder / "both.pem")
    secret = bench.folder / "secret"
    secret.write_text(SECRET, encoding="utf-8")
    limit: Tables = {"movetime_ms": 20_000, "startup_s": PATIENCE}
    bench.write([FAR, {"name": "near", "player": "osp"}], tournament={"game": "uttt"}, limit=limit)
    address = f"127.0.0.1:{port}"
    options = ("--listen", address, "--token-file", str(token_file), "--cert", str(bench.folder / "both.pem"))
    first = Manager(bench, *options, "--quiet")
    wait_until(lambda: connects(port))
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as plain:
        plain.sendall(f"player far {SECRET}\n".encode())
        assert plain.recv(1024) == b"refused: expected TLS, got text; this port is encrypted\n"
    with carried(address, secret, "ugi_random.py", "--ca", str(bench.folder / "ca.pem")):
        code, errors = first.end()
    assert (code, errors) == (0, "")
    assert [one.termination for one in bench.games()] == ["rules"] * 2
