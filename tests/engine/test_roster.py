"""Many named players behind one port: the file, the models in memory, and the sessions that choose."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from fiedler.engine.host.answers import MOST_CHOICES, choice_of
from fiedler.engine.host.terms import Terms
from fiedler.engine.roster.roster import MODELS_MB, Named, Roster
from fiedler.engine.roster.roster_file import read_roster
from fiedler.engine.roster.shares import Shares
from fiedler.games import game
from fiedler.players import Factory, create
from fiedler.support.errors import UsageError
from tests.engine.engine_driver import Conversation
from tests.engine.engine_process import Client, engine, serving
from tests.folders import ROOT
from tests.patience import PATIENCE

NET = ROOT / "models/uttt-small.onnx"
FILE = f"""
[[players]]
name = "shallow"
player = "negamax"
options = {{ depth = 2 }}

[[players]]
name = "net"
model = "{NET}"
options = {{ simulations = 16, seed = 3 }}

[[players]]
name = "a bot"
player = "hsp"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "players.toml"
    path.write_text(FILE, encoding="utf-8")
    return path


@pytest.fixture
def roster(file: Path) -> Iterator[Roster]:
    with closing(read_roster(file, game("uttt"), MODELS_MB)) as found:
        yield found


def conversation(roster: Roster, terms: Terms | None = None, pinned: str | None = "ugi") -> Conversation:
    factory = roster.hold(roster.names[0])
    return Conversation("uttt", factory.player(), terms, roster, pinned=pinned)


def choices(talk: Conversation) -> list[str]:
    return [line for line in talk.say("ugi") if line.startswith(("id name", "option name player"))]


# --- the file ---------------------------------------------------------------------------------------------------------


def test_a_file_names_its_players_in_order(roster: Roster) -> None:
    assert roster.names == ("shallow", "net", "a bot")
    assert roster.threads == 1


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "missing required field players"),
        ("players = []", "players: expected"),
        (
            '[[players]]\nname = "a"',
            "'a': expected exactly one of player, model, or player with model, got none",
        ),
        (
            '[[players]]\nname = "a"\nplayer = "hsp"\nmodel = "n.onnx"',
            "players 'a'.model: player hsp takes no model, got",
        ),
        ('[[players]]\nplayer = "hsp"', r"players\[1\]: missing required field name"),
        ('[[players]]\nname = "a"\nplayr = "hsp"', "players 'a'.playr: unknown key; did you mean 'player'"),
        ('[[players]]\nname = ""\nplayer = "hsp"', "players ''.name: expected"),
        ('[[players]]\nname = "a var b"\nplayer = "hsp"', "players 'a var b'.name: expected choices in words"),
        ('[[players]]\nname = "a"\nplayer = "mtcs"', "players 'a'.player: unknown player 'mtcs'; did you mean 'mcts'"),
        (
            '[[players]]\nname = "a"\nplayer = "mcts"\noptions = { simulation = 3 }',
            "players 'a'.options.simulation: unknown option 'simulation' of player mcts; did you mean 'simulations'",
        ),
        (
            '[[players]]\nname = "a"\nplayer = "negamax"\noptions = { depth = -1 }',
            "players 'a'.options.depth: option 'depth': expected a whole number from 0 to 1000, got '-1'",
        ),
        ('[[players]]\nname = "a"\nmodel = "no.onnx"', r"players 'a'.model: model .*no\.onnx: no such file"),
        ('[[players]]\nname = "a"\nmodel = "players.toml"', "players 'a'.model: model .*expected a file"),
        (
            '[[players]]\nname = "a"\nplayer = "hsp"\n[[players]]\nname = "a"\nplayer = "osp"',
            "players 'a'.name: expected a name of its own, got it twice",
        ),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(file: Path, text: str, error: str) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=error) as refused:
        read_roster(file, game("uttt"), MODELS_MB)
    assert str(refused.value).startswith(f"{file}: ")
    assert "\n" not in str(refused.value)


def test_a_model_of_another_game_or_too_large_is_refused(file: Path) -> None:
    with pytest.raises(UsageError, match=r"players 'net'\.model: expected a model of gomoku9, got one of 'uttt'"):
        read_roster(file, game("gomoku9"), MODELS_MB)
    with pytest.raises(UsageError, match=r"players 'net': expected at most 2 MiB \(--models-mb\), got a model of 3\.0"):
        read_roster(file, game("uttt"), 2)
    read_roster(file, game("uttt"), 2, refuses=False).close()


