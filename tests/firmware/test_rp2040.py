# SPDX-License-Identifier: Apache-2.0
"""The RP2040 in rp2040js, by firmware in assembler: what the runner corrects is exact, to the instruction."""

from __future__ import annotations

import runpy
import shutil
import subprocess
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import pytest

from carillon.build.symbols import symbols
from carillon.diagnostics import Diagnostics
from carillon.model.tools import Run
from carillon.resources import data_root
from carillon.run.emulators import rp2040js_runner
from carillon.run.entries import Code
from carillon.run.records import read_records
from runnable import NODE

pytestmark = [NODE, pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="needs arm-none-eabi-gcc")]

BOARD = data_root() / "boards/raspberry-pi-pico"
HOW = Run(kind="rp2040js", command=("rp2040",), packages=("nodejs", "npm"))
MICROSECOND = 125
BOOT2 = 22
"""Instructions of the second stage, which run in RAM: the plugin does not count them."""

START = """
    .syntax unified
    .cpu cortex-m0plus
    .set PPB, 0xE000E000
    .set PWM, 0x40050000
    .set TIMER, 0x40054000
    .set UART, 0x40034000
    .section .text
    .word 0x20042000, reset + 1
    .rept 13
    .word stray + 1
    .endr
    .word {systick} + 1
    .irp n, 0, 1, 2, 3
    .word {alarm}\\n + 1
    .endr
    .word {wrap} + 1
    .rept 27
    .word {spare} + 1
    .endr
    .thumb_func
stray: b stray
    .global carillon_port_start
    .thumb_func
carillon_port_start: @ the instruction where the run begins for the plugin
    ldr r1, [r0]
    bx lr
    .global reset
    .thumb_func
reset:
{stores}
    ldr r0, =0x20000000
    bl carillon_port_start
"""

# What firmware sets up, but for waiting: the emulator's oscillators are ready at once.
STORES = {
    "RESETS": [(0x4000F000, 0x01FFFFFF)],
    "XOSC": [(0x40024000, 0xAA0), (0x40026000, 0xFAB000)],
    "CLK_REF": [(0x40008030, 2)],
    "PLL_SYS": [(0x40028000, 1), (0x40028008, 125), (0x4002B004, 0x21), (0x4002800C, 0x62000), (0x4002B004, 8)],
    "CLK_SYS": [(0x4000803C, 0), (0x4000803C, 1)],
    "WATCHDOG_TICK": [(0x4005802C, 0x20C)],
    "CLK_PERI": [(0x40008048, 0x800)],
    "UART0": [(0x40034024, 67), (0x40034028, 52), (0x4003402C, 0x70), (0x40034030, 0x301)],
}

ALARMS = """
    ldr r4, =TIMER
    movs r0, #15
    str r0, [r4, #0x38] @ INTE
    ldr r1, =PPB + 0x100
    str r0, [r1] @ NVIC_ISER
    .irp n, 0, 1, 2, 3
    movs r0, #100 + \\n
    str r0, [r4, #0x10 + 4 * \\n]
    .endr
1:  b 1b
    .irp n, 0, 1, 2, 3
    .global alarm\\n
    .thumb_func
alarm\\n:
    ldr r2, =TIMER
    movs r0, #1 << \\n
    str r0, [r2, #0x34]
    ldr r0, [r2, #0x10 + 4 * \\n]
    adds r0, #4
    str r0, [r2, #0x10 + 4 * \\n]
    bx lr
    .endr
"""

# Slices 0 to {last}: divider, top and count, and one store that starts them.
SLICES = """
    ldr r4, =PWM
    movs r6, #0
1:  ldr r0, ={divider}
    str r0, [r4, #4]
    ldr r0, ={top}
    str r0, [r4, #0x10]
    ldr r0, ={apart}
    muls r0, r6
    str r0, [r4, #8]
    adds r4, #0x14
    adds r6, #1
    cmp r6, #8
    bne 1b
    ldr r4, =PWM + 0xA0
    movs r0, #{slices}
    str r0, [r4, #8] @ INTE
    movs r1, #16
    ldr r2, =PPB + 0x100
    str r1, [r2]
    .global enable
enable:
    str r0, [r4]
2:  b 2b
    .global wrap
    .thumb_func
wrap:
    ldr r2, =PWM + 0xA0
    ldr r0, [r2, #0x10] @ INTS
    str r0, [r2, #4]
    bx lr
"""


