# SPDX-License-Identifier: Apache-2.0
"""The blocks of E code, behind each of which S code may dispatch tasks: what they are called, and which follows which."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from carillon.frontends.giotto.compile import Plan
from carillon.microcode import Opcode
from carillon.microcode.compiled import Compiled
from carillon.model.giotto import Giotto, Mode
from carillon.model.instants import active_units, begins, entry_of


@dataclass(frozen=True, slots=True)
class Block:
    """A unit of a mode, or with a ``target`` what waits behind a switch to it at that unit.

    As text, it is ``MODE@UNIT`` or ``MODE@UNIT>TARGET``.
    """

    mode: str
    unit: int
    target: str | None = None

    def __str__(self) -> str:
        return f"{self.mode}@{self.unit}" + ("" if self.target is None else f">{self.target}")

    def order(self, plan: Plan) -> tuple[str, ...]:
        """What a plan dispatches behind it."""
        if self.target is None:
            return plan.units.get((self.mode, self.unit), ())
        return plan.waits.get((self.mode, self.unit, self.target), ())

    def set(self, plan: Plan, order: tuple[str, ...]) -> None:
        """Let a plan dispatch these tasks behind it."""
        if self.target is None:
            plan.units[self.mode, self.unit] = order
        else:
            plan.waits[self.mode, self.unit, self.target] = order


def blocks(source: Giotto) -> Iterator[Block]:
    """All of them, in the order in which they end in the code; one that two switches of a unit lead to is there twice."""
    walk = Walk(source)
    for name, mode in walk.modes.items():
        for unit in walk.active[name]:
            for switch in mode.switches:
                target = switch.target.text
                if begins(mode, switch, unit) and walk.waited(mode, unit, walk.modes[target]) is not None:
                    yield Block(name, unit, target)
            yield Block(name, unit)


def ends(source: Giotto, compiled: Compiled) -> dict[int, Block]:
    """The address behind each block of a program without S code."""
    returns = (address for address, instruction in enumerate(compiled.program.code) if instruction.opcode is Opcode.RETURN)
    return {address + 1: block for address, block in zip(returns, blocks(source), strict=True)}


class Walk:
    """The blocks of a program, and the waits of its switches that interrupt tasks, with what may be unfinished at each."""

    def __init__(self, source: Giotto) -> None:
        self.modes = {mode.name.text: mode for mode in source.modes}
        self.active = {mode.name.text: active_units(mode) for mode in source.modes}

    def waited(self, mode: Mode, unit: int, target: Mode) -> int | None:
        """The time in the target if a switch has to wait there for a block, or None if it goes on in one at once."""
        entry = entry_of(mode, unit, target)
        if entry.wait == 0 and entry.unit in self.active[target.name.text]:
            return None
        return (entry.unit or target.units) * int(target.unit) - entry.wait
