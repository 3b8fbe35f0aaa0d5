# SPDX-License-Identifier: Apache-2.0
"""Random applications and programs (hypothesis), and what they look like as TOML, C and tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st
from reference import (
    BODIES,
    CALLBACK,
    HOOKS,
    ISR,
    Action,
    Alarm,
    Application,
    Body,
    Code,
    Counter,
    Expected,
    Isr,
    Op,
    Program,
    Resource,
    Task,
    hook,
)

EVENTS = 3  # events E0, E1 and E2 have the masks 1, 2 and 4
MOST_OPERATIONS = 512  # the table has a bit for each


@dataclass(frozen=True, slots=True)
class Limits:
    """How large applications get.  Task priorities are 1 to ``priorities``; task 0 is below them."""

    tasks: int = 5
    priorities: int = 4
    isrs: int = 2
    budget: int = 250
    task_hooks: bool = True


# Applications.


@st.composite
def applications(draw: st.DrawFn, limits: Limits) -> Application:
    """Applications whose task 0, of the lowest priority, is always there and drives the others."""
    modes = draw(st.integers(1, 2))
    extended_status = draw(st.booleans())
    explicit = draw(st.lists(st.integers(0, 1), max_size=3))
    internal = draw(st.integers(0, 1))
    resources: list[Resource] = []
    for kind in explicit:  # half of them are linked to the one before
        resources.append(Resource(linked=len(resources) - 1 if kind and resources else None))
    resources += [Resource(internal=True)] * internal

    mode_sets = st.frozensets(st.integers(0, modes - 1))
    resource_lists = st.lists(st.integers(0, max(len(explicit) - 1, 0)), max_size=len(explicit), unique=True).map(sorted)
    preemptable = st.sampled_from((True, True, True, False))
    tasks = [Task(0, draw(preemptable), autostart=frozenset(range(modes)), resources=tuple(draw(resource_lists)))]
    for _ in range(draw(st.integers(1, limits.tasks - 1))):
        events = draw(st.sampled_from((0, 0, 1, 3, 7)))
        task = Task(
            priority=draw(st.sampled_from((1, min(2, limits.priorities), *range(1, limits.priorities + 1)))),  # some are shared
            preemptable=draw(preemptable),
            activations=1 if events else draw(st.sampled_from((1, 1, 2, 3))),
            autostart=draw(mode_sets),
            events=events,
            resources=tuple(draw(resource_lists)),
        )
        if internal and task.preemptable and draw(st.booleans()):
            task = replace(task, resources=(*task.resources, len(resources) - 1))
        tasks.append(task)
    isrs = []
    for _ in range(min(draw(st.integers(0, limits.isrs + 1)), limits.isrs)):
        category = draw(st.sampled_from((2, 2, 2, 1)))
        isrs.append(Isr(category, draw(st.integers(1, 2)), tuple(draw(resource_lists)) if category == 2 else ()))

    counters = tuple(
        Counter(draw(st.integers(2, 5)), draw(st.integers(1, 2)), draw(st.integers(1, 2))) for _ in range(draw(st.integers(0, 2)))
    )
    alarms = [draw(_alarms(tasks, counters, mode_sets)) for _ in range(draw(st.integers(1, 5)) if counters else 0)]
    some = HOOKS if limits.task_hooks else tuple(hook for hook in HOOKS if "task" not in hook)
    hooks = draw(st.one_of(st.just(frozenset[str]()), st.frozensets(st.sampled_from(some))))
    service_id = draw(st.booleans())
    application = Application(
        tasks=tuple(tasks),
        extended_status=extended_status,
        hooks=hooks,
        service_id=service_id,
        parameters=service_id and draw(st.booleans()),
        modes=modes,
        isrs=tuple(isrs),
        resources=tuple(resources),
        counters=counters,
        alarms=tuple(alarms),
    )
    return _used(application)


def _used(application: Application) -> Application:
    """Every resource is somebody's, lest the tool warn of it: task 0 takes what nobody does."""
    resources = application.resources
    taken = {r for task in application.tasks for r in task.resources} | {r for isr in application.isrs for r in isr.resources}
    for number in reversed(range(len(resources))):
        linked = resources[number].linked
        if number in taken and linked is not None:
            taken.add(linked)
    rest = [n for n in range(len(resources)) if n not in taken]
    first = application.tasks[0]
    if any(resources[n].internal for n in rest):
        first = replace(first, preemptable=True)
    first = replace(first, resources=(*first.resources, *rest))
    return replace(application, tasks=(first, *application.tasks[1:]))


