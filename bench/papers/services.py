# SPDX-License-Identifier: Apache-2.0
"""What waiting, waking and timed actions cost: the applications of ``bench/services``, on three boards.

Beside each figure stands the best of other kernels.  Theirs were measured in the same emulators: built from their own
sources with ``-O2`` in their least configuration, the better one of Cortex-M3 and -M4.  They are constants here.

Those of mutexes and messages are of ChibiOS/RT 4.0.0, with mutexes or mailboxes and nothing else, without checks, with its
port's simplified priorities.  FreeRTOS 11.2 had static memory, no time slices, and its port's selection of tasks.  It needs 53,
70 and 283 instructions for the three rows of a mutex, and 82, 68 and 259 for the three of messages.

A figure counts instructions (cycles on the AVR) from one place to another.  Where it says handler, that begins with the handler's
first instruction, and what the processor does to enter it is not counted.

In cycles, the conventional kernel is measured beside Carillon's, with software that dispatches.  Other processors' rows are left
out then.  The conventional kernel has one timer, which ticks: in place of one-shot clocks it has the tick of ``thread_wake``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.papers.handlers import Handler
from bench.papers.made import BENCH, Application, change, copied, made, scratch
from bench.papers.marks import HANDLER, RETURNED, Marks
from bench.papers.rows import BOARD, IN_CYCLES, Figure, Progress, Row, board
from carillon.diagnostics import Diagnostics
from carillon.pipeline import Planned

CHIP = "atmega128"
PICO = "raspberry-pi-pico"
CLOCKS = {BOARD: 15_625_000, CHIP: 16_000_000, PICO: 1_000_000, IN_CYCLES: 50_000_000}
"""The first clock of each board, which these applications have, in hertz."""

KERNELS = ("carillon", "conventional")
HUNDRED = 100


FIGURES = {
    figure.metric: figure
    for figure in (
        Figure("thread_wake", 35, 45, 53, "SST"),
        Figure("wake_jitter", 0),
        Figure("thread_block", 63, 65, 67, "ChibiOS"),
        Figure("thread_wake_one_shot", 75, 75, 151, "ChibiOS"),
        Figure("thread_block_one_shot", 87, 95, 98, "ChibiOS"),
        Figure("thread_wake_above_server", 150),
        Figure("thread_block_above_server", 155),
        Figure("thread_wake_of_server", 220),
        Figure("thread_block_of_server", 180),
        Figure("alarm_extended", 30, 30, 53, "SST"),
        Figure("alarm_direct", 49, 50, 53, "SST"),
        Figure("wait_event", 35, 35, 35, "ChibiOS"),
        Figure("callback", 21, 25, 27, "ChibiOS"),
        Figure("counter_tick", 9, 10, 16, "SST"),
        Figure("stolen_by_lower_thread", 19, 20, 47, "SST"),
        Figure("mutex_lock", 17, peer=18, peer_name="ChibiOS"),
        Figure("mutex_unlock", 14, peer=16, peer_name="ChibiOS"),
        Figure("mutex_hand_over", 135, peer=72, peer_name="ChibiOS"),
        Figure("message_send", 29, peer=53, peer_name="ChibiOS"),
        Figure("message_receive", 29, peer=54, peer_name="ChibiOS"),
        Figure("message_wakes", 46, peer=132, peer_name="ChibiOS"),
        Figure("due_100", 5_904, 6_000, 9_587, "uC/OS-II"),
        Figure("delay_of_highest_of_100", 89, 100, 2_854, "SST"),
        Figure("flash_threads", 1_424, 1_500, unit="bytes"),
        Figure("ram_threads", 420, unit="bytes"),
        Figure("flash_alarms", 552, 700, 944, "SST", unit="bytes"),
        Figure("ram_alarms", 0, unit="bytes"),
        Figure("armv6m_thread_wake", 58, 60, board=PICO),
        Figure("armv6m_thread_block", 95, 100, board=PICO),
        Figure("avr_thread_wake", 299, 300, 528, "FreeRTOS", CHIP, "cycles"),
        Figure("avr_flash_threads", 2_396, 2_400, 3_472, "FreeRTOS", CHIP, "bytes"),
    )
}


LONGER = 4
"""In cycles, the ticks of these applications' clocks and counters, and the work within them, are so many times as long.

