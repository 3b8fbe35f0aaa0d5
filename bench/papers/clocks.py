# SPDX-License-Identifier: Apache-2.0
"""The applications of ``bench/clocks``, each under every clock that its board has: what ``carillon plan`` predicts, measured."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from pathlib import Path

from bench.papers.handlers import Handler
from bench.papers.made import BENCH, Application, copied, scratch
from bench.papers.rows import BOARD, Progress, Row, row
from carillon.advise import Prediction, advise
from carillon.diagnostics import Diagnostics
from carillon.model.time import ClockKind
from carillon.pipeline import Planned, plan

SOURCES = BENCH / "clocks"
APPLICATIONS = ("control", "logger", "sampler")

BEGUN = 8
"""Interrupts after which every thread and alarm has begun."""


def handlers(planned: Planned, folder: Path, ticks: int, diagnostics: Diagnostics) -> list[Handler]:
    """Build in a folder and run; the handlers of the clock, or of alarms' cells."""
    application, allocation = Application(planned, folder, diagnostics), planned.allocation.osek
    assert allocation is not None
    handlers = list(application.handlers(application.recorded(ticks), {carrier.source for carrier in allocation.carriers}))
    if allocation.clock is None:  # a cell's vector is the task itself: the kernel has no code there
        assert all(carrier.direct for _, carrier in allocation.alarms)
        return [replace(handler, length=0) for handler in handlers]
    return handlers


def under(folder: Path, name: str, board: str, prediction: Prediction, diagnostics: Diagnostics) -> Planned:
    """An application in a folder of its own, with another clock."""
    copy = copied(SOURCES / name, folder / f"{name}-{board}-{prediction.name}-{prediction.tick}")
    if prediction.kind is None:
        return plan(copy / "cells.toml", diagnostics, board)
    schedule = copy / "schedule.toml"
    tick = f'\ntick = "{prediction.tick} ticks"' if prediction.kind is ClockKind.PERIODIC else ""
    text = re.sub(r"^tick = .*\n", "", schedule.read_text(encoding="utf-8"), flags=re.MULTILINE)
    schedule.write_text(re.sub(r"^clock = .*", f'clock = "{prediction.name}"{tick}', text, flags=re.MULTILINE), encoding="utf-8")
    return plan(schedule, diagnostics, board)


@dataclass(frozen=True, slots=True)
class Measurement:
    """What an application's clock did over a hyperperiod: interrupts and instructions of its handlers, both a second."""

    prediction: Prediction
    recommended: bool
    interrupts: Fraction
    code: Fraction


def measured(name: str, board: str, folder: Path, diagnostics: Diagnostics, hyperperiods: int = 1) -> Iterator[Measurement]:
    """Every clock that ``carillon plan`` compares for an application on a board."""
    planned = plan(SOURCES / name / "schedule.toml", diagnostics, board)
    advice = advise(planned.system, planned.allocation)
    assert advice is not None and planned.system.time is not None
    periods = [int(period.ticks) for period in planned.system.time.periods]
    cycle = hyperperiods * lcm(*periods)
    for prediction in advice.predictions:
        other = under(folder, name, board, prediction, diagnostics)
        clock = other.system.board.clock(other.system.clock_hz)
        handlers_of_ticks = handlers(other, other.system.file.parent / "build", cycle + (BEGUN + 3) * max(periods), diagnostics)
        begin = sum(handler.begin for handler in handlers_of_ticks[BEGUN : BEGUN + 2]) // 2  # between two interrupts
        end = begin + cycle * (clock.instructions_per_tick or 1)
        assert handlers_of_ticks[-1].begin >= end
        chosen = [handler.length for handler in handlers_of_ticks if begin <= handler.begin < end]
        seconds = Fraction(cycle, clock.hz)
        yield Measurement(prediction, prediction is advice.recommended, len(chosen) / seconds, sum(chosen) / seconds)


def clocks(rounds: int, diagnostics: Diagnostics, progress: Progress) -> list[Row]:
    """Interrupts and instructions a second of every clock, and what was predicted, over ``rounds`` / 100 hyperperiods."""
    rows: list[Row] = []
    with scratch() as folder:
        for name in APPLICATIONS:
            progress(f"{name}, under every clock")
            for found in measured(name, BOARD, folder, diagnostics, max(1, rounds // 100)):
                column = found.prediction.name + (" (recommended)" if found.recommended else "")
                figures = [("interrupts", found.interrupts, found.prediction.interrupts)]
                figures += [("instructions", found.code, found.prediction.code or Fraction(0))]
                for what, ours, predicted in figures:
                    rows.append(row(f"{name}_{what}", column, BOARD, "1/s", [round(float(ours), 1)]))
                    rows.append(row(f"{name}_{what}_predicted", column, BOARD, "1/s", [round(float(predicted), 1)]))
    return rows
