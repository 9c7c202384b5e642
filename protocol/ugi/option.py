"""The `option` line declares an option, the `setoption` line sets one."""

from typing import get_args

from fiedler.protocol.errors import LocalProtocolError, RemoteProtocolError
from fiedler.protocol.option import MAX_OPTION_NAME, MAX_OPTION_VALUE, Option, OptionType
from fiedler.protocol.words import is_words, number, quoted

_TYPES: dict[str, OptionType] = {word: word for word in get_args(OptionType)}
_KEYWORDS = ("default", "min", "max", "var")
CHESS, OF_CHESS = "chess", "UCI_Chess960"
"""The family of an engine with this option, which no other game has."""
VARIANT = "UCI_Variant"
"""The option of such an engine that plays other games, too."""
_EMPTY = "<empty>"
"""The empty string on a line, as in UCI."""
MOST_WORDS = 2048
"""Words of an `option` line: each takes time, and a line has room for thousands."""


def _fault(option: Option) -> str | None:
    """Return the reason why a line cannot declare `option`, or None."""
    name = option.name
    if not is_words(name) or len(name) > MAX_OPTION_NAME or {"type", "value"} & set(name.split()):
        return f"expected an option name of 1 to {MAX_OPTION_NAME} characters without type or value, got {quoted(name)}"
    if option.type == "combo":
        if not option.choices:
            return f"option {quoted(name)}: expected choices, each after var, got none"
        for choice in option.choices:
            if not is_words(choice) or set(_KEYWORDS) & set(choice.split()):
                return f"option {quoted(name)}: expected choices in words, none of them a keyword, got {quoted(choice)}"
    if option.min is not None and option.max is not None and option.min > option.max:
        return f"option {quoted(name)}: expected min <= max, got {option.min} and {option.max}"
    return _default_fault(option)


def _default_fault(option: Option) -> str | None:
    default = option.default
    if default is None:
        return None
    if len(default) > MAX_OPTION_VALUE or default == _EMPTY or (default and not is_words(default)):
        wanted = f"a default of at most {MAX_OPTION_VALUE} characters, in words, but not {_EMPTY}"
        return f"option {quoted(option.name)}: expected {wanted}"
    if option.type == "button":
        return f"option {quoted(option.name)}: expected no default, got {quoted(default)}"
    return None


def _clauses(words: list[str]) -> dict[str, list[str]]:
    """Cut the words behind the type at the keywords: keyword -> one text for each occurrence."""
    clauses: dict[str, list[list[str]]] = {}
    current: list[str] = []
    for word in words:
        if word in _KEYWORDS:
            current = []
            clauses.setdefault(word, []).append(current)
        else:
            current.append(word)  # unknown words before the first keyword are dropped
    return {word: [" ".join(text) for text in texts] for word, texts in clauses.items()}


def _bound(clauses: dict[str, list[str]], word: str) -> int | None:
    if word not in clauses:
        return None
    value = number(clauses[word][0])
    if value is None:
        raise RemoteProtocolError(f"expected a whole number after {word}, got {quoted(clauses[word][0])}")
    return value


def read_option(words: list[str], *, any_default: bool = False) -> Option:
    """Return the option of the words of an `option` line (`option` itself first).

    With `any_default` its default need not be a value of the option: another one can be set.

    Raises:
        RemoteProtocolError: The words do not declare an option, or are more than MOST_WORDS.
    """
    if len(words) > MOST_WORDS:
        raise RemoteProtocolError(f"expected at most {MOST_WORDS} words on an option line, got {len(words)}")
    at = words.index("type") if "type" in words else 0
    kind = _TYPES.get(words[at + 1]) if 0 < at < len(words) - 1 else None
    if words[1:2] != ["name"] or kind is None:
        raise RemoteProtocolError(f"expected option name NAME type {'|'.join(_TYPES)}, got {quoted(' '.join(words))}")
    rest = words[at + 2 :]
    # the default of a string may hold any words, keywords too: it takes the rest of the line
    string = kind == "string" and rest[:1] == ["default"]
    clauses = {"default": [" ".join(rest[1:])]} if string else _clauses(rest)
    default = clauses.get("default", [None])[0]
    option = Option(
        name=" ".join(words[2:at]),
        type=kind,
        default="" if default == _EMPTY else default,
        min=_bound(clauses, "min"),
        max=_bound(clauses, "max"),
        choices=tuple(clauses.get("var", ())),
    )
    fault = _fault(option) or ("" if any_default else option.contradiction)
    if fault:
        raise RemoteProtocolError(fault)
    return option


def option_line(option: Option) -> str:
    """Return the `option` line that declares `option`.

    Raises:
        LocalProtocolError: The option does not fit on a line, or leaves out a part that clients rely on.
    """
    lacks = f"option {quoted(option.name)}: expected its {' and '.join(option.lacks)}" if option.lacks else None
    fault = _fault(option) or option.contradiction or lacks
    if fault:
        raise LocalProtocolError(fault)
    words = [f"option name {option.name} type {option.type}"]
    if option.default is not None:
        words.append(f"default {option.default or _EMPTY}")
    if option.min is not None:
        words.append(f"min {option.min}")
    if option.max is not None:
        words.append(f"max {option.max}")
    words += (f"var {choice}" for choice in option.choices)
    return " ".join(words)


def read_setoption(words: list[str]) -> tuple[str, str | None]:
    """Return the name in the words of a `setoption` line, and the value, or None without the word `value`.

    Raises:
        RemoteProtocolError: The name is missing, or the name or the value is too long.
    """
    at = words.index("value") if "value" in words else len(words)
    name = " ".join(words[2:at])
    if words[1:2] != ["name"] or not name:
        raise RemoteProtocolError(f"expected setoption name NAME [value VALUE], got {quoted(' '.join(words))}")
    if len(name) > MAX_OPTION_NAME:
        raise RemoteProtocolError(f"expected an option name of at most {MAX_OPTION_NAME} characters, got {len(name)}")
    value = " ".join(words[at + 1 :])
    if len(value) > MAX_OPTION_VALUE:
        raise RemoteProtocolError(
            f"expected an option value of at most {MAX_OPTION_VALUE} characters, got {len(value)}"
        )
    return name, None if at == len(words) else value


def setoption_line(name: str, value: str | None) -> str:
    """Return the `setoption` line.

    Raises:
        LocalProtocolError: The name or the value would not arrive unchanged.
    """
    if not is_words(name) or len(name) > MAX_OPTION_NAME or "value" in name.split():
        raise LocalProtocolError(f"expected an option name in words, none of them 'value', got {quoted(name)}")
    if value and (not is_words(value) or len(value) > MAX_OPTION_VALUE):
        raise LocalProtocolError(
            f"expected a value in words, at most {MAX_OPTION_VALUE} characters, got {quoted(value)}"
        )
    return f"setoption name {name}" + ("" if value is None else f" value {value}".rstrip())
