# SPDX-License-Identifier: Apache-2.0
"""A Giotto program as an application: each of its tasks is a thread, and a cell ticks for the machine of microcode."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

from carillon.check.giotto import check_giotto
from carillon.diagnostics import Diagnostics
from carillon.model.giotto import Giotto
from carillon.read.foreign.places import Places
from carillon.read.giotto import parse_giotto
from carillon.read.shape import Tables, fit
from carillon.read.text import read_text


def giotto_tables(path: Path, diagnostics: Diagnostics) -> Tables | None:
    """The tables of a Giotto program, and the program; None after errors in it."""
    text = read_text(path, diagnostics, "Giotto program", ".giotto")
    program = None if text is None else parse_giotto(text.content, str(path), diagnostics)
    if text is None or program is None:
        return None
    check_giotto(program, diagnostics)
    if not program.tasks:
        diagnostics.error("C275", program.start.span, "the program has no task, and the machine runs tasks", "declare a task")
    if diagnostics.errors:
        return None
    places = Places(str(path))
    threads: dict[str, Any] = {}
    for task, name in zip(program.tasks, thread_names(program), strict=True):
        threads[name] = {"priority": 1}
        places.put(("thread", name), task.name.span, task.name.span)
    places.put(("time", "slice"), program.start.span)
    time = {"clock": "one-shot", "now": False, "uses": [], "slice": "1 ms"}
    file, broken = fit({"system": {}, "time": time, "thread": threads}, places, diagnostics)
    scode = s_code_of(path)
    return Tables(path, file, broken, places, text.digest, () if scode is None else (scode,), program)


def s_code_of(path: Path) -> Path | None:
    """The S code that lies beside a Giotto program; None if there is none."""
    beside = path.with_suffix(".scode")
    return beside if beside.is_file() else None


def thread_names(program: Giotto) -> list[str]:
    """What the threads of the tasks are called: as the tasks are, with `_` for points."""
    found: list[str] = []
    for task in program.tasks:
        name = task.name.text.replace(".", "_")
        found.append(name if name not in found else next(n for k in count(2) if (n := f"{name}_{k}") not in found))
    return found
