"""The schemas of docs/schemas/ are those of the code, and accept what the commands accept."""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from tests.folders import DOCS, ROOT
from tests.simulated.world import SCHEDULES, schedule
from tools.schemas import files, known, typescript

KINDS = files.file_kinds()
VALIDATORS = {name: Draft7Validator(files.schema(kind)) for name, kind in KINDS.items()}
PARTS = {name: Draft7Validator({**files.schema(kind), "required": []}) for name, kind in KINDS.items()}
"""They accept a part of a file, as pages show it."""
CONFIGS = sorted(path for folder in ("configs", "deploy") for path in (ROOT / folder).rglob("*.toml"))
FENCE = re.compile(r"^( *)```toml\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
SCHEDULE = {
    "tournament": {"name": "a", "game": "uttt"},
    "limit": {"nodes": 1},
    "players": [{"name": "a", "player": "random"}, {"models": "*.onnx", "options": {"simulations": 50}}],
}


def wrongs(validator: Draft7Validator, tables: dict[str, Any]) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(tables)]


def test_the_files_are_those_of_the_code() -> None:
    assert {path.name: path.read_text("utf-8") for path in files.OUT.glob("*.json")} == files.texts()
    assert typescript.OUT.read_text("utf-8") == typescript.text()


@pytest.mark.parametrize("name", KINDS)
def test_a_schema_is_one(name: str) -> None:
    Draft7Validator.check_schema(VALIDATORS[name].schema)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_a_configuration_names_its_schema_in_the_first_line_and_fits_it(path: Path) -> None:
    text = path.read_text("utf-8")
    tables = tomllib.loads(text)
    first = text.partition("\n")[0]
    assert first.startswith("#:schema ")
    named = (path.parent / first.removeprefix("#:schema ")).resolve()
    assert named.parent == files.OUT
    assert named.stem == (f"recipe-{tables['system']}" if "system" in tables else "schedule")
    assert wrongs(VALIDATORS[named.stem], tables) == []


def examples() -> Iterator[Any]:
    for page in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]:
        text = page.read_text("utf-8")
        for found in FENCE.finditer(text):
            tables = tomllib.loads(textwrap.dedent(found[2]))
            if "project" not in tables:  # a pyproject.toml
                yield pytest.param(tables, id=f"{page.name}:{text.count(chr(10), 0, found.start()) + 1}")


@pytest.mark.parametrize("tables", list(examples()))
def test_an_example_of_a_page_fits_a_schema(tables: dict[str, Any]) -> None:
    assert any(validator.is_valid(tables) for validator in PARTS.values()), wrongs(PARTS["schedule"], tables)


@pytest.mark.parametrize("number", range(len(SCHEDULES)))
def test_a_simulated_schedule_fits(number: int) -> None:
    assert wrongs(VALIDATORS["schedule"], schedule(number)) == []


@pytest.mark.parametrize(
    "tables",
    [
        {},
        {"pairing": {"goal": "best", "method": "adaptive"}},
        {"pairing": {"goal": {"loss": 3}, "method": "adaptive"}},
        {"pairing": {"degree_cap": 4, "required": [["a", "b"]], "prior_games": [["a", "b", 20]]}},
        {"rating": {"advantage": "fit", "draw_elo": 97, "anchor": {"a": 1500, "b": 1.5}}},
        {"openings": {"coordinates": "center", "file": "renju26"}},
        {"tournament": {"name": "a", "game": "rules.py:game", "rules": {"komi": 7.5, "superko": True}}},
    ],
)
def test_values_of_every_kind_fit(tables: dict[str, Any]) -> None:
    assert wrongs(VALIDATORS["schedule"], SCHEDULE | tables) == []