@st.composite
def _alarms(
    draw: st.DrawFn, tasks: list[Task], counters: tuple[Counter, ...], mode_sets: st.SearchStrategy[frozenset[int]]
) -> Alarm:
    counter = draw(st.integers(0, len(counters) - 1))
    extended = [n for n, t in enumerate(tasks) if t.events]
    actions = [Action.ACTIVATE, Action.CALLBACK]
    actions += [Action.SET_EVENT] if extended else []
    actions += [Action.INCREMENT] if counter + 1 < len(counters) else []
    action = draw(st.sampled_from(actions))
    target, mask = 0, 0
    if action is Action.ACTIVATE:
        target = draw(st.integers(1, len(tasks) - 1))
    elif action is Action.SET_EVENT:
        target = draw(st.sampled_from(extended))
        mask = draw(st.sampled_from([1 << bit for bit in range(EVENTS) if tasks[target].events >> bit & 1]))
    elif action is Action.INCREMENT:
        target = draw(st.integers(counter + 1, len(counters) - 1))
    most = counters[counter].max_allowed
    at = draw(st.integers(1, most))
    cycle = draw(st.one_of(st.just(0), st.integers(counters[counter].min_cycle, most)))
    return Alarm(counter, action, target, mask, draw(mode_sets), at, cycle, draw(st.booleans()))


# Programs.

_SERVICES = {  # how often each is drawn
    Code.ACTIVATE_TASK: 8,
    Code.INCREMENT_COUNTER: 6,
    Code.PEND: 5,
    Code.SET_EVENT: 4,
    Code.WAIT_EVENT: 4,
    Code.SCHEDULE: 5,
    Code.CHAIN_TASK: 2,
    Code.TERMINATE_TASK: 1,
    Code.CLEAR_EVENT: 2,
    Code.GET_EVENT: 1,
    Code.GET_TASK_STATE: 2,
    Code.GET_TASK_ID: 1,
    Code.SET_REL_ALARM: 3,
    Code.SET_ABS_ALARM: 2,
    Code.CANCEL_ALARM: 1,
    Code.GET_ALARM: 1,
    Code.GET_ALARM_BASE: 1,
    Code.GET_ACTIVE_APPLICATION_MODE: 1,
    # Openings of a section, closed behind it.
    Code.GET_RESOURCE: 6,
    Code.DISABLE_ALL_INTERRUPTS: 1,
    Code.SUSPEND_ALL_INTERRUPTS: 2,
    Code.SUSPEND_OS_INTERRUPTS: 2,
}
_CLOSING = {
    Code.GET_RESOURCE: Code.RELEASE_RESOURCE,
    Code.DISABLE_ALL_INTERRUPTS: Code.ENABLE_ALL_INTERRUPTS,
    Code.SUSPEND_ALL_INTERRUPTS: Code.RESUME_ALL_INTERRUPTS,
    Code.SUSPEND_OS_INTERRUPTS: Code.RESUME_OS_INTERRUPTS,
}
_SECTIONS_OF_HOOKS = (Code.SUSPEND_ALL_INTERRUPTS,)
_NEEDS: dict[Code, Callable[[Application], bool]] = {
    Code.INCREMENT_COUNTER: lambda a: bool(a.counters),
    Code.PEND: lambda a: bool(a.isrs),
    **{
        code: lambda a: any(t.events for t in a.tasks)
        for code in (Code.SET_EVENT, Code.WAIT_EVENT, Code.CLEAR_EVENT, Code.GET_EVENT)
    },
    **{
        code: lambda a: bool(a.alarms)
        for code in (Code.SET_REL_ALARM, Code.SET_ABS_ALARM, Code.CANCEL_ALARM, Code.GET_ALARM, Code.GET_ALARM_BASE)
    },
}


