# SPDX-License-Identifier: Apache-2.0
"""A library beside a vendor's start-up code: a project that links it does what an image of its own does."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from laboratory import MPS

from building import build
from carillon.build import built_elsewhere
from carillon.build.library import build_library
from carillon.build.symbols import symbols
from carillon.diagnostics import Diagnostics
from carillon.elf import read_elf
from carillon.pipeline import Planned, plan
from carillon.run import record, run
from carillon.run.entries import Code
from carillon.run.records import Decoder
from carillon.trace import Event, Kind
from carillon.trace.analyse import analyse
from carillon.trace.timeline import HandlerKind
from carillon.verify.elf import Elf
from runnable import NODE, RIGLESS

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "beside-cmsis"
DISCOVERY = "stm32f4-discovery"
PICO = "raspberry-pi-pico"
CHIPS = {MPS: "mps2-an385", DISCOVERY: "stm32f407", PICO: "rp2040"}
BUTTONS = {
    MPS: ("PORT0_0", "PORT0_0_Handler", 32),
    DISCOVERY: ("EXTI0", "EXTI0_IRQHandler", 22),
    PICO: ("IO_IRQ_BANK0", "isr_irq13", 29),
}
BOARDS = [MPS, pytest.param(DISCOVERY, marks=RIGLESS), pytest.param(PICO, marks=NODE)]

pytestmark = pytest.mark.skipif(shutil.which("cmake") is None or shutil.which("ninja") is None, reason="needs cmake and ninja")


SCHEDULES = {MPS: "mps2-an385.toml", DISCOVERY: "schedule.toml", PICO: "pico.toml"}


def schedule(folder: Path, board: str) -> Path:
    """The example's schedule for a board, beside the C files of the application."""
    for source in (SCHEDULES[board], "loops.c", "button.c"):
        shutil.copy(EXAMPLE / source, folder)
    return folder / SCHEDULES[board]


def project(planned: Planned, folder: Path, chip: str, cmakelists: Path = EXAMPLE / "project") -> Path:
    """The ELF of the project with CMake, which links the library of a plan."""
    diagnostics = Diagnostics()
    library = build_library(replace(planned.image, library=True), folder / "carillon", diagnostics)
    assert library is not None, diagnostics.reported
    toolchain = ROOT / "cmake/toolchains/arm-none-eabi.cmake"
    options = [f"-DCHIP={chip}", f"-DCARILLON={library.archive.parent}", "-G", "Ninja", "--toolchain", str(toolchain)]
    for step in (["-S", str(cmakelists), "-B", str(folder / "out"), *options], ["--build", str(folder / "out")]):
        made = subprocess.run(["cmake", *step], capture_output=True, text=True, timeout=120, check=False)
        assert made.returncode == 0, made.stdout + made.stderr
    return folder / "out" / "app.elf"


def events_of(planned: Planned, elf: Path | None, folder: Path, rounds: int = 2, ticks: int = 0) -> list[Event]:
    """What happens in some rounds of an image of a project, or of the tool's."""
    diagnostics = Diagnostics()
    make = built_elsewhere(planned.image, elf, diagnostics) if elf is not None else build(planned.image, folder, diagnostics)
    assert make is not None, diagnostics.reported
    ticks = ticks or rounds * planned.system.modes[0].round_length
    trace = run(planned.image, make, ticks, diagnostics, rounds=rounds if planned.system.modes else 0)
    assert trace is not None, diagnostics.reported
    return list(trace.events)


TICK = {MPS: "SysTick_Handler", DISCOVERY: "SysTick_Handler", PICO: "isr_systick"}
"""The handler of the project's own tick, each millisecond."""


def carillons(events: list[Event]) -> list[Event]:
    """Those events that the project's own tick adds none to."""
    return [e for e in events if e.object not in (*TICK.values(), "idle")]


