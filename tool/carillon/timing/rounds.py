# SPDX-License-Identifier: Apache-2.0
"""What is known of whole rounds: how long the processor idles in them at least, and what nothing is known of."""

from __future__ import annotations

from fractions import Fraction

from carillon.check.common import by_task
from carillon.check.utilisation import demand
from carillon.image import Image, ModeImage
from carillon.model import Mode, System
from carillon.timing.handlers import kernel_round, runs_beneath


def mode_of(system: System, image: ModeImage) -> Mode:
    """The mode of the schedule that an image's mode is of."""
    return next(mode for mode in system.modes if mode.name == image.allocation.mode.name)


def unknown_work(system: System, mode: Mode) -> list[str]:
    """What of a round executes for a time that nothing says."""
    wcets = {task.name: task.wcet for task in system.tasks}
    found = [f"task {task}" for task in by_task(mode) if wcets.get(task) is None]
    found += [f"interrupt {interrupt.name}" for interrupt in system.interrupts]
    return found + (["the event-triggered system"] if runs_beneath(system) else [])


def idle_share(image: Image, mode_image: ModeImage) -> Fraction:
    """The share of a round in which a processor idles at least, if all that executes is known."""
    system = image.system
    mode = mode_of(system, mode_image)
    per_tick = system.board.clock(system.clock_hz).instructions_per_tick
    busy = Fraction(sum(demand(mode, system).values()))
    if per_tick:
        busy += Fraction(kernel_round(image, mode_image), per_tick)
    return max(Fraction(0), 1 - busy / mode.round_length)
