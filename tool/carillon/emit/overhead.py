# SPDX-License-Identifier: Apache-2.0
"""What the generated handlers take at most: bounds in instructions, or cycles where the emulator is exact to them.

The handlers' own statements are priced, one by one, by what the port declares (``ports/<port>/costs.toml``), so that
nothing is decided here a second time.  A statement without a price is an error of the port, and a test asks for all.
The late paths of re-armed cells are not included: they are taken after an overrun.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache

from carillon.actions.activate import Activate
from carillon.actions.enable_interrupt import EnableInterrupt
from carillon.allocate.result import Carrier
from carillon.check.simulation import KernelTime
from carillon.emit.image import Image, ModeImage
from carillon.emit.pieces import BODIES
from carillon.emit.pieces.activate import only_held
from carillon.model.board import Rearm
from carillon.resources import data_root

_STATEMENT = re.compile(r"^\s*(?:if \(|} while \()?(?P<name>\w+)(?:\(|\+\+|--)")
_KERNEL = re.compile(r"^carillon_(?:port_)?")


@dataclass(frozen=True, slots=True)
class HandlerCost:
    """At most so many instructions from the expiry to the task's first one, and from its last one to the handler's end."""

    before: int
    after: int

    @property
    def total(self) -> int:
        """Both together."""
        return self.before + self.after


@cache
def prices(port: str) -> dict[str, int]:
    """The port's prices, by operation; empty where code takes no time."""
    path = data_root() / "ports" / port / "costs.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def operation(line: str, families: dict[str, Rearm]) -> str:
    """Which operation a statement of a handler is, by the name that it has in ``costs.toml``; empty if it is none."""
    match = _STATEMENT.match(line)
    if match is None or match["name"] in ("do", "return"):
        return ""
    name = match["name"]
    family, _, rest = name.partition("_")
    if family in families:
        return f"reload_{rest}" if families[family] is Rearm.RELOAD and rest in ("rearm", "postpone") else rest
    return _KERNEL.sub("", name)


def handler_cost(image: Image, mode: ModeImage, carrier: Carrier) -> HandlerCost:
    """The bounds of one carrier's handler, the interrupt's entry by the board included; of a re-enable point as ``before``."""
    board = image.system.board
    table = prices(board.port)
    if not table or not board.clock(image.system.clock_hz).instructions_per_tick:
        return HandlerCost(0, 0)
    if only_held(image, mode, carrier):
        return HandlerCost(board.interrupt_entry + table["held_before"], table["held_after"])
    lines = BODIES[type(carrier.action)](image, mode, carrier)
    if not lines:
        return HandlerCost(board.interrupt_entry, table["direct_end"])
    families = {c.family.name: c.use.cell.array.rearm for c in mode.cells}
    entry = image.system.task(carrier.demand.object).entry if carrier.action.runs else ""
    before, after, seen = board.interrupt_entry + table["frame_begin"], table["frame_end"], not carrier.action.runs
    for line in lines:
        if (entry and f"({entry})" in line) or (entry and line.strip() == f"{entry}();"):
            seen = True
            if "carillon_port_run_lowered" in line:
                before, after = before + table["lower"], after + table["raise"]
            continue
        name = operation(line, families)
        price = table[name] if name else 0
        before, after = (before, after + price) if seen else (before + price, after)
    return HandlerCost(before, after)


def kernel_times(image: Image) -> list[KernelTime]:
    """What handlers take in each mode, in ticks, rounded up.

    To each activation's own handler comes the longest piece of another one's that may be under way when it is due, on its
    level or above.
    """
    per_tick = image.system.board.clock(image.system.clock_hz).instructions_per_tick
    result = []
    for mode in image.modes:
        carriers = [
            c for c in mode.allocation.carriers if isinstance(c.action, Activate | EnableInterrupt)
        ]  # others: none, or a miss
        costs = {c.source: handler_cost(image, mode, c) for c in carriers}
        tasks: dict[str, int] = {}
        enables: dict[str, int] = {}
        for carrier in carriers:
            own = costs[carrier.source]
            if isinstance(carrier.action, EnableInterrupt):
                enables[carrier.demand.object] = _ticks(own.total, per_tick)
            elif carrier.action.runs:
                blocking = max(
                    (
                        max(costs[c.source].before, costs[c.source].after)
                        for c in carriers
                        if c.source != carrier.source and c.action.runs and (c.level >= carrier.level or c.lowered)
                    ),
                    default=0,
                )
                ticks = _ticks(own.total + blocking, per_tick)
                tasks[carrier.demand.object] = max(ticks, tasks.get(carrier.demand.object, 0))
        result.append(KernelTime(tasks, enables))
    return result


def _ticks(instructions: int, per_tick: int) -> int:
    return -(-instructions // per_tick) if per_tick else 0
