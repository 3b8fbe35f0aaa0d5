# SPDX-License-Identifier: Apache-2.0
"""What a board needs of an SVD file: the processor, the peripherals with their addresses, and the interrupts.

The rules are those of CMSIS-SVD, "SVD schema": numbers are decimal, ``0x`` hexadecimal or ``#`` binary, and a peripheral that
is derived from another has its registers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from carillon.diagnostics import Diagnostics, Limited, Span
from carillon.read.svd.xml import Element, read_elements
from carillon.units import shorten

MOST_INTERRUPTS = 496
"""Of an NVIC (ARMv7-M Architecture Reference Manual, B3.4)."""
_MOST_ERRORS = 20
_ELEMENTS = 2
_CLUSTERS = 4
"""In clusters within clusters so deep nothing is looked for."""
_FARTHEST = 2**32 - 1
_NUMBER = re.compile(r"\+?(?:0[xX](?P<hex>[0-9a-fA-F]{1,16})|#(?P<bits>[01]{1,64})|(?P<decimal>[0-9]{1,20}))")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")


@dataclass(frozen=True, slots=True)
class Interrupt:
    """An interrupt of a peripheral: its name, the vendor's number, and where the file says it."""

    name: str
    number: int
    span: Span


@dataclass(frozen=True, slots=True)
class Peripheral:
    """A peripheral: its address, its interrupts, and the offset of each of its registers from the address."""

    name: str
    address: int
    interrupts: tuple[Interrupt, ...]
    registers: dict[str, int]
    span: Span


@dataclass(frozen=True, slots=True)
class Device:
    """A chip.  ``processor`` is CMSIS's name, such as CM4; empty and None are what the file does not say."""

    name: str
    span: Span
    processor: str
    processor_span: Span
    fpu: bool
    priority_bits: int | None
    interrupt_count: int | None
    peripherals: dict[str, Peripheral]

    @property
    def interrupts(self) -> dict[str, int]:
        """The vendor's number of each interrupt, in their order."""
        named = [(i.number, i.name) for p in self.peripherals.values() for i in p.interrupts]
        return {name: number for number, name in sorted(set(named))}


def read_device(path: Path, diagnostics: Diagnostics) -> Device | None:
    """Read an SVD file.  None after C010, or after C306 for what is no SVD or contradicts itself."""
    root = read_elements(path, diagnostics)
    return None if root is None else _Device(diagnostics).read(root)


