# SPDX-License-Identifier: Apache-2.0
"""Random event-triggered systems whose times are declared, and what they look like as TOML and C."""

from __future__ import annotations

import random
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Profile:
    """What is drawn for a board: a tick of the counter is ``unit`` ticks; ``sources`` request ISRs.

    ``fast``: of which one is the shortest interval, in ticks of the counter.
    """

    board: str
    unit: int
    sources: tuple[str, ...] = ()
    most: int = 7
    fast: tuple[int, ...] = (10, 20, 50)
    events: bool = True
    tables: bool = True


@dataclass
class Item:
    """A task or an ISR.  ``sections``: (resource, part of the execution in percent); ``service``: it is activated by a task."""

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
    by: str = "alarm"


@dataclass
class Drawn:
    """A system; ``strict``: its tasks are strictly periodic, and nothing blocks, so that bounds are reached."""

    profile: Profile
    items: list[Item]
    strict: bool
    tick: int
    length: int
    table: list[tuple[int, str]] = field(default_factory=list)
    duration: int = 0
    seed: int = 0

    @property
    def tasks(self) -> list[Item]:
        """Those that are no ISRs."""
        return [item for item in self.items if not item.isr]


def draw(rng: random.Random, profile: Profile) -> Drawn:
    """A system whose load is 0.9 at most."""
    tick = profile.unit
    strict = rng.random() < 0.4
    number = rng.randint(1, profile.most)
    load = rng.uniform(0.2, 0.85)
    items: list[Item] = []
    fast = rng.choice(profile.fast)
    for k in range(number):
        interval = rng.choice((1, 2, 4, 5, 10)) * fast if strict or rng.random() < 0.8 else rng.randint(fast, 10 * fast)
        wcet = max(1, int(interval * tick * load * rng.uniform(0.1, 1.9) / number))
        item = Item(f"T{k}", rng.randint(1, max(1, number)) if not strict else k + 1, wcet, interval)
        item.offset = rng.randint(1, interval) if rng.random() < 0.5 else 1
        if not strict:
            item.schedule = "non" if rng.random() < 0.2 else "full"
            item.activations = rng.choice((1, 1, 1, 2, 3))
            if rng.random() < 0.4 and item.schedule == "full":
                item.resource, item.section = f"R{rng.randrange(2)}", rng.choice((20, 50, 100))
            if profile.sources and rng.random() < 0.25 and sum(bool(i.isr) for i in items) < len(profile.sources):
                item.isr = profile.sources[sum(bool(i.isr) for i in items)]
                item.wcet = max(1, item.wcet // 3)
            elif profile.events and rng.random() < 0.2:
                item.extended, item.activations = True, 1
        items.append(item)
    longest = max(item.interval for item in items)
    turns = 40 * fast + longest if strict else longest * rng.choice((3, 6, 12))  # two hyperperiods, in which bounds are reached
    drawn = Drawn(profile, items, strict, tick, turns * tick, seed=rng.randrange(1 << 30))
    basic = [item for item in drawn.tasks if not item.extended]
    if profile.tables and not strict and basic and rng.random() < 0.3:
        drawn.duration = longest * 2
        for item in rng.sample(basic, min(2, len(basic))):
            item.by = "table"
            points = range(rng.randrange(item.interval), drawn.duration - 1, item.interval * 2)
            drawn.table += [(at, item.name) for at in points]
        drawn.table.sort()
    return drawn


def toml(drawn: Drawn) -> str:
    lines = ["# SPDX-License-Identifier: Apache-2.0", "[system]", 'name = "app"', f'board = "{drawn.profile.board}"', "[osek]"]
    tick = drawn.tick
    for item in drawn.items:
        lines.append(f"[osek.{'isr' if item.isr else 'task'}.{item.name}]")
        lines.append(f"priority = {item.priority}")
        lines.append(f'wcet = "{item.wcet} ticks"')
        if item.isr:
            lines += [f'source = "{item.isr}"', f'min_interval = "{item.interval * tick} ticks"']
        else:
            lines += [f'schedule = "{item.schedule}"', f"activations = {item.activations}"]
            if item.extended:
                lines += [f'events = ["E{item.name}"]', "autostart = true"]
        if item.resource:
            lines.append(f'resources = ["{item.resource}"]')
    lines += [f"[osek.resource.{name}]" for name in sorted({i.resource for i in drawn.items if i.resource})]
    lines += [f"[osek.event.E{item.name}]" for item in drawn.items if item.extended]
    lines += ["[osek.counter.Time]", f'tick = "{tick} ticks"']
    for item in drawn.tasks:
        if item.by != "alarm":
            continue
        what = f'set_event = {{ task = "{item.name}", event = "E{item.name}" }}' if item.extended else f'activate = "{item.name}"'
        lines += [f"[osek.alarm.A{item.name}]", 'counter = "Time"', what]
        lines.append(f"autostart = {{ at = {item.offset}, cycle = {item.interval} }}")
    if drawn.table:
        lines += ["[osek.schedule_table.Table]", 'counter = "Time"', f"duration = {drawn.duration}", "repeating = true"]
        lines.append("autostart = { at = 1 }")
        at: dict[int, list[str]] = {}
        for offset, name in drawn.table:
            at.setdefault(offset, []).append(name)
        for offset, names in at.items():
            listed = ", ".join(f'"{name}"' for name in names)
            lines += ["[[osek.schedule_table.Table.point]]", f"offset = {offset}", f"activate = [{listed}]"]
    rows = [
        f'  {{ source = "{item.isr}", at = "{item.offset * tick} ticks", every = "{item.interval * tick} ticks" }},'
        for item in drawn.items
        if item.isr
    ]
    if rows:
        lines += ["[stimuli]", "rows = [", *rows, "]"]
    return "\n".join(lines) + "\n"


def code(drawn: Drawn, overhead: int) -> str:
    """``overhead``: ticks of a job that are not its loop's: what it takes to call services, and to begin and end."""
    rng = random.Random(drawn.seed)
    lines = ['#include "os.h"', "#include <carillon/work.h>"]
    for item in drawn.items:
        exact = drawn.strict or rng.random() < 0.4
        most = max(item.wcet - overhead, 1)
        amounts = [most if exact or rng.random() < 0.3 else rng.randint(max(1, most // 4), most) for _ in range(8)]
        lines.append(f"static const uint32_t work_{item.name}[8] = {{{', '.join(f'{n}u' for n in amounts)}}};")
        lines.append(f"static uint32_t job_{item.name};")
        lines.append(f"{'ISR' if item.isr else 'TASK'}({item.name})\n{{")
        waits = f"    for (;;) {{\n        (void)WaitEvent(E{item.name});\n        (void)ClearEvent(E{item.name});"
        lines.append(waits if item.extended else "    {")
        lines.append(f"        const uint32_t work = work_{item.name}[job_{item.name}++ & 7u];")
        if item.resource:
            lines.append(f"        const uint32_t held = work * {item.section}u / 100u;")
            lines.append(f"        (void)GetResource({item.resource});\n        carillon_work(held);")
            lines.append(f"        (void)ReleaseResource({item.resource});\n        carillon_work(work - held);")
        else:
            lines.append("        carillon_work(work);")
        lines.append("    }")
        if not item.isr and not item.extended:
            lines.append("    (void)TerminateTask();")
        lines.append("}")
    return "\n".join(lines) + "\n"
