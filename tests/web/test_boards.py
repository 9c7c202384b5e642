"""The boards of every game in a browser: played to the end by clicks, and by keys alone."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from fiedler import games
from fiedler.games.board import Kind
from fiedler.games.geometry import geometry, to_json
from fiedler.games.go import PASS, is_go
from fiedler.games.refusal import refusal
from fiedler.games.replay import Replay, replay
from fiedler.games.replay import to_json as replay_json
from tests.web.browser import NARROW, Watch, overflow
from tests.web.pages import Pages
from tests.web.test_server import ask, content

every_game = pytest.mark.parametrize("game", games.GAMES.values(), ids=games.GAMES)
GAMES_OF_STONES = {game.id: game for game in games.GAMES.values() if not game.steps}
"""Those in which a click is a move; `test_chess.py` has the others."""
game_of_stones = pytest.mark.parametrize("game", GAMES_OF_STONES.values(), ids=GAMES_OF_STONES)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    """A server without runs."""
    one = Pages(tmp_path_factory.mktemp("results"))
    yield one
    assert one.stop() == 0


def open_board(site: Pages, browser: Browser, watch: Watch, game: str, **context: object) -> Page:
    page = watch.page(browser, reduced_motion="reduce", **context)
    page.goto(f"{site.url}/play/{game}")
    expect(page.locator("main[data-ready]")).to_have_count(1)
    return page


def random_game(game: games.Game, seed: int) -> list[str]:
    """Return a random game of at most 60 moves, which ends where the rules end it earlier."""
    rng, position, moves = random.Random(seed), game.position(), list[str]()
    while position.result is None and len(moves) < 60:
        move = rng.choice(position.legal_moves())
        moves.append(position.move_text(move))
        position.play(move)
    return moves


def finished_game(game: games.Game) -> list[str]:
    """Return a game that ends by the rules: five in a row, two passes, or the shortest of some random games."""
    if is_go(game):
        return ["d6", "e6", "c5", "f5", "d4", "e4", "g3", "d5", "e5", "pass", "pass"]  # e5 takes d5
    if game.board is Kind.POINTS:
        return ["b5", "b9", "c5", "d9", "d5", "f9", "e5", "h9", "f5"]
    found = [random_game(game, seed) for seed in range(40)]
    return min((moves for moves in found if game.position(moves=moves).result is not None), key=len)


def cell(page: Page, name: str) -> None:
    """Click on the cell of a move; of a column on its highest cell; on the button of a pass."""
    if name == PASS:
        page.get_by_role("button", name="Pass", exact=True).click()
        return
    wanted = f'[data-name="{name}"]' if name[-1].isdigit() else f'[data-name^="{name}"]'
    page.locator(wanted).first.locator(".hit").click()


def shown_stones(page: Page) -> list[int]:
    found = page.eval_on_selector_all(
        "[data-cell]", "(all) => all.map((one) => [Number(one.dataset.cell), Number(one.dataset.stone ?? 0)])"
    )
    return [stone for _, stone in sorted(found)]


def at_ply(page: Page, ply: int) -> None:
    expect(page.locator(f'svg.board[data-ply="{ply}"]')).to_have_count(1)


def play(page: Page, moves: Sequence[str]) -> None:
    for ply, move in enumerate(moves, 1):
        cell(page, move)
        at_ply(page, ply)


@game_of_stones
def test_a_game_is_played_to_its_end_by_clicks(site: Pages, browser: Browser, watch: Watch, game: games.Game) -> None:
    page, moves = open_board(site, browser, watch, game.id), finished_game(game)
    play(page, moves)
    shown = replay(game, moves)
    assert shown.result != "*"
    assert shown_stones(page) == list(game.position(moves=moves).cells)
    expect(page.locator(".replay-state")).to_contain_text(shown.text)
    won = {int(one) for one in page.eval_on_selector_all(".won[data-cell]", "(all) => all.map((o) => o.dataset.cell)")}
    assert won == game.winning_cells(game.position(moves=moves))
    assert page.locator(".win").count() == len(shown.lines)
    assert page.locator(".playable").count() == 0
    last = page.eval_on_selector_all(".last[data-cell]", "(all) => all.map((one) => Number(one.dataset.cell))")
    assert last == [cell for cell, _ in shown.changes[-1][:1]]


@pytest.mark.parametrize("view", ["layers", "trays", "turn"])
@pytest.mark.parametrize("size", [{"width": 1280, "height": 900}, NARROW], ids=["wide", "narrow"])
def test_the_cube_is_played_in_every_view(
    site: Pages, browser: Browser, watch: Watch, view: str, size: dict[str, int]
) -> None:
    game = games.game("cube")
    page = open_board(site, browser, watch, "cube", viewport=size)
    page.locator(f'[data-view="{view}"]').first.click()
    moves = finished_game(game)
    play(page, moves)
    assert shown_stones(page) == list(game.position(moves=moves).cells)
    assert page.locator(".win").count() == 1
    assert overflow(page) == []


def middle(page: Page, name: str) -> tuple[float, float]:
    box = page.locator(f'[data-name="{name}"] .hit').bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_cube_turns_at_most_45_degrees_and_a_double_click_resets_it(
    site: Pages, browser: Browser, watch: Watch
) -> None:
    page = open_board(site, browser, watch, "cube")
    page.locator('button[data-view="turn"]').click()
    at_first = middle(page, "1a1")
    box = page.locator("svg.board").bounding_box()
    assert box is not None
    corner = box["x"] + 8, box["y"] + 8

    def drag(right: float) -> None:
        page.mouse.move(*corner)
        page.mouse.down()
        page.mouse.move(corner[0] + right, corner[1], steps=6)
        page.mouse.up()

    drag(400)
    far = middle(page, "1a1")
    assert far != at_first
    page.mouse.move(0, 0)
    drag(400)
    assert middle(page, "1a1")[0] == pytest.approx(far[0], abs=1), "it has turned as far as it does"
    assert page.locator("svg.board").get_attribute("data-ply") == "0", "a drag is no move"
    page.mouse.dblclick(*corner)
    assert middle(page, "1a1") == pytest.approx(at_first, abs=0.5)


@game_of_stones
def test_illegal_clicks_do_nothing(site: Pages, browser: Browser, watch: Watch, game: games.Game) -> None:
    page = open_board(site, browser, watch, game.id)
    moves = random_game(game, 5)[:9]
    play(page, moves)
    shown = replay(game, moves)
    page.evaluate(
        "() => { window.asked = 0; const real = fetch; window.fetch = (...all) => { asked++; return real(...all); }; }"
    )
    legal = set(shown.legal)
    taken = [one for one in page.locator("[data-cell]").all() if (one.get_attribute("data-name") or "") not in legal]
    full = [one for one in taken if not _column_is_open(one.get_attribute("data-name") or "", legal)]
    for one in full[:12]:
        one.locator(".hit").click(force=True)
        expect(reason(page)).to_have_text(
            refusal(game, game.position(moves=moves), one.get_attribute("data-name") or "")
        )
    assert page.evaluate("asked") == 0
    at_ply(page, len(moves))
    assert bool(full) == (game.id != "connect4")


def reason(page: Page) -> Locator:
    """The line with the reason why a click was no move."""
    return page.locator(".play-reason")


REASONS = """async (all) => {
    const { refusal } = await import("/static/refusal.js");
    const stones = (replay) => replay.changes.flat().reduce(
        (found, [cell, piece]) => found.with(cell, piece), replay.stones);
    return all.map(([geometry, replay]) =>
        geometry.cells.map((_, index) => refusal(geometry, replay, stones(replay), index)));
}"""


def test_every_closed_cell_has_the_reason_of_the_terminal(site: Pages, browser: Browser, watch: Watch) -> None:
    page, lines = open_board(site, browser, watch, "tictactoe"), list[tuple[games.Game, list[str]]]()
    for game in GAMES_OF_STONES.values():
        whole = [random_game(game, seed) for seed in range(4)]
        lines += [(game, moves[:ply]) for moves in whole for ply in range(0, len(moves) + 1, 4)]
    shown = [
        (json.loads(to_json(geometry(game))), json.loads(replay_json(replay(game, moves)))) for game, moves in lines
    ]
    said = page.evaluate(REASONS, shown)
    names = [[cell["move"] for cell in board["cells"]] for board, _ in shown]
    positions = [game.position(moves=moves) for game, moves in lines]
    wanted = [
        [refusal(game, position, name) for name in cells]
        for (game, _), position, cells in zip(lines, positions, names, strict=True)
    ]
    assert said == wanted
    kinds = {" ".join(why.split()[1:]) for cells in wanted for why in cells}
    assert {"is taken", "game is over", "on the centre board"} <= kinds
    assert any("has won it" in why for cells in wanted for why in cells)


def _column_is_open(name: str, legal: set[str]) -> bool:
    return name[0] in legal


def test_a_full_column_takes_no_disc(site: Pages, browser: Browser, watch: Watch) -> None:
    page = open_board(site, browser, watch, "connect4")
    play(page, ["d"] * 6)
    assert page.locator('[data-name^="d"].playable').count() == 0
    page.locator('[data-name="d6"] .hit').click(force=True)
    expect(reason(page)).to_have_text("column d is full")
    cell(page, "a")
    at_ply(page, 7)
    expect(reason(page)).to_be_empty()
    assert shown_stones(page)[35] == 1, "a disc falls to the bottom"


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "cube", "gomoku9"])
def test_keys_alone_suffice(site: Pages, browser: Browser, watch: Watch, name: str) -> None:
    page = open_board(site, browser, watch, name)
    for _ in range(40):
        if page.evaluate("document.activeElement.dataset.cell") is not None:
            break
        page.keyboard.press("Tab")
    moves: list[str] = []
    for key in ("ArrowLeft", "ArrowUp", "ArrowRight"):
        moves.append(page.evaluate("document.activeElement.dataset.name"))
        page.keyboard.press("Enter")
        at_ply(page, len(moves))
        page.keyboard.press(key)
    assert len(set(moves)) == 3
    own = [move if name != "connect4" else move[0] for move in moves]
    assert shown_stones(page) == list(games.game(name).position(moves=own).cells)
    focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused.endswith(("empty", *games.game(name).sides))


def test_page_keys_change_the_layer_and_shift_turns(site: Pages, browser: Browser, watch: Watch) -> None:
    page = open_board(site, browser, watch, "cube")
    page.locator('button[data-view="turn"]').click()
    page.locator('[data-name="1a1"]').focus()
    page.keyboard.press("PageUp")
    assert page.evaluate("document.activeElement.dataset.name") == "2a1"
    before = middle(page, "1a1")
    page.keyboard.press("Shift+ArrowRight")
    assert middle(page, "1a1") != before
    assert page.evaluate("document.activeElement.dataset.name") == "2a1"


def test_ultimate_tic_tac_toe_shows_the_board_of_the_next_move(site: Pages, browser: Browser, watch: Watch) -> None:
    page = open_board(site, browser, watch, "uttt")
    assert page.locator(".aim").count() == 0, "everywhere"
    play(page, ["e5", "d4"])
    assert page.locator(".aim").count() == 1
    assert page.locator(".playable").count() == 9
    assert (page.locator(".aim").get_attribute("x"), page.locator(".aim").get_attribute("y")) == ("0", "6")


def test_renju_shows_forbidden_points_with_their_kind(site: Pages, browser: Browser, watch: Watch) -> None:
    page = open_board(site, browser, watch, "renju15")
    play(page, ["g8", "j5", "f8", "k6", "h9", "d12", "h10", "e4"])
    point = page.locator('[data-name="h8"]')
    expect(point.locator(".kind")).to_have_text("33")
    expect(point).to_have_attribute("aria-label", "h8: forbidden, double three")
    point.locator(".hit").click(force=True)
    expect(reason(page)).to_have_text("h8 is forbidden for Black (X): double three")
    at_ply(page, 8)


def test_replay_by_keys_buttons_and_address(site: Pages, browser: Browser, watch: Watch) -> None:
    page = open_board(site, browser, watch, "tictactoe")
    play(page, ["b2", "a3", "c1", "a1", "a2"])
    page.evaluate("document.activeElement.blur()")
    for key, ply in (("Home", 0), ("ArrowRight", 1), ("End", 5), ("ArrowLeft", 4)):
        page.keyboard.press(key)
        at_ply(page, ply)
        assert page.url.endswith(f"#{ply}")
        assert sum(map(bool, shown_stones(page))) == ply
    page.get_by_role("button", name="back").click()
    at_ply(page, 3)
    page.locator(".replay-moves button").first.click()
    at_ply(page, 1)
    page.evaluate("location.hash = '#2'")
    at_ply(page, 2)
    assert page.locator(".playable").count() == 0, "only the last position is played on"
    page.locator('[data-name="c3"] .hit').click(force=True)
    expect(reason(page)).to_have_text("this is an earlier position: only the last one is played on")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("End")
    expect(reason(page)).to_be_empty()
    page.locator('[data-name="b2"] .hit').click(force=True)
    expect(reason(page)).to_have_text("b2 is taken")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@every_game
def test_a_phone_shows_the_whole_board(
    site: Pages, browser: Browser, watch: Watch, game: games.Game, scheme: str
) -> None:
    page = open_board(site, browser, watch, game.id, viewport=NARROW, color_scheme=scheme)
    assert overflow(page) == []
    box = page.locator("svg.board").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["width"] > 330


def test_a_finger_chooses_a_small_cell_and_plays_it_with_the_next_tap(
    site: Pages, browser: Browser, watch: Watch
) -> None:
    page = open_board(site, browser, watch, "gomoku20", viewport=NARROW, has_touch=True)
    page.touchscreen.tap(*middle(page, "h10"))
    expect(page.locator(".ghost")).to_have_count(1)
    at_ply(page, 0)
    page.touchscreen.tap(*middle(page, "h10"))
    at_ply(page, 1)
    page.touchscreen.tap(*middle(page, "h10"))
    expect(reason(page)).to_have_text("h10 is taken")


def test_the_list_of_games_has_them_all(site: Pages, browser: Browser, watch: Watch) -> None:
    page = watch.page(browser, viewport=NARROW)
    page.goto(f"{site.url}/play")
    expect(page.locator("main[data-ready]")).to_have_count(1)
    assert page.locator(".games strong").all_inner_texts() == [game.name for game in games.GAMES.values()]
    assert overflow(page) == []


def test_documents(site: Pages) -> None:
    listed = json.loads(content(ask(site, "/api/games")))["games"]
    assert [game["id"] for game in listed] == list(games.GAMES)
    for sides, found in (("", ""), ("00", "001"), ("000", "000"), ("010", ""), ("01", "")):
        shown = json.loads(content(ask(site, f"/api/games/generic/replay?moves=x+y&sides={sides}")))
        assert (shown["moves"], shown["sides"]) == (["x", "y"], found)
    shown = json.loads(content(ask(site, "/api/games/connect4/replay?moves=d+d")))
    assert shown["changes"] == [[list(one) for one in ply] for ply in _of("connect4", ["d", "d"]).changes]
    for path, why in (
        ("connect4/replay?moves=z", "expected a column a to g, got 'z'"),
        ("connect4/replay?start=nonsense", "expected 'startpos'"),
        ("generic/replay?moves=x+y&sides=0", "expected a side, 0 or 1, for each move, and one more at most"),
        ("generic/replay?moves=x+y&sides=02", "expected a side, 0 or 1"),
        ("tictactoe/replay?moves=" + "a1+" * 4097, "expected at most 4096 moves, got 4097"),
    ):
        answer = ask(site, f"/api/games/{path}")
        assert (answer.status, why in json.loads(content(answer))["error"]) == (400, True)
    assert ask(site, "/api/games/checkers/geometry").status == 404
    assert ask(site, "/api/games/openspiel:hex(board_size=9)/replay").status == 404, "it is in no run here"
    assert ask(site, "/play/checkers").status == 404


def _of(name: str, moves: Sequence[str]) -> Replay:
    return replay(games.game(name), moves)


def test_a_stone_is_shown_before_the_server_answers_and_a_second_click_waits(
    site: Pages, browser: Browser, watch: Watch
) -> None:
    page = open_board(site, browser, watch, "tictactoe")
    asked: list[str] = []
    page.route("**/replay?*", lambda route: asked.append(route.request.url))  # no answer
    page.locator('[data-name="b2"] .hit').click()
    expect(page.locator('[data-name="b2"] .ghost.placed')).to_have_count(1)
    page.locator('[data-name="a1"] .hit').click()
    assert [url.rpartition("=")[2] for url in asked] == ["b2"]
    at_ply(page, 0)


def test_a_position_that_comes_before_the_answer_can_be_played_on(site: Pages, browser: Browser, watch: Watch) -> None:
    page = open_board(site, browser, watch, "tictactoe")
    asked = page.evaluate("""async () => {
        const { Board } = await import("/static/board.js");
        const get = async (path) => (await fetch(`/api/games/tictactoe/${path}`)).json();
        const box = document.body.appendChild(document.createElement("div"));
        const asked = [];
        const onMove = (move) => { asked.push(move); return new Promise(() => {}); }; // no answer
        const board = new Board(box, await get("geometry"), { onMove });
        const press = (name) => box.querySelector(`[data-name="${name}"] .hit`)
            .dispatchEvent(new MouseEvent("click", { bubbles: true }));
        board.show(await get("replay?moves="));
        press("b2");
        press("a1");
        board.show(await get("replay?moves=b2+c3"));
        press("a1");
        press("a2");
        return asked;
    }""")
    assert asked == ["b2", "a1"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["cube", "connect4", "uttt", "renju15"])
def test_axe_finds_nothing(site: Pages, browser: Browser, watch: Watch, name: str, scheme: str) -> None:
    page = open_board(site, browser, watch, name, color_scheme=scheme)
    play(page, [replay(games.game(name), []).legal[-1]])
    assert [found["id"] for found in Axe().run(page).response["violations"]] == []
