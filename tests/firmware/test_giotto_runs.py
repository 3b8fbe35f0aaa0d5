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
from consistency import inconsistency
from laboratory import AST, HERE, MPS, ROOT, RV32, TC, VIRTUAL_AST, Laboratory, Outcome

from carillon.diagnostics import Diagnostics
from carillon.frontends.giotto.compile import compile_giotto
from carillon.frontends.giotto.scheduling import METHODS, chosen_in
from carillon.microcode.compiled import Compiled
from carillon.model.giotto import Machine as Carrier
from carillon.run import run
from carillon.trace import Kind

sys.path.append(str(ROOT / "tests" / "giotto"))
from giotto_machine import C, Machine, Ports
from giotto_oracle import random_spec
from giotto_stepper import Stepper
from test_giotto_semantics import parsed

BOARDS = (VIRTUAL_AST, AST, MPS)
MACHINES = [(Carrier.MICROCODE, board) for board in BOARDS]
MACHINES += [(Carrier.CELLS, board) for board in (*BOARDS, RV32, TC)]
FLIGHT = ROOT / "examples" / "flight" / "flight.giotto"


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


def written(lab: Laboratory, name: str, text: str, source: str, scode: str = "") -> Path:
    """The folder of a program and its C file."""
    folder: Path = lab.folder / f"{name}{seed_of(scode)}"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.giotto").write_text(text, encoding="utf-8")
    (folder / "main.c").write_text(source, encoding="utf-8")
    (folder / "report.h").write_text((HERE / "report.h").read_text(encoding="utf-8"), encoding="utf-8")
    if scode:
        (folder / f"{name}.scode").write_text(scode, encoding="utf-8")
    return folder


