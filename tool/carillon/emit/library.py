# SPDX-License-Identifier: Apache-2.0
"""What a library has beside the generated files of an image: the vendor's names for its handlers.

The vendor's start-up code has a vector table with a weak function for each interrupt.  A function of the same name takes its
place.  Three cases:

1. A handler of the library gets the vendor's name as a second symbol, when the library's objects are joined (:func:`aliases`).
2. A function of the application that is a vector itself is not in the library.  There a branch to it has the vendor's name
   (:func:`branches`).  A fragment for the linker puts the function in that branch's place (:func:`fragment`).
3. A system with several modes has a table for each.  The vendor's functions stand there for what the system does not use
   (:func:`table`).  The tables are among the constants, for which every linker script has a place.
"""

from __future__ import annotations

from carillon import c_names
from carillon.emit import text
from carillon.emit.osek.linker import linker_script
from carillon.image import CellImage, Image, ModeImage
from carillon.image.operations import Vector
from carillon.model.family import Capability
from carillon.resources import ports_with

FRAGMENT, ALIASES, CHECK = "carillon.ld", "aliases.ld", "check.c"
"""The linker's fragment for the user, that by which the library's objects are joined, and what is expected at the start."""
MARK, LOWERS = "carillon_library", "carillon_library_lowers"
"""The symbols by which an image is known to have another's start-up code, and tasks that run lowered."""
SUPERVISOR = 11
SYSTEM_EXCEPTIONS = 16
"""Sources before the vendor's interrupt 0."""
_SYSTEM = {
    2: "NMI_Handler",
    3: "HardFault_Handler",
    4: "MemManage_Handler",
    5: "BusFault_Handler",
    6: "UsageFault_Handler",
    SUPERVISOR: "SVC_Handler",
    12: "DebugMon_Handler",
    14: "PendSV_Handler",
    15: "SysTick_Handler",
}
"""The handlers of the processor's own exceptions, as CMSIS calls them (ARMv7-M)."""
_OF_OTHERS = (
    "carillon_osek_end",
    "carillon_budget_vector",
    "carillon_round_budget_vector",
    "carillon_slice_vector",
    "carillon_slice_over",
)
"""What functions of the port call that a system without contexts, budgets or slices does not have.  Nobody calls these functions
there, but not every linker drops them."""


def possible(image: Image) -> bool:
    """Whether the board's vendor has start-up code of its own, whose names are known."""
    board = image.system.board
    return board.vectors == "code" or (_beside_cmsis(image) and board.interrupts is not None and board.interrupts.handler != "")


def checked(image: Image) -> bool:
    """Whether the library's start asks what the project has left to the system."""
    return image.system.check_start and _beside_cmsis(image)


def _beside_cmsis(image: Image) -> bool:
    """Whether the port can be part of a project whose start-up code has CMSIS's names."""
    return image.system.board.port in ports_with("check.c")


def handler_names(image: Image) -> dict[int, str]:
    """What the vendor calls the handler of each source."""
    board = image.system.board
    if board.vectors == "code":
        return {source: f"{text.HANDLER}{source}" for source in range(board.system_vectors, board.sources)}
    return _SYSTEM | (board.interrupts.handlers if board.interrupts is not None else {})


def _other_names(image: Image) -> dict[int, str]:
    """The same of other start-up code for the chip, as the Pico's."""
    interrupts = image.system.board.interrupts
    return interrupts.other_handlers if interrupts is not None else {}


def vendors(image: Image) -> dict[str, int]:
    """What start-up code calls the handlers of the sources that the system does not use: the source of each."""
    taken = used(image).keys() | ({SUPERVISOR} if supervisor(image) else set())
    named = (handler_names(image), _other_names(image))
    return {name: source for names in named for source, name in names.items() if source not in taken}


def supervisor(image: Image) -> bool:
    """Whether handlers lower the execution priority, for which the system takes the supervisor's call."""
    return _beside_cmsis(image) and bool(image.switches["carillon_config.h"].get("CARILLON_LOWERED"))


def own_table(image: Image) -> bool:
    """Whether the image has vector tables of its own."""
    return len(image.modes) > 1 and image.system.board.vectors == "table"


def used(image: Image) -> dict[int, Vector]:
    """The vectors of all modes, by source."""
    return {vector.source: vector for mode in image.vectors for vector in mode}


