"""Strength tests: the verdict and its exit code, resuming, shards, players that fail, refusals."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fiedler.support.errors import UsageError, WorkError
from fiedler.tournament.cli import tournament
from fiedler.tournament.commands.compare import _errors_are_no_verdict
from fiedler.tournament.run.store import Store
from tests.tournament.manager_process import played
from tests.tournament.schedules import misbehaving

pytestmark = pytest.mark.programs

WEAK, STRONG = "negamax depth=1", "negamax depth=4"
GAME = ("--game", "connect4", "--nodes", "100000")
FINE = shlex.join(misbehaving("fine"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which each test plays."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compare(*words: object) -> Result:
    return CliRunner().invoke(tournament, ["compare", *map(str, words)])


def strength(base: str, candidate: str, *words: object, game: tuple[str, ...] = GAME) -> Result:
    return compare("--base", base, "--candidate", candidate, *game, "--quiet", *words)


def games(name: str = "compare") -> Mapping[str, tuple[object, ...]]:
    with Store.open(Path("results", name)) as store:
        return played(store.games())


def test_a_stronger_candidate_passes_and_a_weaker_one_fails() -> None:
    passed = strength(WEAK, STRONG, "--elo1", 100, "--json", "v.json", "--markdown", "v.md")
    assert passed.exit_code == 0, passed.output
    assert re.match(
        r"passed: H1 \(100 Elo\) accepted against H0 \(0 Elo\) after \d+ games; \+\d+ ± \d+ Elo; ", passed.stdout
    )
    found, text = json.loads(Path("v.json").read_text("utf-8")), Path("v.md").read_text("utf-8")
    assert (found["outcome"], found["exit_code"], found["accepted"]) == ("passed", 0, "H1")
    assert found["llr"] >= found["high"]
    assert found["won"] + found["drawn"] + found["lost"] == found["games"] <= found["played"] == len(games())
    assert 2 * sum(found["pentanomial"]) <= found["games"]
    assert text.startswith("### ✅ Strength test: passed\n\n| | |\n|---|---|\n| Verdict | H1 (100 Elo) accepted ")
    assert f"    {found['command']}\n" in text
    failed = strength(STRONG, WEAK, "--elo1", 100, "--out", "results/swapped")
    assert failed.exit_code == 1
    assert re.match(
        r"failed: H0 \(0 Elo\) accepted against H1 \(100 Elo\) after \d+ games; -\d+ ± \d+ Elo; ", failed.stdout
    )


def test_equal_players_are_undecided_at_the_cap() -> None:
    done = strength("random", "random", "--games", 6, game=("--game", "tictactoe", "--nodes", "1"))
    assert done.exit_code == 3
    assert done.stdout.startswith("undecided: neither H1 (20 Elo) nor H0 (0 Elo) accepted after 6 games; ")
    assert len(games()) == 6


def test_the_same_command_resumes_and_a_finished_test_has_its_verdict_at_once() -> None:
    part = strength(WEAK, STRONG, "--games", 4)
    first = games()
    more = strength(WEAK, STRONG, "--games", 8)
    assert (part.exit_code, more.exit_code, len(first), len(games())) == (3, 3, 4, 8)
    assert first.items() <= games().items()
    fewer = refused(strength(WEAK, STRONG, "--games", 6))
    assert fewer == "--games: the run has 8, the schedule fewer: 6; --fresh starts anew, --out takes another folder"
    other = refused(strength(WEAK, "negamax depth=2", "--games", 8))
    assert other.startswith("--candidate: it is not the player of the run (different: options); --fresh starts anew")
    again = compare("--verdict", "compare", "--json", "-")
    assert (again.exit_code, json.loads(again.stdout)["text"]) == (3, more.stdout.strip())


def test_shards_have_the_games_and_the_verdict_of_one_machine() -> None:
    words = ("--games", 12, "--elo0", -5, "--elo1", 15)
    whole = strength(WEAK, STRONG, *words)
    shards = [strength(WEAK, STRONG, *words, "--shard", f"{number}/2") for number in (1, 2)]
    names = [f"compare.shard-{number}-of-2" for number in (1, 2)]
    assert [shard.exit_code for shard in shards] == [0, 0]
    assert "verdict of all: tournament compare --verdict" in shards[0].stdout
    assert {**games(names[0]), **games(names[1])} == games()
    merged = compare("--verdict", *names)
    assert (merged.exit_code, merged.stdout) == (whole.exit_code, whole.stdout)
    alone = refused(compare("--verdict", names[0]))
    assert alone == "--verdict: expected all shards of the run, these are missing: 2/2"
    assert CliRunner().invoke(tournament, ["merge", "together", *names]).exit_code == 0
    assert compare("--verdict", "together").stdout == whole.stdout


def test_a_candidate_that_only_crashes_has_failed() -> None:
    crashing = shlex.join(misbehaving("crash", 2))
    done = strength(FINE, crashing, game=("--game", "tictactoe", "--movetime", "20000"))
    assert done.exit_code == 1
    assert re.match(r"failed: candidate is benched after \d+ games: ", done.stdout)
    assert re.search(r"; failures of candidate: \d+ × crash\n$", done.stdout)


def test_an_illegal_move_of_the_base_decides_nothing_and_is_named() -> None:
    done = strength(shlex.join(misbehaving("illegal", 2)), FINE, game=("--game", "tictactoe", "--movetime", "20000"))
    assert done.exit_code == 3
    assert re.match(r"undecided: base is benched after \d+ games: ", done.stdout)
    assert re.search(r"failures of base: \d+ × illegal move", done.stdout)


def test_games_of_an_older_build_do_not_count(folder: Path) -> None:
    program = folder / "engine.py"
    shutil.copy(misbehaving("fine")[3], program)
    mine = shlex.join([*misbehaving("fine")[:3], "engine.py", "fine"])
    limit = ("--game", "tictactoe", "--movetime", "20000")
    assert strength(FINE, mine, "--games", 2, game=limit).exit_code == 3
    program.write_text(program.read_text("utf-8") + "\n# another build\n", "utf-8")
    wrong = refused(strength(FINE, mine, "--games", 2, game=limit))
    assert wrong.startswith("--candidate: engine.py: its contents have changed since the games in results/compare: ")
    assert strength(FINE, mine, "--games", 2, "--fresh", game=limit).exit_code == 3
    assert Path("results/compare.old-1").is_dir()


def test_the_command_of_a_verdict_repeats_it() -> None:
    options = ("--games", 4, "--seed", 3, "--openings", 2, "--margin", 5, "--out", "results/other")
    first = strength(WEAK, STRONG, *options, "--json", "v.json")
    words = shlex.split(json.loads(Path("v.json").read_text("utf-8"))["command"])
    assert json.loads(compare("--verdict", "other", "--json", "-").stdout)["command"] == shlex.join(words)
    played_before = games("other")
    shutil.rmtree("results")
    again = CliRunner().invoke(tournament, [*words[1:], "--json", "w.json", "--quiet"])
    assert (again.exit_code, again.stdout, games("other")) == (first.exit_code, first.stdout, played_before)
    assert Path("v.json").read_bytes() == Path("w.json").read_bytes()


def refused(done: Result) -> str:
    """Return the complaint of a command that was refused."""
    assert isinstance(done.exception, UsageError)
    return str(done.exception)


def test_a_failure_of_the_machine_is_no_verdict() -> None:
    with pytest.raises(UsageError, match=r"^no space$"), _errors_are_no_verdict():
        raise WorkError("no space")


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ((), "--base: missing; it is needed to play, and --verdict FOLDER… plays nothing"),
        (("a",), "expected options, got 'a': folders go with --verdict, which is missing"),
        (("--verdict",), "--verdict: expected the folder of a run, or those of all its shards, got none"),
        (("--verdict", "x", "--games", 2), "--games: not with --verdict, which plays nothing"),
        (("--base", "a", "--candidate", "b", "--game", "uttt", "--games", 3), "--games: expected an even number"),
        (
            ("--base", "a", "--candidate", "b", "--game", "uttt", "--nodes", 1, "--movetime", 1),
            "--nodes: in place of --movetime, got both",
        ),
        (("--base", "tcp://x", "--candidate", "b", "--game", "uttt"), "--base: expected HOST:PORT with a port"),
        (("--base", "./a", "--candidate", "'", "--game", "uttt"), "--candidate: no closing quotation in"),
        (("--base", "./a", "--candidate", "./b", "--game", "utt"), "--game: unknown game 'utt'; did you mean 'uttt'?"),
        (
            ("--base", "./a", "--candidate", "./b", "--game", "uttt", "--elo0", 30),
            "--elo1: expected more than elo0 = 30, got 20",
        ),
        (("--base", "./a", "--candidate", "./b", "--game", "uttt", "--openings", "none"), "--openings: "),
        (("--base", "./a", "--candidate", "./b", "--game", "uttt"), "--candidate: cannot start './b': "),
        (
            ("--base", "random", "--candidate", "mcts simulation=5", "--game", "uttt"),
            "--candidate: simulation: unknown option of player mcts; did you mean 'simulations'?",
        ),
        (("--base", "./a", "--candidate", "./b", "--game", "uttt", "--option", "x"), "--option: expected KEY=VALUE"),
        (("--base", "./a", "--candidate", "./b", "--game", "uttt", "--shard", "3/2"), "--shard: expected I/N with"),
    ],
)
def test_refusals_name_the_option(words: tuple[object, ...], wrong: str) -> None:
    assert refused(compare(*words)).startswith(wrong)
