# SPDX-License-Identifier: Apache-2.0
"""Tables of tasks, levels and resources, and the handlers of levels."""

from __future__ import annotations

from carillon import c_names
from carillon.allocate.osek import OsekAllocation, TaskKind, TaskLevel
from carillon.emit import text
from carillon.emit.osek.budgets import units_of_budget
from carillon.image import DirectTask, OsekImage
from carillon.image.misses import late_symbol
from carillon.image.osek import GUARD_WORDS
from carillon.model import System
from carillon.model.board import Board
from carillon.model.osek import ServerKind


def tasks(board: Board, osek: OsekImage) -> list[str]:
    """Stacks of extended tasks, and the table of tasks."""
    allocation, model = osek.allocation, osek.allocation.osek
    lines: list[str] = []
    served = {it.level for it in osek.served}
    managed = any(x.kind is TaskKind.MANAGED for x in allocation.levels)
    for task in model.tasks:
        if task.extended:
            words = -(-(task.stack or board.stack) // 8) + (GUARD_WORDS if model.stack_check else 0)
            lines += [
                f"/* Task {task.name} ({text.place(task.span)}): its stack, its events and where it left off. */",
                f"static uint64_t {c_names.stack(task.name)}[{words}];",
                f"struct carillon_osek_extended {c_names.extended(task.name)};",
                "",
            ]
    if managed:
        lines += [f"struct carillon_osek_job carillon_osek_jobs[{len(model.tasks)}];", ""]
    if not model.tasks:
        return [*lines, "const struct carillon_osek_task carillon_osek_tasks[1];", ""]
    rows: list[str] = []
    for task in model.tasks:
        level = allocation.level_of(task)
        fields = {
            "function": c_names.task(task.name),
            "autostart": text.mode_mask(model, task.autostart),
            "source": level.source,
            "level": level.number,
            "request": _request(level),
            "ceiling": allocation.running_level(task),
            "activations": task.activations,
            "direct": int(level.kind is TaskKind.DIRECT),
        }
        if task.thread:
            fields["thread"] = 1
        if level.number in served:
            fields["cells"] = c_names.cells(level.number)
        if task.budget:
            fields["budget"] = units_of_budget(osek, task.budget)
        if task.extended:
            fields |= {
                "extended": f"&{c_names.extended(task.name)}",
                "stack": c_names.stack(task.name),
                "stack_words": f"sizeof({c_names.stack(task.name)}) / 8u",
            }
        rows += text.fields(f"{task.name}, priority {task.priority}, {text.place(task.span)}", fields)
    return lines + text.table("const struct carillon_osek_task carillon_osek_tasks[]", rows)


def new_threads(osek: OsekImage) -> list[str]:
    """The threads that ``new Thread(&f)`` takes, and the function of each, which calls what the program has given."""
    model = osek.allocation.osek
    taken = [(number, task) for number, task in enumerate(model.tasks) if task.new]
    if not taken:
        return []
    rows = [row for number, task in taken for row in text.fields(f"{task.name}, {text.place(task.span)}", {"thread": number})]
    lines = text.table(f"struct carillon_new_thread carillon_new_threads[{len(taken)}]", rows)
    for k, (_, task) in enumerate(taken):
        own = f"carillon_new_threads[{k}]"
        body = [f"    if ({own}.function != NULL) {{", f"        {own}.result = {own}.function();", "    }"]
        lines += [*text.function(c_names.task(task.name), body), ""]
    return lines


def foreign(osek: OsekImage) -> list[str]:
    """What a program for CMSIS-RTOS2 or FreeRTOS finds of the schedule: priorities, and mutexes that it may take."""
    clock, model = osek.allocation.clock, osek.allocation.osek
    if clock is None or not clock.services.heap:
        return []
    rows = [f"{task.priority}u, /* {task.name} */" for task in model.tasks]
    lines = text.table("const uint16_t carillon_rtos_priorities[]", rows)
    named = {mutex for task in model.tasks if task.new for mutex in task.mutexes}
    rows = [f"{int(mutex.name in named)}u, /* {mutex.name} */" for mutex in model.mutexes]
    return [*lines, *(text.table("const uint8_t carillon_rtos_mutexes[]", rows) if rows else [])]


def _request(level: TaskLevel) -> str:
    """The request of a level: a store, or the level's bit in a set of levels."""
    return f"CARILLON_STORE_PEND({level.source})" if level.source else f"CARILLON_SOFTWARE_REQUEST({level.number})"


def levels(system: System, osek: OsekImage) -> list[str]:
    """The table of levels, and the handler of each."""
    lines: list[str] = []
    allocation, model = osek.allocation, osek.allocation.osek
    numbers = {t.name: k for k, t in enumerate(model.tasks)}
    for level in allocation.levels:
        if level.capacity:
            lines += [
                f"static uint8_t carillon_ring_{level.number}[{level.capacity}];",
                f"static struct carillon_osek_ring carillon_ring_state_{level.number};",
            ]
    rows = ["{.task = 0},"]
    for level in allocation.levels:
        number = level.number
        fields = {"source": level.source, "task": numbers[level.tasks[0].name], "request": _request(level)}
        if level.capacity:
            fields |= {"ring": f"carillon_ring_{number}", "state": f"&carillon_ring_state_{number}", "capacity": level.capacity}
        if number in allocation.turns:
            fields["end_slice"] = f"CARILLON_STORE_PEND({allocation.turns[number]})"
        names = ", ".join(t.name for t in level.tasks)
        rows.append(f"{{{', '.join(f'.{k} = {v}' for k, v in fields.items())}}}, /* {number}: {names} */")
    lines += text.table("const struct carillon_osek_level carillon_osek_levels[]", rows)
    called = {cell.runs for served in osek.served for cell in served.cells}
    for level in allocation.levels:
        names = ", ".join(t.name for t in level.tasks)
        priority = level.tasks[0].priority
        where = f"source {level.source}" if level.source else "software"
        if level.kind is TaskKind.MANAGED:
            title = f"Level {level.number}, priority {priority}: {names} ({where})."
            apart = " __attribute__((noinline))" if level.number in called else ""
            runs = [f"    carillon_osek_run({level.number}u);"]
            lines += [*text.function(c_names.level(level.number), runs, title, attributes=apart), ""]
        else:
            lines += _direct_handlers(
                next(it for it in osek.direct if it.level is level), numbers[level.tasks[0].name], bool(system.noted)
            )
    if allocation.software:
        rows = ["NULL,", *(f"{c_names.level(level.number)}," for level in allocation.levels)]
        lines += text.table("const carillon_vector carillon_software_handlers[]", rows)
    return lines


def _direct_handlers(direct: DirectTask, number: int, noted: bool) -> list[str]:
    """The functions of a direct task's vector, with a frame where a called function ends the task (osek.ld decides)."""
    level, task = direct.level, direct.level.tasks[0]
    acknowledge = text.acknowledging(direct.cell) if direct.cell is not None else []
    priority = f"level {level.number}, priority {task.priority}, source {level.source}"
    lines = [f"/* Task {task.name} ({priority}, {text.place(task.span)}) is its vector (osek.ld). */"]
    begins = [f"    carillon_trace_begins({number}u);"] if noted else []
    ends = [f"    carillon_trace_ends({number}u, false);"] if noted else []
    serve = [f"    carillon_serve_waiting({level.number}u);"] if direct.serves else []
    back = [*acknowledge, f"    carillon_osek_forget_request({level.source});"] if direct.takes_back else []
    framed = f"carillon_port_call{'_handler' * direct.body}({{}});"
    for name, calls in (("acknowledged", "{}();"), ("framed", framed))[not (acknowledge or noted) :]:
        runs = "    " + calls.format(c_names.task(task.name))
        lines += text.function(f"carillon_{name}_{task.name}", [*acknowledge, *begins, runs, *ends, *serve, *back])
    return [*lines, ""]


def servers(allocation: OsekAllocation) -> list[str]:
    """The table of servers, in ticks of the clock: budgets rounded down and periods up."""
    clock, model = allocation.clock, allocation.osek
    if clock is None or not model.servers:
        return []
    rows, of = [], [0] * (len(allocation.levels) + 1)
    for number, (server, level) in enumerate(zip(model.servers, allocation.served_levels, strict=True), 1):
        budget, period = clock.at_most(server.budget), clock.at_least(server.period)
        constant = int(server.kind is ServerKind.CONSTANT)
        fields = {"budget": f"{budget}u", "period": f"{period}u", "level": level, "constant": constant}
        rows += text.fields(f"{server.name}, {text.place(server.span)}", fields)
        of[level] = number
    lines = text.table("const struct carillon_server carillon_servers[]", rows)
    return lines + text.table("const uint8_t carillon_server_of[]", [f"{number}," for number in of])


def thread_times(allocation: OsekAllocation) -> list[str]:
    """Offsets of threads in ticks of the clock, rounded up, and deadlines, rounded down."""
    clock, threads = allocation.clock, list(enumerate(allocation.osek.tasks))
    if clock is None:
        return []
    lines: list[str] = []
    for name, times in (
        ("offsets", [(n, t, clock.at_least(t.offset)) for n, t in threads if t.offset]),
        ("deadlines", [(n, t, clock.at_most(t.deadline)) for n, t in threads if t.deadline]),
    ):
        rows = [f"{{{ticks}u, {n}u}}, /* {t.name}, {text.place(t.span)} */" for n, t, ticks in times]
        lines += text.table(f"const struct carillon_thread_time carillon_time_{name}[]", rows) if rows else []
    return lines + _missed([(number, thread.name) for number, thread in threads if thread.deadline])


def _missed(threads: list[tuple[int, str]]) -> list[str]:
    """What tells the application that a thread has missed its deadline, with a function for each, by which a trace knows it."""
    if not threads:
        return []
    lines, cases = ["/* A thread has missed its deadline. */", "void carillon_thread_missed(TaskType thread);"], []
    for number, name in threads:
        symbol = late_symbol(name)
        does = [f"CARILLON_NOTE({symbol});", f"carillon_thread_missed({number}u); /* {name} */"]
        lines += [f"void {symbol}(void) __attribute__((noinline));", f"void {symbol}(void)", "{"]
        lines += [*(f"    {statement}" for statement in does), "}"]
        cases += [f"    case {number}u:", f"        {symbol}();", "        break;"]
    tells = ["void carillon_time_tell_missed(TaskType thread)", "{", "    switch (thread) {", *cases, "    default:"]
    return [*lines, *tells, "        break;", "    }", "}", ""]


def resources(allocation: OsekAllocation) -> list[str]:
    """What the services of resources and mutexes need."""
    names = allocation.named_resources
    pairs = zip(allocation.osek.mutexes, allocation.mutex_ceilings, strict=True)
    rows = [f"{ceiling}, /* {mutex.name} */" for mutex, ceiling in pairs]
    mutexes = text.table("const uint8_t carillon_osek_mutex_ceilings[]", rows) if rows else []
    if not names:
        return mutexes
    rows = [f"{allocation.ceilings[name]}, /* {name} */" for name in names]
    return [f"uint32_t carillon_osek_saved[{len(names)}];", *text.table("const uint8_t carillon_osek_ceilings[]", rows), *mutexes]
