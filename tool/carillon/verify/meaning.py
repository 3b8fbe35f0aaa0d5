# SPDX-License-Identifier: Apache-2.0
"""The meaning of a vector in the kernel's words: the functions that it runs, the requests and cells that it changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from carillon import c_names
from carillon.elf import AVR, UnreadableError
from carillon.verify.code import Effect, Handlers
from carillon.verify.controllers import named
from carillon.verify.elf import Elf
from carillon.verify.families import Cell
from carillon.verify.hardware import Hardware

RUNS = {
    "carillon_port_run_recorded": False,
    "carillon_port_run_lowered": True,
    "carillon_port_run_base": True,
    "carillon_port_run_above": True,
    "carillon_port_call": False,
    "carillon_port_call_handler": False,
}
"""Functions of ports that call the function that they are given, and whether at the level of what was preempted."""
KERNEL = (
    "carillon_time_tick",
    "carillon_time_due",
    "carillon_clock_interrupt",
    "carillon_port_slice_vector",
    "carillon_port_turn_vector",
    "carillon_software_dispatch",
)
"""Functions of the kernel that are vectors themselves, whose code is not read."""
FRAMES, POINTER = ("carillon_port_frame", "carillon_port_frame_1"), 8
"""Functions of AVR's port that call the handler that they are given in r30 and r31; which argument that is (code/avr.py)."""
FRAME_END = "carillon_port_frame_end"
"""Where a vector goes to that is a frame around a function (``CARILLON_FRAME`` of ports/rv32clic)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a handler does.

    ``kind``: "run" (``name`` of the application's function), "missed" (``number`` of the task), "control", "sync", "enable",
    "disable", "unpend", "pend" (``sources``), "arm", "disarm", "acknowledge", "ask", "set", "other" (``cell``), "touch" and
    "move" (``number``: address of a re-armed cell's variable, any part of which is read or set, or whose next step is set),
    "guard" (``name`` of the flags), "settle", "call" (``name``, ``number``: its first argument, if it is known), "strange"
    (``name``: what no rule reads).
    """

    kind: str
    name: str = ""
    number: int | None = None
    sources: frozenset[int] = frozenset()
    cell: Cell | None = None
    lowered: bool = False


@dataclass(slots=True)
class Meaning:
    """Each path's steps; ``direct``: the vector is a function of the application itself.

    ``complete``: these are all paths.  Where they are not, each step is on one of them, but nothing says what is done always.
    """

    symbol: str
    address: int
    some_paths: list[list[Step]]
    direct: str | None = None
    complete: bool = True

    @property
    def paths(self) -> list[list[Step]]:
        """All paths; UnreadableError if they are too many."""
        if not self.complete:
            raise UnreadableError(f"the code of '{self.symbol}' has too many paths")
        return self.some_paths

    def every(self, what: str) -> set[Step]:
        """All steps of one kind."""
        return {s for path in self.some_paths for s in path if s.kind == what}

    @property
    def runs(self) -> set[str]:
        """The application's functions that the vector runs."""
        return {s.name for s in self.every("run")}

    @property
    def strange(self) -> str:
        """What no rule reads of the vector, the first of it; empty if there is nothing of this kind."""
        return min((s.name for s in self.every("strange")), default="")

    @property
    def lowered(self) -> bool:
        """Whether the vector runs a function at the level of the preempted code."""
        return any(s.lowered for s in self.every("run"))


@dataclass(frozen=True, slots=True)
class Service:
    """What a vector serves.

    ``kind`` is "task", "isr", "level", "counter", "alarm", "joined" (alarms of several cells), "point", "half", "end", "adjust",
    "clock",
    "slices", "turn", "budgets", "round budgets", "frames" or "dispatcher".
    """

    kind: str
    name: str = ""
    number: int = -1