@dataclass(frozen=True)
class Outcome:
    records: bytes
    times: dict[str, list[int]]
    """When the instruction at a symbol was executed, or the handler there was entered, in instructions since reset."""
    output: str
    error: str
    code: int


class Chip:
    """Assembles firmware, and runs it."""

    def __init__(self, folder: Path) -> None:
        diagnostics = Diagnostics()
        command = rp2040js_runner("armv7m", HOW, diagnostics)
        assert command is not None, diagnostics.reported
        self.command = command
        self.folder = folder

    def build(self, code: str, without: str = "", **handlers: str) -> Path:
        source, elf = self.folder / "firmware.S", self.folder / "firmware.elf"
        names = dict.fromkeys(("systick", "wrap", "spare"), "stray") | {"alarm": "stray @"} | handlers
        stores = [store for part, stores in STORES.items() if part != without for store in stores]
        names["stores"] = "".join(f"    ldr r0, ={at}\n    ldr r1, ={value}\n    str r1, [r0]\n" for at, value in stores)
        source.write_text(START.format(**names) + code + "\n    .pool\n", encoding="utf-8")
        command = ["arm-none-eabi-gcc", "-mcpu=cortex-m0plus", "-nostdlib", "-Wl,-Ttext=0x10000100"]
        command += ["-Wl,--section-start=.boot2=0x10000000", "-Wl,-e,reset", str(source), str(BOARD / "boot2.c"), "-o", str(elf)]
        subprocess.run(command, check=True)
        return elf

    def run(
        self,
        elf: Path,
        limit: int,
        handlers: tuple[str, ...] = (),
        marks: tuple[str, ...] = (),
        watched: tuple[tuple[int, int], str] | None = None,
    ) -> Outcome:
        """``watched``: an area of memory, and the function whose accesses there are recorded, up to a label ``NAME_end``."""
        table = {name: place for name, (place, _) in symbols(elf).items()}
        places = {f"{table[name] & ~1:x}": name for name in (*handlers, *marks)}
        lines = [f"{table['carillon_port_start'] & ~1:x} B 0"]
        lines += [f"{place} {'V' if name in handlers else 'M'} {place}" for place, name in places.items()]
        if watched is not None:
            (area, size), name = watched
            lines += [f"{table[name] & ~1:x} g {table[f'{name}_end'] - (table[name] & ~1):x}"]
            lines += [f"{area:x} {kind} {size:x}" for kind in "DE"]
        chart, out = self.folder / "firmware.map", self.folder / "records"
        chart.write_text("\n".join(lines) + "\n", encoding="ascii")
        out.unlink(missing_ok=True)
        options = [f"map={chart}", f"out={out}", f"limit={limit}", f"base={0x10000000}", f"code={0x200000}"]
        result = subprocess.run([*self.command, "125000000", str(elf), *options], capture_output=True, timeout=120, check=False)
        times: dict[str, list[int]] = {name: [] for name in places.values()}
        for record in read_records(out):
            if record.code in (Code.ENTER, Code.MARK):
                times[places[f"{record.value:x}"]].append(record.time + BOOT2)
        return Outcome(out.read_bytes(), times, result.stdout.decode(), result.stderr.decode(), result.returncode)


@pytest.fixture
def chip(tmp_path: Path) -> Chip:
    return Chip(tmp_path)


def test_alarms_expire_in_the_first_instruction_of_their_microsecond(chip: Chip) -> None:
    """100,000 of them; each is set again at some instant within another microsecond."""
    elf = chip.build(ALARMS, alarm="alarm")
    names = tuple(f"alarm{n}" for n in range(4))
    outcome = chip.run(elf, 100_100 * MICROSECOND, names)
    assert outcome.code == 0, outcome.error
    for n, name in enumerate(names):
        times = outcome.times[name]
        assert len(times) >= 25_000
        assert times == [(100 + n + 4 * k) * MICROSECOND for k in range(len(times))]
    assert chip.run(elf, 100_100 * MICROSECOND, names).records == outcome.records


