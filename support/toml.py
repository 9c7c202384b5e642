"""From a TOML file to a frozen struct. Each error is a line: file, line and column or key, and the expectation."""

from __future__ import annotations

import copy
import functools
import itertools
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, NoReturn, TypeVar, Union, get_args, get_origin

import msgspec

from fiedler.support.complaints import Complaint, usage_error
from fiedler.support.errors import MAX_QUOTED, MAX_REASON, UsageError, nearest, system_reason, without_middle
from fiedler.support.files import read_small
from fiedler.support.text_file import decoded

MAX_BYTES = 4 * 2**20
"""The largest file: a thousand players take a tenth of it."""
MAX_PARTS = 16
"""The parts of a key with dots."""
MOST_UNKNOWN = 100
"""The unknown keys that are looked for: the nearest known one of each takes time."""
NO_KEYS = re.compile(
    r"""\"{3}(?:[^\\"]++|\\.|"(?!""))*+(?:\"{3})?|'{3}(?:[^']++|'(?!''))*+(?:'{3})?"""  # strings of several lines
    r"""|"(?:[^"\\\n]++|\\.)*+"?|'[^'\n]*+'?|\#[^\n]*+""",  # of one line; comments
    re.DOTALL,
)
"""A string, to its end or that of the file, or a comment."""
DEEP_KEY = re.compile(rf"(?:\.[ \t]*[^\s.=\[\]{{}},#]+[ \t]*){{{MAX_PARTS}}}")
"""The dots and parts of a key with too many of them, where strings are blanked."""
KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "an array",
    "object": "a table",
}
"""The types of TOML values in plain words."""
_NOT_SHOWN = "a value that is not shown"
MISSING = re.compile("missing required field `(.*?)`")
"""The words of msgspec for a key without a value and without a default."""

