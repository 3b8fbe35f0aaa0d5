# SPDX-License-Identifier: Apache-2.0
"""The experiments of the papers on timers, on their chip: the applications of ``bench/timers`` on an ATmega128.

- A. A. Froehlich, G. Gracioli, J. F. Santos, *Periodic timers revisited* (2011): tables I to IV, figures 8 to 11.
- G. Gracioli et al., *One-shot time management analysis in EPOS* (2008): tables 1 to 3, figures 3 and 4.
- M. Holenderski et al., *Multiplexing real-time timed events* (2009), section VI.

Figures are cycles of simavr, or times made of them.  simavr does not charge the cycles that the processor takes to
enter an interrupt: they are added to what handlers take (:mod:`carillon.bench.handlers`).  The papers' figures stand beside ours.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING

from carillon.bench.handlers import Handler, handlers_of
from carillon.bench.rows import BOARD, Curve, Plot, Progress, Result, Row, row
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan
from carillon.resources import data_root
from carillon.run.records import Code

if TYPE_CHECKING:
    from carillon.build import Firmware
    from carillon.pipeline import Planned
    from carillon.run.records import Record

CHIP = "atmega128"
SOURCES = data_root() / "bench" / "timers"
ROOMY = "atmega128-xmem"
"""The chip with external memory: sixty threads' stacks are more than it has."""

PERIODIC, ONE_SHOT, COMPARE = "periodic", "one-shot", "compare"

