# SPDX-License-Identifier: Apache-2.0
"""What kernel code costs, on each port: the objective that the allocator minimises, and what operations of handlers take."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from carillon.resources import data_root


@dataclass(frozen=True, slots=True)
class CostTable:
    """Instructions of kernel code, or cycles (:attr:`.Board.code_unit`); one figure per thing that an allocation may cause.

    The figures are the port's: ``[allocation]`` of ``ports/<port>/costs.toml``.  They are counted per round.

    A direct activation costs nothing: the vector is the task.  ``wrapper_entry`` and ``wrapper_end`` are paid per activation of a
    task whose deadlines have cells of their own.  The requests of these cells are enabled at the task's start and disabled at its
    end (Sloth on Time, section IV-B).  ``multiplexed_activation`` is paid per activation and ``multiplexed_deadline`` per
    activation of the task at its end (section IV-F).  ``multiplexed_reload`` is paid in addition per point of a cell that is
    reloaded, whose handler looks at the time first.  ``ask`` is paid per cell of a source that several objects share, each time
    that the source's handler runs.  The handler of deadlines runs only where one is missed, so that no round pays it.
    ``acknowledge`` is paid per activation and per deadline on arrays whose handler must clear the request;
    ``moved`` beside it where the handler must move the cell's match, or arming a deadline does.  ``lowered`` is paid
    per activation of a task that lowers its execution priority, which includes holding its source back.  ``enable`` and
    ``multiplexed_enable`` are paid per point that re-enables an interrupt.  ``table_activation`` and ``table_check`` are paid per
    point in a table: an activation, and a deadline or a re-enable point.  ``forget``, ``hold`` and ``flag`` are what the guards
    of :mod:`.guard` take per activation.  The solver charges ``forget`` for a task on several sources, because levels decide only
    later which of the guards it is.

    ``stopped`` is paid each time that a handler of a round runs, where tasks beneath it have execution budgets: else it is 0.
    ``synchronise`` is paid per sync point at which nothing is corrected.

    Of the event-triggered system: ``handled`` is what an alarm's handler takes on its task's level, and ``handled_apart`` on the
    kernel's.  ``queued`` is what an alarm in a counter's queue takes.  Each is up to the first instruction of a task that is no
    vector.  ``told`` is what counting a cell's expiries takes, for an error hook.  ``tick`` and ``tick_alone`` are of a tick in
    which nothing is due, with a time base and without.  ``ask_part`` is what a tick takes for each part of the counter's queue
    that has no cell and is due, and ``ask_parts`` once for all of them.
    """

    wrapper_entry: int
    wrapper_end: int
    multiplexed_activation: int
    multiplexed_deadline: int
    multiplexed_reload: int
    ask: int
    acknowledge: int
    moved: int
    lowered: int
    enable: int
    multiplexed_enable: int
    forget: int
    hold: int
    flag: int
    table_activation: int
    table_check: int
    handled: int
    handled_apart: int
    queued: int
    told: int
    tick: int
    tick_alone: int
    ask_parts: int
    ask_part: int
    synchronise: int
    stopped: int

    @property
    def wrapper(self) -> int:
        """Entry and end of the handler wrapper together."""
        return self.wrapper_entry + self.wrapper_end


REFERENCE = "armv7m"
"""The port whose figures hold for what another does not say: where code takes no time, that is all of them."""


@cache
def cost_table(port: str, budgets: bool = False) -> CostTable:
    """What an allocation costs on a port; ``budgets``: tasks beneath the rounds have execution budgets."""
    table = CostTable(**(_costs(REFERENCE)["allocation"] | _costs(port).get("allocation", {})))
    return table if budgets else replace(table, stopped=0)


@cache
def port_prices(port: str) -> dict[str, int]:
    """What statements of handlers take at most on a port, by operation; empty where code takes no time."""
    return {name: price for name, price in _costs(port).items() if name not in ("allocation", "events", "microcode")}


@cache
def event_prices(port: str, software: bool) -> dict[str, int]:
    """What the kernel takes at most for the event-triggered system: ``[events]`` of the port's file; empty if it has none.

    ``software``: what dispatches its tasks.

    In instructions or cycles (:attr:`.Board.code_unit`).  ``direct`` and ``managed`` are of a job: whose task is its vector, or
    that its level's handler runs.  They count from the interrupt to its first instruction, and from its last one to the handler's
    end.  It is ``queued`` more where its level has a queue of activations, and ``extended`` more where it can wait.  ``isr``: the
    same of an ISR of category 2.  ``tick``: a counter's handler in which nothing is due.  ``due``: each alarm, or step of a
    schedule table, that it serves.  ``part``: the handler of a part of its queue.  ``alarm``: that of an alarm's cell.  ``lock``:
    the longest that the kernel holds interrupts back in a service.  ``trace``: what a job's events in the ring take.
    """
    events: dict[str, dict[str, int]] = _costs(port).get("events", {})
    return events.get("software" if software else "hardware", {})


@cache
def machine_prices(port: str) -> dict[str, int]:
    """What the machine of microcode takes at most: ``[microcode]`` of the port's file; empty if it has none.

    In instructions or cycles.  ``tick``: an interrupt in which nothing is due.  ``instant``: what comes to that at an instant of
    E code, and for how long a task that ends may hold it back.  ``step``: each instruction.  ``call``: what comes to that of a
    call or a guard, with a function of the application that has no ``wcet``.  ``release``: what comes to it of a release.
    ``level``: of each level of the scheduler's heap, for each release, and for each end of a task.  ``job``: from the choice of a
    task to its function, from there to the choice of the next one, and a preemption.
    """
    prices: dict[str, int] = _costs(port).get("microcode", {})
    return prices


@cache
def _costs(port: str) -> dict[str, Any]:
    path = data_root() / "ports" / port / "costs.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
