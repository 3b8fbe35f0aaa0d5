# SPDX-License-Identifier: Apache-2.0
"""The time services of a plan: their clock, and the advice on it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from carillon.advise import Advice, Prediction
from carillon.advise.automatic import why
from carillon.allocate.clock import ClockCell
from carillon.allocate.osek import OsekAllocation
from carillon.allocate.result import Carrier
from carillon.console import heading
from carillon.image import Image
from carillon.model import System
from carillon.model.time import ClockKind
from carillon.show.plan_energy import render_clocks
from carillon.show.table import Table
from carillon.units import format_duration, format_number

if TYPE_CHECKING:
    from rich.console import Console

    from carillon.pipeline import Planned
from carillon.show.plan_osek import lateness, stack_bytes
from carillon.show.plan_tables import part_json


def time_json(planned: Planned, advice: Advice | None) -> dict[str, Any]:
    """The cells of the time services, the threads, and which clock would be the best."""
    system, image = planned.system, planned.image
    assert image.osek is not None
    allocation = image.osek.allocation
    clock = allocation.clock
    assert clock is not None
    periodic = clock.services.clock is ClockKind.PERIODIC
    ends = allocation.slices if allocation.beat is None else None

    def names(number: int) -> list[str]:
        return [task.name for task in allocation.levels[number - 1].tasks]

    def told(ticks: int) -> str | None:
        return format_duration(ticks, system.clock_hz) if ticks else None

    periods = {p.thread: p for p in clock.services.periods if p.thread is not None}
    served = dict(zip(allocation.served_levels, allocation.osek.servers, strict=True))
    return {
        "clock": {
            "line": clock.services.span.line,
            "kind": clock.services.clock.value,
            "tick": float(clock.tick),
            "why": "its tick"
            if periodic
            else "whatever comes next"
            if allocation.beat is None
            else "what is due for the machine",
            "late": _late(image, clock, allocation.held_clock) if periodic else [],
            "locks": clock.locked(system),
            "held_back": None
            if periodic
            else {
                "most": format_duration(clock.held_back, system.clock_hz, 3),
                "turn": format_duration(clock.turn, system.clock_hz, 3),
            },
            "auto": why(clock.services, advice) if clock.services.automatic is not None else None,
        }
        | part_json(allocation, clock.carrier),
        "slices": _slices_json(image, allocation, clock.services.slice, ends) if ends is not None else None,
        "turns": [
            {
                "threads": names(level),
                "server": served[level].name if level in served else None,
                "source": source,
                "level": level + 1,
            }
            for level, source in allocation.turn_requests.items()
        ],
        "servers": [
            {
                "line": server.span.line,
                "name": server.name,
                "kind": server.kind.value,
                "budget": told(server.budget),
                "period": told(server.period),
                "share": server.budget / server.period,
                "level": level,
                "threads": names(level),
            }
            for level, server in served.items()
        ],
        "threads": [
            {
                "line": task.span.line,
                "name": task.name,
                "priority": task.priority,
                "level": allocation.level_of(task).number,
                "stack_bytes": stack_bytes(image, task),
                "period": format_duration(periods[task.name].ticks, system.clock_hz) if task.name in periods else None,
                "offset": told(task.offset),
                "deadline": told(task.deadline),
            }
            for task in sorted(allocation.osek.tasks, key=lambda t: -t.priority)
            if task.thread
        ],
        "advice": _advice_json(advice, system.clock_hz) if advice is not None else None,
    }


def _late(image: Image, clock: ClockCell, held: int) -> list[str]:
    """The known lateness of a periodic clock's ticks that are held back."""
    lock = clock.services.longest_lock
    if not held and lock is not None and lock < clock.tick and not image.system.modes:
        return ["clock: its interrupts alone tell its ticks, as longest_lock says that nothing holds one back until the next"]
    return lateness(image, "clock", int(clock.tick), held)


def _slices_json(image: Image, allocation: OsekAllocation, tick: int | None, carrier: Carrier) -> dict[str, Any]:
    """The carrier that ends slices; with microcode, the tick of the machine, with the known lateness of held ticks."""
    machine, held = image.microcode is not None, allocation.held_machine
    return {
        "tick": tick,
        "why": "ticks for the machine" if machine else "ends the slices of threads",
        "late": lateness(image, "machine", tick or 0, held, holders="drivers, ISRs and locks") if machine else [],
    } | part_json(allocation, carrier)


def _advice_json(advice: Advice, clock_hz: int) -> dict[str, Any]:
    """Figures a second, and times in seconds."""

    def number(value: Fraction | None) -> float | None:
        return None if value is None else float(value)

    def clock(prediction: Prediction) -> dict[str, Any]:
        return {
            "clock": prediction.name,
            "tick": number(prediction.tick),
            "interrupts": float(prediction.interrupts),
            "code": number(prediction.code),
            "share": number(prediction.share),
            "longest": prediction.longest,
            "early": float(prediction.early),
            "late": float(prediction.late),
            "drift": float(prediction.drift),
            "configured": prediction is advice.configured,
            "recommended": prediction is advice.recommended,
        }

    return {
        "periods": [format_duration(p.ticks, clock_hz) for p in advice.periods],
        "releases": float(advice.releases),
        "ticks": [{"tick": t.tick, "interrupts": clock_hz / t.tick, "error": float(t.error)} for t in advice.ticks],
        "clocks": [clock(prediction) for prediction in advice.predictions],
        "refused": [{"clock": refusal.name, "why": refusal.why} for refusal in advice.refusals],
        "reason": advice.reason,
    }


