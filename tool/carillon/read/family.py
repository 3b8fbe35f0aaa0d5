# SPDX-License-Identifier: Apache-2.0
"""Reads the families of cells, and says of a board's arrays whether they are what their families can be.

What a family's driver can do stands in its ``cell.toml`` as ``can``, and which of its registers a board must place as
``registers``.  A key of an array that asks for more is C181; a register that is not placed, or not as the family wants it,
is C180.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from carillon.diagnostics import Diagnostics, suggestion
from carillon.model.board import Role
from carillon.model.family import REARMS, STARTS, Capability, Family, Register
from carillon.read.tables import Layers, validate
from carillon.read.text import read_toml
from carillon.read.values import toml_type
from carillon.resources import data_root
from carillon.units import shorten

_REMEDY = "SPEC, section 'Cell drivers', lists the keys; cells/virtual is an example"


def family_names() -> list[str]:
    """The families that Carillon has, sorted."""
    return sorted(path.parent.name for path in (data_root() / "cells").glob("*/cell.toml"))


def load_family(path: Path, diagnostics: Diagnostics) -> Family | None:
    """The family that the ``cell.toml`` at ``path`` describes, named after its folder.  None after an error."""
    parsed = read_toml(path, diagnostics)
    if parsed is None:
        return None
    if "name" in parsed.data:
        diagnostics.error("C050", parsed.places.key(("name",)), "unknown key 'name'", "its folder names a family: leave it out")
        return None
    layers = Layers([(parsed.data, parsed.places)])
    return validate(Family, {**parsed.data, "name": path.parent.name}, layers, _REMEDY, diagnostics)


def _asked(array: Mapping[str, Any]) -> Iterator[tuple[str, Capability]]:
    """The keys of an array that need a capability of the family, each with the capability."""
    for key, values in (("start", STARTS), ("rearm", REARMS)):
        yield from ((key, can) for value, can in values.items() if array.get(key) == value.value)
    roles = array.get("roles")
    if isinstance(roles, list) and Role.CONTROL.value in roles:
        yield "roles", Capability.REMAINING
    if array.get("acknowledge") is True:
        yield "acknowledge", Capability.ACKNOWLEDGE
    if array.get("request_enable") == "cell":
        yield "request_enable", Capability.MASK


def check_capabilities(number: int, array: Mapping[str, Any], family: Family, layers: Layers, diagnostics: Diagnostics) -> None:
    """Report C181 for keys of ``[[cells]]`` number ``number`` (from 0) that need more than the family can do."""
    for key, capability in _asked(array):
        if capability not in family.can:
            asks = f"'{key}' of [[cells]] {number + 1} asks for \"{capability.value}\""
            can = ", ".join(f'"{c.value}"' for c in Capability if c in family.can) or "nothing else"
            cause = f"{asks}, which cells of family '{family.name}' cannot do"
            remedy = f"choose another family or leave it out: beyond starting and stopping, its cells can do {can}"
            diagnostics.error("C181", layers.place(("cells", number, key)), cause, remedy)
    if array.get("request_enable") == "cell" and array.get("start", "each") != "each" and Capability.HOLD not in family.can:
        cause = f"cells of [[cells]] {number + 1} that have masks of their own are started by a store each, masked or not"
        remedy = 'write start = "each", or request_enable = "controller"'
        diagnostics.error("C181", layers.place(("cells", number, "start")), cause, remedy)
    if Capability.ACKNOWLEDGE in family.can and array.get("acknowledge", False) is False:
        cause = f"cells of family '{family.name}' ask until they are answered, and [[cells]] {number + 1} has no handler do that"
        remedy = "write acknowledge = true"
        diagnostics.error("C181", layers.place(("cells", number), key="acknowledge" not in array), cause, remedy)


def place_registers(
    number: int, array: Mapping[str, Any], family: Family, layers: Layers, diagnostics: Diagnostics
) -> dict[str, list[Any]]:
    """The registers of ``[[cells]]`` number ``number`` (from 0): a value per cell.  C180 for missing or wrong ones."""
    names = array.get("names")
    count = len(names) if isinstance(names, list) else 0
    given = array.get("registers", {})
    here = ("cells", number, "registers")
    if not isinstance(given, dict):
        diagnostics.error("C180", layers.place(here), f"'registers' of [[cells]] {number + 1} must be a table", _wants(family))
        return {}
    lacking = [key for key in family.registers if key not in given]
    if lacking:
        cause = f"[[cells]] {number + 1} does not say where family '{family.name}' has {', '.join(map(repr, lacking))}"
        diagnostics.error("C180", layers.place(here), cause, _wants(family))
    registers: dict[str, list[Any]] = {}
    for key, value in given.items():
        kind = family.registers.get(key)
        if kind is None:
            cause = f"family '{family.name}' has no register {shorten(key)}"
            better = suggestion(key, list(family.registers)) if family.registers else "leave it out"
            diagnostics.error("C180", layers.place((*here, key), key=True), cause, better)
            continue
        values = _values(value, count)
        wrong = _misplaced(values, value, kind, count)
        if wrong is not None:
            diagnostics.error("C180", layers.place((*here, key)), f"'{key}' of [[cells]] {number + 1} {wrong}", _wants(family))
        else:
            registers[key] = values
    return registers


def _values(value: Any, count: int) -> list[Any]:
    """A value for each cell: of a number, a list, or { first, stride }."""
    if isinstance(value, dict):
        first, stride = value.get("first"), value.get("stride")
        if len(value) == 2 and isinstance(first, int) and isinstance(stride, int):
            return [first + k * stride for k in range(count)]
        return []
    return list(value) if isinstance(value, list) else [value] * count


def _misplaced(values: list[Any], value: Any, kind: Register, count: int) -> str | None:
    """What is wrong with a register's values; None: nothing is."""
    odd = next((v for v in values if type(v) is not int), None)
    if odd is not None:
        return f"must hold integers, not {toml_type(odd)}"
    if isinstance(value, dict) and not values and count:
        return "must be { first = …, stride = … }, both integers"
    if any(not 0 <= v < 2**32 for v in values):
        return "is out of range: a register is at 0 to 0xFFFFFFFF"
    if len(values) != count:
        return f"has {len(values)} values, and there are {count} cells"
    if kind is Register.CELL and len(set(values)) != count:
        return "is the same for two cells, which have registers of their own"
    if kind is Register.ARRAY and len(set(values)) > 1:
        return "differs between cells, which have this register together"
    return None


def _wants(family: Family) -> str:
    """How the family's registers are written."""
    kinds = {
        Register.CELL: "a list of one for each cell, or { first = …, stride = … }",
        Register.ARRAY: "a number",
        Register.SOURCE: "a number, or a list of one for each cell",
    }
    return "registers = { … }: " + "; ".join(f"'{key}', {kinds[kind]}" for key, kind in family.registers.items())
