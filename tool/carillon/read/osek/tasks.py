# SPDX-License-Identifier: Apache-2.0
"""Tasks with their events, and ISRs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from carillon.groups import grouped
from carillon.model.board import Board
from carillon.model.declared import Declared
from carillon.model.osek import Isr, OsekEvent, OsekTask
from carillon.read.declared import KEYS, declared
from carillon.read.osek.file import EVENT_BITS, OsekFile, some
from carillon.read.osek.resources import Resources
from carillon.read.plain import plain, timed
from carillon.read.references import other_source
from carillon.read.schema import ThreadTable
from carillon.read.schema_osek import IsrTable, OsekTaskTable
from carillon.read.spans import Path
from carillon.read.ticks import Ticks, whole
from carillon.units import Time, shorten

_OF_CATEGORY_2 = (
    ("resources", "resources", "only category 2 may call services such as GetResource"),
    ("time_frame", "a time frame", "no kernel code runs before an ISR of category 1"),
    ("budget", "a budget", "no kernel code runs before an ISR of category 1"),
)
"""What only ISRs of category 2 have: its key, what a message calls it, and why."""


class Tasks:
    """Tasks with their events, and ISRs."""

    def __init__(self, at: OsekFile, resources: Resources) -> None:
        self.at, self.resources = at, resources

    def resolve(self, board: Board | None) -> None:
        """Tasks, events and ISRs; ``board`` is None if there is none, its sources are then unknown."""
        self.tasks = tuple(self._task(name, table) for name, table in self.at.table.task.items())
        self._events()
        self.isrs = tuple(self._isrs(board))

    def _task(self, name: str, table: OsekTaskTable) -> OsekTask:
        path = ("task", name)
        thread = name in self.at.threads
        phrase = f"{'thread' if thread else 'task'} {shorten(name)}"
        if table.priority is None:
            self.at.missing(path, phrase, "priority", "say how urgent it is: a number, the higher the more urgent")
        events = self.at.listed(table.events, "event", (*path, "events"), phrase)
        if table.events and table.activations > 1:
            cause = f"{phrase} has events, which make it an extended task, and {table.activations} activations"
            remedy = "only a basic task can have several activations: write one, or leave its events out"
            self.at.error("C103", self.at.value(*path, "activations"), cause, remedy)
        if table.stack is not None and not table.events and not self.at.incomplete(*path):
            cause = f"{phrase} has a stack, but no events: basic tasks share one stack"
            remedy = "leave the stack out, or give the task the events that it waits for"
            self.at.diagnostics.warning("C105", self.at.value(*path, "stack"), cause, remedy)
        resources = self.resources.taken(table.resources, (*path, "resources"), phrase, isr=False)
        self._check_internal(phrase, table, (*path, "resources"))
        if isinstance(table.autostart, list):
            autostart = self.at.listed(table.autostart, "modes", (*path, "autostart"), phrase)
        else:
            autostart = self.at.modes if table.autostart else ()
        if thread:
            autostart = self._begins(name, self.at.file.thread[name], autostart)
        values: dict[str, Any] = {
            **plain(table, OsekTask),
            **(plain(self.at.file.thread[name], OsekTask) if thread else {}),
            "autostart": autostart,
            "events": events,
            "resources": resources,
            "preemptable": table.schedule == "full",
            "mutexes": self._mutexes(name, phrase) if thread else (),
            "guarded": thread or table.overrun == "guarded",
            "thread": thread,
        }
        return OsekTask(**{"priority": 0, "stack": None, **values}, name=name, span=self.at.key(*path))

    def _begins(self, name: str, table: ThreadTable, autostart: tuple[str, ...]) -> tuple[str, ...]:
        """The modes in which StartOS activates a thread; C242 for what says when, if StartOS does not activate it."""
        path = ("task", name)
        if table.new and table.autostart and "autostart" in table.model_fields_set:
            cause = f"thread {shorten(name)} has new = true: a program activates it, and not StartOS"
            self.at.error("C242", self.at.value(*path, "autostart"), cause, "leave autostart out, or new")
        elif table.offset is not None and (table.new or not table.autostart):
            cause = f"thread {shorten(name)} has an offset, and is not to be activated by StartOS"
            instead = "new out" if table.new else "autostart out"
            self.at.error("C242", self.at.value(*path, "offset"), cause, f"leave the offset out, or {instead}")
        return () if table.new or table.offset is not None else autostart  # an alarm activates one with an offset

    def _mutexes(self, name: str, phrase: str) -> tuple[str, ...]:
        """The mutexes of a thread, each once; reports those that are listed twice (C049)."""
        named: dict[str, None] = {}
        for number, mutex in enumerate(self.at.file.thread[name].mutexes):
            if mutex in named:
                self.at.twice("mutex", mutex, ("task", name, "mutexes", number), f" by {phrase}")
            named[mutex] = None
        return tuple(named)

    def timed_tasks(self, ticks: Ticks) -> tuple[OsekTask, ...]:
        """The tasks with budgets and frames, in ticks of the system clock; reports times that do not divide."""
        return tuple(
            replace(
                task,
                offset=self._thread_time(ticks, task, "offset"),
                deadline=self._thread_time(ticks, task, "deadline"),
                declared=self._declared(task, ticks),
                resource_locks=self._resource_locks(task, self.at.table.task[task.name], ticks),
                **self._times(ticks, "task", task.name, timed(OsekTaskTable, OsekTask)),
            )
            for task in self.tasks
        )

    def _declared(self, task: OsekTask, ticks: Ticks) -> Declared:
        """What the analysis is told of a task or a thread; a thread's deadline is one that the kernel watches, too."""
        if task.thread:
            keys = tuple(key for key in KEYS if key != "deadline")  # the kernel watches that one
            return declared(self.at, self.at.file.thread[task.name], ("thread", task.name), ticks, keys=keys)
        return declared(self.at, self.at.table.task[task.name], ("osek", "task", task.name), ticks)

    def _thread_time(self, ticks: Ticks, task: OsekTask, key: str) -> int:
        """A time of a thread in ticks of the system clock; 0 if it has none."""
        time: Time | None = getattr(self.at.file.thread[task.name], key) if task.thread else None
        return 0 if time is None else self._ticks(time, ticks, "task", task.name, key)

    def timed_isrs(self, ticks: Ticks) -> tuple[Isr, ...]:
        """The ISRs with their frames and budgets, likewise."""
        return tuple(
            replace(
                isr,
                **self._times(ticks, "isr", isr.name, timed(IsrTable, Isr)),
                declared=declared(self.at, self.at.table.isr[isr.name], ("osek", "isr", isr.name), ticks),
            )
            for isr in self.isrs
        )

    def _resource_locks(self, task: OsekTask, table: OsekTaskTable, ticks: Ticks) -> tuple[tuple[str, int], ...]:
        """A task's lock budgets of resources; C237 for a resource that the task cannot take, or that has two budgets."""
        budgets: dict[str, int] = {}
        internal = self.resources.internal(table.resources)
        for number, lock in enumerate(table.resource_lock):
            path = ("task", task.name, "resource_lock", number)
            if lock.resource is None or lock.budget is None:
                if self.at.incomplete(*path):
                    continue
                missing = "resource" if lock.resource is None else "budget"
                cause = f"a resource lock of task {shorten(task.name)} has no '{missing}'"
                self.at.error("C237", self.at.value(*path), cause, 'write both, as in { resource = "Shared", budget = "100us" }')
                continue
            if lock.resource not in table.resources or lock.resource in internal or lock.resource in budgets:
                sound = all(name in self.at.names["resource"] for name in table.resources)
                if lock.resource not in table.resources and (not sound or self.at.lost("task", task.name, "resources")):
                    continue  # which one is meant there is not known
                what = "has two lock budgets for" if lock.resource in budgets else "never takes"
                cause = f"task {shorten(task.name)} {what} resource {shorten(lock.resource)}"
                remedy = "name each resource once that is among the task's 'resources' and not internal"
                self.at.error("C237", self.at.value(*path, "resource"), cause, remedy)
                continue
            budgets[lock.resource] = self._ticks(lock.budget, ticks, *path, "budget")
        return tuple(budgets.items())

    def _times(self, ticks: Ticks, section: str, name: str, keys: Iterable[str]) -> dict[str, Any]:
        """Times of an object in ticks of the system clock; 0 where it has none."""
        times: dict[str, Time | None] = {key: getattr(getattr(self.at.table, section)[name], key) for key in keys}
        return {key: 0 if time is None else self._ticks(time, ticks, section, name, key) for key, time in times.items()}

    def _ticks(self, time: Time, ticks: Ticks, *path: str | int) -> int:
        span = self.at.value(*path)
        kind, name, *_, key = map(str, path)
        phrase = f"'{key}' of {'ISR' if kind == 'isr' else kind} {shorten(name)}"
        exact = ticks.exact(time, phrase, span)
        remedy = f"write a time of at least one tick, or leave '{key}' out"
        return 0 if exact is None or ticks.vanishes(exact, phrase, span, remedy=remedy) else whole(exact)

    def _check_internal(self, phrase: str, table: OsekTaskTable, path: Path) -> None:
        internal = self.resources.internal(table.resources)
        if len(internal) > 1:
            wrong = internal[1]
            cause = f"{phrase} has {len(internal)} internal resources, {some(internal)}"
            remedy = "a task belongs to one group of tasks: list one internal resource at most"
        elif internal and table.schedule == "non":
            wrong = internal[0]
            cause = f"{phrase} cannot be preempted, and has the internal resource {shorten(wrong)}"
            remedy = "leave the resource out, or let other tasks preempt it: then it is the resource that keeps its group out"
        else:
            return
        self.at.error("C108", self.at.value(*path, table.resources.index(wrong)), cause, remedy)

    def _events(self) -> None:
        """Sets ``events``: written masks as they are, for the others the first bit that none of their tasks uses."""
        owners = grouped((event, task.name) for task in self.tasks for event in task.events)
        masks = {name: table.mask for name, table in self.at.table.event.items() if table.mask is not None}
        for name, mask in masks.items():
            if mask >> self.at.event_bits:
                cause = f"the mask of event {shorten(name)}, {mask:#x}, has bits that the time services use"
                remedy = f"use the lower {self.at.event_bits} bits, or leave the mask out"
                self.at.error("C173", self.at.value("event", name, "mask"), cause, remedy)
        used = dict.fromkeys((task.name for task in self.tasks), 0)
        self._check_masks(masks, used)
        full = {task.name for task in self.tasks if not self._fits(task, masks, used[task.name])}
        for name in self.at.table.event:
            if name in masks:
                continue
            tasks = owners[name]
            taken = 0
            for owner in tasks:
                taken |= used[owner]
            mask = ~taken & (taken + 1)
            if mask >> self.at.event_bits:
                if not full.intersection(tasks):
                    cause = (
                        f"no bit is left for event {shorten(name)}: the other events of {some(tasks)} take all "
                        f"{self.at.event_bits}"
                    )
                    remedy = "write masks, so that events that no task shares have one bit, or use fewer events"
                    self.at.error("C106", self.at.key("event", name), cause, remedy)
                mask = 1
            masks[name] = mask
            for owner in tasks:
                used[owner] |= mask
        self.events = tuple(OsekEvent(name, masks[name], self.at.key("event", name)) for name in self.at.table.event)

    def _check_masks(self, masks: dict[str, int], used: dict[str, int]) -> None:
        """Report written masks that overlap in a task (C106) and collect each task's bits in ``used``."""
        reported: set[tuple[str, str]] = set()
        for task in self.tasks:
            bits: dict[int, str] = {}
            for event in sorted((e for e in task.events if e in masks), key=self.at.names["event"].__getitem__):
                event_bits = [bit for bit in range(EVENT_BITS) if masks[event] >> bit & 1]
                other = next((bits[bit] for bit in event_bits if bit in bits), None)
                if other is not None and (event, other) not in reported:
                    reported.add((event, other))
                    both = masks[event] & masks[other]
                    cause = (
                        f"events {shorten(other)} and {shorten(event)} of task {shorten(task.name)} share "
                        f"{'the bit' if both & (both - 1) == 0 else 'the bits'} {both:#x}"
                    )
                    remedy = "give the events of a task bits of their own, or leave the masks out"
                    self.at.error("C106", self.at.value("event", event, "mask"), cause, remedy)
                for bit in event_bits:
                    bits.setdefault(bit, event)
                used[task.name] |= masks[event]

    def _fits(self, task: OsekTask, masks: dict[str, int], written: int) -> bool:
        """Whether the bits suffice for the events of ``task`` alone, of which ``written`` are used; else C106."""
        needed = written.bit_count() + sum(event not in masks for event in task.events)
        if needed <= self.at.event_bits:
            return True
        cause = (
            f"task {shorten(task.name)} has too many events: the {len(task.events)} of them need {needed} bits, "
            f"more than {self.at.event_bits}"
        )
        remedy = "use fewer events, or masks of one bit, or split the task"
        self.at.error("C106", self.at.value("task", task.name, "events"), cause, remedy)
        return False

    def _isrs(self, board: Board | None) -> Iterator[Isr]:
        for name, table in self.at.table.isr.items():
            path = ("isr", name)
            phrase = f"ISR {shorten(name)}"
            resources: tuple[str, ...] = ()
            if table.category == 2:
                resources = self.resources.taken(table.resources, (*path, "resources"), phrase, isr=True)
                self._check_isr_internal(phrase, table.resources, (*path, "resources"))
            for key, has, why in _OF_CATEGORY_2:
                if table.category == 1 and getattr(table, key):
                    remedy = f"{why}: write category 2, or leave the {has.removeprefix('a ')} out"
                    self.at.error("C110", self.at.key(*path, key), f"{phrase} is of category 1 and has {has}", remedy)
            if table.source is None:
                self.at.missing(path, phrase, "source", "name one of the board's application sources")
            elif board is not None and table.source not in board.named_sources:
                cause = f"board '{board.name}' has no application source {shorten(table.source)}"
                self.at.error("C025", self.at.value(*path, "source"), cause, other_source(table.source, board))
            elif board is not None:
                source = board.named_sources[table.source]
                yield Isr(**plain(table, Isr) | {"source": source}, name=name, resources=resources, span=self.at.key(*path))

    def _check_isr_internal(self, own: str, names: list[str], path: Path) -> None:
        for internal in self.resources.internal(names):
            cause = f"{own} has the internal resource {shorten(internal)}"
            remedy = "only tasks have internal resources: make it a standard one, or leave it out"
            self.at.error("C108", self.at.value(*path, names.index(internal)), cause, remedy)
