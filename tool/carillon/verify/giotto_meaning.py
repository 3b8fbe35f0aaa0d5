# SPDX-License-Identifier: Apache-2.0
"""What a Giotto program does at each of its instants, from its model: no units, no blocks, and no code of the compiler.

The rules are those of T. Henzinger, B. Horowitz and C. Kirsch, *Giotto*, Proceedings of the IEEE 91 (2003), section IV, and of
SPEC, section "Giotto".  An instant is a list of items, each of which says where the next one is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from carillon.diagnostics import Span
from carillon.model.giotto import Activity, Call, Driver, Giotto, Mode, PortKind, Task

Calls = tuple[tuple[str, tuple[str, ...]], ...]
"""Functions of C, in their order, and the ports that each gets."""


@dataclass(frozen=True, slots=True)
class Function:
    """A driver or a guard of the program, by its name in SPEC's section "Microcode"; or a task, which computes on copies.

    ``copies``: the task whose outputs it copies, without a function.  A port ``t:p`` is the task ``t``'s own.
    """

    name: str
    calls: Calls
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    copies: str | None = None


@dataclass(frozen=True, slots=True)
class At:
    """An instant: a mode, the time in it in milliseconds, and whether the mode is entered there by a switch.

    A mode that is entered does nothing there but what follows the switches.  The start of the program is no instant of a mode.
    """

    mode: str
    time: int = 0
    entered: bool = False


START = At("", 0)


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is done, and the code of an error where the image does another one.

    ``kind``: "call" (``function``), "if" (``function`` is the guard; ``other``: the item that follows if it is false), "release"
    (``task``, ``time`` to its deadline), "go" (to ``to``, at once), "wait" (``time``, then ``to``).
    """

    kind: str
    span: Span
    code: str
    function: Function | None = None
    other: int = 0
    task: int = 0
    time: int = 0
    to: At = START


