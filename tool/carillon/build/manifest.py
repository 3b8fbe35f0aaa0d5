# SPDX-License-Identifier: Apache-2.0
"""The manifest: how an application's firmware is compiled, for this tool and for CMake alike.

It stands beside the generated files as ``manifest.json``.  A path is relative to Carillon's own root; one that begins with
a point, of a board that is not Carillon's, to the folder of the generated files.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from carillon.image import Image
from carillon.image.forms import budget_kind
from carillon.model import System
from carillon.model.giotto import Machine
from carillon.resources import ITM, data_root

MANIFEST = "manifest.json"
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wmissing-prototypes", "-Wundef", "-Wno-type-limits", "-Werror")
"""Of the kernel's files.  A count that an image has none of is 0, and a comparison with it is meant to be always the same."""
KERNEL = ("kernel/core/mode.c", "kernel/osektime/osektime.c", "kernel/osektime/main.c", "kernel/osektime/table.c")
SYNC = ("kernel/osektime/sync.c",)
OSEK = tuple(
    f"kernel/{name}.c"
    for name in (
        *("levels/interrupt", "levels/level_software", "levels/level_hooks"),
        *("jobs/error", "jobs/resource", "jobs/isr", "jobs/stop", "jobs/job", "jobs/event", "jobs/task"),
        *("counters/cells", "counters/counter", "counters/expiry", "counters/alarm", "run/start"),
    )
)
TABLES = ("kernel/counters/table_points.c", "kernel/counters/schedule_table.c")
BUDGETS = ("kernel/levels/budget.c", "kernel/levels/preempt.c", "kernel/run/strike.c")
FRAMES = ("kernel/jobs/frame.c",)
QUEUE = ("kernel/clock/queue.c", "kernel/conventional/counters.c")
CONTROLLER = ("emulators/host/controller.c", "emulators/host/bus.c")
"""What is a port's carillon_port.c where the image is a program of this machine."""
TIME = (
    "kernel/levels/guest.c",
    "kernel/clock/clock.c",
    *(f"kernel/time/{name}.c" for name in ("watch", "wait", "wait_release", "sketch", "messages", "mutex", "thread")),
    *(f"kernel/time/{name}.c" for name in ("new", "server", "keeper", "alarm", "due")),
)
RTOS = tuple(f"kernel/rtos/{name}.c" for name in ("heap", "wait", "thread", "semaphore", "mutex", "queue", "flags", "timer"))
BLOCKS = ("kernel/giotto/blocks.c",)
LOADER = tuple(f"kernel/microcode/{name}.c" for name in ("verify", "load", "loader", "log", "serial", "recorder", "generator"))
MICROCODE = ("kernel/microcode/machine.c", "kernel/microcode/tasks.c")
# What runs once, or on the way out: small rather than fast.  Handlers are compiled for speed.
COLD = (
    "kernel/core/mode.c",
    "kernel/osektime/osektime.c",
    "kernel/osektime/main.c",
    "kernel/run/main.c",
    "kernel/run/start.c",
    "kernel/jobs/stop.c",
    *LOADER,  # it has only the time that no task needs
    MICROCODE[0],  # it is a fifth smaller, and what a tick takes is the same: what is hot says so (state.h, FAST)
)


def _portable(path: str, generated: Path) -> str:
    """The absolute ``path`` of a board's file as the manifest has it."""
    here = Path(path)
    if here.is_relative_to(data_root()):
        return here.relative_to(data_root()).as_posix()
    relative = Path(os.path.relpath(here, generated.resolve())).as_posix()
    return relative if relative.startswith("../") else f"./{relative}"


def located(path: str, generated: Path) -> Path:
    """Where the file is that the manifest in ``generated`` calls ``path``."""
    return (generated if path.startswith(".") else data_root()) / path


