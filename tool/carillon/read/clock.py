# SPDX-License-Identifier: Apache-2.0
"""The clocks of a chip as a schedule chooses them ([clock]): the board with them, or a diagnostic."""

from __future__ import annotations

from fractions import Fraction

from carillon.diagnostics import Diagnostics
from carillon.model.board import Board, Cells, Clock
from carillon.model.clock_tree import Chosen, ClockTree
from carillon.model.registers import Store
from carillon.read.schema import ScheduleFile
from carillon.read.shape import Broken
from carillon.read.spans import SpanIndex
from carillon.units import format_frequency, format_number

_BAUD_ERROR = Fraction(1, 50)
"""How wrong the console's rate may be."""


class ChosenClocks:
    """Reads [clock] of a schedule."""

    def __init__(self, file: ScheduleFile, places: SpanIndex, broken: Broken, diagnostics: Diagnostics) -> None:
        self.file, self.places, self.broken, self.diagnostics = file, places, broken, diagnostics

    def of(self, board: Board) -> Board | None:
        """The board with the clocks of the schedule; None after C362.  The board itself if the schedule chooses none."""
        table = self.file.clock
        if table is None:
            return None if self.broken.at("clock") else board
        if self.broken.under("clock"):
            return None
        tree = board.clock_tree
        if tree is None:
            offered = " or ".join(f'"{format_frequency(clock.hz)}"' for clock in board.clocks)
            cause = f"board '{board.name}' lets no schedule choose its clocks"
            self._wrong(cause, f"leave [clock] out; clock of [system] may be {offered}")
            return None
        if self.file.system.clock is not None or self.broken.at("system", "clock"):
            cause = "'clock' of [system] and [clock] both say what the clocks are"
            self._wrong(cause, "leave clock under [system] out", "system", "clock")
            return None
        for key, value in (("core", table.core), ("timers", table.timers)):
            if value is None:
                self._wrong(f"[clock] has no '{key}'", f"write {key}, as the chip's configurator shows it")
                return None
        assert table.core is not None and table.timers is not None
        core = self._core(board, tree, table.core)
        timers = self._timers(board, tree, table.timers)
        if core is None or timers is None:
            return None
        return self._dividers(board, tree, core, timers)

    def _wrong(self, cause: str, remedy: str, *at: str) -> None:
        self.diagnostics.error("C362", self.places.value(at or ("clock",)), cause, remedy)

    def _core(self, board: Board, tree: ClockTree, wanted: Fraction) -> int | None:
        hz = int(wanted)
        most = format_frequency(tree.max_hz)
        if wanted != hz or hz == 0:
            self._wrong(f"a processor's clock of {_shown(wanted)} cannot be", f"write at most {most}", "clock", "core")
            return None
        if hz > tree.max_hz:
            cause = f"the processor of board '{board.name}' has {most} at most, not {_shown(wanted)}"
            self._wrong(cause, f"write at most {most}", "clock", "core")
            return None
        if next(tree.pll.settings(hz), None) is None:
            cause = f"the PLL of board '{board.name}' makes no {_shown(wanted)} of {format_frequency(tree.pll.crystal_hz)}"
            near = [f'"{format_frequency(n)}"' for n in _near(tree, hz)]
            self._wrong(cause, f"write {' or '.join(near)}" if near else f"write at most {most}", "clock", "core")
            return None
        return hz

    def _timers(self, board: Board, tree: ClockTree, wanted: Fraction | dict[str, Fraction]) -> dict[str, Fraction] | None:
        """What the timers of each bus are to have."""
        buses = " and ".join(tree.buses)
        if not isinstance(wanted, dict):
            return dict.fromkeys(tree.buses, wanted)
        unknown = next((name for name in wanted if name not in tree.buses), None)
        if unknown is not None:
            cause = f"board '{board.name}' has no bus '{unknown}'"
            self._wrong(cause, f"its buses of timers are {buses}", "clock", "timers", unknown)
            return None
        missing = next((name for name in tree.buses if name not in wanted), None)
        if missing is not None:
            remedy = f"write one frequency, or those of {buses}"
            self._wrong(f"nothing says what the timers of {missing} have", remedy, "clock", "timers")
            return None
        return {bus: wanted[bus] for bus in tree.buses}

    def _dividers(self, board: Board, tree: ClockTree, core: int, timers: dict[str, Fraction]) -> Board | None:
        """The board whose buses divide the processor's clock so that their timers have what is wanted."""
        dividers: dict[str, int] = {}
        for bus, wanted in timers.items():
            at = ("clock", "timers", bus) if isinstance(self.file.clock and self.file.clock.timers, dict) else ("clock", "timers")
            divider = tree.divider(bus, core, int(wanted)) if wanted.denominator == 1 else None
            if divider is None:
                most = format_frequency(tree.buses[bus].max_hz)
                cause = f"the timers of {bus} cannot have {_shown(wanted)} where the processor has {format_frequency(core)}"
                cause += f" and the bus {most} at most"
                possible = " or ".join(f'"{format_frequency(hz)}"' for hz in tree.possible(bus, core))
                key = bus if len(at) > 2 else "timers"
                remedy = f"write {key} = {possible}" if possible else "write a lower core"
                self._wrong(cause, remedy, *at)
                return None
            dividers[bus] = divider
        base = int(timers[next(iter(tree.buses))])
        if core % base:
            cause = f"{format_frequency(core)} is no multiple of {format_frequency(base)}, so that no run could be exact"
            self._wrong(cause, "let the bus divide by another number", "clock", "timers")
            return None
        store = self._console(board, tree, core, dividers)
        if store is None and tree.baud is not None:
            return None
        chosen = Chosen(core, {bus: int(hz) for bus, hz in timers.items()}, self.places.value(("clock", "timers")))
        return _with(board, tree, chosen, dividers, store)

    def _console(self, board: Board, tree: ClockTree, core: int, dividers: dict[str, int]) -> Store | None:
        """What the console's UART divides its bus's clock by; None after C362, or where the board does not say."""
        if tree.baud is None:
            return None
        hz = Fraction(core, dividers[tree.baud.bus])
        count = round(hz / tree.baud.rate)
        if not count or abs(hz / count / tree.baud.rate - 1) > _BAUD_ERROR:
            cause = f"with {_shown(hz)} on {tree.baud.bus} the console of board '{board.name}' cannot have {tree.baud.rate} baud"
            self._wrong(cause, "write a higher clock", "clock", "timers")
            return None
        return Store(address=tree.baud.address, value=count)


