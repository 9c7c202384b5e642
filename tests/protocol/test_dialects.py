"""The registry, and the promises of the package as a whole."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fiedler import protocol
from fiedler.games import game
from fiedler.games.coordinates import coordinates
from fiedler.protocol import DEFAULT, DIALECTS, MAX_LINE, Client, FirstLine, LocalProtocolError, Server, detect
from fiedler.protocol.gomocup import GomocupClient, GomocupServer
from fiedler.protocol.gtp import GtpClient, GtpServer
from fiedler.protocol.makemove import MakemoveClient, MakemoveServer
from fiedler.protocol.rowcol import RowcolClient, RowcolServer
from fiedler.protocol.ugi import UgiClient, UgiServer

FOLDER = Path(protocol.__file__).parent
SIDES: dict[str, tuple[type[Client], type[Server]]] = {
    "ugi": (UgiClient, UgiServer),
    "uci": (UgiClient, UgiServer),
    "gtp": (GtpClient, GtpServer),
    "gomocup": (GomocupClient, GomocupServer),
    "rowcol": (RowcolClient, RowcolServer),
    "rowcol-list": (RowcolClient, RowcolServer),
    "makemove": (MakemoveClient, MakemoveServer),
}
"""mypy compares them with the interface, which the registry cannot: it loads them late."""


def test_ugi() -> None:
    assert detect("ugi") == "ugi"
    assert detect(" ugi \r\n") == "ugi"
    assert DIALECTS["ugi"].refusal("no\nroom") == b"info string error: no room\n"


def test_uci() -> None:
    assert detect("uci\r") == "uci"
    assert DIALECTS["uci"].refusal("no") == b"info string error: no\n"


@pytest.mark.parametrize("line", ["", "uci 2", "ugi 2", "UGI", "GET / HTTP/1.1", "\x00" * 9000])
def test_an_unknown_first_line_opens_no_dialect(line: str) -> None:
    assert detect(line) is None


@pytest.mark.parametrize("name", DIALECTS)
def test_a_client_is_that_of_its_dialect(name: str) -> None:
    names = coordinates(game("gomoku15"), DIALECTS[name].coordinates)
    assert type(DIALECTS[name].client(names)) is SIDES[name][0]


@pytest.mark.parametrize("name", [name for name, dialect in DIALECTS.items() if name not in ("ugi", "uci")])
def test_a_dialect_without_words_for_questions_refuses_them(name: str) -> None:
    client = DIALECTS[name].client(coordinates(game("gomoku15"), DIALECTS[name].coordinates))
    assert not DIALECTS[name].questions
    with pytest.raises(LocalProtocolError, match="no words for questions"):
        client.query("gameover")
    with pytest.raises(LocalProtocolError, match="expected a search, got a position alone, startpos and 1 moves"):
        client.place(["a1"])
    assert client.data_to_send() == b""


def test_a_dialect_is_loaded_when_it_is_first_spoken() -> None:
    code = (
        "import sys; from fiedler.protocol import DIALECTS, detect\n"
        "sides = lambda: {n for n in sys.modules if '.server' in n}\n"
        "assert detect('ugi') == 'ugi'; assert sides() == {'fiedler.protocol.server'}\n"
        "DIALECTS['gtp'].load(); assert sides() == {'fiedler.protocol.server', 'fiedler.protocol.gtp.server'}"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_dialect_of_no_use_is_not_recognised() -> None:
    assert detect("4 4", ["ugi"]) is None
    assert FirstLine(["ugi"]).feed(b"4 4\n") is DIALECTS[DEFAULT]
    assert FirstLine(["ugi", "rowcol"]).feed(b"4 4\n") is DIALECTS["rowcol"]


def test_the_first_line_is_held_until_its_end() -> None:
    first = FirstLine()
    assert [first.feed(bytes([byte])) for byte in b"\n \r\nugi"] == [None] * 7
    assert first.feed(b"\nisready\n") is DIALECTS["ugi"]
    assert first.held == b"ugi\nisready\n"


@pytest.mark.parametrize("line", [b"hello\n", b"\xff\n", b"x" * (MAX_LINE + 1)])
def test_a_client_that_opens_no_dialect_gets_the_default_one(line: bytes) -> None:
    assert FirstLine().feed(line) is DIALECTS[DEFAULT]


@pytest.mark.parametrize("file", sorted(FOLDER.rglob("*.py")), ids=lambda file: str(file.relative_to(FOLDER)))
def test_imports_only_the_standard_library(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {node.module or ""}
        else:
            continue
        others = {name.split(".")[0] for name in names if not f"{name}.".startswith(f"{protocol.__name__}.")}
        assert others <= sys.stdlib_module_names - {"socket", "asyncio", "time", "threading"}


FOLDERS = ["", "ugi", "rowcol", "gtp", "makemove", "gomocup"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_readme_lists_the_files_in_dependency_order(folder: str) -> None:
    place, package = FOLDER / folder, f"{protocol.__name__}.{folder}".removesuffix(".")
    listed = re.findall(r"^\| `(\w+)(?:\.py|/)` \|", (place / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    folders = {path.parent.name for path in place.glob("*/__init__.py")}
    assert {*listed} == {file.stem for file in place.glob("*.py")} - {"__init__"} | folders
    for at, name in enumerate(listed):
        files = [place / f"{name}.py"] if (place / f"{name}.py").exists() else [*(place / name).glob("*.py")]
        for file in files:
            needed = re.findall(
                rf"^from {re.escape(package)}(?:\.| import )(\w+)", file.read_text(encoding="utf-8"), re.MULTILINE
            )
            assert {*needed} <= {*listed[: at + (file.parent != place)]}, file


def test_all_public_names() -> None:
    assert protocol.__all__ == sorted(protocol.__all__, key=lambda name: (not name.isupper(), name.islower(), name))
    assert all(hasattr(protocol, name) for name in protocol.__all__)
    assert (FOLDER / "py.typed").exists()
