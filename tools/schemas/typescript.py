"""The types of the documents of the pages for the scripts that show them: the schemas of OpenAPI as TypeScript."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from tools.schemas import openapi
from tools.schemas.draft7 import Json

OUT = openapi.ROOT / "web/static/documents.d.ts"
HEAD = "// The documents of the server (docs/web.md). `python -m tools.schemas` makes this file from its types.\n"
PRIMITIVES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
PLAIN = re.compile(r"[A-Za-z_]\w*")


def text() -> str:
    """Return the text of the file."""
    schemas = openapi.document()["components"]["schemas"]
    return "\n".join([HEAD, *("\n".join(_declared(name, schema)) + "\n" for name, schema in schemas.items())])


def _declared(name: str, schema: Json) -> Iterator[str]:
    yield from _comment(schema, "")
    if "properties" not in schema:
        yield f"export type {name} = {_type(schema)};"
        return
    yield f"export interface {name} {{"
    for key, value in schema["properties"].items():
        yield from _comment(value, "  ")
        mark = "" if key in schema["required"] else "?"
        yield f"  {key if PLAIN.fullmatch(key) else json.dumps(key)}{mark}: {_type(value)};"
    yield "}"


def _comment(schema: Json, indent: str) -> Iterator[str]:
    if "description" in schema:
        yield f"{indent}/** {schema['description'].replace('*/', '* /')} */"


def _type(schema: Json) -> str:
    """Return the type of the values that a schema accepts."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(map(_type, schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    if schema["type"] == "array":
        return _array(schema)
    if schema["type"] == "object":
        return f"Record<string, {_type(schema['additionalProperties'])}>"
    return PRIMITIVES[schema["type"]]


def _array(schema: Json) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(map(_type, schema['prefixItems']))}]"
    items = _type(schema["items"])
    if "minItems" in schema and schema["minItems"] == schema.get("maxItems"):
        return f"[{', '.join([items] * schema['minItems'])}]"
    return f"({items})[]" if "|" in items else f"{items}[]"
