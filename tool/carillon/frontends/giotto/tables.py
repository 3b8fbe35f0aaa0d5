# SPDX-License-Identifier: Apache-2.0
"""A Giotto program as an application.

For the machine of microcode each of its tasks is a thread, and the clock wakes it, or a cell ticks.  On cells, its blocks are
called by the clock, and its tasks are those of the event-triggered system, one for each rate (``model/rates.py``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from carillon.diagnostics import Diagnostics
from carillon.frontends.foreign.places import Places
from carillon.frontends.giotto.load import check_loads, execution_times, loads, nanoseconds
from carillon.frontends.giotto.reading import parse_giotto
from carillon.frontends.giotto.rules import check_giotto
from carillon.frontends.giotto.uploads import beside, read_upload
from carillon.model.giotto import LOADER, Giotto, Machine
from carillon.model.rates import rates_of, tick_of
from carillon.read.shape import Tables, fit
from carillon.read.text import read_text


def giotto_tables(path: Path, diagnostics: Diagnostics, machine: Machine = Machine.MICROCODE) -> Tables | None:
    """The tables of a Giotto program for a machine, and the program; None after errors in it."""
    text = read_text(path, diagnostics, "Giotto program", ".giotto")
    program = None if text is None else parse_giotto(text.content, str(path), diagnostics)
    if text is None or program is None:
        return None
    check_giotto(program, diagnostics)
    check_loads(program, loads(program), diagnostics)
    if not program.tasks and machine.interprets:
        diagnostics.error("C275", program.start.span, "the program has no task, and the machine runs tasks", "declare a task")
    upload = read_upload(path, diagnostics)
    if upload is not None and machine is Machine.CELLS:
        cause = "on cells, a program is in the image's functions, and no other one can be received"
        diagnostics.error("C276", program.start.span, cause, "run it with --machine microcode, or take the file away")
    if upload is not None and LOADER in program.thread_names:
        cause = f"a task is called {LOADER}, as is the thread that receives programs"
        diagnostics.error("C276", program.start.span, cause, "give the task another name")
    longest = max((mode.period for mode in program.modes), default=0)
    if upload is not None and 0 < upload.generate < longest:
        cause = f"'generate' is {upload.generate} ms, in which no mode of {longest} ms can show what its scheduler decides"
        diagnostics.error("C276", program.start.span, cause, f"write generate = {2 * longest} or more in its .upload")
    if upload is not None and upload.load:
        try:
            nanoseconds(execution_times(program), [task.name.text for task in program.tasks])
        except ValueError as error:
            diagnostics.error("C276", program.start.span, str(error), "take 'load' away from its .upload")
    if diagnostics.errors:
        return None
    places = Places(str(path))
    scode = beside(path, ".scode")
    if machine is Machine.CELLS:
        for name, _, interrupt in program.interrupts:
            cause = f"the interrupt {name} is not used: on cells, no E code waits for it"
            diagnostics.warning("C285", interrupt.span, cause, "run it with --machine microcode, or take it away")
        for trigger in program.triggers:
            cause = f"the trigger {trigger.name} is not used: on cells, no E code waits for it"
            diagnostics.warning("C285", trigger.name.span, cause, "run it with --machine microcode, or take it away")
        if scode is not None:
            cause = f"the S code {scode.name} is not used: on cells, tasks run by rate-monotonic priorities"
            remedy = "run it with --machine microcode, or take the file away"
            diagnostics.warning("C285", program.start.span, cause, remedy)
        file, broken = fit(_on_cells(program, places), places, diagnostics)
        return Tables(path, file, broken, places, text.digest, (), program, machine)
    threads: dict[str, Any] = {}
    for task, name in zip(program.tasks, program.thread_names, strict=True):
        threads[name] = {"priority": 1}
        places.put(("thread", name), task.name.span, task.name.span)
    if upload is not None:
        threads[LOADER] = {"priority": 0}
        places.put(("thread", LOADER), program.start.span, program.start.span)
    places.put(("time", "slice"), program.start.span)
    time = {"clock": "one-shot", "now": False, "uses": [], "slice": "1 ms"}
    included = tuple(file for file in (scode, beside(path, ".upload")) if file is not None)
    isrs: dict[str, Any] = {}
    for name, _, interrupt in program.interrupts:
        isrs[name] = {"source": interrupt.rest}
        places.put(("osek", "isr", name), interrupt.span, interrupt.span)
    tables = {"system": {}, "time": time, "thread": threads} | ({"osek": {"isr": isrs}} if isrs else {})
    file, broken = fit(tables, places, diagnostics)
    return Tables(path, file, broken, places, text.digest, included, program, machine, upload)


def _on_cells(program: Giotto, places: Places) -> dict[str, Any]:
    """The tables for cells.

    Two activations of a rate may be there at one time: tasks are released anew when their interrupt has done its work, but has
    not returned yet.
    """
    longest, tick = max(mode.period for mode in program.modes), tick_of(program)
    tasks = {}
    for priority, rate in enumerate(rates_of(program, program.thread_names), start=1):
        tasks[rate.name] = {"priority": priority, "activations": 2}
        place = program.tasks[rate.tasks[0]].name.span
        places.put(("osek", "task", rate.name), place, place)
    places.put(("time", "tick"), program.start.span)
    bits = 16 if longest // tick < 1 << 15 else 32
    time = {"clock": "periodic", "tick": f"{tick} ms", "bits": bits, "longest": f"{longest} ms", "now": False}
    osek = {"scheduler_resource": False, "task": tasks}
    return {"system": {"inexact_times": "refuse"}, "time": time | {"uses": ["functions"]}, "osek": osek}
