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
    from carillon.timing.stream import held

    source, carried = asked(paths, include, machine)
    if quick:
        system = pipeline.read_and_check(source, report.diagnostics, board, machine=carried)
    else:
        report.status("allocating")
        system = pipeline.plan(source, report.diagnostics, board, time_limit=time_limit, machine=carried).system
    activations = sum(len(m.activations) for m in system.modes)
    result: dict[str, Any] = {"system": system.name, "board": system.board.name, "clock_hz": system.clock_hz}
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
    if lasting := held(system):
        result["ring_ms"] = {mode: float(1000 * ticks / system.clock_hz) for mode, ticks in lasting.items()}
        least = min(lasting.values())
        facts.append(f"the ring holds {float(1000 * least / system.clock_hz):.3g} ms")
    uart = system.board.trace.uart if system.board.trace is not None else None
    if system.tracing is not None and system.tracing.stream == "uart" and uart is not None:
        facts.append(_line(system, uart.baud, result))
    facts.append(f"no errors for {system.board.name} at {system.clock_hz / 1e6:g} MHz")
    if quick:
        facts.append("whether the board's cells and levels suffice was not looked at (--quick)")
    result["allocated"] = not quick
    report.result(result)
    report.say(f"{system.name}: {'; '.join(facts)}")


def _line(system: System, baud: int, result: dict[str, Any]) -> str:
    """What the stream needs and the line carries, of the mode of which that is closest; and what is not counted."""
    from carillon.timing.stream import loads

    of = {load.mode.name if load.mode is not None else "": load for load in loads(system)}
    result["stream"] = {
        name: {"bytes": float(load.needed(system)), "carried": float(load.carried(baud)), "uncounted": list(load.uncounted)}
        for name, load in of.items()
    }
    worst = max(of.values(), key=lambda load: load.needed(system) - load.carried(baud))
    said = f"the stream has {round(worst.needed(system))} bytes a second, and its line carries {int(worst.carried(baud))}"
    return said + (f", without {some(worst.uncounted, 6)}" if worst.uncounted else "")
