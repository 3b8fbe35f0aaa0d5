# SPDX-License-Identifier: Apache-2.0
"""``trace.c``: what stands in the place of functions that are recorded; ``carillon_trace.h``: the ring's figures.

The linker leads each reference to such a function to ``__wrap_`` of it (``--wrap``), and ``__real_`` of it is the function.
"""

from __future__ import annotations

from carillon import c_names
from carillon.emit import text
from carillon.image import Image
from carillon.image.words import Words, identity
from carillon.model import System
from carillon.model.registers import TraceCounter


def emit(image: Image) -> dict[str, str]:
    """The files; none if nothing is recorded."""
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
    files: dict[str, str] = {}
    counter = system.board.trace
    if system.tracing.ring is not None and counter is not None:
        words = Words.of(system, counter)
        files["carillon_trace.h"] = _figures(image, counter, words, system.tracing.ring)
        lines += [
            '#include "carillon_trace.h"',
            "",
            "uint32_t carillon_trace_ring[CARILLON_TRACE_BYTES / 4u] __attribute__((aligned(CARILLON_TRACE_BYTES), used));",
            "uint32_t carillon_trace_next;",
            "",
            *text.function(
                "carillon_trace_start",
                (f"    CARILLON_REGISTER({store.address:#X}u) |= {store.value:#X}u;" for store in counter.set),
            ),
            *(_stream(system, words) if system.tracing.stream is not None else ()),
        ]
    else:
        lines += ["#define CARILLON_TRACE_NOTE(ring, event)"]
    bounded = {task.entry for task in system.bounded}
    own = {*(task.entry for task in system.tasks), *(it.handler for it in system.interrupts)}
    for number, function in enumerate(system.traced):
        wrapped, real = f"__wrap_{function}", c_names.bounded(function) if function in bounded else f"__real_{function}"
        body = [
            *(["    uint32_t ring = (uint32_t)(uintptr_t)carillon_trace_ring;"] if system.tracing.ring is not None else ()),
            *([f"    CARILLON_TRACE_ENTER({function});"] if function in own else ()),
            f"    CARILLON_TRACE_NOTE(ring, {Words.event(number, begins=True)});",
            f"    {real}();",
            f"    CARILLON_TRACE_NOTE(ring, {Words.event(number, begins=False)});",
            *([f"    CARILLON_TRACE_LEAVE({function});"] if function in own else ()),
        ]
        lines += ["", f"void {real}(void);", *text.function(wrapped, body)]
    return files | {"trace.c": "\n".join([*lines, ""])}


def _figures(image: Image, counter: TraceCounter, words: Words, ring: int) -> str:
    """What whoever writes to the ring must know."""
    system = image.system
    lines = [
        text.head(image, "What the ring of events is."),
        "#ifndef CARILLON_TRACE_FIGURES_H",
        "#define CARILLON_TRACE_FIGURES_H",
        "",
        f"#define CARILLON_TRACE_COUNTER {counter.counter:#X}u",
        f"#define CARILLON_TRACE_EVENT_BITS {words.event_bits}",
        f"#define CARILLON_TRACE_BYTES_BITS {(4 * ring).bit_length() - 1}",
        f"#define CARILLON_TRACE_TASKS {Words.event(len(system.traced), begins=False)}u",
        f"#define CARILLON_TRACE_WAITS {2 * len(system.noted)}u",
        f'#include "ports/{system.board.port}/trace.h"',
        "",
        "#endif",
        "",
    ]
    return "\n".join(lines)


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
