# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a Giotto program: names, types, frequencies, switches of modes, and what would not be deterministic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

from carillon.check.common import article
from carillon.diagnostics import Diagnostics, Span, suggestion
from carillon.frontends.giotto.annotations import check_annotations
from carillon.frontends.giotto.functions import check_functions
from carillon.frontends.giotto.triggers import check_triggers
from carillon.model.giotto import Activity, Call, Driver, Giotto, Mode, Name, Port, PortKind, Task, Typed
from carillon.units import format_number, shorten

MOST_ACTIVITIES = 20_000
"""What the modes may do in one period of each of them; more does not fit into the addresses of microcode."""
LONGEST_PERIOD = 0xFF_FFFF
"""In milliseconds, since an instruction's time has 24 bits."""
MOST_ERRORS = 100
_T = TypeVar("_T")


def check_giotto(program: Giotto, diagnostics: Diagnostics) -> None:
    """Report everything that is wrong with a program, and what is probably not meant."""
    _Checker(program, diagnostics).run()


class _Checker:
    def __init__(self, program: Giotto, diagnostics: Diagnostics) -> None:
        self.program = program
        self.diagnostics = diagnostics
        self.errors = 0
        self.reports = 0  # of errors, also where others say the same
        self.told: set[str] = set()
        self.faulty: set[str] = set()
        """Drivers in which errors were reported."""
        self.ports = {port.name.text: port for port in reversed(program.ports)}
        self.types = {alias.name.text: alias.meant.text for alias in reversed(program.types)}
        self.tasks = {task.name.text: task for task in reversed(program.tasks)}
        self.drivers = {driver.name.text: driver for driver in reversed(program.drivers)}
        self.modes = {mode.name.text: mode for mode in reversed(program.modes)}

    def error(self, code: str, span: Span, cause: str, remedy: str, of: str = "") -> None:
        """Report an error, or where else it shows: those ``of`` one thing, or that say the same, are one."""
        of = of or f"{code} {cause}"
        self.reports += 1
        if of not in self.told:
            self.errors += 1
        if self.errors <= MOST_ERRORS:
            self.told.add(of)
            self.diagnostics.error_once(of, code, span, cause, remedy)
        elif self.errors == MOST_ERRORS + 1:
            self.diagnostics.error(code, span, f"more than {MOST_ERRORS} errors; the rest is not shown", "correct these first")

    def run(self) -> None:
        program = self.program
        self.once("type", (alias.name for alias in program.types))
        self.once("port", (port.name for port in program.ports))
        self.once("task", (task.name for task in program.tasks))
        self.once("driver", (driver.name for driver in program.drivers))
        self.once("mode", (mode.name for mode in program.modes))
        for task in program.tasks:
            self.task(task)
        for driver in program.drivers:
            self.driver(driver)
        check_annotations(program, self.diagnostics, self.error)
        check_triggers(program, self.type_of, self.error, self.diagnostics.warning)
        if program.start.text not in self.modes:
            cause = f"there is no mode {shorten(program.start.text)} to start in"
            remedy = suggestion(program.start.text, self.modes)
            self.error("C260", program.start.span, cause, remedy, f"mode {program.start.text}")
        sound = {mode.name.text for mode in program.modes if self.mode(mode)}
        for mode in program.modes:
            if mode.name.text in sound:
                self.switches(mode, sound)
        activities = sum(a.frequency for m in program.modes if m.name.text in sound for a in m.activities)
        if activities > MOST_ACTIVITIES:
            largest = max(program.modes, key=lambda m: sum(a.frequency for a in m.activities))
            cause = f"a period of each mode has {activities} activities, and microcode has room for {MOST_ACTIVITIES}"
            self.error("C265", largest.name.span, cause, "use smaller frequencies or fewer modes")
        if not self.errors:
            check_functions(program, self.type_of, self.error)
            self.reached()

    # Names

    def once(self, kind: str, names: Iterable[Name], where: str = "") -> None:
        """No name is there twice."""
        first: dict[str, Name] = {}
        for name in names:
            known = first.setdefault(name.text, name)
            if known is not name:
                cause = f"there are two {kind}s {shorten(name.text)}{where}; the first is on line {known.span.line}"
                self.error("C252", name.span, cause, "give one of them another name")

    def known(self, name: Name, declared: Mapping[str, _T], kind: str) -> _T | None:
        """What is declared by that name."""
        found = declared.get(name.text)
        if found is None:
            cause = f"there is no {kind} {shorten(name.text)}"
            self.error("C253", name.span, cause, suggestion(name.text, declared), f"{kind} {name.text}")
        return found

    def output(self, name: Name, what: str) -> Port | None:
        """The output of that name."""
        port = self.ports.get(name.text)
        outputs = [p.name.text for p in self.program.ports if p.kind is PortKind.OUTPUT]
        if port is None:
            cause = f"there is no output {shorten(name.text)}"
            self.error("C253", name.span, cause, suggestion(name.text, outputs), f"port {name.text}")
        elif port.kind is not PortKind.OUTPUT:
            cause = f"{shorten(name.text)} is {article(port.kind.value)}, and {what} is an output"
            self.error("C253", name.span, cause, suggestion("", outputs))
            return None
        return port

    def call(self, call: Call, known: Sequence[str], what: str, whose: Name) -> None:
        """Every argument is known."""
        for argument in call.arguments:
            if argument.text not in known:
                cause = f"{shorten(argument.text)} is an argument of {call.function}, and {what}"
                self.error("C253", argument.span, cause, suggestion(argument.text, known), f"argument {argument.text} of {whose}")

    def task(self, task: Task) -> None:
        own = [*(p.name for p in task.inputs), *task.outputs, *(p.name for p in task.states)]
        self.once("port", own, f" of the task {task.name}")
        if None in [self.output(name, f"what the task {task.name} puts out") for name in task.outputs]:
            return  # its function may be called with another one
        self.call(task.call, [name.text for name in own], f"no port of the task {task.name}", task.name)

    def driver(self, driver: Driver) -> None:
        before = self.reports
        self.ports_of_driver(driver)
        if self.reports != before:
            self.faulty.add(driver.name.text)

    def ports_of_driver(self, driver: Driver) -> None:
        own = [*driver.sources, *(p.name for p in driver.destinations)]
        self.once("port", own, f" of the driver {driver.name}")
        for source in driver.sources:
            port = self.ports.get(source.text)
            readable = [p.name.text for p in self.program.ports if p.kind is not PortKind.ACTUATOR]
            if port is None:
                cause = f"there is no sensor or output {shorten(source.text)}, a source of the driver {driver.name}"
                self.error("C253", source.span, cause, suggestion(source.text, readable), f"port {source.text}")
            elif port.kind is PortKind.ACTUATOR:
                cause = f"the actuator {source.text} is a source of the driver {driver.name}"
                self.error("C253", source.span, cause, "a driver reads sensors and outputs")
        if any(source.text not in self.ports for source in driver.sources):
            return  # its functions may be called with another one
        guard = [source.text for source in driver.sources]
        self.call(driver.guard, guard, f"none of the sources of the driver {driver.name}", driver.name)
        self.call(driver.call, [name.text for name in own], f"no port of the driver {driver.name}", driver.name)

    # Modes

    def mode(self, mode: Mode) -> bool:
        """Check a mode by itself; returns whether its frequencies are sound."""
        before = self.reports
        if not 1 <= mode.period <= LONGEST_PERIOD:
            cause = f"the period of {mode.period} ms of the mode {mode.name} is not in 1 to {LONGEST_PERIOD} ms"
            self.error("C256", mode.period_span, cause, "a period is a whole number of milliseconds")
        for activity in mode.activities:
            if activity.frequency == 0:
                cause = f"{activity.target} has a frequency of 0"
                self.error("C256", activity.span, cause, "remove it, or give it a frequency from 1")
            elif activity.frequency > max(mode.period, 1):
                cause = f"{activity.target} has the frequency {activity.frequency} in a period of {mode.period} ms"
                remedy = "a unit is at least a millisecond: use a smaller frequency, or a longer period"
                self.error("C256", activity.span, cause, remedy, f"unit of mode {mode.name} of {mode.period}")
        sound = self.reports == before
        units = _units(mode) if sound else 1
        if mode.period % units != 0:
            sound = False
            cause = (
                f"the period of {mode.period} ms of the mode {mode.name} does not divide into {units} units"
                if units <= LONGEST_PERIOD
                else f"the period of {mode.period} ms of the mode {mode.name} does not divide into as many units as it takes"
            )
            remedy = (
                "there are as many units as the least common multiple of all frequencies: "
                "use a multiple of it as the period, or other frequencies"
            )
            self.error("C257", mode.period_span, cause, remedy)
        self.once("port", mode.ports, f" of the mode {mode.name}")
        for name in mode.ports:
            self.output(name, f"a port of the mode {mode.name}")
        self.updates(mode)
        self.invocations(mode)
        for activity in mode.switches:
            self.switch(mode, activity)
        return sound

    def used(self, mode: Mode, activity: Activity, what: str, with_sensors: bool = True) -> Driver | None:
        """The driver of an activity, whose sources the mode has."""
        name = activity.driver
        if name is None:
            return None
        driver = self.known(name, self.drivers, "driver")
        if driver is None:
            return None
        listed = self.program.ports_of(mode)
        for source in driver.sources:
            port = self.ports.get(source.text)
            if port is None:
                continue
            reads = f"the driver {driver.name} of {what} reads"
            if port.kind is PortKind.SENSOR and not with_sensors:
                cause = f"{reads} the sensor {source.text}, which is read after actuators are set"
                remedy = "read it in the driver of a task, and give the actuator the task's output"
                self.error("C262", name.span, cause, remedy)
            elif port.kind is PortKind.OUTPUT and source.text not in listed:
                cause = f"{reads} {source.text}, which is no port of the mode {mode.name}"
                remedy = f"add it to the ports of the mode: mode {mode.name} (..., {source.text})"
                self.error("C261", name.span, cause, remedy)
        return driver

    def twice(self, activities: Iterable[Activity], kind: str) -> None:
        """No target is there twice: all activities are active in unit 0, so that two would meet there."""
        first: dict[str, Activity] = {}
        for activity in activities:
            known = first.setdefault(activity.target.text, activity)
            if known is not activity:
                cause = (
                    f"the {kind} {activity.target} is there twice in one mode, and both meet at its start; the first is on line "
                    f"{known.target.span.line}"
                )
                self.error("C259", activity.target.span, cause, "keep one of them")

    def updates(self, mode: Mode) -> None:
        self.twice(mode.updates, PortKind.ACTUATOR.value)
        actuators = [p.name.text for p in self.program.ports if p.kind is PortKind.ACTUATOR]
        for activity in mode.updates:
            port = self.ports.get(activity.target.text)
            if port is None or port.kind is not PortKind.ACTUATOR:
                cause = f"there is no actuator {shorten(activity.target.text)}"
                self.error("C253", activity.target.span, cause, suggestion(activity.target.text, actuators))
                port = None
            driver = self.used(mode, activity, f"the actuator {activity.target}", with_sensors=False)
            if driver is not None and port is not None:
                self.fits(activity, driver, (Typed(port.type, port.name),), f"the actuator {port.name}", actuators)

    def invocations(self, mode: Mode) -> None:
        self.twice(mode.invocations, "task")
        writers: dict[str, Activity] = {}
        for activity in mode.invocations:
            task = self.known(activity.target, self.tasks, "task")
            driver = self.used(mode, activity, f"the task {activity.target}")
            if task is None:
                continue
            for output in task.outputs:
                known = writers.setdefault(output.text, activity)
                if known.target.text != activity.target.text:
                    cause = f"the tasks {known.target} and {activity.target} both put out {output} in the mode {mode.name}"
                    remedy = "give one of them another output, or invoke only one of them in the mode"
                    self.error("C259", activity.target.span, cause, remedy)
            if activity.driver is None and task.inputs:
                cause = f"the task {task.name} has inputs, and no driver sets them"
                self.error("C254", activity.target.span, cause, f"name a driver: do {task.name}(DRIVER)")
            if driver is not None:
                own = [typed.name.text for typed in task.inputs]
                self.fits(activity, driver, task.inputs, f"the inputs of the task {task.name}", own)

    def fits(self, activity: Activity, driver: Driver, wanted: Sequence[Typed], what: str, names: Sequence[str]) -> None:
        """The destinations of a driver are these ports, in their order."""
        assert activity.driver is not None
        span = activity.driver.span
        if len(driver.destinations) != len(wanted):
            count = "is one" if len(wanted) == 1 else f"are {len(wanted)}"
            cause = f"the driver {driver.name} has {_ports(len(driver.destinations))} for {what}, which {count}"
            self.error("C254", span, cause, f"declare it with output ({', '.join(f'{p.type} {p.name}' for p in wanted)})")
            return
        for typed, port in zip(driver.destinations, wanted, strict=True):
            if typed.name.text != port.name.text and typed.name.text in names:
                cause = f"the destination {typed.name} of the driver {driver.name} sets {port.name}: they go by their order"
                self.diagnostics.warning("C254", span, cause, "list the destinations in the order of the ports that they set")
            self.same_type(typed.type, port.type, span, f"the driver {driver.name}", port.name)

    def type_of(self, name: str) -> str:
        """The type that a name of a type means in the end."""
        seen: set[str] = set()
        while name in self.types and name not in seen:
            seen.add(name)
            name = self.types[name]
        return name

    def same_type(self, found: Name, wanted: Name, span: Span, what: str, port: Name) -> None:
        if self.type_of(found.text) != self.type_of(wanted.text):
            cause = f"{what} sets {port}, of the type {wanted}, as one of the type {found}"
            self.error("C255", span, cause, "use one type, or declare one as the other's name: type A is B;")

    # Switches

    def switch(self, mode: Mode, activity: Activity) -> None:
        """A switch by itself."""
        target = self.known(activity.target, self.modes, "mode")
        driver = self.used(mode, activity, f"the switch to {activity.target}")
        if driver is None or target is None or activity.driver is None:
            return
        names = self.program.set_by_switch(driver, target)
        listed = self.program.ports_of(target)
        for k, typed in enumerate(driver.destinations):
            port = self.ports.get(typed.name.text if names is None else names[k])
            if port is None or port.kind is not PortKind.OUTPUT:
                if names is None and driver.name.text not in self.faulty:
                    cause = f"the driver {driver.name} of a switch sets {typed.name}, which is no output"
                    remedy = (
                        f"name outputs; or as many destinations as the mode {target.name} lists ports, which go by their order"
                    )
                    self.error("C253", activity.driver.span, cause, remedy, f"port {typed.name}")
                continue
            if port.name.text not in listed:
                cause = f"the driver {driver.name} sets {port.name}, which is no port of the mode {target.name}"
                remedy = f"add it to the ports of the mode: mode {target.name} (..., {port.name})"
                self.error("C261", activity.driver.span, cause, remedy)
            self.same_type(typed.type, port.type, activity.driver.span, f"the driver {driver.name}", port.name)

    def switches(self, mode: Mode, sound: set[str]) -> None:
        """What a switch interrupts goes on in its target; and no switch hides another one."""
        guards: dict[tuple[str, tuple[str, ...]], Activity] = {}
        for activity in mode.switches:
            target = self.modes.get(activity.target.text)
            if target is not None and activity.target.text in sound:
                self.interrupts(mode, activity, target)
            driver = self.drivers.get(activity.driver.text) if activity.driver else None
            if driver is None:
                continue
            key = driver.guard.function.text, tuple(a.text for a in driver.guard.arguments)
            known = guards.setdefault(key, activity)
            if known is not activity and known.frequency % activity.frequency == 0:
                cause = (
                    f"the switch to {activity.target} is never made: that to {known.target} on line {known.target.span.line} "
                    f"asks the same guard, {driver.guard.function}, at each of its times, and before it"
                )
                remedy = "remove it, or give it another guard; of several true guards, the first counts"
                self.diagnostics.warning("C264", activity.target.span, cause, remedy)

    def interrupts(self, mode: Mode, switch: Activity, target: Mode) -> None:
        """Every task that the switch can interrupt exists in the target with the same period.

        The k-th time of a switch of the frequency s is k/s of the period.  An invocation of a task of the frequency t ends there
        if t*k/s is whole.  That holds for all k if it holds for 1, so: if s divides t.
        """
        there = {a.target.text: Fraction(target.period, a.frequency) for a in target.invocations if a.frequency}
        for activity in mode.invocations:
            if activity.frequency % switch.frequency == 0:
                continue
            period = Fraction(mode.period, activity.frequency)
            found = there.get(activity.target.text)
            if found == period or any(t.target.text not in self.tasks for t in (activity, *target.invocations)):
                continue
            shown = format_number(period, 6)
            has = "does not have it" if found is None else f"invokes it every {format_number(found, 6)} ms"
            cause = (
                f"the switch to {target.name} interrupts the task {activity.target}, of a period of {shown} ms, and "
                f"the mode {target.name} {has}"
            )
            remedy = f"invoke it there every {shown} ms, or give the switch a frequency that divides {activity.frequency}"
            self.error("C258", switch.target.span, cause, remedy)

    def reached(self) -> None:
        """A mode that nothing switches to is probably not meant."""
        reached = {self.program.start.text}
        open_ = [self.program.start.text]
        while open_:
            targets = {switch.target.text for switch in self.modes[open_.pop()].switches} - reached
            reached |= targets
            open_ += sorted(targets)
        for mode in self.program.modes:
            if mode.name.text not in reached:
                cause = f"no switch leads to the mode {mode.name}"
                self.diagnostics.warning("C266", mode.name.span, cause, "add one, or remove the mode")
        invoked = {a.target.text for mode in self.program.modes for a in mode.invocations}
        for task in self.program.tasks:
            if task.name.text not in invoked:
                cause = f"no mode invokes the task {task.name}"
                self.diagnostics.warning("C266", task.name.span, cause, "invoke it, or remove it")


def _units(mode: Mode) -> int:
    """The units of a mode, or, if they are more than any period has milliseconds, a number that is, too."""
    units = 1
    for activity in mode.activities:
        units = math.lcm(units, activity.frequency)
        if units > LONGEST_PERIOD:
            break
    return units


def _ports(number: int) -> str:
    return f"{number} destination{'' if number == 1 else 's'}"
