# SPDX-License-Identifier: Apache-2.0
"""Whatever instruction of a service a tick comes in, the alarms of each part of its queue have expired before it, or after it.

A tick is swept over a service (``parts.h``): the first run of a pair has it before the service, the last one after it.  Every run
between them leaves the log of one of the two.  The queue has three parts: of a lower task, of a higher one, and of a function.
They have cells of their own, or the tick of the first part requests the others; or the queue has two parts, without the
function's, so that a higher task holds back both; or the counter is tickless.  Tasks are their vectors, or wait for events.

A part of the pairs runs by default, all of them with ``CARILLON_TRIES=all``.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import asked
from firmware import HERE, KINDS, Swept, built, sweep
from sample import turn

SERVICES = ("GetTaskState low", "GetTaskState high", "wake low", "wake high", "GetAlarm low", "GetAlarm high")
SERVICES += ("CancelAlarm low", "CancelAlarm high", "SetRelAlarm low", "SetRelAlarm high", "SetRelAlarm of another low")
SERVICES += ("SetAbsAlarm", "ChainTask low", "GetTaskState within a resource", "GetTaskState with interrupts suspended")
SERVICES += ("CancelAlarm with interrupts suspended",)
WAKING = {2, 3, 12}
LOOKING = dict.fromkeys((0, 4, 6, 8, 13), 1) | dict.fromkeys((5, 7, 9), 2)
"""Services that see whether something has expired: its bit.  Others do so only of some callers, or in some status."""
CALLERS = ("between", "above")
EXPIRIES = ("low", "high", "function")
"""Bits of what expires."""
PAIRS = [
    (caller * len(SERVICES) + service << len(EXPIRIES)) + expiry
    for caller in range(len(CALLERS))
    for service in range(len(SERVICES))
    for expiry in (1, 2, 3, 5, 7)
]
INSTRUCTIONS = 4096
"""The counter's tick."""
LOWER, HIGHER, WRONG = 4 << 24 | 1 << 16, 4 << 24 | 2 << 16, 4 << 24 | 7 << 16  # parts.h
WAITING_FOR_THE_LOCK = {1: (3 << 24 | 3 << 16 | 2,), 2: (3 << 24 | 4 << 16,), 3: (3 << 24 | 4 << 16,)}
"""What services say of a task for which an alarm expires when they have the lock already: it is ready, and has not run yet."""
BY_DEFAULT = 16

SCHEDULE = """# SPDX-License-Identifier: Apache-2.0
[system]
name = "app"
[osek]
status = "{status}"
[osek.resource.R0]
[osek.event.E0]
mask = 1
[osek.task.T0]
priority = 0
autostart = true
[osek.task.T1]
priority = 1
{waits}[osek.task.T2]
priority = 2
resources = ["R0"]
[osek.task.T3]
priority = 3
{waits}[osek.task.T4]
priority = 4
resources = ["R0"]
{more}[osek.counter.Q]
tick = "{tick} ns"
[osek.alarm.ALow]
counter = "Q"
{low}
[osek.alarm.OLow]
counter = "Q"
{low}
[osek.alarm.AHigh]
counter = "Q"
{high}
"""
CALL = '[osek.alarm.ACall]\ncounter = "Q"\ncallback = "Call"\n'
WAITS = 'events = ["E0"]\nautostart = true\nstack = 4096\n'
OTHER = '[osek.counter.Other{k}]\ntick = "262144 us"\n[osek.alarm.Once{k}]\ncounter = "Other{k}"\ncallback = "Nothing"\n'
PARTS = {"own": (True, True, True), "requested": (True, False, False), "two": (True, False), "tickless": ()}
"""Whether each part has a cell.  A tickless counter's queue is one part, which the clock's cell serves."""
TICKLESS = """[time]
tickless = true
clock = "one-shot"
uses = []
[osek.alarm.Sync]
counter = "Q"
callback = "Nothing"
"""
CELLS = 5
"""Cells that are left beside the counter's and the time base."""


