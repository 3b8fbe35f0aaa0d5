# SPDX-License-Identifier: Apache-2.0
"""A board of the user's own, made of the SVD file of its chip: ``carillon new NAME --board-from FILE.svd``.

The file gives addresses, interrupts and priority bits.  What the timers of a family can do is the same on every chip, and is
copied from the board of Carillon that has the family.  What neither says is a value that begins with BLANK, which the reader of
boards refuses at its place (C305); with a base, it is the base's.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from carillon.diagnostics import Diagnostics
from carillon.read.board import BLANK, load_board
from carillon.read.svd import Device, Peripheral, read_device
from carillon.resources import data_root
from carillon.units import shorten

FIRST = 16
"""The source of interrupt 0 of a Cortex-M."""

_PORTS = {"CM0": "armv6m", "CM0+": "armv6m", "CM0PLUS": "armv6m", "CM1": "armv6m"} | dict.fromkeys(
    ("CM3", "CM4", "CM7"), "armv7m"
)
"""The port of each processor, by CMSIS's names."""

_MASKS = "CARILLON_MASK_INTERRUPT"
"""On ARMv6-M: the first of the interrupts that are the masks of levels, which no device may have."""
_NVIC = 32
"""Interrupts that an ARMv6-M has at most."""

_PATTERNS = ("stm32f4-discovery", "raspberry-pi-pico", "microbit", "mps2-an385")
"""The boards of Carillon whose families of cells are looked for in the chip."""

_KEYS = (
    *("stack", "request_base", "system_vectors", "unmaskable_levels", "start_spacing", "lead", "switch_ticks"),
    *("lowered_levels", "interrupt_entry", "idle"),
)
"""Keys of a pattern that hold for every chip with its port and its families."""

_OWN = ("clocks", "startup", "build.sources", "build.linker_script", "defines", "flash", "run", "console", "trace")
"""What a base says of the board rather than of the chip."""

_ORIGINS = (("raspberry-pi-pico", "0x10000000"), ("stm32f4-discovery", "0x08000000"))
"""Where the code begins on chips like these boards'; on others at 0."""


@dataclass(frozen=True)
class _Shape:
    """How a family's cells show in an SVD file, by the name of the cell, which a regular expression takes apart.

    ``registers``: the offsets by which a timer of this kind is known.  ``at``: the register key that is an address, and its
    distance from the peripheral's, from the groups of the name.  ``interrupt``: the names it may have; ``{}`` is group 1.
    """

    cell: str
    peripherals: tuple[str, ...]
    registers: dict[str, int]
    key: str
    at: Callable[[int], int]
    interrupts: tuple[str, ...]
    starter: str = ""


_STM32 = {"CR1": 0x00, "SMCR": 0x08, "DIER": 0x0C, "ARR": 0x2C}
_SHAPES = {
    "stm32tim": _Shape(r"TIM(\d+)", ("TIM{}",), _STM32, "base", lambda _: 0, ("TIM{}", r"TIM{}_UP(_TIM\d+)?"), "TIM2"),
    "stm32match": _Shape(r"TIM(\d+)_\d", ("TIM{}",), _STM32 | {"CCR1": 0x34}, "base", lambda _: 0, ("TIM{}",), "TIM2"),
    "rp2040alarm": _Shape(
        r"ALARM(\d)", ("TIMER",), {"ALARM0": 0x10, "ARMED": 0x20}, "alarm", lambda n: 0x10 + 4 * n, ("TIMER_IRQ_{}",)
    ),
    "rp2040pwm": _Shape(r"PWM(\d)", ("PWM",), {"CH0_CSR": 0, "CH1_CSR": 0x14}, "slice", lambda n: 0x14 * n, ("PWM_IRQ_WRAP",)),
    "nrftimer": _Shape(r"TIMER(\d)_\d", ("TIMER{}",), {"TASKS_START": 0, "BITMODE": 0x508}, "timer", lambda _: 0, ("TIMER{}",)),
    "cmsdk": _Shape(
        r"TIMER(\d)", ("TIMER{}", "CMSDK_TIMER{}"), {"CTRL": 0, "VALUE": 4, "RELOAD": 8}, "base", lambda _: 0, ("TIMER{}",)
    ),
    "dualtimer": _Shape(
        r"DUAL(\d)",
        ("DUALTIMER", "DUALTIMER0", "CMSDK_DUALTIMER"),
        {"TIMER1LOAD": 0, "TIMER2LOAD": 0x20},
        "base",
        lambda n: 0x20 * (n - 1),
        (r"DUALTIMER\d?",),
    ),
}


