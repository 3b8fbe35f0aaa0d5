# SPDX-License-Identifier: Apache-2.0
"""The names that generated C has for what a schedule names: what emits them and what reads images has them from here.

The other symbols of an image are the kernel's, and have the names that its headers declare.
"""

from __future__ import annotations

TASK, ISR, CALLBACK, LEVEL, CELLS = (f"carillon_{kind}_" for kind in ("task", "isr", "callback", "level", "cells"))

"""What such names begin with."""

BODY, FRAME = "carillon_body_", "carillon_frame_"
"""What the symbol of a handler begins with that follows its vector in memory, and that of a frame (``ports/rv32clic``)."""


def task(name: str) -> str:
    """The function of a task or a thread of the event-triggered system: ``TASK(name)``."""
    return f"{TASK}{name}"


def isr(name: str) -> str:
    """The function of an interrupt service routine: ``ISR(name)``."""
    return f"{ISR}{name}"


def callback(name: str) -> str:
    """The function of an alarm: ``ALARMCALLBACK(name)``."""
    return f"{CALLBACK}{name}"


def extended(name: str) -> str:
    """What a task that can wait keeps (``struct carillon_osek_extended``)."""
    return f"carillon_extended_{name}"


def stack(name: str) -> str:
    """Its stack."""
    return f"carillon_stack_{name}"


def late(name: str) -> str:
    """What tells of a missed deadline of a thread."""
    return f"carillon_late_{name}"


def level(number: int | str) -> str:
    """The handler of the tasks of a level."""
    return f"{LEVEL}{number}"


def cells(level: int | str) -> str:
    """What serves the cells at a level of tasks, before their handlers do."""
    return f"{CELLS}{level}"


def frame(source: int) -> str:
    """What saves the registers before the function of a source, and restores them."""
    return f"{FRAME}{source}"


def enter(function: str) -> str:
    """What begins a function that is a handler's body (``CARILLON_ENTRY`` of ports/rv32clic), and precedes it in memory."""
    return f"carillon_enter_{function}"


def entry(source: int) -> str:
    """That of the two which the linker has found to be needed."""
    return f"carillon_entry_{source}"


def bounded(function: str) -> str:
    """What stands in the place of a function of the rounds that has an execution budget, where the trace has one, too."""
    return f"carillon_bounded_{function}"
