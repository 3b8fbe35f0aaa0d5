# SPDX-License-Identifier: Apache-2.0
"""The pass: a system's Giotto program becomes what the image has of it, as microcode or as blocks on cells."""

from __future__ import annotations

from pathlib import Path

from carillon.diagnostics import Diagnostics
from carillon.frontends.giotto.compile import compile_giotto
from carillon.frontends.giotto.load import execution_times, nanoseconds
from carillon.frontends.giotto.scheduling import Chosen, chosen_in, played
from carillon.frontends.giotto.simulation import MOST_STEPS, MOST_THREADS
from carillon.frontends.giotto.switching import across_switches
from carillon.frontends.giotto.uploads import beside
from carillon.microcode import Opcode
from carillon.microcode.compiled import Blocks, Compiled, Microcode
from carillon.model import System
from carillon.model.giotto import Giotto, Upload
from carillon.model.rates import rates_of, tick_of
from carillon.units import format_number


def program_of(system: System, source: Giotto, diagnostics: Diagnostics) -> Microcode | Blocks | None:
    """The system's program for its machine; None after errors."""
    if system.machine.interprets:
        return _microcode(source, beside(system.file, ".scode"), system.upload, diagnostics)
    compiled = compile_giotto(source, diagnostics)
    if compiled is None:
        return None
    _check_rate_monotonic(source, "--machine microcode, which runs tasks by their deadlines", diagnostics)
    return Blocks(compiled, rates_of(source, source.thread_names), tick_of(source))


def _microcode(source: Giotto, scode: Path | None, upload: Upload | None, diagnostics: Diagnostics) -> Microcode | None:
    """A program for the machine of microcode; None after C265, or after what is wrong with its S code.

    1. A way through E code from a block's begin ends at a ``return`` and has one ``future``.  So at each instant one block
       begins, and one trigger waits behind it.
    2. E code has no threads; an array has one element at least.  With S code in the blocks, the thread of a block is there
       when the next one begins its own, and ends at that instant.  So there are two, and each carries out an instruction once.
    3. A way through a block goes forward, or to where a unit of the target of a switch does what follows its switches.  So
       no instruction is carried out twice at an instant.
    4. A thread of a file begins as one.  If each ``fork`` is the last that its thread does, there is one at any time.
       Otherwise there may be as many as the player allows, and the machine tells of one that has no room.  So it is with the
       steps of an instant.
    5. Each instruction may have a handler, which carries out an instruction once at most.
    """
    chosen = Chosen() if scode is None else chosen_in(scode, source, diagnostics)
    compiled = None if chosen is None else compile_giotto(source, diagnostics, chosen.plan, chosen.written)
    if chosen is None or compiled is None or (scode is not None and not _kept(source, compiled, chosen, scode, diagnostics)):
        return None
    size = len(compiled.program.code)
    if chosen.thread is None:
        threads = 1 if chosen.plan is None else 2
        steps = threads * size + 1
    else:
        code = chosen.thread.code
        ends = {k for k, (_, i) in enumerate(code) if i.opcode is Opcode.RETURN} | {len(code)}
        forks = [k for k, (_, i) in enumerate(code) if i.opcode is Opcode.FORK]
        threads = 1 if all(k + 1 in ends for k in forks) else MOST_THREADS
        steps = MOST_STEPS * (size + 1) + 1
    steps *= size + 1 if compiled.program.handlers else 1
    room = (1, threads) if upload is None else (max(1, upload.triggers), max(threads, upload.threads))
    counts = upload is not None and upload.load > 0
    times = nanoseconds(execution_times(source), [task.name.text for task in source.tasks]) if counts else ()
    return Microcode(compiled, source.thread_names, *room, steps, chosen.scheduler, times)


def _kept(source: Giotto, compiled: Compiled, chosen: Chosen, scode: Path, diagnostics: Diagnostics) -> bool:
    """Whether nothing shows that the tasks end late: C272 or C283 if something does, C284 if nothing is proved."""
    if chosen.by_periods:
        _check_rate_monotonic(source, "EDF", diagnostics)
        return not diagnostics.errors
    times = execution_times(source)
    for mode in source.modes:
        if any(activity.target.text not in times for activity in mode.invocations):
            continue
        found = played(source, mode, compiled, chosen)
        if found.broken is not None:
            cause = f"the S code does not keep the mode {mode.name}: {found.said()}"
            diagnostics.error("C272", mode.name.span, cause, f"change {scode}, or take it away")
    return not diagnostics.errors


def _check_rate_monotonic(program: Giotto, instead: str, diagnostics: Diagnostics) -> None:
    """Report C283, a task that is late in some order of switches, and C284, where this is not known.

    ``instead`` says what would not make it late, behind "use ... or".
    """
    times = execution_times(program)
    missing = [task.name.text for task in program.tasks if task.name.text not in times]
    if any(a.target.text in missing for mode in program.modes for a in mode.invocations):
        cause = f"the task {missing[0]} has no wcet, so that nothing proves that tasks end in time"
        diagnostics.warning("C284", program.start.span, cause, "write [wcet ...] behind each task")
        return
    found = across_switches(program, times)
    if found.safe is None:
        cause = "the switches of modes make too many cases to prove that tasks end in time"
        diagnostics.warning("C284", program.start.span, cause, "use fewer modes, or fewer switches")
    elif not found.safe:
        assert found.played is not None
        path = "".join(f", mode {mode} from {format_number(at, 3)} ms on" for mode, at in found.path)
        cause = f"under rate-monotonic priorities, a task is late: mode {program.start}{path}: {found.played.said()}"
        diagnostics.error("C283", program.start.span, cause, f"use shorter execution times, or {instead}")
