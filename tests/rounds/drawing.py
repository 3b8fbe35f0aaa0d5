# SPDX-License-Identifier: Apache-2.0
"""Random schedules, and what they look like as TOML and C."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from model import Activation, Enable, Interrupt, Job, Mode, Pend, Schedule, Script, Step, Switch, Task, Work


@dataclass(frozen=True, slots=True)
class Profile:
    """What is drawn for a board.  ``unit`` is a number of ticks of which most times are multiples."""

    board: str
    unit: int
    tasks: int = 5
    points: int = 10
    lengths: tuple[int, ...] = (8, 10, 12, 16, 20, 24)  # of rounds, in units
    modes: int = 3
    interrupts: tuple[str, ...] = ()  # application sources
    below: bool = True  # whether interrupts may be below tasks
    enables: bool = True
    deadlines: bool = True
    steps: tuple[int, ...] = (1, 2, 4)  # times are multiples of a unit over one of these
    fine: int = 0  # where code takes time: jobs work for multiples of this, and a bit
    mixed: bool = False  # whether an event-triggered system may run beneath
    conventional: int = 20  # percent of schedules for the conventional kernel
    gathers: int = 0  # percent of modes in which all tasks recur evenly: where sources are short, they may share one
    tables: int = 0  # percent of the others in which tasks may start late, and more tasks than otherwise

    @property
    def tabled(self) -> Profile:
        """What is drawn where a cell may be a table's: more than the board has cells for."""
        return replace(self, tasks=self.tasks + 4, points=2 * self.points, deadlines=True)


@dataclass(frozen=True, slots=True)
class Case:
    """A schedule as it was drawn; ``osek`` is written behind it."""

    schedule: Schedule
    profile: Profile
    osek: bool = False
    kernel: str = "carillon"
    within: int = 0  # ticks by which tasks may start late
    names: dict[str, int] = field(default_factory=dict)


