# SPDX-License-Identifier: Apache-2.0
"""The compiler from Giotto to E code.

Each unit of a mode in which something happens is a block, which ends in a ``future`` to the next one.  At its instant a block
does this, in this order.  It copies the outputs of the tasks whose invocations end, sets actuators, reads sensors, tests switches
of modes, sets the inputs of tasks and releases them.  A switch goes on at the inputs of tasks of its target.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from carillon.diagnostics import Diagnostics
from carillon.microcode import LONGEST_TIME, MOST, Function, Instruction, Opcode, Program, faults
from carillon.microcode.compiled import Binding, Compiled
from carillon.microcode.text import Thread
from carillon.model.giotto import TICK_NS, Activity, Call, Driver, Giotto, Mode, Name, PortKind, Task
from carillon.model.instants import Entry, Unit, entry_of, units_of

IDLE = ""
"""In place of a task: nothing runs until the next block."""


@dataclass(frozen=True, slots=True)
class Plan:
    """S code in the blocks: the tasks that are dispatched, in their order, or ``IDLE`` behind them.

    ``units`` is what follows each unit of a mode that has a block, ``waits`` what follows a switch (mode, unit and target)
    that has to wait.
    """

    units: dict[tuple[str, int], tuple[str, ...]]
    waits: dict[tuple[str, int, str], tuple[str, ...]]


def compile_giotto(
    source: Giotto, diagnostics: Diagnostics, plan: Plan | None = None, thread: Thread | None = None
) -> Compiled | None:
    """The E code of a program that ``check`` found no errors in; None, after C265, if it is too large for microcode.

    With S code, which is a ``plan``, or a ``thread`` that begins behind the first block; and with the handlers of the ``thread``.
    """
    return _Compiler(source, diagnostics, plan or Plan({}, {}), thread).run()


class _TooLargeError(Exception):
    """The microcode has no room for the mode."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode


@dataclass
class _Table:
    """Functions of one kind, numbered in the order in which they are asked for."""

    numbers: dict[str, int] = field(default_factory=dict)
    functions: list[Function] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)

    def add(self, reads: Iterable[int], writes: Iterable[int], binding: Binding) -> int:
        """The number of a function by its name, which is new or known."""
        if binding.name not in self.numbers:
            self.numbers[binding.name] = len(self.numbers)
            self.functions.append(Function(binding.name, tuple(reads), tuple(writes)))
            self.bindings.append(binding)
        return self.numbers[binding.name]


@dataclass
class _Code:
    """Instructions, the last operand of some of which is the name of a label that may come later."""

    instructions: list[Instruction] = field(default_factory=list)
    targets: dict[int, str] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    comments: dict[int, str] = field(default_factory=dict)
    remarks: dict[int, str] = field(default_factory=dict)

    def add(self, opcode: Opcode, comment: str, x: int = 0, time: int = 0, to: str | None = None) -> int:
        """Append an instruction; its address."""
        address = len(self.instructions)
        self.instructions.append(Instruction(opcode, x, time))
        self.comments[address] = comment
        if to is not None:
            self.targets[address] = to
        return address

    def close(self, address: int) -> None:
        """What stands next is where the instruction at ``address`` leads to."""
        self.instructions[address] = replace(self.instructions[address], y=len(self.instructions))

    def linked(self) -> tuple[Instruction, ...]:
        """All instructions, with addresses for labels."""
        found = list(self.instructions)
        for address, label in self.targets.items():
            found[address] = replace(found[address], y=self.labels[label])
        return tuple(found)


