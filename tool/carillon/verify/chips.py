# SPDX-License-Identifier: Apache-2.0
"""Where known chips have their timers, from documents that are not ours, and whether a board's file says the same.

``families`` takes a timer's addresses from the board's file, as do the macros that write the stores: what is wrong there is
wrong in both, and they agree.  This table is a second source.  A board is known by what its [run] starts, a machine in QEMU or
a chip in another emulator, which is what that chip's other documents call it too.  AVR devices need no table: their C library's
headers say it (``avr_device``), of all registers that a board's file names.  Of virtual boards there is no chip.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from carillon.diagnostics import Diagnostics
from carillon.model import System
from carillon.model.board import Board
from carillon.verify.avr_device import Device, Timer, device
from carillon.verify.families import Cell, Family
from carillon.verify.hardware import Hardware

Site = Mapping[str, int]
"""Where a timer is: its registers, by the names that its family has for them, and its interrupt under ``SOURCE``."""

SOURCE = "source"
NVIC = 16
"""The exception number of interrupt 0 (ARMv7-M Architecture Reference Manual, B1.5.2), as sources are counted there."""


@dataclass(frozen=True, slots=True)
class Chip:
    """``timers``: of each family, a site by the chip's own name for it.  ``documents``: where these are from."""

    documents: str
    timers: Mapping[str, Mapping[str, Site]]


# ARMv7-M Architecture Reference Manual, B1.5.2: SysTick is exception 15, on every chip.
ALWAYS: dict[str, Mapping[str, Mapping[str, Site]]] = {"armv7m": {"systick": {"SysTick": {SOURCE: 15}}}}


def _cmsdk(apb: int, timer0: int, timer1: int, dual: int) -> Mapping[str, Mapping[str, Site]]:
    """The timers of Arm's CMSDK: TIMER0 and TIMER1 a page each, then the dual timer, whose second half is at +0x20."""
    return {
        "cmsdk": {
            "TIMER0": {"base": apb, SOURCE: NVIC + timer0},
            "TIMER1": {"base": apb + 0x1000, SOURCE: NVIC + timer1},
        },
        "dualtimer": {
            "DUAL1": {"base": apb + 0x2000, SOURCE: NVIC + dual},
            "DUAL2": {"base": apb + 0x2020, SOURCE: NVIC + dual},
        },
    }