@dataclass(frozen=True)
class _Cells:
    """An array of a pattern, with the names, sources and addresses that the chip has."""

    array: dict[str, Any]
    names: list[str]
    sources: list[int]
    addresses: list[int]
    starter: int | None


@dataclass(frozen=True)
class MadeBoard:
    """The files of a board, path in its folder -> text, and what is left to do: blanks, or what to compare with the chip.

    ``lacking``: cells of the base that the chip does not have, or that its file calls otherwise.
    """

    files: dict[str, str]
    cells: list[str]
    lacking: list[str]
    blanks: list[str]
    compare: list[str]


def board_from(svd: Path, name: str, base: str | None, diagnostics: Diagnostics) -> MadeBoard:
    """A board called ``name`` of the chip that ``svd`` describes; ``base``: a board of Carillon's that it is like, or None.

    Raises CarillonError: C010 or C306 (the file), C307 (a processor or timers that Carillon does not know, or another base's),
    and what is wrong in the base.
    """
    device = diagnostics.required(read_device(svd, diagnostics))
    port = _port(device, base, diagnostics)
    pattern, arrays = _pattern(device, port, base, diagnostics)
    return _Writer(device, port, name, base, pattern, arrays).made()


def _port(device: Device, base: str | None, diagnostics: Diagnostics) -> str:
    """The port of the chip's processor; the base's where the file does not say which it is."""
    if base is not None and not device.processor:
        return load_board(data_root() / "boards" / base / "board.toml").port
    port = _PORTS.get(device.processor.upper())
    if port is not None:
        return port
    said = f"processor {shorten(device.processor)}" if device.processor else "no processor in <cpu>"
    cause = f"the chip has {said}, and Carillon makes boards of Cortex-M0, M0+, M1, M3, M4 and M7"
    remedy = "name one of these in <cpu><name>, as CM4, if the chip has it; else write a board.toml by hand (SPEC, 'Board file')"
    diagnostics.error("C307", device.processor_span, cause, remedy)
    diagnostics.stop_on_errors()
    raise AssertionError


def _pattern(device: Device, port: str, base: str | None, diagnostics: Diagnostics) -> tuple[dict[str, Any], list[_Cells]]:
    """The board whose cells the chip has most of, as its files say it, and those cells; C307 if it has none."""
    if base is not None:
        path = data_root() / "boards" / base / "board.toml"
        model = load_board(path)
        if model.port != port:
            cause = f"the chip's processor is run by port '{port}', and board '{model.name}' is of port '{model.port}'"
            diagnostics.error("C307", device.processor_span, cause, "name a base of the same processor, or none")
            diagnostics.stop_on_errors()
        candidates = [_merged(path)]
    else:
        known = [_merged(data_root() / "boards" / name / "board.toml") for name in _PATTERNS]
        candidates = [data for data in known if data["port"] == port]
    found = [(data, [c for array in data["cells"] if (c := _cells(device, array)) is not None]) for data in candidates]
    data, arrays = max(found, key=lambda pair: sum(len(c.names) for c in pair[1]), default=({}, []))
    if not arrays:
        families = ", ".join(sorted({a["family"] for data in candidates for a in data["cells"] if a["family"] in _SHAPES}))
        cause = f"the chip has no timers of a known family: with its processor those are {families or 'none'}"
        if base is not None:
            cause = f"the chip has none of the timers of board '{base}'"
        remedy = "the timers are known by the names, registers and interrupts of the file; else write a driver (cells/template)"
        diagnostics.error("C307", device.span, cause, remedy)
        diagnostics.stop_on_errors()
    own = {a["family"] for a in data["cells"]} - {c.array["family"] for c in arrays}
    if "systick" in own:  # every processor may have it, and a pattern has it where it can be used
        array = next(a for a in data["cells"] if a["family"] == "systick")
        arrays.append(_Cells(array, array["names"], array["sources"], [], None))
    return data, arrays


