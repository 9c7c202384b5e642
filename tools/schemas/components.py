"""The JSON Schemas of what the pages answer and take, from the types of the code, for OpenAPI and TypeScript."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from fiedler.tournament.run.node_table import NodeDocument, NodesDocument
from fiedler.web.public import OF_CLUSTERS, OF_NODES
from tools.schemas.classes import classes_of
from tools.schemas.draft7 import Json
from tools.schemas.key_docs import key_docs, table_doc

PLACES = "#/components/schemas/{name}"
HIDDEN: Mapping[type, Sequence[str]] = {NodesDocument: OF_CLUSTERS, NodeDocument: OF_NODES}
"""Keys that are missing where everybody may read."""


def components(kinds: Sequence[object]) -> tuple[list[Json], dict[str, Json]]:
    """Return the schemas of types, which refer to the second part: the schema of every class in them, by its name.

    A class also stands for those that inherit from it in its module: what they add may be missing.
    """
    found, tables = msgspec.json.schema_components(kinds, ref_template=PLACES)
    classes = {kind.__name__: kind for kind in classes_of(kinds)}
    named = {name: _table(table, classes[name]) if name in classes else table for name, table in tables.items()}
    return list(found), dict(sorted(named.items()))


def _table(table: Json, kind: type) -> Json:
    """Return the schema of a class with all that is known of its keys."""
    docs, properties = key_docs(kind), dict(table["properties"])
    if typing.is_typeddict(kind):
        properties = {name: properties[name] for name in kind.__annotations__}  # msgspec sorts them
    required = [name for name in properties if _is_required(table, kind, name)]
    for heir in _heirs(kind):
        _, tables = msgspec.json.schema_components([heir], ref_template=PLACES)
        properties = {**tables[heir.__name__]["properties"], **properties}
        docs = key_docs(heir) | docs
    shown = {name: _key(value, docs.get(name), kind) for name, value in properties.items()}
    closed = {"additionalProperties": False} if table.get("additionalProperties") is False else {}
    doc = table_doc(kind)
    return {"description": doc, "type": "object", "properties": shown, "required": required, **closed}


def _is_required(table: Json, kind: type, name: str) -> bool:
    """Return whether a key is in every document; what has a default is sent, unless it is left out on purpose."""
    if name in HIDDEN.get(kind, ()):
        return False
    may_lack = typing.is_typeddict(kind) or _is_request(kind) or _omits_defaults(kind)
    return name in table["required"] if may_lack else True


def _omits_defaults(kind: type) -> bool:
    return issubclass(kind, Struct) and kind.__struct_config__.omit_defaults


def _is_request(kind: type) -> bool:
    return issubclass(kind, Struct) and kind.__struct_config__.forbid_unknown_fields


def _key(value: Json, doc: str | None, kind: type) -> Json:
    value = value if _is_request(kind) else {name: inner for name, inner in value.items() if name != "default"}
    return value if doc is None else {"description": doc, **value}


def _heirs(kind: type) -> Iterator[type]:
    heirs: list[type] = type.__subclasses__(kind)
    return (heir for heir in heirs if heir.__module__ == kind.__module__)
