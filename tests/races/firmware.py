# SPDX-License-Identifier: Apache-2.0
"""Programs as one image (``sweep.h``), and what it says when it runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from interleavings import ANEW, AT, CellAlarm, Do, Mark, Step, Word
from program import Compiler, schedule
from reference import CALLBACK, HOOKS, ISR, Action, Application, Code, Program, hook

from building import build
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PATIENCE = 30.0
"""Seconds of wall time after whose silence a run hangs."""

DATA, PAGED_DATA = ".data : ALIGN(4) {", ".data : ALIGN(0x1000) {"
"""Of the linker script: a store to a page that holds code as well costs the emulator a lookup."""

STACK = 1024
"""Bytes: each run clears the stacks, and says if one is used up."""

FIRST = 0x9FFF0  # sweep.h
SWEPT_SOURCE = 39  # the timer of TMR8
ERROR_HOOK = frozenset({(0, hook("error"))})
KINDS = {"begin": 1, "status": 2, "error": 3, "out": 4}
MACROS = re.compile(r"\b(ActivateTask|ChainTask|TerminateTask|SetEvent|GetResource|ReleaseResource)\(")

LONG = "LONG"  # ticks: longer than any run
TIME_SERVICES = {
    Mark.TAKE: "carillon_semaphore_p(&semaphores[{x}])",
    Mark.TAKE_WITHIN: f"carillon_semaphore_p_within(&semaphores[{{x}}], {LONG})",
    Mark.TAKE_NOW: "carillon_semaphore_p_within(&semaphores[{x}], 0u)",
    Mark.GIVE: "carillon_semaphore_v(&semaphores[{x}])",
    Mark.START: f"carillon_alarm_start(&alarms[{{x}}], {LONG}, 1u)",
    Mark.STOP: "carillon_alarm_stop(&alarms[{x}])",
    Mark.CHANGE: f"carillon_alarm_change(&alarms[{{x}}], {LONG})",
    Mark.LEFT: "carillon_alarm_left(&alarms[{x}], &ticks)",
    Mark.DELAY: f"carillon_delay({LONG})",
}
ALARM_SERVICES = {
    Mark.CANCEL: "done(CancelAlarm(K{x}));",
    Mark.SET_ANEW: f"done(SetRelAlarm(K{{x}}, {ANEW}u, {ANEW}u));",
    Mark.GET: "get_alarm(K{x});",
    Mark.REQUEST: "carillon_port_request(CELL_{x});",
}
TIME_OBJECTS = """#include "carillon/time.h"
#if CARILLON_CLOCK == CARILLON_CLOCK_TICK
#define LONG 10u
#else
#define LONG 10000000u
#endif
static carillon_duration ticks;
static struct carillon_semaphore semaphores[] = {CARILLON_SEMAPHORE_UP_TO(0, 1), CARILLON_SEMAPHORE_UP_TO(0, 1)};
static struct carillon_alarm alarms[] = {CARILLON_ALARM_OF_TASK(T1), CARILLON_ALARM_OF_TASK(T1)};
"""


def board(folder: Path) -> Path:
    """The reference board without the cell whose interrupt is the application's source ``swept``, and without SysTick.

    All cells count instructions then.
    """
    target = folder / "ast1030-swept"
    if not target.exists():
        shutil.copytree(ROOT / "boards/ast1030-evb", target)
        toml = target / "board.toml"
        text = toml.read_text(encoding="utf-8")
        systick = text[text.index('[[cells]]\nfamily = "systick"') : text.index("[costs]")]
        for old, new in (
            (systick, ""),
            ('name = "ast1030-evb"', 'name = "ast1030-swept"'),
            ("soft0 = 16, soft1 = 17", f"soft0 = 16, soft1 = 17, swept = {SWEPT_SOURCE}"),
            (', "TMR8"]', "]"),
            (", 0x7E782080,", ","),
            (f", {SWEPT_SOURCE}]", "]"),
        ):
            assert old in text, old
            text = text.replace(old, new)
        toml.write_text(text, encoding="utf-8")
        link = target / "link.ld"
        text = link.read_text(encoding="utf-8")
        assert DATA in text
        link.write_text(text.replace(DATA, PAGED_DATA), encoding="utf-8")
    return target / "board.toml"


@dataclass(frozen=True, slots=True)
class Setting:
    """An application as it is built: what dispatches, and whether services are called as functions."""

    application: Application
    dispatch: str = "hardware"
    functions: bool = False
    extra: str = ""  # of the schedule
    cells: tuple[CellAlarm, ...] = ()  # alarms K0, K1, ... that have one each

    @property
    def schedule(self) -> str:
        """The text of its schedule."""
        text = schedule(self.application, self.dispatch, ["swept", "soft0", "soft1"]) + self.extra
        text = text.replace("stack = 8192", f"stack = {STACK}")
        text += '[osek.counter.K]\ntick = "100 ms"\n' if self.cells else ""
        for number, alarm in enumerate(self.cells):
            task, event = f"T{alarm.task}", f"E{alarm.mask.bit_length() - 1}"
            action = f'set_event = {{ task = "{task}", event = "{event}" }}' if alarm.mask else f'activate = "{task}"'
            text += f'[osek.alarm.K{number}]\ncounter = "K"\nautostart = {{ at = {AT}, cycle = {AT} }}\n{action}\n'
        return text


class Writer:
    """Writes the C file of some programs of an application."""

    def __init__(self, setting: Setting, programs: Sequence[Program]) -> None:
        self.setting = setting
        self.application = setting.application
        self.programs = programs
        self.compiler = Compiler(self.application, ())

    def step(self, step: Step) -> str:
        if isinstance(step, Do):
            match step.mark:
                case Mark.ARM:
                    return "arm();"
                case Mark.DISARM:
                    return "disarm();"
                case Mark.EXPIRE:
                    return f"carillon_port_request(carillon_osek_tasks[T{step.x}].source);"
                case Mark.EVENTS:
                    return f"say_events(T{step.x});"
                case Mark.SET:
                    return f"set_events(T{step.x});"
                case mark if mark in ALARM_SERVICES:
                    return ALARM_SERVICES[mark].format(x=step.x)
                case mark:
                    return f"done({TIME_SERVICES[mark].format(x=step.x)});"
        if step.code is Code.HALT:
            return "finish();"
        call = self.compiler.call(step).replace("VOID(", "(")
        return MACROS.sub(r"(\1)(", call) if self.setting.functions else call

    def function(self, heading: str, body: int, first: str = "") -> list[str]:
        """A body; the same ones of several programs share their place."""
        places: dict[tuple[tuple[Step, ...], ...], list[int]] = {}
        for number, program in enumerate(self.programs):
            places.setdefault(program.bodies.get(body, ((),)), []).append(number)
        lines = [heading, "{", f"    {first}" if first else "", f"    const unsigned run = began({body}u);"]
        lines += ["    (void)run;", "    switch (STATE->program) {"]
        for variants, numbers in places.items():
            lines += [f"    case {number}u:" for number in numbers]
            for turn, steps in enumerate(variants[:-1]):
                lines += [
                    f"        if (run == {turn}u) {{",
                    *(f"            {self.step(s)}" for s in steps),
                    "            break;",
                    "        }",
                ]
            lines += [f"        {self.step(step)}" for step in variants[-1]]
            lines += ["        break;"]
        return [*lines, "    default:", "        break;", "    }", "}", ""]

    def text(self) -> str:
        application = self.application
        lines = ["/* SPDX-License-Identifier: Apache-2.0 */", f"#define PROGRAMS {len(self.programs)}u"]
        lines += ['#include "sweep.h"', '#include "ask.h"', '#include "cells.h"', ""]
        lines += [TIME_OBJECTS] if "[time]" in self.setting.extra else []
        named = [*(f"R{n}" for n in range(application.explicit_resources)), "RES_SCHEDULER", "(ResourceType)200u"]
        lines += [f"const ResourceType resources[] = {{{', '.join(named)}}};", ""]
        lines += ["static inline void request(unsigned isr)", "{", "    switch (isr) {"]
        for number in range(len(application.isrs)):
            lines += [f"    case {number}u:", f"        carillon_port_pend(CARILLON_ISR_SOURCE_I{number});", "        break;"]
        lines += ["    default:", "        break;", "    }", "}", ""]
        for number in range(len(application.tasks)):
            lines += self.function(f"TASK(T{number})", number)
        for number in range(len(application.isrs)):
            first_line = "" if number else "if (!interferes()) { return; }"
            lines += self.function(f"ISR(I{number})", ISR + number, first_line)
        for number, alarm in enumerate(application.alarms):
            if alarm.action is Action.CALLBACK:
                lines += self.function(f"ALARMCALLBACK(F{number})", CALLBACK + number)
        for name in HOOKS:
            if name in application.hooks:
                heading = {"startup": "StartupHook(void)", "pretask": "PreTaskHook(void)", "posttask": "PostTaskHook(void)"}
                parameter = heading.get(name, f"{name.capitalize()}Hook(StatusType error)")
                first_line = "note(WORD(ERROR, error, 0u));" if name == "error" else ""
                lines += self.function(f"void {parameter}", hook(name), first_line)
        lines += ["int main(void);", "int main(void)", "{", "    start_sweep();", "    StartOS(OSDEFAULTAPPMODE);", "}"]
        return "\n".join(lines) + "\n"


@dataclass(slots=True)
class Swept:
    """What a program did: by the instruction from which on it left them, its logs; and how often the interrupt came."""

    logs: dict[int, tuple[int, ...]] = field(default_factory=dict)
    instructions: int = 0
    over: bool = False


def image(folder: Path, setting: Setting, programs: Sequence[Program]) -> Path:
    """Build programs; returns the ELF file."""
    folder = Path(tempfile.mkdtemp(dir=folder))
    (folder / "schedule.toml").write_text(setting.schedule, encoding="utf-8")
    (folder / "main.c").write_text(Writer(setting, programs).text(), encoding="utf-8")
    for name in ("sweep.h", "ask.h"):
        shutil.copy(HERE / name, folder)
    return built(folder, setting.cells)


def built(folder: Path, cells: Sequence[CellAlarm] = (), parts: Sequence[bool] = ()) -> Path:
    """Build the application of a folder for the board; returns the ELF file.

    ``parts``: whether each part of the counter Q has a cell; COUNTER_CELL is that of its first.
    """
    diagnostics = Diagnostics()
    planned = plan(folder / "schedule.toml", diagnostics, str(board(folder.parent)))
    if planned is not None and planned.image.osek is not None:
        allocation = planned.image.osek.allocation
        lines = [f"#define CELL_{alarm.name[1:]} {it.source}u" for alarm, it in allocation.alarms if alarm.name[0] == "K"]
        own = {int(alarm.name[1:]) for alarm, it in allocation.alarms if alarm.name[0] == "K" and it.task_level}
        assert own == {n for n, cell in enumerate(cells) if cell.own}, own
        queue = [p.cells for p in allocation.counters if p.demand.name == "Q"]
        assert [bool(use) for use in queue] == list(parts)
        lines += [f"#define COUNTER_CELL {int(use[0].cell.name[3:]) - 1}u" for use in queue[:1]]
        if allocation.clock is not None:
            name = allocation.clock.carrier.cells[0].cell.name
            lines += [f"#define CLOCK_CELL {int(name[3:]) - 1}u"] if name.startswith("TMR") else []
        (folder / "cells.h").write_text("\n".join(["/* SPDX-License-Identifier: Apache-2.0 */", *lines, ""]), encoding="utf-8")
    firmware = build(planned.image, folder / "build", diagnostics) if planned is not None else None
    assert firmware is not None, "\n".join(str(d) for d in diagnostics.reported)
    return firmware.elf


def on_one_processor() -> None:
    """Keep the threads of an emulator on one processor: they wait for each other, and wake each other faster there."""
    processors = sorted(os.sched_getaffinity(0))
    worker = os.environ.get("PYTEST_XDIST_WORKER", f"gw{os.getpid()}").removeprefix("gw")
    os.sched_setaffinity(0, {processors[int(worker) % len(processors)]})


def output(elf: Path, first: int) -> list[str]:
    """What an image says from a program on, until its last program's sweep is over, or it hangs."""
    command = ["qemu-system-arm", "-M", "ast1030-evb", "-nodefaults", "-display", "none", "-monitor", "none"]
    command += ["-serial", "stdio", "-icount", "shift=6,sleep=off", "-kernel", str(elf)]
    command += ["-device", f"loader,addr={FIRST:#x},data={first},data-len=4"]
    lines: list[str] = []
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        errors="replace",
        preexec_fn=on_one_processor,
    ) as emulator:
        assert emulator.stdout is not None
        while True:
            patience = threading.Timer(PATIENCE, emulator.kill)
            patience.start()
            line = emulator.stdout.readline()
            patience.cancel()
            lines += [line.strip()] if line else []
            if not line or line.startswith("0 over"):
                break
        emulator.kill()
    return lines


