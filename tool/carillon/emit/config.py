# SPDX-License-Identifier: Apache-2.0
"""``carillon_config.h``: what the kernel and the port are compiled for."""

from __future__ import annotations

from carillon.emit import library, text
from carillon.image import Image
from carillon.image.handlers import called


def emit(image: Image) -> str:
    """The configuration as macros."""
    system, board = image.system, image.system.board
    lines = ["", *text.switches(image, "carillon_config.h")]
    lines += ["#define CARILLON_LIBRARY 1"] if image.library else []
    lines += library.counts(image) if image.library and library.checked(image) else []
    virtual = []
    for array in board.cells:
        if array.family.name == "virtual":
            hz = array.hz or system.clock_hz
            virtual += [f"{{{source}, {system.clock_hz}u, {hz}u}}" for source in array.sources]
    if virtual:
        lines += ["", "/* Source and ticks per unit of each virtual cell. */"]
        lines += ["#define CARILLON_VIRTUAL_CELLS \\", ", \\\n".join("    " + v for v in virtual)]
    if board.own_handlers:
        lines += _handlers(image)
    lines += _linkage(image)
    lines += ["", "/* Application modes. */"]
    lines += [f"#define ttAppMode_{mode.allocation.mode.name} {number}u" for number, mode in enumerate(image.modes)]
    return text.header(image, "What the kernel is compiled for.", "CARILLON_CONFIG_H", lines)


def _handlers(image: Image) -> list[str]:
    """Declarations that make the application's functions handlers, in the files that define them."""
    in_table = image.system.board.vectors == "table"
    if in_table:
        kinds = ("CARILLON_HANDLER({0});", "CARILLON_NESTED_TASK({0});")
    else:
        declared = f'void {{0}}(void) __asm__("{text.HANDLER}{{0}}") __attribute__(({{1}}, used));'
        kinds = (declared.format("{0}", "signal"), declared.format("{0}", "interrupt"))
    declarations = [kinds[nested].format(function) for function, nested in image.direct.items()]
    declarations += [f"CARILLON_CALLED({function});" for function in sorted(called(image))]
    lines = ["", '#include "carillon_handlers.h"'] if in_table else []
    if not declarations:
        return lines
    what = "that are vectors themselves, or that handlers call" if in_table else "that are vectors themselves"
    return [*lines, "", f"/* Functions of the application {what}. */", *text.linkage(declarations)]


def _linkage(image: Image) -> list[str]:
    """Declarations that give C linkage to the schedule's functions where C++ files define them."""
    functions = dict.fromkeys([t.entry for t in image.system.tasks] + [i.handler for i in image.system.interrupts])
    if not functions:
        return []
    head = ["", "/* Functions of the application that the schedule names. */", "#ifdef __cplusplus", 'extern "C" {']
    return [*head, *(f"void {function}(void);" for function in functions), "}", "#endif"]
