# SPDX-License-Identifier: Apache-2.0
"""What a handler's machine code does, as far as constants tell: its stores, loads and calls, on every path.

A file for each architecture.  Registers hold a number where the code says which, and nothing where it does not: an
instruction that a file does not know makes what it names unknown.  Words of the function's own stack are read in the same way
(``frame``).  A branch is followed both ways, a loop twice at most.  Calls are not followed; they are what a handler does.

A handler of n parts, each of which is done or not, has 2^n paths.  Where they are too many, paths that come to one instruction
with the same registers go on as one: what follows is the same for them.  Then some paths of the handler are told, and not all,
but each way out of each branch is on one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from carillon import c_names
from carillon.elf import ARM, AVR, RISCV, X86_64, UnreadableError
from carillon.verify.elf import Elf

MOST_PATHS, MOST_STEPS = 256, 4000
VISITS = 2


@dataclass(frozen=True, slots=True)
class Effect:
    """One thing that code does.

    ``kind``: "write" (address, value), "set" or "clear" (address, bits), "read" (address), "call" (address of the
    function; ``arguments`` by number), "settle" (a barrier), "on" and "off" (all interrupts).  "bit": some bits (value) are
    tested of what was loaded (address).

    A value that is not known is None.  ``place`` is the instruction's address.
    """

    kind: str
    address: int = 0
    value: int | None = None
    arguments: tuple[tuple[int, int], ...] = ()
    place: int = field(default=0, compare=False)


Place = tuple[int, tuple[tuple[str, Any], ...]]
"""An instruction, and what is known in registers there."""


@dataclass(frozen=True, slots=True)
class Paths:
    """A function's effects, path by path; ``complete``: all paths, not only some with every way out of each branch."""

    effects: list[list[Effect]]
    complete: bool


@dataclass(slots=True)
class State:
    """A path so far: the known registers, and the effects."""

    pc: int
    registers: dict[str, Any] = field(default_factory=dict)
    effects: list[Effect] = field(default_factory=list)
    visits: dict[int, int] = field(default_factory=dict)
    met: list[tuple[Place, int]] = field(default_factory=list)
    """Where it has been, each time with how many effects."""

    def read(self, address: int, place: int) -> None:
        """Add a load, unless the path has the same load since its last other effect."""
        for effect in reversed(self.effects):
            if effect.kind != "read":
                break
            if effect.address == address:
                return
        self.effects.append(Effect("read", address, place=place))

    def fork(self, pc: int) -> State:
        """The same path so far, going on elsewhere."""
        return State(pc, dict(self.registers), list(self.effects), dict(self.visits), list(self.met))


class Processor(Protocol):
    """An architecture; ``first``: what registers are known to hold when a function begins."""

    first: Mapping[str, Any]
    keeping: frozenset[int] = frozenset()
    """Functions that keep all registers: those of the application, where handlers are of a kind of their own."""

    def step(self, state: State, end: Callable[[int], bool]) -> list[State]:
        """Carry the instruction at ``state.pc`` out; the paths that follow, none where the handler ends.

        ``end``: whether an address lies outside of the handler, so that a branch there is a call that does not return.
        """


LONGEST = 4
"""Bytes of an instruction of RISC-V, at most."""

_ALONE = ("avr",)
"""Files that decode instructions themselves; the others have capstone do it."""
_FILES = {ARM: "arm", AVR: "avr", RISCV: "riscv", X86_64: "x86"}


def processor_of(elf: Elf) -> str | None:
    """The name of the file that reads the image's code; None if there is none, or a package is missing."""
    name = _FILES.get(elf.machine)
    return name if name in _ALONE or find_spec("capstone") is not None else None


def processor(elf: Elf) -> Processor | None:
    """The reader of the image's code; None if there is none."""
    name = processor_of(elf)
    if name is None:
        return None
    found: Processor = import_module(f"carillon.verify.code.{name}").Code(elf)
    return found


class Handlers:
    """The handlers of an image, each read once."""

    def __init__(self, elf: Elf, keeping: frozenset[int] = frozenset()) -> None:
        self.elf, self.keeping = elf, keeping
        self._processor: Processor | None = None
        self._known: dict[int, Paths] = {}

    def paths(self, address: int) -> Paths:
        """The effects of a function, on each of its paths."""
        if address not in self._known:
            if self._processor is None:
                self._processor = processor(self.elf)
            if self._processor is None:
                raise UnreadableError(f"no rule reads the code of machine {self.elf.machine}")
            self._processor.keeping = self.keeping
            exploration = _Exploration(self.elf, self._processor, address)
            paths = exploration.every()
            self._known[address] = Paths(paths, True) if paths is not None else Paths(exploration.joined(), False)
        return self._known[address]

    def always(self, address: int, does: Callable[[Effect], bool]) -> bool:
        """Whether no way through the function leaves a certain effect out, however many paths there are."""
        if self.paths(address).complete:
            return all(any(does(effect) for effect in path) for path in self.paths(address).effects)
        assert self._processor is not None
        return not _Exploration(self.elf, self._processor, address).joined(does)