def ran(
    lab: Laboratory,
    name: str,
    text: str,
    source: str,
    board: str,
    ms: int,
    scode: str = "",
    machine: Carrier = Carrier.MICROCODE,
) -> Outcome:
    folder = written(lab, name, text, source, scode)
    planned, _ = lab.firmware(folder / f"{name}.giotto", board, machine=machine)
    return lab.run_file(folder / f"{name}.giotto", board, machine=machine, ticks=planned.system.clock_hz * ms // 1000)


def compiled(text: str) -> Compiled:
    found = compile_giotto(parsed(text), Diagnostics())
    assert found is not None
    return found


@pytest.mark.parametrize(("machine", "board"), MACHINES)
@pytest.mark.parametrize("seed", [0, 3, 8, 14, 24])
def test_every_driver_and_guard_gives_what_it_gives_in_python(lab: Laboratory, seed: int, machine: Carrier, board: str) -> None:
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
    outcome = ran(lab, f"random{seed}", text, functions.source, board, ms, machine=machine)
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


WHO_RUNS = [(scode, board) for scode in ("", "preemptive") for board in BOARDS]
WHO_RUNS += [("synchronous", MPS), ("nonpreemptive", VIRTUAL_AST), (".scheduler rm", AST)]
WHO_RUNS += [(f".method {method}", AST) for method in METHODS]


@pytest.mark.parametrize(("scode", "board"), WHO_RUNS)
def test_tasks_run_when_the_stepper_runs_them(lab: Laboratory, scode: str, board: str) -> None:
    """Figures 2 to 4 of the paper."""
    text = FLIGHT.read_text(encoding="utf-8")
    text = re.sub(r"type\n.*?\n\n", "", text, flags=re.DOTALL).replace("position ", "int ").replace("command ", "int ")
    t1 = 50 if scode == "synchronous" else 80
    text = text.replace("[wcet 8]", f"[wcet {t1 // 10}]")
    thread = scode if not scode or scode.startswith(".") else (FLIGHT.parent / f"{scode}.scode").read_text(encoding="utf-8")
    source = parsed(text)
    (lab.folder / "chosen.scode").write_text(thread, encoding="utf-8")
    chosen = chosen_in(lab.folder / "chosen.scode", source, Diagnostics())
    assert chosen is not None
    program = compile_giotto(source, Diagnostics(), chosen.plan, chosen.thread)
    assert program is not None
    hz = {VIRTUAL_AST: 15_625_000, AST: 15_625_000, MPS: 25_000_000}[board]
    functions = Hashed(
        program, {"t1": hz * (t1 * 10 - 2) // 100_000, "t2": hz * 398 // 100_000}, reports=False
    )  # less than they may take
    stepper = Stepper(program, functions.python, {"t1": t1, "t2": 40}, random.Random(0), shorter=False)
    stepper.by_period = chosen.scheduler == "rm"
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


LATE = """\
sensor int turn uses get_turn;
actuator int seen uses put_seen; int told uses put_told;
output int sum := nothing; int slow := nothing;
task quick (int it) output (sum) state (int all := nothing) { schedule add(it, all, sum) }
task other (int it) output (slow) state () { schedule twice(it, slow) }
driver now (turn) output (int it) { if always() then copy(turn, it) }
driver show (sum) output (int seen) { if always() then copy(sum, seen) }
driver tell (slow) output (int told) { if always() then copy(slow, told) }
start m {
  mode m () period 20 {
    actfreq 2 do seen(show);
    actfreq 1 do told(tell);
    taskfreq 2 do quick(now);
    taskfreq 1 do other(now);
  }
}
"""
LATE_C = """\
#include "giotto.h"
#include "carillon/osektime.h"
#include "carillon/work.h"
#include "kernel/microcode/machine.h"
#include "report.h"
bool always(void) { return true; }
void get_turn(int *turn) { static int turns; *turn = ++turns; }
void put_seen(const int *seen) { report("seen", (uint32_t)*seen); }
void put_told(const int *told) { report("told", (uint32_t)*told); }
void nothing(int *it) { *it = 0; }
void copy(const int *from, int *to) { *to = *from; }
void twice(const int *it, int *slow)
{
    *slow = 2 * *it;
    carillon_work((*it % 10 == 7) ? LONG : 10u); /* preempted by the other task when that is late, too */
}
void add(const int *it, int *all, int *sum)
{
    *all += *it;
    *sum = *all;
    carillon_work((*it % 5 == 3) ? LONG : 10u); /* longer than until its deadline */
}
void carillon_machine_fault(enum carillon_machine_fault fault, uint16_t task, uint16_t address)
{
    report("fault", 10000u * (uint32_t)fault + 1000u * task + address);
}
"""


def lines(lab: Laboratory, text: str, source: str, board: str, ms: int, machine: Carrier) -> list[tuple[str, int]]:
    """What is reported; the trace is consistent, and has the end of what is terminated while another task runs."""
    written(lab, "late", text, source)
    planned, firmware = lab.firmware(lab.folder / "late0" / "late.giotto", board, machine=machine)
    trace = run(planned.image, firmware, planned.system.clock_hz * ms // 1000, Diagnostics())
    assert trace is not None
    assert inconsistency(trace) == ""
    ends = [event for event in trace.events if (event.kind, event.object) == (Kind.END, "other")]
    assert machine is Carrier.CELLS or len(ends) == 3
    return Outcome(planned, firmware, trace).reported[:-1]


@pytest.mark.parametrize("board", [VIRTUAL_AST, AST, MPS])
def test_what_is_late_is_told_and_forgotten_by_every_machine(lab: Laboratory, board: str) -> None:
    """A task that overruns by some of the next period: its outputs stay, and its next invocation counts."""
    hz = {VIRTUAL_AST: 15_625_000, AST: 15_625_000, MPS: 25_000_000}[board]
    source = LATE_C.replace("LONG", f"{hz // 1000 * 12}u")
    said = [lines(lab, LATE, source, board, 300, machine) for machine in Carrier]
    least = min(map(len, said))
    assert all(lines[:least] == said[0][:least] for lines in said)
    faults = [value for name, value in said[1] if name == "fault"]
    assert len(faults) >= 5
    assert {fault // 1000 for fault in faults} == {0, 1}  # LATE, and the task
    assert sum(fault // 1000 for fault in faults) == 3  # at 80, 180 and 280 ms
    # Turns 3, 8 and so on are not in the sum that is shown.
    sums, total = [0], 0
    for turn in range(1, 30):
        total += turn if turn % 5 != 3 else 0
        sums.append(total)
    shown = [value for name, value in said[1] if name == "seen"]
    assert shown[:24] == sums[:24]


@pytest.mark.parametrize("board", [VIRTUAL_AST, AST, MPS, RV32, TC])
@pytest.mark.parametrize("seed", [0, 8, 14])
def test_rates_begin_at_the_instants_of_the_releases(lab: Laboratory, seed: int, board: str) -> None:
    """With every machine, and but for what is more urgent: tasks take no time to speak of."""
    chance = random.Random(seed)
    spec = random_spec(chance)
    for mode in spec.modes:
        mode.period = max(mode.period, 6)
    text = spec.text()
    program = compiled(text)
    functions = Hashed(program, {}, reports=False)
    ms = 200
    instants = Machine(program, functions.python, chance).run(ms)
    outcome = ran(lab, f"instants{seed}", text, functions.source, board, ms + 20, machine=Carrier.CELLS)
    planned = outcome.planned
    assert planned.image.blocks is not None
    per_ms = planned.system.clock_hz * outcome.per_tick // 1000
    starts = sorted(n for rate in planned.image.blocks.rates for n in outcome.at(Kind.START, rate.name))
    times = [time for time, instant in instants.items() if instant.released]
    began = sorted({(n - starts[0] + per_ms // 20) // per_ms for n in starts})
    assert [time for time in began if time < ms - times[0]] == [time - times[0] for time in times]
    assert all((n - starts[0] + per_ms // 20) % per_ms < per_ms // 2 for n in starts)
