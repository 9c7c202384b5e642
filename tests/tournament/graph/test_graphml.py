"""Designs as graphs of networkx and as GraphML."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import networkx
import numpy as np
import pytest
from click.testing import CliRunner

from fiedler.tournament.commands.design import design as command
from fiedler.tournament.graph import design, information
from fiedler.tournament.graph.graphml import graphml


def test_networkx_finds_the_same_connectivity() -> None:
    made = design(10, 15)
    graph = made.graph()
    assert networkx.algebraic_connectivity(graph, method="tracemin_lu") == pytest.approx(made.lambda2)
    assert sum(games for _, _, games in graph.edges(data="games")) == sum(made.games)
    assert {each["information"] for *_, each in graph.edges(data=True)} == {2 * information.equal_strength()}


def test_information_is_less_between_unequal_players() -> None:
    made = design(3, 2, required=[(0, 1), (1, 2)])
    graph = made.graph([0.0, 100.0, 500.0])
    assert dict(graph.nodes(data="elo")) == {made.names[0]: 0.0, made.names[1]: 100.0, made.names[2]: 500.0}
    near, far = (graph.edges[made.names[i], made.names[i + 1]]["information"] for i in (0, 1))
    assert near == pytest.approx(2 * float(information.fisher(np.array([100.0]))[0]))
    assert far < near


def test_a_wrong_number_of_ratings_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 3 ratings, got 2"):
        design(3, 2).graph([0.0, 1.0])


def test_names_survive_graphml() -> None:
    names = ("a & b", "<ö>", 'quoted "name"')
    graph = design(3, 3, names=names).graph([1.5, 2.0, 3.0])
    read = networkx.read_graphml(StringIO("".join(graphml(graph))))
    assert dict(read.nodes(data=True)) == dict(graph.nodes(data=True))
    assert {frozenset(edge[:2]): edge[2] for edge in read.edges(data=True)} == {
        frozenset(edge[:2]): edge[2] for edge in graph.edges(data=True)
    }
    assert read.graph["lambda2"] == graph.graph["lambda2"]


def test_design_writes_graphml(tmp_path: Path) -> None:
    path = tmp_path / "graph.xml"
    done = CliRunner().invoke(command, ["--players", "8", "--pairs", "12", "--graphml", str(path)])
    assert done.exit_code == 0
    assert networkx.read_graphml(path).number_of_edges() == 12