class _Device:
    """Reads the elements of one file."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self.limited = Limited(diagnostics, _MOST_ERRORS)

    def wrong(self, span: Span, cause: str, remedy: str) -> None:
        self.limited.error("C306", span, cause, remedy)

    def read(self, root: Element) -> Device | None:
        lacking = Element("cpu", root.span, {})
        cpu = root.child("cpu") or lacking
        processor = cpu.child("name") or cpu
        bits, count, fpu = cpu.child("nvicPrioBits"), cpu.child("deviceNumInterrupts"), cpu.child("fpuPresent")
        peripherals: dict[str, Peripheral] = {}
        for element in root.below("peripherals", "peripheral"):
            found = self.peripheral(element, peripherals)
            if found is not None and found.name in peripherals:
                self.wrong(found.span, f"there are two peripherals {shorten(found.name)}", "leave one of them")
            elif found is not None:
                peripherals[found.name] = found
        self.contradictions(peripherals)
        name = root.child("name")
        if not root.below("peripherals", "peripheral"):
            self.wrong(root.span, "the file describes no peripheral", "name the .svd file of a chip")
        device = Device(
            name.text if name is not None and name.text.isprintable() else "",
            root.span,
            processor.text if processor is not cpu else "",
            processor.span,
            fpu is not None and fpu.text in ("true", "1"),
            self.number(bits, 8) if bits is not None else None,
            self.number(count, MOST_INTERRUPTS) if count is not None else None,
            peripherals,
        )
        return None if self.limited.failed else device

    def number(self, element: Element, most: int) -> int | None:
        """The number that an element is; None after an error."""
        match = _NUMBER.fullmatch(element.text)
        if match is None:
            cause = f"<{element.name}> is {shorten(element.text)}, and must be a number"
            self.wrong(element.span, cause, "write it in decimal, or in hexadecimal after 0x")
            return None
        bits = match["bits"]
        value = int(bits, 2) if bits else int(match["hex"], 16) if match["hex"] else int(match["decimal"])
        if value > most:
            self.wrong(
                element.span, f"<{element.name}> is {value}, and can be {most} at most", "compare it with the chip's manual"
            )
            return None
        return value

    def peripheral(self, element: Element, known: dict[str, Peripheral]) -> Peripheral | None:
        """A peripheral; those from which it may be derived stand before it, or are not looked for."""
        name, address = element.child("name"), element.child("baseAddress")
        if name is None or _NAME.fullmatch(name.text) is None:
            span = element.span if name is None else name.span
            said = "has no name" if name is None else f"is called {shorten(name.text)}"
            self.wrong(span, f"a peripheral {said}", "give it a name of letters, digits and '_'")
            return None
        if address is None:
            self.wrong(element.span, f"peripheral '{name.text}' has no <baseAddress>", "write its address")
            return None
        derived = element.attributes.get("derivedFrom", "")
        registers = dict(known[derived].registers) if derived in known else {}
        for part in element.below("registers"):
            registers |= self.registers(part)
        at = self.number(address, 2**32 - 1)
        interrupts = [self.interrupt(found) for found in element.below("interrupt")]
        return Peripheral(name.text, at or 0, tuple(i for i in interrupts if i is not None), registers, element.span)

    def registers(self, element: Element, prefix: str = "", base: int = 0) -> dict[str, int]:
        """The offset of each register, those of clusters by both names; of an array the first _ELEMENTS."""
        found: dict[str, int] = {}
        for part in element.children:
            called, offset = part.child("name"), part.child("addressOffset")
            if part.name not in ("register", "cluster") or called is None or offset is None:
                continue
            at = base + (self.number(offset, _FARTHEST) or 0)
            step = part.child("dimIncrement")
            increment = (self.number(step, _FARTHEST) or 0) if step is not None else 0
            for k in range(_ELEMENTS if "%s" in called.text else 1):
                name = prefix + called.text.replace("[%s]", "%s").replace("%s", str(k))
                if part.name == "register":
                    found[name] = at + k * increment
                elif prefix.count("_") < _CLUSTERS:
                    found |= self.registers(part, f"{name}_", at + k * increment)
        return found

    def interrupt(self, element: Element) -> Interrupt | None:
        name, value = element.child("name"), element.child("value")
        if name is None or value is None:
            lacks = "name" if name is None else "value"
            self.wrong(element.span, f"an interrupt has no <{lacks}>", "write its name and its number")
            return None
        if _NAME.fullmatch(name.text) is None:
            cause = f"an interrupt is called {shorten(name.text)}"
            self.wrong(name.span, cause, "give it a name of letters, digits and '_'")
            return None
        number = self.number(value, MOST_INTERRUPTS - 1)
        return None if number is None else Interrupt(name.text, number, value.span)

    def contradictions(self, peripherals: dict[str, Peripheral]) -> None:
        """Report two numbers of one interrupt, and two interrupts of one number."""
        by_name: dict[str, Interrupt] = {}
        by_number: dict[int, Interrupt] = {}
        for found in (i for p in peripherals.values() for i in p.interrupts):
            same, other = by_name.setdefault(found.name, found), by_number.setdefault(found.number, found)
            if same.number != found.number:
                cause = f"interrupt '{found.name}' has number {found.number}, and {same.number} {same.span.beside(found.span)}"
                self.wrong(found.span, cause, "leave the number of the chip's manual, in a copy of the file")
            elif other.name != found.name:
                cause = (
                    f"interrupt '{found.name}' has number {found.number}, which is '{other.name}' {other.span.beside(found.span)}"
                )
                self.wrong(found.span, cause, "leave one of the two names, in a copy of the file")
