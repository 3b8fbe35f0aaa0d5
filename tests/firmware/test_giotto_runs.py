# SPDX-License-Identifier: Apache-2.0
"""Giotto programs run on boards: what every driver and guard reads and writes is what a machine in Python says, call by call,
and tasks run when the paper's figure says.
"""

from __future__ import annotations

import random
import re
import sys
import zlib
from pathlib import Path

import pytest
from laboratory import AST, HERE, MPS, ROOT, VIRTUAL_AST, Laboratory, Outcome

from carillon.diagnostics import Diagnostics
from carillon.giotto import Compiled, compile_giotto
from carillon.microcode.text import assembled_thread
from carillon.trace import Kind

sys.path.append(str(ROOT / "tests" / "giotto"))
from giotto_machine import C, Machine, Ports
from giotto_oracle import random_spec
from giotto_stepper import Stepper
from test_giotto_semantics import parsed

BOARDS = (VIRTUAL_AST, AST, MPS)
FLIGHT = ROOT / "docs" / "guide" / "giotto" / "flight.giotto"


def seed_of(function: str) -> int:
    return zlib.crc32(function.encode())


class Hashed:
    """Functions that give numbers which depend on what they read, in C and in Python; ``log`` is what drivers and guards gave.

    Those that read nothing depend on how often they were called.
    """

    def __init__(self, compiled: Compiled, work: dict[str, int], *, reports: bool = True) -> None:
        self.reports = reports
        self.log: list[int] = []
        self.python: dict[str, C] = {}
        self.calls: dict[str, int] = {}
        program = compiled.program
        names = {name: number for number, name in enumerate(program.ports)}
        lines = [
            '#include "giotto.h"',
            '#include "carillon/osektime.h"',
            '#include "carillon_port.h"',
            '#include "carillon/work.h"',
            '#include "report.h"',
        ]
        lines += [] if reports else ["void (*unused)(const char *, uint32_t) = report;"]
        lines += ["static uint32_t more(uint32_t sum, uint32_t value) { return (sum ^ value) * 16777619u; }"]
        kinds = ((compiled.drivers, program.drivers), (compiled.guards, program.guards), (compiled.tasks, program.tasks))
        for kind, (bindings, functions) in enumerate(kinds):
            for binding, function in zip(bindings, functions, strict=True):
                if binding.function is None or binding.function in self.python:
                    continue
                init = binding.name.startswith("init:")
                writes = [init or names[name] in function.writes for name in binding.arguments[: 1 if init else None]]
                # What a task computes is not for others to see before it has ended, so that it reads its states as inputs.
                self.python[binding.function] = self.function(binding.function, kind, writes)
                lines += self.c(binding.function, kind, writes, work.get(binding.name, 0))
        self.source = "\n".join(lines) + "\n"

    def function(self, name: str, kind: int, writes: list[bool]) -> C:
        def call(ports: Ports, arguments: tuple[str, ...], _: int) -> object:
            total = seed_of(name) + self.calls.setdefault(name, 0)
            if all(writes):
                self.calls[name] += 1
            for argument, written in zip(arguments, writes, strict=False):
                if not written:
                    total = (total ^ ports[argument] & 0xFFFF_FFFF) * 16777619 & 0xFFFF_FFFF
            for argument, written in zip(arguments, writes, strict=False):
                if written:
                    total = (total ^ 5) * 16777619 & 0xFFFF_FFFF
                    ports[argument] = total
            if kind < 2:
                self.log.append(total)
            return not writes or total >> 16 & 3

        return call

    def c(self, name: str, kind: int, writes: list[bool], work: int) -> list[str]:
        given = ", ".join(f"{'' if written else 'const '}int *p{k}" for k, written in enumerate(writes))
        lines = [f"{'bool' if kind == 1 else 'void'} {name}({given or 'void'})", "{", f"    uint32_t total = {seed_of(name)}u;"]
        if all(writes):
            lines.append("    static uint32_t calls;\n    total += calls++;")
        lines += [f"    total = more(total, (uint32_t)*p{k});" for k, written in enumerate(writes) if not written]
        lines += [f"    carillon_work({work}u);"] if work else []
        lines += [f"    total = more(total, 5u); *p{k} = (int)total;" for k, written in enumerate(writes) if written]
        lines += [f'    report("{name}", total);'] if kind < 2 and self.reports else []
        return [*lines, f"    return {'((total >> 16) & 3u) != 0u' if writes else 'true'};" if kind == 1 else "", "}"]


