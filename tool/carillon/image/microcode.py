# SPDX-License-Identifier: Apache-2.0
"""The microcode of a Giotto program, and the room that the machine needs for it."""

from __future__ import annotations

from carillon.allocate.osek import OsekAllocation
from carillon.diagnostics import Diagnostics
from carillon.giotto import compile_giotto
from carillon.giotto.analysis import execution_times
from carillon.giotto.scheduling import thread_of
from carillon.giotto.simulation import MOST_STEPS, MOST_THREADS, play
from carillon.image import Microcode
from carillon.microcode import Opcode
from carillon.model import System
from carillon.read.giotto.tables import LOADER, s_code_of


def microcode_image(system: System, allocation: OsekAllocation | None, diagnostics: Diagnostics) -> Microcode | None:
    """The image of a system's Giotto program; None if it has none, or after C265, or what is wrong with its S code.

    1. A way through E code from a block's begin ends at a ``return`` and has one ``future``.  So at each instant one block
       begins, and one trigger waits behind it.
    2. E code has no threads; an array has one element at least.
    3. A way through a block goes forward, or to where a unit of the target of a switch does what follows its switches.  So
       no instruction is carried out twice at an instant.
    4. S code begins as one thread.  If each ``fork`` is the last that its thread does, there is one at any time.  Otherwise
       there may be as many as the player allows, and the machine tells of one that has no room.  So it is with the steps of
       an instant.
    """
    if system.giotto is None or system.osek is None or allocation is None:
        return None
    source, scode = system.giotto, s_code_of(system.file)
    thread = None if scode is None else thread_of(scode, source, diagnostics)
    if scode is not None and thread is None:  # of which the reader has told
        return None
    compiled = compile_giotto(source, diagnostics, thread=thread)
    if compiled is None:
        return None
    names = tuple(task.name for task in system.osek.tasks if task.name != LOADER)
    size = len(compiled.program.code)
    if thread is None:
        return Microcode(compiled, names, bindings=1, threads=1, steps=size + 1)
    times, mode = execution_times(source), source.modes[0]
    if len(times) == len(source.tasks):
        played = play(compiled, times, "start", mode.period)
        if played.broken is not None:
            cause = f"the S code does not keep the mode {mode.name}: {played.said()}"
            diagnostics.error("C272", mode.name.span, cause, f"change {scode}, or take it away")
            return None
    ends = {k for k, (_, i) in enumerate(thread.code) if i.opcode is Opcode.RETURN} | {len(thread.code)}
    forks = [k for k, (_, i) in enumerate(thread.code) if i.opcode is Opcode.FORK]
    threads = 1 if all(k + 1 in ends for k in forks) else MOST_THREADS
    return Microcode(compiled, names, 1, threads, MOST_STEPS * (size + 1) + 1)