@pytest.mark.parametrize(
    ("tables", "wrong"),
    [
        ({"limits": {}}, "$: Additional properties are not allowed ('limits' was unexpected)"),
        ({"limit": {"movetime": 1}}, "$.limit: Additional properties are not allowed ('movetime' was unexpected)"),
        ({"limit": {"nodes": -1}}, "$.limit.nodes: -1 is less than the minimum of 1"),
        ({"limit": {"nodes": "1"}}, "$.limit.nodes: '1' is not of type 'integer'"),
        ({"players": [{"elo_sd": 0}]}, "$.players[0].elo_sd: 0 is less than or equal to the minimum of 0"),
        ({"players": [{"commmand": ["a"]}]}, "$.players[0]: Additional properties are not allowed ('commmand' was"),
        ({"pairing": {"method": "swis"}}, "$.pairing.method: 'swis' is not one of ['meeting-graph', "),
        ({"pairing": {"goal": "bests"}}, "$.pairing.goal: 'bests' is not valid under any of the given schemas"),
        ({"pairing": {"required": [["a"]]}}, "$.pairing.required[0]: ['a'] is too short"),
        ({"tournament": {"name": "a b", "game": "uttt"}}, "$.tournament.name: 'a b' does not match"),
        ({"tournament": {"name": "a"}}, "$.tournament: 'game' is a required property"),
        ({"folder": "."}, "$: Additional properties are not allowed ('folder' was unexpected)"),
    ],
)
def test_a_wrong_schedule_does_not_fit(tables: dict[str, Any], wrong: str) -> None:
    (found,) = wrongs(VALIDATORS["schedule"], SCHEDULE | tables)
    assert found.startswith(wrong)


@pytest.mark.parametrize(
    "path", [path for path in CONFIGS if path.match("training/*.toml")], ids=lambda path: path.name
)
def test_a_wrong_recipe_does_not_fit(path: Path) -> None:
    tables = tomllib.loads(path.read_text("utf-8"))
    validator = VALIDATORS[f"recipe-{tables['system']}"]
    assert wrongs(validator, tables | {"itrations": 1})
    assert wrongs(validator, tables | {"iterations": -1})
    assert wrongs(validator, tables | {"system": "another"})
    table = next(name for name in ("learning", "evaluation") if name in tables)
    assert wrongs(validator, tables | {table: tables[table] | {"ratee": 1}})


@pytest.mark.parametrize("name", ["players", "offers", "newcomers"])
def test_a_wrong_file_of_players_does_not_fit(name: str) -> None:
    player = {"name": "a", "player": "random"}
    assert wrongs(VALIDATORS[name], {"players": [player]}) == []
    assert wrongs(VALIDATORS[name], {"players": [player | {"optoins": {}}]})
    assert wrongs(VALIDATORS[name], {"player": [player]})


def described(value: dict[str, Any], tables: dict[str, Any]) -> bool:
    """Return whether an editor shows a text for a key: its own, or that of its table."""
    named = value.get("$ref") or value.get("items", {}).get("$ref") if isinstance(value.get("items", {}), dict) else ""
    return "description" in value or bool(named and tables[named.rpartition("/")[2]]["description"])


@pytest.mark.parametrize("name", KINDS)
def test_every_key_has_a_description(name: str) -> None:
    found = VALIDATORS[name].schema
    tables = found["definitions"]
    keys = [(place, key, value) for place, one in tables.items() for key, value in one["properties"].items()]
    keys += [("", key, value) for key, value in found["properties"].items()]
    assert [f"{place}.{key}" for place, key, value in keys if not described(value, tables)] == []


def test_every_word_that_a_check_knows_is_in_the_schema() -> None:
    """The checks of schedules complain about a wrong word by `wrong_choice`, with the key first."""
    checked = set[str]()
    for path in (ROOT / "tournament/schedule").glob("*.py"):
        checked |= set(re.findall(r"wrong_choice\(f?\"[^\"]*\.(\w+)\"", path.read_text("utf-8")))
    assert checked
    assert checked - {key for _, key in known.WORDS} == set()