@pytest.mark.parametrize("board", BOARDS)
def test_the_same_starts_in_a_cmake_project_with_a_vendors_start_up_code_and_alone(tmp_path: Path, board: str) -> None:
    planned = plan(schedule(tmp_path, board), Diagnostics(), board)
    every = events_of(planned, project(planned, tmp_path, CHIPS[board]), tmp_path)
    beside, alone = carillons(every), carillons(events_of(planned, None, tmp_path / "alone"))
    for kind in (Kind.ENTER, Kind.START, Kind.END, Kind.EXIT):
        assert [e.kind for e in every if e.object == TICK[board] and e.kind is kind] == [kind] * 20
    starts = [e for e in alone if e.kind is Kind.START]
    assert len(starts) == 2 * (200 + 10 + 1)
    if board == MPS:
        assert beside == alone
    # The start waits for a microsecond, which it sees some instructions later, depending on where its loop was.
    # On the Discovery an instruction at 168 MHz takes no whole nanoseconds: one more may fit in before a cell expires.
    assert [(e.kind, e.object) for e in beside] == [(e.kind, e.object) for e in alone]
    if board == DISCOVERY:
        assert {abs(b.n - a.n) for b, a in zip(beside, alone, strict=True)} <= {0, 1}
        assert {e.t % 4200 for e in beside if (e.kind, e.object) == (Kind.ENTER, "current")} == {0}
    else:
        assert [e.t for e in beside] == [e.t for e in alone]
    assert len({b.n - a.n for b, a in zip(beside, alone, strict=True)} - {0}) <= 1


@pytest.mark.parametrize("board", [MPS, DISCOVERY, PICO])
def test_the_vendors_table_has_a_function_of_the_application_and_nothing_between(tmp_path: Path, board: str) -> None:
    planned = plan(schedule(tmp_path, board), Diagnostics(), board)
    elf = project(planned, tmp_path, CHIPS[board])
    table, where = Elf(elf), symbols(elf)
    _, handler, source = BUTTONS[board]
    assert planned.system.board.run is not None
    begin = planned.system.board.run.code_base + planned.system.board.run.table_offset
    assert table.number(begin + 4 * source, 4) == where["button"][0] | 1
    assert where[handler][0] & ~1 == where["button"][0] & ~1
    for vector in planned.image.vectors[0]:
        assert table.number(begin + 4 * vector.source, 4) == where[vector.symbol][0] | 1, vector


def test_budgets_are_kept_beside_the_vendors_code(tmp_path: Path) -> None:
    """What bounds a task stands in its place in the library already: the project's linker is told of nothing."""
    path = schedule(tmp_path, MPS)
    text = path.read_text(encoding="utf-8").replace('wcet = "60us"', 'wcet = "60us"\nbudget = "20us"')  # of 40
    path.write_text(text.replace("[system]\n", '[system]\non_budget_overrun = "end"\n'), encoding="utf-8")
    planned = plan(path, Diagnostics(), MPS)
    beside = events_of(planned, project(planned, tmp_path, CHIPS[MPS]), tmp_path, rounds=1)
    assert [e.object for e in beside if e.kind is Kind.BUDGET_OVERRUN] == ["speed"] * 10
    assert carillons(beside) == carillons(events_of(planned, None, tmp_path / "alone", rounds=1))


def test_starts_are_recorded_beside_the_vendors_code(tmp_path: Path) -> None:
    path = schedule(tmp_path, MPS)
    path.write_text(path.read_text(encoding="utf-8") + "\n[trace]\nring = 64\n", encoding="utf-8")
    planned = plan(path, Diagnostics(), MPS)
    elf = Elf(project(planned, tmp_path, CHIPS[MPS]))
    assert "__real_current" in elf.symbols  # something stands in its place, and has its name (carillon.elf.unwrapped)