CHIPS: dict[tuple[str, str], Chip] = {
    # Timer controller at 0x7E782000, interrupts 16 to 23: QEMU, hw/arm/aspeed_ast10x0.c, aspeed_soc_ast1030_memmap
    # (ASPEED_DEV_TIMER1) and aspeed_soc_ast1030_irqmap.  In it, 16 bytes each, timers 1 to 3 are from 0x00 and 4 to 8 from 0x40
    # on.  At 0x30 is the control register, of which timer n has bits 4 (n - 1) to 4 (n - 1) + 3: QEMU, hw/timer/aspeed_timer.c,
    # aspeed_timer_write and timer_ctrl_status.  Linux, drivers/clocksource/timer-fttmr010.c, says the same of timers 1 to 3 and
    # of the control register.
    ("armv7m", "ast1030-evb"): Chip(
        "QEMU's hw/arm/aspeed_ast10x0.c and hw/timer/aspeed_timer.c",
        {
            "aspeed": {
                f"TMR{n + 1}": {
                    "counter": 0x7E78_2000 + 16 * n + (0x10 if n >= 3 else 0),
                    "control": 0x7E78_2030,
                    "number": n,
                    SOURCE: NVIC + 16 + n,
                }
                for n in range(8)
            }
        },
    ),
    # CMSIS for MPS2, CMSDK_CM3.h: CMSDK_TIMER0_BASE, _TIMER1_BASE, _DUALTIMER_1_BASE, _DUALTIMER_2_BASE, and TIMER0_IRQn 8,
    # TIMER1_IRQn 9, DUALTIMER_IRQn 10.  The same in QEMU, hw/arm/mps2.c, and in Zephyr, boards/arm/mps2/mps2_base.dtsi.
    ("armv7m", "mps2-an385"): Chip("CMSIS's CMSDK_CM3.h and QEMU's hw/arm/mps2.c", _cmsdk(0x4000_0000, 8, 9, 10)),
    # QEMU, hw/arm/armsse.c, iotkit_devices: 0x40000000, 0x40001000, 0x40002000, and interrupts 3, 4, 5; the same in Zephyr,
    # boards/arm/mps2/mps2_an521-common.dtsi.  Code that runs in the secure state, as out of reset, has them 0x10000000 higher.
    ("armv7m", "mps2-an505"): Chip("QEMU's hw/arm/armsse.c, at the secure alias", _cmsdk(0x5000_0000, 3, 4, 5)),
    ("armv7m", "mps2-an505, not secure"): Chip("QEMU's hw/arm/armsse.c", _cmsdk(0x4000_0000, 3, 4, 5)),
    # ST, RM0090: memory map (table 1) and vector table (tables 61 and 62): TIM2 to TIM5, then TIM1 and TIM8 with their update
    # interrupts.  What a slave's SMCR gets for TIM2 as its trigger: tables 93 and 97.
    ("armv7m", "stm32f427"): Chip(
        "ST's RM0090",
        {
            "stm32tim": {
                name: {"base": base, "slave": slave, "starter": 0x4000_0000, SOURCE: NVIC + interrupt}
                for name, base, slave, interrupt in (
                    ("TIM3", 0x4000_0400, 0x16, 29),
                    ("TIM4", 0x4000_0800, 0x16, 30),
                    ("TIM1", 0x4001_0000, 0x16, 25),
                    ("TIM8", 0x4001_0400, 0x16, 44),
                )
            },
            "stm32match": {
                f"TIM5_{n + 1}": {"base": 0x4000_0C00, "channel": n, "slave": 0x06, "starter": 0x4000_0000, SOURCE: NVIC + 50}
                for n in range(4)
            },
        },
    ),
    # Nordic, nRF51 Series Reference Manual, chapter 4 (instantiation): TIMER0 to TIMER2 at 0x40008000, 0x40009000 and
    # 0x4000A000, whose interrupts are their identifiers, 8 to 10.
    ("armv6m", "microbit"): Chip(
        "Nordic's nRF51 Series Reference Manual",
        {
            "nrftimer": {
                f"TIMER{n}_{k}": {"timer": 0x4000_8000 + 0x1000 * n, "channel": k, SOURCE: NVIC + 8 + n}
                for n in range(3)
                for k in range(3)
            }
        },
    ),
    # RP2040 datasheet, section 2.2.4 (PWM_BASE, TIMER_BASE), 2.3.2 (TIMER_IRQ_0 to 3 are interrupts 0 to 3, PWM_IRQ_WRAP is 4),
    # 4.5.3 and 4.6.5 (lists of registers).  Section 2.4.3: SysTick, which ARMv6-M need not have.
    ("armv6m", "rp2040"): Chip(
        "the RP2040 datasheet",
        {
            "rp2040alarm": {f"ALARM{n}": {"alarm": 0x4005_4010 + 4 * n, SOURCE: NVIC + n} for n in range(4)},
            "rp2040pwm": {f"PWM{n}": {"slice": 0x4005_0000 + 0x14 * n, SOURCE: NVIC + 4} for n in range(8)},
            "systick": {"SysTick": {SOURCE: 15}},
        },
    ),
    # QEMU, hw/riscv/virt.c, virt_memmap: VIRT_CLINT at 0x2000000; include/hw/intc/riscv_aclint.h: after RISCV_ACLINT_SWI_SIZE
    # (0x4000), mtimecmp at 0 and mtime at 0x7FF8.  Interrupt 7: privileged specification, mip.MTIP.
    ("rv32", "virt"): Chip(
        "QEMU's hw/riscv/virt.c and riscv_aclint.h",
        {"mtime": {"mtimecmp": {"mtimecmp": 0x200_4000, "mtime": 0x200_BFF8, SOURCE: 7}}},
    ),
    # emulators/rtl/soc.sv: ARRAY, and FIRST_CELL, the source of cell 0.
    ("rv32clic", "soc"): Chip(
        "emulators/rtl/soc.sv",
        {"array": {f"T{n}": {"base": 0xFFFF_F000, "number": n, SOURCE: 16 + n} for n in range(32)}},
    ),
}
REMEDY = "correct the board's file; where its timers are is in {}"


def machine(command: Sequence[str]) -> str | None:
    """The machine, with its options, that a command line of QEMU starts; None without a machine."""
    return next((value for option, value in pairwise(command) if option in ("-M", "-machine", "--machine")), None)


AVR_HEADER = "the device's header of avr-libc"


def _channels(chip: Device, timers: Sequence[Timer]) -> Mapping[str, Site]:
    """Each channel of an AVR device's timers, by the name of its compare register, as in a board's file."""
    requests = {
        source: {"enable": enable, "flags": flags, "bit": mask.bit_length() - 1}
        for (enable, flags), bits in chip.requests.items()
        for mask, source in bits.items()
    }
    return {
        timer.names[source]: {
            "control_a": timer.control_a,
            "control_b": timer.control_b,
            "count": timer.count,
            "length": timer.top,
            "match": match,
            **requests[source],
            SOURCE: source,
        }
        for timer in timers
        for source, match in timer.matches.items()
        if source in requests
    }


def _told(family: Family, cell: Cell) -> Site:
    return {**(family.told(cell) or cell.place.registers), SOURCE: cell.place.source}