What a kernel does in one takes more cycles than instructions.
"""
_TICKS = re.compile(r"(?<=\")\d+(?= ticks\")|(?<=carillon_work\()600(?=\))")
_LONG = (('"10ms"', '"2ms"'), ("CARILLON_MILLISECONDS(20)", "CARILLON_MILLISECONDS(4)"))
_ONE_SHOT = 'clock = "one-shot"'
_PERIODIC = 'clock = "periodic"\ntick = "160us"\nlongest_lock = "100us"'


def _in_cycles(text: str, kernel: str) -> str:
    """A schedule or code as it is measured in cycles."""
    text = _TICKS.sub(lambda found: str(LONGER * int(found[0])), text)
    for longer, shorter in _LONG:
        text = text.replace(longer, shorter)
    if kernel == "conventional" and "[system]" in text:
        text = text.replace(_ONE_SHOT, _PERIODIC) + '\n[osek]\ndispatch = "software"\n'
    return text


@dataclass(frozen=True, slots=True)
class Run:
    """What a run recorded: the handlers that were asked for, and when places were passed."""

    handlers: tuple[Handler, ...]
    marks: Marks


class Applications:
    """Builds the applications in a folder, and runs them."""

    def __init__(self, folder: Path, diagnostics: Diagnostics, kernel: str = "carillon") -> None:
        self._folder, self._diagnostics, self.kernel = folder, diagnostics, kernel
        self.sources = copied(BENCH / "services", folder / "services")
        if board() == IN_CYCLES:
            for file in (*self.sources.glob("*/*.toml"), *self.sources.glob("*/main.c")):
                change(file, lambda text: _in_cycles(text, kernel))

    def row(self, metric: str, values: Iterable[float], count: int) -> Row:
        """The row of the first ``count`` values, of which there are enough."""
        samples = list(values)[:count]
        assert len(samples) == count, (metric, self.kernel)
        return FIGURES[metric].row(self.kernel, samples)

    def built(self, schedule: str) -> Application:
        """What a schedule makes: on the board that it names, if it names one."""
        path = self.sources / schedule
        text = path.read_text(encoding="utf-8")
        return made(
            path,
            self._folder / f"{path.parent.name}-{path.stem}",
            self._diagnostics,
            None if "\nboard" in text else board(),
            self.kernel,
        )

    def run(self, schedule: str, ticks: int, marks: Sequence[str] = ()) -> Run:
        """Run an application for so many ticks of the board's clock; its handlers are those of its only timed cell."""
        application = self.built(schedule)
        recording = application.recorded(ticks, marks)
        handlers = application.handlers(recording, {_timed(application.planned)})
        return Run(handlers, application.marks(recording, marks, handlers))


def _timed(planned: Planned) -> int:
    """The source of the cell that an alarm, the clock or else a counter has."""
    osek = planned.allocation.osek
    assert osek is not None
    carriers = [*(carrier for _, carrier in osek.alarms), *([osek.clock.carrier] if osek.clock is not None else [])]
    (carrier,) = carriers or osek.counters
    return carrier.source


def _ticks(us: int, on: str = "") -> int:
    """Microseconds as ticks of a board's first clock."""
    return us * CLOCKS[on or board()] // 1_000_000


def _counted(ticks: int) -> int:
    """Ticks that a schedule says, in those of the board on which is measured."""
    return ticks * LONGER if board() == IN_CYCLES else ticks


def _many_us() -> int:
    """The tick of the clock with which a hundred things are due at once, in microseconds."""
    return 2_000 if board() == IN_CYCLES else 10_000


