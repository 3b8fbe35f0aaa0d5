# SPDX-License-Identifier: Apache-2.0
"""Pairs of services: one that a task calls, and one that an interrupt service routine calls in the middle of it.

Task 0 is the lowest and sees to everything: it activates the victim, which calls the first service, and asks at the
end what has become of everything.  Each pair is a program, several of which make an image (``firmware.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, zip_longest

from interleavings import CellAlarm, Do, Mark, Step
from reference import CALLBACK, ISR, Action, Alarm, Application, Code, Counter, Isr, Op, Program, Resource, Task, hook

from firmware import Setting
from sample import DRAW, rank


def op(code: Code, *parameters: int) -> Op:
    return Op(code, *parameters)


END = op(Code.TERMINATE_TASK)
ALWAYS = frozenset({0})


@dataclass(frozen=True, slots=True)
class Victim:
    """A task that calls the first service, and what it has done before."""

    task: int
    before: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Family:
    """Applications of the same tasks, in which the same pairs are made."""

    name: str
    application: Application
    victims: tuple[Victim, ...]
    bodies: tuple[tuple[int, tuple[Step, ...]], ...] = ()  # of tasks that do more than end
    clock: str = ""  # of the time services
    own_cells: frozenset[int] = frozenset()  # tasks that are activated by an alarm's cell of their own
    cells: tuple[CellAlarm, ...] = ()  # alarms that have a cell and a handler


@dataclass(frozen=True, slots=True)
class Pair:
    """A service, the one that comes in between, and the program that has both."""

    name: str
    program: Program


DRIVER = Task(0, autostart=ALWAYS)
ROUTINE = Isr(2, 2)


def _families() -> Iterator[Family]:
    yield Family(
        "direct",
        Application((DRIVER, Task(1), Task(2), Task(3)), isrs=(ROUTINE,)),
        (Victim(2), Victim(2, (op(Code.ACTIVATE_TASK, 1),))),
    )
    yield Family(
        "own cell",
        Application((DRIVER, Task(1), Task(2), Task(3, activations=2)), isrs=(ROUTINE,)),
        (Victim(2), Victim(2, (op(Code.ACTIVATE_TASK, 1),)), Victim(2, (Do(Mark.EXPIRE, 2),))),
        own_cells=frozenset({1, 2}),
    )
    yield Family(
        "queued",
        Application((DRIVER, Task(1, activations=2), Task(2, activations=2), Task(2), Task(3, activations=2)), isrs=(ROUTINE,)),
        (Victim(2), Victim(2, (op(Code.ACTIVATE_TASK, 1), op(Code.ACTIVATE_TASK, 3))), Victim(3, (op(Code.ACTIVATE_TASK, 2),))),
    )
    yield Family(
        "not preemptable",
        Application((DRIVER, Task(1), Task(2, preemptable=False), Task(3), Task(3, activations=2)), isrs=(ROUTINE,)),
        (Victim(2), Victim(2, (op(Code.ACTIVATE_TASK, 3),))),
    )

    def waits(task: int) -> tuple[Op, ...]:
        return op(Code.WAIT_EVENT, 1), op(Code.GET_EVENT, task), op(Code.CLEAR_EVENT, 7), END

    yield Family(
        "events",
        Application(
            (DRIVER, Task(1, autostart=ALWAYS, events=7), Task(2, events=7), Task(3, autostart=ALWAYS, events=7)),
            isrs=(ROUTINE,),
        ),
        (Victim(2), Victim(2, (op(Code.SET_EVENT, 1, 1), op(Code.SET_EVENT, 2, 1), op(Code.SET_EVENT, 3, 4)))),
        ((1, waits(1)), (3, waits(3))),
    )
    yield Family(
        "events of a shared level",
        Application(
            (
                DRIVER,
                Task(1, autostart=ALWAYS, events=7),
                Task(1, activations=2),
                Task(2, events=7),
                Task(2, autostart=ALWAYS, events=7),
            ),
            isrs=(ROUTINE,),
        ),
        (Victim(2), Victim(3), Victim(3, (op(Code.SET_EVENT, 4, 1), op(Code.ACTIVATE_TASK, 2)))),
        ((1, waits(1)), (4, waits(4))),
    )
    yield Family(
        "resources",
        Application(
            (DRIVER, Task(1, resources=(0, 2)), Task(2, resources=(0, 1)), Task(3, resources=(0, 2)), Task(4)),
            isrs=(Isr(2, 2, resources=(1,)),),
            resources=(Resource(), Resource(), Resource(internal=True)),
        ),
        (Victim(2), Victim(1), Victim(1, (op(Code.ACTIVATE_TASK, 3),))),
    )
    yield Family(
        "alarms",
        Application(
            (DRIVER, Task(1), Task(2), Task(3, autostart=ALWAYS, events=7)),
            isrs=(ROUTINE,),
            counters=(Counter(5), Counter(2)),
            alarms=(
                Alarm(0, Action.ACTIVATE, 1),
                Alarm(0, Action.SET_EVENT, 3, 1),
                Alarm(0, Action.CALLBACK),
                Alarm(0, Action.INCREMENT, 1),
                Alarm(1, Action.ACTIVATE, 1),
            ),
        ),
        (
            Victim(2),
            Victim(2, tuple(op(Code.SET_REL_ALARM, a, 2 - a % 2, 1 + a % 2) for a in range(5))),
            Victim(2, tuple(op(Code.SET_REL_ALARM, a, 1, 0) for a in range(1, 4))),
        ),
        ((3, waits(3)),),
    )
    yield Family(
        "alarms' cells",
        Application(
            (DRIVER, Task(1, activations=2), Task(2), Task(3, autostart=ALWAYS, events=7), Task(3, activations=2)),
            isrs=(ROUTINE,),
        ),
        (
            Victim(2),
            Victim(2, (Do(Mark.CANCEL, 0), Do(Mark.CANCEL, 1), Do(Mark.SET_ANEW, 1))),
            Victim(2, (op(Code.ACTIVATE_TASK, 1), op(Code.ACTIVATE_TASK, 1), op(Code.SET_EVENT, 3, 4))),
        ),
        ((3, waits(3)),),
        cells=(CellAlarm(1), CellAlarm(3, 1, own=True), CellAlarm(4)),
    )
    yield Family(
        "cells of task levels",
        Application(
            (DRIVER, Task(1), Task(2), Task(3, autostart=ALWAYS, events=7), Task(2), Task(1, autostart=ALWAYS, events=7)),
            isrs=(ROUTINE,),
        ),
        (
            Victim(2),
            Victim(2, (Do(Mark.REQUEST, 0), Do(Mark.REQUEST, 1))),
            Victim(2, (op(Code.ACTIVATE_TASK, 4), Do(Mark.REQUEST, 0), Do(Mark.CANCEL, 1), Do(Mark.SET_ANEW, 1))),
        ),
        ((3, waits(3)), (5, waits(5))),
        cells=(CellAlarm(1, own=True), CellAlarm(2, own=True), CellAlarm(3, 1, own=True), CellAlarm(4)),
    )
    yield Family(
        "cells of extended tasks",
        Application(
            (DRIVER, Task(1, autostart=ALWAYS, events=7), Task(2, events=7), Task(3, autostart=ALWAYS, events=7)),
            isrs=(ROUTINE,),
        ),
        (Victim(2), Victim(2, (Do(Mark.REQUEST, 0), Do(Mark.REQUEST, 1))), Victim(2, (op(Code.SET_EVENT, 1, 1),))),
        ((1, waits(1)), (3, waits(3))),
        cells=(CellAlarm(1, 2, own=True), CellAlarm(2, 1, own=True), CellAlarm(3, 1, own=True)),
    )
    takes = (Do(Mark.TAKE_WITHIN), END)
    for clock in ("periodic", "one-shot"):
        yield Family(
            f"time, {clock} clock",
            Application(
                (DRIVER, Task(1), Task(2, events=1), Task(3, autostart=ALWAYS, events=1)),
                isrs=(ROUTINE,),
            ),
            (
                Victim(2),
                Victim(2, (Do(Mark.GIVE, 1), Do(Mark.START, 0))),
                Victim(2, (Do(Mark.GIVE, 0), Do(Mark.GIVE, 0), Do(Mark.START, 1), Do(Mark.START, 0))),
            ),
            ((3, takes),),
            clock=clock,
        )
    yield Family(
        "category 1",
        Application((DRIVER, Task(1), Task(2), Task(3, activations=2)), isrs=(Isr(1, 2), Isr(2, 1))),
        (Victim(2), Victim(2, (op(Code.ACTIVATE_TASK, 1),))),
    )


FAMILIES = tuple(_families())


def settings(family: Family) -> Iterator[tuple[str, Setting]]:
    """The ways in which a family's application is built."""
    hooks = family.application.hooks
    standard = replace(family.application, extended_status=False, hooks=hooks)
    extended = replace(family.application, extended_status=True, hooks=hooks | {"error"})
    extra = "".join(
        f'[osek.counter.H{task}]\ntick = "1 ms"\n[osek.alarm.B{task}]\ncounter = "H{task}"\nactivate = "T{task}"\n'
        "autostart = { at = 1000, cycle = 1000 }\n"
        for task in sorted(family.own_cells)
    )
    if family.clock:
        tick = 'tick = "100 ms"\n' if family.clock == "periodic" else ""
        time = f'[time]\nclock = "{family.clock}"\n{tick}'
        yield "inline", Setting(standard, extra=time)
        yield "software", Setting(standard, "software", extra=time)
        yield "extended", Setting(extended, extra=time)
        return
    cells = family.cells
    # Where tasks have no levels of the controller; and with an error hook, which would have to be told of more expiries than the
    # time base tells apart in the 100 s of such an alarm (cells.h, 3).
    above = tuple(replace(cell, own=False) for cell in cells)
    yield "inline", Setting(standard, extra=extra, cells=cells)
    yield "functions", Setting(standard, functions=True, extra=extra, cells=cells)
    if not family.own_cells:
        yield "software", Setting(standard, "software", cells=above)
        yield "extended", Setting(extended, cells=above)
        yield "extended software", Setting(extended, "software", cells=above)
        yield "error hook", Setting(replace(standard, hooks=hooks | {"error"}), cells=above)
        told = replace(standard, hooks=hooks | {"pretask", "posttask"})
        yield "task hooks", Setting(told, cells=cells)
        yield "task hooks software", Setting(told, "software", cells=above)


