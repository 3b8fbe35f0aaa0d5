# SPDX-License-Identifier: Apache-2.0
"""Drawn schedules are planned, built and run, and what happened is compared with what the model expects."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import inf
from pathlib import Path

import pytest
from drawing import Case, Draw, Profile, code, letters, toml
from elftools.elf.elffile import ELFFile
from model import Carrier, Costs, Expected, Happening, Mode, Plan, Schedule, Script, Work, expected, windows

from building import build
from carillon.actions.dispatch import Dispatch
from carillon.allocate.result import Carrier as Allocated
from carillon.allocate.result import Style
from carillon.build import Firmware
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.image import ModeImage
from carillon.model.board import Role
from carillon.pipeline import Planned, plan, releases
from carillon.run import run
from carillon.trace import Event, Kind, Trace
from carillon.trace.analyse import analyse
from printed import held

VIRTUAL_TIME = Costs()
KINDS = {Kind.START: "start", Kind.END: "end", Kind.PREEMPT: "preempt", Kind.RESUME: "resume"}


@dataclass
class Tally:
    """What has been tried."""

    images: int = 0
    schedules: Counter[str] = field(default_factory=Counter)  # run, of each board
    conventional: int = 0
    vouched: int = 0
    refused: Counter[str] = field(default_factory=Counter)  # by code
    starts: int = 0
    exact: int = 0
    verdicts: int = 0
    missed: int = 0
    hooks: int = 0
    switches: int = 0
    absorbed: int = 0
    waited: int = 0
    crossed: int = 0
    lowered: int = 0
    shared: int = 0
    gathered: int = 0
    loose: int = 0
    by_levels: int = 0  # schedules in which a window was broken, so that levels of the plan decided
    judged: int = 0  # runs that were held against all that is printed of starts and rounds

    def __str__(self) -> str:
        runs = ", ".join(f"{board} {n}" for board, n in self.schedules.items())
        return (
            f"{self.images} images, {sum(self.schedules.values())} runs ({runs}; {self.loose} loosely), "
            f"{self.starts} starts ({self.exact} exact), {self.verdicts} verdicts ({self.missed} missed), {self.hooks} hooks, "
            f"{self.switches} switches, {self.absorbed} absorbed, {self.waited} waited ({self.crossed} at another source); "
            f"of the runs {self.conventional} with the conventional kernel, {self.vouched} with tasks that never overrun, "
            f"{self.lowered} with lowered tasks, {self.shared} with shared cells, {self.gathered} with tasks on one source, "
            f"{self.by_levels} with broken windows, {self.judged} held against all bounds; refused {dict(self.refused)}"
        )


@dataclass(frozen=True)
class Target:
    """How a board is compared: ``exact`` where code takes no time."""

    profile: Profile
    costs: Costs = VIRTUAL_TIME
    by_time: bool = False
    apart: bool = False  # interrupts of one tick do not come at one instruction
    edge: int = 1  # how far from a tick on which something is due jobs are made to end
    slack: int = 0  # ticks by which a start may be late where nothing delays it
    tabled: Costs | None = None  # with a table, whose handler may look at several entries first

    @property
    def exact(self) -> bool:
        return self.costs == VIRTUAL_TIME


def table(mode: Mode, schedule: Schedule) -> tuple[Carrier, ...]:
    """A mode's points as the conventional kernel's table has them: each is carried out whatever happens."""
    found = [Carrier(False, a.task, frozenset((a.at,)), n, 1) for n, a in enumerate(mode.activations)]
    watched = [(a, d) for a in mode.activations for d in a.deadlines if schedule.task(a.task).monitor != "never"]
    watched.sort(key=lambda w: w[0].task)  # of two in one tick, the table has the first name first
    return (
        *found,
        *(Carrier(True, a.task, frozenset((d % mode.length,)), 1000 + n, inf, shared=True) for n, (a, d) in enumerate(watched)),
    )


def tabled(mode: Mode, image: ModeImage, level: float) -> list[Carrier]:
    """What is in a mode's table: each point by itself, and its task gives way to whatever comes later."""
    length = mode.length
    own = {(e.point.action.role, e.point.object, e.point.at % length) for e in image.table}
    activations = [a for a in mode.activations if (Role.ACTIVATION, a.task, a.at) in own]
    deadlines = [(a, d) for a in mode.activations for d in a.deadlines if (Role.DEADLINE, a.task, d % length) in own]
    return [
        *(Carrier(False, a.task, frozenset((a.at,)), 10_000 + n, level, True, False, True) for n, a in enumerate(activations)),
        *(
            Carrier(True, a.task, frozenset((d % length,)), 11_000 + n, inf, True, True, True)
            for n, (a, d) in enumerate(deadlines)
        ),
    ]


