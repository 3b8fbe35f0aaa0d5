# SPDX-License-Identifier: Apache-2.0
"""``giotto.h`` and ``blocks.c``: what a Giotto program asks of C, and each block of its E code as a function.

A function begins at each label.  The instructions keep their order and their addresses, so that what a fault tells is the
listing's.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from carillon import c_names
from carillon.emit import text
from carillon.emit.microcode import Writer
from carillon.image import Image
from carillon.image.misses import compute_symbol
from carillon.microcode import Instruction, Opcode
from carillon.microcode.compiled import Blocks
from carillon.model.giotto import Giotto

_NONE = "CARILLON_MICROCODE_NONE"


def emit(image: Image) -> dict[str, str]:
    """The generated files; none without a Giotto program on cells."""
    if image.blocks is None:
        return {}
    assert image.system.giotto is not None
    writer = _Writer(image, image.blocks, image.system.giotto)
    return {"giotto.h": writer.header(), "blocks.c": writer.source()}


class _Writer(Writer):
    def __init__(self, image: Image, blocks: Blocks, source: Giotto) -> None:
        super().__init__(image, blocks.compiled, source)
        self.blocks = blocks
        self.slots = [(task, rate) for rate in blocks.rates for task in rate.tasks]
        self.slot = {(task, rate.period): number for number, (task, rate) in enumerate(self.slots)}
        self.begins = [*sorted(address for address, _ in self.program.labels), len(self.program.code)]
        self.reached = self.from_entry()
        tasks = image.allocation.osek.osek.tasks if image.allocation.osek is not None else ()
        self.kernel = {task.name: number for number, task in enumerate(tasks)}
        self.lists: dict[tuple[int, ...], int] = {}
        """The lists of slots that instructions touch, and their numbers."""

    def source(self) -> str:
        blocks = self.segments()  # which ask for lists
        code = [self.program.code[k] for begin in self.reached for k in range(begin, self.end(begin))]
        drivers = {i.x for i in code if i.opcode is Opcode.CALL}
        functions = self.functions({task for task, _ in self.slots}, drivers, {i.x for i in code if i.opcode is Opcode.IF})
        lines = [text.head(self.image, "The blocks of a Giotto program, and the ports and functions around them.")]
        lines += ['#include "kernel/core/kernel.h"', '#include "kernel/giotto/blocks.h"', *functions, ""]
        lines += ["/* A task and one of its periods each. */"]
        lines += [f"struct carillon_giotto_slot carillon_giotto_slots[{max(len(self.slots), 1)}];"]
        rows = []
        for task, rate in self.slots:
            row = f"{{.period = {rate.period}u, .task = {task}u, .rate = {self.kernel[rate.name]}u}}"
            rows.append(f"{row}, /* {self.program.tasks[task].name} */")
        invocations = "const struct carillon_giotto_invocation carillon_giotto_invocations[]"
        lines += text.table(invocations, rows or [f"{{0u, {_NONE}, 0u}}"])
        lines += [*self.missed(), "/* What instructions touch. */"]
        for slots, number in self.lists.items():
            lines.append(f"static const uint16_t touched_{number}[] = {{{', '.join(f'{slot}u' for slot in slots)}, {_NONE}}};")
        for rate in self.blocks.rates:
            lines += self.rate(rate.name, rate.period, rate.tasks)
        return "\n".join([*lines, *blocks, ""])

    def rate(self, name: str, period: int, tasks: Iterable[int]) -> list[str]:
        """The kernel's task that computes all Giotto tasks that are released with a period."""
        lines: list[str] = []
        for task in tasks:
            slot = self.slot[task, period]
            lines += [
                f"    if (carillon_giotto_begins({slot}u)) {{ /* {self.program.tasks[task].name} */",
                f"        {compute_symbol(task)}();",
                "        const uint32_t saved = carillon_osek_lock();",
                f"        if (carillon_giotto_ends({slot}u)) {{",
                f"            commit_{task}();",
                "        }",
                "        carillon_osek_unlock(saved);",
                "    }",
            ]
        return ["", *text.function(c_names.task(name), lines, f"What is released for {period} ms.")]

    # Blocks

    def segments(self) -> list[str]:
        """A function for each label that is ever reached, declared before all."""
        labels = dict(self.program.labels)
        lines = ["", "/* Blocks. */", *(f"static void at_{begin}(void);" for begin in self.reached)]
        for begin in self.reached:
            body = self.segment(begin, self.end(begin))
            lines += ["", f"/* {labels[begin]} */", f"static void at_{begin}(void)", "{", *body, "}"]
        entry = self.program.entry
        return [*lines, "", "void carillon_giotto_first(void)", "{", f"    at_{entry}();", "}"]

    def from_entry(self) -> list[int]:
        """The labels to which some order of switches leads, ascending."""
        addresses, waiting = {self.program.entry}, [self.program.entry]
        while waiting:
            begin = waiting.pop()
            end = self.end(begin)
            code = self.program.code[begin:end]
            to = {i.y for i in code if i.opcode in (Opcode.FUTURE, Opcode.JUMP)} | ({end} if _goes_on(code, end) else set())
            waiting += to - addresses
            addresses |= to
        return sorted(addresses)

    def end(self, begin: int) -> int:
        """Where the next label is."""
        return self.begins[bisect_right(self.begins, begin)]

    def segment(self, begin: int, end: int) -> list[str]:
        """The body of a function: the code between two labels.  An ``if`` skips code up to the next label at most."""
        code = self.program.code
        lines = [f"    bool due_{period} = false;" for period in _released(code[begin:end])]
        closing: list[int] = []
        for address in range(begin, end):
            while closing and closing[-1] == address:
                closing.pop()
                lines.append(f"{_indent(closing)}}}")
            i, comment = code[address], f" /* {self.compiled.comments[address]} */"
            indent = _indent(closing)
            match i.opcode:
                case Opcode.IF:
                    assert address < i.y <= end
                    lines.append(f"{indent}if (guard_{i.x}()) {{{comment}")
                    closing.append(i.y)
                case Opcode.CALL:
                    touched = [slot for task in self.program.touched(i.x) for slot in self.slots_of(task)]
                    lines += [f"{indent}{line}" for line in self.guarded(touched, address, [f"driver_{i.x}();{comment}"])]
                case Opcode.RELEASE:
                    does = [f"carillon_giotto_release({self.slot[i.x, i.time]}u);{comment}", f"due_{i.time} = true;"]
                    lines += [f"{indent}{line}" for line in self.guarded(self.slots_of(i.x), address, does)]
                case Opcode.FUTURE:
                    ticks = i.time // self.blocks.tick
                    lines += [f"{indent}{line}" for line in self.activations(_released(code[begin:address]))]
                    lines.append(f"{indent}carillon_giotto_next(at_{i.y}, {ticks}u);{comment}")
                case Opcode.JUMP:
                    lines += [f"{indent}at_{i.y}();{comment}", *([f"{indent}return;"] if closing else [])]
                case _:
                    assert i.opcode is Opcode.RETURN
                    lines += [f"{indent}return;"] if closing else []
        while closing:
            closing.pop()
            lines.append(f"{_indent(closing)}}}")
        if _goes_on(code[begin:end], end):
            lines.append(f"    at_{end}();")
        return lines

    def activations(self, released: list[int]) -> list[str]:
        """The rates of which something was released, the most urgent first."""
        names = {rate.period: rate.name for rate in self.blocks.rates}
        lines = []
        for period in released:
            does = f"    (void)carillon_osek_activate({self.kernel[names[period]]}u); /* {names[period]} */"
            lines += [f"if (due_{period}) {{", does, "}"]
        return lines

    def slots_of(self, task: int) -> list[int]:
        return [number for number, (of, _) in enumerate(self.slots) if of == task]

    def guarded(self, slots: list[int], address: int, does: list[str]) -> list[str]:
        """The statements ``does``, executed unless one of the slots is unfinished."""
        if not slots:
            return does
        number = self.lists.setdefault(tuple(slots), len(self.lists))
        asked = " || ".join(f"carillon_giotto_is_unfinished({slot}u)" for slot in slots)
        late = f"    carillon_giotto_late(touched_{number}, {address + 1}u);"
        return [f"if ({asked}) {{", late, "} else {", *(f"    {line}" for line in does), "}"]


def _released(code: Sequence[Instruction]) -> list[int]:
    """The periods of what is released there."""
    return sorted({i.time for i in code if i.opcode is Opcode.RELEASE})


def _goes_on(code: Sequence[Instruction], end: int) -> bool:
    """Whether what stands before ``end`` leads there."""
    return code[-1].opcode not in (Opcode.JUMP, Opcode.RETURN) or any(i.opcode is Opcode.IF and i.y == end for i in code)


def _indent(closing: list[int]) -> str:
    return "    " * (len(closing) + 1)