Refuse = Callable[[str, str], NoReturn]
"""A function refuse(key, complaint) that raises the UsageError with file and key."""
Raw = dict[str, Any]
Built = TypeVar("Built", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class TomlFile:
    """A file and its names in error messages."""

    path: Path
    named_by: tuple[str, ...] = ("name",)
    """Keys whose value names an entry of an array of tables, as in `players 'mcts'`; the first one present counts."""
    hidden: tuple[str, ...] = ()
    """Tables whose values no error shows."""

    def refuse(self, key: str, wrong: str) -> NoReturn:
        """Raise the UsageError with the file and the key; an empty key means the whole file.

        Raises:
            UsageError: Always.
        """
        raise UsageError(self.line(key, wrong))

    def line(self, key: str, wrong: str) -> str:
        """Return the text of an error."""
        shown = key if len(key) <= MAX_QUOTED else f"{key[:MAX_QUOTED]}…"
        return ": ".join(filter(None, (str(self.path), shown, wrong)))

    def parse(self) -> Raw:
        """Return the tables.

        Raises:
            UsageError: The file is missing or not TOML; the text begins with `file:line:column`.
        """
        text = self._text()
        self._check_depth(text)
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise UsageError(_syntax_error(self.path, text, str(error))) from error
        except ValueError as error:  # a number of thousands of digits
            raise UsageError(f"{self.path}: cannot be read: {error}") from error
        except RecursionError as error:
            raise UsageError(
                f"{self.path}: cannot be read: expected fewer tables or arrays inside each other"
            ) from error

    def _text(self) -> str:
        try:
            return decoded(read_small(self.path, MAX_BYTES, is_regular=False), self.path)
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be read: {system_reason(error)}") from error

    def _check_depth(self, text: str) -> None:
        """Refuse deep keys: each of their parts costs the parser a table, and their number its time."""
        plain = NO_KEYS.sub(_blanked, text)
        deep = DEEP_KEY.search(plain)
        if deep is not None:
            line = plain.count("\n", 0, deep.start()) + 1
            raise UsageError(f"{self.path}:{line}: expected keys of at most {MAX_PARTS} parts a.b.c, got more")

    def refuse_unknown(self, raw: Raw, kind: type[msgspec.Struct], hidden: Collection[str] = ()) -> None:
        """Refuse keys that are unknown to the struct and to the structs inside it. `hidden` fields are not keys.

        Raises:
            UsageError: A key is unknown; every such key has a line.
        """
        if lines := [self.line(one.label, one.wrong) for one in self.unknown(raw, kind, hidden)]:
            raise usage_error(lines)

    def unknown(self, raw: Raw, kind: type[msgspec.Struct], hidden: Collection[str] = ()) -> Iterator[UnknownKey]:
        """Yield the first MOST_UNKNOWN keys that are unknown to the struct and to the structs inside it."""
        return itertools.islice(self._unknown_in(raw, kind, hidden), MOST_UNKNOWN)

    def _unknown_in(self, raw: Raw, kind: type[msgspec.Struct], hidden: Collection[str]) -> Iterator[UnknownKey]:
        known = [name for name in _fields(kind) if name not in hidden]
        for key, value in raw.items():
            if key in known:
                yield from self._unknown_inside(value, _fields(kind)[key], key)
            else:
                yield UnknownKey(raw, key, key, f"unknown table or key{nearest(key, known)}")

    def _unknown_inside(self, value: object, annotation: object, label: str) -> Iterator[UnknownKey]:
        tables = [one for one in _alternatives(annotation) if _is_struct(one)]
        if tables and isinstance(value, dict):
            yield from self._unknown_of(tables, value, label)
        for place, entry in enumerate(value if isinstance(value, list) else ()):
            yield from self._unknown_inside(entry, _below(annotation, place), self._label(label, entry, place))

    def _unknown_of(self, tables: list[Any], value: Raw, label: str) -> Iterator[UnknownKey]:
        """Yield the unknown keys of a table; of several kinds, the table's own tag selects its one."""
        selected = tables[0] if len(tables) == 1 else _tagged(tables).get(_tag_of(tables, value))
        if selected is None:
            yield UnknownKey(value, _tag(tables), f"{label}.{_tag(tables)}", _wrong_tag(tables, value))
            return
        known = _fields(selected)
        for key, inner in value.items():
            if key in known:
                yield from self._unknown_inside(inner, known[key], f"{label}.{key}")
            else:
                wrong = _unknown(key, selected if len(tables) > 1 else None, known)
                yield UnknownKey(value, key, f"{label}.{key}", wrong)

    def convert(self, raw: Raw, kind: type[Built]) -> Built:
        """Return the struct.

        Raises:
            UsageError: A value is wrong; every such value has a line, up to a key that is missing in an array.
        """
        try:
            return msgspec.convert(raw, kind)
        except msgspec.ValidationError:
            wrong = self.cut_wrong_values(copy.deepcopy(raw), kind)
            raise usage_error(self.line(*one) for one in wrong) from None

    def cut_wrong_values(self, raw: Raw, kind: type[msgspec.Struct]) -> Iterator[Complaint]:
        """Cut every wrong value out of the tables, and yield its complaint.

        The entries of an array are looked at one by one: thousands of them would be converted again for each error.
        """
        cut = set[tuple[str | int, ...]]()
        for key, annotation in _fields(kind).items():
            entries = len(raw[key]) if isinstance(raw.get(key), list) else 0
            starts: list[tuple[str | int, ...]] = [(key, place) for place in range(entries)]
            for start in starts or [(key,)]:
                if key in raw:  # a number in place of a table takes its array with it
                    yield from self._cut_in(raw, start, functools.reduce(_below, start[1:], annotation), cut)
        yield from self._cut_in(raw, (), kind, cut)

    def _cut_in(
        self,
        raw: Raw,
        start: tuple[str | int, ...],
        annotation: object,
        cut: set[tuple[str | int, ...]],
    ) -> Iterator[Complaint]:
        """Cut the wrong values out of one of the tables, and note them: the first one, without it the next."""
        while (error := _conversion_error(value := _value(raw, start), annotation)) is not None:
            message, _, where = error.partition(" - at `$")
            steps = [*start, *_steps(where.rstrip("`"), value, annotation)]
            missing = MISSING.search(message)
            if missing is None or (*steps, missing[1]) not in cut:
                got = _NOT_SHOWN if steps and steps[0] in self.hidden else _shown(_value(raw, steps))
                yield self._readable(steps, raw), _explained(message, got)
            if not (steps := _place_to_cut(steps, is_missing=missing is not None)):
                return
            del _value(raw, steps[:-1])[steps[-1]]
            cut.add(tuple(steps))
            if steps[0] not in raw:
                return

    def _readable(self, steps: Sequence[str | int], raw: Raw) -> str:
        """Return `players 'a'.elo`, or `pairing.required[1]`, which counts from 1."""
        path = ""
        for number, step in enumerate(steps, 1):
            entry = _value(raw, steps[:number])
            path = self._label(path, entry, step) if isinstance(step, int) else f"{path}.{step}"
        return path.removeprefix(".")

    def _label(self, array: str, entry: object, place: int) -> str:
        """Return `players 'mcts'`, or `players[3]` where the entry has no name."""
        names = (entry[key] for key in self.named_by if key in entry) if isinstance(entry, dict) else iter(())
        name = next(names, None)
        return f"{array} {name!r}" if isinstance(name, str) else f"{array}[{place + 1}]"


class UnknownKey(NamedTuple):
    """A key that its table does not have."""

    table: Raw
    key: str
    label: str
    wrong: str


def _tag(tables: list[Any]) -> str:
    """Return the key that distinguishes tables of several kinds."""
    return str(tables[0].__struct_config__.tag_field)


def _tag_of(tables: list[Any], value: Raw) -> str | None:
    found = value.get(_tag(tables))
    return found if isinstance(found, str) else None


def _tagged(tables: list[Any]) -> dict[Any, Any]:
    return {table.__struct_config__.tag: table for table in tables}


def _wrong_tag(tables: list[Any], value: Raw) -> str:
    found, known = value.get(_tag(tables)), _tagged(tables)
    got = "none" if found is None else _shown(found)
    near = nearest(found, known) if isinstance(found, str) else ""
    return f"expected {' or '.join(map(repr, known))}, got {got}{near}"


def _conversion_error(value: object, annotation: Any) -> str | None:  # noqa: ANN401 - a type
    """Return the words of msgspec for the first wrong value; None if there is none."""
    try:
        msgspec.convert(value, annotation)
    except msgspec.ValidationError as error:
        return str(error)
    return None


def _place_to_cut(steps: list[str | int], *, is_missing: bool) -> list[str | int]:
    """Return the steps to the key without which the other values can be converted; empty if there is none.

    An entry of an array cannot be cut: the others would get other numbers.
    """
    if is_missing and steps and isinstance(steps[-1], int):
        return []
    while steps and isinstance(steps[-1], int):
        steps = steps[:-1]
    return steps


def _blanked(found: re.Match[str]) -> str:
    """Return a word in place of a string, with its line ends, and nothing in place of a comment."""
    return "" if found[0].startswith("#") else "_" + "\n" * found[0].count("\n")


def _syntax_error(path: Path, text: str, message: str) -> str:
    """Turn `... (at line 2, column 5)` of tomllib into `file:2:5: ...`."""
    found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", message, re.DOTALL)
    if found:
        return f"{path}:{found[2]}:{found[3]}: {found[1]}"
    lines = text.split("\n")
    return f"{path}:{len(lines)}:{len(lines[-1]) + 1}: {message.removesuffix(' (at end of document)')}"


def _explained(message: str, got: str) -> str:
    """Turn "Expected `int >= 1`" into `expected a whole number >= 1, got 0`."""
    expected, _, _ = message.replace(" | null", "").partition(", got ")
    if "missing" in expected:
        return expected.replace("Object missing", "missing").replace("`", "")
    if not expected.startswith("Expected"):
        return without_middle(expected[:1].lower() + expected[1:], MAX_REASON)
    kinds = "|".join(KINDS)
    expected = re.sub(rf"\b({kinds})\b", lambda found: KINDS[found[1]], expected.replace("`", "")).replace(
        " | ", " or "
    )
    return f"e{expected[1:]}, got {got}"


def _shown(got: object) -> str:
    """Return a value as TOML has it, shortened."""
    shown = str(got).lower() if isinstance(got, bool) else repr(got)
    shown = KINDS["object"] if isinstance(got, dict) else shown
    return shown if len(shown) <= MAX_QUOTED else shown[:MAX_QUOTED] + "…"


def _steps(where: str, value: Any, annotation: object) -> Iterator[str | int]:  # noqa: ANN401 - a TOML value
    """Turn `.players[2].options[...]` into players, 2, options and the name of the wrong value."""
    for key, place in re.findall(r"\.(\w+)|\[(\d+|\.\.\.)\]", where):
        step: str | int = key or (int(place) if place.isdigit() else _wrong_name(value, annotation))
        value, annotation = value[step], _below(annotation, step)
        yield step


def _wrong_name(values: Raw, annotation: object) -> str:
    """Return the name of the wrong value in a table with free names."""
    for name, value in values.items():
        try:
            msgspec.convert(value, _below(annotation, name))
        except msgspec.ValidationError:
            return name
    return next(iter(values))


def _value(raw: Any, steps: Iterable[str | int]) -> Any:  # noqa: ANN401 - a TOML value
    return functools.reduce(lambda value, step: value[step], steps, raw)


def _unknown(key: str, selected: Any, known: Collection[str]) -> str:  # noqa: ANN401 - a type of struct
    """Return the complaint about an unknown key; that of a table which is one of several also names its tag."""
    near = nearest(key, known)
    if selected is None:
        return f"unknown key{near or '; known: ' + ', '.join(known)}"
    config = selected.__struct_config__
    others = ", ".join(name for name in known if name != config.tag_field)
    return f"unknown key of {config.tag_field} {config.tag!r}, which has {others}{near}"


def _is_struct(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, msgspec.Struct)


@functools.cache
def _fields(struct: Any) -> dict[str, Any]:  # noqa: ANN401 - a type of struct
    """Return the annotations of a struct's keys, that of its tag first."""
    config = struct.__struct_config__
    tag = {config.tag_field: str} if config.tag_field else {}
    return tag | {field.name: field.type for field in msgspec.structs.fields(struct)}


def _alternatives(annotation: object) -> list[Any]:
    """Return the types of a union, each without its bounds."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _alternatives(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return [inner for one in get_args(annotation) if one is not NoneType for inner in _alternatives(one)]
    return [annotation]


def _below(annotation: object, step: str | int) -> object:
    """Return the annotation of the value at a key of a struct or a dict, or at a place of a list or tuple."""
    for one in _alternatives(annotation):
        if _is_struct(one) and step in _fields(one):
            return _fields(one)[str(step)]
        origin, inner = get_origin(one), get_args(one)
        if origin is dict and isinstance(step, str):
            return inner[1]
        if origin in (list, tuple) and isinstance(step, int):
            return inner[0] if len(inner) == 1 or inner[-1] is Ellipsis else inner[min(step, len(inner) - 1)]
    return Any
