# SPDX-License-Identifier: Apache-2.0
"""``carillon_board.h``: where the board has the registers that drivers and port do not know by themselves.

A macro from a number (of a cell among its family's, of an interrupt source) is the same constant as one from the board's file.
It costs nothing where that number is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from carillon.emit import text
from carillon.image import Image
from carillon.model.board import BIT, ENABLE, FLAGS, Board
from carillon.model.registers import Console, Store

FILE = "carillon_board.h"
_ADDRESS, _NUMBER = "0x{:X}u", "{}u"


def pieces(values: Mapping[int, int], argument: str, shown: str = _ADDRESS, ends: Iterable[int] = ()) -> str:
    """A C expression that is ``values[argument]``: one value, or a line through neighbours, or several in turn.

    ``shown`` is how values are written; no line goes on behind one of ``ends``.  An argument that ``values`` does not have
    gives anything.
    """
    runs: list[list[int]] = []
    for key in sorted(values):
        if runs and runs[-1][-1] not in ends and _goes_on(values, runs[-1], key):
            runs[-1].append(key)
        else:
            runs.append([key])
    expression = _line(values, runs[-1], argument, shown)
    for run in reversed(runs[:-1]):
        expression = f"(({argument}) <= {run[-1]}u ? {_line(values, run, argument, shown)} : {expression})"
    return expression if expression.startswith("(") else f"({expression})"


def _goes_on(values: Mapping[int, int], run: Sequence[int], key: int) -> bool:
    """Whether a run of equal values, or a line through neighbours, has ``key`` too."""
    slope = values[run[1]] - values[run[0]] if len(run) > 1 else 0
    if slope == 0 and values[key] == values[run[-1]]:
        return True
    step = values[key] - values[run[-1]]
    return key == run[-1] + 1 and (len(run) == 1 or (step == slope != 0))


def _line(values: Mapping[int, int], run: Sequence[int], argument: str, shown: str) -> str:
    """The value at each argument of a run, of unsigned numbers."""
    slope = values[run[1]] - values[run[0]] if len(run) > 1 else 0
    base = values[run[0]] - slope * run[0]
    if slope == 0:
        return shown.format(base)
    factor = f"({argument})" if abs(slope) == 1 else f"0x{abs(slope):X}u * ({argument})"
    if slope < 0:
        return f"({shown.format(base)} - {factor})"
    if base < 0:
        return f"({factor} - {shown.format(-base)})"
    return f"({shown.format(base)} + {factor})" if base else f"({factor})"


def _cells(board: Board) -> list[str]:
    """The registers of each family whose places the board gives, by a cell's number within its family."""
    lines: list[str] = []
    for name in dict.fromkeys(array.family.name for array in board.cells if array.registers):
        arrays = [array for array in board.cells if array.family.name == name]
        family, prefix = arrays[0].family, name.upper()
        own_keys = [key for key in family.registers if key not in (ENABLE, FLAGS, BIT)]  # the others are CARILLON_SOURCE_...
        values = {key: [v for a in arrays for v in a.registers[key]] for key in own_keys}
        lines += ["", f"/* Cells of family {name}: {', '.join(n for a in arrays for n in a.names)}. */"]
        ends = [sum(len(a.names) for a in arrays[: k + 1]) - 1 for k in range(len(arrays))]
        for key, own in {**values, "source": [s for a in arrays for s in a.sources]}.items():
            shown = _NUMBER if key == "source" else _ADDRESS
            lines.append(_macro(f"{prefix}_{key.upper()}", "cell", dict(enumerate(own)), shown, ends))
        for key, (known, wanted) in family.lookup.items():
            pairs = dict(zip(values[known], values[wanted], strict=True))
            lines.append(_macro(f"{prefix}_{key.upper()}", known, pairs))
    return lines


def _macro(name: str, argument: str, values: Mapping[int, int], shown: str = _ADDRESS, ends: Iterable[int] = ()) -> str:
    return f"#define {name}({argument}) {pieces(values, argument, shown, ends)}"


def _requests(board: Board) -> list[str]:
    """Per source, its enable and request registers and the bit's place in both, and the pins that request some."""
    requested = board.requested
    if not requested:
        return []
    lines = ["", "/* Interrupt sources. */"]
    for position, name in enumerate(("ENABLE", "FLAG")):
        lines.append(_macro(f"CARILLON_SOURCE_{name}", "source", {s: r[position] for s, r in requested.items()}))
    lines.append(_macro("CARILLON_SOURCE_PLACE", "source", {s: r[2] for s, r in requested.items()}, _NUMBER))
    pins = {
        s: (p.direction, p.output, bit) for r in board.requests if (p := r.pins) for s, bit in zip(r.sources, p.bits, strict=True)
    }
    if pins:
        lines += ["", "/* The pins of sources that software can request. */"]
        for position, (name, shown) in enumerate((("DIRECTION", _ADDRESS), ("OUTPUT", _ADDRESS), ("PIN", _NUMBER))):
            lines.append(_macro(f"CARILLON_SOURCE_{name}", "source", {s: p[position] for s, p in pins.items()}, shown))
    return lines


def _stores(name: str, stores: Iterable[Store]) -> str:
    """A macro that applies another to each store of a list; no suffixes, which the assembler would refuse."""
    return f"#define {name}(store) " + " ".join(f"store(0x{s.address:X}, 0x{s.value:X})" for s in stores)


def _uart(name: str, shown: str, uart: Console | None) -> list[str]:
    """The registers of a UART that is asked whether it takes a byte."""
    if uart is None:
        return []
    mask, waits = (uart.empty, 0) if uart.full is None else (uart.full, uart.full)
    values = {"DATA": uart.data, "STATE": uart.state, "MASK": mask, "WAITS": waits, "READY": uart.ready}
    lines = ["", f"/* {shown}. */", f"#define CARILLON_{name}_REGISTER uint{uart.width}_t"]
    lines += [f"#define CARILLON_{name}_{key} 0x{value:X}u" for key, value in values.items() if value is not None]
    return [*lines, _stores(f"CARILLON_{name}_PREPARE", uart.prepare)]


def emit(image: Image) -> dict[str, str]:
    """The generated header; none for a program of this machine without registers."""
    board = image.system.board
    lines = [*_cells(board), *_requests(board)]
    if board.startup:
        lines += ["", "/* What start-up stores before variables have their values. */"]
        lines.append(_stores("CARILLON_STARTUP", board.startup))
    lines += _uart("CONSOLE", "The console", board.console)
    tracing, counter = image.system.tracing, board.trace
    if tracing is not None and tracing.stream == "uart" and counter is not None:
        lines += _uart("STREAM", "The stream of events", counter.uart)
    if tracing is not None and tracing.stream == "itm":
        lines += ["", "/* The stimulus port of the stream of events. */", f"#define CARILLON_STREAM_PORT {tracing.itm_port}u"]
    if not lines and board.native:
        return {}
    return {FILE: text.header(image, "Where the board has its registers.", "CARILLON_BOARD_H", lines)}
