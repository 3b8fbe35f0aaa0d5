# SPDX-License-Identifier: Apache-2.0
"""Running firmware: natively on a virtual board or in an emulator, and reading what happened.

All ways yield the same records (``emulators/host``, ``emulators/qemu/trace_plugin.c``), which
:mod:`carillon.run.records` turns into the events of :mod:`carillon.trace`.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from carillon import c_names
from carillon.build import Firmware
from carillon.build.symbols import symbols
from carillon.diagnostics import Diagnostics
from carillon.elf import read_elf
from carillon.emit.text import UNEXPECTED
from carillon.image import Image
from carillon.image.misses import compute_lanes, deadline_misses, late_threads
from carillon.image.operations import Vector
from carillon.model import System
from carillon.model.board import Role
from carillon.model.stimuli import Stimuli
from carillon.model.tools import Run
from carillon.run.alarms import STEERING
from carillon.run.clocks import clocks_fit
from carillon.run.emulators import found_emulator, qemu_machine, quoted, simavr_runner
from carillon.run.entries import ENTRIES, Code, Record, entry_values, own_vectors, place
from carillon.run.faults import LOCKUP, fault_of, locked_up
from carillon.run.frames import frames
from carillon.run.hardware import Hardware
from carillon.run.memory import Saved, saved
from carillon.run.records import DELIVER, MISSED, OVERRUNS, SWITCH, SYNC_POINT, SYNC_TURN, Decoder, lead_of, read_records
from carillon.run.refusal import refusal_mark, starts
from carillon.run.replay import Replay
from carillon.run.schedule_tables import watched
from carillon.run.stimuli import Prepared, fits, prepare, write
from carillon.trace import Trace

# A run that takes longer than this many seconds of wall time is ended: the firmware hangs or storms.
PATIENCE = 300.0

NOTHING_STARTS = (
    "the application has started nothing",
    "call ttStartOS (or StartOS, without rounds) from main, or define no main at all",
)


def _never_begun(system: System) -> tuple[str, str]:
    """Why no cell has started, and what helps."""
    if system.start is None:
        return NOTHING_STARTS
    remedy = f"let {system.start.by} count, and its update be its trigger output (on STM32, MMS = 2 in its CR2)"
    return f"the round has not begun: {system.start.by} has triggered nothing since ttStartOS", remedy


# Without wait states or a waveform.
PLAIN = Hardware()

# Where the processor begins: in Carillon's start-up code, or in a vendor's.
RESETS = ("carillon_port_reset", "Reset_Handler")

# Instructions, at most, from the start of the event-triggered system's cells to that of the first round.
BENEATH = 10_000

# A jump where vectors, or a port's entries to handlers (ENTRIES), are code.
_VECTOR_BYTES = 4

# The load of a start list's first store, if it is not the first instruction of carillon_port_start.
START_LOAD = "carillon_port_start_load"

# Where tasks of the event-triggered system begin and end, for the tracing plugin.
MARKS = {
    "carillon_port_begin": "C",
    "carillon_port_landed": "U",
    "carillon_port_resumed": "R",
    "carillon_port_suspended": "S",
    "carillon_port_left": "X",
    "carillon_port_exchange_from": "S",
    "carillon_port_exchange_to": "R",
}


def _starts(table: Collection[str], diagnostics: Diagnostics) -> bool:
    """Whether the image starts anything, by its symbols; C095 if not."""
    if "carillon_port_start" not in table:
        diagnostics.error("C095", None, *NOTHING_STARTS)
    return "carillon_port_start" in table


def _chart(lines: Sequence[str], out: Path) -> Path:
    """Write the map of what the emulator watches, to a file beside the records."""
    chart = out.with_suffix(".map")
    chart.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return chart


def _simavr_command(
    image: Image,
    firmware: Firmware,
    how: Run,
    ticks: int,
    out: Path,
    marks: Sequence[str],
    memory: Saved,
    more: Sequence[str],
    diagnostics: Diagnostics,
) -> list[str] | None:
    """The command of the runner on libsimavr, with a map of what the runner watches, and ``more`` lines of it."""
    board = image.system.board
    clock = board.clock(image.system.clock_hz)
    found = simavr_runner(board, how, diagnostics)
    if found is None:
        return None
    table = symbols(firmware.elf)
    if not _starts(table, diagnostics):
        return None
    isrs = own_vectors(image, table)
    vectors = entry_values(image, table, [*_all_vectors(image), *isrs])
    lines = [f"{_VECTOR_BYTES * source:x} V {value:x}" for source, value in sorted(vectors.items())]
    places = {"carillon_port_start": "B", "carillon_port_start_store": "D"}
    places |= dict.fromkeys(("carillon_port_halt", UNEXPECTED), "H")
    if image.system.osek is not None:
        places |= MARKS
        lines += [f"0 Q {isr.source:x}" for isr in image.system.osek.isrs]
    lines += [f"{table[symbol][0]:x} {kind} {symbol == UNEXPECTED:x}" for symbol, kind in places.items() if symbol in table]
    lines += [f"{table[symbol][0]:x} F 0" for symbol in sorted({*_functions(image, table), *(v.symbol for v in isrs)})]
    lines += [f"{table[symbol][0]:x} M 0" for symbol in marks] + memory.lines + list(more)
    chart = _chart(lines, out)
    limit = (ticks + board.lead_at(clock.hz)) * clock.instructions_per_tick + 1
    frequency = clock.hz * clock.instructions_per_tick
    return [*found, str(frequency), str(firmware.elf), str(chart), str(out), str(limit)]


def _of_table(image: Image, mode: int, vector: Vector) -> set[str]:
    """The functions of tasks that a mode's table runs, if the vector is the table's: other modes may have vectors for them."""
    mode_image = image.modes[mode] if image.modes else None
    if mode_image is None or mode_image.dispatch is None or mode_image.dispatch.carrier.source != vector.source:
        return set()
    return {image.system.task(e.point.object).entry for e in mode_image.table if e.point.action.role is Role.ACTIVATION}


def _all_vectors(image: Image) -> list[Vector]:
    return [vector for mode in image.vectors for vector in mode]


def _functions(image: Image, table: dict[str, tuple[int, int]]) -> set[str]:
    """The functions whose calls and returns are recorded: those that the linker kept because they are used."""
    functions = {t.entry for t in image.system.tasks} | {i.handler for i in image.system.interrupts}
    if image.system.osek is not None:
        functions |= {c_names.task(t.name) for t in image.system.osek.tasks if not t.extended}
        functions |= {c_names.isr(i.name) for i in image.system.osek.isrs}
        functions.update(DELIVER)
        functions.update(STEERING)
    functions |= {miss.symbol for miss in deadline_misses(image)} | {*compute_lanes(image), *late_threads(image)}
    return (functions | {MISSED, *OVERRUNS}) & table.keys()


def _traced_command(
    image: Image,
    firmware: Firmware,
    how: Run,
    ticks: int,
    out: Path,
    marks: Sequence[str],
    spans: Sequence[str],
    fetched: tuple[str, str] | None,
    serial: Path | None,
    memory: Saved,
    hardware: Hardware,
    replay: Replay | None,
    diagnostics: Diagnostics,
) -> list[str] | None:
    """The command of an emulator that the tracing plugin watches, with a map of what it watches."""
    board = image.system.board
    clock = board.clock(image.system.clock_hz)
    found = found_emulator(board, how, diagnostics, hardware.waveform is not None)
    if found is None:
        return None
    table = symbols(firmware.elf)
    if not _starts(table, diagnostics):
        return None
    entered = {v.source: table[ENTRIES][0] + _VECTOR_BYTES * v.source for v in _all_vectors(image)} if ENTRIES in table else {}
    places: dict[int, tuple[int, set[int]]] = {}
    isrs = own_vectors(image, table)
    for number, mode in enumerate(image.vectors):
        vectors = [*mode, *isrs]
        values = entry_values(image, table, vectors)
        for v in vectors:
            runs = {table[function][0] for function in (v.runs, *_of_table(image, number, v)) if function in table}
            address = entered.get(v.source, place(v.entry, table))
            places[address] = values[v.source], runs | places.get(address, (0, set()))[1]
    lines = [f"{address:x} V {value:x}" for address, (value, _) in sorted(places.items())]
    lines += [f"{address:x} T {function:x}" for address, (_, runs) in sorted(places.items()) for function in sorted(runs)]
    if image.system.osek is not None:
        lines += [f"{table[f][0] & ~1:x} {kind} 0" for f, kind in MARKS.items() if f in table]
    lines += [f"{table[f][0]:x} F 0" for f in sorted({*_functions(image, table), *(v.symbol for v in isrs)})]
    lines.append(f"{table.get(START_LOAD, table['carillon_port_start'])[0]:x} B 0")
    lines += [f"{table[f][0] & ~1:x} H 0" for f in ("carillon_port_halt", UNEXPECTED) if f in table]
    lines += [f"{table[symbol][0] & ~1:x} M 0" for symbol in marks]
    for begin, size in (table[symbol] for symbol in spans):
        lines += [f"{at:x} M 0" for at in range(begin & ~1, begin + size, 2)]
    if fetched is not None:  # as what a schedule table's steps are
        function, data = (table[symbol] for symbol in fetched)
        lines += [f"{function[0] & ~1:x} g {function[1]:x}", f"{data[0]:x} E {data[1]:x}"]
    lines += watched(image, read_elf(firmware.elf).symbols)
    if "carillon_port_lower" in table:
        lines.append(f"{table['carillon_port_lower'][0] & ~1:x} L 0")
    saves = not isinstance(found, list) and replay is None  # QEMU's monitor does not answer while QEMU records
    save, to = memory.monitored(out.parent, read_elf(firmware.elf).machine) if saves else ([], "")
    chart = _chart([*lines, *(memory.lines if save else ())], out)
    before, warm_up = warmed(image, how, table)
    limit = (ticks + board.lead_at(clock.hz)) * clock.instructions_per_tick + 1
    if image.osek is not None and image.modes:
        limit += BENEATH  # the plugin counts from the start of the event-triggered system's cells
    options = f"map={chart},out={out},limit={limit},base={how.code_base},code={how.code_bytes},warm_up={before}"
    if serial is not None:  # who talks to it lives in the host's time
        options += f",pace={clock.hz * clock.instructions_per_tick}"
    if hardware.stream is not None:
        save = [*save, "-serial", f"file:{quoted(hardware.stream)}"]
    if isinstance(found, list):
        told = hardware.arguments(out.parent) if how.kind == "rtl" else []
        if hardware.stream is not None and image.system.tracing is not None:
            told = [f"swo={hardware.stream}", f"swo_bytes={image.system.tracing.swo_baud // 10}"]
        return [*found, str(clock.hz * clock.instructions_per_tick), str(firmware.elf), *options.split(","), *told]
    line = "stdio" if serial is None else f"unix:{serial},server=on,wait=on"
    if replay is not None:
        options += ",recording=1"
    machine = qemu_machine(found[0], how, clock, firmware.elf, replay.counting("record") if replay is not None else "", line)
    others = replay.drive if replay is not None else []
    return [*machine, *warm_up, *others, *save, "-plugin", f"{found[1]},{options}{to}"]


def emulate(command: Sequence[str], hangs: str, diagnostics: Diagnostics) -> subprocess.CompletedProcess[bytes] | None:
    """Run an emulator, which is killed when the tool is; None after C095 if it takes longer than :data:`PATIENCE`.

    ``hangs``: what to do then.
    """
    # Not by a function in the child: to run one, Python copies this process with all its memory.
    environment = os.environ | {"CARILLON_PARENT": str(os.getpid())}
    try:
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        diagnostics.error("C095", None, f"the run did not end within {PATIENCE:.0f} s", f"run it for a shorter time, or {hangs}")
        return None


def failed(result: subprocess.CompletedProcess[bytes], how: str, remedy: str, diagnostics: Diagnostics) -> None:
    """Report C095 with what the emulator said, or C322 if it said that the processor has locked up."""
    said = result.stderr.decode(errors="replace").strip() or "nothing was said"
    if LOCKUP in said:
        diagnostics.error("C322", None, locked_up(said), "a stack has overflowed, as a rule: write longer stacks, or stack_check")
        return
    diagnostics.error("C095", None, f"the run {how} (exit code {result.returncode}): {said}", remedy)


def warmed(image: Image, how: Run, table: dict[str, tuple[int, int]]) -> tuple[int, list[str]]:
    """How many instructions run before reset, and QEMU's options for them: none where the board needs no such time."""
    if how.warm_up_at is None:
        return 0, []
    lengths = [mode.allocation.mode.round_length for mode in image.modes]
    if image.osek is not None:  # the time base is not shifted
        cells = [cell for cell in image.osek.cells if cell is not image.osek.base]
        lengths += [cell.use.progression.period for cell in (*cells, *image.osek.stopped)]
    before = max(lengths, default=1) * image.system.board.clock(image.system.clock_hz).instructions_per_tick
    return before, _warm_up(how.warm_up_at, before, table)