@st.composite
def programs(draw: st.DrawFn, application: Application, limits: Limits) -> Program:
    """Programs of an application; they end because task 0 does, or because the budget is spent."""
    writer = _Writer(draw, application)
    bodies: dict[int, Body] = {}
    bodies[0] = ((*writer.task_0() * draw(st.integers(1, 2)), Op(Code.HALT)),)
    for number in range(1, len(application.tasks)):
        bodies[number] = tuple(writer.task(number) for _ in range(draw(st.integers(1, 2))))
    for number, isr in enumerate(application.isrs):
        bodies[ISR + number] = tuple(writer.isr(isr.category) for _ in range(draw(st.integers(1, 2))))
    for number, alarm in enumerate(application.alarms):
        if alarm.action is Action.CALLBACK:
            bodies[CALLBACK + number] = (writer.quiet(1, pend=True),)
    for name in HOOKS:
        if name in application.hooks:
            bodies[hook(name)] = (writer.hook(name),)
    return Program(bodies, draw(st.integers(0, application.modes - 1)), limits.budget)


class _Writer:
    """Draws bodies of one application's programs."""

    def __init__(self, draw: st.DrawFn, application: Application) -> None:
        self.draw = draw
        self.application = application
        self.services = [c for c, n in _SERVICES.items() for _ in range(n) if c not in _NEEDS or _NEEDS[c](application)]
        self.faulty = application.extended_status

    def integer(self, least: int, most: int) -> int:
        return self.draw(st.integers(least, most))

    def number(self, count: int) -> int:
        """A valid number, or rarely, where that is an error that is found, the first invalid one."""
        drawn = self.integer(0, 16 * count if self.faulty else count - 1)
        return count if self.faulty and drawn == 16 * count else drawn % count

    def pick(self, codes: Sequence[Code]) -> Code:
        return self.draw(st.sampled_from(codes))

    def task_0(self) -> tuple[Op, ...]:
        codes = [c for c in self.services if c is not Code.TERMINATE_TASK and c is not Code.CHAIN_TASK]
        return self.statements(0, codes, 12, 2)

    def task(self, number: int) -> tuple[Op, ...]:
        codes = list(self.services)
        if self.faulty:  # sections that are not closed, or closed without having been opened
            codes += [Code.RELEASE_RESOURCE, Code.HALT]
        ops = self.statements(number, codes, 6, 2)
        if self.integer(0, 7) == 7:
            return ops  # falls off its end
        return (*ops, Op(Code.TERMINATE_TASK, depth=self.integer(0, 2)))

    def isr(self, category: int) -> tuple[Op, ...]:
        codes = [Code.PEND, *_CLOSING] if category == 1 else self.services
        if category == 1:
            codes.remove(Code.GET_RESOURCE)
        return self.statements(ISR, codes, 4, 2)

    def hook(self, name: str) -> tuple[Op, ...]:
        if name == "shutdown":
            return (Op(Code.GET_ACTIVE_APPLICATION_MODE),)
        first = () if name == "startup" else (Op(Code.GET_TASK_ID),)
        return (*first, *self.quiet(1, pend=name == "error"))

    def quiet(self, most: int, *, pend: bool) -> tuple[Op, ...]:
        """A body that should only ask: what it must not call gives an error."""
        codes = [c for c in self.services if (pend or c is not Code.PEND) and (c not in _CLOSING or c in _SECTIONS_OF_HOOKS)]
        return self.statements(0, codes, most, 1)

    def statements(self, number: int, codes: Sequence[Code], most: int, nesting: int) -> tuple[Op, ...]:
        ops: list[Op] = []
        for _ in range(min(self.integer(0, 2 * most), most)):  # rather many than few
            code = self.pick(codes)
            if code is Code.HALT:  # stands for a section that is not closed
                ops.append(self.parameters(self.pick(list(_CLOSING)), number))
                continue
            op = self.parameters(code, number)
            ops.append(op)
            if code in _CLOSING:
                if nesting:
                    ops += self.statements(number, codes, 2, nesting - 1)
                ops.append(Op(_CLOSING[code], op.x, depth=op.depth))
        if self.faulty and len(ops) > 1 and self.integer(0, 99) == 99:
            ops.append(Op(Code.SHUTDOWN_OS, self.integer(0, 3)))
        return tuple(ops)

    def parameters(self, code: Code, number: int) -> Op:
        application = self.application
        depth = self.draw(st.sampled_from((0, 0, 0, 1, 3)))
        x = y = z = 0
        if code in (Code.ACTIVATE_TASK, Code.CHAIN_TASK, Code.GET_TASK_STATE, Code.SET_EVENT, Code.GET_EVENT):
            x = self.number(len(application.tasks))
            extended = [n for n, t in enumerate(application.tasks) if t.events]
            if code in (Code.SET_EVENT, Code.GET_EVENT) and (not self.faulty or self.integer(0, 7)):
                x = extended[x % len(extended)]
        if code is Code.SET_EVENT:
            y = self.mask(x)
        elif code in (Code.WAIT_EVENT, Code.CLEAR_EVENT):
            x = self.mask(number)
        elif code in (Code.GET_RESOURCE, Code.RELEASE_RESOURCE):
            own = [r for r in application.tasks[number].resources if r < application.explicit_resources] if number < ISR else []
            x = self.number(application.explicit_resources + 1)
            if own and (not self.faulty or self.integer(0, 3)):
                x = own[x % len(own)]
        elif code in (Code.SET_REL_ALARM, Code.SET_ABS_ALARM, Code.CANCEL_ALARM, Code.GET_ALARM, Code.GET_ALARM_BASE):
            x = self.number(len(application.alarms))
            if code in (Code.SET_REL_ALARM, Code.SET_ABS_ALARM):
                most = application.counters[application.alarms[x].counter].max_allowed if x < len(application.alarms) else 1
                extra = 1 if self.faulty else 0
                y = self.integer(1 if code is Code.SET_REL_ALARM and self.integer(0, 7) else 0, most + extra)
                z = self.integer(0, most + extra)
        elif code is Code.INCREMENT_COUNTER:
            x = self.number(len(application.counters))
        elif code is Code.PEND:
            x = self.integer(0, len(application.isrs) - 1)
        return Op(code, x, y, z, depth)

    def mask(self, task: int) -> int:
        """Some of the events of a task, at least one."""
        owned = self.application.tasks[task].events if task < len(self.application.tasks) else 1
        return self.integer(1, (1 << EVENTS) - 1) & owned or owned or 1