class _Compiler:
    def __init__(self, source: Giotto, diagnostics: Diagnostics, plan: Plan, thread: Thread | None) -> None:
        self.source = source
        self.diagnostics = diagnostics
        self.plan = plan
        self.thread = thread
        self.segments: dict[tuple[tuple[str, ...], int], str] = {}
        """The label of the S code that dispatches these tasks for so long."""
        self.code = _Code()
        self.late: tuple[tuple[int, int], ...] = ()
        self.shared: int | None = None
        self.ports = {port.name.text: port for port in source.ports}
        self.tasks = {task.name.text: task for task in source.tasks}
        self.drivers = {driver.name.text: driver for driver in source.drivers}
        self.modes = {mode.name.text: mode for mode in source.modes}
        self.numbers: dict[str, int] = {}
        for port in source.ports:
            self.port(port.name.text)
        self.task_table, self.driver_table, self.guard_table = _Table(), _Table(), _Table()
        for task in source.tasks:
            self.task(task)
        self.units = {mode.name.text: units_of(mode) for mode in source.modes}
        self.active = {name: list(units) for name, units in self.units.items()}
        self.entry = {
            (mode.name.text, at, switch.target.text): entry_of(mode, at, self.modes[switch.target.text])
            for mode in source.modes
            for at, unit in self.units[mode.name.text].items()
            for switch in unit.switches
        }
        self.entered = {(target, entry.unit) for (_, _, target), entry in self.entry.items() if entry.wait == 0}

    # Tables

    def port(self, name: str) -> int:
        """The number of a port, which is new or known."""
        return self.numbers.setdefault(name, len(self.numbers))

    def local(self, task: Task, name: Name) -> str:
        """A port of a task alone: an input, a state, or where it puts out before its invocation ends."""
        return f"{task.name}:{name}"

    def task(self, task: Task) -> None:
        states = [self.local(task, state.name) for state in task.states]
        inputs = [self.local(task, typed.name) for typed in task.inputs]
        outputs = [self.local(task, name) for name in task.outputs]
        reads = [self.port(name) for name in (*inputs, *states)]
        arguments = tuple(self.local(task, name) for name in task.call.arguments)
        binding = Binding(task.name.text, task.call.function.text, arguments)
        self.task_table.add(reads, map(self.port, (*outputs, *states)), binding)

    def driver(
        self, name: str, function: str | None, reads: Iterable[str], writes: Iterable[str], arguments: Iterable[str]
    ) -> int:
        """The number of a driver."""
        read, written = [self.port(port) for port in reads], tuple(writes)
        binding = Binding(name, function, tuple(arguments), () if function is not None else written)
        return self.driver_table.add(read, map(self.port, written), binding)

    def moved(self, name: str, driver: Driver, destinations: Iterable[str]) -> int:
        """The number of a driver of the program, used with these ports as its destinations."""
        written = tuple(destinations)
        given = dict(zip((typed.name.text for typed in driver.destinations), written, strict=True))
        arguments = [given.get(argument.text, argument.text) for argument in driver.call.arguments]
        return self.driver(name, driver.call.function.text, (s.text for s in driver.sources), written, arguments)

    def guard(self, driver: Driver) -> int:
        """The number of a driver's guard."""
        call: Call = driver.guard
        arguments = tuple(argument.text for argument in call.arguments)
        binding = Binding(driver.name.text, call.function.text, arguments)
        return self.guard_table.add(dict.fromkeys(map(self.port, arguments)), (), binding)

    # Code

    def run(self) -> Compiled | None:
        try:
            self.start()
            for mode in self.source.modes:
                for place in range(len(self.active[mode.name.text])):
                    self.block(mode, place)
                    if len(self.code.instructions) > MOST:
                        raise _TooLargeError(mode)
            self.append_thread()
        except _TooLargeError as error:
            self.too_large(error.mode)
            return None
        labels = tuple(sorted((address, label) for label, address in self.code.labels.items()))
        triggers = tuple(Function(port.name.text, (self.port(port.name.text),)) for port in self.source.ports if port.interrupt)
        triggers += tuple(Function(t.name.text, tuple(map(self.port, t.ports))) for t in self.source.triggers)
        tables = (self.task_table, self.driver_table, self.guard_table)
        tasks, drivers, guards = (tuple(table.functions) for table in tables)
        program = Program(TICK_NS, 0, self.code.linked(), tuple(self.numbers), tasks, drivers, guards, triggers, labels)
        program = replace(program, late=self.late, shared=self.shared)
        if faults(program):  # a table with too many objects
            self.too_large(max(self.source.modes, key=lambda mode: len(mode.activities)))
            return None
        computed, driven, guarded = (tuple(table.bindings) for table in tables)
        return Compiled(program, computed, driven, guarded, self.heading(), self.code.comments, self.code.remarks)

    def too_large(self, mode: Mode) -> None:
        cause = f"the microcode has more than {MOST} instructions, ports or functions of a kind"
        remedy = "use smaller frequencies, fewer modes, or fewer sensors in a driver"
        self.diagnostics.error("C265", mode.name.span, cause, remedy)

    def heading(self) -> str:
        lines = [f"E code of {self.source.file}; a tick is a millisecond"]
        for mode in self.source.modes:
            units = f"{mode.units} unit{'' if mode.units == 1 else 's'} of {int(mode.unit)} ms"
            lines.append(f"mode {mode.name}, line {mode.name.span.line}: period {mode.period} ms, {units}")
        return "\n".join(lines)

    def start(self) -> None:
        """Outputs and states get their first values, and the first mode begins."""
        self.code.remarks[0] = "the start"
        self.code.labels["start"] = 0
        for port in self.source.ports:
            if port.kind is PortKind.OUTPUT and port.function is not None:
                name = port.name.text
                buffers = [self.local(t, o) for t in self.source.tasks for o in t.outputs if o.text == name]
                number = self.driver(f"init:{name}", port.function.text, (), (name, *buffers), (name, *buffers))
                self.code.add(Opcode.CALL, _line(port.name, f"output {name}"), number)
        for task in self.source.tasks:
            for state in task.states:
                assert state.init is not None
                name = self.local(task, state.name)
                number = self.driver(f"init:{name}", state.init.text, (), (name,), (name,))
                self.code.add(Opcode.CALL, _line(state.name, f"state of {task.name}"), number)
        if self.thread is not None and not self.thread.is_empty:
            self.code.add(Opcode.FORK, "the S code, behind the first block", to=_THREAD)
        self.code.add(Opcode.JUMP, _line(self.source.start, f"start {self.source.start}"), to=_label(self.source.start, 0))

    def block(self, mode: Mode, place: int) -> None:
        """What happens in one unit of a mode."""
        name, unit = mode.name.text, self.active[mode.name.text][place]
        does, now = self.units[name][unit], unit * int(mode.unit)
        self.code.remarks[len(self.code.instructions)] = f"mode {name}, unit {unit} of {mode.units}, {now} ms after its start"
        self.code.labels[_label(mode.name, unit)] = len(self.code.instructions)
        for invocation in does.invocations:
            self.copy(invocation)
        for update in does.updates:
            self.update(update)
        self.devices(does)
        entries = [self.entry[name, unit, switch.target.text] for switch in does.switches]
        self.sensors(does, entries)
        for switch, entry in zip(does.switches, entries, strict=True):
            self.switch(mode, unit, switch, entry)
        if (name, unit) in self.entered:
            self.code.labels[_tasks(mode.name, unit)] = len(self.code.instructions)
        for invocation in does.invocations:
            self.invoke(mode, invocation)
        self.next(mode, place, now, mode.name, self.plan.units.get((name, unit), ()))

    def next(self, mode: Mode, place: int, now: int, line: Name, order: tuple[str, ...]) -> None:
        """Wait, from the time ``now`` in a mode, for the active unit behind the one at ``place``, and dispatch tasks."""
        active = self.active[mode.name.text]
        following = active[(place + 1) % len(active)]
        time = following * int(mode.unit) + (mode.period if place + 1 == len(active) else 0) - now
        assert 1 <= time <= LONGEST_TIME
        self.code.add(
            Opcode.FUTURE, _line(line, f"mode {mode.name}, unit {following}"), time=time, to=_label(mode.name, following)
        )
        self.dispatch(order, time)

    def dispatch(self, order: tuple[str, ...], time: int) -> None:
        """Dispatch tasks for so long, and end; blocks that do the same share the code."""
        label = self.segments.get((order, time))
        if order and label is not None:
            self.code.add(Opcode.JUMP, "the S code of an earlier block", to=label)
            return
        if order:
            label = self.segments[order, time] = f"s{len(self.segments)}"
            self.code.labels[label] = len(self.code.instructions)
            for name in order:
                if name == IDLE:
                    self.code.add(Opcode.IDLE, "until the next block", time=time)
                    continue
                number = self.task_table.numbers[name]
                self.code.add(Opcode.DISPATCH_TIME, f"task {name}, until the next block", number, time, f"{label}.end")
            self.code.labels[f"{label}.end"] = len(self.code.instructions)
        self.code.add(Opcode.RETURN, "end of the block")

    def append_thread(self) -> None:
        """S code that was written as one thread follows all blocks."""
        if self.thread is None:
            return
        first = len(self.code.instructions)
        if not self.thread.is_empty:
            self.code.remarks[first] = "the S code"
            self.code.labels[_THREAD] = first
        late = [(task, first + address) for task, address in self.thread.late]
        self.late = tuple(late)
        self.shared = None if self.thread.shared is None else first + self.thread.shared
        for task, address in late:
            self.code.remarks[address] = f"the handler of {self.source.tasks[task].name}, which is late"
        if self.shared is not None:
            self.code.remarks[self.shared] = "the handler of time sharing"
        for address, label in self.thread.labels:
            self.code.labels[f"{_THREAD}:{label}"] = first + address
        for line, instruction in self.thread.code:
            at = self.code.add(instruction.opcode, f"S code, line {line}")
            self.code.instructions[at] = replace(instruction, y=instruction.y + first) if instruction.leads else instruction

    def copy(self, invocation: Activity) -> None:
        """The invocation that ends here puts out."""
        task = self.tasks[invocation.target.text]
        if task.outputs:
            own = [self.local(task, name) for name in task.outputs]
            number = self.driver(f"copy:{task.name}", None, own, (name.text for name in task.outputs), own)
            self.code.add(Opcode.CALL, _line(invocation.target, f"outputs of {task.name}"), number)

    def asked(self, driver: Driver, activity: Activity, what: str) -> int:
        """The test of a driver's guard; what follows is skipped if it is false, up to where it is closed."""
        return self.code.add(Opcode.IF, _line(activity, f"{what} if {driver.guard.function}"), self.guard(driver))

    def update(self, update: Activity) -> None:
        """Set an actuator, if the guard of its driver is true."""
        driver, port = self.driver_of(update), self.ports[update.target.text]
        test = self.asked(driver, update, f"actuator {port.name}")
        number = self.moved(f"set:{port.name}:{driver.name}", driver, (port.name.text,))
        self.code.add(Opcode.CALL, _line(update, f"set {port.name}"), number)
        self.code.close(test)

    def devices(self, does: Unit) -> None:
        """Call the device of each actuator that is active, whether or not its driver has set the actuator."""
        for port in (self.ports[update.target.text] for update in does.updates):
            if port.function is not None:
                number = self.driver(f"put:{port.name}", port.function.text, (port.name.text,), (), (port.name.text,))
                self.code.add(Opcode.CALL, _line(port.name, f"device of {port.name}"), number)

    def sensors(self, does: Unit, entries: list[Entry]) -> None:
        """Read every sensor that anything reads at this instant, once: here, or in the mode that is switched to."""
        users = [*does.switches, *does.invocations]
        for switch, entry in zip(does.switches, entries, strict=True):
            if entry.wait == 0:
                users += self.units[switch.target.text].get(entry.unit, Unit()).invocations
        read = {s.text for user in users if user.driver is not None for s in self.driver_of(user).sources}
        for port in self.source.ports:
            if port.kind is PortKind.SENSOR and port.function is not None and port.name.text in read:
                number = self.driver(f"get:{port.name}", port.function.text, (), (port.name.text,), (port.name.text,))
                self.code.add(Opcode.CALL, _line(port.name, f"sensor {port.name}"), number)

    def switch(self, mode: Mode, unit: int, switch: Activity, entry: Entry) -> None:
        """Test a switch, and go on in its target."""
        driver, target = self.driver_of(switch), self.modes[switch.target.text]
        test = self.asked(driver, switch, f"to mode {target.name}")
        set_here = self.source.set_by_switch(driver, target)
        assert set_here is not None, driver.name
        number = self.moved(f"switch:{target.name}:{driver.name}", driver, set_here)
        self.code.add(Opcode.CALL, _line(switch, f"driver of the switch to {target.name}"), number)
        active = self.active[target.name.text]
        if entry.wait == 0 and entry.unit in self.units[target.name.text]:
            to = _tasks(target.name, entry.unit)
            self.code.add(Opcode.JUMP, _line(switch, f"mode {target.name}, unit {entry.unit}"), to=to)
        else:
            # The time in the target now, and the last active unit that is not behind it.
            now = (entry.unit or target.units) * int(target.unit) - entry.wait
            place = max(k for k, unit in enumerate(active) if unit * int(target.unit) <= now)
            self.next(target, place, now, switch.target, self.plan.waits.get((mode.name.text, unit, target.name.text), ()))
        self.code.close(test)

    def invoke(self, mode: Mode, invocation: Activity) -> None:
        """Set a task's inputs and release it; its invocation ends a period of its own later."""
        task = self.tasks[invocation.target.text]
        test = None
        if invocation.driver is not None:
            driver = self.driver_of(invocation)
            test = self.asked(driver, invocation, f"task {task.name}")
            inputs = [self.local(task, typed.name) for typed in task.inputs]
            number = self.moved(f"input:{task.name}:{driver.name}", driver, inputs)
            self.code.add(Opcode.CALL, _line(invocation, f"inputs of {task.name}"), number)
        number = self.task_table.numbers[task.name.text]
        self.code.add(Opcode.RELEASE, _line(invocation, f"task {task.name}"), number, mode.period // invocation.frequency)
        if test is not None:
            self.code.close(test)

    def driver_of(self, activity: Activity) -> Driver:
        assert activity.driver is not None
        return self.drivers[activity.driver.text]


_THREAD = "s"


def _label(mode: Name, unit: int) -> str:
    return f"{mode}@{unit}"


def _tasks(mode: Name, unit: int) -> str:
    """The label of what a unit does after switches."""
    return f"{mode}@{unit}.tasks"


def _line(place: Name | Activity, text: str) -> str:
    return f"line {place.span.line}: {text}"