def render_time(console: Console, planned: Planned, advice: Advice | None) -> None:
    """Print what :func:`time_json` says."""
    system = planned.system
    plan = time_json(planned, advice)
    rows = Table("for", "tick (ticks)", "cell", "source", "level", "interrupts at")
    clock = plan["clock"]
    ends = "slices" if planned.image.microcode is None else "machine"
    for what, row in ((f"{clock['kind']} clock", clock), (ends, plan["slices"])):
        if row is not None:
            rows.add_row(what, f"{row['tick']:g}", row["cell"], str(row["source"]), str(row["level"]), row["why"])
    for turn in plan["turns"]:
        if turn["server"] is not None:
            what, why = "server", f"the end of the budget of {turn['server']}, when the clock requests it"
        else:
            what, why = "slices below", f"ends those of {', '.join(turn['threads'])}, when the cell requests it"
        rows.add_row(what, "", "", str(turn["source"]), str(turn["level"]), why)
    console.print(heading("time services"))
    rows.print(console)
    if clock["auto"] is not None:
        below = advice is not None and advice.recommended is advice.configured
        reason = f"{clock['kind']}, as recommended below" if below else clock["auto"]
        console.print(f'  · clock = "auto": {reason}', markup=False)
    if clock["locks"] is not None:
        line = "clock: with the declared periods alone, its handler holds interrupts back for at most"
        console.print(f"  · {line} {clock['locks']} {system.board.code_unit} at a time", markup=False)
    if clock["held_back"] is not None:
        most, turn = clock["held_back"]["most"], clock["held_back"]["turn"]
        line = f"clock: a lock or whatever else holds its interrupt back may last {most}; a longer one may lose a turn of {turn}"
        console.print(f"  · {line}", markup=False)
    for line in [*clock["late"], *(plan["slices"]["late"] if plan["slices"] is not None else [])]:
        console.print(f"  · {line}", markup=False)
    timed = [key for key in ("offset", "deadline") if any(thread[key] is not None for thread in plan["threads"])]
    rows = Table("line", "thread", "priority", "level", "stack", "period", *timed)
    for thread in plan["threads"]:
        rows.add_row(
            *(str(thread["line"]), thread["name"], str(thread["priority"]), str(thread["level"])),
            *(f"{thread['stack_bytes']} bytes", *(thread[key] or "-" for key in ("period", *timed))),
        )
    rows.show(console, "threads")
    rows = Table("line", "server", "kind", "budget", "period", "share", "level", "threads")
    for server in plan["servers"]:
        rows.add_row(
            *(str(server["line"]), server["name"], server["kind"], server["budget"], server["period"]),
            *(f"{server['share']:.1%}", str(server["level"]), ", ".join(server["threads"])),
        )
    if plan["servers"]:
        rows.show(console, "servers")
    if advice is not None:
        _render_advice(console, advice, system)


def _named(prediction: Prediction, clock_hz: int) -> str:
    """The name of a clock, with the tick of a periodic clock."""
    if prediction.kind is not ClockKind.PERIODIC or prediction.tick is None:
        return prediction.name
    return f"{prediction.name}, {format_duration(prediction.tick, clock_hz)}"


def _render_advice(console: Console, advice: Advice, system: System) -> None:
    """Print the clocks side by side, and which is the best."""
    from rich.text import Text

    def time(seconds: Fraction) -> str:
        return format_duration(seconds, 1, 3) if seconds else "0"

    unit = system.board.code_unit
    periods = ", ".join(format_duration(p.ticks, system.clock_hz) for p in advice.periods)
    console.print(heading("which clock", f": for periods of {periods}"))
    rows = Table("clock", "interrupts/s", f"{unit}/s", "CPU", "longest", "early", "late", "drift an hour")
    for prediction in advice.predictions:
        rows.add_row(
            _named(prediction, system.clock_hz),
            format_number(prediction.interrupts, 1),
            "-" if prediction.code is None else format_number(prediction.code, 0),
            "-" if prediction.share is None else f"{float(prediction.share):.3%}",
            "-" if prediction.longest is None else str(prediction.longest),
            *(time(prediction.early), time(prediction.late), time(prediction.drift)),
        )
    rows.print(console)
    render_clocks(console, system, {p: _named(p, system.clock_hz) for p in advice.predictions})
    if len(advice.ticks) > 1:
        rows = Table("tick", "interrupts/s", "periods longer by")
        for choice in advice.ticks:
            often = format_number(Fraction(system.clock_hz, choice.tick), 1)
            rows.add_row(format_duration(choice.tick, system.clock_hz), often, f"{float(choice.error):.3%}")
        rows.print(console)
    for refusal in advice.refusals:
        console.print(Text(f"  no {refusal.name}: {refusal.why}"))
    console.print(Text("  " + advice.reason))
    if advice.recommended is not advice.configured:
        console.print(Text("  note: this plan has another: " + _named(advice.configured, system.clock_hz)))