def gate(carrier: Allocated) -> int:
    """What opens a cell that has an enable bit of its own, beside those of other cells of its source; -1: its source."""
    place = carrier.cells[0].cell
    return 100_000 + place.source * 100 + place.index if place.array.request_enable == "cell" else -1


def data(planned: Planned, case: Case) -> dict[str, Plan]:
    """The plan's levels, sources and control points."""
    sources = {i.name: i.source for i in planned.system.interrupts}
    found = {}
    for image in planned.image.modes:
        mode, control = image.allocation, image.control
        carriers = []
        for c in mode.carriers:
            if isinstance(c.action, Dispatch) and case.kernel == "carillon":
                carriers += tabled(case.schedule.mode(mode.mode.name), image, c.level)
                continue
            if c.role not in (Role.ACTIVATION, Role.DEADLINE):
                continue
            length = mode.mode.round_length
            shared = c.style is Style.MULTIPLEXED
            points = c.demand.times if shared else tuple(t for use in c.cells for t in use.progression.times(length))
            carriers.append(
                Carrier(
                    c.role is Role.DEADLINE,
                    c.demand.object,
                    frozenset(t % length for t in points),
                    c.source,
                    inf if c.role is Role.DEADLINE else c.level,
                    c.lowered,
                    shared,
                    turn=c.turn,
                    cells=() if shared else tuple(frozenset(use.progression.times(length)) for use in c.cells),
                    gate=gate(c),
                )
            )
        if case.kernel != "carillon":
            carriers = list(table(case.schedule.mode(mode.mode.name), case.schedule))
        found[mode.mode.name] = Plan(
            tuple(carriers),
            control.at if control else None,
            control.gap if control else 0,
            sources,
            case.kernel != "carillon",
            case.kernel != "carillon" or bool(image.table),
        )
    return found


def simple(happenings: list[Happening]) -> list[Happening]:
    """Without interruptions that took no time: handlers of the kernel, and one handler right after another."""
    found: list[Happening] = []
    for h in happenings:
        last = found[-1] if found else None
        if last and {last.what, h.what} == {"preempt", "resume"} and (last.t, last.who) == (h.t, h.who):
            found.pop()
        else:
            found.append(h)
    return begun(found)


def begun(happenings: list[Happening]) -> list[Happening]:
    """With each start where the job begins: one that is preempted on the tick of its start has done nothing before it goes on.

    A table's handler that finds two points due runs the later task first, and does not enter the earlier one before.
    """
    found: list[Happening] = []
    waits: set[str] = set()
    k = 0
    while k < len(happenings):
        h = happenings[k]
        at_once = k + 1 < len(happenings) and happenings[k + 1] == Happening(h.t, "preempt", h.who)
        if h.what == "start" or (h.what == "resume" and h.who in waits):
            if at_once:
                waits.add(h.who)
                k += 2
                continue
            waits.discard(h.who)
            found.append(Happening(h.t, "start", h.who))
        else:
            found.append(h)
        k += 1
    return found


def inconsistent(trace: Trace) -> str:
    """Where an event does not follow from those before it; empty if none."""
    stack: list[tuple[str, str]] = []
    waits: set[str] = set()
    begun: set[str] = set()
    last = -1
    for e in trace.events:
        if e.n < last:
            return f"{e} is earlier than what stands before it"
        last = e.n
        top = stack[-1] if stack else ("", "")
        fits = True
        if e.kind is Kind.ENTER or e.kind is Kind.START or (e.kind is Kind.RESUME and e.object in waits):
            fits = top[0] != "runs"
            stack.append(("handler" if e.kind is Kind.ENTER else "runs", e.object))
            waits.discard(e.object)
            begun.add(e.object)
            if e.kind is Kind.START and e.object not in trace.event_triggered:
                fits = fits and top in (("handler", e.object), ("handler", "system timer"), ("handler", "table"))
        elif e.kind in (Kind.PREEMPT, Kind.RESUME):
            fits = top == ("runs" if e.kind is Kind.PREEMPT else "preempted", e.object)
            # The event-triggered system starts a little before tick 0, where the events begin.
            fits |= e.kind is Kind.PREEMPT and not stack and e.object in trace.event_triggered and e.object not in begun
            begun.add(e.object)
            stack[-1:] = [("preempted" if e.kind is Kind.PREEMPT else "runs", e.object)]
        elif e.kind is Kind.IDLE:
            fits = not stack
        elif e.kind in (Kind.END, Kind.EXIT, Kind.WAIT):
            fits = top == ("handler" if e.kind is Kind.EXIT else "runs", e.object)
            stack = stack[:-1]
            if e.kind is Kind.WAIT:
                waits.add(e.object)
        if not fits:
            return f"{e.kind.value} {e.object} in {e.n} does not follow: {stack}"
    return ""