def write(folder: Path, cells: str, tasks: str, chosen: list[int]) -> Path:
    """Write the application of some pairs."""
    folder.mkdir()
    managed = tasks == "managed"
    wakes = 'set_event = {{ task = "T{n}", event = "E0" }}' if managed else 'activate = "T{n}"'
    text = SCHEDULE.format(
        status="extended" if managed else "standard",
        waits=WAITS if managed else "",
        more="[osek.task.T5]\npriority = 1\n" if managed else "",
        low=wakes.format(n=1),
        high=wakes.format(n=3),
        tick=INSTRUCTIONS * 64,
    )
    others = 0 if cells in ("own", "tickless") else CELLS
    if cells == "tickless":
        text += TICKLESS
    function = cells != "two"
    text += CALL if function else ""
    text += "".join(OTHER.format(k=k) for k in range(others))
    if not managed:
        text = text.replace("[osek.event.E0]\nmask = 1\n", "")
    (folder / "schedule.toml").write_text(text, encoding="utf-8")
    head = ["/* SPDX-License-Identifier: Apache-2.0 */", f"#define PROGRAMS {len(chosen)}u", f"#define MANAGED {int(managed)}"]
    head += [f"#define CALLS {int(function)}", f"#define TICKLESS {int(cells == 'tickless')}"]
    head += [f"#define INSTRUCTIONS {INSTRUCTIONS}u", f"#define CHOSEN {', '.join(map(str, chosen))}", '#include "parts.h"', ""]
    (folder / "main.c").write_text("\n".join(head), encoding="utf-8")
    for name in ("sweep.h", "ask.h", "expiring.h", "parts.h"):
        shutil.copy(HERE / name, folder)
    return folder


def lanes(log: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, int], tuple[int, ...]]:
    """What the service says; how often the lower and the higher task have run; and all else."""
    said = tuple(word for word in log if word >> 24 == KINDS["error"])
    return said, (log.count(LOWER), log.count(HIGHER)), tuple(w for w in log if w not in (*said, LOWER, HIGHER))


def wrong(swept: Swept, service: int, *, looks: bool) -> str:
    """What is wrong with a sweep, if anything is.  A task that the service wakes, too, may run once for both."""
    if not swept.over:
        return "hangs"
    if swept.instructions == 0:
        return "the tick never came"
    orders = [lanes(swept.logs[instruction]) for instruction in (min(swept.logs), max(swept.logs))]

    if looks and orders[0][0] == orders[1][0]:
        return "does not see what has expired before it"

    def fits(runs: tuple[int, int], most: tuple[int, int]) -> bool:
        return runs == most or (service in WAKING and all(0 < n <= up_to for n, up_to in zip(runs, most, strict=True)))

    for instruction, log in swept.logs.items():
        said, runs, rest = lanes(log)
        words = " ".join(f"{word:x}" for word in log)
        if any(word & 0xFFFF0000 == WRONG for word in log):
            return f"at instruction {instruction} there is no room for the sweep: {words}"
        if not any(
            rest == others and fits(runs, most) and said in (says, WAITING_FOR_THE_LOCK.get(service, says))
            for says, most, others in orders
        ):
            return f"from instruction {instruction} on neither order: {words}"
    return ""


def named(pair: int) -> str:
    """A pair, in words."""
    rest, expiry = divmod(pair, 1 << len(EXPIRIES))
    caller, service = divmod(rest, len(SERVICES))
    return f"{CALLERS[caller]}: {SERVICES[service]} | {', '.join(e for k, e in enumerate(EXPIRIES) if expiry >> k & 1)}"


@pytest.mark.long
@pytest.mark.parametrize("tasks", ["direct", "managed"])
@pytest.mark.parametrize("cells", ["own", "requested", "two", "tickless"])
def test_a_tick_in_the_middle_of_a_service_comes_before_it_or_after_it(
    tmp_path: Path, cells: str, tasks: str, counts: dict[str, int]
) -> None:
    part = 2 * ("requested", "own", "two", "tickless").index(cells) + (tasks == "managed")
    first = 5 * part + turn("parts", BY_DEFAULT)
    every = [pair for pair in PAIRS if cells != "two" or not pair & 4]
    step = asked.step(len(every), BY_DEFAULT)
    chosen = every[first % step :: step]
    folder = write(tmp_path / "app", cells, tasks, chosen)
    looking = LOOKING | ({2: 1} if tasks == "direct" else {})
    found = []
    for pair, swept in zip(chosen, sweep(built(folder, parts=PARTS[cells]), len(chosen)), strict=True):
        counts["pairs"] += 1
        counts["instructions"] += swept.instructions
        counts["different runs"] += len(swept.logs)
        before, expiry = divmod(pair, 1 << len(EXPIRIES))
        service = before % len(SERVICES)
        if what := wrong(swept, service, looks=bool(looking.get(service, 0) & expiry)):
            found.append(f"{named(pair)}: {what}")
    counts["images"] += 1
    assert not found, f"{len(found)} of {len(chosen)}:\n" + "\n".join(found[:20])