def manifest(image: Image, folder: Path) -> dict[str, list[str] | str]:
    """Sources, include folders and options for the system's board; ``folder``: that of the generated files."""
    system, board = image.system, image.system.board
    port = f"ports/{board.port}"
    sources = [*CONTROLLER] if board.native else [f"{port}/carillon_port.c"]
    generated = ["vectors.c"]
    if system.modes:
        sources = [*KERNEL, *sources]
        generated = ["tables.c", *generated]
        sources += SYNC if system.sync is not None else []
    elif system.osek is not None:
        sources = ["kernel/core/mode.c", "kernel/run/main.c", *sources]
    if system.osek is not None:
        sources += OSEK
        generated.append("osek.c")
        sources += TABLES if system.osek.schedule_tables else []
        sources += BUDGETS if system.osek.budgets else []
        sources += [f"kernel/core/{budget_kind(image)}_budget.c"] if system.bounded else []
        sources += FRAMES if system.osek.framed else []
        sources += QUEUE if system.osek.counters or system.time is not None else []
    generated += ["reserved.c"] if board.kept else []
    generated += ["round_budgets.c"] if system.bounded else []
    generated += ["trace.c"] if system.tracing is not None else []
    if system.time is not None:
        sources += TIME
        sources += RTOS if system.time.heap else []
    if system.giotto is not None:
        cells = system.machine is Machine.CELLS
        sources += BLOCKS if cells else MICROCODE
        sources += LOADER if system.upload is not None else []
        generated.append("blocks.c" if cells else "microcode.c")
    if system.cplusplus:
        sources += ["kernel/core/cplusplus.c"] if board.native else ["kernel/core/cplusplus.c", "kernel/core/atexit.c"]
    cold = list(COLD)
    console = f"{port}/console.c"
    if (data_root() / console).is_file():  # elsewhere the board's
        sources.append(console)
        cold.append(console)
    if board.console is not None:
        sources.append("kernel/core/console.c")
        cold.append("kernel/core/console.c")
    if system.cplusplus or not board.native:
        sources.append("kernel/core/library.c")
        cold.append("kernel/core/library.c")
    if not board.native:
        sources.append(f"{port}/startup.c")
        cold += [f"{port}/startup.c", f"{port}/carillon_port.c"]
    if system.tracing is not None and system.tracing.stream is not None:
        by = f"{port}/{ITM}" if system.tracing.stream == "itm" else f"kernel/core/stream_{system.tracing.stream}.c"
        stream = ["kernel/core/stream.c", by]
        sources += stream
        cold += stream
    header = system.tracing.header if system.tracing is not None else None
    pins = [Path(os.path.relpath(header.resolve().parent, data_root())).as_posix()] if header is not None else []
    beside = Path(os.path.relpath(system.file.resolve().parent, data_root())).as_posix()  # where a Giotto program's types are
    foreign = ["kernel/rtos/include"] if system.time is not None and system.time.heap else []
    foreign += ["kernel/rtos/epos"] if system.time is not None and system.cplusplus else []
    inputs = (["osek.ld"] if system.osek is not None else []) + (["names.ld"] if board.vectors == "code" else [])
    return {
        "board": board.name,
        "compiler": board.build.compiler,
        "sources": sources,
        "cold_sources": cold,
        "cold_options": ["-Os", "-fno-tree-loop-distribute-patterns"],
        "board_sources": [_portable(path, folder) for path in board.build.sources],
        "generated": generated,
        "linker_inputs": inputs,
        "include": [".", "kernel/api", *foreign, port, *([beside] if system.giotto is not None else []), *pins],
        "compile_options": [
            "-std=c11",
            "-O2",
            "-gdwarf-4",
            "-ffunction-sections",
            "-fdata-sections",
            "-fno-ipa-icf",
            *board.build.cflags,
            *_processor_clock(system),
        ],
        "warnings": list(WARNINGS),
        "cplusplus_options": ["-std=c++17", "-fno-exceptions", "-fno-rtti"],
        "link_options": [
            *board.build.cflags,
            *board.build.ldflags,
            "-Wl,--gc-sections",
            *(["-Wl,--wrap=main"] if board.native else []),
            *(f"-Wl,--wrap={function}" for function in system.wrapped),
        ],
        "linker_script": _portable(board.build.linker_script, folder) if board.build.linker_script else "",
    }


def _processor_clock(system: System) -> list[str]:
    """The processor's clock as avr-libc's headers ask for it (util/delay.h)."""
    if system.board.port != "avr":
        return []
    clock = next(c for c in system.board.clocks if c.hz == system.clock_hz)
    return [f"-DF_CPU={clock.hz * clock.instructions_per_tick}UL"]


def as_text(image: Image, generated: Path) -> str:
    """The manifest as it is written."""
    return json.dumps(manifest(image, generated), indent=2) + "\n"