def untrue(trace: Trace) -> str:
    """A verdict that does not follow from the events: met if the task has ended before the deadline's tick."""
    per_tick = max(1, trace.instructions_per_tick)
    jobs: dict[str, list[list[int]]] = {}  # of each task, when it was released and ended
    events = sorted(trace.events, key=lambda e: e.n)
    for e in events:
        if e.kind is Kind.START:
            jobs.setdefault(e.object, []).append([e.n, 10**18])
        elif e.kind is Kind.END and jobs.get(e.object):
            next(j for j in reversed(jobs[e.object]) if j[1] == 10**18)[1] = e.n
    for e in trace.events:
        if e.kind in DEADLINES:
            runs = any(start < e.t * per_tick <= end for start, end in jobs.get(e.object, ()))
            if runs and e.kind is Kind.DEADLINE_MET:
                return f"{e.object} is said to have met its deadline {e.t}, and runs then"
    return ""


@dataclass
class Variant:
    """A schedule with jobs for its tasks, and what is expected of it."""

    schedule: Schedule
    expected: Expected
    latest: Expected  # where code takes time
    loose: bool = False  # then it matters how much, so that order and times cannot be told beforehand


@dataclass
class Trial:
    """A case with its plan and variants, which share an image."""

    case: Case
    target: Target
    planned: Planned
    plans: dict[str, Plan]
    folder: Path
    variants: list[Variant]

    @property
    def by_time(self) -> bool:
        """Whether whatever comes later preempts: there are no levels."""
        return self.target.by_time or self.case.kernel != "carillon"


