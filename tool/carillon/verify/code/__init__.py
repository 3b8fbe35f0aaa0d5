# SPDX-License-Identifier: Apache-2.0
"""What a handler's machine code does, as far as constants tell: its stores, loads and calls, on every path.

A file for each architecture.  Registers hold a number where the code says which, and nothing where it does not: an
instruction that a file does not know makes what it names unknown.  A branch is followed both ways, a loop twice at most.
Calls are not followed; they are what a handler does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from carillon.elf import ARM, AVR, RISCV, X86_64, UnreadableError
from carillon.verify.elf import Elf

MOST_PATHS, MOST_STEPS = 256, 4000
VISITS = 2


@dataclass(frozen=True, slots=True)
class Effect:
    """One thing that code does.

    ``kind``: "write" (address, value), "set" or "clear" (address, bits), "read" (address), "call" (address of the
    function; ``arguments`` by number), "settle" (a barrier), "on" and "off" (all interrupts).

    A value that is not known is None.  ``place`` is the instruction's address.
    """

    kind: str
    address: int = 0
    value: int | None = None
    arguments: tuple[tuple[int, int], ...] = ()
    place: int = field(default=0, compare=False)


@dataclass(slots=True)
class State:
    """A path: what is known in registers, and what has been done."""

    pc: int
    registers: dict[str, Any] = field(default_factory=dict)
    effects: list[Effect] = field(default_factory=list)
    visits: dict[int, int] = field(default_factory=dict)

    def read(self, address: int, place: int) -> None:
        """A load; one that is repeated is not told again."""
        for effect in reversed(self.effects):
            if effect.kind != "read":
                break
            if effect.address == address:
                return
        self.effects.append(Effect("read", address, place=place))

    def fork(self, pc: int) -> State:
        """The same path so far, going on elsewhere."""
        return State(pc, dict(self.registers), list(self.effects), dict(self.visits))


class Processor(Protocol):
    """An architecture."""

    def step(self, state: State, end: Callable[[int], bool]) -> list[State]:
        """Carry the instruction at ``state.pc`` out; the paths that follow, none where the handler ends.

        ``end``: whether an address lies outside of the handler, so that a branch there is a call that does not return.
        """


_ALONE = ("avr",)
"""Files that decode instructions themselves; the others have capstone do it."""
_FILES = {ARM: "arm", AVR: "avr", RISCV: "riscv", X86_64: "x86"}


def processor_of(elf: Elf) -> str | None:
    """Which file reads the image's code; None if none does, or if what it needs is not installed."""
    name = _FILES.get(elf.machine)
    return name if name in _ALONE or find_spec("capstone") is not None else None


def processor(elf: Elf) -> Processor | None:
    """What reads the image's code; None if nothing does."""
    name = processor_of(elf)
    if name is None:
        return None
    found: Processor = import_module(f"carillon.verify.code.{name}").Code(elf)
    return found


class Handlers:
    """The handlers of an image, each read once."""

    def __init__(self, elf: Elf) -> None:
        self.elf = elf
        self._processor: Processor | None = None
        self._known: dict[int, list[list[Effect]]] = {}

    def paths(self, address: int) -> list[list[Effect]]:
        """What the function does on each of its paths."""
        if address not in self._known:
            self._known[address] = self._explore(address)
        return self._known[address]

    def _explore(self, address: int) -> list[list[Effect]]:
        if self._processor is None:
            self._processor = processor(self.elf)
        if self._processor is None:
            raise UnreadableError(f"no rule reads the code of machine {self.elf.machine}")
        here = self.elf.around(address)
        low, high = (here.address, here.address + here.size) if here is not None else (address, address + 4096)

        def outside(target: int) -> bool:
            """Another function begins there: what has no name, or is the rest of a function, still belongs to the handler."""
            names = [s.name for s in self.elf.by_address.get(target, []) if s.function]
            return not low <= target < high and bool(names) and not any(".cold" in name for name in names)

        done: list[list[Effect]] = []
        waiting = [State(address)]
        steps = 0
        seen: set[tuple[object, ...]] = set()
        while waiting:
            state = waiting.pop()
            if self._met(state, seen):
                continue
            while True:
                steps += 1
                if steps > MOST_STEPS or len(done) > MOST_PATHS:
                    raise UnreadableError(f"the code of '{self.elf.name_of(address)}' has too many paths")
                if outside(state.pc):
                    done.append(state.effects)
                    break
                state.visits[state.pc] = state.visits.get(state.pc, 0) + 1
                if state.visits[state.pc] > VISITS:
                    break  # a loop's third turn does what its second did
                following = self._processor.step(state, outside)
                if not following:
                    done.append(state.effects)
                    break
                state = following[0]
                waiting += following[1:]
                if len(following) > 1 and self._met(state, seen):
                    break
        return done

    @staticmethod
    def _met(state: State, seen: set[tuple[object, ...]]) -> bool:
        """Whether another path has come to the same place in the same way: what follows is the same."""
        key = (state.pc, tuple(sorted(state.registers.items())), tuple(state.effects))
        met = key in seen
        seen.add(key)
        return met


def known(registers: Mapping[str, Any], names: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """The arguments of a call that are known."""
    return tuple((k, registers[name]) for k, name in enumerate(names) if isinstance(registers.get(name), int))