PERIODS_US = (100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
TIMER_HZ = (7_200, 28_800, 115_200)
EPOS_PERIODS = {
    (PERIODIC, 7_200): (277, 1_944, 10_138, 100_138, 1_000_138, 10_001_388),
    (PERIODIC, 28_800): (173, 1_214, 10_034, 100_034, 1_000_034, 10_000_346),
    (PERIODIC, 115_200): (147, 1_032, 10_008, 100_008, 1_000_016, 10_000_173),
    (ONE_SHOT, 7_200): (268, 1_240, 10_128, 100_128, 1_000_128, 10_138_457),
    (ONE_SHOT, 28_800): (164, 1_031, 10_059, 100_059, 1_000_094, 10_282_728),
    (ONE_SHOT, 115_200): (136, 1_031, 10_033, 100_036, 1_152_970, 10_921_704),
}
"""Periodic timers revisited, tables I and II: measured periods in microseconds."""

EPOS_HZ = 7_200_000
EPOS_HANDLERS_US = {"tick_only": 14, "release_one_alarm": 42, "one_shot_release": 212}
"""Table III."""

EPOS_THREADS_US = {2: (81, 111, 63, 23), 3: (84, 117, 63, 25), 4: (91, 178, 63, 36), 5: (97, 190, 63, 41), 6: (107, 263, 63, 55)}
"""Table IV: average, maximum, minimum, standard deviation."""

EPOS_PWM_US = {"1000Hz": (40.75, 1.72), "500Hz": (40.51, 1.19), "50Hz": (40.47, 0.97), "one_shot": (40.52, 1.12)}
"""Figure 11: mean and standard deviation of the thread's period."""

EPOS_PHILOSOPHERS = {
    1: {"interrupts": (26_005, 100), "switches": (616, 344)},
    2: {"interrupts": (9_843, 100), "switches": (615, 360)},
    3: {"interrupts": (3_079, 100), "switches": (617, 317)},
}
"""One-shot time management analysis in EPOS, tables 2 and 3: periodic and one-shot, per scenario."""
EPOS_FOOTPRINT = (32_000, 32_504)
SCENARIOS = {1: (1_000, 5_000), 2: (100, 500), 3: (25, 125)}
"""Milliseconds that a philosopher thinks and eats."""

CRYSTAL_HZ = 7_372_800
"""The papers call it 7.2 MHz; its quotients by the prescalers are their timers' clocks exactly."""

LEAST_TICK = 400
"""Cycles between ticks of a periodic timer, at least, so that the longest handler ends before the next."""

LEAST_TURN = 4
"""Ticks of the timer in one of the clock's, at least (ATmega128 data sheet, 16-bit Timer/Counter, Fast PWM Mode)."""

MUST = {"tick_only": 60, "release_one_alarm": 200, "one_shot_release": 260}

EVENTS = (1, 2, 5, 10, 20, 40, 59, 80, 100)
"""Numbers of waiting events whose figures are rows; the plot has all up to the last."""
KERNELS = ("carillon", "conventional", "counter-per-task")


@dataclass(frozen=True, slots=True)
class Run:
    """What was recorded: times in cycles (instructions on boards in QEMU)."""

    hertz: int
    handlers: tuple[Handler, ...]
    marks: dict[str, tuple[int, ...]]
    switches: int

    def with_mark(self, mark: str) -> tuple[list[Handler], list[Handler]]:
        """The clock's handlers in which a mark was passed, and the others."""
        passed = self.marks[mark]
        within: tuple[list[Handler], list[Handler]] = ([], [])
        k = 0
        for handler in self.handlers:
            while k < len(passed) and passed[k] < handler.begin:
                k += 1
            within[not (k < len(passed) and passed[k] < handler.end)].append(handler)
        return within


@dataclass(frozen=True, slots=True)
class Timer:
    """The clock of an application: the ``[time]`` of its schedule, on a board with a system clock."""

    kind: str
    hz: int
    tick: int | None = None
    keys: tuple[str, ...] = ("bits = 16",)
    board: str = CHIP

    def schedule(self, name: str, threads: Iterable[str]) -> str:
        """The schedule of an application of these threads, each with its table's keys."""
        lines = ["[system]", f'name = "{name}"', f'clock = "{self.hz}Hz"', "[time]", f'clock = "{self.kind}"', *self.keys]
        lines += [f'tick = "{self.tick} ticks"'] if self.tick is not None else []
        return "\n".join([*lines, *threads]) + "\n"


def thread(name: str, priority: int, stack: int | None = None) -> str:
    """The table of a thread."""
    return f"[thread.{name}]\npriority = {priority}" + (f"\nstack = {stack}" if stack else "")


class Applications:
    """Builds the applications in a folder, each variant in one of its own, and runs them."""

    def __init__(self, folder: Path, diagnostics: Diagnostics) -> None:
        self._folder = folder
        self._diagnostics = diagnostics
        self._count = 0  # of what has been built

    def built(
        self, name: str, timer: Timer, threads: Sequence[str], code: str = "", kernel: str = "carillon", **parameters: int | str
    ) -> tuple[Planned, Firmware]:
        """An application with its threads, what stands in its C file for ``/* THREADS */``, and its parameters."""
        folder = self._folder / str(self._count)
        application = folder / name
        shutil.copytree(SOURCES / name, application, ignore=shutil.ignore_patterns("build"))
        shutil.copy(SOURCES / "mark.h", folder)
        lines = [f"#define {key.upper()} {value}" for key, value in parameters.items()]
        (folder / "parameters.h").write_text("\n".join(lines) + "\n", encoding="utf-8")
        main = application / "main.c"
        main.write_text(main.read_text(encoding="utf-8").replace("/* THREADS */", code), encoding="utf-8")
        (application / "schedule.toml").write_text(timer.schedule(name, threads), encoding="utf-8")
        return self.made(application / "schedule.toml", timer.board, kernel)

    def made(self, schedule: Path, board: str, kernel: str = "carillon") -> tuple[Planned, Firmware]:
        """What a schedule makes on a board."""
        from carillon.build import build

        planned = plan(schedule, self._diagnostics, board, kernel)
        self._count += 1
        firmware = build(planned.image, self._folder / f"build-{self._count}", self._diagnostics)
        self._diagnostics.stop_on_errors()
        assert firmware is not None
        return planned, firmware

    def records(
        self, planned: Planned, firmware: Firmware, ticks: int, marks: Sequence[str]
    ) -> tuple[list[Record], dict[int, str]]:
        """What a run records, and the address of each mark."""
        from carillon.build.symbols import symbols
        from carillon.run import record

        recording = record(planned.image, firmware, ticks, self._diagnostics, marks)
        self._diagnostics.stop_on_errors()
        assert recording is not None
        table = symbols(firmware.elf)
        return recording.records, {table[mark][0] & ~1: mark for mark in marks}

    def run(self, planned: Planned, firmware: Firmware, ticks: int, marks: Sequence[str]) -> Run:
        """Run time services for so many ticks of the system clock, or until they halt."""
        from carillon.build.symbols import symbols

        records, places = self.records(planned, firmware, ticks, marks)
        osek = planned.allocation.osek
        assert osek is not None and osek.clock is not None
        passed: dict[str, list[int]] = {mark: [] for mark in marks}
        for entry in records:
            if entry.code == Code.MARK:
                passed[places[entry.value]].append(entry.time)
        clock = planned.system.board.clock(planned.system.clock_hz)
        return Run(
            clock.hz * clock.instructions_per_tick,
            tuple(handlers_of(planned, symbols(firmware.elf), records, {osek.clock.carrier.source})),
            {mark: tuple(times) for mark, times in passed.items()},
            sum(entry.code == Code.RESUME for entry in records),
        )


def divisors(number: int) -> list[int]:
    """All divisors, the largest first."""
    small = [d for d in range(1, isqrt(number) + 1) if number % d == 0]
    return sorted({*small, *(number // d for d in small)}, reverse=True)


def best_tick(period: Fraction, least: int = 1, most: int = 65_536) -> int:
    """The longest tick of ``least`` to ``most`` units that a period consists of; ``least`` if there is none."""
    if period.denominator != 1:
        return least
    return next((d for d in divisors(int(period)) if least <= d <= most), least)


def spelled(us: int) -> str:
    """A time as names of metrics have it."""
    if us % 1_000_000 == 0:
        return f"{us // 1_000_000}s"
    return f"{us // 1_000}ms" if us % 1_000 == 0 else f"{us}us"


# Periods: tables I and II, figure 8.


def periods(applications: Applications, rounds: int, progress: Progress) -> Result:
    """How exact the intervals of an alarm are, for every period that a timer can express, and their sum.

    A periodic timer ticks as the papers' did: once a period where it can, else as seldom as the period divides; where
    the period is no whole number of the timer's ticks, as often as the handler allows.
    """
    rows: list[Row] = []
    curves: list[Curve] = []
    for hz in TIMER_HZ:
        for kind in (PERIODIC, ONE_SHOT, COMPARE):
            ticks = {us: tick for us in PERIODS_US if (tick := _tick(kind, us, hz)) is not None}
            for us in PERIODS_US:
                if us not in ticks:
                    progress(f"{spelled(us)} at {hz} Hz, {kind}: shorter than a tick, so that it cannot be asked for")
            # A periodic timer is made for one period, the others for all.
            together = [[us] for us in ticks] if kind == PERIODIC else [list(ticks)]
            means: dict[int, float] = {}
            for some in together:
                tick = ticks[some[0]]
                progress(f"{', '.join(spelled(us) for us in some)} at {hz} Hz, {kind}")
                for us, found in _intervals(
                    applications, Timer(kind, hz, tick if kind == PERIODIC else None), some, rounds
                ).items():
                    rows += _period_rows(kind, hz, us, tick, found)
                    means[us] = float(sum(found) / len(found) / hz) * 1e6
            curves.append(_error_curve(f"{kind}, {hz} Hz", means))
            if (kind, hz) in EPOS_PERIODS:
                epos = dict(zip(PERIODS_US, EPOS_PERIODS[kind, hz], strict=True))
                curves.append(_error_curve(f"EPOS, {kind}, {hz} Hz", epos, dashed=True))
    title = "Error of the mean period (figure 8 of Periodic timers revisited)"
    return Result(rows, (Plot("periods", title, "period in µs", "relative error", tuple(curves), log_x=True, log_y=True),))


def _tick(kind: str, us: int, hz: int) -> int | None:
    """Ticks of the timer in one of the clock's; None if the period is shorter."""
    period = Fraction(us * hz, 1_000_000)
    tick = best_tick(period, max(LEAST_TURN, -(-LEAST_TICK * hz // CRYSTAL_HZ))) if kind == PERIODIC else 1
    return tick if tick <= period else None


LEAST_SHOWN = 1e-9
"""A logarithmic plot has no place for no error."""


def _error_curve(label: str, means: Mapping[int, float], *, dashed: bool = False) -> Curve:
    errors = tuple(max(LEAST_SHOWN, abs(mean - us) / us) for us, mean in means.items())
    return Curve(label, tuple(means), errors, dashed)


def _period_rows(kind: str, hz: int, us: int, tick: int, found: Sequence[Fraction]) -> list[Row]:
    """Errors are in ticks of the clock, of which one has ``tick`` of the timer's."""
    period = Fraction(us * hz, 1_000_000)
    name = f"{kind}_{spelled(us)}_{hz}Hz".replace("-", "_")
    errors = [round(abs(float(i - period)) / tick, 3) for i in found]
    total = round(abs(float(sum(found) - len(found) * period)) / tick, 3)
    rows = [
        row(f"period_error_{name}", "carillon", CHIP, "ticks", errors, 1),
        row(f"accumulated_error_{name}", "carillon", CHIP, "ticks", [total], 1),
    ]
    if (kind, hz) in EPOS_PERIODS:
        mean = round(float(sum(found) / len(found) / hz) * 1e6, 3)
        epos = EPOS_PERIODS[kind, hz][PERIODS_US.index(us)]
        rows += [row(f"period_{name}", "carillon", CHIP, "us", [mean]), row(f"period_{name}", "EPOS", CHIP, "us", [epos])]
    return rows


SECONDS = 20
"""Of the chip's time, at most, for each period, but ten intervals."""


def _intervals(applications: Applications, timer: Timer, periods_us: Sequence[int], rounds: int) -> dict[int, list[Fraction]]:
    """Intervals between calls of an alarm's function, in ticks of the timer, for each period.

    The first call is left out: what started the alarm is still on its way to wait.
    """
    calls = {us: 2 + min(rounds, max(10, SECONDS * 1_000_000 // us)) for us in periods_us}
    table = ", ".join(f"EVERY({us}, {count})" for us, count in calls.items())
    planned, firmware = applications.built("periods", timer, [thread("Main", 1)], periods=table)
    length = sum(us * (count + 2) for us, count in calls.items()) * timer.hz // 1_000_000
    beats = applications.run(planned, firmware, length + 1000, ["bench_beat"]).marks["bench_beat"]
    found: dict[int, list[Fraction]] = {}
    first = 0
    for us, count in calls.items():
        found[us] = [Fraction((b - a) * timer.hz, CRYSTAL_HZ) for a, b in pairwise(beats[first + 1 : first + count])]
        first += count
    return found


# Handlers: tables III and IV.


def handlers(applications: Applications, rounds: int, progress: Progress) -> Result:
    """What the clock's handler takes that only counts, or releases one alarm."""
    rows: list[Row] = []
    for kind, metrics in (
        (PERIODIC, ("release_one_alarm", "tick_only")),
        (ONE_SHOT, ("one_shot_release",)),
        (COMPARE, ("compare_release",)),
    ):
        progress(f"handlers, {kind} clock: {rounds} alarms")
        timer = Timer(kind, 125_000, 125 if kind == PERIODIC else None, ("bits = 16", 'longest = "100ms"'))
        planned, firmware = applications.built("release", timer, [thread("Main", 1)])
        run = applications.run(planned, firmware, (rounds + 3) * 625, ["bench_beat"])
        for metric, found in zip(metrics, run.with_mark("bench_beat"), strict=False):
            must = MUST.get(metric, MUST["one_shot_release"])
            rows.append(row(metric, "carillon", CHIP, "cycles", [h.length for h in found][1 : rounds + 1], must))
            if metric in EPOS_HANDLERS_US:
                epos = round(EPOS_HANDLERS_US[metric] * EPOS_HZ / 1_000_000)
                rows.append(row(metric, "EPOS", CHIP, "cycles", [epos]))
    return Result(rows)


def dispatch(applications: Applications, rounds: int, progress: Progress) -> Result:
    """What starts a time-triggered task on a compare channel, over the hardware's entry."""
    progress(f"time-triggered tasks: {rounds} rounds")
    planned, firmware = applications.made(SOURCES / "dispatch" / "schedule.toml", CHIP)
    metrics = {"bench_bare": ("avr_tt_dispatch", 10), "bench_usual": ("avr_tt_dispatch_saving", None)}
    records, marks = applications.records(planned, firmware, 2_000 * (rounds + 1), list(metrics))
    samples: dict[str, list[int]] = {mark: [] for mark in metrics}
    began = 0
    for time, code, value in records:
        if code == Code.ENTER:
            began = time
        elif code == Code.MARK:
            samples[marks[value]].append(time - began)
    return Result([row(metric, "carillon", CHIP, "cycles", samples[m][:rounds], must) for m, (metric, must) in metrics.items()])


WAKING = 11
"""Threads that wait for longer while one is woken."""


def wakes(applications: Applications, rounds: int, progress: Progress) -> Result:
    """Instructions from the clock's handler to a thread that waits until the next period, on a Cortex-M4."""
    rows: list[Row] = []
    for kind, suffix, must in ((PERIODIC, "", 60), (ONE_SHOT, "_one_shot", None)):
        for waiting in (0, WAKING):
            progress(f"waking a thread, {kind} clock, {waiting} others wait")
            code = "\n".join(f"WAITS({k})" for k in range(waiting))
            tables = [thread("Main", 99), *(thread(f"Waits{k}", k) for k in range(waiting))]
            timer = Timer(kind, 125_000_000, 12_500 if kind == PERIODIC else None, ('longest = "1s"',), BOARD)
            planned, firmware = applications.built("wake", timer, tables, code, period_us=400)
            run = applications.run(planned, firmware, (rounds + 3) * 50_000, ["bench_woken"])
            samples = _first_after([h.begin for h in run.handlers], run.marks["bench_woken"])[1 : rounds + 1]
            name = f"wake_from_delay{suffix}" + (f"_of_{waiting + 1}" if waiting else "")
            rows.append(row(name, "carillon", BOARD, "instructions", samples, must))
    return Result(rows)


def _first_after(begins: Sequence[int], ends: Sequence[int]) -> list[int]:
    """From the last of ``begins`` to each of ``ends``."""
    return [end - begins[k - 1] for end in ends if (k := bisect_right(begins, end)) > 0]


RELEASED_MS = (10, 30, 60, 90, 120, 150)
"""Periods of the threads of table IV."""


def threads(applications: Applications, rounds: int, progress: Progress) -> Result:
    """What the periodic clock's handler takes that releases two to six threads (table IV), in microseconds."""
    rows: list[Row] = []
    for count, epos in EPOS_THREADS_US.items():
        progress(f"{count} threads")
        code = "\n".join(f"RELEASED_EVERY({ms})" for ms in RELEASED_MS[:count])
        tables = [thread(f"Every{ms}", 1) for ms in RELEASED_MS[:count]]
        planned, firmware = applications.built(
            "threads", Timer(PERIODIC, 28_800, 288, ("bits = 16", 'longest = "1s"')), tables, code
        )
        run = applications.run(planned, firmware, (rounds + 20) * 288, [])
        samples = [h.length / run.hertz * 1e6 for h in run.handlers][5 : rounds + 5]
        ours = (statistics.fmean(samples), max(samples), min(samples), statistics.pstdev(samples))
        for what, our, their in zip(("mean", "maximum", "minimum", "deviation"), ours, epos, strict=True):
            rows.append(row(f"threads_{count}_{what}", "carillon", CHIP, "us", [round(our, 1)]))
            rows.append(row(f"threads_{count}_{what}", "EPOS", CHIP, "us", [their]))
    return Result(rows)


# Interference: figures 9 to 11.


def interference(applications: Applications, rounds: int, progress: Progress) -> Result:
    """How the clock disturbs a thread that switches lamps: the mean and the standard deviation of its turns."""
    rows: list[Row] = []
    curves: list[Curve] = []
    for name, kind, tick in (
        ("1000Hz", PERIODIC, 125),
        ("500Hz", PERIODIC, 250),
        ("50Hz", PERIODIC, 2_500),
        ("one_shot", ONE_SHOT, None),
    ):
        progress(f"software PWM, {name}")
        planned, firmware = applications.built("pwm", Timer(kind, 125_000, tick), [thread("Main", 1)])
        run = applications.run(planned, firmware, max(50_000, rounds * 60), ["bench_turn"])
        turns = run.marks["bench_turn"]
        samples = [(b - a) / run.hertz * 1e6 for a, b in pairwise(turns)]
        for what, our, their in zip(
            ("mean", "deviation"), (statistics.fmean(samples), statistics.pstdev(samples)), EPOS_PWM_US[name], strict=True
        ):
            rows.append(row(f"pwm_{what}_{name}", "carillon", CHIP, "us", [round(our, 3)]))
            rows.append(row(f"pwm_{what}_{name}", "EPOS", CHIP, "us", [their]))
        shown = [(t / run.hertz * 1e3, s) for t, s in zip(turns, samples, strict=False) if t < run.hertz // 20]
        curves.append(Curve(name.replace("_", "-"), tuple(t for t, _ in shown), tuple(s for _, s in shown)))
    title = "Turns of a thread that switches lamps (figure 10 of the paper)"
    return Result(rows, (Plot("interference", title, "time in ms", "turn in µs", tuple(curves)),))


# Dining philosophers: tables 1 to 3, figures 3 and 4.

PHILOSOPHERS = ("Plato", "Socrates", "Kant", "Hume", "Arendt")
TURNS = 10


def philosophers(applications: Applications, _rounds: int, progress: Progress) -> Result:
    """Interrupts, switches and time of five threads that mostly wait, with a tick of 1.39 ms and with one-shot."""
    rows: list[Row] = []
    times: dict[str, list[tuple[float, float]]] = {PERIODIC: [], ONE_SHOT: []}
    tables = [thread(name, 1) for name in PHILOSOPHERS]
    for scenario, (think, eat) in SCENARIOS.items():
        for k, kind in enumerate((PERIODIC, ONE_SHOT)):
            progress(f"philosophers, scenario {scenario}, {kind} clock")
            timer = Timer(kind, 7_200, 10 if kind == PERIODIC else None, ("bits = 16", 'slice = "10ms"'))
            planned, firmware = applications.built("philosophers", timer, tables, think_ms=think, eat_ms=eat, turns=TURNS)
            wait = Fraction(5 * TURNS * (think + eat) * 7_200, 1_000)
            run = applications.run(planned, firmware, int(wait), ["bench_begin", "bench_end"])
            begin, end = min(run.marks["bench_begin"]), max(run.marks["bench_end"])
            served = sum(begin <= h.begin <= end for h in run.handlers)
            took = (end - begin) / run.hertz * 1e3
            column = kind
            if scenario == 1:
                rows.append(row("philosophers_flash", column, CHIP, "bytes", [firmware.flash]))
                rows.append(row("philosophers_flash", f"EPOS {kind}", CHIP, "bytes", [EPOS_FOOTPRINT[k]]))
            for metric, our, unit in (("interrupts", served, ""), ("switches", run.switches, ""), ("time", round(took, 3), "ms")):
                rows.append(row(f"philosophers_{metric}_{scenario}", column, CHIP, unit, [our]))
                paper = EPOS_PHILOSOPHERS[scenario].get(metric)
                if paper is not None:
                    rows.append(row(f"philosophers_{metric}_{scenario}", f"EPOS {kind}", CHIP, unit, [paper[k]]))
            busy = sum(h.length for h in run.handlers if begin <= h.begin <= end) / run.hertz * 1e3
            rows.append(row(f"philosophers_handlers_{scenario}", column, CHIP, "ms", [round(busy, 3)]))
            times[kind].append((think + eat, busy))
    curves = [Curve(kind, tuple(w for w, _ in found), tuple(b for _, b in found)) for kind, found in times.items()]
    title = "Time in the clock's handlers while the philosophers dine"
    return Result(rows, (Plot("philosophers", title, "thinking and eating, ms", "ms", tuple(curves), log_x=True, log_y=True),))


# Many delays: RELTEQ's experiment.

LOW_STACK, DELAY_STACK = 256, 192
TICK_HZ = 1_000
WINDOW_TICKS = 250_000 // 5


def delays(applications: Applications, _rounds: int, progress: Progress) -> Result:
    """The response time of a task below 1 to 100 that delay, and what the ticks take meanwhile, with each kernel."""
    rows: list[Row] = []
    responses: list[Curve] = []
    ticks: list[Curve] = []
    last = EVENTS[-1]
    tables = [thread("Compute", 1, LOW_STACK), *(thread(f"Delay{k}", last + 2 - k, DELAY_STACK) for k in range(1, last + 1))]
    code = "\n".join(f"DELAYS({k})" for k in range(1, last + 1))
    for kernel in KERNELS:
        progress(f"1 to {last} tasks that delay, {kernel}")
        timer = Timer(PERIODIC, 250_000, 250_000 // TICK_HZ, board=ROOMY)
        planned, firmware = applications.built("delays", timer, tables, code, kernel, window=WINDOW_TICKS, last=last)
        run = applications.run(planned, firmware, (last + 1) * WINDOW_TICKS * 4, ["bench_begin", "bench_end"])
        windows = list(zip(run.marks["bench_begin"], run.marks["bench_end"], strict=True))
        took = [(end - begin) / run.hertz * 1e3 for begin, end in windows]
        costs = [[h.length for h in run.handlers if begin <= h.begin < end] for begin, end in windows]
        for events in EVENTS:
            rows.append(row(f"response_low_task_{events}", kernel, ROOMY, "ms", [round(took[events], 3)]))
            rows.append(row(f"tick_at_{events}_events", kernel, ROOMY, "cycles", costs[events]))
            total = round(sum(costs[events]) / len(costs[events]), 1)
            rows.append(row(f"tick_mean_at_{events}_events", kernel, ROOMY, "cycles", [total]))
        numbers = tuple(range(len(windows)))
        responses.append(Curve(kernel, numbers, tuple(took)))
        ticks.append(Curve(kernel, numbers, tuple(statistics.fmean(c) for c in costs)))
    return Result(
        rows,
        (
            Plot("response", "Response time of the lowest task", "tasks that delay", "ms", tuple(responses)),
            Plot("ticks", "What a tick takes", "tasks that delay", "cycles", tuple(ticks)),
        ),
    )


MANY = (10, 100, 1_000, 10_000)
VIRTUAL = "virtual-ast1030-evb"


def many(applications: Applications, rounds: int, progress: Progress) -> Result:
    """Up to ten thousand alarms: what a tick and one more of them cost on a Cortex-M4, and that a virtual board serves them."""
    rows: list[Row] = []
    plots = []
    cost: dict[str, list[float]] = {"list": [], "tree": []}
    for count in MANY:
        for kernel, queue in (("carillon", "list"), ("carillon", "tree"), ("counter-per-task", "list")):
            progress(f"{count} alarms, {kernel}, {queue}")
            timer = Timer(PERIODIC, 125_000_000, 1_250_000, (f'queue = "{queue}"', 'longest = "3000s"'), BOARD)
            parameters: dict[str, int | str] = {"count": count, "shortest": 100_000, "step": 7, "insertions": rounds}
            planned, firmware = applications.built("many", timer, [thread("Main", 1)], "", kernel, **parameters)
            run = applications.run(planned, firmware, 1_250_000 * 250, ["bench_begin", "bench_end"])
            done = run.marks["bench_end"][-1]
            ticks = [h.length for h in run.handlers if h.begin > done]
            inserted = [b - a for a, b in zip(run.marks["bench_begin"], run.marks["bench_end"], strict=True)]
            if queue == "list":
                rows.append(row(f"tick_at_{count}_alarms", kernel, BOARD, "instructions", ticks))
            if kernel == "carillon":
                rows.append(row(f"start_at_{count}_alarms", queue, BOARD, "instructions", inserted))
                cost[queue].append(statistics.fmean(inserted))
    curves = [Curve(queue, MANY, tuple(found)) for queue, found in cost.items()]
    plots.append(Plot("many", "Starting one more alarm", "alarms", "instructions", tuple(curves), log_x=True, log_y=True))
    progress(f"{MANY[-1]} alarms on the virtual board")
    count, shortest, step, end = MANY[-1], 5_000, 3, 50_000
    timer = Timer(ONE_SHOT, 15_625_000, None, (), VIRTUAL)
    parameters = {"count": count, "shortest": shortest, "step": step, "insertions": 0}
    planned, firmware = applications.built("many", timer, [thread("Main", 1)], "", "carillon", **parameters)
    run = applications.run(planned, firmware, end, [])
    begin = run.handlers[0].begin - shortest
    due = {t for k in range(count) for t in range(shortest + step * k, end - begin, shortest + step * k)}
    metric = f"interrupts_at_{count}_alarms"
    rows.append(row(metric, "carillon", VIRTUAL, "", [len(run.handlers)]))
    rows.append(row(metric, "due times", VIRTUAL, "", [len(due)]))
    return Result(rows, tuple(plots))


PARTS: dict[str, Callable[[Applications, int, Progress], Result]] = {
    "handlers": handlers,
    "dispatch": dispatch,
    "wakes": wakes,
    "threads": threads,
    "periods": periods,
    "interference": interference,
    "philosophers": philosophers,
    "delays": delays,
    "many": many,
}


def timers(rounds: int, diagnostics: Diagnostics, progress: Progress, parts: Sequence[str] = ()) -> Result:
    """The experiments, or some of ``PARTS``.

    ``rounds`` is the number of samples (at least 1000 for published ones) where the experiment does not say how long it is.
    """
    rows: list[Row] = []
    plots: list[Plot] = []
    with tempfile.TemporaryDirectory(prefix="carillon-bench-") as scratch:
        applications = Applications(Path(scratch), diagnostics)
        for part in parts or PARTS:
            result = PARTS[part](applications, rounds, progress)
            rows += result.rows
            plots += result.plots
    return Result(rows, tuple(plots))
