# SPDX-License-Identifier: Apache-2.0
"""What stands in brackets in a Giotto program (C263)."""

from __future__ import annotations

import re
from collections.abc import Callable

from carillon.diagnostics import Diagnostics, Span, suggestion
from carillon.model.giotto import Activity, Driver, Giotto, Port, PortKind, Task
from carillon.units import shorten

KNOWN = ("host", "interrupt", "push", "trigger", "wcet")
"""Annotations that are read; ``host`` and ``push`` say where a distributed program runs and what it sends, and are not used."""
SOURCE = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*", re.ASCII)
"""What may name an interrupt source; the board says whether it does."""
Refuse = Callable[[str, Span, str, str], None]
"""Reports an error: code, place, cause and remedy."""


def check_annotations(program: Giotto, diagnostics: Diagnostics, error: Refuse) -> None:
    """Report annotations that are not known, or stand where they mean nothing: C263."""
    ports = [annotation for port in program.ports for annotation in port.annotations]
    modes = [annotation for mode in program.modes for annotation in mode.annotations]
    timed: list[Task | Driver | Activity] = [*program.tasks, *program.drivers]
    timed += [activity for mode in program.modes for activity in mode.activities]
    others = [annotation for declared in timed for annotation in declared.annotations]
    for annotation in (*ports, *modes):
        if annotation.word == "wcet":
            cause = "neither a port nor a mode has a wcet"
            error("C263", annotation.span, cause, "write it into a task, a driver or a taskfreq")
    for port in program.ports:
        _interrupts(port, error)
    for annotation in (*modes, *others):
        if annotation.word == "interrupt":
            error("C263", annotation.span, "only a sensor has an interrupt", "write it into a sensor")
    for annotation in (*modes, *(note for declared in timed if not isinstance(declared, Task) for note in declared.annotations)):
        if annotation.word == "trigger":
            error("C263", annotation.span, "only a port or a task has a trigger", "write it into one of them")
    for annotation in (*ports, *modes, *others):
        if annotation.word not in KNOWN:
            cause = f"the annotation {shorten(annotation.word)} means nothing here"
            diagnostics.warning("C263", annotation.span, cause, suggestion(annotation.word, KNOWN))


def _interrupts(port: Port, error: Refuse) -> None:
    """A sensor has one interrupt at most, which names one source."""
    found = [annotation for annotation in port.annotations if annotation.word == "interrupt"]
    for annotation in found:
        if port.kind is not PortKind.SENSOR:
            error("C263", annotation.span, "only a sensor has an interrupt", "write it into a sensor")
        elif not SOURCE.fullmatch(annotation.rest):
            cause = f"{shorten(annotation.rest) if annotation.rest else 'nothing'} is no name of an interrupt source"
            error("C263", annotation.span, cause, "write one of the board's application sources: [interrupt soft0]")
    for annotation in found[1:]:
        error("C263", annotation.span, f"the sensor {port.name} has two interrupts", "leave one")
