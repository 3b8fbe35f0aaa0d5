# SPDX-License-Identifier: Apache-2.0
"""A table of a TOML file as a model, or a diagnostic with the place of each misfit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from carillon.diagnostics import Diagnostics, Span, suggestion
from carillon.model.board import Board
from carillon.read.spans import Path as Place
from carillon.read.spans import SpanIndex
from carillon.read.values import toml_type
from carillon.units import shorten

WANTED = {
    "string": "a string",
    "int": "an integer",
    "bool": "true or false",
    "tuple": "an array",
    "list": "an array",
    "dict": "a table",
    "model": "a table",
    "model_attributes": "a table",
}
"""What a value of a pydantic type is called."""
_LIMITS = {
    "greater_than_equal": ("ge", "at least {}"),
    "greater_than": ("gt", "more than {}"),
    "less_than_equal": ("le", "at most {}"),
    "less_than": ("lt", "less than {}"),
}
_LONGEST_SHOWN = 40
_Model = TypeVar("_Model", bound=BaseModel)


@dataclass
class Layers:
    """The files from which a table was merged, the topmost first, each with its own data."""

    files: list[tuple[dict[str, Any], SpanIndex]] = field(default_factory=list)

    def place(self, path: Place, key: bool = False) -> Span:
        """The place of the value at ``path`` (``key``: of its key), in the topmost file with most of the path."""
        best, most = self.files[0][1], 0
        for data, places in self.files:
            here = depth(data, path)
            if here > most:
                best, most = places, here
        return best.key(path) if key else best.value(path)


def depth(data: Any, path: Place) -> int:
    """How many parts of ``path`` exist in ``data``."""
    for number, part in enumerate(path):
        element = isinstance(data, list) and isinstance(part, int) and part < len(data)
        if not element and not (isinstance(data, dict) and part in data):
            return number
        data = data[part]
    return len(path)


def validate(
    model: type[_Model], data: dict[str, Any], layers: Layers, remedy: str, diagnostics: Diagnostics, code: str = "C050"
) -> _Model | None:
    """``data`` as ``model``; None after a diagnostic per misfit, with ``code`` or the finding's own code."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            path = tuple(part for part in detail["loc"] if part != "[key]")
            if detail["type"] == "too_short" and detail["input"]:
                continue  # its elements were refused
            where = layers.place(path, key=detail["type"] == "extra_forbidden")
            cause, better = _misfit(detail, path, model)
            own: dict[str, Any] = dict(detail.get("ctx") or {})
            diagnostics.error(own.get("code", code), where, cause, better or remedy)
        return None


def _misfit(detail: ErrorDetails, path: Place, model: type[BaseModel]) -> tuple[str, str | None]:
    """The fault of the value at ``path``, and its remedy, if there is a better one than the list of keys."""
    if detail["type"] == "missing":
        return f"{describe(path[:-1])} has no '{path[-1]}'", None
    if detail["type"] == "extra_forbidden":
        fields = [name for name in table_at(model, path[:-1]).model_fields if name != "name" or model is Board]
        outside = f" in {describe(path[:-1])}" if len(path) > 1 else ""
        return f"unknown key {shorten(str(path[-1]))}{outside}", suggestion(str(path[-1]), fields)
    return misfit(detail, describe(path))


def misfit(detail: ErrorDetails, where: str) -> tuple[str, str | None]:
    """The fault of a value, named ``where`` in messages; and the remedy, if one holds for any such value."""
    kind, value = detail["type"], detail["input"]
    context: dict[str, Any] = dict(detail.get("ctx") or {})
    number = isinstance(value, int) and not isinstance(value, bool)
    if kind == "written":
        return f"{where}: {context['cause']}", str(context["remedy"])
    if kind in ("enum", "literal_error"):
        shown = shorten(value) if isinstance(value, str) else toml_type(value)
        shown = str(value) if number and len(str(value)) < _LONGEST_SHOWN else shown
        return f"{where}: {shown} is none of its values", "write " + str(context["expected"]).replace("'", '"')
    if kind in _LIMITS:
        key, relation = _LIMITS[kind]
        shown = str(value) if number and len(str(value)) < _LONGEST_SHOWN else "the number"
        return f"{where}: {shown} is out of range", f"write {relation.format(context[key])}"
    if kind == "value_error":
        return f"{where}: {context['error']}", None
    if kind == "string_pattern_mismatch":
        return f"{where}: {shorten(str(value))} is no name", "a name has letters, digits and '_', and does not begin with a digit"
    if kind in ("too_short", "string_too_short"):
        return f"{where} is empty", None
    if kind == "too_long":
        return f"{where} has {context['actual_length']} elements", f"write at most {context['max_length']}"
    wanted = WANTED.get(kind.removesuffix("_type"))
    if wanted is not None:
        return f"{where} must be {wanted}, not {toml_type(value)}", None
    return f"{where}: {detail['msg'][:1].lower()}{detail['msg'][1:]}", None


def table_at(model: type[BaseModel], path: Place) -> type[BaseModel]:
    """The model of the table at ``path`` of a ``model``'s file, or of the nearest enclosing table."""
    table, held = model, cast(Any, model)
    for part in path:
        if isinstance(held, type) and issubclass(held, BaseModel):
            held = _inner(held.model_fields[str(part)].annotation) if part in held.model_fields else None
        else:
            held = next((inner for argument in get_args(held) if (inner := _inner(argument)) is not None), None)
        table = held if isinstance(held, type) and issubclass(held, BaseModel) else table
    return table


def _inner(annotation: Any) -> Any:
    """Of a type, the table, or the list or the dictionary of tables, if it has any."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = [found for argument in get_args(annotation) if (found := _inner(argument)) is not None]
    return None if not inner else annotation if get_origin(annotation) in (list, tuple, dict) else inner[0]


def describe(path: Place) -> str:
    """``'width' of [[cells]] 2`` and the like; the whole file without a path."""
    if not path:
        return "the file"
    depth = _header(path)
    if depth == 0:
        owner = ""
    elif isinstance(path[depth - 1], int):
        owner = f"[[{path[0]}]] {cast(int, path[1]) + 1}"
    else:
        owner = f"[{'.'.join(str(part) for part in path[:depth])}]"
    rest = path[depth:]
    if not rest:
        return owner
    name = f"'{'.'.join(str(part) for part in rest if isinstance(part, str))}'" + (f" of {owner}" if owner else "")
    return f"element {rest[-1] + 1} of {name}" if isinstance(rest[-1], int) else name


def _header(path: Place) -> int:
    """The number of parts of ``path`` that name a table with a header of its own."""
    if path[0] in ("clocks", "cells", "requests", "costs", "clock", "node"):
        return min(2, len(path))
    return 1 if path[0] in ("build", "run", "console", "rtc", "currents", "network", "bus") else 0