class _Exploration:
    """The paths of one function."""

    def __init__(self, elf: Elf, processor: Processor, address: int) -> None:
        self.elf, self.processor, self.address = elf, processor, address
        here = elf.around(address)
        self.low, self.high = (here.address, here.address + here.size) if here is not None else (address, address + 4096)

    def _outside(self, target: int) -> bool:
        """Another function begins there: what has no name, or is the rest of a function, still belongs to the handler."""
        names = [s.name for s in self.elf.by_address.get(target, []) if s.function]
        own = any(".cold" in name or name.startswith(c_names.BODY) for name in names)
        return not self.low <= target < self.high and bool(names) and not own

    def _follows(self, state: State) -> None:
        """Note the call of a function that follows in memory, where handlers are of a kind of their own.

        What follows a call does not come after one that ends elsewhere.
        """
        last = state.effects[-1] if state.effects else None
        if self.processor.keeping and (last is None or last.kind != "call" or state.pc - last.place > LONGEST):
            state.effects.append(Effect("call", state.pc, place=state.pc))

    def _step(self, state: State) -> list[State] | None:
        """The states that follow, none at the path's end; None in a loop's third turn, which repeats the second."""
        if self._outside(state.pc):
            self._follows(state)
            return []
        state.visits[state.pc] = state.visits.get(state.pc, 0) + 1
        if state.visits[state.pc] > VISITS:
            return None
        return self.processor.step(state, self._outside)

    def every(self) -> list[list[Effect]] | None:
        """The effects of each path, without paths that continue as another one does; None if paths are too many."""
        done: list[list[Effect]] = []
        waiting = [State(self.address, dict(self.processor.first))]
        steps = 0
        seen: set[tuple[object, ...]] = set()
        while waiting:
            state = waiting.pop()
            forked = True
            while True:
                key = (state.pc, tuple(sorted(state.registers.items())), tuple(state.effects)) if forked else ()
                if forked and key in seen:  # another path has come here in the same way: what follows is the same
                    break
                seen.add(key)
                steps += 1
                if steps > MOST_STEPS or len(done) > MOST_PATHS:
                    return None
                following = self._step(state)
                if following is None:
                    break
                if not following:
                    done.append(state.effects)
                    break
                state, forked = following[0], len(following) > 1
                waiting += following[1:]
        return done

    def joined(self, without: Callable[[Effect], bool] = lambda _: False) -> list[list[Effect]]:
        """Some paths that take each way out of each branch; ``without``: only paths without such an effect."""
        ended: list[tuple[State, Place | None]] = []
        """With where another path has been before; None at the function's end."""
        waiting = [State(self.address, dict(self.processor.first))]
        seen: set[Place] = set()
        while waiting:
            state = waiting.pop()
            while True:
                place = (state.pc, tuple(sorted(state.registers.items())))
                if place in seen:
                    ended.append((state, place))
                    break
                seen.add(place)
                if len(seen) > MOST_STEPS:
                    raise UnreadableError(f"the code of '{self.elf.name_of(self.address)}' has too many paths")
                state.met.append((place, len(state.effects)))
                following = self._step(state)
                if not following:
                    ended += [(state, None)] if following is not None else []
                    break
                state = following[0]
                waiting += following[1:]
                if any(map(without, state.effects[state.met[-1][1] :])):
                    break
        rest: dict[Place | None, list[Effect]] = {None: []}
        """Of a place, what is done from there on, on one path."""
        done: list[list[Effect]] = []
        left = ended
        while ready := [(state, at) for state, at in left if at in rest]:
            left = [(state, at) for state, at in left if at not in rest]
            for state, at in ready:
                effects = state.effects + rest[at]
                done.append(effects)
                for before, count in state.met:
                    rest.setdefault(before, effects[count:])
        return done


def known(registers: Mapping[str, Any], names: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """The arguments of a call that are known."""
    return tuple((k, registers[name]) for k, name in enumerate(names) if isinstance(registers.get(name), int))