def interrupts(image: Image) -> list[tuple[int, str]]:
    """The number of each interrupt that is the system's, by which the vendor knows it, and its handler's name.

    A number below 0 is an exception of the processor's own.
    """
    called = handler_names(image)
    sources = {*used(image), *({SUPERVISOR} if supervisor(image) else ())}
    first = 0 if image.system.board.vectors == "code" else SYSTEM_EXCEPTIONS
    return [(source - first, called[source]) for source in sorted(sources) if source in called]


def elsewhere(image: Image) -> set[str]:
    """The functions that may be vectors and are not in the library: the application's, and what the last link chooses."""
    system = image.system
    functions = {t.entry for t in system.tasks} | {i.handler for i in system.interrupts}
    if system.osek is not None:
        functions |= {c_names.task(t.name) for t in system.osek.tasks} | {c_names.isr(i.name) for i in system.osek.isrs}
    if image.osek is not None:
        direct = {it.level.source for it in image.osek.direct}
        functions |= {vector.entry for vector in image.beneath if vector.source in direct}
    return functions


def _named(image: Image, application: bool) -> dict[str, str]:
    """The vendor's name of each vector, and the function that it is."""
    names, own = handler_names(image), elsewhere(image)
    if own_table(image):
        return {}
    symbols = {s: v.entry for s, v in sorted(used(image).items())}
    symbols |= {SUPERVISOR: "carillon_port_supervisor_call"} if supervisor(image) else {}
    found = {
        named[s]: symbol
        for named in (names, _other_names(image))
        for s, symbol in symbols.items()
        if s in named and (symbol in own) == application
    }
    return {name: function for name, function in found.items() if name != function}


def aliases(image: Image) -> str:
    """For the linker that joins the library's objects: the vendor's names of its handlers."""
    lines = [text.head(image, "The vendor's names of the library's handlers."), f"{MARK} = 1;"]
    lines += [f"{LOWERS} = 1;"] if supervisor(image) else []
    lines += [f"PROVIDE({function} = {text.UNEXPECTED});" for function in _OF_OTHERS]
    return "\n".join([*lines, *(f"{name} = {function};" for name, function in _named(image, False).items()), ""])


def fragment(image: Image) -> str:
    """For the linker of the user's project: functions of the application take the place of branches to them."""
    lines = [text.head(image, "Give this to the linker beside libcarillon.a.")]
    lines += [linker_script(image)] if image.osek is not None else []
    lines += [f"{function} = {text.HANDLER}{function};" for function in image.direct if image.system.board.vectors == "code"]
    lines += [f"{name} = {function};" for name, function in _named(image, True).items()]
    return "\n".join([*lines, ""])


def check(image: Image) -> str:
    """The C of what the start expects: vectors, registers of timers that nobody uses, and what timers count a second."""
    looked_at, vectors, clocks = _looked_at(image), _expected(image), _clocks(image)
    lines = [
        text.head(image, "What a project is to have left to the system."),
        '#include "carillon_library.h"',
        "",
    ]
    lines += ['#include "carillon_port.h"']
    lines += [f'#include "cells/{family}/cell.h"' for family in sorted({cell.family.name for cell in looked_at})]
    lines += ["", *(f"void {function}(void);" for function in dict.fromkeys(vectors.values())), ""]
    rows = [f"{{{source}, {function}}}," for source, function in vectors.items()]
    lines += text.table("const struct carillon_expected_vector carillon_expected_vectors[]", rows or ["{0, 0},"])
    rows = [f"{text.macro(cell, 'UNTOUCHED', cell.number, f'{cell.use.cell.array.width}u')}," for cell in looked_at]
    lines += ["", *text.table("const struct carillon_expected_register carillon_expected_registers[]", rows or ["{0, 0, 0},"])]
    lines += ["", *text.table("const struct carillon_expected_clock carillon_expected_clocks[]", clocks or ["{0, 0, 0, 0},"])]
    count = "CARILLON_COUNT(carillon_expected_registers)" if rows else "0"
    lines += ["", f"const uint32_t carillon_expected_register_count = {count};"]
    return "\n".join([*lines, ""])


