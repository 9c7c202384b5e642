"""The games inside report.html, opened as a file: no server, no network."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from fiedler import games
from fiedler.tournament.evaluation import scores
from fiedler.tournament.report import viewer
from fiedler.tournament.report.run import Run
from fiedler.tournament.report.writing import write_report
from tests.tournament.report.made_runs import make_run
from tests.web.browser import NARROW, Watch, overflow

NAMES = ["ann", "bob <b>", "cy"]


def report(tmp_path: Path, game: str, names: list[str] = NAMES, games_per_pair: int = 4) -> tuple[Path, Run]:
    folder = make_run(tmp_path / "trial", names, game=game, games_per_pair=games_per_pair)
    write_report(folder)
    return folder / "report.html", Run.read(folder)


def stones(page: Page) -> list[int]:
    found = page.eval_on_selector_all(
        "#viewer [data-cell]", "(all) => all.map((one) => [Number(one.dataset.cell), Number(one.dataset.stone ?? 0)])"
    )
    return [stone for _, stone in sorted(found)]


@pytest.mark.parametrize("name", games.GAMES)
def test_a_game_is_replayed_from_a_file(tmp_path: Path, browser: Browser, watch: Watch, name: str) -> None:
    path, run = report(tmp_path, name)
    game = max(run.games(), key=lambda one: len(one.moves))
    page = watch.page(browser, viewport=NARROW, reduced_motion="reduce")
    page.goto(f"{path.as_uri()}#game={game.number}")
    expect(page.locator(".viewer-title")).to_have_text(f"Game {game.number}: {game.first} – {game.second}")
    for ply, key in ((len(game.moves), "End"), (0, "Home"), (1, "ArrowRight")):
        page.keyboard.press(key)
        assert stones(page) == list(games.game(name).position(moves=game.moves[:ply]).cells)
    assert overflow(page) == []


def test_a_cell_of_the_crosstable_chooses_its_games(tmp_path: Path, browser: Browser, watch: Watch) -> None:
    path, run = report(tmp_path, "tictactoe")
    page = watch.page(browser)
    page.goto(path.as_uri())
    expect(page.locator("#viewer [role=status]")).to_have_text(f"{len(run.finished)} games")
    grid = page.locator("figure .pairs")
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 5 / 6, box["y"] + box["height"] / 6)
    ranked = page.get_by_label("Player", exact=True).locator("option").all_inner_texts()
    pair = {ranked[1], ranked[3]}
    expect(page.locator("#viewer [role=status]")).to_have_text("4 games")
    numbers = [int(one.get_attribute("data-game") or 0) for one in page.locator(".viewer-games button").all()]
    assert numbers == [game.number for game in run.games() if {game.first, game.second} == pair]
    page.locator(".viewer-games button").nth(1).press("Enter")
    assert page.url.endswith(f"#game={numbers[1]}&ply=0")
    page.get_by_label("Player", exact=True).select_option("")
    page.get_by_label("Opponent", exact=True).select_option("")
    expect(page.locator("#viewer [role=status]")).to_have_text(f"{len(run.finished)} games")


def test_an_address_names_a_game_and_its_ply(tmp_path: Path, browser: Browser, watch: Watch) -> None:
    path, run = report(tmp_path, "tictactoe")
    page = watch.page(browser)
    one, other = list(run.games())[2:4]
    page.goto(f"{path.as_uri()}#game={one.number}&ply=3")
    expect(page.locator("#viewer svg.board")).to_have_attribute("data-ply", "3")
    page.keyboard.press("ArrowRight")
    assert page.url.endswith(f"#game={one.number}&ply=4")
    page.reload()
    expect(page.locator("#viewer svg.board")).to_have_attribute("data-ply", "4")
    page.evaluate(f"location.hash = '#game={one.number}&ply=2'")
    expect(page.locator("#viewer svg.board")).to_have_attribute("data-ply", "2")
    page.evaluate(f"location.hash = '#game={other.number}&ply=1'")
    expect(page.locator(".viewer-title")).to_contain_text(f"Game {other.number}: ")
    expect(page.locator("#viewer svg.board")).to_have_attribute("data-ply", "1")


def test_the_scores_of_both_sides_are_drawn(tmp_path: Path, browser: Browser, watch: Watch) -> None:
    path, run = report(tmp_path, "tictactoe")
    game = next(run.games())
    page = watch.page(browser)
    page.goto(f"{path.as_uri()}#game={game.number}")
    for side in (1, 2):
        line = page.locator(f"#viewer .score-line{side}").get_attribute("d") or ""
        assert line.count("L") + 1 == len([ply for ply, one, _ in scores(game) if one == side - 1])


def test_a_long_run_leaves_games_out_evenly(
    tmp_path: Path, browser: Browser, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewer, "MOST", 7)
    path, _ = report(tmp_path, "tictactoe")
    page = watch.page(browser)
    page.goto(path.as_uri())
    expect(page.locator("#viewer [role=status]")).to_have_text("6 games")
    expect(page.locator("#Games, #games").locator(".muted").first).to_contain_text("6 games are not in this page")


def test_a_run_without_games_has_no_viewer(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "trial", NAMES, game="tictactoe", played=0.0)
    write_report(folder)
    assert 'id="viewer"' not in (folder / "report.html").read_text("utf-8")