def test_one_store_starts_all_slices_and_they_wrap_to_the_instruction(chip: Chip) -> None:
    """100,000 wraps: each slice has written its divider before, and is 125 counts ahead of the one before it."""
    elf = chip.build(SLICES.format(divider=16, top=999, apart=125, slices=255), wrap="wrap")
    outcome = chip.run(elf, 100_100 * 125, ("wrap",), ("enable",))
    assert outcome.code == 0, outcome.error
    (start,) = outcome.times["enable"]
    wraps = outcome.times["wrap"]
    assert len(wraps) >= 100_000
    assert wraps == [start + 1 + 125 * (k + 1) for k in range(len(wraps))]
    assert chip.run(elf, 100_100 * 125, ("wrap",), ("enable",)).records == outcome.records


@pytest.mark.parametrize("divider", [37, 16 * 5, 16 * 255 + 15])
def test_a_slice_with_a_divider_does_not_drift(chip: Chip, divider: int) -> None:
    """Its divider is in sixteenths; it counts a cycle later where its period is no whole number of cycles."""
    elf = chip.build(SLICES.format(divider=divider, top=99, apart=0, slices=1), wrap="wrap")
    outcome = chip.run(elf, 2000 * 100 * divider // 16, ("wrap",), ("enable",))
    (start,) = outcome.times["enable"]
    wraps = outcome.times["wrap"]
    assert len(wraps) >= 1990
    assert wraps == [start + 1 + ceil((k + 1) * 100 * divider / 16) for k in range(len(wraps))]


def test_the_period_of_systick_is_a_cycle_more_than_its_reload_value(chip: Chip) -> None:
    code = """
    ldr r4, =PPB
    movs r0, #99
    str r0, [r4, #0x14]
    str r0, [r4, #0x18] @ clears the counter, and requests nothing
    movs r0, #7
    .global enable
enable:
    str r0, [r4, #0x10]
1:  b 1b
    .global systick
    .thumb_func
systick: bx lr
"""
    outcome = chip.run(chip.build(code, systick="systick"), 100_000, ("systick",), ("enable",))
    (start,) = outcome.times["enable"]
    times = outcome.times["systick"]
    assert len(times) >= 990
    assert times == [start + 1 + 100 * (k + 1) for k in range(len(times))]


def test_what_software_requests_is_served_once_and_what_a_device_withdraws_is_served(chip: Chip) -> None:
    """Of alarm 0: requested by software, then requested and cleared, then expired and withdrawn while masked."""
    code = """
    ldr r4, =PPB + 0x100
    movs r0, #1
    str r0, [r4]
    movs r1, #128
    lsls r1, r1, #1 @ ISPR is 0x100 above ISER, ICPR 0x180
    adds r5, r4, r1
    .global asked
asked:
    str r0, [r5]
    nop
    cpsid i
    str r0, [r5]
    movs r1, #128
    adds r1, r5, r1
    str r0, [r1]
    cpsie i
    nop
    cpsid i
    ldr r4, =TIMER
    str r0, [r4, #0x38]
    movs r1, #50
    str r1, [r4, #0x10]
2:  ldr r1, [r4, #0x28]
    cmp r1, #52
    bne 2b
    str r0, [r4, #0x34] @ the line is low again
    .global open
open:
    cpsie i
1:  b 1b
    .irp n, 0, 1, 2, 3
    .global alarm\\n
    .thumb_func
alarm\\n: bx lr
    .endr
"""
    outcome = chip.run(chip.build(code, alarm="alarm"), 20_000, ("alarm0",), ("asked", "open"))
    (asked,), (opened,) = outcome.times["asked"], outcome.times["open"]
    assert outcome.times["alarm0"] == [asked + 1, opened + 1]


def test_each_form_of_load_and_store_is_seen_at_its_address(chip: Chip) -> None:
    code = """
    ldr r0, =0x20000100
    movs r4, #8
    movs r5, #20
    ldr r3, =0x20000130
    mov sp, r3
    mov r3, r0
    adds r3, #28
    mov r6, r3
    .global accesses, accesses_end
    .thumb_func
accesses:
    str r1, [r0, #4]
    str r1, [r0, r4]
    strh r1, [r0, #12]
    strb r1, [r0, #16]
    strh r1, [r0, r5]
    strb r1, [r0, r5]
    stm r3!, {r1, r2}
    push {r1, r2}
    str r1, [sp, #12]
    push {r7, lr}
    ldr r1, [r0, #4]
    ldr r1, [r0, r4]
    ldrh r1, [r0, #12]
    ldrb r1, [r0, #16]
    ldrh r1, [r0, r5]
    ldrb r1, [r0, r5]
    ldrsh r1, [r0, r5]
    ldrsb r1, [r0, r4]
    ldm r6!, {r1, r2}
    ldr r1, [sp, #12]
    ldr r2, =0x12345678 @ elsewhere
    adr r2, 1f
    mov lr, r2
    pop {r1, r2}
    b .
1:  nop
accesses_end:
"""
    elf = chip.build(code)
    assert chip.run(elf, 100, watched=((0x20000100, 0x100), "accesses")).code == 0
    found = [(r.code, r.value - 0x20000100) for r in read_records(chip.folder / "records") if r.value >> 28 == 2]
    stored = [4, 8, 12, 16, 20, 20, 28, 32, 40, 44, 52, 32, 36]
    loaded = [4, 8, 12, 16, 20, 20, 20, 8, 28, 32, 44, 32, 36]
    began = [(Code.BEGIN, -0x100)]
    assert found == began + [(Code.TABLE_GOES, at) for at in stored] + [(Code.STEP, at) for at in loaded]


def test_what_the_firmware_sends_ends_where_the_run_ends(chip: Chip) -> None:
    code = """
    ldr r4, =UART
    movs r0, #65
1:  str r0, [r4]
    b 1b
"""
    elf = chip.build(code)
    sent = chip.run(elf, 200).output
    assert set(sent) == {"A"}
    assert len(chip.run(elf, 400).output) == len(sent) + 100


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("ldr r0, =0x20000001\n ldr r1, [r0]", "is not 32 bit aligned"),
        ("ldr r0, =0x30000000\n str r0, [r0]", "Write to undefined address: 30000000"),
        ("ldr r0, =0x30000001\n bx r0", "code at 0x30000000, where no memory is"),
        ("ldr r0, =PPB + 0x400\n strb r0, [r0, #1]", "a byte is stored to a register that takes words"),
        ("ldr r0, =TIMER\n str r0, [r0, #4]", "the TIMER is to be set, or to pause, which the runner cannot do"),
        ("bkpt #0", "a breakpoint, or an instruction that is undefined"),
    ],
)
def test_what_is_a_fault_on_the_chip_ends_the_run_and_says_why(chip: Chip, code: str, said: str) -> None:
    outcome = chip.run(chip.build(code), 1000)
    assert outcome.code == 1
    assert said in outcome.error


