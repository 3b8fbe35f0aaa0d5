# SPDX-License-Identifier: Apache-2.0
"""``carillon check``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from carillon.cli import options
from carillon.cli.common import Report, asked, counted
from carillon.diagnostics import some

if TYPE_CHECKING:
    from carillon.model import System

EPILOG = "Example: carillon check examples/engine --board tc1796"


def command(
    report: Report,
    paths: options.Schedule = None,
    board: options.Board = None,
    include: options.Include = None,
    machine: options.Machine = "microcode",
    quick: Annotated[bool, typer.Option("--quick", help="Leave out whether the board's cells and levels suffice.")] = False,
    time_limit: options.TimeLimit = options.TIME_LIMIT,
) -> None:
    """Check a schedule: names, times, order, every deadline by its tasks' WCETs, and whether the board can keep it."""
    from carillon import pipeline

    source, carried = asked(paths, include, machine)
    if quick:
        system = pipeline.read_and_check(source, report.diagnostics, board, machine=carried)
    else:
        report.status("allocating")
        system = pipeline.plan(source, report.diagnostics, board, time_limit=time_limit, machine=carried).system
    activations = sum(len(m.activations) for m in system.modes)
    result: dict[str, Any] = {"system": system.name, "board": system.board.name, "clock_hz": system.clock_hz}
    result["core_hz"] = system.board.clock(system.clock_hz).core_hz
    result["activations"] = activations
    facts = []
    if system.modes or system.osek is None:
        facts.append(
            f"{counted(len(system.tasks), 'task')}, {counted(len(system.modes), 'mode')}, "
            f"{counted(activations, 'activation')} in all rounds"
        )
    if system.osek is not None:
        counts = {"task": len(system.osek.tasks), "ISR": len(system.osek.isrs), "alarm": len(system.osek.alarms)}
        tables = len(system.osek.schedule_tables)
        result["osek"] = {f"{kind.lower()}s": number for kind, number in counts.items()} | {"schedule_tables": tables}
        counts |= {"schedule table": tables} if tables else {}
        listed = ", ".join(counted(number, kind) for kind, number in counts.items())
        facts.append(f"event-triggered: {listed}" if facts else listed)
    if rows := _recorded(system):
        result["trace"] = rows
        facts += _recorded_facts(rows)
    facts.append(f"no errors for {system.board.name} {system.clocks}")
    if quick:
        facts.append("whether the board's cells and levels suffice was not looked at (--quick)")
    result["allocated"] = not quick
    report.result(result)
    report.say(f"{system.name}: {'; '.join(facts)}")


def _recorded(system: System) -> list[dict[str, Any]]:
    """Of each mode, or of a system without modes: for how long the ring has room, and what its line needs and carries."""
    from carillon.timing.stream import line_of, loads

    ring = system.tracing.ring if system.tracing is not None else None
    line = line_of(system)
    return [
        {
            "mode": load.mode.name if load.mode is not None else None,
            "ring_ms": float(1000 * (ring or 0) / (load.events * system.clock_hz)) if load.events else None,
            "bytes": float(load.needed(system)),
            "carried": float(load.carried(line)) if line is not None else None,
            "uncounted": list(load.uncounted),
        }
        for load in loads(system)
    ]


def _recorded_facts(rows: list[dict[str, Any]]) -> list[str]:
    """The same in words, of the mode of which that is worst; and what is not counted."""
    facts = []
    lasting = [row["ring_ms"] for row in rows if row["ring_ms"] is not None]
    if lasting:
        facts.append(f"the ring holds {min(lasting):.3g} ms")
    worst = max(rows, key=lambda row: row["bytes"] - (row["carried"] or 0))
    if worst["carried"] is not None:
        facts.append(f"the stream has {round(worst['bytes'])} bytes a second, and its line carries {int(worst['carried'])}")
    if facts and worst["uncounted"]:
        facts[-1] += f", without {some(worst['uncounted'], 6)}"
    return facts