@pytest.mark.parametrize(
    ("player", "error"),
    [
        ("checkpoint", "expected a model of player checkpoint, got one of 'td'"),
        ("hsp", f"player hsp takes no model, got '{ROOT / 'models/tictactoe-td.table'}'"),
    ],
)
def test_a_model_of_another_player_is_refused(tmp_path: Path, player: str, error: str) -> None:
    path = tmp_path / "players.toml"
    table = f'name = "a"\nplayer = "{player}"\noptions = {{ model = "{ROOT / "models/tictactoe-td.table"}" }}'
    path.write_text(f"[[players]]\n{table}", encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        read_roster(path, game("tictactoe"), MODELS_MB)
    assert str(refused.value) == f"{path}: players 'a'.options.model: {error}"


def test_a_player_may_stand_beside_its_model(tmp_path: Path) -> None:
    path = tmp_path / "players.toml"
    path.write_text(f'[[players]]\nname = "a"\nplayer = "checkpoint"\nmodel = "{NET}"', encoding="utf-8")
    with closing(read_roster(path, game("uttt"), MODELS_MB)) as roster:
        assert roster.hold("a").player().title == "checkpoint uttt-small"


def test_the_path_of_a_model_starts_at_the_folder_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes(NET.read_bytes())
    tables = '[[players]]\nname = "a"\nmodel = "net.onnx"\n[[players]]\nname = "b"\nplayer = "checkpoint"\n'
    path = tmp_path / "players.toml"
    path.write_text(f'{tables}options = {{ model = "net.onnx", seed = 1.0 }}', encoding="utf-8")
    with closing(read_roster(path, game("uttt"), MODELS_MB)) as roster:
        assert [roster.hold(name).player().title for name in roster.names] == ["checkpoint uttt-small"] * 2


# --- the models in memory ---------------------------------------------------------------------------------------------


class Noted(Factory):
    """Notes its end."""

    def __init__(self, name: str, closed: list[str]) -> None:
        source = create(game("uttt"), "hsp", {})
        super().__init__(source.kind, source.game, {})
        self.name = name
        self.closed = closed

    def close(self) -> None:
        self.closed.append(self.name)


class Models:
    """A roster of players whose models take 10 MiB each, and its loads."""

    def __init__(self, bound: int, *names: str, refuses: bool = True) -> None:
        self.made: list[str] = []
        self.closed: list[str] = []
        players = [Named(name, self.maker(name), 10.0) for name in names]
        self.roster = Roster([*players, Named("light", self.maker("light"))], bound, refuses=refuses)

    def maker(self, name: str) -> Callable[[], Factory]:
        def make() -> Factory:
            self.made.append(name)
            return Noted(name, self.closed)

        return make


def test_a_model_is_loaded_once_and_stays_until_its_room_is_needed() -> None:
    models = Models(20, "a", "b", "c")
    roster = models.roster
    assert roster.take("a") is None
    for name in ("a", "b", "a"):
        roster.hold(name)
        roster.release(name)
    assert (models.made, models.closed) == (["a", "b"], [])
    roster.hold("c")
    assert (models.made, models.closed) == (["a", "b", "c"], ["b"])
    assert roster.take("a") is roster.hold("a")


def test_a_model_in_use_is_not_dropped() -> None:
    models = Models(20, "a", "b", "c")
    for name in ("a", "a", "b"):
        models.roster.hold(name)
    models.roster.release("a")
    with pytest.raises(UsageError, match=r"player 'c': expected a model of at most 0\.0 MiB, left by .* of 20"):
        models.roster.hold("c")
    models.roster.hold("light")
    models.roster.release("b")
    models.roster.hold("c")
    assert models.closed == ["b"]
    models.roster.close()
    assert sorted(models.closed) == ["a", "b", "c", "light"]


def test_models_in_use_may_take_more_than_the_amount_that_stays() -> None:
    models = Models(20, "a", "b", "c", "d", refuses=False)
    for name in "abc":
        models.roster.hold(name)
    assert (models.made, models.closed) == (["a", "b", "c"], [])
    models.roster.release("a")
    models.roster.release("b")
    models.roster.hold("d")
    assert models.closed == ["a", "b"]


def test_a_model_that_cannot_be_loaded_is_tried_again() -> None:
    calls: list[str] = []

    def make() -> Factory:
        calls.append("made")
        if len(calls) == 1:
            raise UsageError("gone")
        return Noted("a", [])

    roster = Roster([Named("a", make, 1.0)])
    with pytest.raises(UsageError, match="gone"):
        roster.hold("a")
    roster.hold("a")


def test_sessions_that_need_one_model_at_a_time_load_it_once() -> None:
    models = Models(20, "a", "b")
    threads = [threading.Thread(target=models.roster.hold, args=(name,)) for name in "abab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert sorted(models.made) == ["a", "b"]


# --- sessions ---------------------------------------------------------------------------------------------------------


def test_a_client_sees_the_names_and_chooses_one(roster: Roster) -> None:
    talk = conversation(roster)
    option = "option name player type combo default {} var shallow var net var a bot"
    assert choices(talk) == ["id name Fiedler shallow (negamax)", option.format("shallow")]
    assert talk.say("setoption name player value net") == []
    assert choices(talk) == ["id name Fiedler net (checkpoint uttt-small)", option.format("net")]
    first = talk.ask("position startpos", "go")
    assert " nodes 16 " in first[-2]
    assert talk.say("setoption name player value a bot") == []
    assert choices(talk) == ["id name Fiedler a bot (hsp)", option.format("a bot")]
    talk.session.close()


def test_the_defaults_are_the_options_in_the_file(roster: Roster) -> None:
    def defaults(*lines: str) -> dict[str, str]:
        options = [line.partition("option name ")[2].split() for line in talk.say(*lines, "ugi") if " default " in line]
        return {words[0]: words[words.index("default") + 1] for words in options}

    talk = conversation(roster)
    assert defaults().items() >= {"depth": "2", "hash_mb": "64"}.items()
    assert defaults("setoption name depth value 5")["depth"] == "2"
    chosen = defaults("setoption name player value net")
    assert chosen.items() >= {"simulations": "16", "seed": "3", "c_puct": "1.5"}.items()
    assert defaults("setoption name player value shallow")["depth"] == "2"
    talk.session.close()


def test_the_options_are_those_of_the_chosen_player(roster: Roster) -> None:
    talk = conversation(roster)
    talk.say("ugi", "setoption name player value a bot")
    (error,) = talk.say("setoption name depth value 3")
    assert error == "info string error: unknown option 'depth' of player hsp (known: seed)"
    assert talk.say("setoption name player value shallow", "setoption name depth value 3") == []
    assert " depth 3 " in talk.ask("position startpos", "go")[-2]
    talk.say("setoption name player value shallow")
    assert " depth 2 " in talk.ask("position startpos", "go")[-2]


def test_an_unknown_name_changes_nothing(roster: Roster) -> None:
    talk = conversation(roster)
    talk.say("ugi", "setoption name player value a bot")
    (error,) = talk.say("setoption name player value nets")
    assert error == "info string error: option 'player': expected one of 3 players, got 'nets'; did you mean 'net'?"
    (error,) = talk.say("setoption name player")
    assert error.endswith("got '' (known: shallow, net, a bot)")
    assert choices(talk)[0] == "id name Fiedler a bot (hsp)"


def test_a_position_stays_with_another_player(roster: Roster) -> None:
    talk = conversation(roster)
    talk.say("ugi", "position startpos moves e5")
    talk.say("setoption name player value a bot")
    assert talk.say("query p1turn") == ["response false"]


def test_a_model_that_is_damaged_leaves_the_player(
    file: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data = NET.read_bytes()
    (tmp_path / "net.onnx").write_bytes(data)
    file.write_text(FILE.replace(str(NET), "net.onnx"), encoding="utf-8")
    with closing(read_roster(file, game("uttt"), MODELS_MB)) as roster:
        talk = conversation(roster)
        talk.say("ugi")
        (tmp_path / "net.onnx").write_bytes(data[:1000])
        (error,) = talk.say("setoption name player value net")
        assert error.startswith("info string error: player 'net': its model: not an ONNX network, or damaged (")
        assert str(tmp_path) not in error
        assert f"player 'net': model {tmp_path / 'net.onnx'}: not an ONNX network" in caplog.text
        assert choices(talk)[0] == "id name Fiedler shallow (negamax)"
        (tmp_path / "net.onnx").write_bytes(data)
        assert talk.say("setoption name player value net") == []
        talk.session.close()


def test_a_player_that_does_not_fit_into_the_shares_is_refused(roster: Roster) -> None:
    talk = conversation(roster, Terms(Shares(memory_mb=100)))
    talk.say("ugi")
    (error,) = talk.say("setoption name player value net")
    assert error == "info string error: hash_mb: expected at most 100 MiB, left by the other sessions of 100; got 256"
    assert talk.say("setoption name hash_mb value 100") == []


def test_a_session_that_ends_releases_its_player() -> None:
    models = Models(10, "a", "b")
    talk = Conversation("uttt", "hsp", None, models.roster, pinned="ugi")
    talk.say("ugi", "setoption name player value a")
    talk.session.close()
    models.roster.hold("b")
    assert models.closed == ["a"]


def test_a_session_that_ends_during_a_load_releases_it() -> None:
    models = Models(10, "a", "b")
    talk = Conversation("uttt", "hsp", None, models.roster, pinned="ugi")
    talk.bring(b"ugi\nsetoption name player value a\n")
    assert talk.session.busy
    talk.session.close()
    assert talk.pump()
    models.roster.hold("b")
    assert models.closed == ["a"]


def test_gtp_has_a_command_for_the_choice() -> None:
    roster = Roster([Named(name, partial(create, game("gomoku9"), name, {})) for name in ("hsp", "osp")])
    talk = Conversation("gomoku9", roster.hold("hsp").player(), None, roster, pinned="gtp")
    assert talk.say("player osp", "name") == ["=", "", "= Fiedler osp", ""]
    assert talk.say("player z")[0].startswith("? option 'player': expected one of 2 players, got 'z'")


def test_more_names_than_a_line_holds_are_not_listed() -> None:
    names = [f"player-{number}" for number in range(MOST_CHOICES // 10)]
    assert choice_of(names[:100], names[1]).type == "combo"
    assert choice_of(names, names[1]).type == "string"


# --- the command ------------------------------------------------------------------------------------------------------


def test_clients_of_one_port_choose_their_players(file: Path) -> None:
    with serving("--game", "uttt", "--players", str(file), "--models-mb", "8") as server:
        with Client(server.port).hello() as one, Client(server.port).hello() as other:
            one.say("setoption name player value net", "ugi")
            other.say("setoption name player value a bot", "ugi")
            assert one.until("ugiok")[0] == "id name Fiedler net (checkpoint uttt-small)"
            assert other.until("ugiok")[0] == "id name Fiedler a bot (hsp)"
            for client in (one, other):
                client.say("position startpos", "go")
                client.until("bestmove ")
        assert server.end() == 0


def test_the_memory_of_a_server_can_be_bounded() -> None:
    words = ("--game", "uttt", "--player", "negamax", "--max-memory-mb", "70")
    with serving(*words) as server, Client(server.port).hello() as one, Client(server.port) as other:
        other.say("ugi")
        expected = "hash_mb: expected at most 6 MiB, left by the other sessions of 70; got 64"
        assert other.line() == f"info string error: {expected}"
        one.say("isready")
        assert one.line() == "readyok"


def test_one_session_on_pipes_chooses_too(file: Path) -> None:
    said = "ugi\nsetoption name player value a bot\nugi\nquit\n"
    done = engine("serve", "--game", "uttt", "--players", str(file), "--stdio", said=said)
    assert (done.returncode, done.stderr) == (0, "")
    names = [line for line in done.stdout.splitlines() if line.startswith("id name")]
    assert names == ["id name Fiedler shallow (negamax)", "id name Fiedler a bot (hsp)"]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--game", "uttt", "--models-mb", "9"), "--models-mb: only with --players, which is missing"),
        (("--game", "uttt", "--keep-models-mb", "9"), "--keep-models-mb: only with --players, which is missing"),
        (
            ("--game", "uttt", "--players", "FILE", "--models-mb", "9", "--keep-models-mb", "9"),
            "--keep-models-mb: in place of --models-mb, got both",
        ),
        (("--game", "uttt", "--players", "FILE", "--report", "--stdio"), "--report: not with --stdio"),
        (("--players", "FILE", "--protocol", "gomocup"), "--players: expected --game G beside it"),
        (("--game", "uttt", "--players", "FILE", "--player", "hsp"), "--players: its file names the players; leave"),
        (("--game", "uttt", "--players", "no.toml"), "no.toml: cannot be read: no such file or directory"),
    ],
)
def test_options_that_do_not_fit_are_refused(file: Path, words: tuple[str, ...], error: str) -> None:
    done = engine("serve", *(str(file) if word == "FILE" else word for word in words))
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {error}")
    assert done.stderr.count("\n") == 1
