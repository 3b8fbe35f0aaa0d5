# SPDX-License-Identifier: Apache-2.0
"""Lowers a checked system: its modes become demands, which an allocation then serves."""

from __future__ import annotations

from collections.abc import Sequence

from carillon.actions import Action
from carillon.actions.activate import Activate
from carillon.actions.check_deadline import CheckDeadline
from carillon.actions.enable_interrupt import EnableInterrupt
from carillon.actions.switch_mode import SwitchMode
from carillon.actions.synchronise import Synchronise
from carillon.check.simulation import NOTHING, KernelTime, completions
from carillon.lower import Demand, ExpiryPoint, LoweredMode
from carillon.lower.sync import sync_point, sync_unit
from carillon.model import Activation, Mode, Monitor, OnDeadlineMiss, Overrun, System, Window


def lower(system: System, kernels: Sequence[KernelTime] = ()) -> tuple[LoweredMode, ...]:
    """The demands of every mode, in the order of the file.  ``kernels``: what handlers take in each mode, if that is known.

    ``system`` must have passed ``check_system`` without errors.  With more than one mode, each has one demand
    that switches modes: its point is the tick at which a switch of modes is taken, and cuts nothing off.
    """
    return tuple(
        _lower_mode(mode, system, kernel)
        for mode, kernel in zip(system.modes, kernels or [NOTHING] * len(system.modes), strict=True)
    )


def _lower_mode(mode: Mode, system: System, kernel: KernelTime) -> LoweredMode:
    known = all(system.task(activation.task).wcet is not None for activation in mode.activations)
    # With the kernel's time an end may lie past the round: the check of deadlines says so after the allocation.
    ends = [min(c.end, mode.round_length) for c in completions(mode, system, kernel)] if known else None
    demands = [*_activations(mode, system, ends), *_deadlines(mode, system)]
    if len(system.modes) > 1:
        at = _control(mode, ends, system.board.switch_ticks + system.board.lead_at(system.clock_hz))
        demands.append(_once(SwitchMode(mode.name), at, mode))
    demands.extend(_enables(mode, system.start_within))
    if system.sync is not None:
        unit = sync_unit(system.board, system.clock_hz, mode.round_length)
        at, _ = sync_point(demands, mode.round_length, unit)
        demands.append(_once(Synchronise(mode.name), at, mode))
    return LoweredMode(mode.name, mode.round_length, tuple(demands))


def _once(action: Action, at: int, mode: Mode) -> Demand:
    return Demand(action, (ExpiryPoint(at, action, at, mode.span),), required=True, bounded=True)


def _activations(mode: Mode, system: System, ends: list[int] | None) -> list[Demand]:
    points: dict[str, list[ExpiryPoint]] = {}
    for number, activation in enumerate(mode.activations):
        end = _window_end(activation, mode, ends[number] if ends is not None else None)
        watched = activation.monitor is Monitor.ALWAYS and system.on_deadline_miss is OnDeadlineMiss.SHUTDOWN
        stopped_at = activation.deadlines[-1] if watched and activation.deadlines else None
        point = ExpiryPoint(activation.at, Activate(activation.task), end, activation.span, stopped_at)
        points.setdefault(activation.task, []).append(point)
    vouched = {task.name for task in system.tasks if task.overrun is Overrun.NEVER}
    return [
        Demand(
            Activate(task),
            tuple(task_points),
            required=True,
            bounded=_bounded(task_points, mode.round_length),
            exclusive=task in vouched or _stopped_in_time(task_points, mode.round_length),
            vouched=task in vouched,
            within=system.task(task).start_within,
        )
        for task, task_points in points.items()
    ]


def _stopped_in_time(points: list[ExpiryPoint], round_length: int) -> bool:
    """Whether a deadline always stops the system before the task's next activation."""
    following = [*(point.at for point in points[1:]), round_length + points[0].at]
    return all(p.stopped_at is not None and p.stopped_at <= at for p, at in zip(points, following, strict=True))


def _window_end(activation: Activation, mode: Mode, completion: int | None) -> int:
    """The tick from which later points need not preempt ``activation`` any more (SPEC, ``window``)."""
    if mode.window is Window.WCET:
        assert completion is not None, "check/window.py demands every WCET"
        return completion
    if activation.monitor is Monitor.ALWAYS and activation.deadlines:
        return activation.deadlines[-1]
    return mode.round_length


def _bounded(points: list[ExpiryPoint], round_length: int) -> bool:
    """Whether every window ends before the task's next activation, the last one within the round.

    Then an overrun is caught by a deadline, or excluded by the WCETs, before the task is activated again.
    """
    limits = [*(point.at for point in points[1:]), round_length]
    return all(point.window_end <= limit for point, limit in zip(points, limits, strict=True))


def _deadlines(mode: Mode, system: System) -> list[Demand]:
    points: dict[str, list[ExpiryPoint]] = {}
    required: dict[str, bool] = {}
    for activation in mode.activations:
        if activation.monitor is Monitor.NEVER:
            continue
        for number, deadline in enumerate(activation.deadlines):
            point = ExpiryPoint(deadline, CheckDeadline(activation.task), deadline, activation.span, implied=number > 0)
            points.setdefault(activation.task, []).append(point)
            required[activation.task] = activation.monitor is Monitor.ALWAYS
    return [
        Demand(CheckDeadline(task), tuple(own), required[task], _each(mode, task), within=system.task(task).start_within)
        for task, own in points.items()
    ]


def _each(mode: Mode, task: str) -> bool:
    """Whether every activation of the task has a deadline: then one re-armed cell can follow the first of each.

    The cell goes a step further with each run.  An activation without a deadline could be absorbed by the one that waits,
    and the cell would be a step behind.  One with a deadline has then missed it.
    """
    return all(activation.deadlines for activation in mode.activations if activation.task == task)


def _enables(mode: Mode, within: int) -> list[Demand]:
    points: dict[str, list[ExpiryPoint]] = {}
    for enable in mode.enables:
        point = ExpiryPoint(enable.at, EnableInterrupt(enable.interrupt), enable.at, enable.span)
        points.setdefault(enable.interrupt, []).append(point)
    return [Demand(EnableInterrupt(name), tuple(own), required=True, bounded=True, within=within) for name, own in points.items()]


def _control(mode: Mode, ends: list[int] | None, needed: int) -> int:
    """Where a switch of modes is taken: 1 to ``round_length``.

    Not before the end of the round's last window nor its last enable point.  Beyond that as late as leaves the ``needed`` ticks,
    so that the next mode's round begins where this one ends.
    """
    latest = max((enable.at for enable in mode.enables), default=0)
    for number, activation in enumerate(mode.activations):
        if activation.monitor is Monitor.ALWAYS and activation.deadlines:
            end = activation.deadlines[-1]
        else:
            end = ends[number] if ends is not None else mode.round_length
        latest = max(latest, end)
    return min(max(latest, mode.round_length - needed, 1), mode.round_length)
