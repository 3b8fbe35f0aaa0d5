# SPDX-License-Identifier: Apache-2.0
"""Two programs as one (Kirsch, Sanvido and Henzinger, VEE 2005, section "Composing Microcode").

The composed program has the code of the first one where it was, then the second one's, and begins with both.  So a machine
that carries out the first one can go on with the composed one without a change to what waits: addresses stay what they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from carillon.groups import grouped
from carillon.microcode import LONGEST_TIME, MOST, S_CODE, Function, Instruction, Opcode, Program

_USES = frozenset({Opcode.RELEASE, Opcode.DISPATCH, Opcode.DISPATCH_TIME, Opcode.DISPATCH_RELEASE, Opcode.TERMINATE})
BEGIN_TICKS = 1
"""A composed program that is the first to run begins with the first one so many ticks after its start."""


class CompositionError(ValueError):
    """Two programs that are not composed; the text says why."""


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a program reached from its entry: its numbers of tasks and drivers, and whether it has S code."""

    addresses: tuple[int, ...]
    tasks: frozenset[int]
    drivers: frozenset[int]
    scheduled: bool


def part_of(program: Program) -> Part:
    """The part of a program without faults that its entry and its handlers reach."""
    reached: set[int] = set()
    left = [program.entry, *(address for address in program.handlers if address is not None)]
    while left:
        address = left.pop()
        if address not in reached:
            reached.add(address)
            left += (target for _, target in program.code[address].following(address))
    code = [program.code[address] for address in sorted(reached)]
    return Part(
        tuple(sorted(reached)),
        frozenset(i.x for i in code if i.opcode in _USES),
        frozenset(i.x for i in code if i.opcode is Opcode.CALL),
        any(i.opcode in S_CODE for i in code),
    )


@dataclass(frozen=True, slots=True)
class Composed:
    """Two programs as one, with the entry and the part of each in it; the second one begins ``phase`` ticks behind the first."""

    program: Program
    entries: tuple[int, int]
    parts: tuple[Part, Part]
    phase: int = 0


def composed(first: Program, second: Program, phase: int = 0) -> Composed:
    """The program that begins with the first one, and ``phase`` ticks later with what the second one reaches from its entry.

    Raises :class:`CompositionError` if they are programs for two images, or one could change what the other one does.  One could
    if both use a task, or both write a port (but by one driver that reads none: a sensor).  One could also if a driver of one
    touches a task of the other one.  It is also raised if only one has S code.  Without S code a scheduler chooses, and it is not
    asked while a thread waits.
    """
    if _tables(first) != _tables(second):
        raise CompositionError("they were made for two images: their ticks or their tables are not the same")
    if second.handlers and second.handlers != first.handlers:
        raise CompositionError("the second one has handlers of exceptions, and the composed program has those of the first one")
    ours, theirs = part_of(first), part_of(second)
    _apart(first, ours, theirs)
    size = len(first.code)
    same = first.code[: len(second.code)] == second.code
    places = {address: address if same else size + k for k, address in enumerate(theirs.addresses)}
    added = () if same else tuple(_moved(second.code[address], places) for address in theirs.addresses)
    entry = size + len(added)
    if entry + 3 > MOST:
        raise CompositionError(f"together they have more than {MOST} instructions")
    if phase > LONGEST_TIME - BEGIN_TICKS:
        raise CompositionError(f"the phase is longer than {LONGEST_TIME - BEGIN_TICKS} ticks")
    entries = first.entry, places[second.entry]
    times = BEGIN_TICKS, BEGIN_TICKS + phase
    futures = (Instruction(Opcode.FUTURE, time=time, y=address) for time, address in zip(times, entries, strict=True))
    begins = *futures, Instruction(Opcode.RETURN)
    labels = [*first.labels]
    known = {name for _, name in labels}
    if not same:
        labels += [(places[address], _free(name, known)) for address, name in second.labels if address in places]
    labels.append((entry, _free("both", known)))
    program = replace(first, entry=entry, code=(*first.code, *added, *begins), labels=tuple(sorted(labels)))
    moved = replace(theirs, addresses=tuple(sorted(places[address] for address in theirs.addresses)))
    return Composed(program, entries, (ours, moved), phase)


def _tables(program: Program) -> object:
    return program.tick_ns, program.ports, program.tasks, program.drivers, program.guards, program.triggers


def _moved(i: Instruction, places: dict[int, int]) -> Instruction:
    return replace(i, y=places[i.y]) if i.leads else i


def _free(name: str, known: set[str]) -> str:
    """A label that is not in ``known``; it is added."""
    candidate, number = name, 2
    while candidate in known:
        candidate, number = f"{name}.{number}", number + 1
    known.add(candidate)
    return candidate


def _apart(program: Program, ours: Part, theirs: Part) -> None:
    """Raise if one part could change the other part's behaviour."""
    for task in sorted(ours.tasks & theirs.tasks):
        raise CompositionError(f"both use the task {program.tasks[task].name}")
    for one, other in ((ours, theirs), (theirs, ours)):
        for driver in sorted(one.drivers):
            for task in sorted(other.tasks - one.tasks):
                if program.drivers[driver].touches(program.tasks[task]):
                    names = program.drivers[driver].name, program.tasks[task].name
                    raise CompositionError("the driver {} of one touches the task {} of the other one".format(*names))
    writers = [_writers(program, part) for part in (ours, theirs)]
    for port in sorted(writers[0].keys() & writers[1].keys()):
        both = {*writers[0][port], *writers[1][port]}
        if len(both) > 1 or next(iter(both)).reads:
            raise CompositionError(f"both write the port {program.ports[port]}")
    if ours.scheduled != theirs.scheduled:
        without, has = ("second", "first") if ours.scheduled else ("first", "second")
        raise CompositionError(f"the {without} one has no S code: while a thread of the {has} one waits, its tasks do not run")


def _writers(program: Program, part: Part) -> dict[int, list[Function]]:
    """Who writes each port."""
    functions = (*(program.drivers[d] for d in part.drivers), *(program.tasks[t] for t in part.tasks))
    return grouped((port, function) for function in functions for port in function.writes)