def _shown(hz: Fraction) -> str:
    return format_frequency(int(hz)) if hz.denominator == 1 else f"{format_number(hz, 6)}Hz"


def _near(tree: ClockTree, wanted: int) -> list[int]:
    """The clocks nearest below and above that are whole megahertz."""
    mega = 1_000_000
    able = [hz for hz in range(mega, tree.max_hz + 1, mega) if next(tree.pll.settings(hz), None) is not None]
    below, above = [hz for hz in able if hz < wanted], [hz for hz in able if hz > wanted]
    return [*below[-1:], *above[:1]]


def _with(board: Board, tree: ClockTree, chosen: Chosen, dividers: dict[str, int], console: Store | None) -> Board:
    """The board at these clocks: a tick is one of the first bus's timers, and an instruction a cycle of the processor."""
    core, timers = chosen.core_hz, chosen.timers
    base = timers[next(iter(tree.buses))]
    divide, multiply, post = next(tree.pll.settings(core))
    defines = {"CARILLON_CORE_HZ": core, "CARILLON_PLL_DIVIDE": divide}
    defines |= {"CARILLON_PLL_MULTIPLY": multiply, "CARILLON_PLL_POST": post}
    defines |= {f"CARILLON_{bus.upper()}_DIVIDER": divider for bus, divider in dividers.items()}
    clock = Clock(hz=base, core_hz=core, instructions_per_tick=core // base, defines=defines)
    own = {name: timers[bus] for bus, of in tree.buses.items() for name in of.cells if timers[bus] != base}
    parts = [_parted(array, own) for array in board.cells]
    # The parts that are split off come last, so that the others stay where the board's file has them.
    cells = (*(part[0] for part in parts), *(later for part in parts for later in part[1:]))
    startup = tuple(console if console and s.address == console.address else s for s in board.startup)
    trace = board.trace
    if trace is not None and trace.counter == tree.cycles:
        trace = trace.model_copy(update={"hz": core})
    return board.at_clocks(chosen, {"clocks": (clock,), "cells": cells, "startup": startup, "trace": trace})


def _parted(array: Cells, own: dict[str, int]) -> list[Cells]:
    """The cells of an array by their clocks; ``own``: of those that have not the schedule's."""
    if array.hz is not None:
        return [array]
    kept = [k for k, name in enumerate(array.names) if name not in own]
    found = [_picked(array, kept, None)] if kept else []
    others = sorted({own[name] for name in array.names if name in own})
    return [*found, *(_picked(array, [k for k, n in enumerate(array.names) if own.get(n) == hz], hz) for hz in others)]


def _picked(array: Cells, places: list[int], hz: int | None) -> Cells:
    registers = {key: tuple(values[k] for k in places) for key, values in array.registers.items()}
    names, sources = tuple(array.names[k] for k in places), tuple(array.sources[k] for k in places)
    return array.model_copy(update={"names": names, "sources": sources, "registers": registers, "hz": hz})
