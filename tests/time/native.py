# SPDX-License-Identifier: Apache-2.0
"""The event queue and the clock, compiled for the development machine in any configuration and called by ctypes."""

from __future__ import annotations

import _ctypes
import ctypes
import functools
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import c_int, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
HANDLER = ctypes.CFUNCTYPE(None, c_int)
FLAGS = (
    *("-std=c11", "-O1", "-g", "-shared", "-fPIC", "-Wall", "-Wextra", "-Wconversion", "-Werror"),
    *("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"),
)
SIGNATURES: dict[str, tuple[type[Any] | None, tuple[type[Any], ...]]] = {
    "queue_insert_far": (None, (c_int, c_uint64)),
    "queue_distance": (c_uint64, (c_int,)),
    "queue_left": (c_uint64, ()),
    "queue_insert": (None, (c_int, c_uint64)),
    "queue_advance": (None, (c_uint64,)),
    "queue_repeat": (None, (c_uint64,)),
    "queue_move": (None, (c_uint64,)),
    "queue_served": (None, ()),
    "queue_period": (None, (c_uint64, c_uint32, c_uint32)),
    "queue_period_next": (c_uint64, ()),
    "clock_reset": (None, (c_uint64, c_uint32)),
    "clock_inject": (None, (c_int, c_uint64)),
    "clock_handler": (None, (HANDLER, c_uint64, c_int)),
    "clock_insert": (c_uint64, (c_int, c_uint32, c_uint64)),
    "clock_insert_far": (c_uint64, (c_int, c_uint64, c_uint64)),
    "clock_insert_fraction": (c_uint64, (c_int, c_uint64, c_uint32, c_uint32)),
    "clock_insert_after": (c_int, (c_int, c_uint32, c_uint32)),
    "clock_insert_far_after": (c_int, (c_int, c_uint32, c_uint64)),
    "clock_slack": (None, (c_int, c_uint32)),
    "clock_left": (c_uint64, (c_int,)),
    "clock_run": (None, (c_uint64,)),
    "clock_lock_for": (None, (c_uint64,)),
    "clock_time": (c_uint64, ()),
    "clock_now": (c_uint32, ()),
    "clock_uptime": (c_uint64, ()),
    "clock_moment": (c_uint64, ()),
    "clock_served": (c_uint32, (c_void_p, c_void_p, c_void_p, c_uint32)),
    "clock_arms": (c_uint32, ()),
    "clock_interrupts": (c_uint32, ()),
    "clock_lost": (c_uint32, ()),
    "clock_injected": (c_uint64, ()),
    "clock_reach": (c_uint64, ()),
}

_folder = tempfile.TemporaryDirectory(prefix="carillon-time-")


@functools.cache
def compiled(driver: str, sources: tuple[str, ...], defines: tuple[tuple[str, int | str], ...]) -> Path:
    """The shared library of a driver of this folder and of files of the kernel."""
    path = Path(_folder.name) / f"{len(list(Path(_folder.name).iterdir()))}.so"
    command = [
        "gcc",
        *FLAGS,
        f"-I{ROOT}",
        f"-I{ROOT / 'kernel' / 'api'}",
        f"-I{ROOT / 'kernel' / 'clock'}",
        f"-I{HERE / 'config'}",
        f"-I{HERE}",
    ]
    command += [f"-D{name}={value}" for name, value in defines]
    command[1:1] = ["-Wno-builtin-macro-redefined", "-U__SIZEOF_INT__"] if "__SIZEOF_INT__" in dict(defines) else []
    command += [str(HERE / driver), *(str(ROOT / "kernel" / source) for source in sources), "-o", str(path)]
    subprocess.run(command, check=True)
    return path


@contextmanager
def loaded(path: Path) -> Iterator[Any]:
    """A library as it is before anything has happened in it."""
    library = ctypes.CDLL(str(path))
    try:
        for name, (result, arguments) in SIGNATURES.items():
            if hasattr(library, name):
                function = getattr(library, name)
                function.restype, function.argtypes = result, arguments
        yield library
    finally:
        _ctypes.dlclose(library._handle)


def queue(bits: int, tree: bool, narrow: bool = False) -> Path:
    """The queue alone (queue_driver.c); ``narrow``: as for a processor that needs several instructions for a word."""
    defines = (("CARILLON_TIME_BITS", bits), ("CARILLON_QUEUE_TREE", int(tree)))
    return compiled("queue_driver.c", ("clock/queue.c",), (*defines, ("__SIZEOF_INT__", 2)) if narrow else defines)


def clock(*, whole: bool = False, **defines: int | str) -> Path:
    """The clock on the mock timer (mock_timer.c); keys are the configuration without CARILLON_.

    ``whole``: the handler is compiled together with what changes the queue, so that coverage sees both sides of what
    clock_steps.h has for each.
    """
    settings = tuple(sorted((f"CARILLON_{name}", value) for name, value in defines.items()))
    if whole:
        settings += (("MOCK_WHOLE", 1),)
    sources = ("clock/queue.c", *(() if whole else ("clock/clock.c",)), "conventional/counters.c")
    return compiled("mock_timer.c", sources, settings)
