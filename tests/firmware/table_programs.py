# SPDX-License-Identifier: Apache-2.0
"""Random systems with schedule tables, random programs for them, and what the exact model says of both.

One C program (table_programs.c) plays the operations, which are data: a code, whether an ISR does it, an object and two numbers.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from enum import IntEnum

import table_model as exact
from table_model import Alarm, Counter, Model, Point, System, Table, Task


class Do(IntEnum):
    """The operations, by their codes."""

    INCREMENT = 0
    PASS = 1  # ticks of the hardware counter
    RELATIVE = 2
    ABSOLUTE = 3
    SYNCHRON = 4
    STOP = 5
    NEXT = 6
    SYNC = 7
    ASYNC = 8
    SET_RELATIVE = 9
    SET_ABSOLUTE = 10
    CANCEL = 11
    ELAPSED = 12
    HOLD = 13
    RELEASE = 14
    ACTIVATE = 15
    LEFT = 16
    LOCKED = 17  # ticks of the hardware counter, with all interrupts suspended


@dataclass(frozen=True)
class Operation:
    """What is done to which object.

    ``in_isr``: an ISR does it, and tasks wait until it has ended; ``late``: so many ticks after it has begun.
    """

    what: Do
    object: int = 0
    first: int = 0
    second: int = 0
    in_isr: bool = False
    late: int = 0

    @property
    def code(self) -> str:
        return f"{{{self.what.value}u, {self.in_isr + self.late}u, {self.object}u, {self.first}u, {self.second}u}}"


LIMITS = [1, 2, 5, 7, 9, 30, 99, 252, 253, 255, 1000, 65_532, 65_533, 65_535, 4_294_967_292, 0xFFFF_FFFF]
"""Of counters, among them the ends of what 8, 16 and 32 bits of time hold."""

TASKS = (Task(2), Task(3, activations=2), Task(3), Task(4, events=3), Task(5, events=3))
BASIC, EVENTED = (0, 1, 2), (3, 4)


def _delay(rng: random.Random, counter: Counter, most: int) -> int:
    """A delay between points."""
    return rng.randint(counter.min_cycle, max(counter.min_cycle, min(most, counter.max_allowed)))


def _actions(rng: random.Random) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    activate = tuple(sorted(rng.sample(range(len(TASKS)), rng.choice([0, 1, 1, 2]))))
    events = {(rng.choice(EVENTED), rng.choice([1, 2, 1, 2, 4])) for _ in range(rng.choice([0, 1, 1, 2]) if activate else 1)}
    return activate, tuple(sorted(events))


def draw_table(rng: random.Random, number: int, counter: Counter, *, adjusts: bool = True) -> Table | None:
    """A table of a counter; None if what was drawn is none.  ``adjusts``: it may be synchronised explicitly."""
    sync = rng.choice(["none", "none", "implicit", *(["explicit"] * 3 if adjusts else [])])
    repeating = rng.random() < 0.7
    most = rng.choice([3, 8, 20, 60])
    offsets = [rng.choice([0, _delay(rng, counter, most)])]
    for _ in range(rng.choice([0, 1, 2, 3])):
        offsets.append(offsets[-1] + _delay(rng, counter, most))
    final = 0 if not repeating and rng.random() < 0.4 else _delay(rng, counter, most)
    duration = offsets[-1] + final
    if sync == "implicit":
        if counter.turn > 300 or offsets[-1] > counter.turn - counter.min_cycle:
            return None
        duration = counter.turn
        final = duration - offsets[-1]
        if final > counter.max_allowed:
            return None
    if duration == 0 or (sync == "explicit" and duration > counter.turn):
        return None
    points = []
    for index, offset in enumerate(offsets):
        lengthen = shorten = 0
        delay = offset - offsets[index - 1] if index else final + offset
        if sync == "explicit" and (index or repeating):
            shorten = rng.choice([0, max(0, rng.randint(0, max(0, delay - counter.min_cycle - 1)))])
            lengthen = max(0, min(rng.choice([0, 1, 3, 10, 100]), duration - 1, counter.max_allowed - delay - 1))
        activate, events = _actions(rng)
        points.append(Point(offset, activate, events, lengthen, shorten))
    precision = rng.choice([0, 0, 1, 2, min(10, duration)]) if sync == "explicit" else 0
    autostart: tuple[str, int] | None = None
    if rng.random() < 0.25:
        autostart = ("absolute", rng.randint(0, min(100, counter.max_allowed)))
        if sync == "explicit" and rng.random() < 0.5:
            autostart = ("synchron", 0)
        elif sync != "implicit" and rng.random() < 0.5 and points[0].offset < counter.max_allowed:
            autostart = ("relative", rng.randint(1, min(100, counter.max_allowed - points[0].offset)))
    return Table(number, duration, tuple(points), repeating, sync, min(precision, duration), autostart)


def draw_system(rng: random.Random, *, hardware: int = 0, small: bool = False, alone: bool = False) -> System:
    """``hardware``: microseconds a tick of the first counter, a hardware counter; 0: all of them are software's.

    ``alone``: the first counter has one table and no alarms, and no table is adjusted.
    """
    counters = []
    for number in range(rng.choice([2, 3] if alone else [1, 2, 2, 3])):
        limit = rng.choice([*LIMITS, rng.randint(3, 70)])
        cycle = min(limit, rng.choice([1, 1, 1, 2, 5]))
        counters.append(Counter(limit, cycle, hardware if number == 0 else 0))
    tables: list[Table] = []
    wanted = rng.randint(2, 3 if small else 6)
    while len(tables) < wanted:
        number = rng.randrange(len(counters)) if not alone else min(1, len(tables))
        drawn = draw_table(rng, number, counters[number], adjusts=not alone)
        if drawn is not None:
            tables.append(drawn)
    alarms = []
    for _ in range(rng.choice([1, 2] if small else [1, 2, 4])):
        number = rng.randrange(int(alone), len(counters))
        match rng.randrange(3):
            case 0 if number + 1 < len(counters):
                alarms.append(Alarm(number, increment=number + 1))
            case 1:
                alarms.append(Alarm(number, set_event=(rng.choice(EVENTED), rng.choice([1, 2]))))
            case _:
                alarms.append(Alarm(number, activate=rng.choice(BASIC)))
    extended, hook = rng.random() < 0.6, rng.random() < (0.4 if alone else 0.7)
    return System(tuple(counters), tuple(tables), TASKS, tuple(alarms), extended=extended, hook=hook)


class Drawing:
    """Draws a program, and plays it on the model."""

    def __init__(self, rng: random.Random, system: System, patience: int = 400, between: int = 0) -> None:
        """``patience``: ticks that an operation may wait for; ``between``: services that may be called in a tick, if not 0."""
        self.rng = rng
        self.between = self.left = between
        self.patience = patience
        self.model = Model(system)
        self.model.run()
        self.operations: list[Operation] = []
        # What is held back comes part by part, and only where each task stands in one part is that the same.
        mixed = any(a.counter == 0 and a.increment is not None for a in system.alarms)
        self.catches_up = system.counters[0].tick > 0 and not (mixed and any(system.parts))
        self.lines: list[str] = []
        if system.counters[0].tick:
            self.model.ticks(0, 1)  # the program begins in the middle of a tick

    def draw(self, count: int) -> None:
        for _ in range(count):
            operation = self._operation()
            self.operations.append(operation)
            self.lines.append(play(self.model, operation))

    def _operation(self) -> Operation:
        rng, model = self.rng, self.model
        system = model.system
        self.left -= 1
        if self.between and self.left <= 0 and system.counters[0].tick:
            return self._pass(0, in_isr=False)
        if model.held and rng.random() < 0.4:
            return Operation(Do.RELEASE)
        in_isr = rng.random() < 0.15
        if rng.random() < 0.4:
            counter = rng.randrange(len(system.counters))
            return self._pass(counter, in_isr)
        roll = rng.random()
        if roll < 0.7:
            drawn = self._of_table(rng.randrange(len(system.tables)), in_isr)
            # What has been held back is served before a table of its counter is looked at, but not before a wrong parameter is.
            serves = self.catches_up and not (system.extended and system.hook)
            late = in_isr and serves and drawn.object < len(system.tables) and system.tables[drawn.object].counter == 0
            return replace(drawn, late=rng.randint(1, 6)) if late and rng.random() < 0.5 else drawn
        if roll < 0.85 and system.alarms:
            return self._of_alarm(rng.randrange(len(system.alarms)), in_isr)
        if roll < 0.9:
            counter = rng.randrange(len(system.counters))
            limit = system.counters[counter].max_allowed
            most = limit + (2 if system.extended and limit < 2**32 - 2 else 0)
            previous = rng.choice([0, limit, model.value(counter), rng.randint(0, most), most])
            return Operation(Do.ELAPSED, counter, previous, in_isr=in_isr)
        if roll < 0.95 and not model.held:
            return Operation(Do.HOLD)
        return Operation(Do.ACTIVATE, rng.randrange(len(system.tasks)), in_isr=in_isr)

    def _pass(self, counter: int, in_isr: bool) -> Operation:
        rng, model = self.rng, self.model
        system = model.system
        first = model.first(counter)
        count = rng.choice([1, 1, 2, 3, rng.randint(1, 12), rng.randint(1, 12), rng.randint(1, 70)])
        if first is not None and first < self.patience and rng.random() < 0.5:  # to what is due, or one less or more
            count = max(1, first + rng.choice([-1, 0, 0, 1]))
        if system.counters[counter].tick:
            if rng.random() < 0.15 and self.catches_up:
                return Operation(Do.LOCKED, counter, min(count, 12))
            if rng.random() < 0.1 and system.extended and self.left > 0:
                return Operation(Do.INCREMENT, counter, 1, in_isr=in_isr)  # hardware drives it
            self.left = self.between
            return Operation(Do.PASS, counter, min(count, 60))
        if in_isr or (self.between and system.counters[0].tick):
            count = min(count, 4)
        self.left -= count
        return Operation(Do.INCREMENT, counter, count, in_isr=in_isr)

    def _of_table(self, number: int, in_isr: bool) -> Operation:
        rng, model = self.rng, self.model
        system = model.system
        table = system.tables[number]
        counter = system.counters[table.counter]
        extended = system.extended
        here = model.value(table.counter)
        kinds = [Do.RELATIVE, Do.ABSOLUTE, Do.SYNCHRON, Do.STOP, Do.NEXT, Do.NEXT, Do.SYNC, Do.SYNC, Do.ASYNC]
        if model.tables[number].status == exact.STOPPED:
            kinds += [Do.RELATIVE, Do.ABSOLUTE] * 2 + ([Do.SYNCHRON] * 3 if table.sync == "explicit" else [])
        elif table.sync == "explicit":
            kinds += [Do.SYNC] * 6
        what = rng.choice(kinds)
        if not extended:  # what is an error only in extended status is not done
            if what in (Do.SYNCHRON, Do.SYNC, Do.ASYNC) and table.sync != "explicit":
                what = Do.STOP
            if what is Do.RELATIVE and (table.sync == "implicit" or table.initial >= counter.max_allowed):
                what = Do.ABSOLUTE
        first = 0
        match what:
            case Do.RELATIVE:
                most = counter.max_allowed - table.initial
                choices = [1, rng.randint(1, max(1, min(20, most))), max(1, most)]
                if extended:
                    choices += [0, min(most + 1, 2**32 - 1), min(counter.max_allowed + 1, 2**32 - 1), 2**32 - 1]
                first = rng.choice([choices[0]] + [choices[1]] * 5 + choices[2:])
            case Do.ABSOLUTE:
                near = (here + rng.randint(-3, 12)) % counter.turn
                choices = [near] * 5 + [here, 0, counter.max_allowed, rng.randint(0, counter.max_allowed)]
                if extended and counter.max_allowed < 2**32 - 1:
                    choices += [counter.max_allowed + 1, 2**32 - 1]
                first = rng.choice(choices)
            case Do.SYNC:
                choices = [rng.randrange(table.duration)]
                if model.tables[number].due is not None:
                    position = model.position(number)
                    choices += [(position + rng.randint(-4, 4)) % table.duration for _ in range(3)]
                    choices += [(position + table.duration // 2) % table.duration, position]
                if extended and rng.random() < 0.1:
                    choices = [table.duration, 2**32 - 1]
                first = rng.choice(choices)
            case Do.NEXT:
                fitting = [n for n, t in enumerate(system.tables) if (t.counter, t.sync) == (table.counter, table.sync)]
                fitting += 3 * [n for n in fitting if model.tables[n].status == exact.STOPPED]
                first = rng.choice(fitting)
                runs = [n for n, t in enumerate(model.tables) if t.status > exact.NEXT and n in fitting]
                if runs and rng.random() < 0.7:
                    number = rng.choice(runs)
                if extended and rng.random() < 0.2:
                    first = rng.randrange(len(system.tables))
            case _:
                pass
        if extended and rng.random() < 0.02:  # no such table
            number = len(system.tables)
        return Operation(what, number, first, in_isr=in_isr)

    def _of_alarm(self, number: int, in_isr: bool) -> Operation:
        rng, model = self.rng, self.model
        counter = model.system.counters[model.system.alarms[number].counter]
        cycle = rng.choice([0, 0, rng.randint(counter.min_cycle, max(counter.min_cycle, min(20, counter.max_allowed)))])
        here = model.value(model.system.alarms[number].counter)
        match rng.randrange(3):
            case 0:
                increment = rng.randint(1, min(12, counter.max_allowed))
                return Operation(Do.SET_RELATIVE, number, increment, cycle, in_isr)
            case 1:
                start = (here + rng.randint(0, 12)) % counter.turn
                return Operation(Do.SET_ABSOLUTE, number, start, cycle, in_isr)
            case _:
                return Operation(rng.choice([Do.CANCEL, Do.CANCEL, Do.LEFT]), number, in_isr=in_isr)


def play(model: Model, it: Operation) -> str:
    """The line that the firmware says of an operation."""
    outer = model.held
    model.held |= it.in_isr
    value = 0
    model.ticks(0, it.late)
    match it.what:
        case Do.LOCKED:
            model.held = True
            model.ticks(it.object, it.first)
            status = exact.OK
        case Do.INCREMENT:
            status = model.increment(it.object, it.first)
        case Do.PASS:
            model.ticks(it.object, it.first)
            status = exact.OK
        case Do.RELATIVE:
            status = model.start_relative(it.object, it.first)
        case Do.ABSOLUTE:
            status = model.start_absolute(it.object, it.first)
        case Do.SYNCHRON:
            status = model.start_synchron(it.object)
        case Do.STOP:
            status = model.stop(it.object)
        case Do.NEXT:
            status = model.next(it.object, it.first)
        case Do.SYNC:
            status = model.synchronise(it.object, it.first)
        case Do.ASYNC:
            status = model.asynchronous(it.object)
        case Do.SET_RELATIVE:
            status = model.set_relative(it.object, it.first, it.second)
        case Do.SET_ABSOLUTE:
            status = model.set_absolute(it.object, it.first, it.second)
        case Do.CANCEL:
            status = model.cancel(it.object)
        case Do.LEFT:
            status, value = model.left(it.object)
        case Do.ELAPSED:
            status, value = model.elapsed(it.object, it.first)
        case Do.HOLD:
            outer = model.held = True
            status = exact.OK
        case Do.RELEASE:
            outer = model.held = False
            status = exact.OK
        case Do.ACTIVATE:
            status = model.activate(it.object)
    model.held = outer
    model.run()
    said = "".join(f"{letter}{first:x}.{second:x} " for letter, first, second in model.said)
    model.said.clear()
    states = "".join(str(t.status) for t in model.tables)
    values = "".join(f" {model.value(n):x}" for n in range(len(model.now)))
    return f"{said}s{status:x}.{value:x} {states}{values}"


def schedule(system: System, dispatch: str, time: str = "") -> str:
    """The schedule file's part of the event-triggered system; ``time``: its table of time services."""
    lines = [time, "[osek]", f'status = "{"extended" if system.extended else "standard"}"', f'dispatch = "{dispatch}"']
    lines += ['hooks = ["error"]'] if system.hook else []
    lines += ["[osek.task.Main]", "priority = 1", "autostart = true", "[osek.isr.Signal]", 'source = "soft0"', "category = 2"]
    for number, task in enumerate(system.tasks):
        lines += [f"[osek.task.T{number}]", f"priority = {task.priority}"]
        lines += [f"activations = {task.activations}"] if task.activations > 1 else []
        lines += ['events = ["Event0", "Event1", "Event2"]'] if task.events else []
    lines += [f"[osek.event.Event{bit}]" for bit in range(3)]
    for number, counter in enumerate(system.counters):
        lines += [f"[osek.counter.C{number}]", f"max_allowed = {counter.max_allowed}", f"min_cycle = {counter.min_cycle}"]
        lines += [f'tick = "{counter.tick}us"', "readable = true"] if counter.tick else ['kind = "software"']
    for number, alarm in enumerate(system.alarms):
        lines += [f"[osek.alarm.A{number}]", f'counter = "C{alarm.counter}"']
        lines += [f'activate = "T{alarm.activate}"'] if alarm.activate is not None else []
        lines += [f'increment = "C{alarm.increment}"'] if alarm.increment is not None else []
        lines += [f"set_event = {_event(*alarm.set_event)}"] if alarm.set_event is not None else []
    for number, table in enumerate(system.tables):
        lines += [f"[osek.schedule_table.S{number}]", f'counter = "C{table.counter}"', f"duration = {table.duration}"]
        lines += ["repeating = true"] if table.repeating else []
        lines += [f'sync = "{table.sync}"'] if table.sync != "none" else []
        lines += [f"precision = {table.precision}"] if table.precision else []
        if table.autostart is not None:
            kind, at = table.autostart
            keys = {"relative": f"at = {at}", "absolute": f"at = {at}, absolute = true", "synchron": "synchron = true"}
            lines.append(f"autostart = {{ {keys[kind]} }}")
        for point in table.points:
            lines += [f"[[osek.schedule_table.S{number}.point]]", f"offset = {point.offset}"]
            if point.activate:
                lines.append("activate = [" + ", ".join(f'"T{task}"' for task in point.activate) + "]")
            if point.set_event:
                lines.append("set_event = [" + ", ".join(_event(*event) for event in point.set_event) + "]")
            lines += [f"max_lengthen = {point.lengthen}"] if point.lengthen else []
            lines += [f"max_shorten = {point.shorten}"] if point.shorten else []
    return "\n".join(lines) + "\n"


