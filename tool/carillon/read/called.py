# SPDX-License-Identifier: Apache-2.0
"""What other languages call a key of the schedule: it stands beside the key (``read/schema_osek.py``), once.

The languages read it from there (``frontends/oil/table.py``, ``frontends/arxml/table.py``), where one word says what one key
does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from inspect import get_annotations
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from carillon.units import Time


@dataclass(frozen=True, slots=True)
class Called:
    """A key's names; an empty one: the language says it otherwise, or not at all.

    ``words`` are what is written for the key's values, the first of a meaning being the one to write; if absent, the values
    themselves in capitals.  ``also_oil`` are more words of OIL.  ``of``: the section of the objects that the key names.
    ``seconds``: of a time, the names in OIL and in ARXML under which it is a number of seconds.
    ``oil_aliases``, ``arxml_aliases``: what tools call it otherwise.
    """

    oil: str = ""
    arxml: str = ""
    words: Mapping[str, Any] = field(default_factory=dict)
    also_oil: Mapping[str, Any] = field(default_factory=dict)
    of: str = ""
    seconds: tuple[str, str] = ("", "")
    oil_aliases: tuple[str, ...] = ()
    arxml_aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Key:
    """A key that other languages have a name for; ``kind``: the form of its value."""

    name: str
    kind: Literal["integer", "flag", "word", "time", "reference", "references", "text"]
    called: Called
    words: Mapping[str, Any]


def in_order(table: type[BaseModel]) -> list[str]:
    """The names of a table's keys in their order; those that it shares with other tables come last."""
    own = get_annotations(table)
    return sorted(table.model_fields, key=lambda name: name not in own)


def keys(table: type[BaseModel]) -> Iterator[Key]:
    """The keys of a table that have other names, in order."""
    for name in in_order(table):
        key = table.model_fields[name]
        for called in key.metadata:
            if isinstance(called, Called):
                kind, values = _kind(key, called)
                yield Key(name, kind, called, called.words or {str(value).upper(): value for value in values})


def _kind(key: FieldInfo, called: Called) -> tuple[Any, tuple[Any, ...]]:
    """The form of a key's value, and its values where it is one of several."""
    found = list(types(key.annotation))
    values = tuple(value for type_ in found if get_origin(type_) is Literal for value in get_args(type_))
    if values:
        return "word", values
    if called.of:
        return "references" if any(get_origin(type_) is list for type_ in found) else "reference", ()
    return next((kind for type_, kind in ((bool, "flag"), (int, "integer"), (Time, "time")) if type_ in found), "text"), ()


def types(annotation: Any) -> Iterator[Any]:
    """The types that an annotation allows."""
    if get_origin(annotation) in (Union, UnionType):
        for part in get_args(annotation):
            yield from types(part)
    elif hasattr(annotation, "__metadata__"):
        yield from types(annotation.__origin__)
    else:
        yield annotation
