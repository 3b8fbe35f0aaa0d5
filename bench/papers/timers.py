# SPDX-License-Identifier: Apache-2.0
"""The experiments of the papers on timers, on their chip: the applications of ``bench/timers`` on an ATmega128.

- A. A. Froehlich, G. Gracioli, J. F. Santos, *Periodic timers revisited* (2011): tables I to IV, figures 8 to 11.
- G. Gracioli et al., *One-shot time management analysis in EPOS* (2008): tables 1 to 3, figures 3 and 4.
- M. Holenderski et al., *Multiplexing real-time timed events* (2009), section VI.

Figures are cycles of simavr, or times made of them.  simavr does not charge the cycles that the processor takes to
enter an interrupt: they are added to what handlers take (:mod:`bench.papers.handlers`).  The papers' figures stand beside ours.
"""

from __future__ import annotations

import math
import statistics
from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

from bench.papers.applications import CHIP, ROOMY, SOURCES, Applications, Run, Timer, thread
from bench.papers.epos import (
    COMPARE,
    EPOS_FOOTPRINT,
    EPOS_HANDLERS_US,
    EPOS_PHILOSOPHERS,
    EPOS_PWM_US,
    EPOS_THREADS_US,
    HANDLERS_CRYSTAL_HZ,
    MUST,
    ONE_SHOT,
    PERIODIC,
    SCENARIOS,
)
from bench.papers.made import scratch
from bench.papers.marks import HANDLER
from bench.papers.periods import periods
from bench.papers.rows import BOARD, Curve, Plot, Progress, Result, Row, beside, row
from carillon.diagnostics import Diagnostics
from carillon.run.entries import Code

EVENTS = (1, 2, 5, 10, 20, 40, 59, 80, 100)
"""Numbers of waiting events whose figures are rows; the plot has all up to the last."""


KERNELS = ("carillon", "conventional", "counter-per-task")
BOTH = ("carillon", "EPOS")


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
        built = applications.built("release", timer, [thread("Main", 1)])
        run = Run.of(built, (rounds + 3) * 625, ["bench_beat"])
        for metric, found in zip(metrics, run.with_mark("bench_beat"), strict=False):
            must = MUST.get(metric, MUST["one_shot_release"])
            rows.append(row(metric, "carillon", CHIP, "cycles", [h.length for h in found][1 : rounds + 1], must))
            if metric in EPOS_HANDLERS_US:
                epos = EPOS_HANDLERS_US[metric] * HANDLERS_CRYSTAL_HZ // 1_000_000
                rows.append(row(metric, "EPOS", CHIP, "cycles", [epos]))
    return Result(rows)


def dispatch(applications: Applications, rounds: int, progress: Progress) -> Result:
    """What starts a time-triggered task on a compare channel, over the hardware's entry."""
    progress(f"time-triggered tasks: {rounds} rounds")
    built = applications.made(SOURCES / "dispatch" / "schedule.toml", CHIP)
    metrics = {"bench_bare": ("avr_tt_dispatch", 10), "bench_usual": ("avr_tt_dispatch_saving", None)}
    recording = built.recorded(2_000 * (rounds + 1), list(metrics))
    entered = [r.time for r in recording.records if r.code == Code.ENTER]
    passed = built.marks(recording, list(metrics))
    rows = []
    for mark, (metric, must) in metrics.items():
        samples = [time - entered[bisect_right(entered, time) - 1] for time in passed.times(mark)[:rounds]]
        rows.append(row(metric, "carillon", CHIP, "cycles", samples, must))
    return Result(rows)


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
            built = applications.built("wake", timer, tables, code, period_us=400)
            run = Run.of(built, (rounds + 3) * 50_000, ["bench_woken"])
            samples = run.marks.since([HANDLER], "bench_woken")[1 : rounds + 1]
            name = f"wake_from_delay{suffix}" + (f"_of_{waiting + 1}" if waiting else "")
            rows.append(row(name, "carillon", BOARD, "instructions", samples, must))
    return Result(rows)


RELEASED_MS = (10, 30, 60, 90, 120, 150)
"""Periods of the threads of table IV."""

HYPERPERIOD = math.lcm(*RELEASED_MS) // 10
"""Ticks of 10 ms after which the six threads are released together again."""


