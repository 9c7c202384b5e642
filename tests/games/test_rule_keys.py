"""The rules that a game lets a tournament choose, and the starts by them."""

from __future__ import annotations

import math

import pytest

from fiedler.games import any_game, game
from fiedler.games.game import START
from fiedler.games.go import RULES
from fiedler.games.openings import candidates
from fiedler.games.rule_keys import GivenRules, chosen, parsed_rules, wrong_rules
from fiedler.support.errors import UsageError

GO = game("go9")
BARE = str(GO.position())


@pytest.mark.parametrize(
    ("rules", "wrong"),
    [
        ({"komi": 7.3}, "komi: expected a multiple of 0.5 from -361 to 361, got 7.3"),
        ({"komi": math.nan}, "komi: expected a multiple of 0.5 from -361 to 361, got nan"),
        ({"komi": 1e9}, "komi: expected a multiple of 0.5 from -361 to 361, got 1000000000.0"),
        ({"komi": "x"}, "komi: expected a multiple of 0.5 from -361 to 361, got 'x'"),
        ({"komi": True}, "komi: expected a multiple of 0.5 from -361 to 361, got true"),
        ({"suicide": 1}, "suicide: expected true or false, got 1"),
        ({"komii": 6}, "komii: unknown key; did you mean 'komi'?"),
        ({"handicap": 2}, "handicap: unknown key; known: komi, suicide"),
    ],
)
def test_a_wrong_rule_is_named(rules: GivenRules, wrong: str) -> None:
    assert [f"{name}: {why}" for name, why in wrong_rules(RULES, rules)] == [wrong]


def test_other_games_have_no_rules_to_choose() -> None:
    assert [*wrong_rules(game("chess").rule_keys, {"komi": 6.5})] == [
        ("komi", "unknown key; the game has no rules to choose")
    ]
    assert any_game("generic").with_rules(START, {}) == START
    assert game("chess").is_bare(START)
    assert not game("chess").is_bare(str(game("chess").position(moves=["e2e4"])))


def test_rules_are_a_start() -> None:
    assert GO.with_rules(START, {"komi": 7.5, "suicide": False}) == START
    ruled = GO.with_rules(START, {"suicide": True, "komi": 6})
    assert ruled == f"{BARE};komi=6;suicide=true"
    assert GO.is_bare(ruled)
    assert GO.rules_of(ruled) == {"komi": 6.0, "suicide": True}
    assert GO.rules_of(START) == {}
    assert GO.with_other_rules(ruled, {"komi": 7.5}) == f"{BARE};suicide=true"
    assert GO.rules_text({"komi": 6.5}) == "komi=6.5, suicide=false"
    stones = str(GO.position(moves=["e5"])).rpartition(";")[0]
    assert GO.with_rules(stones, {"komi": 6}) == f"{stones};komi=6"
    assert not GO.is_bare(f"{stones};komi=6")


def test_a_start_with_other_rules_is_refused() -> None:
    assert GO.with_rules(f"{BARE};komi=6.0", {"komi": 6}) == f"{BARE};komi=6"
    with pytest.raises(UsageError, match=r"expected a start by the rules of the game \(komi=7.5, suicide=false\)"):
        GO.with_rules(f"{BARE};komi=6", {})


def test_words_are_read() -> None:
    assert parsed_rules(RULES, ["komi=6.5", "suicide=true"]) == {"komi": 6.5, "suicide": True}
    assert chosen(RULES, {"komi": 7.5}) == {}
    for words, wrong in {"komi=x": "komi: expected a multiple", "ko=1": "ko: unknown key"}.items():
        with pytest.raises(UsageError, match=f"^{wrong}"):
            parsed_rules(RULES, [words])


@pytest.mark.parametrize("plies", [0, 1, 3])
def test_random_openings_begin_at_the_start_by_the_rules(plies: int) -> None:
    ruled = GO.with_rules(START, {"komi": 6})
    found = [opening for opening, _ in zip(candidates(GO, plies, 3, ruled), range(20), strict=False)]
    plain = [opening for opening, _ in zip(candidates(GO, plies, 3), range(20), strict=False)]
    assert {one.start for one in found} == {ruled}
    assert [one.moves for one in found] == [one.moves for one in plain]
