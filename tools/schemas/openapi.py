"""The OpenAPI file of the pages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path

from fiedler.web import connection
from fiedler.web.guard import LONGEST, OPEN
from fiedler.web.public import PATHS
from tools.schemas.components import components
from tools.schemas.draft7 import Json
from tools.schemas.operations import OPERATIONS, TEXT, Operation, Parameter

FILE = "openapi.json"
ROOT = Path(__file__).parents[2]
TITLE = "The pages of Fiedler as data"
ABOUT = """\
What `tournament serve` and `tournament run --serve` answer to programs; `docs/web.md` describes the pages.

Without `--token-file` the server answers this machine alone, under its local names. With it each request has a token,
as `Authorization: Bearer TOKEN`, or the cookie that `/login` leaves in a browser. With `--public` everybody may read
the paths that say so, and nothing else. A request that changes something is refused if it comes from another site.

A key that is missing here is not sent; more keys may come with later versions. `python -m tools.schemas` makes this
file from the types of the server.
"""
TAGS = {"runs": "Runs, and their games.", "games": "Rules and boards.", "play": "Games of people.", "server": "It."}
DOOR = {
    401: "A token is needed.",
    403: "Without a token the name of the server is not a local one, or the request comes from another site.",
    404: "The server is a public one, and this is not public.",
    408: f"The request was not whole within {connection.READ_S:g} s.",
    413: f"The request has more than {connection.MOST_BYTES >> 10} KiB.",
    414: f"The path has more than {LONGEST:,} characters.",
    431: "The head of the request is too long.",
    503: "Too many requests are under way.",
}
"""Answers that any request may get before it reaches its path, in one line of text."""
REFUSED: Json = {
    "description": "Why a request was refused.",
    "type": "object",
    "properties": {"error": {"description": "In one sentence.", "type": "string"}},
    "required": ["error"],
}
LINE: Json = {"text/plain": {"schema": TEXT}}
EMPTY: Json = {"type": "object", "properties": {}}


def document() -> Json:
    """Return the file."""
    kinds = [kind for one in OPERATIONS for kind in _kinds(one)]
    found, schemas = components(kinds)
    known = dict(zip(kinds, found, strict=True))
    paths: dict[str, Json] = {}
    for one in OPERATIONS:
        paths.setdefault(one.path, {})[one.method] = _operation(one, known)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": TITLE,
            "version": project["version"],
            "description": ABOUT,
            "license": {"name": project["license"], "identifier": project["license"]},
        },
        "servers": [
            {
                "url": "{origin}{base}",
                "variables": {
                    "origin": {"default": "http://127.0.0.1:8080"},
                    "base": {"default": "", "description": "That of `--base-path`."},
                },
            }
        ],
        "security": [{}, {"token": []}, {"cookie": []}],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": {**schemas, "Refused": REFUSED},
            "responses": {f"Door{status}": {"description": text, "content": LINE} for status, text in DOOR.items()},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "fiedler-8080",
                    "description": "`fiedler-` and the port of the server; `/login` sets it.",
                },
            },
        },
    }


def _kinds(one: Operation) -> list[object]:
    """Return the types of the documents of a request and its answer."""
    body = [one.body] if one.body is not None else []
    return [*one.answers, *body, *(kind for kind, _ in one.events.values() if kind is not None)]


def _operation(one: Operation, known: Mapping[object, Json]) -> Json:
    summary, _, more = one.doc.partition(". ")
    public = ["Everybody may read it on a server with `--public`."] if _is_public(one) else []
    return {
        "tags": [_tag(one)],
        "operationId": _name(one),
        "summary": summary.rstrip("."),
        "description": " ".join([*([more] if more else []), *public]),
        **({"security": []} if one.path in OPEN else {}),
        **({"parameters": [_parameter(each) for each in one.parameters]} if one.parameters else {}),
        **({"requestBody": _body(known[one.body])} if one.body is not None else {}),
        "responses": {str(one.status): _answer(one, known), **_errors(one)},
    }


def _body(schema: Json) -> Json:
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _parameter(one: Parameter) -> Json:
    return {
        "name": one.name,
        "in": one.place,
        "description": one.doc,
        **({"required": True} if one.required else {}),
        "schema": one.schema,
    }


def _answer(one: Operation, known: Mapping[object, Json]) -> Json:
    schemas = [known[kind] for kind in one.answers] or [TEXT]
    schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    events = {
        name: {"description": doc, "schema": EMPTY if kind is None else known[kind]}
        for name, (kind, doc) in one.events.items()
    }
    content: Json = {media: {"schema": schema} for media in one.media}
    if not events:
        return {"description": HTTPStatus(one.status).phrase, "content": content}
    lines = "".join(f"\n- `{name}`: {event['description']}" for name, event in events.items())
    text = f"Server-sent events; `x-events` has the schema of the data of each.\n{lines}"
    return {"description": text, "content": content, "x-events": events}


def _errors(one: Operation) -> dict[str, Json]:
    """Return the refusals: those of the path as JSON, those of the door as a line of text."""
    found: dict[str, Json] = {}
    for status in sorted({*one.errors, *DOOR} - ({401} if one.path in OPEN else set())):
        if status not in one.errors:
            found[str(status)] = {"$ref": f"#/components/responses/Door{status}"}
            continue
        content = {"application/json": {"schema": {"$ref": "#/components/schemas/Refused"}}}
        also = f" {DOOR[status]}" if status in DOOR else ""
        found[str(status)] = {"description": one.errors[status] + also, "content": content | (LINE if also else {})}
    return found


def _is_public(one: Operation) -> bool:
    """Return whether a server with `--public` answers the request."""
    words = {"number": "1", "kind": "pgn"}
    sample = re.sub(r"\{(\w+)\}", lambda found: words.get(found[1], "x"), one.path)
    return one.method == "get" and PATHS.fullmatch(sample) is not None


def _tag(one: Operation) -> str:
    parts = one.path.split("/")
    if parts[1] != "api":
        return "server"
    return "play" if "play" in parts[2] else parts[2]


def _name(one: Operation) -> str:
    """Return a name for functions of generated clients, such as `get_runs_run_games`."""
    return "_".join([one.method, *re.findall(r"\w+", one.path.removeprefix("/api"))])
