# SPDX-License-Identifier: Apache-2.0
"""The microcode of a Giotto program, and the room that the machine needs for it."""

from __future__ import annotations

from pathlib import Path

from carillon.allocate.osek import OsekAllocation
from carillon.check.giotto_load import execution_times
from carillon.diagnostics import Diagnostics
from carillon.giotto import Compiled, compile_giotto
from carillon.giotto.scheduling import Chosen, chosen_in, played
from carillon.giotto.simulation import MOST_STEPS, MOST_THREADS
from carillon.image import Microcode
from carillon.image.priorities import check_rate_monotonic
from carillon.microcode import Opcode
from carillon.model import System
from carillon.model.giotto import Giotto
from carillon.read.giotto.tables import LOADER, s_code_of


def microcode_image(system: System, allocation: OsekAllocation | None, diagnostics: Diagnostics) -> Microcode | None:
    """The image of a system's Giotto program; None if it has none, or after C265, or what is wrong with its S code.

    1. A way through E code from a block's begin ends at a ``return`` and has one ``future``.  So at each instant one block
       begins, and one trigger waits behind it.
    2. E code has no threads; an array has one element at least.  With S code in the blocks, the thread of a block is there
       when the next one begins its own, and ends at that instant.  So there are two, and each carries out an instruction once.
    3. A way through a block goes forward, or to where a unit of the target of a switch does what follows its switches.  So
       no instruction is carried out twice at an instant.
    4. A thread of a file begins as one.  If each ``fork`` is the last that its thread does, there is one at any time.
       Otherwise there may be as many as the player allows, and the machine tells of one that has no room.  So it is with the
       steps of an instant.
    """
    if system.giotto is None or system.osek is None or allocation is None:
        return None
    source, scode = system.giotto, s_code_of(system.file)
    chosen = Chosen() if scode is None else chosen_in(scode, source, diagnostics)
    if chosen is None:  # of which the reader has told
        return None
    compiled = compile_giotto(source, diagnostics, chosen.plan, chosen.thread)
    if compiled is None:
        return None
    if scode is not None and not _kept(source, compiled, chosen, scode, diagnostics):
        return None
    names = tuple(task.name for task in system.osek.tasks if task.name != LOADER)
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
    own, upload = (1, threads), system.upload
    room = own if upload is None else (max(own[0], upload.triggers), max(own[1], upload.threads))
    return Microcode(compiled, names, *room, steps, chosen.scheduler)


def _kept(source: Giotto, compiled: Compiled, chosen: Chosen, scode: Path, diagnostics: Diagnostics) -> bool:
    """Whether nothing shows that the tasks end late: C272 or C283 if something does, C284 if nothing is proved."""
    if chosen.by_periods:
        check_rate_monotonic(source, "EDF", diagnostics)
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