MODES = """
[system]
reserve = ["SysTick"]
start_mode = "slow"
[interrupt.button]
source = "PORT0_0"
[task.A]
wcet = "20us"
[task.B]
wcet = "20us"
[mode.slow]
round = "5ms"
points = [{ at = "500us", activate = "A" }]
[mode.fast]
round = "2ms"
points = [{ at = "300us", activate = "B" }]
"""
MODES_CODE = """
#include "carillon/osektime.h"
void button(void);
void button(void) {}
ttTASK(A) { static int runs; if (++runs == 2) { (void)ttSwitchAppMode(ttAppMode_fast); } }
ttTASK(B) { static int runs; if (++runs == 3) { (void)ttSwitchAppMode(ttAppMode_slow); } }
"""
TICKS = """
#include "carillon/osektime.h"
#include "hal.h"
uint32_t seen;
void ttIdleTask(void) { for (;;) { if (HAL_GetTick() > seen) { seen = HAL_GetTick(); } } }
int main(void) { HAL_Init(); ttStartOS(ttOS_DEFAULTAPPMODE); }
"""


def test_several_modes_have_tables_with_the_vendors_handlers(tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    path.write_text(MODES, encoding="utf-8")
    (tmp_path / "loops.c").write_text(MODES_CODE, encoding="utf-8")
    planned = plan(path, Diagnostics(), MPS)
    own = tmp_path / "project"
    shutil.copytree(EXAMPLE / "project", own)
    lists = own / "CMakeLists.txt"
    lists.write_text(lists.read_text(encoding="utf-8").replace(" ../button.c", ""), encoding="utf-8")
    (own / "main.c").write_text(TICKS, encoding="utf-8")
    elf = project(planned, tmp_path, CHIPS[MPS], own)
    beside = events_of(planned, elf, tmp_path, rounds=8)
    assert "SysTick_Handler" in {e.object for e in beside}
    assert carillons(beside) == carillons(events_of(planned, None, tmp_path / "alone", rounds=8))
    assert {e.object for e in beside if e.kind is Kind.START} >= {"A", "B"}
    table, where = Elf(elf), symbols(elf)
    for name in ("carillon_mode0_vectors", "carillon_mode1_vectors"):
        begin = where[name][0]
        assert begin % 512 == 0
        assert table.number(begin + 4 * 15, 4) == where["SysTick_Handler"][0] | 1
        assert table.number(begin + 4 * 17, 4) == where["Default_Handler"][0] | 1  # UARTTX0
        assert table.number(begin + 4 * 32, 4) == where["button"][0] | 1


EVENTS = """
[system]
reserve = ["SysTick"]
[osek.task.Blink]
priority = 1
[osek.task.Led]
priority = 2
[osek.isr.button]
category = 2
source = "PORT0_0"
priority = 3
[osek.counter.Timer]
tick = "1ms"
[osek.alarm.Toggle]
counter = "Timer"
activate = "Blink"
autostart = { at = 2, cycle = 2 }
static = true
"""
EVENTS_CODE = """
#include "os.h"
DeclareTask(Led);
TASK(Blink) { (void)ActivateTask(Led); TerminateTask(); }
TASK(Led) { TerminateTask(); }
ISR(button) {}
"""
EVENTS_MAIN = """
#include "hal.h"
#include "os.h"
int main(void) { HAL_Init(); StartOS(OSDEFAULTAPPMODE); }
"""


def test_an_event_triggered_system_does_the_same_beside_the_vendors_code(tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    path.write_text(EVENTS, encoding="utf-8")
    (tmp_path / "loops.c").write_text(EVENTS_CODE, encoding="utf-8")
    planned = plan(path, Diagnostics(), MPS)
    own = tmp_path / "project"
    shutil.copytree(EXAMPLE / "project", own)
    lists = own / "CMakeLists.txt"
    lists.write_text(lists.read_text(encoding="utf-8").replace(" ../button.c", ""), encoding="utf-8")
    lists.write_text(lists.read_text(encoding="utf-8").replace(" -Wl,--gc-sections", ""), encoding="utf-8")
    (own / "main.c").write_text(EVENTS_MAIN, encoding="utf-8")
    beside = events_of(planned, project(planned, tmp_path, CHIPS[MPS], own), tmp_path, ticks=500_000)
    assert len([e for e in carillons(beside) if e.kind is Kind.START]) == 2 * 9
    assert carillons(beside) == carillons(events_of(planned, None, tmp_path / "alone", ticks=500_000))


WRONG = {
    "nothing": ("", "", "READY", 0),
    "interrupts masked": ('__asm__("cpsid i");', '__asm__("cpsie i");', "MASKED", 1),
    "levels masked": ('__asm__("msr basepri, %0" ::"r"(0x40));', '__asm__("msr basepri, %0" ::"r"(0));', "MASKED", 3),
    "bits that do not preempt": ("AT(0xE000ED0C) = 0x05FA0600;", "AT(0xE000ED0C) = 0x05FA0400;", "PRIORITY_GROUPS", 6),
    "another table": ("AT(0xE000ED08) = (uint32_t)table;", "AT(0xE000ED08) = 0;", "VECTOR", 24),
    "a timer that runs": ("AT(0x40000000) = 1;", "AT(0x40000000) = 0;", "TIMER", 0x40000000),
    "half a dual timer that runs": ("AT(0x40002008) = 0x80;", "AT(0x40002008) = 0x20;", "TIMER", 0x40002008),
}
WRONG_ON_PICO = {
    "nothing": ("", "", "READY", 0),
    "interrupts masked": ('__asm__("cpsid i");', '__asm__("cpsie i");', "MASKED", 1),
    "another table": ("AT(0xE000ED08) = (uint32_t)table;", "AT(0xE000ED08) = 0x10000100;", "VECTOR", 16),
    "an alarm that is armed": ("AT(0x40054014) = 0xFFFFFF;", "AT(0x40054020) = 2;", "TIMER", 0x40054020),
    "an alarm that may interrupt": ("AT(0x40054038) = 1;", "AT(0x40054038) = 0;", "TIMER", 0x40054038),
    "a slice that runs": ("AT(0x40050014) = 1;", "AT(0x40050014) = 0;", "TIMER", 0x40050014),
}
_MEASURED = """
    if (carillon_refused.hz - 166000000u > 4000000u || carillon_refused.expected_hz != 84000000u) {{ for (;;) {{}} }}
    AT(0x40023808) = 0x9402;"""
WRONG_ON_DISCOVERY = {
    "nothing": ("", "", "READY", 0),
    "timers twice as fast": ("AT(0x40023808) = 0x9002;", _MEASURED, "CLOCK", 0x40000C24),
    "one bus's timers half as fast": ("AT(0x40023808) = 0xB402;", "AT(0x40023808) = 0x9402;", "CLOCK", 0x40010024),
    "a timer that the project uses": ("AT(0x40010000) = 1;", "AT(0x40010000) = 0;", "TIMER", 0x40010000),
    "a timer whose interrupt the project has on": ("AT(0x4001000C) = 1;", "AT(0x4001000C) = 0;", "TIMER", 0x4001000C),
}
_WRONG_ON = {MPS: WRONG, PICO: WRONG_ON_PICO, DISCOVERY: WRONG_ON_DISCOVERY}
_MARKS = {MPS: (), PICO: NODE, DISCOVERY: RIGLESS}
CASES = [pytest.param(board, name, marks=_MARKS[board]) for board, names in _WRONG_ON.items() for name in names]
WRONG_MAIN = """
#include "carillon/osektime.h"
#include "carillon_library.h"
#include "hal.h"
#include <stdbool.h>
#define AT(address) (*(volatile uint32_t *)(address))
static uint32_t table[64] __attribute__((aligned(256)));
static void nobody(void) {{}}
static bool told;
static void wrong(void) {{ {wrong} }}
static void right(void) {{ {right} }}
int main(void)
{{
    for (int k = 0; k < 64; k++) {{ table[k] = (uint32_t)nobody; }}
    HAL_Init();
    wrong();
    ttStartOS(ttOS_DEFAULTAPPMODE);
}}
/* Nothing starts that should have been refused. */
void ttStartupHook(void)
{{
    if (told == (CARILLON_START_{reason} == CARILLON_START_READY)) {{ for (;;) {{}} }}
}}
/* Locked: once it is right, the second start must not be refused. */
void ttShutdownHook(ttStatusType error)
{{
    if ((error == TT_E_OS_START) && (carillon_refused.reason == CARILLON_START_{reason}) && (carillon_refused.where == {at}u)) {{
        told = true;
        right();
        __asm__ volatile("cpsie i");
        {unlock}
        ttStartOS(ttOS_DEFAULTAPPMODE);
    }}
}}
"""
_UNLOCK = '__asm__ volatile("msr basepri, %0" ::"r"(0));'


@pytest.mark.parametrize(("board", "name"), CASES)
def test_the_start_asks_by_itself_and_says_what_is_wrong(tmp_path: Path, board: str, name: str) -> None:
    wrong, right, reason, at = _WRONG_ON[board][name]
    planned = plan(schedule(tmp_path, board), Diagnostics(), board)
    own = tmp_path / "project"
    shutil.copytree(EXAMPLE / "project", own)
    text = WRONG_MAIN.format(wrong=wrong, right=right, reason=reason, at=at, unlock=_UNLOCK if board != PICO else "")
    (own / "main.c").write_text(text, encoding="utf-8")
    lists = own / "CMakeLists.txt"
    lists.write_text(
        lists.read_text(encoding="utf-8").replace("${CMAKE_CURRENT_SOURCE_DIR}/../../..", str(ROOT)), encoding="utf-8"
    )
    elf = project(planned, tmp_path, CHIPS[board], own)
    starts = [e for e in events_of(planned, elf, tmp_path, ticks=10_000) if e.kind is Kind.START]
    assert starts  # the hook has started the system, as it was told what was expected


MASKED_MAIN = """
#include "carillon/osektime.h"
#include "hal.h"
int main(void)
{
    HAL_Init();
    __asm__ volatile("cpsid i");
    ttStartOS(ttOS_DEFAULTAPPMODE);
}
"""


def own_project(folder: Path, main: str) -> Path:
    """The example's project with another main."""
    own = folder / "project"
    shutil.copytree(EXAMPLE / "project", own)
    lists = own / "CMakeLists.txt"
    lists.write_text(lists.read_text(encoding="utf-8").replace("../", f"{EXAMPLE}/"), encoding="utf-8")
    (own / "main.c").write_text(main, encoding="utf-8")
    return own


def test_a_run_says_why_a_start_refuses(tmp_path: Path) -> None:
    planned = plan(schedule(tmp_path, MPS), Diagnostics(), MPS)
    elf = project(planned, tmp_path, CHIPS[MPS], own_project(tmp_path, MASKED_MAIN))
    diagnostics = Diagnostics()
    make = built_elsewhere(planned.image, elf, diagnostics)
    assert make is not None
    assert run(planned.image, make, 10_000, diagnostics, rounds=1) is None
    (found,) = diagnostics.reported
    assert (found.code, found.cause) == ("C366", "the start refuses: PRIMASK holds interrupts back")


def test_a_schedule_may_leave_the_check_of_the_start_out(tmp_path: Path) -> None:
    path = schedule(tmp_path, MPS)
    path.write_text(path.read_text(encoding="utf-8").replace("[system]", "[system]\ncheck_start = false"), encoding="utf-8")
    planned = plan(path, Diagnostics(), MPS)
    main = MASKED_MAIN.replace('"cpsid i"', '"msr basepri, %0" ::"r"(0x40)')
    elf = project(planned, tmp_path, CHIPS[MPS], own_project(tmp_path, main))
    assert "carillon_start_refused" not in symbols(elf)
    assert events_of(planned, elf, tmp_path, ticks=10_000)


_SETS = "RCC_CFGR = RCC_HCLK_DIV2 << 3 | RCC_HCLK_DIV4 | RCC_SYSCLKSOURCE_PLLCLK;"
CLOCKS = {
    "timers of one bus": (
        (_SETS, _SETS.replace("DIV4", "DIV2")),
        "the timers of apb1 have 168MHz, where [clock] says 84MHz: they count 2 times as fast",
        'core = "168MHz", timers = { apb1 = "168MHz", apb2 = "168MHz" }',
    ),
    "all": (
        ("#define PLLN 336u", "#define PLLN 240u"),
        "the processor has 120MHz, where [clock] says 168MHz: it runs 1.4 times as slowly; "
        "the timers of apb1 have 60MHz, where [clock] says 84MHz: they count 1.4 times as slowly; "
        "the timers of apb2 have 120MHz, where [clock] says 168MHz: they count 1.4 times as slowly",
        'core = "120MHz", timers = { apb1 = "60MHz", apb2 = "120MHz" }',
    ),
}


@RIGLESS
@pytest.mark.parametrize("name", CLOCKS)
def test_a_run_says_by_which_factor_the_projects_clocks_are_wrong(tmp_path: Path, name: str) -> None:
    change, cause, clocks = CLOCKS[name]
    planned = plan(schedule(tmp_path, DISCOVERY), Diagnostics(), DISCOVERY)
    own = tmp_path / "project"
    shutil.copytree(EXAMPLE / "project", own)
    system = own / "stm32f407/system.c"
    system.write_text(system.read_text(encoding="utf-8").replace(*change), encoding="utf-8")
    lists = own / "CMakeLists.txt"
    lists.write_text(lists.read_text(encoding="utf-8").replace("../", f"{EXAMPLE}/"), encoding="utf-8")
    elf = project(planned, tmp_path, CHIPS[DISCOVERY], own)
    diagnostics = Diagnostics()
    make = built_elsewhere(planned.image, elf, diagnostics)
    assert make is not None
    assert run(planned.image, make, planned.system.modes[0].round_length, diagnostics, rounds=1) is None
    (found,) = diagnostics.reported
    assert (found.code, found.cause) == ("C363", cause)
    assert found.remedy == f"set the clocks so, or write what the image sets: {clocks}"
    assert str(found.span).endswith("schedule.toml:11:10")


def test_a_projects_own_interrupts_count_as_the_applications(tmp_path: Path) -> None:
    planned = plan(schedule(tmp_path, MPS), Diagnostics(), MPS)
    make = built_elsewhere(planned.image, project(planned, tmp_path, CHIPS[MPS]), Diagnostics())
    assert make is not None
    trace = run(planned.image, make, 2 * planned.system.modes[0].round_length, Diagnostics(), rounds=2)
    assert trace is not None
    assert trace.interrupts == ("button", "SysTick_Handler")
    totals = analyse(trace, []).totals
    assert totals.interrupts == 2 * 211 + 20
    assert totals.interrupts_by_kind[HandlerKind.INTERRUPT] == 20
    assert totals.interrupts_by_kind[HandlerKind.OTHER] == 0


def test_without_the_fragment_a_function_of_the_application_is_a_branch_away(tmp_path: Path) -> None:
    planned = plan(schedule(tmp_path, MPS), Diagnostics(), MPS)
    own = tmp_path / "project"
    shutil.copytree(EXAMPLE / "project", own)
    lists = (own / "CMakeLists.txt").read_text(encoding="utf-8").replace(" ${CARILLON}/carillon.ld", "")
    (own / "CMakeLists.txt").write_text(lists.replace("../", f"{EXAMPLE}/"), encoding="utf-8")
    elf = project(planned, tmp_path, CHIPS[MPS], own)
    table, where = Elf(elf), symbols(elf)
    _, handler, source = BUTTONS[MPS]
    at = table.number(4 * source, 4) & ~1
    assert at == where[handler][0] & ~1 != where["button"][0] & ~1
    size = next(s.size for s in read_elf(elf).symbols if s.name == handler)
    assert size == 4  # b.w
    assert built_elsewhere(planned.image, elf, Diagnostics()) is not None


def test_a_second_handler_of_a_timer_is_refused_by_the_linker(tmp_path: Path) -> None:
    planned = plan(schedule(tmp_path, MPS), Diagnostics(), MPS)
    own = tmp_path / "project"
    shutil.copytree(EXAMPLE / "project", own)
    lists = own / "CMakeLists.txt"
    lists.write_text(lists.read_text(encoding="utf-8").replace("../", f"{EXAMPLE}/"), encoding="utf-8")
    main = own / "main.c"
    another = "void TIMER0_Handler(void);\nvoid TIMER0_Handler(void) {}\n"
    main.write_text(main.read_text(encoding="utf-8") + another, encoding="utf-8")
    with pytest.raises(AssertionError, match="multiple definition of `TIMER0_Handler'"):
        project(planned, tmp_path, CHIPS[MPS], own)


def test_an_image_whose_table_does_not_lead_to_the_library_is_refused(tmp_path: Path) -> None:
    planned = plan(schedule(tmp_path, MPS), Diagnostics(), MPS)
    own = tmp_path / "project"
    shutil.copytree(EXAMPLE / "project", own)
    lists = own / "CMakeLists.txt"
    lists.write_text(lists.read_text(encoding="utf-8").replace("../", f"{EXAMPLE}/"), encoding="utf-8")
    startup = own / "mps2-an385" / "startup.c"
    startup.write_text(startup.read_text(encoding="utf-8").replace("TIMER0_Handler", "TIMER_0_Handler"), encoding="utf-8")
    elf = project(planned, tmp_path, CHIPS[MPS], own)
    diagnostics = Diagnostics()
    assert built_elsewhere(planned.image, elf, diagnostics) is None
    assert "C205" in {d.code for d in diagnostics.errors}


AVR_ROUND = """
[system]
name = "avr"
[task.A]
period = "1ms"
wcet = "50us"
[task.B]
period = "2ms"
offset = "300us"
wcet = "50us"
"""
AVR_EVENTS = EVENTS.replace('[system]\nreserve = ["SysTick"]\n', "").replace('"PORT0_0"', '"soft0"')
AVR_CODE = """
#include "carillon/osektime.h"
ttTASK(A) { carillon_work(100u); }
ttTASK(B) { carillon_work(100u); }
"""
AVR_MAIN = """
#include <avr/interrupt.h>
#include <avr/io.h>
#include "{header}"
static volatile unsigned char conversions;
__attribute__((signal, used)) void ADC_vect(void); /* os.h has another ISR() */
void ADC_vect(void)
{{
    if (++conversions < 5) {{ ADCSRA |= 1 << ADSC; }}
}}
int main(void)
{{
    ADCSRA = 1 << ADEN | 1 << ADSC | 1 << ADIE | 7;
    SMCR = 1; /* SE, as Carillon's own start-up code */
    EICRA = 0x0F;
    sei();
    {start}
}}
"""


@pytest.mark.parametrize(
    ("text", "code", "header", "start", "starts"),
    [
        (AVR_ROUND, AVR_CODE, "carillon/osektime.h", "ttStartOS(ttOS_DEFAULTAPPMODE);", 15),
        (AVR_EVENTS, EVENTS_CODE, "os.h", "StartOS(OSDEFAULTAPPMODE);", 18),
    ],
    ids=["round", "event-triggered"],
)
def test_the_same_starts_with_the_start_up_code_of_avr_libc(
    tmp_path: Path, text: str, code: str, header: str, start: str, starts: int
) -> None:
    path = tmp_path / "schedule.toml"
    path.write_text(text, encoding="utf-8")
    (tmp_path / "loops.c").write_text(code, encoding="utf-8")
    planned = plan(path, Diagnostics(), "arduino-uno")
    diagnostics = Diagnostics()
    library = build_library(replace(planned.image, library=True), tmp_path / "carillon", diagnostics)
    assert library is not None, diagnostics.reported
    main, elf = tmp_path / "project.c", tmp_path / "app.elf"
    main.write_text(AVR_MAIN.format(header=header, start=start), encoding="utf-8")
    command = ["avr-gcc", "-mmcu=atmega328p", "-O2", "-g", "-I", str(library.include), str(main), str(tmp_path / "loops.c")]
    command += [str(library.archive), str(library.fragment), "-Wl,--gc-sections", "-o", str(elf)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    main.unlink()
    beside = events_of(planned, elf, tmp_path, ticks=320_000)
    assert len([e for e in beside if e.kind is Kind.START]) >= starts
    assert len([e for e in beside if (e.kind, e.object) == (Kind.START, "vector 21")]) in (4, 5)  # ADC: the first may be earlier
    alone = events_of(planned, None, tmp_path / "alone", ticks=320_000)
    assert [e for e in beside if e.object not in ("vector 21", "idle")] == [e for e in alone if e.object != "idle"]
    notes = library.notes.read_text(encoding="utf-8")
    assert "__vector_11 " in notes
    assert "sei()" in notes


PWM_HOOK = """
void ttStartupHook(void)
{
    volatile uint32_t *const tim1 = (volatile uint32_t *)0x40010000u;
    *(volatile uint32_t *)0x40023844u |= 1u; /* RCC_APB2ENR: TIM1 */
    tim1[0x2C / 4] = 8399u;                  /* of 168 MHz: 50 us */
    tim1[0x04 / 4] = 0x20u;
    __asm__ volatile(".global pwm_counts\\npwm_counts: str %1, [%0]\\n" : : "r"(tim1), "r"(1u) : "memory");
}
"""


@RIGLESS
@pytest.mark.parametrize("phase", [0, 17])
def test_in_a_library_a_pwm_of_the_project_starts_the_round(tmp_path: Path, phase: int) -> None:
    """TIM1 counts at twice the clock of what it starts, and an instruction takes no whole nanoseconds."""
    path = schedule(tmp_path, DISCOVERY)
    text = path.read_text(encoding="utf-8")
    path.write_text(f'{text}\n[start]\nby = "TIM1"\nperiod = "50us"\nphase = "{phase}us"\n', encoding="utf-8")
    loops = tmp_path / "loops.c"
    loops.write_text(loops.read_text(encoding="utf-8") + PWM_HOOK, encoding="utf-8")
    planned = plan(path, Diagnostics(), DISCOVERY)
    shutil.copytree(EXAMPLE / "project", tmp_path / "project")
    elf = project(planned, tmp_path, CHIPS[DISCOVERY], tmp_path / "project")
    assert "TIM1 is yours" in (tmp_path / "carillon" / "carillon_library.txt").read_text(encoding="utf-8")
    diagnostics = Diagnostics()
    make = built_elsewhere(planned.image, elf, diagnostics)
    assert make is not None, diagnostics.reported
    recording = record(planned.image, make, 2 * planned.system.modes[0].round_length, diagnostics, marks=("pwm_counts",))
    assert recording is not None, diagnostics.reported
    counts = next(r.time for r in recording.records if r.code == Code.MARK) + 1
    zero = Decoder(planned.image, symbols(elf), None).origin(recording.records)
    assert zero is not None
    assert abs((zero - counts - phase * 168 + 4200) % 8400 - 4200) <= 1
