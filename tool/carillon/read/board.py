# SPDX-License-Identifier: Apache-2.0
"""Reads a board, the boards that it is based on and the families of its cells: one model, or diagnostics with places.

What a file says is validated together with what its bases say, so a finding may belong to any of them. It is reported where the
value stands that is wrong, or at the table that lacks one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from carillon.diagnostics import Diagnostics, suggestion
from carillon.model.board import Board, Interrupts
from carillon.model.family import Family
from carillon.model.registers import RealTimeDriver
from carillon.read.family import check_capabilities, family_names, load_family, place_registers
from carillon.read.spans import Path as Place
from carillon.read.spans import SpanIndex
from carillon.read.tables import Layers, validate
from carillon.read.text import read_toml
from carillon.read.values import toml_type
from carillon.resources import data_root, find_board
from carillon.units import shorten

_REMEDY = "SPEC, section 'Board file', lists the keys; boards/virtual-tiny is the smallest example"
_PATHS = ("linker_script", "sources")
"""The keys of [build] that hold paths."""
_INTERRUPTS = "interrupts"
"""The key whose file has the names of the interrupts."""
_KEYS_OF_DRIVERS = {"lse_ms"}
"""The keys of [rtc] that not every driver has."""
BLANK = "TODO:"
"""How a value begins that is still to be written; carillon new --board-from leaves such."""
_LONGEST_BLANK = 200


def load_board(path: Path) -> Board:
    """Read ``path``, a ``board.toml``, with its bases and its cells' families.

    Raises :class:`CarillonError`: C010, C011 or C012 for a file that is no TOML, C050 for what breaks a rule of
    SPEC, section 'Board file' or 'Cell drivers'.
    """
    diagnostics = Diagnostics()
    layers = Layers()
    data = diagnostics.required(_read(path, layers, [], diagnostics))
    _families(data, layers, diagnostics)
    _port(data, layers, diagnostics)
    _rtc(data, layers, diagnostics)
    named = _interrupts(data, layers, diagnostics)
    board = diagnostics.required(validate(Board, data, layers, _REMEDY, diagnostics))
    _requests(board, layers, diagnostics)
    diagnostics.stop_on_errors()
    board._files = tuple(Path(places.file) for _, places in layers.files) + named
    board._written = layers
    return board


def _read(path: Path, layers: Layers, above: list[Path], diagnostics: Diagnostics) -> dict[str, Any] | None:
    """A board's tables over its base's; appends each file's own tables to ``layers``.  None after an error."""
    parsed = read_toml(path, diagnostics)
    if parsed is None:
        return None
    layers.files.append((parsed.data, parsed.places))
    _blanks(parsed.data, (), parsed.places, diagnostics)
    data = _absolute(parsed.data, path.resolve().parent)
    if "base" not in data:
        return data
    base, span = data.pop("base"), parsed.places.value(("base",))
    base_path = _base(base, path) if isinstance(base, str) else None
    below = [*above, path.resolve()]
    if not isinstance(base, str):
        cause, remedy = f"'base' must be a string, not {toml_type(base)}", 'write a board\'s name: base = "…"'
    elif base_path is None:
        cause = f"there is no board {shorten(base)} for this one to be based on"
        remedy = "write the name of a folder beside this board's, or of one of Carillon's boards"
    elif base_path.resolve() in below:
        cause = f"this board is {'its own base' if base_path.resolve() == path.resolve() else 'a base of its own base'}"
        remedy = "name a board that is not based on this one"
    else:
        under = _read(base_path, layers, below, diagnostics)
        return None if under is None else _over(under, data)
    diagnostics.error("C050", span, cause, remedy)
    return None


def _blanks(value: object, at: Place, places: SpanIndex, diagnostics: Diagnostics) -> None:
    """Report C305 for each value that is still to be written."""
    if isinstance(value, str) and value.startswith(BLANK):
        what = value.removeprefix(BLANK).strip()
        what = what if what.isprintable() and len(what) <= _LONGEST_BLANK else shorten(what)
        cause = f"'{_dotted(at)}' is still to be written: {what}"
        diagnostics.error("C305", places.value(at), cause, "write the value in place of the text that begins with TODO")
    elif isinstance(value, dict):
        for key, below in value.items():
            _blanks(below, (*at, key), places, diagnostics)
    elif isinstance(value, list):
        for number, below in enumerate(value):
            _blanks(below, (*at, number), places, diagnostics)


def _dotted(at: Place) -> str:
    return ".".join(part for part in at if isinstance(part, str))


def _base(name: str, path: Path) -> Path | None:
    """The base of the board ``path``: in the folder beside the board's, or one of Carillon's boards."""
    if not name or not name.isprintable():
        return None
    beside = path.resolve().parent.parent / name / "board.toml"
    try:
        return beside if beside.is_file() else find_board(name, path.parent)
    except OSError:  # a name that no file system takes
        return None