def _warm_up(at: int, instructions: int, table: dict[str, tuple[int, int]]) -> list[str]:
    """Options that run a loop of so many instructions, placed ``at`` an address, before the unmodified image's reset.

    The loop, for ARMv7-M: ldr r0, count; subs r0, #1; bne; ldr pc, reset.
    """
    turns = instructions // 2 + 1
    reset = table[next(name for name in RESETS if name in table)][0] | 1
    words = (0x3801_4802, 0xF8DF_D1FD, 0xBF00_F008, turns, reset)
    options = []
    for number, word in enumerate(words):
        options += ["-device", f"loader,addr={at + 4 * number:#x},data={word:#x},data-len=4"]
    return [*options, "-device", f"loader,addr={at | 1:#x},cpu-num=0"]


@dataclass(frozen=True, slots=True)
class Recording:
    """The result of a run: its records in order, the firmware's output, the stimuli that it had, and memory at its end.

    ``command``: what was run.
    """

    records: list[Record]
    output: str
    stimuli: Prepared | None = None
    memory: Saved = field(default_factory=Saved)
    command: tuple[str, ...] = field(default=(), compare=False)


def runnable(system: System, diagnostics: Diagnostics) -> Run | None:
    """How images for the system's board are run; None after C192 if the board's file has no [run]."""
    if system.board.run is None:
        cause = f"nothing runs images for board '{system.board.name}': its file has no [run]"
        remedy = "build it and load the ELF, HEX or BIN file into the chip, or run it on another board: --board NAME"
        diagnostics.error("C192", None, cause, remedy)
    return system.board.run