def _merged(path: Path) -> dict[str, Any]:
    """What a board's file and its bases say, without their tables merged: the cells are an array, of which the nearest is."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    if "base" not in data:
        return data
    return _merged(path.parent.parent / data["base"] / "board.toml") | data


def _cells(device: Device, array: dict[str, Any]) -> _Cells | None:
    """Those of an array's cells that the chip has; None if none."""
    shape = _SHAPES.get(array["family"])
    if shape is None:
        return None
    starter = device.peripherals.get(shape.starter)
    if shape.starter and starter is None:
        return None
    result = _Cells(array, [], [], [], starter.address if starter else None)
    for name in array["names"]:
        match = re.fullmatch(shape.cell, name)
        number = match[1] if match else ""
        names = (known.replace("{}", number) for known in shape.peripherals)
        peripheral = next((device.peripherals[n] for n in names if n in device.peripherals), None)
        if peripheral is None or any(peripheral.registers.get(key) != offset for key, offset in shape.registers.items()):
            continue
        source = _source(device, peripheral, shape, number)
        if source is not None:
            result.names.append(name)
            result.sources.append(source)
            result.addresses.append(peripheral.address + shape.at(int(number)))
    return result if result.names else None


def _source(device: Device, peripheral: Peripheral, shape: _Shape, number: str) -> int | None:
    """The source of a cell: the interrupt of its peripheral that has one of the names, or that name anywhere in the file."""
    own = {i.name: i.number for i in peripheral.interrupts}
    for known in (own, device.interrupts):
        for wanted in shape.interrupts:
            for name, value in known.items():
                if re.fullmatch(wanted.replace("{}", number), name):
                    return FIRST + value
    return None


