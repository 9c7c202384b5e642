"""The size of a network is known before it takes memory."""

from __future__ import annotations

import msgspec
import pytest
import torch

from fiedler.support.errors import UsageError
from fiedler.training.model.weights import bounded
from fiedler.training.nets.kinds import fresh
from fiedler.training.nets.tables import EmbeddingTable, ResidualTable
from tests.training.recipes import TINY


@pytest.mark.parametrize(
    "net",
    [
        EmbeddingTable(kernel=3, stride=3, channels=8, mixed=8, hidden=[65536, 65536], value_hidden=8),
        ResidualTable(channels=4096, blocks=64, value_hidden=8),
    ],
)
def test_a_network_with_too_many_weights_is_refused(net: EmbeddingTable | ResidualTable) -> None:
    with pytest.raises(UsageError, match=r"^net: expected at most 200000000 weights, got \d{10,}$"):
        fresh(msgspec.structs.replace(TINY, net=net))


def test_the_count_takes_no_random_numbers() -> None:
    torch.manual_seed(7)
    expected = torch.nn.Linear(3, 4).weight
    assert torch.equal(bounded(lambda: torch.nn.Linear(3, 4), 7).weight, expected)
