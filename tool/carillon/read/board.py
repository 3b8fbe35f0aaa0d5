# SPDX-License-Identifier: Apache-2.0
"""Reads a board, the boards that it is based on and the families of its cells: one model, or diagnostics with places.

What a file says is validated together with what its bases say, so a finding may belong to any of them: it is reported
where the value stands that is wrong, or at the table that lacks one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from carillon.diagnostics import Diagnostics, Span, suggestion
from carillon.model.board import Board, Build, Cells, Clock, ClockCosts, Driver, Family, Run
from carillon.read.schema import toml_type
from carillon.read.spans import Path as Place
from carillon.read.spans import SpanIndex
from carillon.read.text import parse_toml, read_text
from carillon.resources import data_root, find_board
from carillon.units import shorten

_REMEDY = "SPEC, section 'Board file', lists the keys; boards/virtual-tiny is the smallest example"
_FAMILY_REMEDY = "SPEC, section 'Cell drivers', lists the keys; cells/virtual is an example"
_PATHS = ("linker_script", "sources")
"""The keys of [build] that hold paths."""

_WANTED = {
    "string": "a string",
    "int": "an integer",
    "bool": "true or false",
    "tuple": "an array",
    "dict": "a table",
    "model": "a table",
    "model_attributes": "a table",
}
_LIMITS = {
    "greater_than_equal": ("ge", "at least {}"),
    "greater_than": ("gt", "more than {}"),
    "less_than_equal": ("le", "at most {}"),
    "less_than": ("lt", "less than {}"),
}
_MODELS: dict[str, type[BaseModel]] = {"clocks": Clock, "cells": Cells, "build": Build, "run": Run, "costs": ClockCosts}

_Model = TypeVar("_Model", bound=BaseModel)


@dataclass
class _Layers:
    """The files that a table was merged from, the topmost first, and what each of them says."""

    files: list[tuple[dict[str, Any], SpanIndex]] = field(default_factory=list)

    def place(self, path: Place, key: bool = False) -> Span:
        """Where the value (or with ``key`` the key) at ``path`` stands: the topmost file that says the most of it."""
        best, depth = self.files[0][1], 0
        for data, places in self.files:
            here = _depth(data, path)
            if here > depth:
                best, depth = places, here
        return best.key(path) if key else best.value(path)


def _depth(data: Any, path: Place) -> int:
    """How many parts of ``path`` exist in ``data``."""
    for depth, part in enumerate(path):
        element = isinstance(data, list) and isinstance(part, int) and part < len(data)
        if not element and not (isinstance(data, dict) and part in data):
            return depth
        data = data[part]
    return len(path)


def load_board(path: Path) -> Board:
    """Read ``path``, a ``board.toml``, with its bases and its cells' families.

    Raises :class:`CarillonError`: C010, C011 or C012 for a file that is no TOML, C050 for what breaks a rule of
    SPEC, section 'Board file' or 'Cell drivers'.
    """
    diagnostics = Diagnostics()
    layers = _Layers()
    data = _read(path, layers, [], diagnostics)
    diagnostics.stop_on_errors()
    assert data is not None
    _families(data, layers, diagnostics)
    _port(data, layers, diagnostics)
    board = _validate(Board, data, layers, _REMEDY, diagnostics)
    diagnostics.stop_on_errors()
    assert board is not None
    board._files = tuple(Path(places.file) for _, places in layers.files)
    return board


def _read(path: Path, layers: _Layers, above: list[Path], diagnostics: Diagnostics) -> dict[str, Any] | None:
    """A board's tables over those of its base, and each file's own in ``layers``; None after an error."""
    text = read_text(path, diagnostics)
    parsed = parse_toml(text, str(path), diagnostics) if text is not None else None
    if parsed is None:
        return None
    layers.files.append((parsed.data, parsed.places))
    data = _absolute(parsed.data, path.resolve().parent)
    if "base" not in data:
        return data
    base, span = data.pop("base"), parsed.places.value(("base",))
    if not isinstance(base, str):
        diagnostics.error("C050", span, f"'base' must be a string, not {toml_type(base)}", 'write a board\'s name: base = "…"')
        return None
    found = _base(base, path)
    if found is None:
        diagnostics.error(
            "C050",
            span,
            f"there is no board {shorten(base)} for this one to be based on",
            "write the name of a folder beside this board's, or of one of Carillon's boards",
        )
        return None
    below = [*above, path.resolve()]
    if found.resolve() in below:
        diagnostics.error(
            "C050",
            span,
            f"this board is {'its own base' if found.resolve() == path.resolve() else 'a base of its own base'}",
            "name a board that is not based on this one",
        )
        return None
    under = _read(found, layers, below, diagnostics)
    return None if under is None else _over(under, data)


def _base(name: str, path: Path) -> Path | None:
    """The board that ``path`` calls its base: in the folder beside its own, or one of Carillon's."""
    if not name or not name.isprintable():
        return None
    beside = path.resolve().parent.parent / name / "board.toml"
    try:
        return beside if beside.is_file() else find_board(name, path.parent)
    except OSError:  # a name that no file system takes
        return None


