# SPDX-License-Identifier: Apache-2.0
"""Two programs side by side: each does what it does alone, from whenever the second one joins the first.

``CARILLON_TRIES=10000 pytest tests/giotto`` tries so many random pairs.
"""

from __future__ import annotations

import random
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from loader_target import FIRST, Loaded
from native_machine import FAULTS, Asked, Native, laid_out, native
from verifier import bare, image_of, verified

import asked
from carillon.diagnostics import Diagnostics
from carillon.frontends.giotto.composition import UndecidedError, load, played
from carillon.frontends.giotto.reading import parse_giotto
from carillon.microcode import Function, Instruction, Opcode, Program
from carillon.microcode.bounds import Bounds, Loop, bounds
from carillon.microcode.compose import CompositionError, composed, part_of
from carillon.microcode.text import assembled
from carillon.microcode.upload import JOINS, Kind, Target, UploadError, seal

PROGRAMS = asked.tries(60)
UNTIL = 90
KEY = bytes(range(16))
EDF, RM = 1, 2
TASKS = 6
Event = tuple[int, str, int]
"""When, and of which object, something happened."""


def tables() -> Program:
    """An image with tasks of one input each, a driver for each task, a sensor, and a driver that copies an output."""
    ports = ["sensor", *(f"in{k}" for k in range(TASKS)), *(f"out{k}" for k in range(TASKS))]
    tasks = tuple(Function(f"t{k}", (1 + k,), (1 + TASKS + k,)) for k in range(TASKS))
    drivers = (Function("get", (), (0,)), *(Function(f"set{k}", (0,), (1 + k,)) for k in range(TASKS)))
    return Program(1_000_000, 0, (Instruction(Opcode.RETURN),), tuple(ports), tasks, drivers)


def random_part(chance: random.Random, tasks: list[int]) -> tuple[Program, dict[int, int]]:
    """A cycle of blocks that releases each task every so many blocks, and the least number of ticks to its deadline."""
    step, blocks = chance.randint(2, 7), chance.randint(1, 4)
    every = {task: chance.choice([n for n in range(1, blocks + 1) if blocks % n == 0]) for task in tasks}
    code: list[Instruction] = []
    begins = []
    for block in range(blocks):
        begins.append(len(code))
        code += [Instruction(Opcode.CALL, 0)] * chance.randint(0, 2)
        for task in tasks:
            if block % every[task] == 0:
                code += [Instruction(Opcode.CALL, 1 + task), Instruction(Opcode.RELEASE, task, every[task] * step)]
        code += [Instruction(Opcode.FUTURE, time=step), Instruction(Opcode.RETURN)]
    for block, begin in enumerate(begins):
        behind = begins[block + 1] if block + 1 < blocks else len(code)
        code[behind - 2] = replace(code[behind - 2], y=begins[(block + 1) % blocks])
        assert begin < behind
    unused = [Instruction(Opcode.CALL, 0)] * chance.randint(0, 3)  # before the entry: only what is reached is taken over
    moved = [replace(i, y=i.y + len(unused)) if i.opcode is Opcode.FUTURE else i for i in code]
    program = replace(tables(), entry=len(unused), code=(*unused, *moved))
    return program, {task: every[task] * step for task in tasks}


class Processor:
    """Runs what the machine says, a tick at a time, and keeps what happened; each job takes what its task's chance says."""

    def __init__(self, times: dict[int, int]) -> None:
        self.times = times
        self.left: dict[int, int] = {}
        self.found: list[Event] = []
        self.ended: list[Event] = []
        self.faults: list[Asked] = []
        self.now = 0

    def answer(self, what: Asked, number: int, _more: int) -> int:
        if what in FAULTS:
            self.faults.append(what)
        if what in (Asked.CALL, Asked.RELEASED):
            self.found.append((self.now, what.name, number))
        if what is Asked.RELEASED:
            self.left[number] = self.times[number]
        return 0

    def run(self, machine: Native, until: int, act: Callable[[int], None] = lambda _: None) -> None:
        while self.now < until:
            act(self.now)
            running = machine.instant(self.now)
            for task in [t for t, left in self.left.items() if left == 0]:  # takes no time
                del self.left[task]
                machine.end(task)
                running = machine.instant(self.now)
            self.now += 1
            if running is not None:
                self.left[running] -= 1
                if self.left[running] == 0:
                    del self.left[running]
                    self.ended.append((self.now, "END", running))
                    machine.end(running)


