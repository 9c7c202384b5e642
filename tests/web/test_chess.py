"""Chess in a browser: pieces are moved by clicks and by keys; a refused step has the reason of the terminal."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from fiedler import games
from fiedler.games.chess_moves import name_of
from fiedler.games.geometry import geometry, to_json
from fiedler.games.refusal import refusal
from fiedler.games.replay import replay
from fiedler.games.replay import to_json as replay_json
from tests.web.browser import NARROW, Watch, overflow
from tests.web.pages import Pages
from tests.web.test_boards import at_ply, middle, open_board, random_game, reason, shown_stones

WHOLE = [
    *("e2e4", "d7d5", "e4d5", "c7c6", "d5c6", "e7e6", "g1f3", "g8f6", "f1c4", "f8c5", "e1g1", "e8g8", "c6b7", "d8b6"),
    *("b7a8r", "g8h8", "g1h1", "h8g8", "h1g1", "g8h8", "g1h1", "h8g8", "h1g1"),
]
"""Both sides castle, White takes a rook and becomes one, the position comes back twice."""
SHUFFLED = ["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5", "e1h1", "e8h8"]
"""Both sides castle as in Chess960."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    """A server that offers a player."""
    folder = tmp_path_factory.mktemp("chess")
    (folder / "players.toml").write_text('[[players]]\nname = "rnd"\nplayer = "random"\noptions = { seed = 3 }\n')
    one = Pages(folder, "--play", folder / "players.toml")
    yield one
    assert one.stop() == 0


def click(page: Page, square: str) -> None:
    page.locator(f'[data-name="{square}"] .hit').click(force=True)


def play(page: Page, moves: Sequence[str]) -> None:
    for ply, move in enumerate(moves, 1):
        click(page, move[:2])
        click(page, move[2:4])
        if len(move) > 4:
            page.locator(f'.board-promotion [data-move="{move}"]').click()
        at_ply(page, ply)


def names(page: Page, kind: str) -> set[str]:
    return set(page.eval_on_selector_all(f"[data-cell].{kind}", "(all) => all.map((one) => one.dataset.name)"))


@pytest.mark.parametrize(("game", "moves"), [("chess", WHOLE), ("chess960", SHUFFLED)])
def test_a_game_is_played_by_clicks(
    site: Pages, browser: Browser, watch: Watch, game: str, moves: Sequence[str]
) -> None:
    page = open_board(site, browser, watch, game)
    play(page, moves)
    shown = replay(games.game(game), moves)
    assert shown_stones(page) == shown.last_cells
    expect(page.locator(".replay-state")).to_contain_text(shown.text)
    assert page.locator(".replay-moves button").all_inner_texts() == list(shown.names)
    assert names(page, "left") == {moves[-1][:2]}
    assert names(page, "last") == {name_of(shown.changes[-1][0][0])}
    assert page.locator(".arrow").count() == 1
    assert page.locator(".playable").count() == (0 if shown.result != "*" else len({one[:2] for one in shown.legal}))


def test_a_chosen_piece_shows_its_targets_and_can_be_left(site: Pages, browser: Browser, watch: Watch) -> None:
    page = open_board(site, browser, watch, "chess")
    assert names(page, "playable") == {f"{file}2" for file in "abcdefgh"} | {"b1", "g1"}
    click(page, "g1")
    assert names(page, "target") == {"f3", "h3"}
    expect(page.locator('[data-name="f3"]')).to_have_attribute("aria-label", "f3: empty, a target")
    expect(page.locator('[data-name="g1"]')).to_have_attribute("aria-pressed", "true")
    click(page, "e2")
    assert (names(page, "chosen"), names(page, "target")) == ({"e2"}, {"e3", "e4"})
    page.keyboard.press("Escape")
    assert (names(page, "chosen"), names(page, "target")) == (set(), set())
    click(page, "e2")
    click(page, "e2")
    assert names(page, "target") == set()


def test_the_mouse_drags_a_piece(site: Pages, browser: Browser, watch: Watch) -> None:
    page = open_board(site, browser, watch, "chess")
    for ply, (start, end) in enumerate((("e2", "e4"), ("e7", "e5"), ("g1", "f3")), 1):
        page.mouse.move(*middle(page, start))
        page.mouse.down()
        page.mouse.move(*middle(page, end), steps=4)
        page.mouse.up()
        at_ply(page, ply)
    page.mouse.move(*middle(page, "b8"))
    page.mouse.down()
    page.mouse.move(*middle(page, "b5"), steps=4)
    page.mouse.up()
    expect(reason(page)).to_have_text("the black knight on b8 cannot go to b5")
    at_ply(page, 3)


def test_refused_steps_have_their_reason(site: Pages, browser: Browser, watch: Watch) -> None:
    page = open_board(site, browser, watch, "chess")
    play(page, ["e2e4", "e7e5", "f1c4", "f8b4"])
    for squares, why in (
        (("e5",), "the black pawn on e5 cannot move: White is to move"),
        (("e3",), "e3 is empty"),
        (("a1",), "the white rook on a1 cannot move"),
        (("d2",), "the white pawn on d2 cannot move: the white king would be in check"),
        (("g1", "e3"), "the white knight on g1 cannot go to e3"),
        (("e1", "g1"), ""),  # it is another piece, and is chosen
        (("e1", "c1"), "the white king cannot castle now"),
    ):
        for square in squares:
            click(page, square)
        expect(reason(page)).to_have_text(why)
        page.keyboard.press("Escape")
    at_ply(page, 4)


REASONS = """async ([geometry, replay, steps]) => {
    const { stepRefusal } = await import("/static/refusal.js");
    const stones = replay.changes.flat().reduce((found, [cell, piece]) => found.with(cell, piece), replay.stones);
    return steps.map(([from, to]) => stepRefusal(geometry, replay, stones, from, to));
}"""


@pytest.mark.parametrize("name", ["chess", "chess960"])
def test_every_refused_step_has_the_reason_of_the_terminal(
    site: Pages, browser: Browser, watch: Watch, name: str
) -> None:
    page, game, rng = open_board(site, browser, watch, "tictactoe"), games.game(name), random.Random(name)
    board, wanted = json.loads(to_json(geometry(game))), list[str]()
    lines = [["e2e4", "e7e5", "f1c4", "f8b4"], *(random_game(game, seed)[: 11 * seed] for seed in range(1, 5))]
    for moves in lines:
        shown, position = json.loads(replay_json(replay(game, moves))), game.position(moves=moves)
        steps = [(cell, other) for cell in range(64) for other in rng.sample(range(64), 8)]
        why = [refusal(game, position, name_of(cell) + name_of(other)) for cell, other in steps]
        assert page.evaluate(REASONS, [board, shown, steps]) == [
            "" if one.startswith("name the new piece") else one for one in why
        ]
        wanted += why
    for part in ("is empty", "cannot go to", "White is to move", "Black is to move"):
        assert any(part in one for one in wanted)


def test_the_new_piece_is_chosen_by_keys_and_escape_leaves_it(site: Pages, browser: Browser, watch: Watch) -> None:
    page, moves = open_board(site, browser, watch, "chess"), WHOLE[: WHOLE.index("b7a8r")]
    play(page, moves)
    page.locator('[data-name="b7"]').focus()
    for key in ("Enter", "ArrowUp", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    labels = page.locator(".board-promotion button").evaluate_all("(all) => all.map((one) => one.ariaLabel)")
    assert labels == ["white queen", "white rook", "white bishop", "white knight"]
    page.keyboard.press("Escape")
    expect(page.locator(".board-promotion")).to_have_count(0)
    assert page.evaluate("document.activeElement.dataset.name") == "a8"
    at_ply(page, len(moves))
    page.keyboard.press("Enter")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    at_ply(page, len(moves) + 1)
    assert page.locator('[data-name="a8"]').get_attribute("aria-label") == "a8: white knight"


def test_keys_alone_play_on_a_turned_board(site: Pages, browser: Browser, watch: Watch) -> None:
    page = open_board(site, browser, watch, "chess")
    page.get_by_role("button", name="Turn the board").click()
    square = page.locator('[data-name="e2"]')
    top, bottom = square.bounding_box(), page.locator('[data-name="e7"]').bounding_box()
    assert top is not None
    assert bottom is not None
    assert top["y"] < bottom["y"]
    square.focus()
    for key in ("Enter", "ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    at_ply(page, 1)
    assert names(page, "last") == {"e4"}


def test_black_sits_below_against_an_engine(site: Pages, browser: Browser, watch: Watch) -> None:
    page = watch.page(browser, reduced_motion="reduce", viewport=NARROW)
    page.goto(f"{site.url}/play/chess?side=second")
    expect(page.locator("main[data-ready]")).to_have_count(1)
    page.get_by_role("button", name="Start").click()
    at_ply(page, 1)
    boxes = [page.locator(f'[data-name="{square}"]').bounding_box() for square in ("a1", "h8")]
    assert [box is not None and box["y"] for box in boxes] == sorted(box["y"] for box in boxes if box)
    click(page, "e7")
    click(page, "e5")
    at_ply(page, 3)
    assert overflow(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(site: Pages, browser: Browser, watch: Watch, scheme: str) -> None:
    page = open_board(site, browser, watch, "chess", color_scheme=scheme)
    moves = WHOLE[: WHOLE.index("b7a8r")]
    play(page, moves)
    click(page, "b7")
    click(page, "a8")
    assert [found["id"] for found in Axe().run(page).response["violations"]] == []