def prepare(
    rng: random.Random, target: Target, folder: Path, tally: Tally, variants: int = 5, draw: type[Draw] = Draw
) -> Trial | None:
    """Draw a schedule and jobs for it; None if the tool refuses it, or no jobs make it comparable."""
    drawn = draw(rng, target.profile)
    case = drawn.case()
    planned = None
    for shorter in (1, 4, 16):  # WCETs that are too long are what most are refused for
        tasks = tuple(replace(t, wcet=-(-t.wcet // shorter)) for t in case.schedule.tasks)
        case = replace(case, schedule=replace(case.schedule, tasks=tasks))
        planned = planned or planning(case, folder, tally)
        if planned is not None:
            break
    if planned is None:
        return None
    plans = data(planned, case)
    trial = Trial(case, target, planned, plans, folder, [])
    for _ in range(3 * variants):
        schedule = drawn.scripts(case.schedule)
        first = expected(schedule, plans, by_time=trial.by_time)
        if drawn.chance(drawn.edges):
            schedule = on_edge(rng, schedule, first, target.edge)
            first = expected(schedule, plans, by_time=trial.by_time)
        latest, loose = first, False
        if not target.exact:
            table = trial.case.within or trial.case.kernel != "carillon"
            costs = target.tabled if table and target.tabled is not None else target.costs
            latest = expected(schedule, plans, by_time=trial.by_time, costs=costs)
            loose = not same_story(first, latest, schedule.length)
            if loose and (sum(v.loose for v in trial.variants) == variants // 3 or any_end(first, schedule.length)):
                continue
        if first.vain or latest.vain:
            continue
        trial.variants.append(Variant(schedule, first, latest, loose))
        if len(trial.variants) == variants:
            break
    tally.refused["close"] += not trial.variants
    return trial if trial.variants else None


def planning(case: Case, folder: Path, tally: Tally | None = None) -> Planned | None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "schedule.toml").write_text(toml(case), encoding="utf-8")
    (folder / "main.c").write_text("", encoding="utf-8")
    diagnostics = Diagnostics()
    try:
        return plan(folder / "schedule.toml", diagnostics, kernel=case.kernel)
    except CarillonError:
        if tally is not None:
            tally.refused.update({d.code for d in diagnostics.reported if d.severity.value == "error"})
        return None


def on_edge(rng: random.Random, schedule: Schedule, found: Expected, edge: int) -> Schedule:
    """With jobs that end on, or just before or after, the tick of a deadline or, if code takes time, of an activation."""
    scripts = dict(schedule.scripts)
    numbers: Counter[str] = Counter()
    places = []
    for who, released, started, ended in sorted(found.spans, key=lambda s: s[2]):
        number = numbers[who]
        numbers[who] += 1
        if who in {t.name for t in schedule.tasks} and started < ended <= schedule.length:
            due = [d for d, task, _ in found.verdicts if task == who and d > released][:3]
            due += [t for t, task in found.expiries if t > started and (task != who or edge == 1)][: 2 if edge > 1 else 0]
            if due:
                places.append((who, number, ended, rng.choice(due)))
    for who, number, ended, due in rng.sample(places, min(2, len(places))):
        script = scripts[who]
        job = list(script.job(number))
        work = job[-1]
        assert isinstance(work, Work)
        ticks = work.ticks + due - ended + rng.choice((-edge, 0, 0, edge, rng.randint(-edge, edge)))
        if ticks >= 1:
            job[-1] = Work(ticks)
            scripts[who] = Script(script.usual, {**script.others, number: tuple(job)})
    return replace(schedule, scripts=scripts)


def any_end(found: Expected, length: int) -> bool:
    """Whether anything happens so near to the end of the run that it may or may not be seen."""
    return any(h.t > length - 3000 for h in found.happenings)


def same_story(first: Expected, latest: Expected, length: int) -> bool:
    """Whether the kernel's code changes when things happen, but not what."""

    def story(of: Expected) -> list[object]:
        order = [(h.what, h.who) for h in of.happenings if h.what in ("start", "end")]
        verdicts = [(task, met) for _, task, met in of.verdicts]
        return [order, verdicts, of.hooks, of.modes, len(of.undelayed), of.certain == inf, of.lost_deadlines]

    return story(first) == story(latest) and not any_end(first, length)


def firmware(trial: Trial, tally: Tally) -> Firmware | None:
    """The image of all variants; which one runs stands in a byte of it.  None where avr-gcc 5.4 measures a branch wrong."""
    sources = trial.planned.system.board.application_sources
    (trial.folder / "main.c").write_text(code(trial.case, [v.schedule for v in trial.variants], sources), encoding="utf-8")
    diagnostics = Diagnostics()
    found = build(trial.planned.image, trial.folder / "build", diagnostics)
    if found is None and any("R_AVR_7_PCREL" in d.cause for d in diagnostics.reported):
        tally.refused["avr-gcc"] += 1
        return None
    assert found is not None, [str(d) for d in diagnostics.reported]
    tally.images += 1
    return found


def execute(trial: Trial, built: Firmware, number: int, tally: Tally | None = None) -> Trace:
    """Run one variant, and hold the run against what is printed before it."""
    content = bytearray(built.elf.read_bytes())
    with built.elf.open("rb") as stream:
        elf = ELFFile(stream)
        symbol = elf.get_section_by_name(".symtab").get_symbol_by_name("variant")[0]
        section = elf.get_section(symbol["st_shndx"])
        content[section["sh_offset"] + symbol["st_value"] - section["sh_addr"]] = number
    path = built.elf.with_name(f"variant{number}.elf")
    path.write_bytes(content)
    path.chmod(0o755)
    diagnostics = Diagnostics()
    trace = run(trial.planned.image, replace(built, elf=path), trial.variants[number].schedule.length, diagnostics)
    assert trace is not None, [str(d) for d in diagnostics.reported]
    outcome = held(trial.planned, trace)
    if tally is not None:
        tally.judged += outcome.judged
    if outcome.exceeds:
        pytest.fail(story(trial, trial.variants[number], [f"bounds: {one}" for one in outcome.exceeds]), pytrace=False)
    return trace


def divergences(trial: Trial, variant: Variant, trace: Trace, tally: Tally) -> list[str]:
    """What happened otherwise than the specification says: one line each, the first of each kind."""
    found: list[str] = []
    want, target, schedule = variant.expected, trial.target, variant.schedule
    until = min(want.certain, want.end if want.stopped is None else inf)
    tally.schedules[target.profile.board] += 1
    tally.conventional += trial.case.kernel == "conventional"
    tally.vouched += any(t.vouched for t in schedule.tasks)
    tally.absorbed += want.absorbed
    tally.waited += want.waited
    tally.crossed += want.crossed
    tally.switches += want.switches
    tally.lowered += any(c.lowered for p in trial.plans.values() for c in p.carriers)
    tally.shared += any(c.shared for p in trial.plans.values() for c in p.carriers)
    tally.gathered += any(c.turn for p in trial.plans.values() for c in p.carriers)

    wrong = inconsistent(trace)
    if wrong:
        found.append(f"trace: {wrong}")
    wrong = untrue(trace)
    if wrong:
        found.append(f"trace: {wrong}")
    totals = analyse(trace, releases(trial.planned.system, trace)).totals  # what --strict looks at
    counted = Counter(e.kind for e in trace.events if e.kind in DEADLINES)
    if (totals.deadlines_met, totals.deadlines_missed) != (counted[Kind.DEADLINE_MET], counted[Kind.DEADLINE_MISSED]):
        found.append(f"summary: {totals.deadlines_met} met, {totals.deadlines_missed} missed, and events are {dict(counted)}")
    if variant.loose:
        # Without levels a task may be entered before a deadline of the same tick, which shuts down.
        stops = [of.stopped if of.stopped is not None and trial.by_time else inf for of in (want, variant.latest)]
        begun = [
            [h.who for h in of.happenings if h.what == "start" and h.t < stop]
            for of, stop in zip((want, variant.latest), stops, strict=True)
        ]
        starts = [e for e in trace.events if e.kind is Kind.START and e.object not in trace.event_triggered]
        real = Counter(e.object for e in starts if e.t < max(stops))
        tally.loose += 1
        certain = min(want.certain, variant.latest.certain) == inf and not outlasted(trial, trace)
        # In another order, what the code takes decides which activations find their task still running, and are lost.
        if begun[0] == begun[1] and certain and real != (must := Counter(begun[0])):
            found.append(f"starts: {dict(real)}, must be {dict(must)}")
        return found
    wrong = levels(trial, variant)
    if wrong:
        found.append(f"levels: {wrong}")
    tally.by_levels += want.broken is not None

    own = {t.name for t in schedule.tasks} | {i.name for i in schedule.interrupts}
    got = [Happening(e.t, KINDS[e.kind], e.object) for e in trace.events if e.kind in KINDS and e.object in own]
    if target.exact:
        until_stop = until if want.stopped is None else min(want.certain, want.stopped)  # on that tick the hook preempts
        must_run = [h for h in simple(want.happenings) if h.t < until_stop]
        found += compare("runs", must_run, [h for h in simple(got) if h.t < until_stop])
        if (
            want.stopped is not None
            and want.certain == inf
            and any(h.t > want.stopped or h.what != "preempt" for h in got if h.t >= want.stopped)
        ):
            beyond = next(h for h in got if h.t >= want.stopped and (h.t > want.stopped or h.what != "preempt"))
            found += [] if beyond in want.happenings else [f"runs: {beyond} after the shutdown"]
    else:
        early, late = ([h for h in of.happenings if h.what in ("start", "end")] for of in (want, variant.latest))
        real = [h for h in got if h.what in ("start", "end")]
        if want.stopped is not None and (target.by_time or target.apart):  # a task may be entered before a deadline of its tick
            real = [h for h in real if h.t < want.stopped]
        if until < inf:
            until = min(until, variant.latest.certain)
            count = sum(h.t < until for h in late)
            early, late, real = early[:count], late[:count], real[:count]
        found += compare("order", [f"{h.what} {h.who}" for h in early], [f"{h.what} {h.who}" for h in real])
        for a, b, h in zip(early, late, real, strict=False):
            if not a.t <= h.t <= b.t + 1:
                found.append(f"times: {h.what} {h.who} at {h.t}, must be {a.t} to {b.t}")
                break
        found += undelayed(trial, variant, trace, until)
    tally.starts += sum(h.what == "start" for h in got)
    tally.exact += len(undelayed_in_both(variant))

    verdicts = [(e.t, e.object, e.kind is Kind.DEADLINE_MET) for e in trace.events if e.kind in DEADLINES]
    lost = want.lost_deadlines
    must = [v for v in sorted(want.verdicts) if v[0] < until and v[:2] not in lost]
    seen = [v for v in sorted(verdicts) if v[0] < until and v[:2] not in lost]
    if want.stopped is not None:
        must = [v for v in must if v[0] < want.stopped]
        seen = [v for v in seen if v[0] < want.stopped]
    found += compare("verdicts", must, seen)
    tally.verdicts += len(seen)
    tally.missed += sum(not met for _, _, met in seen)

    found += hooks(trial, variant, trace, until)
    if not target.by_time:
        last = min(until, variant.latest.certain, inf if want.stopped is None else want.stopped)
        jobs = [h for h in variant.latest.happenings if h.t < last]
        found += spoken(jobs, letters(schedule), [c for c in trace.output if c.isalpha()], last == inf)
    tally.hooks += len(want.hooks)
    if until == inf or target.exact:
        found += compare(
            "modes", [m for m in want.modes if m[0] < min(until, schedule.length)], [m for m in rounds(trace) if m[0] < until]
        )
    expiries = [(e.t, e.object) for e in trace.events if e.kind is Kind.EXPIRY and e.object in own]
    if want.stopped is None:
        found += compare(
            "expiries", sorted(e for e in want.expiries if e[0] < until), sorted(e for e in expiries if e[0] < until)
        )
    return found


DEADLINES = (Kind.DEADLINE_MET, Kind.DEADLINE_MISSED)


def outlasted(trial: Trial, trace: Trace) -> bool:
    """Whether a table's handler was held back over all of the table's points, so that it takes them for carried out."""
    for its in trial.plans.values():
        own = {c.task for c in its.carriers if c.tabled}
        ticks = len({at for c in its.carriers if c.tabled for at in c.points})
        due: set[int] = set()
        for event in trace.events:
            if event.kind is Kind.EXPIRY and event.object in own:
                due.add(event.t)
                if len(due) >= ticks > 1:
                    return True
            elif event.kind is Kind.ENTER and event.object == "table":
                due.clear()
    return False


def spoken(jobs: list[Happening], names: dict[str, tuple[str, str]], said: list[str], whole: bool) -> list[str]:
    """Whether the jobs of the firmware said what they must; ``whole``: and nothing more.

    A job that is preempted on the tick on which it starts may begin before that, or once it goes on.
    """
    silent: set[str] = set()  # started, and did not say so yet
    number = 0

    def says(letter: str) -> bool:
        nonlocal number
        fits = number < len(said) and said[number] == letter
        number += fits
        return fits

    for n, h in enumerate(jobs):
        begin, end = names[h.who]
        if h.what == "start" and n + 1 < len(jobs) and jobs[n + 1] == Happening(h.t, "preempt", h.who):
            if not says(begin):
                silent.add(h.who)
        elif h.what == "resume" and h.who in silent and n + 1 < len(jobs) and jobs[n + 1] == Happening(h.t, "preempt", h.who):
            if says(begin):
                silent.remove(h.who)
        elif h.what in ("start", "resume") and (h.what == "start" or h.who in silent):
            silent.discard(h.who)
            if not says(begin):
                return [f"firmware: number {number} is {''.join(said[number : number + 3])!r}, must be {h} ({begin!r})"]
        elif h.what == "end" and not says(end):
            return [f"firmware: number {number} is {''.join(said[number : number + 3])!r}, must be {h} ({end!r})"]
    if whole and number < len(said):
        return [f"firmware: number {number} is {''.join(said[number : number + 3])!r}, must be nothing"]
    return []


def rounds(trace: Trace) -> list[tuple[int, str]]:
    return list(trace.modes)


def compare(what: str, must: list[object] | list[Happening] | list[str], came: object) -> list[str]:
    assert isinstance(came, list)
    for n in range(max(len(must), len(came))):
        a = must[n] if n < len(must) else "nothing"
        b = came[n] if n < len(came) else "nothing"
        if a != b:
            return [f"{what}: number {n} is {b}, must be {a}"]
    return []


def story(trial: Trial, variant: Variant, found: list[str]) -> str:
    """A case to read and to run again: what is wrong, the schedule, and the jobs."""
    lines = [
        *found,
        "",
        f"kernel {trial.case.kernel}",
        toml(trial.case),
        f"for {variant.schedule.length} ticks, with these jobs:",
    ]
    for name, script in variant.schedule.scripts.items():
        lines += [f"{name}: {script.usual}", *(f"    number {n}: {job}" for n, job in sorted(script.others.items()))]
    return "\n".join(lines)


def hooks(trial: Trial, variant: Variant, trace: Trace, until: float) -> list[str]:
    """The error hook: of which tasks, in which order, and at which ticks if code takes no time."""
    want = variant.expected
    order = {t.name: str(n) for n, t in enumerate(variant.schedule.tasks)}
    must = [(t, order[task]) for t, task in want.hooks]
    shutdown = "!" if want.stopped is not None else ""
    text = "".join(name for _, name in sorted(must)) + shutdown
    came = "".join(c for c in trace.output if c in "0123456789!?")
    takes = trial.target.costs.begin + trial.target.costs.hook
    ends = not trial.target.exact and any(t + takes >= variant.schedule.length for t, _ in must)  # while the hook prints
    if until == inf and not ends and "".join(sorted(came)) != "".join(sorted(text)):
        return [f"hooks: {came!r}, must be {text!r} at {[t for t, _ in must]}"]
    found = []
    if trial.target.exact and trial.case.kernel == "carillon" and not trial.case.within:  # a table looks at all of them
        # A handler for a task that starts no task is of a deadline: of one that is missed, or else it must not be.
        empty: list[tuple[int, str]] = []
        previous: Event | None = None
        for e in trace.events:
            if e.kind in (Kind.START, Kind.ENTER, Kind.EXIT):
                if previous is not None and previous.kind is Kind.ENTER and e.kind is Kind.EXIT and e.object in order:
                    empty.append((e.t, e.object))
                previous = e
        for t, task in want.hooks:
            if t < until and (t, task) not in empty and want.stopped is None:
                found.append(f"hooks: none at {t} for {task}")
                break
        points = {(t, task) for t, task, met in want.verdicts if met}
        for at in empty:
            if at in points and at not in want.hooks and at not in want.expiries and at[0] < until:
                found.append(f"hooks: an interrupt for the met deadline {at}")
                break
    return found


def undelayed_in_both(variant: Variant) -> dict[int, tuple[str, str, int, int]]:
    """The starts that nothing delays, whether code takes no time or as much as it may: by their numbers."""
    return dict(variant.expected.undelayed.items() & variant.latest.undelayed.items())


def undelayed(trial: Trial, variant: Variant, trace: Trace, until: float) -> list[str]:
    """Where nothing delays a start, it comes always as late; up to a tick from which on nothing is certain."""
    found: list[str] = []
    delays: dict[tuple[str, str, int, int], int] = {}
    per_tick = max(1, trace.instructions_per_tick)
    exact = undelayed_in_both(variant)
    due = [h.t for h in variant.expected.happenings if h.what == "start"]
    number = -1
    for e in trace.events:
        if e.kind is Kind.START and e.object not in trace.event_triggered:
            number += 1
            if number >= len(due) or due[number] >= until:
                break
            who = exact.get(number)
            if who is None:
                continue
            delay = e.n - due[number] * per_tick
            first = delays.setdefault(who, delay)
            if abs(delay - first) > trial.target.slack or delay < 0:
                found.append(f"exact: start {e.object} at {e.t} is {delay} late, the first of its cell {first}")
                break
    return found


def levels(trial: Trial, variant: Variant) -> str:
    """Where no window is broken, levels are not to be seen: an activation preempts whatever runs."""
    schedule = variant.schedule
    pure = expected(schedule, trial.plans, by_time=True)
    if pure.broken is not None or trial.by_time or pure.certain != inf:
        return ""
    ends: dict[tuple[str, int], int] = {}
    for mode in schedule.modes:
        ends.update({(mode.name, at): end for at, end in windows(schedule, mode).items()})
    begins = [*pure.modes, (10**18, "")]
    for who, released, _, ended in pure.spans:
        if who in {i.name for i in schedule.interrupts}:
            return ""  # takes time from windows
        at, name = next(b for b, c in pairwise(begins) if b[0] <= released < c[0])
        length = schedule.mode(name).length
        within = (released - at) % length
        if ended - (released - within) > ends[name, within]:
            return ""
    first, second = simple(pure.happenings), simple(variant.expected.happenings)
    different = compare("runs", first, second)
    return different[0] if different else ""


__all__ = ["Tally", "Target", "Trial", "divergences", "execute", "firmware", "prepare", "story"]
