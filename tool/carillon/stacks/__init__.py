# SPDX-License-Identifier: Apache-2.0
"""The bound of each stack of an image: how many bytes of it are used at most, whatever interrupts what.

It is the deepest chain of calls of what runs on the stack, and on top of that one interrupt of each level that can preempt it.
Such an interrupt takes the frame that the processor pushes, and the deepest chain of the level's handlers.  Handlers nest on
whichever stack is in use.  A task with a stack of its own takes nothing of the stack that it is resumed on but the frame of
the resume.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from carillon import c_names
from carillon.allocate.osek import TaskKind
from carillon.elf import ARM, AVR, RISCV, UnreadableError
from carillon.image import Image
from carillon.model.osek import OsekTask
from carillon.model.stacks import StackBound
from carillon.stacks.avr import Avr, WideAvr
from carillon.stacks.code import Code, Unknown, disassembly
from carillon.stacks.graph import Calls, Chains, deeper, deepest
from carillon.stacks.places import MAIN as MAIN
from carillon.stacks.places import TOP, stack_places
from carillon.stacks.riscv import RiscV
from carillon.stacks.thumb import Thumb, ThumbWithFloats
from carillon.verify.elf import Elf

_ENTRY = 4
"""Of RISC-V, where the first interrupt begins behind exceptions (``carillon_port_entries``)."""
_FLAGS, _AVR_6 = 36, 6
"""Where an ELF file says of what family the processor is, and the family with program counters of 22 bits."""
_SLICES = "slices end on the stack of what they interrupt"
_BUDGETS = "a budget ends a job on the stack of what it interrupts"
_LOWERED = "a task of a round is lowered to the priority of what it preempts"
_UNBOUNDED = {
    "carillon_slice_vector": _SLICES,
    "carillon_slice_over": _SLICES,
    "carillon_slice_ends": _SLICES,
    "carillon_slice_ends_here": _SLICES,
    "carillon_port_divert": _BUDGETS,
    "carillon_budget": _BUDGETS,
    "carillon_port_run_lowered": _LOWERED,
    "carillon_port_run_above": _LOWERED,
    "carillon_port_run_preempted": "a handler lowers its priority",
}
"""Functions and variables of the kernel and the ports by which handlers do more than nest by their levels."""
_DELIVER = ("carillon_software_deliver_at_base", "carillon_software_deliver")
_DISPATCHERS = (*_DELIVER, "carillon_software_above", "carillon_software_dispatch")
"""Functions that call the handlers of task levels, where these are dispatched in software."""


def stack_bounds(image: Image, elf: Path) -> tuple[StackBound, ...]:
    """The bound of each stack of a linked image: those of tasks and threads in the order of the file, then the main stack."""
    try:
        content = Elf(elf)
    except UnreadableError:
        return ()
    tasks = [task for task in image.osek.model.tasks if task.extended] if image.osek is not None else []
    try:
        return _Stacks(image, elf, content).bounds(tasks)
    except Unknown as unknown:
        return tuple(StackBound(place.name, place.size, None, str(unknown)) for place in stack_places(image, elf))


def _code(image: Image, path: Path, elf: Elf, objdump: str) -> Code:
    """The image's code; Unknown where no rule reads it."""
    board = image.system.board
    if elf.machine == ARM:
        listing = disassembly(path, objdump)
        return (ThumbWithFloats if re.search(r"\tv(push|pop|mrs|msr|ldr|str|mov)", listing) else Thumb)(elf, listing)
    if elf.machine == AVR:
        wide = path.read_bytes()[_FLAGS] & 0x7F == _AVR_6
        return (WideAvr if wide else Avr)(elf, disassembly(path, objdump))
    if elf.machine == RISCV:
        return RiscV(elf, disassembly(path, objdump))
    raise Unknown(f"no rule reads the code of port '{board.port}'")