def ran(lab: Laboratory, name: str, text: str, source: str, board: str, ms: int, scode: str = "") -> Outcome:
    folder: Path = lab.folder / f"{name}{seed_of(scode)}"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.giotto").write_text(text, encoding="utf-8")
    (folder / "main.c").write_text(source, encoding="utf-8")
    (folder / "report.h").write_text((HERE / "report.h").read_text(encoding="utf-8"), encoding="utf-8")
    if scode:
        (folder / f"{name}.scode").write_text(scode, encoding="utf-8")
    planned, _ = lab.firmware(folder / f"{name}.giotto", board)
    return lab.run_file(folder / f"{name}.giotto", board, ticks=planned.system.clock_hz * ms // 1000)


def compiled(text: str) -> Compiled:
    found = compile_giotto(parsed(text), Diagnostics())
    assert found is not None
    return found


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("seed", [0, 3, 8, 14, 24])
def test_every_driver_and_guard_gives_what_it_gives_in_python(lab: Laboratory, seed: int, board: str) -> None:
    chance = random.Random(seed)
    spec = random_spec(chance)
    for sensor in spec.sensors:
        spec.sensors[sensor] = True
    for mode in spec.modes:
        mode.period = max(mode.period, 6)
    text = spec.text()
    program = compiled(text)
    work = {task.name: chance.choice([0, 500, 3000]) for task in spec.tasks}
    functions = Hashed(program, work)
    ms = 200
    Machine(program, functions.python, chance).run(ms)
    outcome = ran(lab, f"random{seed}", text, functions.source, board, ms)
    given = [int(line.split()[1]) for line in outcome.trace.output.split("\n")[:-2]]  # the last one may be cut
    assert len(given) > 100
    assert given == functions.log[: len(given)]
    assert len(functions.log) - len(given) < len(program.program.code)  # the last instant may be under way


def on_processor(outcome: Outcome, steps: int) -> list[str | None]:
    """Which task has the processor in the middle of each tenth of a millisecond, from the first release on."""
    hz = outcome.planned.system.clock_hz
    ran: list[tuple[int, int, str]] = []
    since: dict[str, int] = {}
    for event in outcome.events(Kind.RESUME, Kind.PREEMPT, Kind.WAIT):
        if event.kind is Kind.RESUME:
            since[event.object] = event.n
        elif event.object in since:
            ran.append((since.pop(event.object), event.n, event.object))
    begin = min(first for first, _, _ in ran)
    middles = (begin + outcome.per_tick * hz * (2 * k + 1) // 20_000 for k in range(steps))
    return [next((name for begin, end, name in ran if begin <= at < end), None) for at in middles]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("scode", ["", "synchronous", "preemptive", "nonpreemptive"])
def test_tasks_run_when_the_stepper_runs_them(lab: Laboratory, scode: str, board: str) -> None:
    """Figures 2 to 4 of the paper, but that of figure 2 the task that is declared first has a deadline that two have."""
    text = FLIGHT.read_text(encoding="utf-8")
    text = re.sub(r"type\n.*?\n\n", "", text, flags=re.DOTALL).replace("position ", "int ").replace("command ", "int ")
    t1 = 50 if scode == "synchronous" else 80
    text = text.replace("[wcet 8]", f"[wcet {t1 // 10}]")
    thread = (FLIGHT.parent / f"{scode}.scode").read_text(encoding="utf-8") if scode else ""
    source = parsed(text)
    found = assembled_thread(thread, "flight.scode", ("t1", "t2"), Diagnostics()) if scode else None
    program = compile_giotto(source, Diagnostics(), thread=found)
    assert program is not None
    hz = {VIRTUAL_AST: 15_625_000, AST: 15_625_000, MPS: 25_000_000}[board]
    functions = Hashed(
        program, {"t1": hz * (t1 * 10 - 2) // 100_000, "t2": hz * 398 // 100_000}, reports=False
    )  # less than they may take
    stepper = Stepper(program, functions.python, {"t1": t1, "t2": 40}, random.Random(0), shorter=False)
    stepper.run(60)
    outcome = ran(lab, "flight", text, functions.source, board, 62, thread)
    assert outcome.planned.system.clock_hz == hz
    found_tasks = on_processor(outcome, 600)
    names = [None if task is None else program.program.tasks[task].name for task in stepper.ran]
    differ = [k for k in range(600) if found_tasks[k] != names[k]]
    assert {"t1", "t2", None} == set(found_tasks)
    # Each takes a little less than in the stepper, and the tick's handler a little of a tenth of a millisecond.
    assert all(names[k] != names[k + 1] or names[k] != names[k - 1] or found_tasks[k] is None for k in differ), differ
    assert all(found_tasks[k - 1] == names[k] == found_tasks[k + 1] for k in differ if names[k - 1] == names[k] == names[k + 1])
