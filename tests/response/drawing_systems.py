# SPDX-License-Identifier: Apache-2.0
"""Random event-triggered systems whose times are declared, and what they look like as TOML and C.

A system has a shape and times.  Systems of one shape need hardly more than their own files compiled.  So several are tried.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

JOINT = ("budgets", "hooks", "frames", "time", "slices", "servers", "mutexes", "software")
"""Parts of the kernel that all objects of a system feel."""


@dataclass(frozen=True)
class Profile:
    """What is drawn for a board: a tick of the counter is ``unit`` ticks; ``sources`` request ISRs.

    ``fast``: of which one is the shortest interval, in ticks of the counter.  ``clocks``: kinds of the time services' clock, and
    ``cells``: whether tables on cells are tried.  ``hook``: what a hook takes, in ticks, and what of it is not its loop.
    ``overhead``: ticks of a job that are not its loop's: what it takes to call services, and to begin and end.
    """

    board: str
    unit: int
    sources: tuple[str, ...] = ()
    most: int = 7
    fast: tuple[int, ...] = (10, 20, 50)
    clocks: tuple[str, ...] = ("one-shot", "compare", "periodic")
    cells: bool = False
    hook: tuple[int, int] = (3, 0)
    overhead: int = 0
    parts: frozenset[str] = frozenset(JOINT)


@dataclass
class Item:
    """A task, a thread or an ISR.  ``sections``: (resource, part of the execution in percent)."""

    name: str
    priority: int
    wcet: int
    interval: int
    offset: int = 1
    schedule: str = "full"
    activations: int = 1
    resource: str = ""
    section: int = 0
    isr: str = ""
    extended: bool = False
    thread: bool = False
    by: str = "alarm"
    server: str = ""
    later: bool = False  # its first release is not at the begin
    endless: str = ""  # without a WCET, and its jobs use up the budget of that length: computing, or in services
    held: int = 0  # the lock budget of its resource, in ticks
    category: int = 2  # of an ISR


@dataclass
class Drawn:
    """A system; ``strict``: its tasks are strictly periodic, and nothing blocks, so that bounds are reached.

    ``parts``: those of :data:`JOINT` that it has.  ``servers``: the budget and the period of each, in ticks.
    ``keeper``: what keeps budgets, where jobs use them up; and ``clock`` is that of the time services.
    """

    profile: Profile
    items: list[Item]
    strict: bool
    tick: int
    length: int
    table: list[tuple[int, str]] = field(default_factory=list)
    duration: int = 0
    seed: int = 0
    parts: frozenset[str] = frozenset()
    clock: str = ""
    hooks: tuple[str, ...] = ()
    servers: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    on_cells: bool = False
    keeper: str = ""

    @property
    def tasks(self) -> list[Item]:
        """Those that are no ISRs."""
        return [item for item in self.items if not item.isr]

    @property
    def threads(self) -> list[Item]:
        """Those that wait for times."""
        return [item for item in self.items if item.thread]


def draw(shape: random.Random, times: random.Random, profile: Profile) -> Drawn:
    """A system whose load is 0.9 at most."""
    strict = shape.random() < 0.3
    number = shape.randint(1, profile.most)
    items = [Item(f"T{k}", k + 1 if strict else shape.randint(1, number), 0, 0) for k in range(number)]
    chosen = {part for part in JOINT if part in profile.parts and shape.random() < 0.3} if not strict else set()
    with_time = "time" in chosen or (not strict and bool(chosen & {"slices", "servers", "mutexes"}))
    drawn = Drawn(profile, items, strict, profile.unit, 0, clock=shape.choice(profile.clocks) if with_time else "")
    _shape(drawn, shape, chosen)
    drawn.parts = frozenset(chosen)
    _times(drawn, times)
    return drawn


def draw_overruns(rng: random.Random, profile: Profile, keeper: str) -> Drawn:
    """Two to four of which the jobs of some use up their budgets; ``keeper``: what keeps these: a cell, or which clock."""
    number = rng.randint(2, 4)
    items = [Item(f"T{k}", rng.randint(1, number), 0, 0) for k in range(number)]
    drawn = Drawn(profile, items, False, profile.unit, 0)
    _shape(drawn, rng, {"hooks"} if rng.random() < 0.3 else set())
    _times(drawn, rng)
    drawn.keeper, drawn.clock = ("cell", "") if keeper == "cell" else ("clock", "" if keeper == "added" else keeper)
    able = [item for item in items if not item.isr or keeper == "cell"]
    for item in rng.sample(able, rng.randint(1, len(able))) if able else ():
        item.endless = rng.choice(("work", "work", "service", "holds", *(["error"] if "error" in drawn.hooks else [])))
        if item.resource and not item.isr and rng.random() < 0.5:
            item.held = max(profile.overhead, item.wcet // rng.choice((2, 4, 8)))
    for item in items:
        if item.isr and not item.endless and not item.resource:
            item.category = rng.choice((1, 2))
    return drawn


def _shape(drawn: Drawn, rng: random.Random, chosen: set[str]) -> None:
    """What its objects are."""
    profile, items = drawn.profile, drawn.items
    for item in items:
        item.later = rng.random() < 0.5
    for item in items if not drawn.strict else ():
        item.thread = bool(drawn.clock) and rng.random() < 0.5
        if profile.sources and not item.thread and rng.random() < 0.25:
            used = sum(bool(i.isr) for i in items)
            item.isr = profile.sources[used] if used < len(profile.sources) else ""
        if not item.isr and not item.thread and "time" not in chosen and rng.random() < 0.2:
            item.extended = True
        if not item.thread and not item.isr:
            item.schedule = "non" if rng.random() < 0.2 else "full"
            item.activations = 1 if item.extended else rng.choice((1, 1, 1, 2, 3))
        if rng.random() < 0.4 and item.schedule == "full":
            item.resource = ("M" if item.thread and "mutexes" in chosen else "R") + str(rng.randrange(2))
    if "servers" in chosen and drawn.threads:
        _serve(drawn, rng)
    if "hooks" in chosen:
        drawn.hooks = tuple(h for h in ("pretask", "posttask", "error") if rng.random() < 0.6) or ("pretask",)
    basic = [item for item in drawn.tasks if not item.extended and not item.thread]
    if not drawn.strict and basic and rng.random() < 0.3:
        for item in rng.sample(basic, min(2, len(basic))):
            item.by = "table"
        drawn.on_cells = profile.cells and rng.random() < 0.5


def _serve(drawn: Drawn, rng: random.Random) -> None:
    """The threads of the lowest priority of threads run on a server's budget; nobody else has that priority."""
    lowest = min(item.priority for item in drawn.threads)
    for item in drawn.items:
        if item.thread and item.priority == lowest:
            item.server = "S"
            item.resource = "" if rng.random() < 0.8 else item.resource
        elif item.priority == lowest:
            item.priority = len(drawn.items) + 1
    drawn.servers["S"] = (rng.choice(("deferrable", "constant-bandwidth")), 0, 0)


