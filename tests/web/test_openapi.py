"""docs/schemas/openapi.json against a server: each request of the file is sent, and fits its answer; no route lacks."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from jsonschema import Draft202012Validator
from starlette.routing import Match, Route

from fiedler.games import FILLED, GAMES
from fiedler.web.app import application
from fiedler.web.settings import SiteSettings
from tests.folders import DOCS
from tests.patience import PATIENCE, wait_until
from tests.tournament.manager_process import NODES, Manager
from tests.tournament.report.made_runs import make_cluster_run, make_run
from tests.tournament.schedules import Bench, player
from tests.web.pages import Pages
from tests.web.runs import HELD, play, release
from tests.web.test_live import messages
from tests.web.test_public import PLAYERS
from tests.web.test_server import ask, content

API: dict[str, Any] = json.loads((DOCS / "schemas/openapi.json").read_text("utf-8"))
COMPONENTS: dict[str, Any] = API["components"]
SAMPLES = {"number": "1", "kind": "pgn", "form": "pgn", "action": "undo"}
TOKEN = "a-token-of-many-letters-0123456789"


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield method, path and description of each request."""
    for path, methods in API["paths"].items():
        for method, one in methods.items():
            yield method, path, one


OPERATIONS = {one["operationId"]: (method, path, one) for method, path, one in operations()}


def closed(value: Any) -> Any:
    """Return a schema that allows no key besides its own: the file names every key that is sent."""
    if isinstance(value, list):
        return [closed(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: closed(one) for key, one in value.items()}
    return found | ({"additionalProperties": False} if isinstance(value.get("properties"), dict) else {})


CLOSED = closed(COMPONENTS["schemas"])


def wrongs(schema: dict[str, Any], document: Any) -> list[str]:
    validator = Draft202012Validator({**closed(schema), "components": {"schemas": CLOSED}})
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(document)]


def fitting(name: str, status: int, media: str, text: str) -> None:
    """Fail unless the answer to a request of this name is one of the file."""
    found = OPERATIONS[name][2]["responses"][str(status)]
    if "$ref" in found:
        found = COMPONENTS["responses"][found["$ref"].rpartition("/")[2]]
    media = media.partition(";")[0]
    assert media in found["content"], (name, status, media)
    document = json.loads(text) if media == "application/json" else text
    assert wrongs(found["content"][media]["schema"], document) == [], (name, status)


