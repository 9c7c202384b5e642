"""Every kind of file, and its schema."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import msgspec
from msgspec import Struct

from fiedler.engine.roster.roster_file import PlayersFile
from fiedler.tournament.schedule.newcomers import Newcomers
from fiedler.tournament.schedule.schedule import Schedule
from fiedler.tournament.schedule.validation import NO_KEYS
from fiedler.training.recipe.registry import SYSTEMS, recipe_kind
from fiedler.web.play.offers import OfferFile
from tools.schemas import openapi
from tools.schemas.classes import classes_of
from tools.schemas.draft7 import Json, described, plain, used, with_suggestions, with_words
from tools.schemas.key_docs import key_docs, table_doc
from tools.schemas.known import BOUNDS, SUGGESTIONS, TAGS, WORDS, known_of

OUT = Path(__file__).parents[2] / "docs/schemas"
DRAFT = "http://json-schema.org/draft-07/schema#"
TABLES = "#/definitions/{name}"
"""The places of tables in a schema."""


@dataclass(frozen=True)
class FileKind:
    """A kind of TOML file."""

    title: str
    struct: type[Struct]
    hidden: tuple[str, ...] = ()
    """Fields of the struct that are not keys of the file."""


def file_kinds() -> dict[str, FileKind]:
    """Return every kind of file by the name of its schema."""
    kinds = {
        "schedule": FileKind("A schedule of `tournament run`", Schedule, NO_KEYS),
        "newcomers": FileKind("Players that `tournament add` adds to a run", Newcomers),
        "players": FileKind("The players of `engine serve --players`", PlayersFile),
        "offers": FileKind("The players that `tournament serve --play` offers to visitors", OfferFile),
    }
    for system in SYSTEMS:
        title = f"A recipe of `train run` with the learning system `{system}`"
        kinds[f"recipe-{system}"] = FileKind(title, recipe_kind(system, _never))
    return kinds


def _never(key: str, wrong: str) -> NoReturn:
    raise AssertionError(f"{key}: {wrong}")


def texts() -> dict[str, str]:
    """Return the text of every schema by the name of its file."""
    made = {f"{name}.json": schema(kind) for name, kind in file_kinds().items()} | {openapi.FILE: openapi.document()}
    return {name: json.dumps(one, ensure_ascii=False, indent=1) + "\n" for name, one in made.items()}


def schema(kind: FileKind) -> Json:
    """Return the schema of a kind of file."""
    _, found = msgspec.json.schema_components([kind.struct], ref_template=TABLES)
    structs = {one.__name__: one for one in classes_of([kind.struct])}
    tables = {name: _table(table, structs[name]) for name, table in found.items()}
    root = tables.pop(kind.struct.__name__)
    for name in kind.hidden:
        del root["properties"][name]
    return {"$schema": DRAFT, **root, "description": kind.title, "definitions": used(root, tables)}


def _table(table: Json, struct: type) -> Json:
    """Return the schema of a table with all that is known of its keys."""
    docs = TAGS | key_docs(struct)
    properties = {name: _key(plain(value), struct, name, docs.get(name)) for name, value in table["properties"].items()}
    required = {"required": table["required"]} if table["required"] else {}
    return {
        "description": table_doc(struct),
        "type": "object",
        "properties": properties,
        **required,
        "additionalProperties": table["additionalProperties"],
    }


def _key(value: Json, struct: type[Struct], name: str, doc: str | None) -> Json:
    if words := known_of(WORDS, struct, name):
        value = with_words(value, list(words))
    if words := known_of(SUGGESTIONS, struct, name):
        value = with_suggestions(value, list(words))
    value = {**value, **(known_of(BOUNDS, struct, name) or {})}
    return value if doc is None else described(value, doc)