def _times(drawn: Drawn, rng: random.Random) -> None:
    """How long they take, and when they are released."""
    profile, tick, items = drawn.profile, drawn.tick, drawn.items
    load = rng.uniform(0.2, 0.85)
    fast = rng.choice(profile.fast)
    drawn.seed = rng.randrange(1 << 30)
    for item in items:
        whole = drawn.strict or rng.random() < 0.8
        item.interval = rng.choice((1, 2, 4, 5, 10)) * fast if whole else rng.randint(fast, 10 * fast)
        wcet = int(item.interval * tick * load * rng.uniform(0.1, 1.9) / len(items))
        item.wcet = max(profile.overhead + 1, wcet // 3 if item.isr else wcet)
        item.offset = rng.randint(2, item.interval) if item.later else 1
        item.section = rng.choice((20, 50, 100)) if item.resource else 0
    longest = max(item.interval for item in items)
    turns = (
        40 * fast + longest if drawn.strict else longest * rng.choice((3, 6, 12))
    )  # two hyperperiods, where bounds are reached
    drawn.length = turns * tick
    for name, (kind, _, _) in drawn.servers.items():
        period = rng.choice((1, 2, 4)) * fast * tick
        needed = sum(item.wcet / (item.interval * tick) for item in items if item.server == name)
        drawn.servers[name] = kind, min(period, max(1, int(period * needed * rng.uniform(1.05, 2.0)))), period
    drawn.duration = longest * 2
    for item in items:
        if item.by == "table":
            points = range(rng.randrange(item.interval), drawn.duration - 1, item.interval * 2)
            drawn.table += [(at, item.name) for at in points]
    drawn.table.sort()


def toml(drawn: Drawn) -> str:
    """The schedule."""
    return "\n".join(_lines(drawn)) + "\n"


def _lines(drawn: Drawn) -> Iterator[str]:
    tick = drawn.tick
    yield from ("# SPDX-License-Identifier: Apache-2.0", "[system]", 'name = "app"', f'board = "{drawn.profile.board}"', "[osek]")
    hooks = [*drawn.hooks, *(["protection"] if drawn.parts & {"budgets", "frames"} or drawn.keeper else [])]
    if hooks:
        yield "hooks = [" + ", ".join(f'"{hook}"' for hook in hooks) + "]"
    if "software" in drawn.parts:
        yield 'dispatch = "software"'
    if drawn.keeper:
        yield f'budgets = "{drawn.keeper}"\nstatus = "extended"'
    if drawn.hooks or drawn.keeper:
        yield f'hook_wcet = "{drawn.profile.hook[0]} ticks"'
    if drawn.clock:
        yield "[time]"
        yield f'clock = "{drawn.clock}"'
        yield 'uses = ["delays"]'
        if drawn.clock == "periodic":
            yield f'tick = "{tick // 20 if drawn.keeper else tick} ticks"'
        if "slices" in drawn.parts:
            yield f'slice = "{2 * tick} ticks"'
    for item in drawn.items:
        yield from _item(drawn, item)
    for name, (kind, budget, period) in drawn.servers.items():
        yield from (f"[server.{name}]", f'kind = "{kind}"', f'budget = "{budget} ticks"', f'period = "{period} ticks"')
    yield from (f"[osek.resource.{name}]" for name in sorted({i.resource for i in drawn.items if i.resource.startswith("R")}))
    yield from (f"[osek.event.E{item.name}]" for item in drawn.items if item.extended)
    by_alarm = [item for item in drawn.tasks if item.by == "alarm" and not item.thread]
    if by_alarm or drawn.table:
        yield from ("[osek.counter.Time]", f'tick = "{tick} ticks"')
    for item in by_alarm:
        what = f'set_event = {{ task = "{item.name}", event = "E{item.name}" }}' if item.extended else f'activate = "{item.name}"'
        yield from (f"[osek.alarm.A{item.name}]", 'counter = "Time"', what)
        yield f"autostart = {{ at = {item.offset}, cycle = {item.interval} }}"
    if drawn.table:
        yield from _table(drawn)
    rows = [
        f'  {{ source = "{item.isr}", at = "{item.offset * tick} ticks", every = "{item.interval * tick} ticks" }},'
        for item in drawn.items
        if item.isr
    ]
    if rows:
        yield from ("[stimuli]", "rows = [", *rows, "]")


def _item(drawn: Drawn, item: Item) -> Iterator[str]:
    tick = drawn.tick
    yield f"[thread.{item.name}]" if item.thread else f"[osek.{'isr' if item.isr else 'task'}.{item.name}]"
    yield f"priority = {item.priority}"
    yield f'{"budget" if item.endless else "wcet"} = "{item.wcet} ticks"'
    if item.held:
        yield f'resource_lock = [{{ resource = "{item.resource}", budget = "{item.held} ticks" }}]'
    if item.resource:
        yield f'{"mutexes" if item.resource.startswith("M") else "resources"} = ["{item.resource}"]'
    if item.thread:
        yield f'period = "{item.interval * tick} ticks"'
        if item.offset > 1:
            yield f'offset = "{item.offset * tick} ticks"'
        if item.server:
            yield f'server = "{item.server}"'
        return
    if item.isr:
        yield from (f'source = "{item.isr}"', f"category = {item.category}", f'min_interval = "{item.interval * tick} ticks"')
    else:
        yield from (f'schedule = "{item.schedule}"', f"activations = {item.activations}")
        if item.extended:
            yield from (f'events = ["E{item.name}"]', "autostart = true")
    if "frames" in drawn.parts and item.by == "alarm":
        yield f'time_frame = "{max(1, item.interval * tick // 2)} ticks"'
    if "budgets" in drawn.parts and not (item.isr and drawn.clock):
        yield f'budget = "{item.wcet * 2 + tick * 2} ticks"'


def _table(drawn: Drawn) -> Iterator[str]:
    yield from ("[osek.schedule_table.Table]", 'counter = "Time"', f"duration = {drawn.duration}", "repeating = true")
    yield "autostart = { at = 1 }"
    if drawn.on_cells:
        yield "cells = true"
    at: dict[int, list[str]] = {}
    for offset, name in drawn.table:
        at.setdefault(offset, []).append(name)
    for offset, names in at.items():
        listed = ", ".join(f'"{name}"' for name in names)
        yield from ("[[osek.schedule_table.Table.point]]", f"offset = {offset}", f"activate = [{listed}]")


HOOKS = {"pretask": "PreTaskHook(void)", "posttask": "PostTaskHook(void)", "error": "ErrorHook(StatusType error)"}


def code(drawn: Drawn) -> str:
    """The application."""
    rng = random.Random(drawn.seed)
    lines = ['#include "os.h"', "#include <carillon/work.h>", *(['#include "carillon/time.h"'] if drawn.clock else [])]
    for hook in drawn.hooks:
        takes, more = drawn.profile.hook
        lines.append(
            f"void {HOOKS[hook]}\n{{\n    {'(void)error; ' if hook == 'error' else ''}carillon_work({takes - more}u);\n}}"
        )
    if drawn.parts & {"budgets", "frames"} or drawn.keeper:
        takes, more = drawn.profile.hook
        work = f"    carillon_work({takes - more}u);\n" if drawn.keeper else ""
        ends = f"    (void)error;\n{work}    return PRO_TERMINATETASKISR;\n"
        lines.append(f"ProtectionReturnType ProtectionHook(StatusType error)\n{{\n{ends}}}")
    for item in drawn.items:
        exact = drawn.strict or rng.random() < 0.4
        most = max(item.wcet - drawn.profile.overhead, 1)
        amounts = [most if exact or rng.random() < 0.3 else rng.randint(max(1, most // 4), most) for _ in range(8)]
        lines.append(f"static const uint32_t work_{item.name}[8] = {{{', '.join(f'{n}u' for n in amounts)}}};")
        lines.append(f"static uint32_t job_{item.name};")
        lines += _function(drawn, item)
    return "\n".join(lines) + "\n"


def _function(drawn: Drawn, item: Item) -> Iterator[str]:
    yield f"{'ISR' if item.isr else 'THREAD' if item.thread else 'TASK'}({item.name})\n{{"
    if item.thread:
        yield "    carillon_time next = carillon_now();\n    for (;;) {"
    elif item.extended:
        yield f"    for (;;) {{\n        (void)WaitEvent(E{item.name});\n        (void)ClearEvent(E{item.name});"
    else:
        yield "    {"
    yield f"        const uint32_t work = work_{item.name}[job_{item.name}++ & 7u];"
    if item.endless:
        yield from _endless(item)
    elif item.resource:
        take, give = (
            ("carillon_mutex_lock", "carillon_mutex_unlock") if item.resource[0] == "M" else ("GetResource", "ReleaseResource")
        )
        yield f"        const uint32_t held = work * {item.section}u / 100u;"
        yield f"        (void){take}({item.resource});\n        carillon_work(held);"
        yield f"        (void){give}({item.resource});\n        carillon_work(work - held);"
    else:
        yield "        carillon_work(work);"
    if item.thread:
        yield f"        (void)carillon_delay_until(&next, CARILLON_TICKS({item.interval * drawn.tick}u, CARILLON_CLOCK_HZ));"
    yield "    }"
    if not item.isr and not item.extended and not item.thread:
        yield "    (void)TerminateTask();"
    yield "}"


def _endless(item: Item) -> Iterator[str]:
    """What a job does that uses up its budget, unless its work is odd: then it ends somewhere about there."""
    yield "        for (uint32_t turn = 0u; ((work & 1u) == 0u) || (turn < work); turn += 64u) {"
    if item.resource:
        yield f"            (void)GetResource({item.resource});"
    if item.endless == "service":
        yield (
            "            TaskType task;\n            (void)GetTaskID(&task);" if not item.isr else "            (void)GetISRID();"
        )
    if item.endless == "error":
        yield "            (void)ActivateTask((TaskType)99u);"
    yield f"            carillon_work({'work & ~1u' if item.endless == 'holds' else '60u'});"
    if item.resource:
        yield f"            (void)ReleaseResource({item.resource});"
    yield "        }"