class _Writer:
    """Writes the files of one board."""

    def __init__(
        self, device: Device, port: str, name: str, base: str | None, pattern: dict[str, Any], arrays: list[_Cells]
    ) -> None:
        self.device, self.port, self.name, self.base, self.pattern, self.arrays = device, port, name, base, pattern, arrays
        self.blanks: list[str] = []
        self.taken = set(device.interrupts.values())
        self.count = max(max(self.taken, default=0) + 1, device.interrupt_count or 0)
        levels = 2 ** (device.priority_bits or 0) if device.priority_bits is not None else pattern["levels"]
        self.levels = levels if port == "armv7m" else min(levels, 4)
        if port == "armv6m":
            self.count = max(self.count, _NVIC)
        self.compare: list[str] = []
        if not device.processor:
            self.compare.append("the processor")
        if device.priority_bits is None:
            self.compare.append("levels")

    def blank(self, key: str, what: str) -> str:
        self.blanks.append(f"{key}: {what}")
        return json.dumps(f"{BLANK} {what}")

    def made(self) -> MadeBoard:
        files = {"board.toml": self.board(), "interrupts.toml": self.interrupts()}
        if any("slave" in cells.array.get("registers", {}) for cells in self.arrays):
            self.compare.append("registers.slave (by which trigger TIM2 starts each timer)")
        if self.base is None:
            files["link.ld"] = self.linker_script()
        else:
            self.compare += [key for key in _OWN if _has(self.pattern, key)]
        names = [name for cells in self.arrays for name in cells.names]
        every = [name for array in self.pattern["cells"] for name in array["names"]]
        lacking = [name for name in every if name not in names] if self.base is not None else []
        return MadeBoard(files, names, lacking, self.blanks, self.compare)

    def board(self) -> str:
        chip = _said(self.device.name)
        lines = [
            f"# Made by carillon new --board-from of the SVD file of {chip}.",
        ]
        lines += [f"base = {json.dumps(self.base)} # whatever is not said here"] if self.base is not None else []
        lines += [f'name = "{self.name}"', f"summary = {json.dumps(f'{self.name} ({chip})')}"]
        if self.base is None:
            lines.append(f'port = "{self.port}"')
            lines += [] if self.pattern.get("dispatch") is None else [f'dispatch = "{self.pattern["dispatch"]}"']
        lines.append(f"levels = {self.levels} # priority bits: {self.levels.bit_length() - 1}")
        lines += [f"sources = {FIRST + self.count} # {FIRST} system exceptions, {self.count} interrupts"]
        lines.append('interrupts = "interrupts.toml"')
        lines += self.sources()
        lines += self.own() if self.base is None else []
        for cells in self.arrays:
            lines += self.array(cells)
        lines += self.build() if self.base is None else []
        return "\n".join(lines) + "\n"

    def sources(self) -> list[str]:
        """The sources that software may request: interrupts that the file gives to no device; of a base those that fit."""
        unnamed = [n for n in range(self.count) if n not in self.taken]
        if self.base is not None:
            raised = {source for cells in self.arrays for source in cells.sources}
            named = self.pattern.get("application_sources", {})
            fits = {n: s for n, s in named.items() if s < FIRST + self.count and s not in raised}
            soft = self.pattern.get("software_sources", [])
            good = [s for s in soft if s < FIRST + self.count and s not in raised]
            lines = []
            if fits != named:
                lines.append(f"application_sources = {{ {', '.join(f'{n} = {s}' for n, s in fits.items())} }}")
            if good != soft:
                lines.append(f"software_sources = {good}")
            return lines
        if self.port == "armv6m":
            masks = next((n for n in range(_NVIC - 3, 0, -1) if not {n, n + 1, n + 2} & self.taken), None)
            self.masks = masks
            unnamed = [n for n in unnamed if masks is None or n not in range(masks, masks + 3)]
        lines = ["# What the SVD file gives to no device: event-triggered tasks may have these interrupts."]
        own = [FIRST + n for n in unnamed]
        if self.port == "armv7m":
            lines.append("dispatcher_source = 14 # PendSV")
        elif own:
            lines.append(f"dispatcher_source = {own.pop()}")
        return [*lines, f"software_sources = {own}"]

    def own(self) -> list[str]:
        """What a board without a base says by itself, with blanks for what is not of the chip."""
        defines = ["CARILLON_COPY_DATA = 1"]
        if self.port == "armv6m":
            value = (
                str(self.masks)
                if self.masks is not None
                else self.blank("defines", "three interrupts that no device has: the first")
            )
            defines.append(f"{_MASKS} = {value}")
        epoch = next((c.addresses[0] + 0x18 for c in self.arrays if c.array["family"] == "rp2040alarm"), None)
        if epoch is not None:
            defines.append(f"CARILLON_EPOCH = 0x{epoch:08X}")
        startup = "stores that give the timers and the UART their clocks, as [{ address = 0x40023840, value = 0xF }]; or []"
        return [
            f"defines = {{ {', '.join(defines)} }}",
            *(f"{key} = {json.dumps(self.pattern[key])}" for key in _KEYS if key in self.pattern),
            f"startup = {self.blank('startup', startup)}",
            "",
            "[[clocks]]",
            f"hz = {self.blank('clocks.hz', 'what the timers count a second, as 62_500_000')}",
            f"instructions_per_tick = {self.blank('clocks.instructions_per_tick', 'cycles of the processor in a tick, as 2')}",
            *self.clock_defines(),
        ]

    def clock_defines(self) -> list[str]:
        """The macros of a clock, each a blank with what the pattern's first clock has."""
        clock = self.pattern["clocks"][0]
        defines = clock.get("defines", {})
        if not defines:
            return []
        like = f"as for {clock['hz']:_} Hz on {self.pattern['name']}"
        values = [f"{k} = {self.blank(f'clocks.defines.{k}', f'{v} {like}')}" for k, v in defines.items()]
        return [f"defines = {{ {', '.join(values)} }}"]

    def array(self, cells: _Cells) -> list[str]:
        array, shape = cells.array, _SHAPES.get(cells.array["family"])
        lines = ["", "[[cells]]", f'family = "{array["family"]}"']
        lines += [f"names = {json.dumps(cells.names)}", f"sources = {cells.sources}"]
        for key, value in array.items():
            if key in ("family", "names", "sources"):
                continue
            if key == "hz" and self.base is None and array["family"] != "systick":
                lines.append(f"hz = {self.blank(f'hz of {cells.names[0]}', f'what these count a second, as {value:_}')}")
            elif key == "hz" and self.base is None:
                lines.append(f"hz = {self.blank('hz of SysTick', 'cycles of the processor a second')}")
            elif key != "registers":
                lines.append(f"{key} = {json.dumps(value)}")
            if key != "registers":
                continue
            for register, given in value.items():
                if shape is not None and register == shape.key:
                    said = "[" + ", ".join(f"0x{a:08X}" for a in cells.addresses) + "]"
                elif register == "starter":
                    said = f"0x{cells.starter:08X}"
                elif isinstance(given, dict):
                    said = f"{{ {', '.join(f'{k} = {v}' for k, v in given.items())} }}"
                    if register == "channel" and array["names"] != cells.names:
                        said = str([array["names"].index(n) for n in cells.names])
                else:
                    said = json.dumps(given)
                lines.append(f"registers.{register} = {said}")
        return lines

    def build(self) -> list[str]:
        build = self.pattern["build"]
        processor = self.device.processor.upper().replace("CM", "cortex-m").replace("0+", "0plus").replace("PLUS", "plus")
        unit = ["-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"] if self.device.fpu and processor == "cortex-m4" else ["-mfloat-abi=soft"]
        keys = {key: build[key] for key in ("compiler", "size", "objcopy")}
        return [
            "",
            "[build]",
            *(f"{key} = {json.dumps(value)}" for key, value in keys.items()),
            f"cflags = {json.dumps([f'-mcpu={processor}', '-mthumb', *unit])}",
            f"ldflags = {json.dumps(build['ldflags'])}",
            f"sources = {self.blank('build.sources', 'C files with carillon_board_init, which sets the clock; or []')}",
            f"linker_script = {self.blank('build.linker_script', 'write the memories into link.ld; then link.ld here')}",
            f"packages = {json.dumps(build['packages'])}",
            "",
            "# For carillon flash, if you want it: [flash] with the 'command' of your programmer, as",
            '# command = ["pyocd", "flash", "--target", "CHIP", "{hex}"]',
            "# For output: [console] with the registers of a UART.",
        ]

    def interrupts(self) -> str:
        family = {cells.array["family"] for cells in self.arrays}
        handler = "{}_Handler" if "rp2040alarm" in family else "{}_IRQHandler"
        lines = [
            f"# The interrupts of {_said(self.device.name)}, by the names of its SVD file.",
        ]
        lines += [f"first = {FIRST} # the source of interrupt 0", f'handler = "{handler}"', "", "[numbers]"]
        lines += [f"{name} = {number}" for name, number in self.device.interrupts.items()]
        return "\n".join(lines) + "\n"

    def linker_script(self) -> str:
        """The linker script of a board with flash memory, with blanks for the sizes."""
        like = "mps2-an385"
        text = (data_root() / "boards" / like / "link.ld").read_text(encoding="utf-8")
        families = {cells.array["family"] for cells in self.arrays}
        origins = {_merged(data_root() / "boards" / b / "board.toml")["cells"][0]["family"]: at for b, at in _ORIGINS}
        code = next((at for family, at in origins.items() if family in families), "0x00000000")
        memory = (
            f"/* TODO: the sizes of the memories, as 512K and 128K, and their addresses if they are others. */\n"
            f"MEMORY {{ CODE (rx) : ORIGIN = {code}, LENGTH = TODO\n         RAM (rw) : ORIGIN = 0x20000000, LENGTH = TODO }}\n"
        )
        return re.sub(r"MEMORY \{.*?\}\n", lambda _: memory, text, count=1, flags=re.DOTALL)


def _has(data: dict[str, Any], key: str) -> bool:
    for part in key.split("."):
        if not isinstance(data, dict) or part not in data:
            return False
        data = data[part]
    return True


def _said(text: str) -> str:
    """A text of the file as it can stand in a comment."""
    return re.sub(r"[^\x20-\x7e]", "?", text) or "a chip"
