# SPDX-License-Identifier: Apache-2.0
"""Running firmware: natively on a virtual board or in an emulator, and reading what happened.

Both ways yield the same records (``ports/host``, ``ports/armv7m/trace_plugin.c``), which
:mod:`carillon.run.records` turns into the events of :mod:`carillon.trace`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from carillon.build import Firmware
from carillon.build.symbols import symbols
from carillon.diagnostics import Diagnostics
from carillon.emit.image import Image
from carillon.emit.vectors import handlers
from carillon.resources import data_root
from carillon.run.records import Code, Decoder, Record, read_records
from carillon.trace import Trace

# A run that takes longer than this many seconds of wall time is ended: the firmware hangs or storms.
PATIENCE = 300.0

NOTHING_STARTS = ("the application has started no round", "call ttStartOS from main, or define no main at all")


def _plugin(diagnostics: Diagnostics) -> Path | None:
    """The compiled tracing plugin, from the cache or compiled now; C093 if there is no C compiler."""
    source = data_root() / "ports/armv7m/trace_plugin.c"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "carillon"
    import hashlib

    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    target = cache / f"trace_plugin-{digest}.so"
    if target.is_file():
        return target
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        diagnostics.error(
            "C093", None, "the tracing plugin needs a C compiler for this machine", "on Debian: apt-get install gcc"
        )
        return None
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        output = Path(scratch) / "plugin.so"
        result = subprocess.run(
            [compiler, "-O2", "-shared", "-fPIC", str(source), "-o", str(output)], capture_output=True, text=True, check=False
        )
        if result.returncode:
            diagnostics.error(
                "C093",
                None,
                f"the tracing plugin does not compile:\n{result.stderr.rstrip()}",
                "this is a defect of Carillon: report it",
            )
            return None
        output.replace(target)
    return target


def _native_command(firmware: Firmware, ticks: int, out: Path) -> list[str]:
    return [str(firmware.elf.resolve()), "--ticks", str(ticks), "--trace", str(out)]


def _qemu_command(image: Image, firmware: Firmware, ticks: int, out: Path, diagnostics: Diagnostics) -> list[str] | None:
    board = image.system.board
    clock = board.clock(image.system.clock_hz)
    emulator = shutil.which(board.run.command[0])
    if emulator is None:
        packages = " ".join(board.run.packages)
        diagnostics.error(
            "C092",
            None,
            f"board '{board.name}' needs '{board.run.command[0]}', which is not installed",
            f"on Debian: apt-get install {packages}",
        )
        return None
    plugin = _plugin(diagnostics)
    if plugin is None:
        return None
    table = symbols(firmware.elf)
    if "carillon_port_start" not in table:
        diagnostics.error("C095", None, *NOTHING_STARTS)
        return None
    lines = [f"{table[f][0]:x} V" for f in sorted({h for mode in image.modes for h in handlers(image, mode).values()})]
    functions = {t.entry for t in image.system.tasks} | {i.handler for i in image.system.interrupts}
    lines += [f"{table[f][0]:x} F" for f in sorted(functions)]
    lines.append(f"{table['carillon_port_start'][0]:x} B")
    lines += [f"{table[f][0]:x} H" for f in ("carillon_port_halt", "carillon_port_unexpected") if f in table]
    if "carillon_port_lower" in table:
        lines.append(f"{table['carillon_port_lower'][0] & ~1:x} L")
    chart = out.with_suffix(".map")
    chart.write_text("\n".join(lines) + "\n", encoding="utf-8")
    before = 0
    warm_up: list[str] = []
    if board.run.warm_up_at is not None:
        before = max(mode.allocation.mode.round_length for mode in image.modes) * clock.instructions_per_tick
        warm_up = _warm_up(board.run.warm_up_at, before, table)
    limit = (ticks + board.lead) * clock.instructions_per_tick + 1
    return [
        emulator,
        *board.run.command[1:],
        *("-nodefaults", "-display", "none", "-monitor", "none", "-serial", "stdio"),
        *("-icount", f"shift={clock.qemu_shift},sleep=off"),
        *("-kernel", str(firmware.elf)),
        *warm_up,
        *("-plugin", f"{plugin},map={chart},out={out},limit={limit},code={board.run.code_bytes},warm_up={before}"),
    ]


def _end_with_parent() -> None:
    """In the child: be killed when the tool is, so that no emulator is left running (Linux)."""
    import ctypes
    import signal

    pr_set_pdeathsig = 1
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl"):
        libc.prctl(pr_set_pdeathsig, signal.SIGKILL)


def _warm_up(at: int, instructions: int, table: dict[str, tuple[int, int]]) -> list[str]:
    """Options that run a loop of so many instructions, placed ``at`` an address, before the unmodified image's reset.

    The loop, for ARMv7-M: ldr r0, count; subs r0, #1; bne; ldr pc, reset.
    """
    turns = instructions // 2 + 1
    reset = table["carillon_port_reset"][0] | 1
    code = (
        bytes.fromhex("0248 0138 fdd1 dff8 08f0 00bf".replace(" ", ""))
        + turns.to_bytes(4, "little")
        + reset.to_bytes(4, "little")
    )
    options = []
    for offset in range(0, len(code), 4):
        word = int.from_bytes(code[offset : offset + 4], "little")
        options += ["-device", f"loader,addr={at + offset:#x},data={word:#x},data-len=4"]
    return [*options, "-device", f"loader,addr={at | 1:#x},cpu-num=0"]


def run(image: Image, firmware: Firmware, ticks: int, diagnostics: Diagnostics, *, rounds: int = 0) -> Trace | None:
    """Run ``firmware`` for ``ticks`` from the start of its first round and return what happened.

    Reports C092 (no emulator), C093 (no plugin) or C095 (the run failed), and returns None then.
    """
    system = image.system
    with tempfile.TemporaryDirectory(prefix="carillon-") as scratch:
        out = Path(scratch) / "records"
        if system.board.run.kind == "native":
            command: list[str] | None = _native_command(firmware, ticks, out)
        else:
            command = _qemu_command(image, firmware, ticks, out, diagnostics)
        if command is None:
            return None
        try:
            result = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False, preexec_fn=_end_with_parent
            )
        except subprocess.TimeoutExpired:
            diagnostics.error(
                "C095",
                None,
                f"the run did not end within {PATIENCE:.0f} s",
                "run it for a shorter time, or look for an interrupt that storms",
            )
            return None
        message = result.stderr.decode(errors="replace").strip()
        if result.returncode or not out.is_file():
            diagnostics.error(
                "C095",
                None,
                f"the run failed (exit code {result.returncode}): {message or 'nothing was said'}",
                "look at the application's own code",
            )
            return None
        records: list[Record] = read_records(out)
        if not any(record.code == Code.BEGIN for record in records):
            diagnostics.error("C095", None, *NOTHING_STARTS)
            return None
        decoder = Decoder(image, symbols(firmware.elf))
        return decoder.trace(records, ticks, rounds, result.stdout.decode(errors="replace"))