def _sections(inner: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    disable, enable = op(Code.DISABLE_ALL_INTERRUPTS), op(Code.ENABLE_ALL_INTERRUPTS)
    suspend, resume = op(Code.SUSPEND_ALL_INTERRUPTS), op(Code.RESUME_ALL_INTERRUPTS)
    suspend_os, resume_os = op(Code.SUSPEND_OS_INTERRUPTS), op(Code.RESUME_OS_INTERRUPTS)
    yield (disable, *inner, enable)
    yield (suspend, *inner, resume)
    yield (suspend_os, *inner, resume_os)
    yield (suspend, suspend_os, *inner, resume_os, resume)
    yield (suspend_os, suspend, *inner, resume, resume_os)
    yield (suspend, suspend, *inner, resume, resume)


def _shared(application: Application) -> Iterator[tuple[Op, ...]]:
    """What tasks and interrupt service routines of category 2 may call."""
    tasks = range(1, len(application.tasks))
    for task in tasks:
        yield (op(Code.ACTIVATE_TASK, task),)
        yield (op(Code.GET_TASK_STATE, task),)
        if application.tasks[task].events:
            yield (op(Code.SET_EVENT, task, 1),)
            yield (op(Code.SET_EVENT, task, 2),)
            yield (op(Code.GET_EVENT, task),)
    yield (op(Code.GET_TASK_ID),)
    for alarm in range(len(application.alarms)):
        yield (op(Code.SET_REL_ALARM, alarm, 1, 0),)
        yield (op(Code.SET_REL_ALARM, alarm, 2, 2),)
        yield (op(Code.SET_ABS_ALARM, alarm, 2, 0),)
        yield (op(Code.CANCEL_ALARM, alarm),)
        yield (op(Code.GET_ALARM, alarm),)
    for counter in range(len(application.counters)):
        yield (op(Code.INCREMENT_COUNTER, counter),)


def _held(resources: tuple[int, ...], inner: tuple[Op, ...] = ()) -> Iterator[tuple[Op, ...]]:
    for resource in resources:
        yield (op(Code.GET_RESOURCE, resource), *inner, op(Code.RELEASE_RESOURCE, resource))


def _of_time() -> Iterator[tuple[Step, ...]]:
    """The time services that tasks and interrupt service routines may call."""
    for x in range(2):
        for mark in (Mark.TAKE_NOW, Mark.GIVE, Mark.START, Mark.STOP, Mark.CHANGE, Mark.LEFT):
            yield (Do(mark, x),)
    yield (Do(Mark.GIVE, 0), Do(Mark.GIVE, 1))
    yield (Do(Mark.STOP, 0), Do(Mark.STOP, 1))


def _of_cells(family: Family) -> Iterator[tuple[Step, ...]]:
    """What is done to an alarm that has a cell, by tasks and interrupt service routines."""
    for alarm in range(len(family.cells)):
        for mark in (Mark.REQUEST, Mark.CANCEL, Mark.SET_ANEW, Mark.GET):
            yield (Do(mark, alarm),)


def firsts(family: Family, victim: int) -> Iterator[tuple[Step, ...]]:
    """What a victim calls."""
    application = family.application
    if family.clock:
        yield from _of_time()
        yield from ((Do(mark, x),) for mark in (Mark.TAKE, Mark.TAKE_WITHIN, Mark.DELAY) for x in range(2 - (mark is Mark.DELAY)))
        yield (op(Code.ACTIVATE_TASK, 1),)
        return
    task = application.tasks[victim]
    explicit = tuple(r for r in task.resources if r < application.explicit_resources)
    inner = (op(Code.ACTIVATE_TASK, len(application.tasks) - 1),)
    yield from _of_cells(family)
    for alarm in range(len(family.cells)):
        yield (Do(Mark.REQUEST, alarm), Do(Mark.CANCEL, alarm))
        yield from _sections((Do(Mark.REQUEST, alarm),))
        if not application.extended_status:
            yield from _sections((Do(Mark.REQUEST, alarm), Do(Mark.CANCEL, alarm)))
    yield from _shared(application)
    yield (END,)
    yield (op(Code.SCHEDULE),)
    for other in range(1, len(application.tasks)):
        yield (op(Code.CHAIN_TASK, other),)
    if task.events:
        yield from ((op(Code.WAIT_EVENT, mask),) for mask in (1, 2, 3))
        yield (op(Code.CLEAR_EVENT, 1),)
        yield (op(Code.WAIT_EVENT, 1), op(Code.CLEAR_EVENT, 1), op(Code.WAIT_EVENT, 1))
    yield from _held((*explicit, application.explicit_resources))
    yield from _held((*explicit, application.explicit_resources), inner)
    yield from _sections(())
    yield from _sections(() if application.extended_status else inner)


def seconds(family: Family) -> Iterator[tuple[Step, ...]]:
    """What comes in between."""
    application = family.application
    if family.clock:
        yield from _of_time()
        yield (op(Code.ACTIVATE_TASK, 1),)
        yield (op(Code.ACTIVATE_TASK, 3),)
        return
    if application.isrs[0].category == 1:
        yield ()
        yield (op(Code.PEND, 1),)
        yield from _sections(())
        return
    yield from _of_cells(family)
    yield from _shared(application)
    yield from _held(application.isrs[0].resources)
    yield from _sections(())
    for task in sorted(family.own_cells):
        yield (Do(Mark.EXPIRE, task),)


def describe(steps: tuple[Step, ...]) -> str:
    """Services as they are read: ActivateTask 1; ..."""
    said = []
    for step in steps:
        if isinstance(step, Do):
            said.append(f"{step.mark.value.capitalize()} {step.x}")
            continue
        numbers = [step.x, step.y, step.z]
        while numbers and not numbers[-1]:
            numbers.pop()
        said.append(" ".join([step.code.name.title().replace("_", ""), *map(str, numbers)]))
    return "; ".join(said)


def pairs(family: Family, setting: Setting) -> Iterator[Pair]:
    """The pairs of a family in one of its settings, not all of which are specified."""
    application = setting.application
    tasks = range(len(application.tasks))
    extended = [n for n in tasks if application.tasks[n].events]
    asks: tuple[Step, ...] = tuple(op(Code.GET_TASK_STATE, n) for n in tasks)
    asks += tuple(Do(Mark.EVENTS, n) for n in extended if not family.clock)
    asks += tuple(op(Code.GET_ALARM, a) for a in range(len(application.alarms)))
    asks += tuple(Do(Mark.GET, a) for a in range(len(family.cells)))
    bodies: dict[int, tuple[tuple[Step, ...], ...]] = dict.fromkeys(tasks, ((END,),))
    bodies |= {n: (body,) for n, body in family.bodies}
    bodies |= {ISR + n: ((),) for n in range(len(application.isrs))}
    bodies |= {CALLBACK + n: ((),) for n, a in enumerate(application.alarms) if a.action is Action.CALLBACK}
    bodies |= {hook(name): ((op(Code.GET_TASK_ID),) if "task" in name else (),) for name in application.hooks}
    for victim in family.victims:
        rescue = (Do(Mark.SET, victim.task),) if application.tasks[victim.task].events and not family.clock else ()
        driver = ((op(Code.ACTIVATE_TASK, victim.task), Do(Mark.DISARM), *rescue, *asks, op(Code.HALT)),)
        for first in dict.fromkeys(firsts(replace(family, application=application), victim.task)):
            body = ((*victim.before, Do(Mark.ARM), *first, END), (END,))
            for second in dict.fromkeys(seconds(family)):
                program = Program({**bodies, 0: driver, victim.task: body, ISR: (second,)})  # type: ignore[dict-item]
                before = f"{describe(victim.before)}; " if victim.before else ""
                yield Pair(f"T{victim.task}: {before}| {describe(first)} | I0: {describe(second)}", program)


# What changes what the other looks at: pairs of two of a row are the ones that a part of all begins with.
RELATED = (
    ("ActivateTask", "ChainTask", "TerminateTask", "Expire", "Schedule"),
    ("SetEvent", "WaitEvent", "ClearEvent"),
    ("IncrementCounter", "CancelAlarm"),
    ("SetRelAlarm", "SetAbsAlarm", "CancelAlarm", "IncrementCounter"),
    ("Give", "Take"),
    ("Start", "Stop"),
    ("Request", "Cancel", "ActivateTask", "WaitEvent", "SetEvent"),
    ("ChainTask", "GetTaskState"),
    ("Suspend", "Disable", "Pend"),
)


def _rank(pair: Pair) -> tuple[int, bool, bytes]:
    """Which row a pair's services are of, if they are of one; there two of the same object first."""
    first, second = (part.removeprefix(" I0:").strip() for part in pair.name.split("|")[1:])
    rows = [n for n, row in enumerate(RELATED) if first.startswith(row) and second.startswith(row)]
    other = first.split()[1:2] != second.split()[1:2]
    other = other or first.startswith("CancelAlarm")  # a tick that is cut in two is where most can go wrong
    return (rows[0] if rows else -1), other, rank(DRAW, pair.name)


def some(all_pairs: list[Pair], count: int, is_specified: Callable[[Pair], bool]) -> list[Pair]:
    """So many specified pairs, which turn with the commit: two thirds of them of related services.

    Of each relation and each state in which a victim is there are as many.
    """
    rows: dict[tuple[int, str], list[Pair]] = {}
    others: list[Pair] = []
    for pair in sorted(all_pairs, key=_rank):
        row = _rank(pair)[0]
        (others if row < 0 else rows.setdefault((row, pair.name.split("|")[0]), [])).append(pair)
    related = (pair for turn in zip_longest(*rows.values()) for pair in turn if pair is not None)
    chosen = list(islice(filter(is_specified, related), count - count // 3))
    chosen += islice(filter(is_specified, others), count - len(chosen))
    chosen += islice(filter(is_specified, related), count - len(chosen))  # where there are few others
    names = {pair.name for pair in chosen}
    return [pair for pair in all_pairs if pair.name in names]