def record(
    image: Image,
    firmware: Firmware,
    ticks: int,
    diagnostics: Diagnostics,
    marks: Sequence[str] = (),
    serial: Path | None = None,
    spans: Sequence[str] = (),
    fetched: tuple[str, str] | None = None,
    stimuli: Stimuli | None = None,
    stacks: bool = False,
    hardware: Hardware = PLAIN,
    replay: Replay | None = None,
    folder: Path | None = None,
    more: Sequence[str] = (),
) -> Recording | None:
    """Run ``firmware`` for ``ticks`` from the start of its first round and return what was recorded.

    ``marks`` are symbols in the code; in QEMU each execution of the instruction there is a record.  In QEMU alone, each
    instruction of the functions ``spans`` is marked.  Of ``fetched``, a function and an object, each load of the one from the
    other is a :attr:`Code.STEP`, of an image without schedule tables.  ``stimuli`` happen during the run.
    ``stacks``: the main stack is saved at its end, too.  ``hardware``: of a board in RTL.  ``replay``: QEMU records the run, too.
    ``folder``: where the files of the run stay; without it they are gone.  ``more``: lines of the map of simavr's runner.
    Reports C092 (no emulator), C093 (no plugin), C095 (the run failed), or C192 (a board that nothing runs).  Or it reports C296
    (stimuli that the board's emulator cannot do), or C351 (a board that is not in RTL).  It returns None then.
    """
    system = image.system
    how = runnable(system, diagnostics)
    if how is None or not hardware.fits(system.board, diagnostics):
        return None
    itm = hardware.stream is not None and system.tracing is not None and system.tracing.stream == "itm"
    if itm and how.kind != "rigless":
        cause = f"the emulator of board '{system.board.name}' has no ITM"
        diagnostics.error("C095", None, cause, "leave --stream out, or choose an STM32F4")
        return None
    if how.kind != "qemu" and (serial is not None or (hardware.stream is not None and not itm)):
        cause = f"board '{system.board.name}' is not run by QEMU, and has no serial line of its own"
        option = "--serial" if serial is not None else "--stream"
        diagnostics.error("C095", None, cause, f"leave {option} out, or choose another board")
        return None
    with tempfile.TemporaryDirectory(prefix="carillon-") if folder is None else nullcontext(folder) as scratch:
        out = Path(scratch) / "records"
        prepared: Prepared | None = None
        if stimuli is not None and (stimuli.rows or stimuli.watch):
            if not fits(stimuli, system.board, diagnostics):
                return None
            prepared = prepare(stimuli, image, symbols(firmware.elf), lead_of(image), ticks, diagnostics)
            if prepared is None:
                return None
        memory = saved(image, firmware.elf, stacks)
        placed = symbols(firmware.elf)
        marks = (*marks, *({SWITCH} & placed.keys()), *((SYNC_POINT,) if SYNC_TURN in placed else ()), *refusal_mark(placed))
        if how.kind == "native":
            command: list[str] | None = [str(firmware.elf.resolve()), "--ticks", str(ticks), "--trace", str(out)]
        elif how.kind == "simavr":
            command = _simavr_command(image, firmware, how, ticks, out, marks, memory, more, diagnostics)
        else:
            command = _traced_command(
                image, firmware, how, ticks, out, marks, spans, fetched, serial, memory, hardware, replay, diagnostics
            )
        if command is None:
            return None
        if prepared is not None:
            file = str(write(prepared, Path(scratch) / "stimuli"))
            command += {"native": ["--stimuli", file], "simavr": [file]}.get(how.kind, [f"stimuli={file}"])
        hangs = "look for an interrupt that storms" + (", or a task that neither ends nor waits" if system.board.native else "")
        result = emulate(command, hangs, diagnostics)
        if result is None:
            return None
        if result.returncode or not out.is_file():
            failed(result, "failed", "look at the application's own code", diagnostics)
            return None
        records: list[Record] = read_records(out)
        if replay is None:
            memory.read(Path(scratch))
        if not (clocks_fit(image, records, diagnostics) and starts(placed, records, memory.content, diagnostics)):
            return None
        began = any(record.code == Code.BEGIN for record in records)
        # ShutdownOS may be called from the startup hook (OSEK OS, figure 12-1).
        ended = system.osek is not None and any(record.code == Code.HALT and record.value for record in records)
        if not (began or ended):
            diagnostics.error("C095", None, *_never_begun(system))
            return None
        if not any(record.code == Code.HALT for record in records):
            remedy = "look for what ends the program in the application's own code: a call of exit, say"
            failed(result, "ended before its time", remedy, diagnostics)
            return None
        hardware.keep(Path(scratch))
        return Recording(records, result.stdout.decode(errors="replace"), prepared, memory, tuple(command))


def run(
    image: Image,
    firmware: Firmware,
    ticks: int,
    diagnostics: Diagnostics,
    *,
    rounds: int = 0,
    serial: Path | None = None,
    stimuli: Stimuli | None = None,
    stacks: bool = False,
    hardware: Hardware = PLAIN,
) -> Trace | None:
    """Run ``firmware`` for ``ticks`` from the start of its first round, with ``stimuli``, and return what happened.

    ``stacks``: what was used of the main stack is told, too.  ``hardware``: of a board in RTL.

    Reports what :func:`record` reports, and returns None then.
    """
    recording = record(image, firmware, ticks, diagnostics, serial=serial, stimuli=stimuli, stacks=stacks, hardware=hardware)
    if recording is None:
        return None
    trace = Decoder(image, symbols(firmware.elf), recording.stimuli).trace(recording.records, ticks, rounds, recording.output)
    trace = replace(trace, stacks_used=recording.memory.used())
    if UNEXPECTED not in trace.stopped:
        return trace
    return replace(trace, frames=frames(image, firmware.elf), fault=fault_of(image, firmware.elf, recording.memory))