# TOML.


def _strings(items: list[str]) -> str:
    return "[" + ", ".join(f'"{item}"' for item in items) + "]"


def _modes(modes: frozenset[int]) -> str:
    return _strings([f"M{mode}" for mode in sorted(modes)])


def schedule(application: Application, dispatch: str, sources: list[str]) -> str:
    """The schedule file; ``sources`` are names of the board's application sources, one for each ISR."""
    lines = ["# SPDX-License-Identifier: Apache-2.0", "[system]", 'name = "app"', "[osek]"]
    lines.append(f'status = "{"extended" if application.extended_status else "standard"}"')
    lines.append(f'dispatch = "{dispatch}"')
    lines.append(f"hooks = {_strings(sorted(application.hooks))}")
    lines.append(f"get_service_id = {str(application.service_id).lower()}")
    lines.append(f"parameter_access = {str(application.parameters).lower()}")
    lines.append(f"modes = {_modes(frozenset(range(application.modes)))}")
    for number, task in enumerate(application.tasks):
        lines += [f"[osek.task.T{number}]", f"priority = {task.priority}"]
        lines.append(f'schedule = "{"full" if task.preemptable else "non"}"')
        lines.append(f"activations = {task.activations}")
        lines.append(f"autostart = {_modes(task.autostart)}")
        lines.append(f"resources = {_strings([f'R{r}' for r in task.resources])}")
        if task.events:
            lines.append(f"events = {_strings([f'E{bit}' for bit in range(EVENTS) if task.events >> bit & 1])}")
            lines.append("stack = 8192")
    owned = 0
    for task in application.tasks:
        owned |= task.events
    for bit in range(EVENTS):
        if owned >> bit & 1:
            lines += [f"[osek.event.E{bit}]", f"mask = {1 << bit}"]
    for number, isr in enumerate(application.isrs):
        lines += [f"[osek.isr.I{number}]", f'source = "{sources[number]}"']
        lines += [f"category = {isr.category}", f"priority = {isr.priority}"]
        if isr.category == 2:
            lines.append(f"resources = {_strings([f'R{r}' for r in isr.resources])}")
    for number, resource in enumerate(application.resources):
        lines.append(f"[osek.resource.R{number}]")
        if resource.linked is not None:
            lines += ['property = "linked"', f'linked = "R{resource.linked}"']
        else:
            lines.append(f'property = "{"internal" if resource.internal else "standard"}"')
    for number, counter in enumerate(application.counters):
        lines += [f"[osek.counter.C{number}]", 'kind = "software"', f"max_allowed = {counter.max_allowed}"]
        lines += [f"ticks_per_base = {counter.ticks_per_base}", f"min_cycle = {counter.min_cycle}"]
    for number, alarm in enumerate(application.alarms):
        lines += [f"[osek.alarm.A{number}]", f'counter = "C{alarm.counter}"', _action(number, alarm)]
        if alarm.modes:
            absolute = str(alarm.absolute).lower()
            when = f"at = {alarm.at}, cycle = {alarm.cycle}, absolute = {absolute}, modes = {_modes(alarm.modes)}"
            lines.append(f"autostart = {{ {when} }}")
    return "\n".join(lines) + "\n"