@dataclass(slots=True)
class Meaning:
    """See above."""

    program: Giotto
    tasks: dict[str, Task] = field(init=False)
    drivers: dict[str, Driver] = field(init=False)
    modes: dict[str, Mode] = field(init=False)
    _known: dict[At, tuple[Item, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tasks = {task.name.text: task for task in self.program.tasks}
        self.drivers = {driver.name.text: driver for driver in self.program.drivers}
        self.modes = {mode.name.text: mode for mode in self.program.modes}

    def ports(self) -> list[str]:
        """All ports: the program's, then each task's."""
        found = [port.name.text for port in self.program.ports]
        for task in self.program.tasks:
            found += [f"{task.name}:{p}" for p in (*(i.name for i in task.inputs), *(s.name for s in task.states), *task.outputs)]
        return found

    def workers(self) -> list[Function]:
        """The tasks, as the program declares them."""
        found = []
        for task in self.program.tasks:
            inputs, outputs, states, arguments = (
                tuple(f"{task.name}:{name}" for name in names)
                for names in ((i.name for i in task.inputs), task.outputs, (s.name for s in task.states), task.call.arguments)
            )
            calls = ((task.call.function.text, arguments),)
            found.append(Function(task.name.text, calls, (*inputs, *states), (*outputs, *states)))
        return found

    def everywhere(self) -> Iterator[At]:
        """All instants of all modes at which something may be done, but for those that are entered."""
        for mode in self.program.modes:
            for time in sorted({0, *(t for a in mode.activities for t in range(0, mode.period, mode.period // a.frequency))}):
                yield At(mode.name.text, time)

    def items(self, at: At) -> tuple[Item, ...]:
        """What is done at an instant."""
        if at not in self._known:
            self._known[at] = tuple(self._start() if at == START else self._instant(at))
        return self._known[at]

    def _start(self) -> Iterator[Item]:
        for port in self.program.ports:
            if port.kind is PortKind.OUTPUT and port.function is not None:
                own = [f"{t.name}:{o}" for t in self.program.tasks for o in t.outputs if o.text == port.name.text]
                yield self._first(port.name.text, (port.name.text, *own), port.function.text, port.name.span)
        for task in self.program.tasks:
            for state in task.states:
                if state.init is not None:
                    name = f"{task.name}:{state.name}"
                    yield self._first(name, (name,), state.init.text, state.name.span)
        yield Item("go", self.program.start.span, "C208", to=At(self.program.start.text))

    @staticmethod
    def _first(name: str, ports: tuple[str, ...], function: str, span: Span) -> Item:
        calls = tuple((function, (port,)) for port in ports)
        return Item("call", span, "C205", Function(f"init:{name}", calls, (), ports))

    def _instant(self, at: At) -> list[Item]:
        mode = self.modes[at.mode]
        found: list[Item] = []
        code = "C208" if at.entered else "C205"
        if not at.entered:
            self._puts_out(mode, at.time, found)
            self._switches(mode, at.time, found)
        for invocation in _due(mode, mode.invocations, at.time):
            task = self.tasks[invocation.target.text]
            tests = self._test(invocation, code, found)
            if invocation.driver is not None:
                inputs = tuple(f"{task.name}:{typed.name}" for typed in task.inputs)
                driver = self.drivers[invocation.driver.text]
                moved = self._moved(f"input:{task.name}:{driver.name}", driver, inputs)
                found.append(Item("call", invocation.span, code, moved))
            number = next(k for k, each in enumerate(self.program.tasks) if each is task)
            period = mode.period // invocation.frequency
            found.append(Item("release", invocation.span, code, task=number, time=period))
            _close(tests, found)
        every = [mode.period // a.frequency for a in mode.activities]
        following = min([mode.period, *((at.time // period + 1) * period for period in every)])
        to = At(at.mode, following % mode.period)
        code = "C208" if at.entered else "C204"
        found.append(Item("wait", mode.period_span, code, time=following - at.time, to=to))
        return found

    def _puts_out(self, mode: Mode, time: int, found: list[Item]) -> None:
        """What tasks that end put out, what sets actuators, and the actuators' devices."""
        for invocation in _due(mode, mode.invocations, time):
            task = self.tasks[invocation.target.text]
            if task.outputs:
                own = tuple(f"{task.name}:{name}" for name in task.outputs)
                outputs = tuple(name.text for name in task.outputs)
                copies = Function(f"copy:{task.name}", (), own, outputs, task.name.text)
                found.append(Item("call", invocation.span, "C205", copies))
        ports = {port.name.text: port for port in self.program.ports}
        for update in _due(mode, mode.updates, time):
            tests = self._test(update, "C205", found)
            if update.driver is not None:
                driver, name = self.drivers[update.driver.text], update.target.text
                moved = self._moved(f"set:{name}:{driver.name}", driver, (name,))
                found.append(Item("call", update.span, "C205", moved))
            _close(tests, found)
        for update in _due(mode, mode.updates, time):
            port = ports[update.target.text]
            if port.function is not None:
                name = port.name.text
                device = Function(f"put:{name}", ((port.function.text, (name,)),), (name,))
                found.append(Item("call", update.span, "C205", device))

    def _switches(self, mode: Mode, time: int, found: list[Item]) -> None:
        """Sensors that are read here, and switches."""
        switches = list(_due(mode, mode.switches, time))
        users = [*switches, *_due(mode, mode.invocations, time)]
        for switch in switches:
            target = self.modes[switch.target.text]
            users += _due(target, target.invocations, self.entered(mode, time, target))
        read = {s.text for user in users if user.driver is not None for s in self.drivers[user.driver.text].sources}
        for port in self.program.ports:
            name = port.name.text
            if port.kind is PortKind.SENSOR and port.function is not None and name in read:
                get = Function(f"get:{name}", ((port.function.text, (name,)),), (), (name,))
                found.append(Item("call", port.name.span, "C205", get))
        for switch in switches:
            tests = self._test(switch, "C208", found)
            target = self.modes[switch.target.text]
            if switch.driver is not None:
                driver = self.drivers[switch.driver.text]
                moved = self._moved(f"switch:{target.name}:{driver.name}", driver, self._outputs(driver, target))
                found.append(Item("call", switch.span, "C208", moved))
            entered = At(target.name.text, self.entered(mode, time, target), True)
            found.append(Item("go", switch.span, "C208", to=entered))
            _close(tests, found)

    def _outputs(self, driver: Driver, target: Mode) -> tuple[str, ...]:
        """The outputs that a switch's driver sets: by their names; or if one is no output's name, those of the target's list."""
        names = tuple(typed.name.text for typed in driver.destinations)
        outputs = {port.name.text for port in self.program.ports if port.kind is PortKind.OUTPUT}
        return names if outputs >= {*names} else tuple(port.text for port in target.ports)

    def entered(self, mode: Mode, time: int, target: Mode) -> int:
        """The time in the target of a switch: what is interrupted ends there when it would have, next together at its end."""
        periods = [p for a in mode.invocations if time % (p := mode.period // a.frequency)]
        if not periods:
            return 0
        common = math.lcm(*periods)
        return (target.period - (common - time % common)) % target.period

    def _test(self, activity: Activity, code: str, found: list[Item]) -> int | None:
        """The guard of an activity's driver; where it stands."""
        if activity.driver is None:
            return None
        driver = self.drivers[activity.driver.text]
        arguments = tuple(argument.text for argument in driver.guard.arguments)
        guard = Function(driver.name.text, ((driver.guard.function.text, arguments),), tuple(dict.fromkeys(arguments)))
        found.append(Item("if", activity.span, code, guard))
        return len(found) - 1

    @staticmethod
    def _moved(name: str, driver: Driver, destinations: tuple[str, ...]) -> Function:
        call: Call = driver.call
        given = dict(zip((typed.name.text for typed in driver.destinations), destinations, strict=False))
        arguments = tuple(given.get(argument.text, argument.text) for argument in call.arguments)
        return Function(name, ((call.function.text, arguments),), tuple(s.text for s in driver.sources), destinations)


def _due(mode: Mode, activities: Iterable[Activity], time: int) -> Iterator[Activity]:
    return (a for a in activities if time % (mode.period // a.frequency) == 0)


def _close(test: int | None, found: list[Item]) -> None:
    """What is next is what follows a guard that is false."""
    if test is not None:
        item = found[test]
        found[test] = Item(item.kind, item.span, item.code, item.function, len(found))