@dataclass
class Site:
    """A server whose answers are compared with the file."""

    pages: Pages

    def says(self, name: str, query: str = "", body: object = None, status: int = 0, **values: object) -> Any:
        """Send a request of the file with these values of its path, and return its answer; 0: the good status."""
        method, path, one = OPERATIONS[name]
        address = re.sub(r"\{(\w+)\}", lambda found: str(values[found[1]]), path) + query
        answer = ask(self.pages, address, method.upper(), None if body is None else json.dumps(body))
        good = next(int(code) for code in one["responses"] if code.startswith("2"))
        assert answer.status == (status or good), (address, content(answer))
        media = answer.headers["Content-Type"]
        fitting(name, answer.status, media, content(answer))
        return json.loads(content(answer)) if media == "application/json" else content(answer)

    def events(
        self, name: str, until: str, query: str = "", begin: Callable[[], object] | None = None, **values: object
    ) -> dict[str, Any]:
        """Return the last data of each event of a stream, all of which fit, up to that of this name.

        `begin` is called after the first one.
        """
        _, path, one = OPERATIONS[name]
        link = http.client.HTTPConnection(urlsplit(self.pages.url).netloc, timeout=PATIENCE)
        seen: dict[str, Any] = {}
        try:
            link.request("GET", re.sub(r"\{(\w+)\}", lambda found: str(values[found[1]]), path) + query)
            answer = link.getresponse()
            assert (answer.status, answer.headers["Content-Type"].partition(";")[0]) == (200, "text/event-stream")
            for _, event, data in messages(answer):
                assert wrongs(one["responses"]["200"]["x-events"][event]["schema"], data) == [], event
                if begin is not None and not seen:
                    begin()
                seen[event] = data
                if event == until:
                    break
        finally:
            link.close()
        return seen


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A played run with failures, a benched and a missing player; one of a cluster, an idle one, and a damaged one."""
    one = Bench(tmp_path_factory.mktemp("openapi"))
    play(one, PLAYERS, tournament={"bench_after": 1, "games_per_pair": 20}, limit=NODES)
    make_cluster_run(one.results / "cluster")
    make_run(one.results / "idle", ["a", "b"], games_per_pair=2, played=0.0)
    broken = one.results / "broken"
    broken.mkdir()
    (broken / "run.sqlite").write_bytes(b"no database" * 1000)
    return one


@pytest.fixture(scope="module")
def site(league: Bench) -> Iterator[Site]:
    players = league.folder / "offers.toml"
    players.write_text(
        '[[players]]\nname = "osp"\nplayer = "osp"\n\n[[players]]\nname = "negamax"\nplayer = "negamax"\n'
    )
    one = Pages(league.results, "--play", players)
    yield Site(one)
    assert one.stop() == 0


def test_every_route_that_gives_data_is_in_the_file_and_no_other() -> None:
    routes = [one for one in application(SiteSettings(Path())).routes if isinstance(one, Route)]
    data = {id(one) for one in routes if one.path.startswith("/api/") or one.path == "/healthz"}
    for method, path, one in OPERATIONS.values():
        address = re.sub(r"\{(\w+)\}", lambda found: SAMPLES.get(found[1], "x"), path)
        scope = {"type": "http", "path": address, "method": method.upper()}
        first = next(route for route in routes if route.matches(scope)[0] is Match.FULL)
        assert method.upper() in (first.methods or ()), path
        data.discard(id(first))
        names = set(re.findall(r"\{(\w+)\}", path))
        given = {each["name"] for each in one.get("parameters", []) if each["in"] == "path"}
        assert given == names, path
    assert data == set(), [one.path for one in routes if id(one) in data]


def test_every_path_of_the_page_is_in_the_file_and_no_other() -> None:
    page = (DOCS / "web.md").read_text("utf-8").partition("## As JSON")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `/")]
    assert {path for row in rows for path in re.findall(r"`(/[^`]*)`", row)} == {*API["paths"]}


@pytest.mark.parametrize("name", COMPONENTS["schemas"])
def test_a_document_has_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(COMPONENTS["schemas"][name])


def test_the_lists(site: Site) -> None:
    runs = {run["name"]: run for run in site.says("get_runs")["runs"]}
    assert runs.keys() == {"test", "cluster", "idle", "broken"}
    assert runs["broken"].keys() == {"name", "error"}
    assert {one["id"] for one in site.says("get_games")["games"]} == {*GAMES}
    assert site.says("get_healthz") == "ok\n"


def test_a_run_and_its_games(site: Site) -> None:
    found = site.says("get_runs_run", run="test")
    assert found["progress"]["benched"].keys() == {"bad"}
    assert found["failed"][0]["player"] == "bad"
    wait_until(lambda: site.says("get_runs_run", run="test")["standings"] is not None)
    assert site.says("get_runs_run", run="cluster")["nodes"]["nodes"][0]["agreement"]
    assert "database" in site.says("get_runs_run", run="broken")["trouble"]
    listed = site.says("get_runs_run_games", run="test", query="?player=a&outcome=won&termination=rules&page=1")
    assert listed["page"] == 1
    games = site.says("get_runs_run_games", run="test")["games"]
    assert games
    for game in games:
        shown = site.says("get_runs_run_games_number", run="test", number=game["number"])
        assert shown["result"] == game["result"]
        for kind in shown["files"]:
            site.says("get_runs_run_games_number_kind", run="test", number=game["number"], kind=kind)
    unfinished = site.says("get_runs_run_games_number", run="idle", number=1)
    assert (unfinished["result"], unfinished["files"]) == (None, [])
    assert "[Event " in site.says("get_runs_run_games_pgn", run="test")


def test_players_and_pairs(site: Site) -> None:
    found = site.says("get_runs_run_player", run="test", query="?player=bad")
    assert sum(found["failures"].values()) > 0
    assert site.says("get_runs_run_player", run="idle", query="?player=a")["ranking"] == []
    assert site.says("get_runs_run_pair", run="test", query="?player=a&opponent=bad")["score"]


def test_the_streams_of_runs(site: Site) -> None:
    for run in ("cluster", "test"):
        snapshot = site.events("get_runs_run_live", "snapshot", run=run)["snapshot"]
        assert snapshot["name"] == run
        parts = site.events("get_runs_run_live", "tables", run=run, query=f"?after={snapshot['id']}")
        assert parts.keys() == {"progress", "plan", "standings", "nodes", "tables"}
    assert "database" in site.events("get_runs_run_live", "trouble", run="broken")["trouble"]["trouble"]


def test_the_stream_of_a_run_under_way(bench: Bench, pages: Callable[..., Pages]) -> None:
    bench.write([player("a", "held", 3), player("b")], tournament={"games_per_pair": 20}, limit=HELD)
    manager = Manager(bench, "--progress", "all")
    manager.wait_for("Started game ", 3)
    site = Site(pages())
    wait_until(lambda: site.says("get_runs_run", run="test")["tables"])
    snapshot = site.events("get_runs_run_live", "snapshot", run="test")["snapshot"]
    assert snapshot["tables"][0]["cells"] is not None
    number = snapshot["tables"][0]["number"]
    query, begin = f"?game={number}", partial(release, bench)
    seen = site.events("get_runs_run_live", "finished", run="test", query=query, begin=begin)
    assert seen["finished"] == number
    seen = site.events("get_runs_run_live", "changes", run="test", query=f"?after={snapshot['id']}")
    assert seen["changes"]
    assert manager.end() == (0, "")


@pytest.mark.parametrize("game", FILLED)
def test_every_game(site: Site, game: str) -> None:
    shown = site.says("get_games_game_geometry", game=game)
    legal = site.says("get_games_game_replay", game=game)["legal"]
    replay = site.says("get_games_game_replay", game=game, query=f"?moves={legal[0]}")
    assert (replay["moves"], shown["game"]) == ([legal[0]], game)
    offered = site.says("get_games_game_players", game=game)
    assert offered["players"][0]["name"] == "osp"
    for form in offered["files"]:
        site.says("get_games_game_record_form", game=game, form=form, query=f"?moves={legal[0]}")


def test_a_game_without_cells_has_drawings(site: Site) -> None:
    assert site.says("get_games_game_replay", game="generic", query="?moves=e2e4")["boards"]


def test_a_game_is_played(site: Site) -> None:
    begun = site.says("post_play", body={"game": "tictactoe", "second": "osp", "nodes": 1, "person": "Ann"})
    key = begun["id"]
    moved = site.says("post_play_key_move", key=key, body={"move": "b2", "ply": 0})
    assert moved["replay"]["moves"][0] == "b2"
    wait_until(lambda: len(site.says("get_play_key", key=key)["replay"]["moves"]) == 2)
    for action in ("hint", "undo", "retry"):
        site.says("post_play_key_action", key=key, action=action)
    assert site.events("get_play_key_live", "state", key=key)["state"]["id"] == key
    resigned = site.says("post_play_key_action", key=key, action="resign")
    assert resigned["result"] == "0-1"
    site.says("post_play_key_action", key=key, action="close")
    site.says("get_play_key", key=key, status=404)


def test_the_report_of_a_search(site: Site) -> None:
    begun = site.says("post_play", body={"game": "connect4", "first": "negamax", "nodes": 1000})
    wait_until(lambda: site.says("get_play_key", key=begun["id"])["report"] is not None)
    found = site.says("get_play_key", key=begun["id"])
    assert found["report"]["nodes"] is not None
    assert found["scores"] != []


@pytest.mark.parametrize(
    ("name", "status", "request_"),
    [
        ("get_runs_run", 404, {"run": "none"}),
        ("get_runs_run_live", 404, {"run": "none"}),
        ("get_runs_run_games", 400, {"run": "test", "query": "?outcome=lucky"}),
        ("get_runs_run_games", 404, {"run": "none"}),
        ("get_runs_run_games", 503, {"run": "broken"}),
        ("get_runs_run_games_pgn", 404, {"run": "idle"}),
        ("get_runs_run_games_pgn", 503, {"run": "broken"}),
        ("get_runs_run_games_number", 404, {"run": "test", "number": 999999}),
        ("get_runs_run_games_number", 503, {"run": "broken", "number": 1}),
        ("get_runs_run_games_number_kind", 404, {"run": "test", "number": 1, "kind": "exe"}),
        ("get_runs_run_games_number_kind", 503, {"run": "broken", "number": 1, "kind": "pgn"}),
        ("get_runs_run_player", 404, {"run": "test", "query": "?player=x"}),
        ("get_runs_run_player", 503, {"run": "broken", "query": "?player=x"}),
        ("get_runs_run_pair", 404, {"run": "test", "query": "?player=a&opponent=a"}),
        ("get_runs_run_pair", 503, {"run": "broken", "query": "?player=a&opponent=a"}),
        ("get_games_game_geometry", 404, {"game": "generic"}),
        ("get_games_game_replay", 400, {"game": "cube", "query": "?moves=z9"}),
        ("get_games_game_replay", 404, {"game": "none"}),
        ("get_games_game_record_form", 400, {"game": "cube", "form": "pgn", "query": "?result=x"}),
        ("get_games_game_record_form", 404, {"game": "cube", "form": "exe"}),
        ("get_games_game_players", 404, {"game": "none"}),
        ("post_play", 400, {"body": {"game": "cube", "strength": 1}}),
        ("post_play", 413, {"body": {"game": "x" * 5000}}),
        ("get_play_key", 404, {"key": "none"}),
        ("get_play_key_live", 404, {"key": "none"}),
        ("post_play_key_move", 404, {"key": "none", "body": {}}),
        ("post_play_key_action", 404, {"key": "none", "action": "undo"}),
    ],
)
def test_a_refusal_is_in_the_file(site: Site, name: str, status: int, request_: dict[str, Any]) -> None:
    assert site.says(name, status=status, **request_)["error"]


def test_refusals_in_a_game_are_in_the_file(site: Site) -> None:
    key = site.says("post_play", body={"game": "tictactoe"})["id"]
    site.says("post_play_key_move", key=key, body={"move": "b2", "ply": 7}, status=409)
    site.says("post_play_key_move", key=key, body={"move": "b2"}, status=400)
    site.says("post_play_key_move", key=key, body={"move": "b" * 5000, "ply": 0}, status=413)
    site.says("post_play_key_action", key=key, action="hint", status=409)


def test_a_visitor_with_too_many_games_is_refused_as_the_file_says(pages: Callable[..., Pages]) -> None:
    site = pages()
    body = json.dumps({"game": "tictactoe"})
    last = [ask(site, "/api/play", "POST", body, X_Forwarded_For="192.0.2.7") for _ in range(5)][-1]
    assert last.status == 429
    fitting("post_play", 429, last.headers["Content-Type"], content(last))


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_door_answers_as_the_file_says(doors: dict[str, Pages], name: str) -> None:
    method, path, one = OPERATIONS[name]
    address = re.sub(r"\{(\w+)\}", lambda found: SAMPLES.get(found[1], "x"), path)
    is_open = one.get("security") == []
    closed = ask(doors["token"], address, method.upper(), "{}")
    assert (closed.status == 401) is not is_open
    fitting(name, closed.status, closed.headers["Content-Type"], content(closed))
    entered = ask(doors["token"], address, method.upper(), "{}", Authorization=f"Bearer {TOKEN}")
    assert entered.status not in (401, 403)
    elsewhere = ask(doors["local"], address, method.upper(), "{}", Host="evil.example")
    assert elsewhere.status == 403
    fitting(name, 403, elsewhere.headers["Content-Type"], content(elsewhere))
    public = ask(doors["public"], address, method.upper(), "{}")
    says_public = "with `--public`" in one["description"] and "Not on" not in one["description"]
    assert (content(public) != "There is no such page here.\n") is says_public
    fitting(name, public.status, public.headers["Content-Type"], content(public))


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Pages]]:
    """Servers without runs: with a token, for everybody, and for this machine."""
    folder = tmp_path_factory.mktemp("doors")
    file = folder / "tokens"
    file.write_text(f"{TOKEN}\n", "utf-8")
    file.chmod(0o600)
    results = folder / "results"
    results.mkdir()
    found = {
        "token": Pages(results, "--token-file", file),
        "public": Pages(results, "--public"),
        "local": Pages(results),
    }
    yield found
    assert [one.stop() for one in found.values()] == [0, 0, 0]


def test_what_everybody_may_read_fits_too(league: Bench) -> None:
    """Without the addresses of nodes and the reasons, which are optional in the file."""
    one = Pages(league.results, "--public")
    try:
        site = Site(one)
        for run in ("test", "cluster"):
            site.says("get_runs_run", run=run)
            site.events("get_runs_run_live", "snapshot", run=run)
        assert "address" not in site.says("get_runs_run", run="cluster")["nodes"]["nodes"][0]
        assert "error" in {run["name"]: run for run in site.says("get_runs")["runs"]}["broken"]
    finally:
        assert one.stop() == 0