@pytest.mark.parametrize(
    ("without", "said"),
    [
        ("RESETS", "PLL_SYS is used while it is held in reset"),
        ("PLL_SYS", "the system clock has 0 Hz, and an instruction takes 8 ns here: it is to have 125 MHz"),
        ("CLK_SYS", "the system clock has 12000000 Hz"),
        ("CLK_REF", "the TIMER counts 541667 times a second, and is to count microseconds"),
        ("WATCHDOG_TICK", "the TIMER counts 0 times a second, and is to count microseconds: set WATCHDOG_TICK"),
        ("CLK_PERI", "UART0 does not send with 115200 baud: it is not set up"),
        ("UART0", "UART0 does not send with 115200 baud: it is not set up"),
    ],
)
def test_what_is_not_set_up_is_missed(chip: Chip, without: str, said: str) -> None:
    outcome = chip.run(chip.build("ldr r0, =UART\n str r0, [r0]\n b .", without), 1000)
    assert said in outcome.error
    assert outcome.code == 1


def test_an_image_whose_second_stage_the_bootrom_would_refuse_is_refused(chip: Chip) -> None:
    elf = chip.build("b .")
    content = elf.read_bytes()
    elf.write_bytes(content.replace(bytes.fromhex("8FEF11A1"), bytes(4)))
    outcome = chip.run(elf, 1000)
    assert outcome.code == 1
    assert "their checksum is wrong" in outcome.error


def test_the_second_stage_is_its_source_and_its_checksum() -> None:
    script = runpy.run_path(str(data_root() / "scripts/boot2.py"))
    assert script["text"](script["stage"](script["assembled"](BOARD / "boot2.S"))) == (BOARD / "boot2.c").read_text()