def threads(applications: Applications, rounds: int, progress: Progress) -> Result:
    """What the periodic clock's handler takes that releases two to six threads (table IV), in microseconds.

    Samples are whole hyperperiods, at least ``rounds`` ticks, so that all threads are released together in each.
    """
    rows: list[Row] = []
    ticks = -(-rounds // HYPERPERIOD) * HYPERPERIOD
    for count, epos in EPOS_THREADS_US.items():
        progress(f"{count} threads")
        code = "\n".join(f"RELEASED_EVERY({ms})" for ms in RELEASED_MS[:count])
        tables = [thread(f"Every{ms}", 1) for ms in RELEASED_MS[:count]]
        built = applications.built("threads", Timer(PERIODIC, 28_800, 288, ("bits = 16", 'longest = "1s"')), tables, code)
        run = Run.of(built, (ticks + 20) * 288, [])
        samples = [h.length / run.hertz * 1e6 for h in run.handlers][5 : ticks + 5]
        ours = (statistics.fmean(samples), max(samples), min(samples), statistics.pstdev(samples))
        for what, our, their in zip(("mean", "maximum", "minimum", "deviation"), ours, epos, strict=True):
            rows += beside(f"threads_{count}_{what}", CHIP, "us", round(our, 1), their, BOTH)
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
        built = applications.built("pwm", Timer(kind, 125_000, tick), [thread("Main", 1)])
        run = Run.of(built, max(50_000, rounds * 60), ["bench_turn"])
        turns = run.marks.times("bench_turn")
        samples = [(b - a) / run.hertz * 1e6 for a, b in pairwise(turns)]
        ours = {"mean": statistics.fmean(samples), "deviation": statistics.pstdev(samples)}
        for (what, our), their in zip(ours.items(), EPOS_PWM_US[name], strict=True):
            rows += beside(f"pwm_{what}_{name}", CHIP, "us", round(our, 3), their, BOTH)
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
    times: dict[str, list[tuple[float, float, float]]] = {PERIODIC: [], ONE_SHOT: []}
    tables = [thread(name, 1) for name in PHILOSOPHERS]
    for scenario, (think, eat) in SCENARIOS.items():
        for k, kind in enumerate((PERIODIC, ONE_SHOT)):
            progress(f"philosophers, scenario {scenario}, {kind} clock")
            timer = Timer(kind, 7_200, 10 if kind == PERIODIC else None, ("bits = 16", 'slice = "10ms"'))
            built = applications.built("philosophers", timer, tables, think_ms=think, eat_ms=eat, turns=TURNS)
            wait = Fraction(5 * TURNS * (think + eat) * 7_200, 1_000)
            run = Run.of(built, int(wait), ["bench_begin", "bench_end"])
            begin, end = min(run.marks.times("bench_begin")), max(run.marks.times("bench_end"))
            served = sum(begin <= h.begin <= end for h in run.handlers)
            sliced = sum(begin <= h.begin <= end for h in run.slices)
            took = (end - begin) / run.hertz * 1e3
            columns = (kind, f"EPOS {kind}")
            if scenario == 1:
                rows += beside("philosophers_flash", CHIP, "bytes", built.firmware.flash, EPOS_FOOTPRINT[k], columns)
            for metric, our in (("interrupts", served), ("slices", sliced), ("switches", run.switches)):
                theirs = EPOS_PHILOSOPHERS[scenario][metric][k]
                rows += beside(f"philosophers_{metric}_{scenario}", CHIP, "", our, theirs, columns)
            rows.append(row(f"philosophers_time_{scenario}", kind, CHIP, "ms", [round(took, 3)]))
            busy = sum(h.length for h in run.handlers if begin <= h.begin <= end) / run.hertz * 1e3
            rows.append(row(f"philosophers_handlers_{scenario}", kind, CHIP, "ms", [round(busy, 3)]))
            rows.append(row(f"philosophers_wakeups_{scenario}", kind, CHIP, "1/s", [round((served + sliced) * 1e3 / took, 2)]))
            joules = run.energy(begin, end)
            rows.append(row(f"philosophers_power_{scenario}", kind, CHIP, "mW", [round(float(joules * 1_000_000) / took, 3)]))
            rows.append(row(f"philosophers_energy_{scenario}", kind, CHIP, "mJ", [round(float(joules * 1000), 2)]))
            ends = [round((at - begin) / run.hertz, 2) for at in run.marks.times("bench_end")]
            rows.append(row(f"philosophers_thread_{scenario}", kind, CHIP, "s", ends))
            times[kind].append((think + eat, busy, took))
    plots = []
    for k, name, title in (
        (1, "philosophers", "Time in the clock's handlers while the philosophers dine"),
        (2, "dinner", "Total time of the dinner (figure 4 of the paper)"),
    ):
        curves = tuple(Curve(kind, tuple(f[0] for f in found), tuple(f[k] for f in found)) for kind, found in times.items())
        plots.append(Plot(name, title, "thinking and eating, ms", "ms", curves, log_x=True, log_y=True))
    return Result(rows, tuple(plots))


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
        built = applications.built("delays", timer, tables, code, kernel, window=WINDOW_TICKS, last=last)
        run = Run.of(built, (last + 1) * WINDOW_TICKS * 4, ["bench_begin", "bench_end"])
        windows = list(zip(run.marks.times("bench_begin"), run.marks.times("bench_end"), strict=True))
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
    axis = "tasks that delay"
    response = Plot("response", "Response time of the lowest task", axis, "ms", tuple(responses))
    return Result(rows, (response, Plot("ticks", "What a tick takes", axis, "cycles", tuple(ticks))))


MANY = (10, 100, 1_000, 10_000)
VIRTUAL = "virtual-ast1030-evb"


def many(applications: Applications, rounds: int, progress: Progress) -> Result:
    """Up to ten thousand alarms: what a tick and one more of them cost on a Cortex-M4, and that a virtual board serves them."""
    rows: list[Row] = []
    cost: dict[str, list[float]] = {"list": [], "tree": []}
    for count in MANY:
        for kernel, queue in (("carillon", "list"), ("carillon", "tree"), ("counter-per-task", "list")):
            progress(f"{count} alarms, {kernel}, {queue}")
            timer = Timer(PERIODIC, 125_000_000, 1_250_000, (f'queue = "{queue}"', 'longest = "3000s"'), BOARD)
            parameters: dict[str, int | str] = {"count": count, "shortest": 100_000, "step": 7, "insertions": rounds}
            built = applications.built("many", timer, [thread("Main", 1)], "", kernel, **parameters)
            run = Run.of(built, 1_250_000 * 250, ["bench_begin", "bench_end"])
            done = run.marks.times("bench_end")[-1]
            ticks = [h.length for h in run.handlers if h.begin > done]
            inserted = [b - a for a, b in zip(run.marks.times("bench_begin"), run.marks.times("bench_end"), strict=True)]
            if queue == "list":
                rows.append(row(f"tick_at_{count}_alarms", kernel, BOARD, "instructions", ticks))
            if kernel == "carillon":
                rows.append(row(f"start_at_{count}_alarms", queue, BOARD, "instructions", inserted))
                cost[queue].append(statistics.fmean(inserted))
    curves = [Curve(queue, MANY, tuple(found)) for queue, found in cost.items()]
    plot = Plot("many", "Starting one more alarm", "alarms", "instructions", tuple(curves), log_x=True, log_y=True)
    progress(f"{MANY[-1]} alarms on the virtual board")
    count, shortest, step, end = MANY[-1], 5_000, 3, 50_000
    timer = Timer(ONE_SHOT, 15_625_000, None, (), VIRTUAL)
    parameters = {"count": count, "shortest": shortest, "step": step, "insertions": 0}
    built = applications.built("many", timer, [thread("Main", 1)], "", "carillon", **parameters)
    run = Run.of(built, end, [])
    begin = run.handlers[0].begin - shortest
    due = {t for k in range(count) for t in range(shortest + step * k, end - begin, shortest + step * k)}
    rows += beside(f"interrupts_at_{count}_alarms", VIRTUAL, "", len(run.handlers), len(due), ("carillon", "due times"))
    return Result(rows, (plot,))


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
    with scratch() as folder:
        applications = Applications(folder, diagnostics)
        for part in parts or PARTS:
            result = PARTS[part](applications, rounds, progress)
            rows += result.rows
            plots += result.plots
    return Result(rows, tuple(plots))