class Draw:
    edges = 40  # percent of runs in which jobs are made to end on the tick on which something is due

    def __init__(self, rng: random.Random, profile: Profile) -> None:
        self.rng = rng
        self.profile = profile

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    def case(self) -> Case:
        rng = self.rng
        kernel = "conventional" if self.chance(self.profile.conventional) else "carillon"
        within = self.profile.unit if kernel == "carillon" and self.profile.tables and self.chance(self.profile.tables) else 0
        profile = self.profile = self.profile.tabled if within else self.profile
        interrupts: list[Interrupt] = []
        if profile.interrupts and self.chance(45):
            for source in rng.sample(profile.interrupts, min(len(profile.interrupts), rng.choice((1, 1, 2)))):
                above = not profile.below or self.chance(60)
                if not (above and kernel == "conventional"):  # whose entries are lost while its timer is held back
                    interrupts.append(Interrupt(f"I{len(interrupts)}", source, above))
        tasks = [Task(f"T{n}") for n in range(rng.randint(1, profile.tasks))]
        window = "wcet" if self.chance(35) else "deadline"
        tasks = [
            replace(
                t,
                wcet=self.amount(profile.unit // 8, rng.choice((1, 1, 2)) * profile.unit)
                if window == "wcet" or self.chance(50)
                else 0,
                monitor=rng.choice(("always", "always", "always", "if-cells-allow", "never")),
            )
            for t in tasks
        ]
        tasks = [replace(t, vouched=t.wcet > 0 and self.chance(20)) for t in tasks]
        count = rng.choice((1, 1, 1, 2, 2, 3)) if profile.modes > 1 else 1
        modes: list[Mode] = []
        if self.chance(20):
            modes.append(self.periodic(tasks, window))
        while len(modes) < min(count, profile.modes):
            modes.append(self.mode(f"m{len(modes)}", [t for t in tasks if not t.period], interrupts, window))
        used = {a.task for m in modes for a in m.activations}
        if self.chance(90):  # a task that no mode activates is seldom
            tasks = [t for t in tasks if t.name in used] or tasks
        schedule = Schedule(tuple(tasks), tuple(modes), tuple(interrupts), self.chance(35))
        if self.chance(30):
            schedule = replace(schedule, start=rng.choice(modes).name)
        return Case(schedule, profile, kernel == "carillon" and profile.mixed and self.chance(25), kernel, within)

    def amount(self, least: int, most: int) -> int:
        drawn = self.rng.randint(max(least, 1), max(most, 1))
        fine = self.profile.fine
        return drawn if not fine else max(drawn // fine, 1) * fine + self.rng.randint(0, fine // 2)

    def periodic(self, tasks: list[Task], window: str) -> Mode:
        """Of some of the tasks, which it makes periodic."""
        rng, unit = self.rng, self.profile.unit
        length = unit * rng.choice([n for n in self.profile.lengths if n % 4 == 0])
        chosen = rng.sample(range(len(tasks)), rng.randint(1, min(3, len(tasks))))
        offsets = rng.sample(range(0, length // 4, unit // 4), min(len(chosen), length // unit))
        activations: list[Activation] = []
        for n, offset in zip(chosen, offsets, strict=False):
            period = length // rng.choice([d for d in (1, 1, 2, 4) if offset < length // d])
            deadlines: tuple[int, ...] = ()
            if self.profile.deadlines and self.chance(60):
                most = period - offset if self.chance(50) or period == length else period
                deadlines = tuple(sorted({rng.choice((most, rng.randint(1, most))) for _ in range(rng.choice((1, 1, 2)))}))
            if any(offset + d > period for d in deadlines):
                deadlines = tuple(d for d in deadlines if offset + d <= period) or (period - offset,)
            tasks[n] = replace(tasks[n], period=period, offset=offset, deadlines=deadlines)
            activations += [
                Activation(at, tasks[n].name, tuple(at + d for d in deadlines)) for at in range(offset, length, period)
            ]
        activations.sort(key=lambda a: a.at)
        return Mode("m0", length, window, tuple(activations))

    def mode(self, name: str, tasks: list[Task], interrupts: list[Interrupt], window: str) -> Mode:
        rng, profile = self.rng, self.profile
        unit = profile.unit
        length = unit * rng.choice(profile.lengths)
        step = unit // rng.choice(profile.steps)
        used: set[int] = set()
        points: dict[int, str] = {}
        even = bool(profile.gathers) and self.chance(profile.gathers)
        crowded = not even and self.chance(40)  # many points of few tasks, which may have to share a cell
        for task in rng.sample(tasks, len(tasks) if even else rng.randint(min(1, len(tasks)), len(tasks))):
            many = rng.choice((1, 1, 2) if even else (1, 1, 2, 3, 4, 5))
            if crowded and not points:
                fine = max(step // 4, 1) if self.chance(50) else step
                most = min(profile.points - 1, length // fine)
                ticks = sorted(rng.sample(range(0, length, fine), rng.randint(min(4, most), most)))
            elif (even or self.chance(50)) and length % many == 0:  # equally spaced
                period = length // many
                first = rng.randrange(0, period, step)
                ticks = list(range(first, length, period))
            else:
                ticks = sorted(rng.sample(range(0, length, step), min(many, length // step)))
            if len(points) + len(ticks) > profile.points:
                ticks = ticks[: max(profile.points - len(points), 0)]
            for t in ticks:
                if t not in used:
                    used.add(t)
                    points[t] = task.name
        activations: list[Activation] = []
        order = sorted(points)
        watched = {
            t: self.profile.deadlines and (crowded or self.chance(20 if even else 60)) for t in dict.fromkeys(points.values())
        }
        for at in order:
            who = points[at]
            own = [t for t in order if points[t] == who]
            later = [t for t in own if t > at]
            limit = later[0] if later else length
            due = self.deadlines(at, limit, order, step) if watched[who] else ()
            activations.append(Activation(at, who, due or ((limit,) if watched[who] and crowded else ())))
        enables: list[Enable] = []
        for interrupt in interrupts:
            if profile.enables and self.chance(40):
                ticks = rng.sample(range(0, length, step), rng.choice((1, 1, 2)))
                enables += [Enable(t, interrupt.name) for t in ticks if t not in used or self.chance(30)]
        enables.sort(key=lambda e: (e.at, e.interrupt))
        return Mode(name, length, window, tuple(activations), tuple(enables))

    def deadlines(self, at: int, limit: int, order: list[int], step: int) -> tuple[int, ...]:
        rng = self.rng
        found: set[int] = set()
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 3))):
            kind = rng.randrange(10)
            if kind < 3:
                found.add(limit)
            elif kind < 5:
                found |= {t for t in order if at < t <= limit and self.chance(40)}
            elif kind < 8:
                found |= set(rng.sample(range(at + step, limit + 1, step), 1)) if limit > at + step else {limit}
            elif not self.profile.fine:
                found.add(rng.randint(at + 1, limit))
        return tuple(sorted(found)[:3])

    # Jobs, once a plan is known.

    def scripts(self, schedule: Schedule) -> Schedule:
        rng = self.rng
        scripts: dict[str, Script] = {}
        longest = max(m.length for m in schedule.modes)
        rounds = rng.randint(3, 6)
        for task in schedule.tasks:
            most = task.wcet or rng.choice((1, 2, 3)) * self.profile.unit // 2
            usual = self.job(schedule, most, calls=25)
            others: dict[int, Job] = {}
            for _ in range(rng.choice((0, 1, 1, 2)) if not task.vouched else 0):  # jobs that overrun
                others[rng.randrange(4 * rounds)] = self.job(schedule, rng.randint(most, longest + longest // 2), calls=25)
            for _ in range(rng.choice((0, 1, 2))):
                others[rng.randrange(4 * rounds)] = self.job(schedule, most, calls=80)
            scripts[task.name] = Script(usual, others)
        for interrupt in schedule.interrupts:
            usual = (Work(self.amount(1, self.profile.unit)),)
            scripts[interrupt.name] = Script(usual, {rng.randrange(6): self.job(schedule, 3 * self.profile.unit, calls=30)})
        return replace(schedule, scripts=scripts, length=longest * rounds + rng.randrange(longest))

    def job(self, schedule: Schedule, most: int, *, calls: int) -> Job:
        rng = self.rng
        total = most if self.chance(20) else self.amount(1, most)
        total = min(total, most) or 1
        calling: list[Step] = []
        if schedule.interrupts and self.chance(calls):
            calling.append(Pend(rng.choice(schedule.interrupts).name))
        if len(schedule.modes) > 1 and self.chance(calls):
            calling.append(Switch(rng.choice(schedule.modes).name))
        if not calling or total < 2:
            return (Work(total),)
        first = rng.randrange(0, total) if not self.profile.fine else total // 2
        before: Job = (Work(first),) if first else ()
        return (*before, *calling, Work(total - first))


class Moderate(Draw):
    """Schedules whose runs keep what they promise: each task has a WCET, which each job keeps, and little waits for long.

    Bounds are judged only in such runs (``carillon.trace.bounds.rests``), which the other drawing seldom has.
    """

    edges = 0

    def __init__(self, rng: random.Random, profile: Profile) -> None:
        super().__init__(rng, replace(profile, conventional=0, tables=60 if profile.tables else 0))

    def case(self) -> Case:
        case = super().case()
        tasks = case.schedule.tasks
        rounds = [len(m.activations) * self.profile.unit / m.length for m in case.schedule.modes]
        most = int(self.profile.unit * min(1.0, 0.6 / max(rounds, default=1.0)))
        tasks = tuple(replace(t, wcet=self.rng.randint(max(most // 4, 1), max(most, 1))) for t in tasks)
        return replace(case, schedule=replace(case.schedule, tasks=tasks))

    def scripts(self, schedule: Schedule) -> Schedule:
        rng = self.rng
        scripts: dict[str, Script] = {}
        rounds = rng.randint(3, 6)
        for task in schedule.tasks:
            least = 1 if not self.profile.fine else max(task.wcet // 8, 1)
            most = max(least, task.wcet if not self.profile.fine else task.wcet - task.wcet // 4)
            others = {rng.randrange(4 * rounds): self.job(schedule, most, calls=60) for _ in range(2)}
            scripts[task.name] = Script(self.job(schedule, rng.randint(least, most), calls=20), others)
        for interrupt in schedule.interrupts:
            scripts[interrupt.name] = Script((Work(max(self.profile.unit // 20, 1)),))
        longest = max(m.length for m in schedule.modes)
        return replace(schedule, scripts=scripts, length=longest * rounds + rng.randrange(longest))

    def amount(self, least: int, most: int) -> int:
        return self.rng.randint(max(least, 1), max(most, least, 1))


class Enabling(Moderate):
    """The same with re-enable points on the ticks of activations, of interrupts below tasks and above them."""

    def __init__(self, rng: random.Random, profile: Profile) -> None:
        few = replace(profile, enables=False, modes=1, tasks=min(profile.tasks, 3), points=min(profile.points, 4))
        super().__init__(rng, few)

    def case(self) -> Case:
        case, rng = super().case(), self.rng
        own, profile = case.schedule, self.profile
        sources = rng.sample(profile.interrupts, rng.choice((1, 2)))
        interrupts = tuple(Interrupt(f"I{n}", source, not profile.below or self.chance(50)) for n, source in enumerate(sources))
        modes = []
        for mode in own.modes:
            ticks = {i.name: rng.sample(mode.activations, min(len(mode.activations), rng.choice((1, 1, 2)))) for i in interrupts}
            enables = [Enable(a.at, name) for name, chosen in ticks.items() for a in chosen]
            modes.append(replace(mode, enables=tuple(sorted(enables, key=lambda e: (e.at, e.interrupt)))))
        return replace(case, schedule=replace(own, interrupts=interrupts, modes=tuple(modes)))


# TOML and C.


def toml(case: Case) -> str:
    schedule = case.schedule
    lines = ["# SPDX-License-Identifier: Apache-2.0", "[system]", 'name = "app"', f'board = "{case.profile.board}"']
    lines.append(f'on_deadline_miss = "{"shutdown" if schedule.shutdown else "continue"}"')
    if case.within:
        lines.append(f'start_within = "{case.within} ticks"')
    if schedule.start:
        lines.append(f'start_mode = "{schedule.start}"')
    for task in schedule.tasks:
        lines.append(f"[task.{task.name}]")
        if task.wcet:
            lines.append(f'wcet = "{task.wcet} ticks"')
        if task.vouched:
            lines.append('overrun = "never"')
        if task.monitor != "always":
            lines.append(f'monitor = "{task.monitor}"')
        if task.period:
            lines += [f'period = "{task.period} ticks"', f'offset = "{task.offset} ticks"']
            if task.deadlines:
                lines.append("deadline = [" + ", ".join(f'"{d} ticks"' for d in task.deadlines) + "]")
    for interrupt in schedule.interrupts:
        lines += [f"[interrupt.{interrupt.name}]", f'source = "{interrupt.source}"']
        lines.append(f'priority = "{"above" if interrupt.above else "below"}-tasks"')
    for mode in schedule.modes:
        periodic = any(schedule.task(a.task).period for a in mode.activations)
        lines += [f"[mode.{mode.name}]", f'round = "{mode.length} ticks"', f'window = "{mode.window}"']
        lines.append("tasks = [" + ", ".join(f'"{t.name}"' for t in schedule.tasks if t.period and periodic) + "]")
        points = [(e.at, 0, f'{{ at = "{e.at} ticks", enable = "{e.interrupt}" }}') for e in mode.enables]
        for a in mode.activations if not periodic else ():
            due = f", deadline_at = [{', '.join(f'{chr(34)}{d} ticks{chr(34)}' for d in a.deadlines)}]" if a.deadlines else ""
            points.append((a.at, 1, f'{{ at = "{a.at} ticks", activate = "{a.task}"{due} }}'))
        lines.append("points = [")
        lines += [f"    {text}," for _, _, text in sorted(points)]
        lines.append("]")
    if case.osek:
        lines.append(OSEK)
    return "\n".join(lines) + "\n"


OSEK = """[osek]
[osek.task.Low]
priority = 1
autostart = true
[osek.task.High]
priority = 2"""

OSEK_CODE = """
#include "os.h"
DeclareTask(High);
TASK(Low)
{
    for (;;) {
        carillon_work(LOW);
        (void)ActivateTask(High);
    }
}
TASK(High)
{
    carillon_work(HIGH);
    TerminateTask();
}
"""

OUTPUT = """
#if CARILLON_INSTRUCTIONS_PER_TICK == 0
#include <stdio.h>
static void put(char byte)
{
    (void)putchar(byte);
}
#elif defined(__AVR_ATmega128__)
static void put(char byte)
{
    *(volatile uint8_t *)0x2A = 0x08u;
    *(volatile uint8_t *)0x2B = 0x02u;
    *(volatile uint8_t *)0x29 = 0u;
    *(volatile uint8_t *)0x2C = (uint8_t)byte;
}
#elif defined(__AVR_ATmega32U4__)
static void put(char byte)
{
    *(volatile uint8_t *)0xC9 = 0x08u;
    *(volatile uint8_t *)0xC8 = 0u;
    *(volatile uint8_t *)0xCE = (uint8_t)byte;
}
#elif defined(__AVR__)
static void put(char byte)
{
    *(volatile uint8_t *)0xC1 = 0x08u;
    *(volatile uint8_t *)0xC0 = 0x02u;
    *(volatile uint8_t *)0xC4 = 0u;
    *(volatile uint8_t *)0xC6 = (uint8_t)byte;
}
#elif defined(CARILLON_CLIC)
static void put(char byte)
{
    *(volatile uint32_t *)UINT32_C(0x40020000) = (uint8_t)byte;
}
#elif defined(__riscv)
static void put(char byte)
{
    *(volatile uint8_t *)UINT32_C(0x10000000) = (uint8_t)byte;
}
#elif defined(CARILLON_EPOCH)
static void put(char byte)
{
    *(volatile uint32_t *)UINT32_C(0x40034000) = (uint8_t)byte;
}
#elif defined(NRFTIMER_REARM_TIME)
static void put(char byte)
{
    *(volatile uint32_t *)UINT32_C(0x4000251C) = (uint8_t)byte;
}
#elif defined(CARILLON_PLL_DIVIDE)
static void put(char byte)
{
    *(volatile uint32_t *)UINT32_C(0x40004404) = (uint8_t)byte;
}
#elif defined(CARILLON_HPLL_MULTIPLIER)
static void put(char byte)
{
    *(volatile uint32_t *)UINT32_C(0x7E784000) = (uint8_t)byte;
}
#elif defined(__ARM_ARCH_8M_MAIN__)
static void put(char byte)
{
    *(volatile uint32_t *)UINT32_C(0x50200010) = 16u;
    *(volatile uint32_t *)UINT32_C(0x50200008) = 1u;
    *(volatile uint32_t *)UINT32_C(0x50200000) = (uint8_t)byte;
}
#else
static void put(char byte)
{
    *(volatile uint32_t *)UINT32_C(0x40004010) = 16u;
    *(volatile uint32_t *)UINT32_C(0x40004008) = 1u;
    *(volatile uint32_t *)UINT32_C(0x40004000) = (uint8_t)byte;
}
#endif

#ifdef __AVR__ /* whose line takes longer than a handler */
#define SAY(byte)
#else
#define SAY(byte) put(byte)
#endif

void ttErrorHook(ttStatusType error)
{
    put(error == TT_E_OS_DEADLINE ? (char)('0' + carillon_missed_task()) : '?');
}

void ttShutdownHook(ttStatusType error)
{
    put(error == TT_E_OS_DEADLINE ? '!' : '?');
}
"""


def letters(schedule: Schedule) -> dict[str, tuple[str, str]]:
    """What tasks and interrupts say when a job begins and when it ends."""
    names = [t.name for t in schedule.tasks] + [i.name for i in schedule.interrupts]
    return {name: (chr(ord("A") + n), chr(ord("a") + n)) for n, name in enumerate(names)}


def code(case: Case, variants: list[Schedule], sources: dict[str, int]) -> str:
    """The application: each task and interrupt counts its jobs and does what its script says; a byte for each hook."""
    lines = ["/* SPDX-License-Identifier: Apache-2.0 */", "#include <stdint.h>", '#include "carillon/osektime.h"']
    lines += [
        '#include "carillon_port.h"',
        OUTPUT,
        "extern const volatile uint8_t variant;",
        "const volatile uint8_t variant = 0u;",
    ]
    interrupts = {i.name: sources[i.source] for i in case.schedule.interrupts}

    def text(job: Job) -> list[str]:
        found = []
        for step in job:
            if isinstance(step, Work):
                found.append(f"carillon_work({step.ticks}u);")
            elif isinstance(step, Pend):
                found.append(f"carillon_port_pend({interrupts[step.interrupt]}u);")
            else:
                found.append(f"(void)ttSwitchAppMode(ttAppMode_{step.mode});")
        return found

    for name, (begin, end) in letters(case.schedule).items():
        lines += [f"void {name}(void);", f"void {name}(void)", "{", "    static uint16_t jobs;"]
        lines += ["    const uint16_t job = jobs++;", f"    SAY('{begin}');", "    switch (variant) {"]
        for number, schedule in enumerate(variants):
            script = schedule.scripts[name]
            lines += [f"    case {number}u:", "        switch (job) {"]
            for n, job in sorted(script.others.items()):
                lines += [f"        case {n}u:", *(f"            {t}" for t in text(job)), "            break;"]
            lines += ["        default:", *(f"            {t}" for t in text(script.usual)), "            break;", "        }"]
            lines += ["        break;"]
        lines += ["    default:", "        break;", "    }", f"    SAY('{end}');", "}"]
    work = case.profile.unit // 3
    osek = OSEK_CODE.replace("LOW", f"{work}u").replace("HIGH", f"{work // 3}u") if case.osek else ""
    return "\n".join(lines) + "\n" + osek