def compare(system: System, hardware: Hardware, diagnostics: Diagnostics) -> list[str]:
    """Compare where a board's cells are with where its chip has them; C204 for a register, C205 for an interrupt.

    Returns what no table says, for the list of what was not verified.
    """
    board = system.board
    chip_device = device(board) if board.port == "avr" else None
    if chip_device is not None:
        for name, timers in (("avr16", chip_device.timers), ("avr8", chip_device.small)):
            family = hardware.families.get(name)
            if family is not None:
                _family(system, family, list(family.cells.values()), _channels(chip_device, timers), AVR_HEADER, diagnostics)
        _requests(board, chip_device, diagnostics)
        return []
    kind, command = (board.run.kind, board.run.command) if board.run is not None else ("", ())
    started = machine(command) if kind == "qemu" else command[0] if kind in ("rigless", "rp2040js") else None
    started = "soc" if kind == "rtl" else started
    state = ", not secure" if board.defines.get("CARILLON_NON_SECURE") else ""
    chip = CHIPS.get((board.port, f"{started}{state}"))
    always = ALWAYS.get(board.port, {})
    unknown: list[str] = []
    for name, family in hardware.families.items():
        cells = list(family.cells.values())
        if name in always:
            known, documents = always[name], "the architecture's manual"
        elif chip is not None:
            known, documents = chip.timers.get(name, {}), chip.documents
        else:
            unknown += [cell.place.name for cell in cells if family.told(cell)]
            continue
        _family(system, family, cells, known, documents, diagnostics)
    if not unknown:
        return []
    return [f"where the chip has {', '.join(unknown)}: no table in the verifier says it, so the board's file is believed"]


def _requests(board: Board, found: Device, diagnostics: Diagnostics) -> None:
    """Where the sources of no cell are enabled and requested, as the device's header has it."""
    known = {s: (enable, flags, mask) for (enable, flags), bits in found.requests.items() for mask, s in bits.items()}
    for number, requests in enumerate(board.requests):
        for k, (source, bit) in enumerate(zip(requests.sources, requests.bits, strict=True)):
            told = {"enable": requests.enable, "flags": requests.flags, "bit": bit}
            chip = known.get(source)
            cause = f"[[requests]] of board '{board.name}' has"
            if chip is None:
                cause += f" source {source}, which is no interrupt of the chip that has a bit of its own to enable it"
                diagnostics.error("C205", board.written("requests", number, "sources", k), cause, REMEDY.format(AVR_HEADER))
                continue
            site = {"enable": chip[0], "flags": chip[1], "bit": chip[2].bit_length() - 1}
            for key, value in told.items():
                if value != site[key]:
                    cause += f" {key} {_number(key, value)} for source {source}, but the chip has {_number(key, site[key])}"
                    place = board.written("requests", number, *(("bits", k) if key == "bit" else (key,)))
                    diagnostics.error("C204", place, cause, REMEDY.format(AVR_HEADER))
                    break


def _family(
    system: System, family: Family, cells: Sequence[Cell], known: Mapping[str, Site], documents: str, diagnostics: Diagnostics
) -> None:
    """Compare cells with timers.  Names and order are free, but each cell must be a different timer of the chip."""
    board = system.board
    left = dict(known)
    wrong: list[Cell] = []
    for cell in cells:
        same = next((timer for timer, site in left.items() if site == _told(family, cell)), None)
        if same is None:
            wrong.append(cell)
        else:
            del left[same]
    for cell in wrong:
        told = _told(family, cell)
        timer = _meant(cell.place.name, told, left)
        subject = f"cell '{cell.place.name}' of board '{board.name}'"
        if timer is None:
            values = " and ".join(f"{key} {_number(key, value)}" for key, value in told.items())
            cause = f"{subject} has {values}, which no timer of the chip has that is not another cell's"
            diagnostics.error("C204", board.cell_written(cell.place.name, SOURCE), cause, REMEDY.format(documents))
            continue
        site = left.pop(timer)
        for key in dict.fromkeys((*site, *told)):
            value, expected = told.get(key), site.get(key)
            if value != expected:
                code = "C205" if key == SOURCE else "C204"
                cause = f"{subject} has {key} {_number(key, value)}, but the chip's {timer} has {_number(key, expected)}"
                place = board.cell_written(cell.place.name, key)
                diagnostics.error(code, place, cause, REMEDY.format(documents))


def _meant(name: str, told: Site, left: Mapping[str, Site]) -> str | None:
    """The timer that a cell probably means: by its name, else by the most values in common; None if no timer is left."""
    if name in left:
        return name
    return max(left, key=lambda timer: sum(told.get(key) == value for key, value in left[timer].items()), default=None)


def _number(key: str, value: int | None) -> str:
    return str(value) if value is None or key in (SOURCE, "number", "bit") else f"{value:#x}"