def threads(applications: Applications, rounds: int, progress: Progress) -> list[Row]:
    """A thread that delays until its next period, above another that never waits.

    The first turn is not counted: the thread below has not begun by then.
    """
    rows: list[Row] = []
    for file, on, wake, block in (
        ("schedule", "", "thread_wake", "thread_block"),
        ("one-shot", "", "thread_wake_one_shot", "thread_block_one_shot"),
        ("above-server", "", "thread_wake_above_server", "thread_block_above_server"),
        ("server", "", "thread_wake_of_server", "thread_block_of_server"),
        ("armv6m", PICO, "armv6m_thread_wake", "armv6m_thread_block"),
        ("avr", CHIP, "avr_thread_wake", None),
    ):
        if on and board() == IN_CYCLES:
            continue
        progress(f"a thread that delays, {wake}: {rounds} periods")
        run = applications.run(f"delay/{file}.toml", (rounds + 4) * _ticks(320, on), ["bench_block", "bench_woken"])
        woken = run.marks.since([HANDLER], "bench_woken")[1:]
        rows.append(applications.row(wake, woken, rounds))
        if wake == "thread_wake":
            rows.append(applications.row("wake_jitter", [t - min(woken) for t in woken], rounds))
        if block is not None:
            rows.append(applications.row(block, run.marks.between("bench_block", [RETURNED])[1:], rounds))
    return rows


def alarms(applications: Applications, rounds: int, progress: Progress) -> list[Row]:
    """Tasks that an alarm activates, or sets an event of; and the tick of a counter."""
    progress(f"an extended task and an alarm's cell: {rounds} events")
    run = applications.run("extended/schedule.toml", (rounds + 3) * _counted(1_000), ["bench_block", "bench_woken"])
    rows = [
        applications.row("alarm_extended", run.marks.since([HANDLER], "bench_woken")[1:], rounds),
        applications.row("wait_event", run.marks.between("bench_block", [RETURNED])[1:], rounds),
    ]
    progress(f"a task and a counter's queue: {rounds} activations")
    run = applications.run("direct/schedule.toml", (2 * rounds + 5) * _counted(1_000), ["carillon_task_Main"])
    begins = run.marks.times("carillon_task_Main")
    rows.append(applications.row("alarm_direct", run.marks.since([HANDLER], "carillon_task_Main"), rounds))
    until = [h.begin for h in run.handlers[1:]]  # a task may begin after the handler that activates it
    empty = [
        h.length for h, end in zip(run.handlers, until, strict=False) if bisect_left(begins, h.begin) == bisect_left(begins, end)
    ]
    rows.append(applications.row("counter_tick", empty[1:], rounds))  # the first comes before the alarm has been set
    return rows


