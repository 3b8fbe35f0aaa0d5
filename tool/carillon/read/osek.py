# SPDX-License-Identifier: Apache-2.0
"""Builds the model of the event-triggered system (OSEK/VDX OS 2.2.3) from the ``[osek]`` tables of a schedule file.

Everything that is wrong within these tables is reported here, where the place of every value is known; what
concerns the rounds too, or needs the whole model, is :mod:`carillon.check.osek`.  Causes name objects by kind and
name, not by their TOML tables, because other formats are read into the same tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from carillon.check.names import fault
from carillon.check.osek import DEFAULT_MODE, Foreign, Named, check_names
from carillon.diagnostics import Diagnostics, Span, suggestion
from carillon.model.board import Board
from carillon.model.osek import (
    RES_SCHEDULER,
    Action,
    ActivateTask,
    Alarm,
    Autostart,
    Callback,
    Counter,
    CounterKind,
    Dispatch,
    Hook,
    IncrementCounter,
    Isr,
    Osek,
    OsekEvent,
    OsekTask,
    Property,
    Resource,
    SetEvent,
    Status,
)
from carillon.read.schema import AlarmTable, AutostartTable, CounterTable, OsekTable, OsekTaskTable, ScheduleFile, SetEventTable
from carillon.read.shape import Broken
from carillon.read.spans import Path, SpanIndex
from carillon.read.ticks import Ticks, whole
from carillon.units import Time, shorten

EVENT_BITS = 32
TIME_BITS = 2  # of a task's events, which say what it waits for where there are time services
# Each kind's greatest number: identifiers are of 8 bits, of which 255 is no object, and RES_SCHEDULER is one more
# resource; masks of modes are of 32.
MOST = {"task": 250, "isr": 255, "resource": 254, "counter": 255, "alarm": 255, "modes": 32}
KINDS = {
    "task": "task",
    "isr": "ISR",
    "resource": "resource",
    "event": "event",
    "counter": "counter",
    "alarm": "alarm",
    "modes": "application mode",
}
_ACTIONS = ("activate", "set_event", "callback", "increment")


class OsekReader:
    """Builds one Osek.  ``broken`` says which values of the file are missing because they were wrong.

    :meth:`resolve` needs no clock, so that what it finds is reported whatever else is wrong; :meth:`build` comes
    after it.
    """

    def __init__(self, file: ScheduleFile, table: OsekTable, places: SpanIndex, broken: Broken, diagnostics: Diagnostics) -> None:
        self.file = file
        # A thread is a task too, whose place is another table.
        self.threads = {name for name in file.thread if name not in table.task}
        threads = {
            name: OsekTaskTable.model_validate({"priority": thread.priority, "autostart": True})
            for name, thread in file.thread.items()
            if name in self.threads
        }
        self.table = table.model_copy(update={"task": {**table.task, **threads}})
        self.event_bits = EVENT_BITS - TIME_BITS if file.time is not None else EVENT_BITS
        self.places = places
        self.broken = broken
        self.diagnostics = diagnostics
        self.modes = tuple(dict.fromkeys(table.modes or ())) or (DEFAULT_MODE,)
        self.names: dict[str, dict[str, int]] = {}
        for section in KINDS:
            listed = self.modes if section == "modes" else getattr(self.table, section)
            self.names[section] = {name: number for number, name in enumerate(listed)}

    def times(self) -> Iterator[Time]:
        """The times that the system's clock should be able to express."""
        yield from (counter.tick for counter in self.table.counter.values() if counter.tick is not None)

    def resolve(self, board: Board | None) -> None:
        """Report all that is wrong but for times; ``board`` is None if there is none, its sources are then unknown."""
        self._check_modes()
        self._check_hooks()
        self._check_limits()
        self._check_names()
        self._resources()
        self.tasks = tuple(self._task(name, table) for name, table in self.table.task.items())
        self._events()
        self.isrs = tuple(self._isrs(board))
        self._check_counters()
        self.alarms = tuple(self._alarms())

    def build(self, ticks: Ticks) -> Osek:
        """The event-triggered system, without the parts that could not be built; reports ticks that do not divide."""
        return Osek(
            status=Status(self.table.status),
            dispatch=Dispatch(self.table.dispatch),
            hooks=frozenset(Hook(hook) for hook in self.table.hooks),
            service_id=self.table.get_service_id,
            parameter_access=self.table.parameter_access,
            scheduler_resource=self.table.scheduler_resource,
            stack_check=self.table.stack_check,
            modes=self.modes,
            tasks=self.tasks,
            isrs=self.isrs,
            resources=self.resources,
            events=self.events,
            counters=tuple(self._counter(name, table, ticks) for name, table in self.table.counter.items()),
            alarms=self.alarms,
            span=self.places.key(("osek",)),
        )

    # What several objects need

    def _error(self, code: str, span: Span, cause: str, remedy: str) -> None:
        self.diagnostics.error(code, span, cause, remedy)

    def _path(self, *path: str | int) -> Path:
        if len(path) > 1 and path[0] == "task" and path[1] in self.threads:
            return ("thread", *path[1:])
        return ("osek", *path)

    def _key(self, *path: str | int) -> Span:
        return self.places.key(self._path(*path))

    def _value(self, *path: str | int) -> Span:
        return self.places.value(self._path(*path))

    def _lost(self, *path: str | int) -> bool:
        """Whether the value at ``path`` was wrong and is gone."""
        return self.broken.at(*self._path(*path))

    def _incomplete(self, *path: str | int) -> bool:
        """Whether the object at ``path`` lost a value, perhaps by a misspelt key."""
        return self.broken.under(*self._path(*path))

    def _known(self, name: str, section: str, path: Path, what: str) -> bool:
        """Whether the file has an object ``name`` of ``section``; else C100, unless that follows from another error."""
        if section == "resource" and name == RES_SCHEDULER:
            return self.table.scheduler_resource  # see _taken
        known = self.names[section]
        if name in known:
            return True
        if self._lost(section) or (not known and self._misspelt(section)):
            return False
        if section == "modes" and self._incomplete("modes"):  # a wrong element takes the list along
            return False
        remedy = suggestion(name, known if section != "resource" else [*known, RES_SCHEDULER])
        if section == "task" and name in self.file.task:
            remedy = f"{shorten(name)} is a time-triggered task, which only its rounds activate"
        self._error("C100", self._value(*path), f"{what} names the unknown {KINDS[section]} {shorten(name)}", remedy)
        return False

    def _misspelt(self, section: str) -> bool:
        """Whether a table that was refused as unknown was probably meant as ``section``: ``[osek.tasks.A]``."""
        return any(len(p) == 2 and p[0] == "osek" and str(p[1]).startswith(section[:3]) for p in self.broken.paths)

    def _listed(self, names: Iterable[str], section: str, path: Path, what: str) -> tuple[str, ...]:
        """Those of ``names`` that are known, each once; reports the others (C100, C049)."""
        found: dict[str, bool] = {}
        for number, name in enumerate(names):
            if name in found:
                self._twice(KINDS[section], name, (*path, number), f" by {what}")
            else:
                found[name] = self._known(name, section, (*path, number), what)
        return tuple(name for name, known in found.items() if known)

    def _twice(self, kind: str, name: str, path: Path, where: str) -> None:
        self._error("C049", self._value(*path), f"{kind} {shorten(name)} is listed twice{where}", f"list every {kind} once")

    # The system as a whole

    def _check_modes(self) -> None:
        written = self.table.modes
        self.mode_places: dict[str, int] = {}
        if written is None:
            return
        if not written:
            self._error("C117", self._value("modes"), "there is no application mode", "name at least one, or leave the list out")
        for number, name in enumerate(written):
            if name in self.mode_places:
                self._twice("application mode", name, ("modes", number), "")
            elif name == DEFAULT_MODE and number > 0:
                self._error(
                    "C101",
                    self._value("modes", number),
                    f"{DEFAULT_MODE} is the operating system's name of the first application mode, {shorten(written[0])}",
                    "list it first, or choose another name",
                )
            self.mode_places.setdefault(name, number)

    def _check_hooks(self) -> None:
        seen: set[str] = set()
        for number, hook in enumerate(self.table.hooks):
            if hook in seen:
                self._twice("hook", hook, ("hooks", number), "")
            seen.add(hook)

    def _check_limits(self) -> None:
        for section, most in MOST.items():
            names = list(self.names[section])
            if len(names) > most:
                self._error(
                    "C117",
                    self._mode_place(names[most]) if section == "modes" else self._key(section, names[most]),
                    f"there are {len(names)} {KINDS[section]}s, more than {most}; {shorten(names[most])} is the first too many",
                    f"declare at most {most}",
                )

    def _mode_place(self, name: str) -> Span:
        return self._value("modes", self.mode_places.get(name, 0))

    def _check_names(self) -> None:
        objects: list[Named] = []
        for section, kind in KINDS.items():
            if section != "modes":
                objects += (
                    Named("thread" if section == "task" and name in self.threads else kind, name, self._key(section, name))
                    for name in self.names[section]
                    if (section, name) != ("resource", RES_SCHEDULER)
                )
        objects += (Named(KINDS["modes"], name, self._mode_place(name)) for name in self.modes if name != DEFAULT_MODE)
        check_names(objects, self._foreign(), self.diagnostics)

    def _foreign(self) -> Iterator[Foreign]:
        """The names of the rounds that C or the timeline would confuse with those of the event-triggered system."""
        for name in self.file.thread:
            if name not in self.threads:
                yield Foreign("a thread", name, self.places.key(("thread", name)))
        for name, task in self.file.task.items():
            yield Foreign("a time-triggered task", name, self.places.key(("task", name)))
            if task.entry is not None and task.entry != name:
                what = f"the entry of time-triggered task {shorten(name)}"
                yield Foreign(what, task.entry, self.places.value(("task", name, "entry")))
        for name, interrupt in self.file.interrupt.items():
            yield Foreign("an interrupt", name, self.places.key(("interrupt", name)))
            if interrupt.handler is not None and interrupt.handler != name:
                what = f"the handler of interrupt {shorten(name)}"
                yield Foreign(what, interrupt.handler, self.places.value(("interrupt", name, "handler")))

    # Resources

    def _resources(self) -> None:
        """Sets ``resources``; a link that is wrong, or in a circle, is left out of it."""
        links = {name: target for name in self.table.resource if (target := self._link(name)) is not None}
        self._break_circles(links)
        self.resources = tuple(
            Resource(name, Property(table.property), links.get(name), self._key("resource", name))
            for name, table in self.table.resource.items()
            if name != RES_SCHEDULER
        )

    def _link(self, name: str) -> str | None:
        """The resource directly behind a linked one; None for others, and after a diagnostic."""
        table = self.table.resource[name]
        path = ("resource", name)
        own = f"resource {shorten(name)}"
        if self._lost(*path, "property"):
            return None
        if name == RES_SCHEDULER:
            self._check_scheduler_resource()
            return None
        if table.property != "linked":
            if table.linked is not None:
                self._error(
                    "C109",
                    self._key(*path, "linked"),
                    f"{own} is {table.property}, and yet linked to {shorten(table.linked)}",
                    "give it the property 'linked', or leave the link out",
                )
            return None
        if table.linked is None:
            if not self._incomplete(*path):
                self._error(
                    "C109",
                    self._key(*path),
                    f"{own} is linked, but to nothing",
                    "name the resource behind it, or give it the property 'standard'",
                )
            return None
        target = table.linked
        if target == RES_SCHEDULER:
            cause = f"{own} is linked to {RES_SCHEDULER}"
        elif not self._known(target, "resource", (*path, "linked"), own):
            return None
        elif self.table.resource[target].property == "internal":
            cause = f"{own} is linked to the internal resource {shorten(target)}"
        else:
            return target
        self._error("C109", self._value(*path, "linked"), cause, "link it to a standard resource, or to a linked one")
        return None

    def _check_scheduler_resource(self) -> None:
        path = ("resource", RES_SCHEDULER)
        if self.table.resource[RES_SCHEDULER].property != "standard":
            self._error(
                "C107",
                self._value(*path, "property"),
                f"{RES_SCHEDULER} is declared as {self.table.resource[RES_SCHEDULER].property}",
                "it is a standard resource, which exists without a declaration: leave that out",
            )
        elif not self.table.scheduler_resource and not self._lost("scheduler_resource"):
            self._error(
                "C107",
                self._key(*path),
                f"{RES_SCHEDULER} is declared, but 'scheduler_resource' is false",
                "set 'scheduler_resource' to true, or leave the declaration out",
            )

    def _break_circles(self, links: dict[str, str]) -> None:
        done: set[str] = set()
        for start in list(links):
            chain: dict[str, None] = {}
            name = start
            while name in links and name not in done and name not in chain:
                chain[name] = None
                name = links[name]
            if name in chain:
                names = list(chain)
                circle = names[names.index(name) :]
                self._error(
                    "C109",
                    self._value("resource", name, "linked"),
                    f"resource {shorten(name)} is linked to itself" + (f", by way of {_some(circle[1:])}" if circle[1:] else ""),
                    "end every chain of links in a standard resource",
                )
                for member in circle:
                    del links[member]
            done.update(chain)

    def _taken(self, names: list[str], path: Path, what: str, isr: bool) -> tuple[str, ...]:
        """The resources of a task or ISR; reports RES_SCHEDULER where it cannot be taken (C107)."""
        if RES_SCHEDULER in names:
            span = self._value(*path, names.index(RES_SCHEDULER))
            if isr:
                self._error(
                    "C107",
                    span,
                    f"{what} takes {RES_SCHEDULER}, which only tasks can take",
                    "leave it out: an ISR is above every task anyway",
                )
            elif not self.table.scheduler_resource:
                self._error(
                    "C107",
                    span,
                    f"{what} takes {RES_SCHEDULER}, but 'scheduler_resource' is false",
                    "set 'scheduler_resource' to true, or take another resource",
                )
        return self._listed(names, "resource", path, what)

    def _internal(self, names: Iterable[str]) -> list[str]:
        resources = self.table.resource
        known = [n for n in dict.fromkeys(names) if n in resources and n != RES_SCHEDULER]
        return [n for n in known if resources[n].property == "internal"]

    # Tasks and their events

    def _task(self, name: str, table: OsekTaskTable) -> OsekTask:
        path = ("task", name)
        thread = name in self.threads
        own = f"{'thread' if thread else 'task'} {shorten(name)}"
        if table.priority is None and not self._incomplete(*path):
            self._error(
                "C014", self._key(*path), f"{own} has no 'priority'", "say how urgent it is: a number, the higher the more urgent"
            )
        events = self._listed(table.events, "event", (*path, "events"), own)
        if table.events and table.activations > 1:
            self._error(
                "C103",
                self._value(*path, "activations"),
                f"{own} has events, which make it an extended task, and {table.activations} activations",
                "only a basic task can have several activations: write one, or leave its events out",
            )
        if table.stack is not None and not table.events and not self._incomplete(*path):
            self.diagnostics.warning(
                "C105",
                self._value(*path, "stack"),
                f"{own} has a stack, but no events: basic tasks share one stack",
                "leave the stack out, or give the task the events that it waits for",
            )
        resources = self._taken(table.resources, (*path, "resources"), own, isr=False)
        self._check_internal(own, table, (*path, "resources"))
        if isinstance(table.autostart, list):
            autostart = self._listed(table.autostart, "modes", (*path, "autostart"), own)
        else:
            autostart = self.modes if table.autostart else ()
        return OsekTask(
            name=name,
            priority=table.priority or 0,
            preemptable=table.schedule == "full",
            activations=table.activations,
            autostart=autostart,
            events=events,
            resources=resources,
            stack=self.file.thread[name].stack if thread else table.stack,
            span=self._key(*path),
            thread=thread,
        )

    def _check_internal(self, own: str, table: OsekTaskTable, path: Path) -> None:
        internal = self._internal(table.resources)
        if len(internal) > 1:
            self._error(
                "C108",
                self._value(*path, table.resources.index(internal[1])),
                f"{own} has {len(internal)} internal resources, {_some(internal)}",
                "a task belongs to one group of tasks: list one internal resource at most",
            )
        elif internal and table.schedule == "non":
            self._error(
                "C108",
                self._value(*path, table.resources.index(internal[0])),
                f"{own} cannot be preempted, and has the internal resource {shorten(internal[0])}",
                "leave the resource out, or let other tasks preempt it: then it is the resource that keeps its group out",
            )

    def _events(self) -> None:
        """Sets ``events``: written masks as they are, for the others the first bit that none of their tasks uses."""
        owners: dict[str, list[str]] = {}
        for task in self.tasks:
            for event in task.events:
                owners.setdefault(event, []).append(task.name)
        masks = {name: table.mask for name, table in self.table.event.items() if table.mask is not None}
        for name, mask in masks.items():
            if mask >> self.event_bits:
                self._error(
                    "C173",
                    self._value("event", name, "mask"),
                    f"the mask of event {shorten(name)}, {mask:#x}, has bits that the time services use",
                    f"use the lower {self.event_bits} bits, or leave the mask out",
                )
        used = dict.fromkeys((task.name for task in self.tasks), 0)
        self._check_masks(masks, used)
        full = {task.name for task in self.tasks if not self._fits(task, masks, used[task.name])}
        for name in self.table.event:
            if name in masks:
                continue
            tasks = owners.get(name, [])
            taken = 0
            for owner in tasks:
                taken |= used[owner]
            mask = ~taken & (taken + 1)
            if mask >> self.event_bits:
                if not full.intersection(tasks):
                    self._error(
                        "C106",
                        self._key("event", name),
                        f"no bit is left for event {shorten(name)}: the other events of {_some(tasks)} take all "
                        f"{self.event_bits}",
                        "write masks, so that events that no task shares have one bit, or use fewer events",
                    )
                mask = 1
            masks[name] = mask
            for owner in tasks:
                used[owner] |= mask
        self.events = tuple(OsekEvent(name, masks[name], self._key("event", name)) for name in self.table.event)

    def _check_masks(self, masks: dict[str, int], used: dict[str, int]) -> None:
        """Report written masks that overlap in a task (C106) and collect each task's bits in ``used``."""
        reported: set[tuple[str, str]] = set()
        for task in self.tasks:
            bits: dict[int, str] = {}
            for event in sorted((e for e in task.events if e in masks), key=self.names["event"].__getitem__):
                own = [bit for bit in range(EVENT_BITS) if masks[event] >> bit & 1]
                other = next((bits[bit] for bit in own if bit in bits), None)
                if other is not None and (event, other) not in reported:
                    reported.add((event, other))
                    both = masks[event] & masks[other]
                    self._error(
                        "C106",
                        self._value("event", event, "mask"),
                        f"events {shorten(other)} and {shorten(event)} of task {shorten(task.name)} share "
                        f"{'the bit' if both & (both - 1) == 0 else 'the bits'} {both:#x}",
                        "give the events of a task bits of their own, or leave the masks out",
                    )
                for bit in own:
                    bits.setdefault(bit, event)
                used[task.name] |= masks[event]

    def _fits(self, task: OsekTask, masks: dict[str, int], written: int) -> bool:
        """Whether the bits suffice for the events of ``task`` alone, of which ``written`` are used; else C106."""
        needed = written.bit_count() + sum(event not in masks for event in task.events)
        if needed <= self.event_bits:
            return True
        self._error(
            "C106",
            self._value("task", task.name, "events"),
            f"task {shorten(task.name)} has too many events: the {len(task.events)} of them need {needed} bits, "
            f"more than {self.event_bits}",
            "use fewer events, or masks of one bit, or split the task",
        )
        return False

    # Interrupts

    def _isrs(self, board: Board | None) -> Iterator[Isr]:
        for name, table in self.table.isr.items():
            path = ("isr", name)
            own = f"ISR {shorten(name)}"
            resources: tuple[str, ...] = ()
            if table.category == 2:
                resources = self._taken(table.resources, (*path, "resources"), own, isr=True)
                self._check_isr_internal(own, table.resources, (*path, "resources"))
            elif table.resources:
                self._error(
                    "C110",
                    self._key(*path, "resources"),
                    f"{own} is of category 1 and has resources",
                    "only category 2 may call services such as GetResource: write category 2, or leave the resources out",
                )
            if table.source is None:
                if not self._incomplete(*path):
                    self._error("C014", self._key(*path), f"{own} has no 'source'", "name one of the board's application sources")
            elif board is not None and table.source not in board.application_sources:
                self._error(
                    "C025",
                    self._value(*path, "source"),
                    f"board '{board.name}' has no application source {shorten(table.source)}",
                    suggestion(table.source, board.application_sources),
                )
            elif board is not None:
                source = board.application_sources[table.source]
                yield Isr(name, table.category, source, table.priority, resources, self._key(*path))

    def _check_isr_internal(self, own: str, names: list[str], path: Path) -> None:
        for internal in self._internal(names):
            self._error(
                "C108",
                self._value(*path, names.index(internal)),
                f"{own} has the internal resource {shorten(internal)}",
                "only tasks have internal resources: make it a standard one, or leave it out",
            )

    # Counters

    def _check_counters(self) -> None:
        """Sets ``sound``, the counters whose bounds make sense."""
        self.sound: set[str] = set()
        for name, table in self.table.counter.items():
            path = ("counter", name)
            own = f"counter {shorten(name)}"
            if table.kind == "hardware" and table.tick is None and not self._incomplete(*path):
                self._error(
                    "C111",
                    self._key(*path),
                    f"hardware {own} has no tick",
                    'say how long its tick is, for example "1ms", or make it a software counter',
                )
            if table.kind == "software" and table.tick is not None:
                self._error(
                    "C111",
                    self._key(*path, "tick"),
                    f"software {own} has a tick of {table.tick}",
                    "a software counter advances when it is incremented: leave the tick out, or make it a hardware counter",
                )
            most = table.max_allowed
            if any(self._lost(*path, key) for key in ("max_allowed", "min_cycle")):
                pass
            elif table.min_cycle > most:
                self._error(
                    "C112",
                    self._value(*path, "min_cycle"),
                    f"'min_cycle' of {own}, {table.min_cycle}, is greater than 'max_allowed', {most}",
                    f"write at most {most}, or a greater 'max_allowed'",
                )
            else:
                self.sound.add(name)
            if table.ticks_per_base > most + 1 and not any(self._lost(*path, key) for key in ("max_allowed", "ticks_per_base")):
                self.diagnostics.warning(
                    "C202",
                    self._value(*path, "ticks_per_base"),
                    f"'ticks_per_base' of {own}, {table.ticks_per_base}, is greater than the number of its values, "
                    f"'max_allowed' + 1, {most + 1}",
                    "nothing depends on it but the application, which reads it: write what it expects",
                )

    def _counter(self, name: str, table: CounterTable, ticks: Ticks) -> Counter:
        tick = self._tick(name, table.tick, ticks) if table.kind == "hardware" and table.tick is not None else 0
        return Counter(
            name=name,
            kind=CounterKind(table.kind),
            tick=tick,
            max_allowed=table.max_allowed,
            ticks_per_base=table.ticks_per_base,
            min_cycle=table.min_cycle,
            span=self._key("counter", name),
        )

    def _tick(self, name: str, time: Time, ticks: Ticks) -> int:
        """``time`` in ticks of the system clock; 0 after a diagnostic."""
        span = self._value("counter", name, "tick")
        what = f"'tick' of counter {shorten(name)}"
        exact = ticks.exact(time, what, span, recurs=True)
        if exact is None:
            return 0
        if whole(exact) == 0 and (exact == Fraction(0) or not ticks.refuse):  # else it was refused already
            self._error("C041", span, f"{what} is zero ticks", "write a time of at least one tick")
        return whole(exact)

    # Alarms

    def _alarms(self) -> Iterator[Alarm]:
        self.increments: dict[str, list[str]] = {}
        for name, table in self.table.alarm.items():
            path = ("alarm", name)
            own = f"alarm {shorten(name)}"
            counter = None
            if table.counter is None:
                if not self._incomplete(*path):
                    self._error("C014", self._key(*path), f"{own} has no 'counter'", "name the counter whose ticks it counts")
            elif self._known(table.counter, "counter", (*path, "counter"), own):
                counter = table.counter
            action = self._action(table, path, own)
            if isinstance(action, IncrementCounter) and counter is not None and len(self.table.alarm) <= MOST["alarm"]:
                self._check_increment(counter, action.counter, (*path, "increment"), own)
            autostart = self._autostart(table.autostart, counter, path, own) if table.autostart is not None else None
            if table.static and table.autostart is None and not self._incomplete(*path):
                self.diagnostics.warning(
                    "C105",
                    self._key(*path, "static"),
                    f"{own} is static and has no autostart, so that nothing sets it: it never expires",
                    "give it an autostart, or let the application set it: then it is not static",
                )
            if counter is not None and action is not None:
                yield Alarm(name, counter, action, autostart, self._key(*path), table.static)

    def _action(self, table: AlarmTable, path: Path, own: str) -> Action | None:
        """The alarm's action; None after a diagnostic."""
        written = [key for key in _ACTIONS if getattr(table, key) is not None]
        if not written and not self._incomplete(*path):
            self._error(
                "C113",
                self._key(*path),
                f"{own} does nothing",
                "give it an action: a task to activate, an event to set, a callback, or a counter to increment",
            )
        if len(written) > 1:
            spans = sorted((self._key(*path, key), key) for key in written)
            self._error(
                "C113",
                spans[1][0],
                f"{own} has {len(written)} actions, " + " and ".join(f"'{key}'" for _, key in spans),
                "an alarm has one action: write an alarm for each",
            )
        actions = [action for key in written if (action := self._resolve_action(table, key, path, own)) is not None]
        return actions[0] if len(written) == 1 and actions else None

    def _resolve_action(self, table: AlarmTable, key: str, path: Path, own: str) -> Action | None:
        where = (*path, key)
        if table.set_event is not None and key == "set_event":
            return self._set_event(table.set_event, where, own)
        name = str(getattr(table, key))
        if key == "activate":
            return ActivateTask(name) if self._known(name, "task", where, own) else None
        if key == "increment":
            if not self._known(name, "counter", where, own):
                return None
            if self.table.counter[name].kind == "hardware" and not self._lost("counter", name, "kind"):
                self._error(
                    "C115",
                    self._value(*where),
                    f"{own} increments the hardware counter {shorten(name)}",
                    "only software counters are incremented: a hardware counter advances by itself",
                )
                return None
            return IncrementCounter(name)
        problem = fault(name, function=False)
        if problem:
            self._error("C026", self._value(*where), f"the callback {shorten(name)} of {own} {problem[0]}", problem[1])
            return None
        return Callback(name)

    def _set_event(self, table: SetEventTable, path: Path, own: str) -> SetEvent | None:
        if not self._incomplete(*path):
            for key in ("task", "event"):
                if getattr(table, key) is None:
                    self._error(
                        "C014", self._value(*path), f"the event action of {own} has no '{key}'", "name the task and its event"
                    )
        task = table.task is not None and self._known(table.task, "task", (*path, "task"), own)
        event = table.event is not None and self._known(table.event, "event", (*path, "event"), own)
        if not task or not event or table.task is None or table.event is None:
            return None
        owner = self.table.task[table.task]
        if table.event in owner.events:
            return SetEvent(table.task, table.event)
        if not self._incomplete("task", table.task):
            kind = "thread" if table.task in self.threads else "task"
            if kind == "thread":
                remedy = "activate the thread instead, or make it a task of [osek] with this event"
            elif owner.events:
                remedy = f"add the event to the task's; its events are {_some(owner.events)}"
            else:
                remedy = "add the event to the task's, or activate the task instead"
            self._error(
                "C114",
                self._value(*path, "event"),
                f"{own} sets event {shorten(table.event)} of {kind} {shorten(table.task)}, which "
                + ("does not have it" if owner.events else "has no events"),
                remedy,
            )
        return None

    def _check_increment(self, counter: str, incremented: str, path: Path, own: str) -> None:
        """Report an alarm that closes a circle of counters that increment one another (C115)."""
        chain = self._chain(incremented, counter)
        if chain is None:
            self.increments.setdefault(counter, []).append(incremented)
            return
        others = [name for name in chain if name != counter]
        self._error(
            "C115",
            self._value(*path),
            f"{own}, of counter {shorten(counter)}, makes it increment itself"
            + (f", by way of {_some(others)}" if others else ""),
            "an alarm that expires within its own action would never end: increment another counter",
        )

    def _chain(self, start: str, end: str) -> list[str] | None:
        """The counters from ``start`` to ``end``, each of which has an alarm that increments the next; None if no way."""
        before: dict[str, str | None] = {start: None}
        pending = [start]
        while pending and end not in before:
            name = pending.pop()
            for following in self.increments.get(name, ()):
                if following not in before:
                    before[following] = name
                    pending.append(following)
        if end not in before:
            return None
        chain: list[str] = []
        name_or_none: str | None = end
        while name_or_none is not None:
            chain.append(name_or_none)
            name_or_none = before[name_or_none]
        return chain[::-1]

    def _autostart(self, table: AutostartTable, counter: str | None, alarm: Path, own: str) -> Autostart:
        path = (*alarm, "autostart")
        modes = self.modes if table.modes is None else self._listed(table.modes, "modes", (*path, "modes"), own)
        if counter in self.sound and not self._lost(*path, "at") and not self._lost(*path, "absolute"):
            most = self.table.counter[str(counter)].max_allowed
            least = 0 if table.absolute else 1
            if not least <= table.at <= most:
                kind = "at the value" if table.absolute else "after"
                self._error(
                    "C116",
                    self._value(*path, "at"),
                    f"the autostart of {own} is {kind} {table.at}{'' if table.absolute else ' ticks'}, "
                    f"but counter {shorten(str(counter))} allows {least} to {most}",
                    f"write a number from {least} to {most}",
                )
        if counter in self.sound and not self._lost(*path, "cycle"):
            bounds = self.table.counter[str(counter)]
            if table.cycle and not bounds.min_cycle <= table.cycle <= bounds.max_allowed:
                self._error(
                    "C116",
                    self._value(*path, "cycle"),
                    f"the cycle of {own} is {table.cycle} ticks, but counter {shorten(str(counter))} allows "
                    f"{bounds.min_cycle} to {bounds.max_allowed}",
                    f"write a number from {bounds.min_cycle} to {bounds.max_allowed}, or 0 for an alarm that expires once",
                )
        return Autostart(modes, table.at, table.cycle, table.absolute)


def _some(names: Iterable[str], most: int = 5) -> str:
    """``'a', 'b' and 'c'``: at most ``most`` of the names, safe for a message."""
    unique = [shorten(name) for name in dict.fromkeys(names)]
    if len(unique) > most:
        return ", ".join(unique[:most]) + f" and {len(unique) - most} more"
    return " and ".join([", ".join(unique[:-1]), unique[-1]] if len(unique) > 1 else unique)
