# SPDX-License-Identifier: Apache-2.0
"""Images that play programs one after the other, and what they say."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from thread_drawing import SHAPES, Draw, Program, Scale, draw_served, locked_by
from thread_model import Bounds, Event, Model, Way, bounds

from building import build
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan
from carillon.run import record

HERE = Path(__file__).parent
EVENTS = 160
MORE = 400
"""How often a run that no draw of costs explains is looked for among others: a budget may be a tick more or less for few."""


@dataclass(frozen=True)
class Target:
    """A board with a clock.  ``cost``: ticks that code may take before a step and after it; 0: none, and times are exact."""

    board: str
    clock: str
    scale: Scale
    cost: int = 0
    system: str = ""
    software: bool = False  # dispatch
    chosen: bool = False  # though the board could dispatch by hardware
    stack: int = 0  # bytes; 0: the board's
    programs: int = 30  # in an image
    events: int = EVENTS
    ticks: tuple[int, ...] = ()  # of a periodic clock, in ticks of the system: those that are drawn
    widths: tuple[int, ...] = ()  # of cells, of which one is drawn for boards that are like this one; 0: its own
    short: bool = False  # locks are shorter than a tick
    based: bool = False  # a time base counts what a lock holds back
    keys: tuple[str, ...] = ()  # more of [time]
    width: int = 0
    budgets: str = ""  # what keeps the execution budget of a task that never runs; nothing: there is none
    shapes: tuple[str, ...] = tuple(SHAPES)

    @property
    def name(self) -> str:
        few = "-few-levels" if len(self.shapes) < len(SHAPES) else ""
        return f"{self.board}-{self.clock}{'-software' * self.chosen}{few}"

    @property
    def told(self) -> str:
        """What has been drawn of it."""
        width = f", cells of {self.width} bits" if self.width else ""
        kept = f", a budget kept by the {self.budgets}" if self.budgets else ""
        keys = ", ".join(self.keys) or "no other keys"
        return f"tick {self.scale.tick}{width}{kept}, {keys}, {self.scale.served or 'no servers'}"


@dataclass(frozen=True)
class Said:
    """What an image said of a program: the window that it ran in, when it began, and what happened."""

    window: int
    begun: int
    events: list[Event]
    broken: int


def vary(rng: random.Random, target: Target, shape: str) -> Target:
    """The same target with some of what ``[time]`` has, each against each other, and with servers of some threads."""
    varied = vary_time(rng, target)
    if rng.random() < 0.5 and (target.software or target.scale.sliced):
        varied = replace(varied, scale=replace(varied.scale, served=draw_served(rng, varied.scale, SHAPES[shape])))
    if not target.cost and not varied.width and target.board.startswith("virtual") and rng.random() < 0.4:
        varied = replace(varied, budgets=rng.choice(("cell", "clock")) if target.software else "cell")
    return varied


def vary_time(rng: random.Random, target: Target) -> Target:
    """The same target with some of what ``[time]`` has."""
    scale = target.scale
    tree = rng.random() < 0.5
    if tree:  # what is declared is of lists
        target = replace(target, cost=target.cost * 3 // 2)
    keys = ['queue = "tree"' if tree else "", rng.choice(["", f'longest = "{scale.slice * scale.window} ticks"'])]
    if not target.cost and rng.random() < 0.3:  # others are told the time by the clock itself
        scale = replace(scale, asks=False)
        keys.append("now = false")
    if target.clock != "periodic":
        return replace(target, scale=scale, keys=tuple(filter(None, keys)))
    scale = replace(scale, tick=rng.choice(target.ticks))
    keys.append(rng.choice(["", "bits = 16"]))
    short = target.short or rng.random() < 0.2
    width = 0 if short else rng.choice(target.widths or (0,))
    if width and (1 << (width - 1)) // scale.tick < 4:
        width += 1  # a time base holds more ticks than this
    if short:
        scale = replace(scale, lock=scale.tick * 9 // 10 // scale.step * scale.step)
    if short or width == 16 or target.system:  # where it has 16 bits, a time base has to be asked for
        keys.append(f'longest_lock = "{scale.lock} ticks"')
    return replace(target, scale=scale, short=short, based=not short, width=width, keys=tuple(filter(None, keys)))


def own_board(folder: Path, target: Target) -> str:
    """The target's board, or the path of one that is like it but for the width of its cells."""
    if not target.width:
        return target.board
    own = folder / target.board
    shutil.copytree(HERE.parents[1] / "boards" / target.board, own)
    text = (own / "board.toml").read_text(encoding="utf-8")
    changed = re.sub(r"^width = (24|32)$", f"width = {target.width}", text, flags=re.MULTILINE)
    (own / "board.toml").write_text(changed, encoding="utf-8")
    return str(own / "board.toml")


