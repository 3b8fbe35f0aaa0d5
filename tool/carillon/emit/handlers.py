# SPDX-License-Identifier: Apache-2.0
"""Handlers as C: each operation is a statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from carillon.emit import text
from carillon.image.operations import Asked, Does, Operation


def _driver(it: Operation) -> str:
    return f"{it.driver}_{it.does.value}({f'&{it.at}' if it.at else it.cell});"


def _port(it: Operation) -> str:
    return f"carillon_port_{it.does.value}({it.sources[0]}, {text.bits(it.sources)});"


_STATEMENTS: dict[Does, Callable[[Operation], str]] = {
    Does.ONE_MORE_LOWERED: lambda _: "carillon_lowered_tasks++;",
    Does.ONE_LESS_LOWERED: lambda _: "carillon_lowered_tasks--;",
    Does.BUDGET_STOPS: lambda _: "const uint32_t budget = carillon_budget_stops();",
    Does.BUDGET_GOES_ON: lambda _: "carillon_budget_goes_on(budget);",
    Does.ROUND_BUDGET_STOPS: lambda _: "const carillon_round_budget_kept round_budget = carillon_round_budget_stops();",
    Does.TASK_BUDGET_STOPS: lambda _: "const uint32_t task_budget = carillon_task_budget_stops();",
    Does.TASK_BUDGET_GOES_ON: lambda _: "carillon_task_budget_goes_on(task_budget);",
    Does.ROUND_BUDGET_GOES_ON: lambda _: "carillon_round_budget_goes_on(round_budget);",
    Does.BEGIN: lambda it: f"const uint32_t since = {it.driver}_begin({it.cell});",
    Does.NEXT: lambda it: f"{it.driver}_next({it.cell}, since);",
    Does.RUN: lambda it: f"CARILLON_RUN({it.name});",
    Does.RUN_BOUNDED: lambda it: f"{it.name}();",
    Does.RUN_LOWERED: lambda it: f"carillon_port_run_lowered({it.name});",
    Does.MISSED: lambda it: f"carillon_deadline_missed({it.number}u);",
    Does.CONTROL: lambda _: "carillon_control();",
    Does.SYNCHRONISE: lambda it: f"{it.name}();",
    Does.LOOK_UP: lambda it: f"const struct carillon_entry *const entry = (const struct carillon_entry *){it.at}.next;",
    Does.DISPATCH: lambda it: f"carillon_table_dispatch(entry, {it.at}.next);",
    Does.GUARD_BEGIN: lambda it: f"carillon_guard_begin(&{it.name});",
}
"""What is no plain call of a driver or of the port, and opens and closes no block."""

_GOES_ON = (Does.BUDGET_GOES_ON, Does.TASK_BUDGET_GOES_ON, Does.ROUND_BUDGET_GOES_ON)
"""What every end of a handler does that has stopped a budget."""


def statements(operations: Sequence[Operation], depth: int = 1) -> list[str]:
    """The statements of a function's body."""
    lines: list[str] = []
    ends = [_STATEMENTS[it.does](it) for it in operations if it.does in _GOES_ON]
    guarded = False  # what follows a guarded run is within its condition
    for operation in operations:
        if guarded and operation.does is not Does.NEXT:
            guarded, depth = False, depth - 1
            lines.append("    " * depth + "}")
        indent = "    " * depth
        returns = "".join(f"{indent}    {it}\n" for it in (*ends, "return;"))
        if operation.does is Does.LEAVES:
            lines.append(f"{indent}if (carillon_leaves({operation.sources[0]}u)) {{\n{returns}{indent}}}")
        elif operation.does is Does.TAKE_BACK:
            how = f"_at({operation.cell}, &{operation.at})" if operation.at else f"({operation.cell})"
            lines.append(f"{indent}{operation.driver}_take_back{how};")
        elif operation.does is Does.LAP:
            lines.append(f"{indent}if ({operation.driver}_lap(&{operation.at})) {{\n{returns}{indent}}}")
        elif operation.does is Does.GUARD_WAITS:
            lines += [f"{indent}if (!carillon_guard_waits(&{operation.name})) {{", f"{indent}    do {{"]
            depth += 2
        elif operation.does is Does.GUARD_END:
            guarded, depth = True, depth - 1
            lines.append("    " * depth + f"}} while (carillon_guard_end(&{operation.name}));")
        else:
            written = _STATEMENTS.get(operation.does, _driver if operation.driver else _port)
            lines.append(indent + written(operation))
    return [*lines, "    " * (depth - 1) + "}"] if guarded else lines


def asks(cells: Iterable[Asked]) -> str:
    """The condition that one of some cells has an interrupt request."""
    return " || ".join(f"{it.driver}_{'expired' if it.armed else 'asks'}({it.cell})" for it in cells)
