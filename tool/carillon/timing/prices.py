# SPDX-License-Identifier: Apache-2.0
"""What the kernel takes beneath the rounds: the prices of the port (``[events]`` of its file of costs), put together by job.

What an image does not have costs nothing.  What it has and what has no price is named.
Then nothing beneath the rounds has a bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from carillon.actions.costs import event_prices
from carillon.allocate.osek import OsekAllocation, TaskKind
from carillon.model import System
from carillon.model.osek import Hook, Isr, OsekTask
from carillon.model.time import TimedKind

TASK_HOOKS = frozenset({Hook.PRETASK, Hook.POSTTASK})
CALLED_OFTEN = TASK_HOOKS | {Hook.ERROR}
"""Hooks that are called while jobs run; of the others, one comes before all jobs, and those that remain when a job has failed."""
ALARMS = frozenset({TimedKind.FUNCTION, TimedKind.TASK, TimedKind.EVENT, TimedKind.SEMAPHORE})
"""What alarms of the time services do."""
TOLD_TWICE = 2
"""A job's begin and end each call a task hook for it, and one for the task that it preempts."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What the kernel takes, in units of which ``scale`` are a tick; nothing on a board on which code takes no time."""

    system: System
    allocation: OsekAllocation
    scale: int

    @property
    def counts_code(self) -> bool:
        """Whether code takes time on the board."""
        return self.system.board.clock(self.system.clock_hz).instructions_per_tick > 0

    def of(self, name: str) -> int:
        """A price by its name; 0 if it has none."""
        if not self.counts_code:
            return 0
        return event_prices(self.system.board.port, self.allocation.software).get(name, 0)

    @property
    def lacking(self) -> str:
        """What has no price; empty if all that the image has has one."""
        if not self.counts_code:
            return ""
        known = event_prices(self.system.board.port, self.allocation.software)
        return next((f"{what} has no price" for what, names in self._parts() if not all(name in known for name in names)), "")

    def _parts(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """What the image has of the kernel, and its prices."""
        osek, port = self.allocation.osek, self.system.board.port
        how = "by software" if self.allocation.software else "by hardware"
        yield f"what the kernel takes beneath the rounds on port '{port}', dispatched {how},", ("managed", "lock")
        here = f"on port '{port}', dispatched {how},"
        if CALLED_OFTEN & osek.hooks:
            yield f"what calls hooks {here}", ("hook",)
        if osek.budgets:
            yield f"what keeps budgets {here}", ("budget",)
        if osek.framed:
            yield f"what keeps time frames {here}", ("frame",)
        if self.allocation.clock is not None:
            yield f"the clock of the time services {here}", ("clock",)
        if self.allocation.sliced:
            yield f"what ends slices {here}", ("slice",)
        if osek.servers:
            yield f"what keeps the budgets of servers {here}", ("server",)
        if self.allocation.on_cells:
            yield f"a schedule table on cells {here}", ("cell",)

    @property
    def lock(self) -> int:
        """The longest that the kernel holds interrupts back, with the hooks that it calls there.

        One lock has the task hooks of both tasks: of the one that ends or is preempted, and of the one that begins or goes on
        (``kernel/levels/level_hooks.c``).  Where a job's end serves cells, the error hook may come before these.
        """
        hooks = self.allocation.osek.hooks
        told, lost = len(TASK_HOOKS & hooks), int(Hook.ERROR in hooks)
        return self.of("lock") + self.recorded + (told + lost if self.allocation.at_levels else max(told, lost)) * self.hook

    @property
    def hook(self) -> int:
        """A call of a hook."""
        return self.of("hook") + self.allocation.osek.hook_wcet * self.scale

    @property
    def handler(self) -> int:
        """What each handler takes beside its own work: it pauses the budget of what it preempts."""
        return self.of("budget") if self.allocation.osek.budgets else 0

    @property
    def recorded(self) -> int:
        """What it takes to tell the ring of a job's begin and end, or of the wait that it goes on from and the next one."""
        tracing = self.system.tracing
        return self.of("trace") if tracing is not None and tracing.ring is not None and self.system.giotto is None else 0

    @property
    def activation(self) -> int:
        """What a handler takes to activate a task, beside its own work."""
        return self.of("frame") if self.allocation.osek.framed else 0

    @property
    def clock(self) -> int:
        """An interrupt of the clock that serves one event."""
        return self.of("clock") + self.handler

    def job(self, item: OsekTask | Isr) -> int:
        """What the kernel takes around a job, with the hooks that are called for it."""
        osek = self.allocation.osek
        more = self.handler + self.activation + self.recorded
        if isinstance(item, Isr):
            return self.of("isr") + more if item.category == 2 else self.recorded
        hooks = TOLD_TWICE * len(osek.hooks & TASK_HOOKS) + (Hook.ERROR in osek.hooks)
        more += hooks * self.hook
        level = self.allocation.level_of(item)
        if level.kind is TaskKind.DIRECT:
            return self.of("direct") + more
        return more + self.of("managed") + self.of("queued") * (level.capacity > 0) + self.of("extended") * item.extended

    @property
    def unknown_hook(self) -> str:
        """The hook of which nothing says how long it takes; empty if there is none."""
        called = sorted(hook.value for hook in CALLED_OFTEN & self.allocation.osek.hooks)
        return called[0] if called and not self.allocation.osek.hook_wcet else ""

    @property
    def unknown_alarms(self) -> bool:
        """Whether alarms of the time services may do what nothing bounds."""
        services = self.system.time
        return self.allocation.clock is not None and services is not None and bool(ALARMS & services.uses)