def draw(rng: random.Random, target: Target, shape: str) -> Program:
    """A program that means the same however long code takes on the board, and has few enough events.

    Of those in which nobody gives way at the end of a slice few are taken, and of those in which no tick is made up.
    """
    scale, way, priorities = target.scale, Way(target.software, True), SHAPES[shape]
    while True:
        program = Draw(rng, shape, scale).program()
        begin = begins(scale, program, 1)
        if any(begin // scale.tick % server.period == 0 for server in scale.served):
            continue  # what is due then is served before or after the program begins
        model = Model(program, priorities, scale, begin, way)
        events = len(model.run())
        if not 3 <= events < target.events or (scale.sliced and not model.turns and rng.random() < 0.8):
            continue
        if target.based and not model.late and rng.random() < 0.7:
            continue
        if not target.cost or bounds(program, priorities, scale, begin, way, target.cost)[1] is not None:
            return program


def begins(scale: Scale, program: Program, window: int) -> int:
    """When a program begins, in ticks of the system."""
    return (window * scale.begin + program.phase) * scale.tick


def write(folder: Path, target: Target, shape: str, programs: Sequence[Program]) -> Path:
    """Write an image's schedule and code; the schedule's path."""
    scale, priorities = target.scale, SHAPES[shape]
    tick = f'tick = "{scale.tick} ticks"\n' if target.clock == "periodic" else ""
    osek = '[osek]\ndispatch = "software"\n' if target.chosen else ""
    if target.budgets:
        osek = osek or "[osek]\n"
        osek += f'budgets = "{target.budgets}"\n[osek.task.Bounded]\npriority = 0\nbudget = "{9 * scale.tick} ticks"\n'
    stack = f"stack = {target.stack}\n" if target.stack else ""
    slices = f'slice = "{scale.slice} ticks"\n' if scale.sliced else ""
    keys = "".join(f"{key}\n" for key in target.keys)
    names = [f"T{k}" for k in range(len(priorities))]
    locks = [", ".join(f'"M{k}"' for k in locked_by(thread)) for thread in range(len(priorities))]
    servers = {s.priority: f"S{k}" for k, s in enumerate(scale.served)}
    server = {p: f'server = "{name}"\n' for p, name in servers.items()}
    threads = "".join(
        f"[thread.{n}]\npriority = {p}\nmutexes = [{m}]\n{server.get(p, '')}{stack}"
        for n, p, m in zip(names, priorities, locks, strict=True)
    )
    threads += "".join(
        f'[server.{servers[s.priority]}]\nkind = "{"constant-bandwidth" if s.constant else "deferrable"}"\n'
        f'budget = "{s.budget * scale.tick} ticks"\nperiod = "{s.period * scale.tick} ticks"\n'
        for s in scale.served
    )
    text = (
        f'# SPDX-License-Identifier: Apache-2.0\n[system]\nname = "app"\n{target.system}\n{osek}'
        f'[time]\nclock = "{target.clock}"\n{tick}{slices}{keys}{threads}[thread.Main]\npriority = 0\n{stack}'
    )
    figures = {
        "THREADS": len(priorities),
        "THREADS_MOST": min(len(priorities), scale.threads),
        "STEPS": scale.steps,
        "EVENTS": target.events,
        "WINDOW": scale.begin,
        "POLL": max(1, scale.slice // scale.tick // 10),
        "ASKS": int(scale.asks),
        "LENGTH": scale.slice * scale.slices // scale.tick,
    }
    defined = "".join(f"#define {name} {value}u\n" for name, value in figures.items())
    budgets = ", ".join(f"{{S{k}, {s.budget}u}}" for k, s in enumerate(scale.served))
    defined += f"#define SERVERS {{{budgets}}}\n" if budgets else ""
    bodies = " ".join(f"BODY({n}, {k}u)" for k, n in enumerate(names))
    code = ", \\\n".join(p.code() for p in programs)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "schedule.toml").write_text(text, encoding="utf-8")
    drawn = f"/* SPDX-License-Identifier: Apache-2.0 */\n{defined}#define BODIES {bodies}\n#define PROGRAMS {code}\n"
    (folder / "drawn.h").write_text(drawn, encoding="utf-8")
    code = (HERE / "thread_programs.c").read_text(encoding="utf-8")
    (folder / "main.c").write_text(code + "TASK(Bounded) { TerminateTask(); }\n" * bool(target.budgets), encoding="utf-8")
    shutil.copy(HERE.parent / "firmware" / "report.h", folder)
    return folder / "schedule.toml"


def execute(folder: Path, target: Target, shape: str, programs: Sequence[Program]) -> tuple[Way, list[Said]]:
    """Build an image of the programs, run it, and read what it said."""
    diagnostics = Diagnostics()
    path = write(folder, target, shape, programs)
    planned = plan(path, diagnostics, own_board(folder, target))
    firmware = build(planned.image, folder / "build", diagnostics)
    assert firmware is not None, [str(d) for d in diagnostics.reported]
    ticks = target.scale.slice * target.scale.window * 3 * (len(programs) + 2)  # it halts when all is said
    recording = record(planned.image, firmware, ticks, diagnostics)
    assert recording is not None, [str(d) for d in diagnostics.reported]
    said: list[Said] = []
    what = begun = window = 0
    events: list[Event] = []
    for line in recording.output.splitlines():
        name, value = line.split()
        match name, int(value):
            case "program", _:
                events = []
            case "window", window:
                pass
            case "begun", begun:
                pass
            case "what", what:
                pass
            case "at", at:
                events.append(Event(at, what >> 12, what & 255, what >> 8 & 15))
            case "broken", broken:
                said.append(Said(window, begun, events, broken))
    assert planned.image.osek is not None
    allocation = planned.image.osek.allocation
    assert allocation.clock is not None
    assert (allocation.software, allocation.clock.based) == (target.software, target.based)
    clock, slices = allocation.clock.carrier, allocation.slices
    first = slices is not None and (-slices.level, slices.source) < (-clock.level, clock.source)
    above = next((x.source for x in allocation.levels if slices is not None and x.number == slices.level), None)
    before = above is None or slices is None or slices.source < above
    return Way(allocation.software, first, before, planned.image.osek.slices_rest), said


def different(target: Target, shape: str, way: Way, program: Program, said: Said) -> str:
    """What is not as the model has it; the empty string if all is."""
    scale, priorities = target.scale, SHAPES[shape]
    begin = begins(scale, program, said.window)
    if said.broken:
        return {1: "an alarm that did not run was not started", 2: "two had a mutex at once", 3: "a message is torn"}[said.broken]
    if not target.cost:
        model = Model(program, priorities, scale, begin, way)
        wanted, end = model.run(), begin + scale.slice * scale.slices
        if model.starves:
            return "a thread waits for too long, of the model too"
        came = [e for e in said.events if e.time < end]  # a lock holds the end back, too
        for k, (one, other) in enumerate(zip(wanted, came, strict=False)):
            if one != other:
                return f"event {k} is {other}, not {one}; it began at {begin}"
        return "" if len(wanted) == len(came) else f"{len(came)} events, not {len(wanted)}"
    late = said.begun * scale.tick - begin
    if not -scale.tick <= late <= target.cost:
        return f"it began {late} ticks late"
    (found, *_), _ = bounds(program, priorities, scale, begin, way, target.cost)
    wrong = unlike(target, begin, found, said)
    for seed in range(1, 1 + MORE if wrong else 0):  # it may depend on how long code takes, after all
        others, _ = bounds(program, priorities, scale, begin, way, target.cost, seed)
        if any(not unlike(target, begin, other, said) for other in others):
            return ""
    return wrong


def unlike(target: Target, begin: int, found: Bounds, said: Said) -> str:
    """How what happened is not what may happen; the empty string if it is that."""
    scale = target.scale
    for k, (event, first, last) in enumerate(zip(found.events, found.first, found.last, strict=True)):
        if last - begin > scale.slice * scale.slices - target.cost:
            return ""  # the program may have been stopped before
        came = said.events[k] if k < len(said.events) else None
        if came is None or came[1:] != event[1:]:
            return f"event {k} is {came}, not {event}; it began at {begin}"
        if not first - scale.tick - target.cost <= came.time * scale.tick <= last + target.cost:
            return f"event {k} came at {came.time * scale.tick}, not between {first} and {last}; it began at {begin}"
    return ""