def _absolute(data: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A copy of ``data`` with absolute paths, so that other boards can inherit them."""
    build, interrupts = data.get("build"), data.get(_INTERRUPTS)
    if isinstance(interrupts, str) and interrupts:
        data = {**data, _INTERRUPTS: str(folder / interrupts)}
    if not isinstance(build, dict):
        return dict(data)
    absolute = dict(build)
    for key in _PATHS:
        value = absolute.get(key)
        if isinstance(value, str) and value:
            absolute[key] = str(folder / value)
        elif isinstance(value, list):
            absolute[key] = [str(folder / item) if isinstance(item, str) and item else item for item in value]
    return {**data, "build": absolute}


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """``above`` over ``below``: keys of ``above`` win; tables are merged, arrays are not."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _over(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _families(data: dict[str, Any], layers: Layers, diagnostics: Diagnostics) -> None:
    """Replace the name of each array's family by the family, read from its ``cell.toml``."""
    arrays = data.get("cells")
    if not isinstance(arrays, list):
        return
    known = family_names()
    read: dict[str, Family | None] = {}
    data["cells"] = []
    for number, array in enumerate(arrays):
        data["cells"].append(array)
        if not isinstance(array, dict) or not isinstance(array.get("family"), str):
            continue
        name = array["family"]
        if name not in known:
            cause = f"there is no family of cells {shorten(name)}"
            remedy = suggestion(name, [k for k in known if k != "template"])
            diagnostics.error("C050", layers.place(("cells", number, "family")), cause, remedy)
            family = None
        else:
            if name not in read:
                read[name] = load_family(data_root() / "cells" / name / "cell.toml", diagnostics)
            family = read[name]
        # A family with a wrong file was reported: the board is checked further with an empty family.
        if family is None:
            family = Family(name=shorten(name), align=False, finish=False)
            data["cells"][number] = {**array, "family": family, "registers": {}}
            continue
        check_capabilities(number, array, family, layers, diagnostics)
        registers = place_registers(number, array, family, layers, diagnostics)
        data["cells"][number] = {**array, "family": family, "registers": registers}


def _interrupts(data: dict[str, Any], layers: Layers, diagnostics: Diagnostics) -> tuple[Path, ...]:
    """Replace the path of the file with the names of the interrupts by what the file says; returns that path."""
    written = data.get(_INTERRUPTS)
    if not isinstance(written, str) or not written:
        return ()
    path = Path(written)
    if not path.is_file():
        cause, remedy = f"there is no file {shorten(path.name)} with the interrupts' names", "name a file beside the board's"
        diagnostics.error("C050", layers.place((_INTERRUPTS,)), cause, remedy)
        diagnostics.stop_on_errors()
    parsed = diagnostics.required(read_toml(path, diagnostics))
    found = diagnostics.required(validate(Interrupts, parsed.data, Layers([(parsed.data, parsed.places)]), _REMEDY, diagnostics))
    data[_INTERRUPTS] = found
    return (path,)


def _port(data: dict[str, Any], layers: Layers, diagnostics: Diagnostics) -> None:
    """Report a port that Carillon does not have."""
    port = data.get("port")
    known = sorted(p.parent.name for p in (data_root() / "ports").glob("*/carillon_port.h"))
    if isinstance(port, str) and port and port not in known:
        cause = f"there is no port {shorten(port)}"
        diagnostics.error("C050", layers.place(("port",)), cause, suggestion(port, [k for k in known if k != "template"]))


def _rtc(data: dict[str, Any], layers: Layers, diagnostics: Diagnostics) -> None:
    """Replace the name of the real-time clock's driver by what its ``rtc.toml`` says; report what the driver lacks."""
    table = data.get("rtc")
    name = table.get("driver") if isinstance(table, dict) else None
    if not isinstance(table, dict) or not isinstance(name, str):
        return
    folder = data_root() / "devices"
    known = sorted(p.parent.name for p in folder.glob("*/rtc.h"))
    if name not in known:
        cause = f"there is no driver {shorten(name)} of a real-time clock"
        diagnostics.error("C050", layers.place(("rtc", "driver")), cause, suggestion(name, known))
        del data["rtc"]
        return
    parsed = diagnostics.required(read_toml(folder / name / "rtc.toml", diagnostics))
    said = {**parsed.data, "name": name}
    driver = diagnostics.required(validate(RealTimeDriver, said, Layers([(parsed.data, parsed.places)]), _REMEDY, diagnostics))
    port = data.get("port")
    if driver.ports and isinstance(port, str) and port not in driver.ports:
        cause = f"chips with port {shorten(port)} have no real-time clock of the kind that driver '{name}' is for"
        diagnostics.error("C050", layers.place(("rtc", "driver")), cause, "name the driver of this chip's, or leave [rtc] out")
    for key in sorted(table.keys() & _KEYS_OF_DRIVERS - set(driver.keys)):
        cause = f"the real-time clock of driver '{name}' has no '{key}'"
        diagnostics.error("C050", layers.place(("rtc", key)), cause, "leave it out")
    data["rtc"] = {**table, "driver": driver}


def _requests(board: Board, layers: Layers, diagnostics: Diagnostics) -> None:
    """Report C182 for a source that schedules may name, but whose enable register the board does not give."""
    known = board.requested
    named: list[tuple[Place, int]] = [(("application_sources", name), s) for name, s in board.application_sources.items()]
    named += [(("software_sources", k), s) for k, s in enumerate(board.software_sources)]
    for place, source in named if known else ():
        if source not in known:
            cause = f"nothing says where source {source} is enabled"
            remedy = "write it in a [[requests]]: its enable register, its flag register, and its bit in both"
            diagnostics.error("C182", layers.place(place), cause, remedy)
