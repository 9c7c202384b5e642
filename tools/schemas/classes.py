"""The classes in a type: structs, dataclasses, TypedDicts, and those of their keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.inspect import (
    DataclassType,
    DictType,
    ListType,
    Metadata,
    StructType,
    TupleType,
    Type,
    TypedDictType,
    UnionType,
    VarTupleType,
)


def classes_of(kinds: Iterable[object]) -> Iterator[type]:
    """Yield the classes in types, each once."""
    seen = set[type]()
    left: list[Type] = [msgspec.inspect.type_info(kind) for kind in kinds]
    while left:
        info = left.pop()
        if isinstance(info, (StructType, DataclassType, TypedDictType)):
            if info.cls in seen:
                continue
            seen.add(info.cls)
            yield info.cls
        left += _inside(info)


def _inside(info: Type) -> list[Type]:
    """Return the types of the values inside a value."""
    match info:
        case StructType() | DataclassType() | TypedDictType():
            return [field.type for field in info.fields]
        case UnionType():
            return list(info.types)
        case ListType() | VarTupleType():
            return [info.item_type]
        case TupleType():
            return list(info.item_types)
        case DictType():
            return [info.value_type]
        case Metadata():
            return [info.type]
    return []