def _absolute(data: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A copy of ``data`` whose paths do not depend on which board inherits them."""
    build = data.get("build")
    if not isinstance(build, dict):
        return dict(data)
    own = dict(build)
    for key in _PATHS:
        value = own.get(key)
        if isinstance(value, str) and value:
            own[key] = str(folder / value)
        elif isinstance(value, list):
            own[key] = [str(folder / item) if isinstance(item, str) and item else item for item in value]
    return {**data, "build": own}


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """``above``, and of ``below`` what that does not say; tables are merged, arrays are not."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _over(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _families(data: dict[str, Any], layers: _Layers, diagnostics: Diagnostics) -> None:
    """Put each array's family, read from its ``cell.toml``, in the place of its name."""
    arrays = data.get("cells")
    if not isinstance(arrays, list):
        return
    known = sorted(p.parent.name for p in (data_root() / "cells").glob("*/cell.toml"))
    read: dict[str, Family | None] = {}
    data["cells"] = []
    for number, array in enumerate(arrays):
        data["cells"].append(array)
        if not isinstance(array, dict) or not isinstance(array.get("family"), str):
            continue
        name = array["family"]
        if name not in known:
            diagnostics.error(
                "C050",
                layers.place(("cells", number, "family")),
                f"there is no family of cells {shorten(name)}",
                suggestion(name, [k for k in known if k != "template"]),
            )
            family = None
        else:
            if name not in read:
                read[name] = load_family(data_root() / "cells" / name / "cell.toml", diagnostics)
            family = read[name]
        # One whose file is wrong was reported: what else is wrong with the board is looked for with an empty one.
        empty = Family(name=shorten(name), align=False, finish=False)
        data["cells"][number] = {**array, "family": family if family is not None else empty}


def load_family(path: Path, diagnostics: Diagnostics) -> Family | None:
    """The family that ``path``, a ``cell.toml``, describes; its name is that of its folder.  None after an error."""
    text = read_text(path, diagnostics)
    parsed = parse_toml(text, str(path), diagnostics) if text is not None else None
    if parsed is None:
        return None
    if "name" in parsed.data:
        diagnostics.error("C050", parsed.places.key(("name",)), "unknown key 'name'", "its folder names a family: leave it out")
        return None
    layers = _Layers([(parsed.data, parsed.places)])
    return _validate(Family, {**parsed.data, "name": path.parent.name}, layers, _FAMILY_REMEDY, diagnostics)


def _port(data: dict[str, Any], layers: _Layers, diagnostics: Diagnostics) -> None:
    """Report a port that Carillon does not have."""
    port = data.get("port")
    known = sorted(p.parent.name for p in (data_root() / "ports").glob("*/carillon_port.h"))
    if isinstance(port, str) and port and port not in known:
        diagnostics.error(
            "C050",
            layers.place(("port",)),
            f"there is no port {shorten(port)}",
            suggestion(port, [k for k in known if k != "template"]),
        )


def _validate(model: type[_Model], data: dict[str, Any], layers: _Layers, remedy: str, diagnostics: Diagnostics) -> _Model | None:
    """``data`` as ``model``; None after C050 for each thing that does not fit."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            path = tuple(part for part in detail["loc"] if part != "[key]")
            if detail["type"] == "too_short" and detail["input"]:
                continue  # its elements were refused
            where = layers.place(path, key=detail["type"] == "extra_forbidden")
            cause, better = _misfit(detail, path, model)
            diagnostics.error("C050", where, cause, better or remedy)
        return None


def _misfit(detail: ErrorDetails, path: Place, model: type[BaseModel]) -> tuple[str, str | None]:
    """What is wrong with the value at ``path``, and what would be right if more than the list of keys can be said."""
    kind, value, where = detail["type"], detail["input"], _describe(path)
    context: dict[str, Any] = dict(detail.get("ctx") or {})
    if kind == "missing":
        return f"{_describe(path[:-1])} has no '{path[-1]}'", None
    if kind == "extra_forbidden":
        fields = [name for name in _table(path[:-1], model).model_fields if name != "name" or model is Board]
        outside = f" in {_describe(path[:-1])}" if len(path) > 1 else ""
        return f"unknown key {shorten(str(path[-1]))}{outside}", suggestion(str(path[-1]), fields)
    if kind in ("enum", "literal_error"):
        shown = shorten(value) if isinstance(value, str) else toml_type(value)
        return f"{where}: {shown} is none of its values", "write " + str(context["expected"]).replace("'", '"')
    if kind in _LIMITS:
        key, relation = _LIMITS[kind]
        shown = str(value) if isinstance(value, int) and abs(value) < 10**30 else "the number"
        return f"{where}: {shown} is out of range", f"write {relation.format(context[key])}"
    if kind == "value_error":
        return f"{where}: {context['error']}", None
    if kind == "string_pattern_mismatch":
        return f"{where}: {shorten(str(value))} is no name", "a name has letters, digits and '_', and does not begin with a digit"
    if kind in ("too_short", "string_too_short"):
        return f"{where} is empty", None
    if kind == "too_long":
        return f"{where} has {context['actual_length']} elements", f"write at most {context['max_length']}"
    wanted = _WANTED.get(kind.removesuffix("_type"))
    if wanted is not None:
        return f"{where} must be {wanted}, not {toml_type(value)}", None
    return f"{where}: {detail['msg'][:1].lower()}{detail['msg'][1:]}", None


def _table(path: Place, model: type[BaseModel]) -> type[BaseModel]:
    if not path:
        return model
    return Driver if model is Family else _MODELS.get(str(path[0]), model)


def _describe(path: Place) -> str:
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
    """How many parts of ``path`` name a table that has a header of its own."""
    if path[0] in ("clocks", "cells"):
        return min(2, len(path))
    if path[0] in ("costs", "clock"):
        return min(2, len(path))
    return 1 if path[0] in ("build", "run") else 0
