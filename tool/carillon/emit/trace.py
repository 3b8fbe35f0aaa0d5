# SPDX-License-Identifier: Apache-2.0
"""``trace.c``: what stands in the place of tasks whose starts and ends are recorded.

The linker leads each reference to a task's function to ``__wrap_`` of it (``--wrap``), and ``__real_`` of it is the function.
"""

from __future__ import annotations

from carillon import c_names
from carillon.emit import text
from carillon.image import Image
from carillon.image.words import Words, identity
from carillon.model import System


def emit(image: Image) -> dict[str, str]:
    """The file; none if nothing is recorded."""
    system = image.system
    if system.tracing is None:
        return {}
    lines = [text.head(image, "Tasks whose starts and ends are recorded."), '#include "kernel/core/kernel.h"', ""]
    if system.tracing.header is not None:
        lines += [f'#include "{system.tracing.header.name}"', ""]
    lines += [
        "/* What the application does at starts and ends: it may set and clear a pin. */",
        *(line for what in ("ENTER", "LEAVE") for line in _nothing(what)),
        "",
    ]
    counter = system.board.trace
    if system.tracing.ring is not None and counter is not None:
        words = Words.of(system, counter)
        lines += [
            f"#define CARILLON_TRACE_COUNTER {counter.counter:#X}u",
            f"#define CARILLON_TRACE_EVENT_BITS {words.event_bits}",
            f"#define CARILLON_TRACE_BYTES_BITS {(4 * system.tracing.ring).bit_length() - 1}",
            f'#include "ports/{system.board.port}/trace.h"',
            "",
            "void carillon_trace_start(void)",
            "{",
            *(f"    CARILLON_REGISTER({store.address:#X}u) |= {store.value:#X}u;" for store in counter.set),
            "}",
            *(_stream(system, words) if system.tracing.stream is not None else ()),
        ]
    else:
        lines += ["#define CARILLON_TRACE_NOTE(ring, event)"]
    bounded = {task.entry for task in system.bounded}
    for number, function in enumerate(system.traced):
        wrapped, real = f"__wrap_{function}", c_names.bounded(function) if function in bounded else f"__real_{function}"
        body = [
            *(["    uint32_t ring = (uint32_t)(uintptr_t)carillon_trace_ring;"] if system.tracing.ring is not None else ()),
            f"    CARILLON_TRACE_ENTER({function});",
            f"    CARILLON_TRACE_NOTE(ring, {Words.event(number, begins=True)});",
            f"    {real}();",
            f"    CARILLON_TRACE_NOTE(ring, {Words.event(number, begins=False)});",
            f"    CARILLON_TRACE_LEAVE({function});",
        ]
        lines += ["", f"void {real}(void);", *text.function(wrapped, body)]
    return {"trace.c": "\n".join([*lines, ""])}


def _stream(system: System, words: Words) -> list[str]:
    """What the sender of the stream must know."""
    return [
        "",
        '#include "kernel/contract/stream.h"',
        "",
        "const struct carillon_stream carillon_stream = {",
        "    .ring = carillon_trace_ring,",
        "    .next = &carillon_trace_next,",
        "    .bytes = CARILLON_TRACE_BYTES,",
        f"    .schedule = {identity(system):#X}u,",
        "    .event_bits = CARILLON_TRACE_EVENT_BITS,",
        f"    .stamp_bits = {words.stamp_bits},",
        f"    .down = {str(words.down).lower()},",
        "};",
    ]


def _nothing(what: str) -> list[str]:
    return [f"#ifndef CARILLON_TRACE_{what}", f"#define CARILLON_TRACE_{what}(task)", "#endif"]