def _action(number: int, alarm: Alarm) -> str:
    match alarm.action:
        case Action.ACTIVATE:
            return f'activate = "T{alarm.object}"'
        case Action.SET_EVENT:
            return f'set_event = {{ task = "T{alarm.object}", event = "E{alarm.mask.bit_length() - 1}" }}'
        case Action.CALLBACK:
            return f'callback = "F{number}"'
        case Action.INCREMENT:
            return f'increment = "C{alarm.object}"'


# C.


def code(application: Application, compiled: tuple[Program, ...] = ()) -> str:
    """The C file: bodies that are interpreted, or those of some programs written out."""
    writer = Compiler(application, compiled)
    has_events = any(task.events for task in application.tasks)
    lines = ["/* SPDX-License-Identifier: Apache-2.0 */"]
    lines += [f"#define CARILLON_COMPILED {int(bool(compiled))}", f"#define EVENTS {int(has_events)}"]
    lines += [f"#define ALARMS {len(application.alarms)}", f"#define COUNTERS {len(application.counters)}"]
    lines += [f"#define RESOURCES {application.explicit_resources}u"]
    lines += [f"#define SERVICE_ID {int('error' in application.hooks and application.service_id)}"]
    lines += [f"#define PARAMETERS {int('error' in application.hooks and application.parameters)}"]
    lines += [f"#define SHUTDOWN_HOOK {int('shutdown' in application.hooks)}"]
    lines += ['#include "interpreter.h"', ""]
    named = [*(f"R{n}" for n in range(application.explicit_resources)), "RES_SCHEDULER", "(ResourceType)200u"]
    lines += [f"const ResourceType resources[] = {{{', '.join(named)}}};", ""]
    lines += ["static void request(unsigned isr)", "{", "    switch (isr) {"]
    for number in range(len(application.isrs)):
        lines += [f"    case {number}u:", f"        carillon_port_pend(CARILLON_ISR_SOURCE_I{number});", "        break;"]
    lines += ["    default:", "        break;", "    }", "}", ""]
    for number in range(len(application.tasks)):
        lines += writer.function(f"TASK(T{number})", number)
    for number in range(len(application.isrs)):
        lines += writer.function(f"ISR(I{number})", ISR + number)
    for number, alarm in enumerate(application.alarms):
        if alarm.action is Action.CALLBACK:
            lines += writer.function(f"ALARMCALLBACK(F{number})", CALLBACK + number)
    headings = {
        "startup": ("void StartupHook(void)", ""),
        "error": ("void ErrorHook(StatusType error)", "    report_error(error);"),
        "pretask": ("void PreTaskHook(void)", ""),
        "posttask": ("void PostTaskHook(void)", ""),
        "shutdown": ("void ShutdownHook(StatusType error)", '    report("shutdown", error);'),
    }
    for name in HOOKS:
        if name in application.hooks:
            heading, first = headings[name]
            last = '    report("end", operations);' if name == "shutdown" else ""
            lines += writer.function(heading, hook(name), first, last)
    lines += ["int main(void);", "int main(void)", "{", "    StartOS((AppModeType)carillon_program[0]);", "}"]
    return "\n".join(lines) + "\n"


