"""The referee of a game by agreement."""

from __future__ import annotations

import pytest

from fiedler import games
from fiedler.tournament.play.agreement import AgreementReferee
from fiedler.tournament.play.opinion import DisputeError, Opinion


def test_a_position_is_settled_once_both_agree_on_its_side() -> None:
    referee = AgreementReferee(games.any_game("generic"), ())
    same, other = Opinion(False, True, None), Opinion(False, False, None)
    assert not referee.agree(same, same)
    for word, opinion, side, sides in (("x", same, 0, ""), ("y", other, 1, "00"), ("z", other, 1, "001")):
        referee.play(word)
        assert referee.settled == len(referee.moves) - 1
        with pytest.raises(DisputeError):
            referee.agree(same, other)
        assert referee.settled == len(referee.moves) - 1
        assert not referee.agree(opinion, opinion)
        assert (referee.settled, referee.side, referee.sides) == (len(referee.moves), side, sides)
