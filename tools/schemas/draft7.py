"""From the JSON Schema of msgspec to one of a TOML file, in the words of draft 7, which the editors know."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def plain(value: Json) -> Json:
    """Return the schema of a value of a TOML file, which has no null, without empty defaults.

    An empty table or array as a default only means that the key may be left out.
    """
    value = {name: _inner(inner) for name, inner in value.items()}
    if "default" in value and value["default"] in ({}, [], None):
        del value["default"]
    if "prefixItems" in value:
        value["items"] = value.pop("prefixItems")
    if "anyOf" not in value:
        return value
    value.pop("discriminator", None)  # a word of OpenAPI
    kinds = [kind for kind in value.pop("anyOf") if kind != {"type": "null"}]
    if len(kinds) == 1:
        return {**kinds[0], **value}
    if all(kind.keys() == {"type"} for kind in kinds):
        return {"type": [kind["type"] for kind in kinds], **value}
    return {"anyOf": kinds, **value}


def _inner(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return [_inner(one) for one in value]
    return plain(value) if isinstance(value, dict) else value


def with_words(value: Json, words: list[str]) -> Json:
    """Return the schema of a value that is one of these words where it is a text."""
    if value.get("type") == "string":
        return {**value, "enum": words}
    return {**value, "anyOf": [with_words(kind, words) for kind in value["anyOf"]]} if "anyOf" in value else value


def with_suggestions(value: Json, words: list[str]) -> Json:
    """Return the same schema, from which an editor proposes these words."""
    return {"anyOf": [{"type": "string", "enum": words}, value]}


def described(value: Json, description: str) -> Json:
    """Return the schema with a description; draft 7 ignores what stands beside a reference."""
    return {"description": description, **({"allOf": [value]} if "$ref" in value else value)}


def used(root: Json, tables: dict[str, Json]) -> dict[str, Json]:
    """Return the tables to which references lead from the root."""
    found, left = set[str](), [root]
    while left:
        new = _references(left.pop()) - found
        found |= new
        left += [tables[name] for name in new]
    return {name: table for name, table in tables.items() if name in found}


def _references(part: object) -> set[str]:
    if isinstance(part, list):
        return set().union(*map(_references, part))
    if not isinstance(part, dict):
        return set()
    inner = set().union(*map(_references, part.values()))
    return inner | ({part["$ref"].rpartition("/")[2]} if "$ref" in part else set())