@dataclass(slots=True)
class Meanings:
    """Reads vectors; ``functions`` are the application's, by address."""

    elf: Elf
    hardware: Hardware
    functions: Mapping[int, str]
    multiplexes: Mapping[int, int]
    """Of the re-armed cells' variables: address and size."""
    handlers: Handlers = field(init=False)
    _known: dict[int, Meaning] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = self.hardware.controller.board.handlers == "own"
        self.handlers = Handlers(self.elf, frozenset(self.functions) if own else frozenset())

    def of(self, address: int) -> Meaning:
        """The meaning of the function at ``address`` as a vector; UnreadableError if its code cannot be read."""
        meaning = self._known.get(address)
        if meaning is None:
            meaning = self._known[address] = self._read(address)
        return meaning

    def acknowledges(self, meaning: Meaning, cell: Cell) -> bool:
        """Whether a vector acknowledges a cell, or sets its next expiry, on every path."""

        def does(effect: Effect) -> bool:
            return any(step.cell is cell and step.kind in ("acknowledge", "set") for step in self._steps(effect))

        return meaning.direct is None and self.handlers.always(meaning.address, does)

    def changes(self, meaning: Meaning, variable: str) -> bool:
        """Whether a vector stores to a variable on every path."""

        def does(effect: Effect) -> bool:
            symbol = self.elf.around(data_address(self.elf, effect.address)) if effect.kind == "write" else None
            return symbol is not None and symbol.name == variable

        return meaning.direct is None and self.handlers.always(meaning.address, does)

    def _read(self, address: int) -> Meaning:
        function = self.functions.get(address)
        if function is not None:
            return Meaning(function, address, [[Step("run", function)]], function)
        name = self.elf.name_of(address)
        if name in KERNEL:
            return Meaning(name, address, [[Step("call", name)]])
        distinct: dict[tuple[Step, ...], None] = {}
        try:
            paths = self.handlers.paths(address)
        except UnreadableError:
            if not name.startswith(c_names.LEVEL):
                raise
            return Meaning(name, address, [[Step("call", name)]])  # the kernel's function for managed tasks, as it was compiled
        framed = self._framed(address, paths.effects)
        if framed is not None:
            return framed
        for path in paths.effects:
            steps = tuple(s for effect in path for s in self._steps(effect))
            distinct[steps] = None
        return Meaning(name, address, [list(p) for p in distinct], complete=paths.complete)

    def _framed(self, address: int, paths: list[list[Effect]]) -> Meaning | None:
        """The meaning of a vector that saves registers: that of the one function that it calls before it restores them."""
        calls = [[effect for effect in path if effect.kind not in ("on", "off")] for path in paths]
        if len(calls) != 1 or len(calls[0]) != 2 or any(effect.kind != "call" or effect.address < 0 for effect in calls[0]):
            return None
        function, end = calls[0]
        if self.elf.name_of(end.address) != FRAME_END:
            return None
        called = self.of(function.address)
        return Meaning(called.symbol, address, called.some_paths, complete=called.complete)

    def _steps(self, effect: Effect) -> list[Step]:
        if effect.kind == "settle":
            return [Step("settle")]
        if effect.kind == "read":
            asked = next((c for f in self.hardware.families.values() if (c := f.flag(effect.address)) is not None), None)
            if asked is not None:
                return [Step("ask", cell=asked)]
            if any(family.settles(effect.address) for family in self.hardware.families.values()):
                return [Step("settle")]
            return self._variable(effect.address)
        if effect.kind == "bit":
            shown = next((c for f in self.hardware.families.values() if (c := f.bit(effect.address, effect.value or 0))), None)
            return [Step("ask", cell=shown)] if shown is not None else []
        if effect.kind in ("set", "clear"):
            requests = self.hardware.controller.bits(effect.address, effect.kind, effect.value or 0)
            return [Step(requests[0], sources=requests[1])] if requests is not None else []
        if effect.kind == "write":
            return self._write(effect.address, effect.value)
        return self._call(effect) if effect.kind == "call" else []

    def _variable(self, address: int) -> list[Step]:
        for multiplex, size in self.multiplexes.items():
            if multiplex <= address < multiplex + size:
                return [Step("touch", number=multiplex)]
        symbol = self.elf.around(address)
        if symbol is not None and symbol.name.startswith("carillon_guard_"):
            return [Step("guard", symbol.name.removeprefix("carillon_guard_"))]
        return []

    def _write(self, address: int, value: int | None) -> list[Step]:
        requests = self.hardware.controller.store(address, value if value is not None else 0)
        if requests is not None:
            if value is None:
                return [Step("strange", f"stores an unknown value to the interrupt controller, at {address:#x}")]
            return [Step(requests[0], sources=requests[1])]
        for family in self.hardware.families.values():
            found = family.access(address, value)
            if found is not None:
                return [Step(found[0], cell=found[1])]
        at = data_address(self.elf, address)
        moved = [Step("move", number=m) for m in self.multiplexes if m <= at < m + self.elf.pointer]
        return self._variable(at) + moved

    def _call(self, effect: Effect) -> list[Step]:
        arguments = dict(effect.arguments)
        if effect.address < 0:
            return [Step("strange", "calls what no constant says")]
        target = effect.address
        if target in self.functions:
            return [Step("run", self.functions[target])]
        name = self.elf.name_of(target)
        if name in RUNS:
            given = arguments.get(0)
            function = self.functions.get(self.elf.code(given)) if given is not None else None
            if function is None:
                what = self.elf.name_of(self.elf.code(given)) if given is not None else "a function that no constant says"
                return [Step("strange", f"runs {what}")]
            return [Step("run", function, lowered=RUNS[name])]
        if name in FRAMES:
            given = arguments.get(POINTER)
            if given is None:
                return [Step("strange", "calls what no constant says")]
            inner = self.of(self.elf.code(given))
            return [s for path in inner.some_paths for s in path] if len(inner.some_paths) == 1 else [self._named(inner)]
        if name == "carillon_port_write":
            return self._write(arguments[0], arguments.get(1)) if 0 in arguments else []  # a counter that is re-armed
        if name == "carillon_deadline_missed":
            number = arguments.get(0)
            return [Step("missed", number=number & 0xFFFF if number is not None else None)]
        if name == "carillon_control":
            return [Step("control")]
        if name in ("carillon_synchronise", "carillon_sync_turn"):
            return [Step("sync")]
        done = self.hardware.controller.call(name, arguments)
        if done is not None:
            return [Step(done[0], sources=done[1])]
        first = arguments.get(0)
        set_by = self.hardware.rearmed(first) if first is not None else None
        if set_by is not None and name.startswith(f"{set_by.place.array.family.name}_"):
            does = ["acknowledge", "set"] if "_answer" in name else ["set"]  # a driver's function that is given a cell's register
            return [*(Step(kind, cell=set_by) for kind in does), Step("settle")]
        if first is not None and first in self.multiplexes:
            return [Step("touch", number=first), Step("move", number=first), Step("call", name, first)]
        return [Step("call", name, first)]

    @staticmethod
    def _named(inner: Meaning) -> Step:
        """A handler with several paths, as a step that names the handler."""
        return Step("run", inner.direct) if inner.direct is not None else Step("call", inner.symbol)


def data_address(elf: Elf, address: int) -> int:
    """Where a variable is, as symbols count."""
    return address + 0x800000 if elf.machine == AVR and address < 0x800000 else address


def surplus(step: Step) -> str:
    """The effect of a step that nothing asks for, in words."""
    if step.kind in ("enable", "disable", "unpend", "pend"):
        verb = {"enable": "enables", "disable": "disables", "unpend": "forgets requests of", "pend": "requests"}[step.kind]
        return f"{verb} {named(step.sources)}"
    if step.kind in ("arm", "disarm", "other"):
        return f"changes {step.cell.place.name if step.cell else 'a cell'}"
    return f"runs '{step.name}'" if step.kind == "run" else f"does what is not its own ({step.kind})"