class _Stacks:
    """The stacks of one image."""

    def __init__(self, image: Image, path: Path, elf: Elf) -> None:
        if image.library:
            raise Unknown("the vector table is another's")
        objdump = re.sub(r"objcopy$", "objdump", image.system.board.build.objcopy)
        if shutil.which(objdump) is None:
            raise Unknown(f"'{objdump}' is not installed")
        self.image, self.path, self.elf = image, path, elf
        self.software = image.osek is not None and image.osek.allocation.software
        try:
            self.code = _code(image, path, elf, objdump)
        except (subprocess.CalledProcessError, OSError) as error:
            raise Unknown(f"'{objdump}' cannot read the image") from error
        self.by_level: dict[int, set[int]] = {}
        self.refused = ""
        try:
            self._refuse()
            self.by_level = self._handlers()
        except Unknown as unknown:
            self.refused = str(unknown)
        self._found: dict[tuple[str, int], Chains | Unknown] = {}

    def _refuse(self) -> None:
        """Raise Unknown of an image whose handlers do more than nest by their levels."""
        if self.elf.machine == ARM and self.software:
            raise Unknown("interrupts at the end of the dispatcher's handler may leave frames, one on the other")
        if self.elf.machine == AVR and self.image.modes:
            raise Unknown("handlers of rounds interrupt each other, as there are no levels")
        for function, reason in _UNBOUNDED.items():
            if function in self.elf.symbols:
                raise Unknown(reason)

    # Interrupts.

    def _vectors(self) -> Iterator[tuple[int, int]]:
        """Each source and where its vector leads, of all tables of the image."""
        board = self.image.system.board
        for name, table in self.elf.symbols.items():
            if re.fullmatch(r"carillon_\w*vectors", name) is None:
                continue
            if board.vectors == "table":
                for source in range(board.system_vectors, min(board.sources, table.size // 4)):
                    yield source, self.elf.code(self.elf.number(table.address + 4 * source, 4))
            else:
                place = table.address
                for source in range(board.sources):
                    jump = self.code.code.get(place)
                    if jump is None or jump.name not in ("jmp", "rjmp"):
                        break
                    yield source, Avr.target(jump)
                    place = jump.following

    def _handlers(self) -> dict[int, set[int]]:
        """The handlers of each level, from the vector tables of the image; a source without a level has one of its own."""
        levels: dict[int, set[int]] = {}
        of: dict[int, int] = dict(self.image.osek.levels) if self.image.osek is not None else {}
        for mode in self.image.modes:
            of |= dict(mode.levels)
        nobody = set(self._named(["carillon_port_unexpected", "carillon_port_reset"]))
        for source, handler in self._vectors():
            if handler >= 0 and handler not in nobody:
                level = of.get(source, 1000 + source) if self.elf.machine != AVR else 1  # all are off in a handler
                levels.setdefault(level, set()).add(handler)
                begin = self.code.code.get(handler)
                if self.elf.machine == AVR and begin is not None and begin.name == "sei":
                    raise Unknown(f"'{self.code.name_of(handler)}' lets other interrupts in")
        if not levels and (self.image.osek is not None or self.image.modes):
            raise Unknown("the image has no vector table")
        return levels

    def _calls(self, level: int, handlers: Iterable[int] = ()) -> Calls:
        """The call graph as a task level meets it: its handler runs its basic tasks.  ``handlers``: those that a frame calls."""
        hints = self.image.system.stacks
        told: dict[str, set[int]] = {}
        if self.image.osek is not None:
            for task_level in self.image.osek.allocation.levels:
                if task_level.number == level:
                    tasks = [t for t in task_level.tasks if not t.extended or task_level.kind is TaskKind.DIRECT]
                    told |= {f"carillon_port_call{kind}": set(map(self._function, tasks)) for kind in ("", "_handler")}
        begins = {"carillon_osek_act": c_names.CALLBACK, "carillon_osek_call_cells": c_names.CELLS}
        for function, begin in begins.items():
            told[function] = set(self._named(name for name in self.elf.symbols if name.startswith(begin)))
        if self.software:  # handlers of levels are added for themselves
            told |= {name: set() for name in _DISPATCHERS}
            told["carillon_port_run_base"] = set(self._named(_DELIVER))
        if self.elf.machine == RISCV:
            told["carillon_port_handle"] = set(handlers)
        if self.elf.machine == AVR:
            functions = set(self._named(vector.symbol for vector in self.image.beneath))
            told |= dict.fromkeys(("carillon_port_frame", "carillon_port_frame_1"), functions)
        for function, targets in hints.calls.items():
            told[function] = told.get(function, set()) | set(self._named(targets))
        served = self.image.osek.served if self.image.osek is not None else ()
        # A cell that is served does not wait any more, nor does a counter.
        returns = {c_names.cells(it.level): max(len(it.cells) + (it.counter is not None), 1) for it in served}
        return Calls(self.code, told, hints.recursion, returns)

    def _named(self, functions: Iterable[str]) -> list[int]:
        """Those functions that the image has: what the linker left out is not called."""
        return [self.elf.symbols[name].address & ~1 for name in functions if name in self.elf.symbols]

    def _function(self, task: OsekTask) -> int:
        """The function of a task."""
        for address in self._named([c_names.task(task.name)]):
            return address
        raise Unknown(f"the image has no function of task '{task.name}'")

    def _once(self, kind: str, level: int, make: Callable[[], Chains]) -> Chains:
        """What is worked out once, or is not known."""
        if (kind, level) not in self._found:
            try:
                self._found[kind, level] = make()
            except Unknown as unknown:
                self._found[kind, level] = unknown
        found = self._found[kind, level]
        if isinstance(found, Unknown):
            raise found
        return found

    def _interrupt(self, level: int, handlers: Iterable[int]) -> Chains:
        """The deepest chains of one interrupt of a controller's level, with what the processor and a frame push."""
        calls = self._calls(0 if self.software else level, handlers)
        chains = deepest(calls.of(entry) for entry in self._entries(handlers))
        return chains.beneath(f"interrupt of level {level}", self.code.exception)

    def _entries(self, handlers: Iterable[int]) -> list[int]:
        """Where the processor begins those handlers."""
        return [at + _ENTRY for at in self._named(["carillon_port_entries"])] or sorted(handlers)

    def _delivered(self, level: int, handler: int) -> Chains:
        """A task level that is dispatched in software: the frame of an interrupt that delivers it, and the level's handler."""
        calls, best = self._calls(0), None
        for entry in self._entries(set().union(*self.by_level.values())):
            best = deeper(best, calls.to(entry, _DISPATCHERS))
        if best is None:
            raise Unknown("no interrupt leads to the dispatcher")
        return self._calls(level).of(handler).beneath("dispatcher", self.code.exception + best.size)

    def _above(self, level: int) -> tuple[list[Chains], list[Chains]]:
        """What may interrupt a level, one of each level above it; last those that no mask of the event-triggered system holds."""
        masked: list[Chains] = []
        table, size = self.elf.symbols.get("carillon_software_handlers"), self.elf.pointer
        for number, at in enumerate(range(0, table.size if table is not None else 0, size)):
            if self.software and table is not None and number > level:
                handler = self.elf.code(self.elf.number(table.address + at, size))
                masked.append(self._once("task", number, partial(self._delivered, number, handler)))
        never: list[Chains] = []
        allocation = self.image.osek.allocation if self.image.osek is not None else None
        top = allocation.hardware(allocation.top) if allocation is not None else 0
        for each, handlers in sorted(self.by_level.items()):
            if self.software or each > level:
                found = self._once("interrupt", each, partial(self._interrupt, each, handlers))
                (masked if each <= top or self.elf.machine == AVR else never).append(found)
        return masked, never

    # Stacks.

    def _top(self) -> int:
        """Where the main stack begins.  On AVR, the code after reset says so."""
        if self.elf.machine != AVR or not (reset := self._named(["carillon_port_reset"])):
            return self.elf.symbols[TOP].address if TOP in self.elf.symbols else 0
        loads: dict[str, int] = {}
        place = reset[0]
        while (it := self.code.code.get(place)) is not None and it.name in ("eor", "out", "ldi"):
            if it.name == "ldi":
                register, number = it.operands.split(",")
                loads.setdefault(register.strip(), int(number, 0))
            place = it.following
        return self.elf.data(loads["r29"] << 8 | loads["r28"]) + 1 if {"r28", "r29"} <= loads.keys() else 0

    def _bound(self, name: str, size: int, roots: Iterable[int], level: int, first: int, least: int) -> StackBound:
        try:
            own = deepest(map(self._calls(level).of, roots))
        except Unknown as unknown:
            return StackBound(name, size, None, str(unknown))
        alone = max(first + own.either.size, least)
        needed = StackBound(name, size, None, self.refused, calls=alone + -alone % 8, calls_chain=own.either.chain)
        if self.refused:
            return needed
        try:
            masked, never = self._above(level)
        except Unknown as unknown:
            return replace(needed, reason=str(unknown))
        listed = [own, *masked]
        ways = [[each.open for each in listed]]
        ways += [[*(each.open for each in listed[:k]), it.held] for k, it in enumerate(listed) if it.held is not None]
        way = max(ways, key=lambda way: sum(each.size for each in way)) + [each.either for each in never]
        total = max(first + sum(each.size for each in way), least)
        return replace(needed, bound=total + -total % 8, chain=tuple(link for each in way for link in each.chain))

    def bounds(self, tasks: list[OsekTask]) -> tuple[StackBound, ...]:
        """Of each stack."""
        found: list[StackBound] = []
        end, by_name = self._named(["carillon_osek_end"]), {task.name: task for task in tasks}
        for place in stack_places(self.image, self.path, self._top()):
            if place.name not in by_name:
                found.append(self._bound(MAIN, place.size, self._named(["carillon_port_reset"]), 0, 0, 0))
                continue
            assert self.image.osek is not None
            task, allocation = by_name[place.name], self.image.osek.allocation
            level = 0 if allocation.osek.servers else allocation.level_of(task).number
            roots = [self._function(task), *end]
            found.append(self._bound(task.name, place.size, roots, level, self.code.first, self.code.context))
        return tuple(found)