def sweep(elf: Path, count: int) -> list[Swept]:
    """Run an image of so many programs."""
    result = [Swept() for _ in range(count)]
    first = 0
    while first < count:
        for line in output(elf, first):
            number, kind, *words = line.split()
            if kind == "over":
                break
            it = result[int(number, 16)]
            if kind == "run":
                it.logs[int(words[0], 16)] = tuple(int(word, 16) for word in words[1:])
            else:
                assert kind == "swept", line
                it.instructions, it.over = int(words[0], 16), True
                first = int(number, 16) + 1
        first += first < count  # after one that hangs
    return result


def matches(log: Sequence[int], wanted: Sequence[Word]) -> bool:
    """Is a log one that is wanted?  A late error may come anywhere behind its place, or not at all."""
    if not any(about == "late" for about, _ in wanted):
        return len(log) == len(wanted) and all(_is(word, *known) for word, known in zip(log, wanted, strict=True))
    found = {(0, 0, frozenset[int]())}  # how much of both is explained, and which late errors may come yet
    while found:
        if any(at == len(log) and done == len(wanted) for at, done, _ in found):
            return True
        following = set()
        for at, done, late in found:
            if done < len(wanted) and wanted[done][0] == "late":
                following.add((at, done + 1, late | {done}))
            elif at < len(log) and done < len(wanted) and _is(log[at], *wanted[done]):
                following.add((at + 1, done + 1, late))
            if log[at + 1 : at + 2] and _is(log[at + 1], "begin", ERROR_HOOK):
                following |= {(at + 2, done, late - {k}) for k in late if _is(log[at], "error", wanted[k][1])}
        found = following
    return False


def _is(word: int, about: str, pairs: frozenset[tuple[int, int]]) -> bool:
    return any(word == KINDS[about] << 24 | one << 16 | other for one, other in pairs)