def counts(image: Image) -> list[str]:
    """For ``carillon_config.h``: how much there is of that, and the processor's clock, by which timers are measured."""
    chosen = image.system.board.chosen
    count = {
        "CHECKED": 1,
        "VECTORS": len(_expected(image)),
        "CLOCKS": len(_clocks(image)),
        "CORE_HZ": chosen.core_hz if chosen is not None else 0,
    }
    return [f"#define CARILLON_START_{name} {number}u" for name, number in count.items()]


def _cells(image: Image) -> list[CellImage]:
    """Each cell of the system once."""
    cells = {(c.family.name, c.number): c for mode in image.modes for c in mode.cells}
    if image.osek is not None:
        cells |= {(c.family.name, c.number): c for c in (*image.osek.cells, *image.osek.stopped)}
    return [cells[key] for key in sorted(cells)]


def _looked_at(image: Image) -> list[CellImage]:
    """The cells of whose registers it is known what they read after reset."""
    return [cell for cell in _cells(image) if Capability.UNTOUCHED in cell.family.can]


def _expected(image: Image) -> dict[int, str]:
    """The function of each vector in the project's table."""
    if own_table(image):
        return {}
    names, own = handler_names(image), elsewhere(image)
    return {s: names.get(s, v.symbol) if v.symbol in own else v.symbol for s, v in sorted(used(image).items())}


def _clocks(image: Image) -> list[str]:
    """What the timers are to count a second, where the schedule chooses the clocks: a row for each timer."""
    board = image.system.board
    rows: dict[int, str] = {}
    for cell in _cells(image) if board.chosen is not None else []:
        array = cell.use.cell.array
        if Capability.MEASURED in array.family.can:
            base = array.registers["base"][array.names.index(cell.use.cell.name)]
            hz = array.hz or image.system.clock_hz
            rows.setdefault(base, f"{{{text.macro(cell, 'MEASURED', cell.number)}, {hz}}},")
    return list(rows.values())


def branches(image: Image) -> list[str]:
    """The C of handlers that are a branch to a function of the application."""
    lines = []
    for name, function in _named(image, True).items():
        if image.system.board.vectors == "code":
            lines += [f'__asm__(".global {name}\\n{name}:\\n   jmp {function}\\n");', ""]
            continue
        lines += [
            f"/* Where the linker is given {FRAGMENT}, {function} takes the place of this. */",
            f"void {function}(void);",
            f"void {name}(void);",
        ]
        lines += [f"__attribute__((naked)) void {name}(void)", "{", f'    __asm__ volatile("b {function}");', "}", ""]
    return lines


def defaults(image: Image) -> list[str]:
    """The C of what stands for the vendor's handlers where the vendor has none of such a name."""
    if not own_table(image):
        return []
    weak = f'__attribute__((weak, alias("{_NOBODY}")))'
    names = [name for source, name in sorted(handler_names(image).items()) if source not in used(image)]
    names = [name for name in names if not (name == _SYSTEM[SUPERVISOR] and supervisor(image))]
    return [
        "/* The vendor's handlers; where the start-up code has none of that name, nobody's. */",
        f"static void {_NOBODY}(void) __attribute__((used));",
        f"static void {_NOBODY}(void)",
        "{",
        f"    {text.UNEXPECTED}();",
        "}",
        *(f"void {name}(void) {weak};" for name in names),
        "",
    ]


_NOBODY = "nobodys"


def table(image: Image, mode: ModeImage, functions: dict[int, str]) -> list[str]:
    """The vector table of a mode among several: the vendor's handlers stand for what no mode uses."""
    board, name, names, taken = image.system.board, text.stem(image, mode), handler_names(image), used(image)
    entries = [
        "    0, /* the stack: the processor begins with the vendor's table */",
        "    0, /* and so it does with the reset */",
    ]
    for source in range(2, board.sources):
        function = functions.get(source) or (names.get(source) if source not in taken else None) or text.UNEXPECTED
        if source == SUPERVISOR and supervisor(image):
            function = "carillon_port_supervisor_call"
        entries.append(f"    {function}, /* {source} */")
    declaration = f"extern const carillon_vector {name}_vectors[]; /* {mode.allocation.mode.name} */"
    alignment = max(512, 1 << (4 * board.sources - 1).bit_length())
    kind = f'__attribute__((section(".rodata.carillon_vectors"), aligned({alignment})))'
    return [declaration, f"{kind} const carillon_vector {name}_vectors[] = {{", *entries, "};", ""]