def callbacks(applications: Applications, rounds: int, progress: Progress) -> list[Row]:
    """Functions that alarms call: one in every second tick, and a hundred."""
    progress(f"a function that an alarm calls: {rounds} calls")
    run = applications.run("callback/schedule.toml", (2 * rounds + 5) * _counted(1_000), ["bench_called"])
    rows = [applications.row("callback", run.marks.since([HANDLER], "bench_called"), rounds)]
    count = max(1, rounds // 10)
    progress(f"{HUNDRED} alarms in one tick: {count} ticks")
    run = applications.run("due/schedule.toml", (2 * count + 5) * _ticks(_many_us()), ["bench_called"])
    calls = run.marks.times("bench_called")
    due = [(h, bisect_left(calls, h.end) - bisect_left(calls, h.begin)) for h in run.handlers if h.has(calls)]
    assert all(called == HUNDRED for _, called in due)
    rows.append(applications.row("due_100", (h.length for h, _ in due), count))
    return rows


HANDED = {
    "mutex": (
        4_000,
        {"mutex_lock": ("lock", "locked"), "mutex_unlock": ("unlock", "unlocked"), "mutex_hand_over": ("hand", "handed")},
    ),
    "messages": (
        1_000,
        {"message_send": ("send", "sent"), "message_receive": ("receive", "received"), "message_wakes": ("wake", "woken")},
    ),
}
"""Of each application how long its period is, in ticks, and between which of its marks each figure lies."""


def handed(applications: Applications, rounds: int, progress: Progress) -> list[Row]:
    """What nobody waits for, and what goes to the thread that waits for it: mutexes and messages."""
    rows = []
    for name, (period, figures) in HANDED.items():
        progress(f"{name}: {rounds} periods")
        places = [f"bench_{place}" for both in figures.values() for place in both]
        marks = applications.run(f"{name}/schedule.toml", (rounds + 3) * _counted(period), places).marks
        for metric, (begin, end) in figures.items():
            rows.append(applications.row(metric, marks.between(f"bench_{begin}", [f"bench_{end}"]), rounds))
    return rows


def interference(applications: Applications, rounds: int, progress: Progress) -> list[Row]:
    """What lower threads that are due cost a higher one: while it works, and when it is due, too."""
    progress(f"a window of work: {rounds} windows")
    places = ["bench_quiet_begin", "bench_quiet_end", "bench_window_begin", "bench_window_end", "bench_low"]
    run = applications.run("stolen/schedule.toml", (3 * rounds + 10) * _counted(1_000), places)
    quiet, window = (run.marks.between(f"bench_{name}_begin", [f"bench_{name}_end"]) for name in ("quiet", "window"))
    lows = run.marks.between("bench_window_end", ["bench_low"])  # Low has run before High works again
    stolen = [w - q for q, w, low in zip(quiet, window, lows, strict=False) if low < _counted(1_000)]
    rows = [applications.row("stolen_by_lower_thread", stolen[1:], rounds)]
    count = max(1, rounds // 10)
    progress(f"{HUNDRED} threads in one tick: {count} ticks")
    lower_threads(applications.sources / "highest", HUNDRED)
    run = applications.run("highest/schedule.toml", (2 * count + 5) * _ticks(_many_us()), ["bench_woken"])
    rows.append(applications.row("delay_of_highest_of_100", run.marks.since([HANDLER], "bench_woken")[1:], count))
    return rows


def lower_threads(folder: Path, count: int) -> None:
    """Add so many threads of a lower priority to the application ``highest``, which stands in ``folder``."""
    tables = "".join(f"\n[thread.Lower{k}]\npriority = 1\n" for k in range(count))
    code = "\n".join(f"LOWER({k})" for k in range(count))
    change(folder / "schedule.toml", lambda text: text + tables)
    change(folder / "main.c", lambda text: text.replace("/* THREADS */", code))


def sizes(applications: Applications, _rounds: int, progress: Progress) -> list[Row]:
    """Bytes of flash, the start-up code included; the vector table is not.  Bytes of RAM, the main stack not included."""
    rows: list[Row] = []
    for metric, schedule in (
        ("flash_threads", "threads/schedule.toml"),
        ("flash_alarms", "alarms/schedule.toml"),
        ("avr_flash_threads", "threads/avr.toml"),
    ):
        if board() == IN_CYCLES and schedule.endswith("avr.toml"):
            continue
        progress(f"the size of {schedule}")
        firmware = applications.built(schedule).firmware
        rows.append(applications.row(metric, [firmware.flash], 1))
        data = metric.replace("flash_", "ram_")
        if data in FIGURES:
            rows.append(applications.row(data, [firmware.ram], 1))
    return rows


def _of(kernel: str, progress: Progress) -> Progress:
    return lambda what: progress(f"{what}, {kernel} kernel")


def services(rounds: int, diagnostics: Diagnostics, progress: Progress) -> list[Row]:
    """Every figure; ``rounds`` is the number of samples, a tenth of it where a hundred things are due at once."""
    rows: list[Row] = []
    with scratch() as folder:
        for kernel in KERNELS if board() == IN_CYCLES else KERNELS[:1]:
            applications = Applications(folder / kernel, diagnostics, kernel)
            for part in (threads, alarms, callbacks, handed, interference, sizes):
                rows += part(applications, rounds, _of(kernel, progress))
    return sorted(rows, key=lambda r: list(FIGURES).index(r.metric))