def listing(application: Application, program: Program) -> str:
    """A program to be read: a line for each variant of each body."""
    compiler = Compiler(application, (program,))
    lines = [f"mode {program.mode}, budget {program.budget}"]
    for body, variants in program.bodies.items():
        for ops in variants:
            calls = ["end();" if op.code is Code.HALT else compiler.call(op) + "'" * op.depth for op in ops]
            lines.append(f"{body}: {' '.join(calls)}")
    return "\n".join(lines) + "\n"


class Compiler:
    """Writes bodies of C functions."""

    def __init__(self, application: Application, programs: tuple[Program, ...]) -> None:
        self.application = application
        self.programs = programs

    def function(self, heading: str, body: int, first: str = "", last: str = "") -> list[str]:
        helpers: list[str] = []
        lines = [heading, "{"]
        lines += [first] if first else []
        if self.programs:
            lines += [f"    const unsigned run = begin({body}u);", "    switch (carillon_program[1]) {"]
            for number, program in enumerate(self.programs):
                variants = program.bodies.get(body, ((),))
                lines.append(f"    case {number}u:")
                for turn, ops in enumerate(variants):
                    lines.append(f"        if (run % {len(variants)}u == {turn}u) {{")
                    for index, op in enumerate(ops):
                        lines += self.operation(op, body, index, f"nested_{body}_{number}_{turn}_{index}", helpers)
                    lines.append("        }")
                lines.append("        break;")
            lines += ["    default:", "        break;", "    }", "    (void)run;"]
        else:
            lines.append(f"    interpret({body}u);")
        lines += [last] if last else []
        return [*helpers, *lines, "}", ""]

    def operation(self, op: Op, body: int, index: int, name: str, helpers: list[str]) -> list[str]:
        if op.code is Code.HALT:
            return ["            end();"]
        call = self.call(op)
        if op.depth:
            # Each function has something on the stack, so that no call is its last act.
            for depth in range(op.depth):
                inner = call if depth == 0 else f"{name}_{depth - 1}();"
                helpers += [f"static void {name}_{depth}(void) __attribute__((noinline));", f"static void {name}_{depth}(void)"]
                helpers += ["{", f"    volatile unsigned here = {depth}u;", f"    {inner}"]
                helpers += [f"    if (here != {depth}u) {{", '        report("stack", here);', "    }", "}", ""]
            call = f"{name}_{op.depth - 1}();"
        return [f"            if (next({100 * body + index}u)) {{", f"                {call}", "            }"]

    def name(self, kind: str, number: int, count: int) -> str:
        return f"{kind}{number}" if number < count else f"{number}u"

    def resource(self, number: int) -> str:
        count = self.application.explicit_resources
        return "RES_SCHEDULER" if number == count else self.name("R", number, count) if number < count else "200u"

    def call(self, op: Op) -> str:
        application = self.application
        task = self.name("T", op.x, len(application.tasks))
        alarm = self.name("A", op.x, len(application.alarms))
        counter = self.name("C", op.x, len(application.counters))
        void = {
            Code.DISABLE_ALL_INTERRUPTS: "DisableAllInterrupts()",
            Code.ENABLE_ALL_INTERRUPTS: "EnableAllInterrupts()",
            Code.SUSPEND_ALL_INTERRUPTS: "SuspendAllInterrupts()",
            Code.RESUME_ALL_INTERRUPTS: "ResumeAllInterrupts()",
            Code.SUSPEND_OS_INTERRUPTS: "SuspendOSInterrupts()",
            Code.RESUME_OS_INTERRUPTS: "ResumeOSInterrupts()",
            Code.PEND: f"request({op.x}u)",
        }
        asked = {
            Code.GET_TASK_ID: "get_task_id()",
            Code.GET_TASK_STATE: f"get_task_state({task})",
            Code.GET_EVENT: f"get_event({task})",
            Code.GET_ALARM: f"get_alarm({alarm})",
            Code.GET_ALARM_BASE: f"get_alarm_base({alarm})",
            Code.GET_ACTIVE_APPLICATION_MODE: "get_mode()",
            Code.SHUTDOWN_OS: f"shut_down({op.x}u)",
        }
        services = {
            Code.TERMINATE_TASK: "TerminateTask()",
            Code.CHAIN_TASK: f"ChainTask({task})",
            Code.ACTIVATE_TASK: f"ActivateTask({task})",
            Code.SCHEDULE: "Schedule()",
            Code.GET_RESOURCE: f"GetResource({self.resource(op.x)})",
            Code.RELEASE_RESOURCE: f"ReleaseResource({self.resource(op.x)})",
            Code.SET_EVENT: f"SetEvent({task}, {op.y}u)",
            Code.CLEAR_EVENT: f"ClearEvent({op.x}u)",
            Code.WAIT_EVENT: f"WaitEvent({op.x}u)",
            Code.SET_REL_ALARM: f"SetRelAlarm({alarm}, {op.y}u, {op.z}u)",
            Code.SET_ABS_ALARM: f"SetAbsAlarm({alarm}, {op.y}u, {op.z}u)",
            Code.CANCEL_ALARM: f"CancelAlarm({alarm})",
            Code.INCREMENT_COUNTER: f"IncrementCounter({counter})",
        }
        if op.code in void:
            return f"VOID({void[op.code]});"
        return f"{asked[op.code]};" if op.code in asked else f"done({services[op.code]});"


# Tables.

TABLE_SIZE = 8192
_SKIPPED, _PLACES = 4, 68


def table(program: Program, expected: Expected, number: int = 0, *, interpreted: bool = True) -> bytes:
    """The bytes of carillon_program (interpreter.h)."""
    head = bytearray(_PLACES + 2 * BODIES)
    head[0], head[1] = program.mode, number
    head[2:4] = expected.budget.to_bytes(2, "little")
    for operation in expected.skipped:
        head[_SKIPPED + operation // 8] |= 1 << operation % 8
    rest = bytearray()
    for body, variants in program.bodies.items() if interpreted else ():
        place = len(head) + len(rest)
        head[_PLACES + 2 * body : _PLACES + 2 * body + 2] = place.to_bytes(2, "little")
        rest.append(len(variants))
        for ops in variants:
            rest.append(len(ops))
            for op in ops:
                rest += bytes((op.code, op.x, op.y, op.z, op.depth))
    assert len(head) + len(rest) <= TABLE_SIZE
    assert expected.budget <= MOST_OPERATIONS
    return bytes(head + rest).ljust(TABLE_SIZE, b"\0")
