"""The player negamax with an incremental network in place of the game's evaluation."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from fiedler.games import game
from fiedler.native import Limits, StopFlag
from fiedler.players import create
from fiedler.players.shipped import MODELS
from fiedler.support.errors import UsageError

UTTT = game("uttt")
NETWORK = MODELS / "uttt.onnx"


def test_sessions_share_the_network_and_play_the_same() -> None:
    with closing(create(UTTT, "negamax", {"model": str(NETWORK), "depth": "5"})) as factory:
        one, other = factory.player(), factory.player()
        assert one.title == "negamax uttt"
        found = [player.search(UTTT.position(), Limits(), StopFlag()) for player in (one, other)]
        assert (found[0].nodes, found[0].pv) == (found[1].nodes, found[1].pv)
        with closing(create(UTTT, "negamax", {"depth": "5"})) as without:
            assert without.player().search(UTTT.position(), Limits(), StopFlag()).nodes != found[0].nodes
            assert without.player().title == "negamax"


def test_it_plays_well_at_two_plies() -> None:
    """The network sees more than the rules of thumb of four plies."""
    ours = create(UTTT, "negamax", {"model": str(NETWORK), "depth": "2"}).player()
    theirs = create(UTTT, "osp", {"seed": "1"}).player()
    for first in (0, 1):
        position = UTTT.position()
        while position.result is None:
            player = ours if position.side_to_move == first else theirs
            best = player.search(position, Limits(), StopFlag()).best
            assert best is not None
            position.play(best)
        assert position.result == (1 if first == 0 else -1)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("uttt-small.onnx", "made for player 'checkpoint'"),
        ("connect4.onnx", "made for"),
        ("missing.onnx", "no such file"),
    ],
)
def test_other_models_are_refused(model: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        create(UTTT, "negamax", {"model": str(MODELS / model)})


def test_other_games_are_refused() -> None:
    with pytest.raises(UsageError, match="uttt"):
        create(game("connect4"), "negamax", {"model": str(NETWORK)})


def test_a_damaged_model_is_refused(tmp_path: Path) -> None:
    damaged = tmp_path / "net.onnx"
    damaged.write_bytes(NETWORK.read_bytes()[:-100])
    with pytest.raises(UsageError, match=r"net\.onnx"):
        create(UTTT, "negamax", {"model": str(damaged)})
