# SPDX-License-Identifier: Apache-2.0
"""Any word may be the name of an object: neither the kernel's sources nor its headers ever see those names."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from laboratory import AST, ROOT, VIRTUAL_AST, Laboratory

import asked
from building import build
from carillon.check.names import CPP_KEYWORDS, fault
from carillon.check.osek import CPP_NAMES, is_pasted, reserved
from carillon.diagnostics import Diagnostics
from carillon.frontends import read_schedule
from carillon.model.board import Board
from carillon.pipeline import plan
from carillon.read.board import load_board
from sample import turn

EACH = 240
"""Counters, alarms and resources in one image."""

ALL = asked.all_cases()
"""Try every word, not only the first images' worth of them."""


def kernel_words() -> set[str]:
    """Every identifier that the kernel, the ports and the drivers use."""
    words: set[str] = set()
    for folder in ("kernel", "ports", "emulators/host", "cells", "boards"):
        for path in sorted((ROOT / folder).rglob("*.[ch]*")):
            code = re.sub(r'/\*.*?\*/|//[^\n]*|"[^"\n]*"', " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            words |= set(re.findall(r"\b[A-Za-z_]\w*\b", code))
    return words


def plain_words() -> set[str]:
    """Words of plain English: those of the guide."""
    return {
        word
        for path in sorted((ROOT / "docs").rglob("*.md"))
        for word in re.findall(r"\b[a-z]+\b", path.read_text(encoding="utf-8"))
    }


def usable(words: set[str]) -> list[str]:
    """Those that the tool does not refuse; the functions that the C library's headers declare as macros are another matter."""
    own = {"T", "high", "report", "main", "line", "file"}
    return sorted(
        w for w in words if fault(w, function=False) is None and reserved(w) is None and w not in own | CPP_KEYWORDS | CPP_NAMES
    )


def schedule(words: list[str], more: str) -> str:
    lines = ["[osek]", 'hooks = ["error"]', "parameter_access = true", "get_service_id = true"]
    lines += ["[osek.task.T]", "priority = 1", "autostart = true"]
    third = -(-len(words) // 3)
    for number, word in enumerate(words):
        if number < third:
            lines += [f"[osek.counter.{word}]", 'kind = "software"']
        elif number < 2 * third:
            lines += [f"[osek.alarm.{word}]", f'counter = "{words[number - third]}"', 'activate = "T"']
        else:
            lines += [f"[osek.resource.{word}]"]
    names = ", ".join(f'"{word}"' for word in words[2 * third :])
    lines.insert(lines.index("priority = 1"), f"resources = [{names}]")
    return "\n".join([*lines, more])


CODE = """
ttTASK(Z1) { }
TASK(T) { ActivateTask(T); ChainTask(T); TerminateTask(); }
void ErrorHook(StatusType zz1)
{
    (void)zz1;
    (void)OSErrorGetServiceId();
    (void)OSError_ActivateTask_TaskID();
    (void)OSError_SetRelAlarm_increment();
    (void)OSError_SetRelAlarm_cycle();
    (void)OSError_GetAlarm_Tick();
}
"""
TIME = """
static struct carillon_period zz2 = CARILLON_EXACT(3, 1000);
static struct carillon_semaphore zz3 = CARILLON_SEMAPHORE(2);
static void zz4(void) { }
static struct carillon_alarm zz5[] = {CARILLON_ALARM_OF_FUNCTION(zz4), CARILLON_ALARM_OF_TASK(T),
    CARILLON_ALARM_OF_EVENT(T, 1u), CARILLON_ALARM_OF_SEMAPHORE(&zz3)};
THREAD(ZT) { carillon_alarm_start(&zz5[0], CARILLON_MILLISECONDS(3), CARILLON_INFINITE); (void)&zz2; }
"""
ROUNDS = '[task.Z1]\nperiod = "10ms"\n'
SERVICES = '[time]\nclock = "periodic"\ntick = "1ms"\n[thread.ZT]\npriority = 3\n'


def images(words: list[str]) -> list[list[str]]:
    parts = [words[k : k + 3 * EACH] for k in range(0, len(words), 3 * EACH)]
    return parts if ALL else [parts[turn("names", len(parts))]]


@pytest.mark.parametrize("language", ["c", "cpp"])
@pytest.mark.parametrize("board", [VIRTUAL_AST, AST])
@pytest.mark.parametrize("source", ["kernel", "plain"])
def test_any_word_may_be_an_object(lab: Laboratory, board: str, language: str, source: str) -> None:
    words = usable(kernel_words() if source == "kernel" else plain_words())
    assert len(words) > 400
    for number, part in enumerate(images(words)):
        with_time = source == "kernel" and language == "c"
        folder = lab.folder / f"names-{source}-{board}-{language}-{number}"
        folder.mkdir()
        path = folder / "schedule.toml"
        path.write_text(f'[system]\nname = "app"\n{schedule(part, ROUNDS + (SERVICES if with_time else ""))}', encoding="utf-8")
        headers = ["os.h", "carillon/osektime.h", "carillon/work.h"] + (["carillon/time.h"] if with_time else [])
        code = "".join(f'#include "{name}"\n' for name in headers) + CODE + (TIME if with_time else "")
        (folder / f"main.{language}").write_text(code)
        diagnostics = Diagnostics()
        planned = plan(path, diagnostics, board)
        assert build(planned.image, folder / "o", diagnostics) is not None, [str(d) for d in diagnostics.reported]


@pytest.mark.parametrize("board", [VIRTUAL_AST, AST])
def test_main_may_be_written_in_cplusplus(lab: Laboratory, board: str) -> None:
    schedule = '[osek]\nmodes = ["Day", "Night"]\n[osek.task.A]\npriority = 1\nautostart = ["Night"]\n'
    path = lab.write(schedule, "")
    (path.parent / "main.c").unlink(missing_ok=True)
    code = '#include "os.h"\n#include "report.h"\nint main() { report("main", 1); StartOS(Night); }\n'
    (path.parent / "main.cpp").write_text(code + 'TASK(A) { report("A", 1); TerminateTask(); }\n', encoding="utf-8")
    assert lab.run_file(path, board, ticks=20_000).reported == [("main", 1), ("A", 1)]


PASTED = """
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define NAME carillon_object_NAME
const uint64_t most[] = {UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX, UINTMAX_MAX, UINTPTR_MAX, SIZE_MAX, UINT_LEAST32_MAX,
    UINT_FAST64_MAX, UINT8_C(1), UINT16_C(1), UINT32_C(1), UINT64_C(1), UINTMAX_C(1), UINT_MAX, ULONG_MAX, ULLONG_MAX, UCHAR_MAX};
const int64_t least[] = {INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN, INTMAX_MIN, INTPTR_MIN, INT_LEAST32_MIN, INT_FAST64_MAX,
    INT8_C(1), INT16_C(1), INT32_C(1), INT64_C(1), INTMAX_C(1), PTRDIFF_MAX, INT_MIN, LONG_MIN, LLONG_MIN, CHAR_MIN, true};
"""


def compilers() -> dict[str, Board]:
    """A board of each compiler."""
    found = (load_board(path) for path in sorted((ROOT / "boards").glob("*/board.toml")))
    return {Path(board.build.compiler).name: board for board in found}


@pytest.mark.parametrize("compiler", compilers())
def test_a_name_is_refused_if_and_only_if_a_header_of_the_compiler_would_expand_it(compiler: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    command = [compiler, *compilers()[compiler].build.cflags, "-std=c11"]
    headers = "".join(re.findall(r"#include.*\n", PASTED))
    listing = [*command, "-E", "-dM", "-x", "c", "-"]
    macros = subprocess.run(listing, input=headers, capture_output=True, text=True, check=True).stdout
    words = {w for line in macros.splitlines() for w in re.findall(r"\b[A-Za-z]\w*\b", line.partition(" ")[2].partition(" ")[2])}
    names = [
        w for w in sorted(words | {*"ABCDLSUXu", "UL", "LL", "ULL"}) if fault(w, function=True) is None and reserved(w) is None
    ]
    assert {"U", "L", "UL"} <= {*names}

    def refuses(name: str) -> bool:
        source = tmp_path / f"{name}.c"
        source.write_text(PASTED.replace("NAME", name), encoding="utf-8")
        return subprocess.run([*command, "-fsyntax-only", str(source)], capture_output=True, check=False).returncode != 0

    assert not refuses("Engine")
    assert [name for name in names if refuses(name)] == [name for name in names if is_pasted(name, compiler)]


@pytest.mark.parametrize("table", ["osek.task.U", "osek.alarm.U", "osek.event.U", "osek.resource.U", "thread.U"])
@pytest.mark.parametrize("board", ["atmega128", "arduino-uno", AST])
def test_what_becomes_a_macro_has_no_name_that_the_headers_of_an_avr_expand(board: str, table: str, tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    path.write_text(f"[{table}]\n", encoding="utf-8")
    diagnostics = Diagnostics()
    read_schedule(path, diagnostics, board)
    said = [d.cause for d in diagnostics.errors if d.code == "C026"]
    assert said == ([] if board == AST else [f"the {table.split('.')[-2]} name 'U' ends numbers in the headers of avr-gcc"])


NO_WARNING = """
#include "os.h"
DeclareTask(A);
static TaskType other(TaskType task)
{
    switch (task) {
    case A:
        return B;
    default:
        return (task == B) ? A : INVALID_TASK;
    }
}
TASK(A) { ActivateTask(B); SetEvent(B, E); ActivateTask(other(A)); ChainTask(B); }
TASK(B) { TaskStateType state; WaitEvent(E); (void)GetTaskState(A, &state); TerminateTask(); }
ISR(I) { if (GetISRID() == I) { ActivateTask(A); } }
"""


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_the_compiler_does_not_warn_of_the_names_of_tasks(tmp_path: Path, language: str) -> None:
    objects = '[osek.task.A]\npriority = 1\n[osek.task.B]\npriority = 2\nevents = ["E"]\n[osek.event.E]\n'
    interrupt = '[osek.isr.I]\ncategory = 2\nsource = "soft0"\n'
    (tmp_path / "schedule.toml").write_text(f'[system]\nname = "app"\n{objects}{interrupt}', encoding="utf-8")
    (tmp_path / f"main.{language}").write_text(NO_WARNING, encoding="utf-8")
    diagnostics = Diagnostics()
    planned = plan(tmp_path / "schedule.toml", diagnostics, VIRTUAL_AST)
    assert build(planned.image, tmp_path / "o", diagnostics) is not None
    assert not diagnostics.reported, [str(d) for d in diagnostics.reported]


OWN_MACROS = """
#include <string.h>
#include <unistd.h>
#include "carillon_port.h"
#include "os.h"
#include "carillon/schedule_table.h"
#include "carillon/time.h"
#include "report.h"
#define DECLARE(task, isr, event, alarm, counter, resource, table) \\
    DeclareTask(task); DeclareISR(isr); DeclareEvent(event); DeclareAlarm(alarm); DeclareCounter(counter); \\
    DeclareResource(resource); DeclareScheduleTable(table)
#define SAYS(name, number, ends) TASK(name) { report("task", number); ends; }
#define COUNTED_ISR(name) ISR(name) { report("isr", number_of(name)); }
#define WORKER(name) THREAD(name) { report("thread", 1); }
DECLARE(read, index, E, A, C, R, S);
DECLARE(read, index, E, A, C, R, S);
static int number_of(ISRType isr)
{
    switch (isr) {
    case index:
        return 1;
    case link:
        return 2;
    default:
        return 0;
    }
}
static const TaskType first = read;
static void pend_both(void)
{
    SuspendAllInterrupts();
    carillon_port_pend(CARILLON_ISR_SOURCE_index);
    carillon_port_pend(CARILLON_ISR_SOURCE_link);
    ResumeAllInterrupts();
}
SAYS(read, 1, pend_both(); SetEvent(write, E); TerminateTask())
SAYS(write, 2, WaitEvent(E); report("event", 1); TerminateTask())
COUNTED_ISR(index)
COUNTED_ISR(link)
WORKER(pause)
int main(void)
{
    report("main", first == read);
    StartOS(OSDEFAULTAPPMODE);
}
"""
OWN_SCHEDULE = """
[osek]
[osek.event.E]
[osek.resource.R]
[osek.counter.C]
kind = "software"
max_allowed = 99
[osek.alarm.A]
counter = "C"
activate = "read"
[osek.schedule_table.S]
counter = "C"
duration = 50
[[osek.schedule_table.S.point]]
offset = 5
activate = ["read"]
[osek.task.write]
priority = 3
autostart = true
events = ["E"]
[osek.task.read]
priority = 2
autostart = true
[osek.isr.index]
category = 2
source = "soft0"
priority = 5
[osek.isr.link]
category = 1
source = "soft1"
priority = 6
[time]
clock = "one-shot"
[thread.pause]
priority = 1
"""


@pytest.mark.parametrize("status", ["standard", "extended"])
@pytest.mark.parametrize("board", [VIRTUAL_AST, AST])
def test_an_applications_own_macros_may_define_objects(lab: Laboratory, board: str, status: str) -> None:
    schedule = OWN_SCHEDULE.replace("[osek]", f'[osek]\nstatus = "{status}"', 1)
    path = lab.write(schedule, status)
    (path.parent / "main.c").write_text(OWN_MACROS, encoding="utf-8")  # the C library's headers come first
    outcome = lab.run_file(path, board, ticks=200_000)
    assert outcome.reported == [("main", 1), ("task", 2), ("task", 1), ("isr", 2), ("isr", 1), ("event", 1), ("thread", 1)]


NAMES = """
#include "os.h"
TASK(T) { TerminateTask(); }
void ErrorHook(StatusType error)
{
    (void)error;
    switch (OSErrorGetServiceId()) {
    case OSServiceId_GetElapsedCounterValue:
        (void)OSError_GetElapsedCounterValue_CounterID();
        (void)OSError_GetElapsedCounterValue_Value();
        (void)OSError_GetElapsedCounterValue_ElapsedValue();
        break;
    case OSServiceId_GetISRID:
    default:
        break;
    }
}
"""


def test_services_with_an_older_name_and_without_errors_have_names_in_the_error_hook(tmp_path: Path) -> None:
    keys = '[osek]\nhooks = ["error"]\nparameter_access = true\nget_service_id = true\n'
    (tmp_path / "schedule.toml").write_text(f'[system]\nname = "app"\n{keys}[osek.task.T]\npriority = 1\n', encoding="utf-8")
    source = NAMES.replace('"os.h"', '"os.h"\n#include "carillon/schedule_table.h"')
    (tmp_path / "main.c").write_text(source, encoding="utf-8")
    diagnostics = Diagnostics()
    planned = plan(tmp_path / "schedule.toml", diagnostics, VIRTUAL_AST)
    assert build(planned.image, tmp_path / "o", diagnostics) is not None, [str(d) for d in diagnostics.reported]