def of(events: list[Event], program: Program) -> list[Event]:
    """Events of what a program uses; the sensor is everybody's."""
    part = part_of(program)
    calls = part.drivers - {0}
    return [e for e in events if e[2] in (calls if e[1] == "CALL" else part.tasks)]


def alone(program: Program, times: dict[int, int], until: int) -> Processor:
    processor = Processor(times)
    with native(processor.answer) as machine:
        machine.touches(program.drivers, program.tasks)
        machine.start(laid_out(program.code, program.entry))
        processor.run(machine, until)
    return processor


@pytest.mark.parametrize("turn", range(5))
def test_each_program_does_what_it_does_alone_whenever_the_others_join(turn: int, request: pytest.FixtureRequest) -> None:
    seen = Counter[str]()
    for number in range(turn, PROGRAMS, 5):
        chance = random.Random(number)
        order = chance.sample(range(TASKS), TASKS)
        cuts = [0, *sorted(chance.sample(range(1, TASKS), 2)), TASKS]
        made = [random_part(chance, order[a:b]) for a, b in pairwise(cuts)]
        programs = [program for program, _ in made]
        deadlines = {task: least for _, its in made for task, least in its.items()}
        times = {task: chance.randint(0, max(0, deadline // TASKS)) for task, deadline in deadlines.items()}
        two = composed(*programs[:2])
        share = load(two, {f"t{task}": Fraction(time) for task, time in times.items()})
        assert share == sum(Fraction(times[task], deadlines[task]) for task in times if task in order[: cuts[2]])
        three = composed(two.program, programs[2]).program
        for program, room in ((two.program, 2), (three, 3)):
            assert bounds(program) == Bounds(room, 0)
            assert verified(bare(program), image_of(program, room, 0)).result == "ok"
        begins = [0, *sorted(chance.randint(0, UNTIL) for _ in range(2))]
        joined = dict(zip(begins[1:], (two.program, three), strict=True))
        if begins[1] == begins[2]:
            continue  # the loader lets only one wait
        processor = Processor(times)
        with native(processor.answer) as machine:
            machine.touches(three.drivers, three.tasks)
            machine.start(laid_out(programs[0].code, programs[0].entry))

            def act(now: int, machine: Native = machine, joined: dict[int, Program] = joined) -> None:
                if now in joined:
                    machine.join(laid_out(joined[now].code, joined[now].entry), joined[now].entry + 1)

            processor.run(machine, UNTIL + begins[2], act)
        assert processor.faults == []
        for program, begin in zip(programs, begins, strict=True):
            shifted = [
                (time + begin, what, which) for time, what, which in alone(program, times, UNTIL + begins[2] - begin).found
            ]
            assert of(processor.found, program) == of(shifted, program)
        seen["three programs"] += 1
        seen["jobs"] += len(processor.ended)
    request.node.user_properties.append(("composition", dict(seen)))
    assert seen["jobs"] > 0


def test_a_composed_program_that_begins_does_both_a_tick_later() -> None:
    chance = random.Random(7)
    (first, _), (second, _) = random_part(chance, [0, 1, 2]), random_part(chance, [3, 4, 5])
    times = dict.fromkeys(range(TASKS), 0)
    both = alone(composed(first, second).program, times, UNTIL + 1)
    for part in (first, second):
        later = [(time + 1, what, which) for time, what, which in alone(part, times, UNTIL).found]
        assert of(both.found, part) == of(later, part)


def test_what_joins_leaves_a_thread_where_it_waits() -> None:
    code = assembled(
        ".tick 1000000\n.task t\n.task u\n.driver d\n.driver e\n.entry a\na:\ncall d\nidle 5\ndispatch t\nreturn\n"
        "b:\ncall e\nreturn\n",
        "text",
        Diagnostics(),
    )
    assert code is not None
    first, second = replace(code, labels=()), replace(code, labels=(), entry=4)
    told: list[tuple[str, int]] = []

    def answer(what: Asked, number: int, _more: int) -> int:
        told.append((what.name, number))
        return 0

    with native(answer) as machine:
        machine.touches(code.drivers, code.tasks)
        machine.start(laid_out(first.code, first.entry))
        machine.instant(0)
        longer = laid_out((*first.code, Instruction(Opcode.FUTURE, time=1), Instruction(Opcode.FUTURE, time=1, y=4),
                           Instruction(Opcode.RETURN)), 5)  # fmt: skip
        machine.join(longer, 7)
        machine.instant(2)
        assert told == [("CALL", 0), ("CALL", 1)]
        assert machine.next() == 5
        machine.instant(5)
        assert told == [("CALL", 0), ("CALL", 1)]
    assert second.entry == 4


# What is refused

TWO = """.tick 1000000
.port s
.port p
.port q
.task t reads p
.task u reads q
.driver get writes s
.driver left reads s writes p
.driver right reads s writes q
.driver both reads s writes q
.entry a
a: call get
call left
release t, 10
future 10, a
return
b: call get
call right
release u, 10
future 10, b
return
c: call get
release t, 10
future 5, c
return
d: call left
return
e: call both
return
f: release u, 0
return
g: dispatch t
return
h: dispatch u
return
k: call get
return
"""
GIOTTO_TIMES = {"t": Fraction(4), "u": Fraction(5)}


def two(label: str) -> Program:
    text = TWO + "i: jump i\n" * (label == "i")
    program = assembled(text.replace(": ", ":\n"), "text", Diagnostics())
    assert program is not None
    return replace(program, entry={name: address for address, name in program.labels}[label])


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ("a", "c", "both use the task t"),
        ("a", "d", "the driver left of one touches the task t of the other one"),
        ("d", "a", "the driver left of one touches the task t of the other one"),
        ("e", "e", "both write the port q"),
        ("g", "b", "the second one has no S code: while a thread of the first one waits, its tasks do not run"),
        ("b", "g", "the first one has no S code: while a thread of the second one waits, its tasks do not run"),
    ],
)
def test_programs_that_could_change_each_other_are_refused(first: str, second: str, why: str) -> None:
    with pytest.raises(CompositionError, match=f"^{why}$"):
        composed(two(first), two(second))


def test_programs_of_two_images_are_refused() -> None:
    with pytest.raises(CompositionError, match="made for two images"):
        composed(two("a"), replace(two("b"), tick_ns=999))


def test_of_one_program_nothing_is_copied_and_of_another_what_it_reaches() -> None:
    same = composed(two("a"), two("b")).program
    assert len(same.code) == len(two("a").code) + 3
    other = replace(two("b"), code=(*two("b").code, Instruction(Opcode.RETURN)))
    found = composed(two("a"), other)
    assert len(found.program.code) == len(two("a").code) + 5 + 3
    assert {name: address for address, name in found.program.labels}["b.2"] == len(two("a").code)
    third = composed(found.program, two("k"))
    assert third.program.code[: len(found.program.code)] == found.program.code


def test_loads_are_the_largest_shares_of_all_tasks() -> None:
    assert load(composed(two("a"), two("b")), GIOTTO_TIMES) == Fraction(9, 10)
    with pytest.raises(UndecidedError, match="the task u has no execution time"):
        load(composed(two("a"), two("b")), {"t": Fraction(1)})
    with pytest.raises(UndecidedError, match="the task u is released without a deadline"):
        load(composed(two("a"), two("f")), GIOTTO_TIMES)


def test_a_loop_is_one_in_a_composed_program_too() -> None:
    assert isinstance(bounds(composed(two("a"), two("i")).program), Loop)


# S code

SLOTS = """task one () output () state () { schedule f() } [wcet 3]
task two () output () state () { schedule g() } [wcet 3]
start m {
  mode m () period 10 { taskfreq 1 do one(); }
  mode n () period 10 { taskfreq 1 do two(); }
}
"""
THREADS = """.tick 1000000
.task one
.task two
.entry m@0
m@0: release one, 10
fork m.thread
future 10, m@0
return
m.thread: dispatch one
return
n@0: release two, 10
fork n.thread
future 10, n@0
return
n.thread: idle WAIT
dispatch two
return
"""


def slots(wait: int) -> tuple[Program, Program]:
    diagnostics = Diagnostics()
    program = assembled(THREADS.replace(": ", ":\n").replace("WAIT", str(wait)), "text", diagnostics)
    assert program is not None, [d.cause for d in diagnostics.reported]
    places = {name: address for address, name in program.labels}
    return replace(program, entry=places["m@0"]), replace(program, entry=places["n@0"])


@pytest.mark.parametrize("wait", [1, 4, 6, 7])
def test_s_code_shares_the_processor_if_its_slots_are_apart_whenever_it_joins(wait: int) -> None:
    """Compared with slots that are counted by hand: one has 0 to 3, the other ``wait`` to ``wait + 3`` behind its begin."""
    from carillon.frontends.giotto.simulation import play_joined

    source = parse_giotto(SLOTS, "slots.giotto", Diagnostics())
    assert source is not None
    found = composed(*slots(wait))
    times = {"one": Fraction(3), "two": Fraction(3)}
    expected = {}
    for begin in range(10):
        taken = [(begin + wait + k) % 10 for k in range(3)]
        expected[begin] = bool({*taken} & {0, 1, 2})
    parts = zip(found.entries, (10, 10), strict=True)
    got = dict(play_joined(found.program, times, *parts))
    assert {begin: it.shared is not None for begin, it in got.items()} == expected
    assert all(it.late is None for it in got.values())
    wrong = played(found, times, (source, source))
    assert (None if wrong is None else wrong[0]) == next((k for k, v in expected.items() if v), None)


# On a target

OTHER = "it does not begin with the program that runs"


def test_a_target_goes_on_with_what_runs_as_a_part_of_what_it_is_sent() -> None:
    first, second = two("a"), two("b")
    loaded = Loaded(first, KEY)
    loaded.room(2, 0)
    target = Target(loaded)
    target.upload(bare(first), EDF, KEY)
    loaded.begin_next()
    both = composed(first, second).program
    assert target.upload(bare(both), JOINS | EDF, KEY).result == "accepted"
    assert loaded.joined == both.entry + 1
    loaded.begin_next()
    assert target.status().running == int.from_bytes(bare(both)[12:16], "little")
    assert target.upload(bare(first), EDF, KEY).result == "accepted"
    assert loaded.joined == 0xFFFF


@pytest.mark.parametrize(
    ("how", "change", "why"),
    [
        (JOINS | RM, lambda p: p, "no such scheduler"),
        (JOINS | 3, lambda p: p, "no such scheduler"),
        (JOINS | EDF, lambda p: replace(p, entry=0), OTHER),
        (JOINS | EDF, lambda p: replace(p, entry=p.entry + 1), OTHER),
        (JOINS | EDF, lambda p: replace(p, code=(replace(p.code[0], x=1), *p.code[1:])), OTHER),
        (JOINS | EDF, lambda p: replace(p, code=(*p.code[:3], replace(p.code[3], time=9), *p.code[4:])), OTHER),
        (JOINS | EDF, lambda p: replace(p, code=(*p.code[:3], replace(p.code[3], y=1), *p.code[4:])), OTHER),
        (JOINS | EDF, lambda p: replace(p, code=(*p.code[:-3], replace(p.code[-3], y=1), *p.code[-2:])), OTHER),
        (JOINS | EDF, lambda p: replace(p, code=(*p.code[:-2], p.code[-1], p.code[-1])), OTHER),
    ],
)
def test_a_target_refuses_what_does_not_begin_with_what_runs(how: int, change: Callable[[Program], Program], why: str) -> None:
    first = two("a")
    loaded = Loaded(first, KEY)
    loaded.room(2, 4)
    target = Target(loaded)
    target.upload(bare(first), EDF, KEY)
    loaded.begin_next()
    with pytest.raises(UploadError, match=why):
        target.upload(bare(change(composed(first, two("b")).program)), how, KEY)
    assert loaded.replaced == 1
    assert target.status().running == int.from_bytes(bare(first)[12:16], "little")
    assert target.status().running != FIRST


def test_who_seals_for_a_replacement_has_not_sealed_for_a_composition() -> None:
    first = two("a")
    loaded = Loaded(first, KEY)
    loaded.room(2, 0)
    target = Target(loaded)
    target.upload(bare(first), EDF, KEY)
    loaded.begin_next()
    content = bare(composed(first, two("b")).program)
    begun = target.ask(Kind.BEGIN)
    for place in range(0, len(content), 64):
        target.ask(Kind.DATA, struct.pack("<I", place) + content[place : place + 64])
    sealed = seal(KEY, begun.challenge, EDF, content)
    assert target.ask(Kind.END, struct.pack("<IBQ", len(content), JOINS | EDF, sealed)).result == "wrong seal"
