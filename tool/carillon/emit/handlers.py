# SPDX-License-Identifier: Apache-2.0
"""Handlers as C: each operation is a statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from carillon.emit import text
from carillon.image.operations import Does, Operation


def _driver(it: Operation) -> str:
    return f"{it.driver}_{it.does.value}({f'&{it.at}' if it.at else it.cell});"


def _port(it: Operation) -> str:
    return f"carillon_port_{it.does.value}({it.sources[0]}, {text.bits(it.sources)});"


_STATEMENTS: dict[Does, Callable[[Operation], str]] = {
    Does.ONE_MORE_LOWERED: lambda _: "carillon_lowered_tasks++;",
    Does.ONE_LESS_LOWERED: lambda _: "carillon_lowered_tasks--;",
    Does.BUDGET_STOPS: lambda _: "const uint32_t budget = carillon_budget_stops();",
    Does.BUDGET_GOES_ON: lambda _: "carillon_budget_goes_on(budget);",
    Does.RUN: lambda it: f"CARILLON_RUN({it.name});",
    Does.RUN_LOWERED: lambda it: f"carillon_port_run_lowered({it.name});",
    Does.MISSED: lambda it: f"carillon_deadline_missed({it.number}u);",
    Does.CONTROL: lambda _: "carillon_control();",
    Does.SYNCHRONISE: lambda _: "carillon_synchronise();",
    Does.LOOK_UP: lambda it: f"const struct carillon_entry *const entry = (const struct carillon_entry *){it.at}.next;",
    Does.DISPATCH: lambda it: f"carillon_table_dispatch(entry, {it.at}.next);",
    Does.GUARD_BEGIN: lambda it: f"carillon_guard_begin(&{it.name});",
}
"""What is no call of a driver or of the port, and opens and closes no block."""


def statements(operations: Iterable[Operation], depth: int = 1) -> list[str]:
    """The statements of a function's body."""
    lines: list[str] = []
    for operation in operations:
        indent = "    " * depth
        if operation.does is Does.LEAVES:
            lines += [f"{indent}if (carillon_leaves({operation.sources[0]}u)) {{", f"{indent}    return;", f"{indent}}}"]
        elif operation.does is Does.TAKE_BACK:
            how = f"_at({operation.cell}, &{operation.at})" if operation.at else f"({operation.cell})"
            lines.append(f"{indent}{operation.driver}_take_back{how};")
        elif operation.does is Does.LAP:
            lines += [f"{indent}if ({operation.driver}_lap(&{operation.at})) {{", f"{indent}    return;", f"{indent}}}"]
        elif operation.does is Does.GUARD_WAITS:
            lines += [f"{indent}if (!carillon_guard_waits(&{operation.name})) {{", f"{indent}    do {{"]
            depth += 2
        elif operation.does is Does.GUARD_END:
            depth -= 2
            indent = "    " * depth
            lines += [f"{indent}    }} while (carillon_guard_end(&{operation.name}));", f"{indent}}}"]
        else:
            written = _STATEMENTS.get(operation.does, _driver if operation.driver else _port)
            lines.append(indent + written(operation))
    return lines


def asks(cells: Iterable[tuple[str, int]]) -> str:
    """The condition that one of some cells (driver, number) has an interrupt request."""
    return " || ".join(f"{driver}_asks({number})" for driver, number in cells)