def _event(task: int, event: int) -> str:
    return f'{{ task = "T{task}", event = "Event{event.bit_length() - 1}" }}'


def drawn(system: System, operations: list[Operation], tick: int) -> str:
    """drawn.h; ``tick``: of the hardware counter, in ticks of the board's clock."""
    tables = ", ".join([*(f"S{n}" for n in range(len(system.tables))), f"{len(system.tables)}u"])  # the last is none
    bodies = [f"extended(T{n}, {n}u)" if t.events else f"basic({n}u)" for n, t in enumerate(system.tasks)]
    tasks = " ".join(f"TASK(T{n}) {{ {body}; TerminateTask(); }}" for n, body in enumerate(bodies))
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        f"#define TICK {tick}u",
        "#define HOOK" if system.hook else "",
        f"#define COUNTERS {', '.join(f'C{n}' for n in range(len(system.counters)))}",
        f"#define TABLE_COUNT {len(system.tables)}u",
        f"#define TABLES {tables}",
        f"#define ALARMS {', '.join(f'A{n}' for n in range(len(system.alarms)))}",
        "#define FIRST_TASK T0",
        f"#define TASKS {tasks}",
        "#define OPERATIONS " + ", \\\n    ".join(operation.code for operation in operations),
    ]
    return "\n".join(lines) + "\n"
