"""Our own engines and examples pass in every dialect; the command, its JSON and its exit codes."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

from fiedler.engine.check import report
from fiedler.engine.check.examination import examine
from fiedler.engine.check.plans import PLANS
from fiedler.engine.check.report import CheckReport, report_text
from fiedler.engine.check.subject import subject_of
from fiedler.engine.commands import progress
from fiedler.engine.port.port_access import PortAccess
from fiedler.games import game
from fiedler.protocol import DIALECTS
from fiedler.support.errors import UsageError
from tests.certificates import write_certificates
from tests.engine.check.hurry import PYTHON, all_checked, checked, hurried
from tests.engine.engine_process import ENGINE, engine, serving
from tests.folders import ROOT
from tests.patience import PATIENCE, wait_until

EXAMPLES = {
    "ugi": ("ugi_random.py", "uttt", []),
    "uci": ("uci_random.py", "connect4", []),
    "gtp": ("gtp_random.py", "gomoku9", []),
    "gomocup": ("gomocup_random.py", "gomoku15", []),
    "rowcol": ("rowcol_random.py", "uttt", []),
    "rowcol-list": ("rowcol_list_random.py", "uttt", []),
    "makemove": ("makemove_random.py", "uttt", ["{port}", "{movetime_s}"]),
}
LISTENING = [name for name, dialect in DIALECTS.items() if not dialect.dials_in]


def test_every_dialect_has_a_plan_and_an_example() -> None:
    assert {*PLANS} == {*DIALECTS} == {*EXAMPLES}


@pytest.fixture(scope="module")
def examples() -> dict[str, CheckReport]:
    """The reports of the examples, by their protocol."""

    def check(protocol: str) -> CheckReport:
        file, game_id, words = EXAMPLES[protocol]
        return checked([*PYTHON, str(ROOT / "examples" / file), *words], protocol, game_id)

    return all_checked(EXAMPLES, check)


@pytest.fixture(scope="module")
def servers() -> dict[str, CheckReport]:
    """The reports of our servers, and of our player that connects, by their protocol."""

    def check(protocol: str) -> CheckReport:
        if protocol == "makemove":
            words = ["--game", "uttt", "--player", "random", "--protocol", protocol, "--dial", "127.0.0.1:{port}"]
            return checked([ENGINE, "serve", *words], protocol, "uttt")
        game_id = "renju15" if protocol == "gomocup" else "uttt"
        player = "mcts" if protocol == "ugi" else "random"
        with serving("--game", game_id, "--player", player, "--protocol", protocol) as server:
            subject = subject_of([], server.address, protocol, game(game_id), PATIENCE)
            return examine(subject, lambda _done, _of: None)

    return all_checked(DIALECTS, check)


@pytest.mark.parametrize("protocol", EXAMPLES)
def test_the_examples_pass(examples: dict[str, CheckReport], protocol: str) -> None:
    found = examples[protocol]
    assert (found.dialect, found.game, found.grade) == (protocol, EXAMPLES[protocol][1], "passed"), found
    skipped = {step.name for step in found.steps if step.passed is None}
    assert skipped == ({"time limits", "stop"} if protocol == "gtp" else set())
    assert [step.n for step in found.steps] == [*range(1, len(found.steps) + 1)]


@pytest.mark.parametrize("protocol", LISTENING)
def test_our_servers_pass(servers: dict[str, CheckReport], protocol: str) -> None:
    assert {step.grade for step in servers[protocol].steps} == {"passed"}, servers[protocol]
    assert servers[protocol].steps[-1].got == "it plays in another session"


def test_a_server_with_token_and_tls(tmp_path: Path) -> None:
    write_certificates(tmp_path)
    token = tmp_path / "token"
    token.write_text("s3cret\n")
    token.chmod(0o600)
    guarded = ["--token-file", str(token), "--cert", str(tmp_path / "both.pem")]
    with serving("--game", "tictactoe", "--player", "random", *guarded) as server:
        access = PortAccess(token, tls=False, ca=tmp_path / "ca.pem")
        with hurried():
            assert examine(
                subject_of([], server.address, "ugi", None, PATIENCE, access), lambda _done, _of: None
            ).passed
        without = engine("check", "--game", "tictactoe", "--address", server.address, "--ca", str(tmp_path / "ca.pem"))
    assert without.returncode == 1
    assert "token" in without.stdout.splitlines()[1]


def test_our_player_that_connects_passes(servers: dict[str, CheckReport]) -> None:
    assert servers["makemove"].passed, servers["makemove"]
    assert servers["makemove"].steps[-1].got == "it connected again"


def test_the_command() -> None:
    example = [*PYTHON, str(ROOT / "examples" / "ugi_random.py")]
    done = engine("check", "--json", "--game", "uttt", "--timeout", f"{PATIENCE}", "--", *example)
    document = json.loads(done.stdout)
    assert [*document] == ["dialect", "game", "grade", "passed", "steps"]
    assert [*document["steps"][0]] == ["n", "name", "grade", "passed", "expected", "got", "seconds"]
    assert (document["dialect"], document["game"]) == ("ugi", "uttt")
    assert document["passed"] == all(step["passed"] for step in document["steps"]) == (done.returncode == 0)
    assert done.returncode == 0, document


def test_a_failed_step_is_exit_code_1() -> None:
    done = engine("check", "--game", "uttt", "--", *PYTHON, "-c", "raise SystemExit('error: no book')")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "ugi, uttt",
        "  1  FAILED   handshake: exited with status 1, saying: error: no book",
        "              expected: ugiok after ugi, readyok after isready",
        "failed: step 1 of 14; the 13 steps after step 1 were not asked",
    ]


def test_a_remark_is_exit_code_0_and_shows_the_line() -> None:
    bot = [*PYTHON, str(Path(__file__).parent / "faulty_engine.py"), "forgets at bad position"]
    done = engine("check", "--game", "tictactoe", "--timeout", f"{PATIENCE}", "--", *bot)
    lines = done.stdout.splitlines()
    (at,) = [number for number, line in enumerate(lines) if "remark   wrong coordinates" in line]
    assert lines[at] == (
        "  9  remark   wrong coordinates: after 'position startpos moves zz99': then the illegal move 'a1'"
    )
    assert lines[at + 1].startswith("              expected: the position as it was: a legal move after ")
    assert (lines[-1], done.returncode) == ("passed: 12 steps, 1 remark, by which no game is lost, 1 skipped", 0)


def test_a_long_step_says_what_it_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "LONG_SECONDS", -1.0)
    said: list[str] = []
    mute = [*PYTHON, "-c", "raise SystemExit(3)"]
    found = examine(subject_of(mute, None, "ugi", game("uttt"), PATIENCE), lambda _done, _of: None, said.append)
    assert said == ["step 1, handshake: waiting for ugiok after ugi, readyok after isready"]
    assert report_text(found).splitlines()[3] == f"              waited:   {found.steps[0].seconds:.0f} s in all"


@pytest.mark.parametrize("width", [60, 120])
def test_a_terminal_shows_the_step_that_waits(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.01)
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=width)
    with progress.StepProgress("checking", console, names_steps=True) as shown:
        shown(2, 13)
        shown.describe("step 3, new game: waiting for readyok after uginewgame and isready")
        wait_until(lambda: "step 3, new game: waiting for" in stream.getvalue())
    assert "2/13" in stream.getvalue()


BAD: list[tuple[Sequence[str], str | None, str, str, str]] = [
    ([], None, "ugi", "uttt", "expected one engine: -- COMMAND …, or --address HOST:PORT"),
    (["true"], "127.0.0.1:1", "ugi", "uttt", "expected one engine: -- COMMAND …, or --address HOST:PORT"),
    (["true"], None, "makemove", "", "COMMAND: expected {port} in it: its program opens the connection"),
    ([], "127.0.0.1:1", "makemove", "", "--protocol makemove: expected -- COMMAND with {port}"),
    (["true"], None, "rowcol", "connect4", "--protocol: expected one of ugi, uci, gtp"),
    (["true"], None, "ugi", "", "--game: expected the game, since this engine does not report it"),
    (["/no/such/program"], None, "ugi", "uttt", "COMMAND: cannot start '/no/such/program'"),
]


@pytest.mark.parametrize(("command", "address", "protocol", "game_id", "error"), BAD)
def test_a_wrong_subject_is_refused(
    command: Sequence[str], address: str | None, protocol: str, game_id: str, error: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(error)):
        subject_of(command, address, protocol, game(game_id) if game_id else None, PATIENCE).link()


def test_a_bad_command_line_is_exit_code_2() -> None:
    done = engine("check", "--tls", "--", "true")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: --token-file, --tls, --ca: only with --address\n"


@pytest.mark.parametrize("protocol", ["ugi", "uci", "gtp"])
@pytest.mark.parametrize("game_id", ["go9", "gomoku9"])
def test_a_move_shows_which_of_two_games_with_one_start_is_played(game_id: str, protocol: str) -> None:
    command = [ENGINE, "serve", "--game", game_id, "--player", "random", "--stdio"]
    assert subject_of(command, None, protocol, None, PATIENCE).game.id == game_id


FOREIGN = """
import sys
for line in sys.stdin:
    known = {"uci": "id name x\\noption name UCI_Chess960 type check default false\\nuciok", "isready": "readyok"}
    known["known_command fixed_handicap"] = "= true\\n"
    print(known.get(line.strip(), "? unknown command\\n" if GTP else "Unknown command"), flush=True)
"""


@pytest.mark.parametrize(("protocol", "found"), [("uci", "chess, chess960"), ("gtp", "go9, go13, go19")])
def test_a_program_of_others_shows_its_family(protocol: str, found: str) -> None:
    command = [sys.executable, "-S", "-E", "-c", FOREIGN.replace("GTP", str(protocol == "gtp"))]
    with pytest.raises(UsageError, match=f"^--game: expected one of {found}, since this engine does not report it$"):
        subject_of(command, None, protocol, None, PATIENCE)


def test_several_games_have_the_same_start() -> None:
    command = [ENGINE, "serve", "--game", "gomoku15", "--player", "random", "--stdio"]
    expected = "--game: expected one of gomoku15, standard15, renju15, since this engine does not report it"
    with pytest.raises(UsageError, match=f"^{expected}$"):
        subject_of(command, None, "ugi", None, PATIENCE)
