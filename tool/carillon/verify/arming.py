# SPDX-License-Identifier: Apache-2.0
"""Deadlines that are armed by the expiry that starts their task, and disarmed by the end of its handler (``"arms"`` of a family).

The expiry is the task's own, so that nothing else arms them; and the handler tells the device of its end before each return.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from carillon import c_names
from carillon.elf import UnreadableError
from carillon.verify.controllers import named
from carillon.verify.elf import Elf

if TYPE_CHECKING:
    from carillon.verify.rounds import Round

DONE = "carillon_done"
"""The symbol of the register that is told of a handler's end."""
MRET, LONGEST_END = 0x3020_0073, 8
"""The return from a handler; before it, and within so many instructions, the register is stored to."""


def check_arming(round_: Round) -> None:
    """Each cell arms deadlines of the task that it starts, which interrupt no earlier, up to the task's end: else C206."""
    for running in round_.running:
        armed = running.cell.arms
        if not armed:
            continue
        subject = round_.subject_of(running)
        if subject is None or subject.kind != "activation":
            round_.error("C206", f"{running} arms {named(armed)}, and starts no task")
            continue
        task = round_.system.task(subject.name)
        deadlines = [r for r in round_.running if (s := round_.subject_of(r)) and (s.kind, s.name) == ("deadline", subject.name)]
        others = armed - {r.source for r in deadlines if r.multiplex is None}
        wrong = f"arms {named(others)}, which is no deadline of '{subject.name}'" if others else ""
        early = [r for r in deadlines if r.source in armed and r.armed]
        wrong = wrong or ("".join(f"arms {r}, which interrupts before" for r in early[:1]))
        again = [r for r in round_.of(subject) if r is not running]
        wrong = wrong or (f"arms deadlines of a task that {again[0]} starts, too" if again else "")
        wrong = wrong or _end(round_.meanings.elf, round_.meaning(running.source).symbol, task.entry)
        if wrong:
            round_.error("C206", f"{running}, for the activation of '{subject.name}', {wrong}", task.span)


def check_modes(rounds: Sequence[Round]) -> None:
    """A cell that arms deadlines in some mode is told in every other one what it arms, if anything: else C206."""
    arming = {r.cell.place.name: round_.mode.name for round_ in rounds for r in round_.running if r.cell.arms}
    for round_ in rounds:
        for running in round_.running:
            if (other := arming.get(running.cell.place.name)) is not None and not running.cell.told:
                round_.error("C206", f"{running} goes on to arm what it arms in mode '{other}'")


def _end(elf: Elf, vector: str, task: str) -> str:
    """What is wrong with the ends of a handler: each return comes behind a store to DONE, by t0, from register zero on.

    Behind a vector's beginning stands the generated handler that calls the task, or the task.
    """
    function = c_names.BODY + vector if c_names.BODY + vector in elf.symbols else task
    done, symbol = elf.symbols.get(DONE), elf.symbols.get(function)
    if done is None or symbol is None:
        return f"arms deadlines, and '{DONE if done is None else function}' is nowhere"
    low = done.address & 0xFFF
    store = 0x2023 | 5 << 20 | (low & 0x1F) << 7 | low >> 5 << 25  # sw t0, low(zero)
    place, before, returns = symbol.address, list[int](), 0
    while place < symbol.address + symbol.size:
        size = 4 if elf.bytes_at(place, 1)[0] & 3 == 3 else 2
        try:
            word = int.from_bytes(elf.bytes_at(place, size), "little")
        except UnreadableError:
            return f"has an end that cannot be read, in '{function}'"
        returns += word == MRET
        if word == MRET and store not in before[-LONGEST_END:]:
            return f"leaves its deadlines armed when '{function}' returns at {place:#x}"
        before.append(word)
        place += size
    return "" if returns else f"leaves its deadlines armed: '{function}' does not return as a handler does"
