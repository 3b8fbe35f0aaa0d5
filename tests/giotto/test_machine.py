# SPDX-License-Identifier: Apache-2.0
"""The machine of kernel/microcode does what the stepper does, step by step, on random programs; and it goes on after every
fault.

``CARILLON_GIOTTO=10000 pytest tests/giotto`` tries so many random programs.
"""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import pytest
from giotto_machine import Instant
from giotto_oracle import Spec, mixed, random_spec
from giotto_stepper import STEPS, EndlessError, Invocation, LateError, SharedError, Stepper
from native_machine import FAULTS, NONE, ROOM, Asked, Native, Scheduler, laid_out, native
from test_giotto_semantics import functions
from test_s_code import PROGRAMS, one_mode, random_thread, timed, with_code

from carillon.diagnostics import Diagnostics
from carillon.frontends.giotto.compile import compile_giotto
from carillon.frontends.giotto.scheduling import METHODS
from carillon.microcode import FORMS, Field, Program
from carillon.microcode.compiled import Compiled
from carillon.microcode.logged import KINDS
from carillon.microcode.text import assembled
from carillon.microcode.upload import Decision

UNTIL = 60
_TICKS = {opcode for opcode, form in FORMS.items() if form.fields.get(Field.TIME) == "ticks"}


class Chance(random.Random):
    """A number depends on the step and the bounds alone, not on how many were asked for before."""

    step: Callable[[], int] = staticmethod(lambda: 0)

    def randint(self, a: int, b: int) -> int:
        return a + mixed(self.step(), a, b) % (b - a + 1)


class Recorded(Stepper):
    """Keeps what all ports were in each step, and what the steps were before something broke."""

    def __init__(self, spec: Spec, compiled: Compiled, times: dict[str, int], *, shorter: bool) -> None:
        chance = Chance()
        super().__init__(compiled, functions(spec), times, chance, shorter=shorter)
        chance.step = lambda: self.step
        self.ports_then: list[tuple[int, ...]] = []
        self.broken: str | None = None

    def chosen(self) -> int | None:
        self.ports_then.append(tuple(self.ports.values()))
        return super().chosen()

    def played(self) -> Recorded:
        try:
            self.run(UNTIL)
        except (LateError, SharedError, EndlessError) as error:
            self.broken = type(error).__name__
        return self


class OnNative(Recorded):
    """The same, but the machine is the kernel's, whose tick is a step; the functions, and the processor, are the stepper's."""

    machine: Native
    running_task: int | None = None
    known: frozenset[int] = frozenset()

    def instant(self, found: dict[int, Instant]) -> None:
        self.seen = found.setdefault(self.step // STEPS, Instant({}))
        self.faults: list[Asked] = []
        due = self.machine.next()
        ended, self.known = sorted(self.known - self.unfinished.keys()), frozenset(self.unfinished)
        if ended and mixed(self.step, len(ended)) % 4:
            for task in ended[:-1]:
                self.machine.end(task)
            self.running_task = self.machine.ended(ended[-1], self.step)
        else:
            for task in ended:
                self.machine.end(task)
            self.running_task = self.machine.instant(self.step)
        if self.step > 0 and not ended and due != self.step:
            assert not self.asked, "it had nothing to do"
        self.asked = 0
        self.known = frozenset(self.unfinished)
        if self.faults:
            raise {Asked.LATE: LateError, Asked.SHARED: SharedError}.get(self.faults[0], EndlessError)
        if any(invocation.deadline <= self.step for invocation in self.unfinished.values()):
            raise LateError

    def chosen(self) -> int | None:
        super().chosen()
        return self.running_task

    asked = 0

    def answer(self, what: Asked, number: int, more: int) -> int:
        now = self.step // STEPS
        self.asked += 1
        if what is Asked.CALL:
            self.call(self.bindings["driver"][number], now, self.seen)
        elif what is Asked.GUARD:
            binding = self.bindings["guard"][number]
            assert binding.function is not None
            return bool(self.functions[binding.function](self.ports, binding.arguments, now))
        elif what is Asked.RELEASED:
            task = self.program.tasks[number]
            self.fresh.add(task.name)
            need = self.times[task.name]
            need = self.chance.randint(1, need) if self.shorter else need
            self.unfinished[number] = Invocation(number, self.step, self.step + more, need)
            self.all.append(self.unfinished[number])
        elif what is Asked.TERMINATED:
            del self.unfinished[number]
        elif what in FAULTS:
            self.faults.append(what)
        return 0


def on_both(spec: Spec, compiled: Compiled, times: dict[str, int], scheduler: Scheduler, *, shorter: bool) -> Recorded:
    """Play a program on both, and compare who ran, and all ports, in each step."""
    expected = Recorded(spec, compiled, times, shorter=shorter)
    expected.scheduler = scheduler is Scheduler.EDF
    expected.played()
    found = OnNative(spec, compiled, times, shorter=shorter)
    code = [
        dataclasses.replace(i, time=i.time * STEPS) if i.opcode in _TICKS else i
        for i in compiled.program.code
    ]  # fmt: skip
    with native(found.answer) as machine:
        found.machine = machine
        machine.touches(compiled.program.drivers, compiled.program.tasks)
        machine.start(laid_out(code, compiled.program.entry, scheduler=scheduler))
        found.played()
    if expected.broken == "EndlessError" and len(expected.threads) == 16:
        del found.ran[len(expected.ran) :], found.ports_then[len(expected.ports_then) :]  # there is room for more threads here
    else:
        assert found.broken == expected.broken
    assert found.ran == expected.ran
    assert found.ports_then == expected.ports_then
    return expected


@pytest.mark.parametrize("method", ["", *METHODS])
def test_the_machine_runs_whom_the_stepper_runs_and_all_ports_are_the_same(
    method: str, record_property: Callable[[str, object], None]
) -> None:
    counts: Counter[str] = Counter()
    for seed in range(PROGRAMS):
        chance = random.Random(seed)
        spec = random_spec(chance)
        for sensor in spec.sensors:
            spec.sensors[sensor] = True
        found = timed(spec, chance, Fraction(chance.choice([2, 4]), 4))
        if found is None:
            continue
        source, times = found
        compiled = with_code(source, method) if method else compile_giotto(source, Diagnostics())
        if compiled is None:
            counts["refused"] += 1
            continue
        for shorter in (False, True):
            scheduler = Scheduler.NONE if method else Scheduler.EDF
            try:
                played = on_both(spec, compiled, times, scheduler, shorter=shorter)
            except AssertionError as error:
                error.add_note(f"program {seed}, {method or 'e code'}, {shorter}")
                raise
            counts[played.broken or "kept"] += 1
    record_property(f"machine, {method or 'e code'}", dict(counts))
    assert counts["kept"] > PROGRAMS / 6


def test_the_machine_does_with_any_s_code_what_the_stepper_does(record_property: Callable[[str, object], None]) -> None:
    counts: Counter[str] = Counter()
    for seed in range(PROGRAMS * 10):
        chance = random.Random(seed)
        spec = one_mode(chance)
        found = timed(spec, chance, Fraction(chance.randint(1, 4), 4))
        if found is None:
            continue
        thread = random_thread(chance, [task.name for task in spec.tasks], spec.modes[0].period)
        compiled = with_code(found[0], "", thread)
        assert compiled is not None
        try:
            played = on_both(spec, compiled, found[1], Scheduler.EDF, shorter=chance.random() < 0.5)
        except AssertionError as error:
            error.add_note(f"program {seed}\n{thread}")
            raise
        counts[played.broken or "kept"] += 1
    record_property("machine, any S code", dict(counts))
    assert min(counts[what] for what in ("kept", "LateError", "SharedError", "EndlessError")) >= 3, counts


# By hand

HEAD = """.tick 1000000
.port p
.port q
.port r
.task t reads p writes q
.task u reads r writes r
.driver free
.driver sets writes p
.driver gets reads q, r
.guard g
.trigger e reads p
.entry start
start:
"""
T, U = 0, 1
FREE, SETS, GETS = 0, 1, 2


class Player:
    """Plays microcode: ``log`` is what the machine asked or told, and ``run`` lets time pass."""

    def __init__(self, text: str, handlers: dict[str, str] | None = None, **settings: Any) -> None:
        diagnostics = Diagnostics()
        found = assembled(HEAD + text, "text", diagnostics)
        assert found is not None, diagnostics.reported
        self.program: Program = found
        labels = {name: address for address, name in found.labels}
        late = [NONE, NONE]
        for name, label in (handlers or {}).items():
            if name == "shared":
                settings["shared"] = labels[label]
            else:
                late["tu".index(name)] = labels[label]
                settings["late"] = late
        self.laid_out = laid_out(found.code, found.entry, **settings)
        self.log: list[tuple[str, int]] = []
        self.guard = True
        self.value = 0
        self.armed: dict[int, int] = {}
        self.addresses: list[tuple[Asked, int, int]] = []
        """Of each fault the task, and where the code would have gone on."""

    def answer(self, what: Asked, number: int, more: int) -> int:
        if what in FAULTS:
            self.addresses.append((what, number, more))
        if what is Asked.GUARD:
            return self.guard
        if what is Asked.ARM:
            self.armed[more] = self.value
            return 0
        if what is Asked.ENABLED:
            return self.value > self.armed[more]
        self.log.append((what.name, number))
        return 0

    def told(self) -> list[tuple[str, int]]:
        found, self.log = self.log, []
        return found


@contextmanager
def playing(text: str, handlers: dict[str, str] | None = None, **settings: Any) -> Iterator[tuple[Player, Native]]:
    """A machine at the start of this microcode, to which these handlers belong."""
    player = Player(text, handlers, **settings)
    with native(player.answer) as machine:
        machine.touches(player.program.drivers, player.program.tasks)
        machine.start(player.laid_out)
        yield player, machine


def test_a_driver_that_touches_a_late_task_is_dropped_and_the_task_is_terminated() -> None:
    with playing("release t, 5\nfuture 5, next\nreturn\nnext:\ncall sets\ncall free\nrelease t, 5\nreturn\n") as (
        player,
        machine,
    ):
        assert machine.instant(0) == T
        assert player.told() == [("RELEASED", T)]
        assert machine.instant(5) == T
        assert player.told() == [("LATE", T), ("TERMINATED", T), ("CALL", FREE), ("RELEASED", T)]


def test_a_release_of_an_unfinished_task_is_dropped_and_the_task_is_terminated() -> None:
    with playing("release t, 5\nrelease t, 5\nreturn\n") as (player, machine):
        assert machine.instant(0) is None
        assert player.told() == [("RELEASED", T), ("LATE", T), ("TERMINATED", T)]


def test_the_handler_of_a_late_task_runs_in_place_of_the_dropped_driver() -> None:
    text = "release t, 5\nrelease u, 9\ncall gets\ncall free\nreturn\nhandler:\ncall sets\ncall free\nreturn\n"
    with playing(text, {"t": "handler"}) as (player, machine):
        assert machine.instant(0) is None
        assert player.told()[2:] == [
            *(("LATE", T), ("LATE", U), ("TERMINATED", U)),  # of the two that are touched, one has a handler
            *(("LATE", T), ("TERMINATED", T), ("CALL", FREE)),  # which touches its task: now the default
            ("CALL", FREE),  # behind the dropped driver
        ]


def test_a_handler_may_let_a_late_task_go_on() -> None:
    with playing("release t, 5\ncall sets\nreturn\nhandler:\ncall free\nreturn\n", {"t": "handler"}) as (player, machine):
        assert machine.instant(0) == T
        assert player.told()[1:] == [("LATE", T), ("CALL", FREE)]
        machine.end(T)
        assert machine.instant(1) is None


def test_of_two_dispatched_tasks_the_later_dispatch_is_dropped_and_its_thread_goes_on() -> None:
    text = (
        "release t, 9\nrelease u, 9\nfork other\ndispatch t\nreturn\nother:\ndispatch u\ncall free\nidle 3\ndispatch u\nreturn\n"
    )
    with playing(text) as (player, machine):
        assert machine.instant(0) == T
        assert player.told()[2:] == [("SHARED", U), ("CALL", FREE)]
        machine.end(T)
        assert machine.instant(1) is None
        assert machine.next() == 3
        assert machine.instant(3) == U


def test_two_dispatched_tasks_have_a_handler() -> None:
    text = "release t, 9\nrelease u, 9\nfork other\ndispatch t\nreturn\nother:\ndispatch u\ncall free\nreturn\n"
    with playing(text + "handler:\nterminate u\nreturn\n", {"shared": "handler"}) as (player, machine):
        assert machine.instant(0) == T
        assert player.told()[2:] == [("SHARED", U), ("TERMINATED", U), ("CALL", FREE)]


@pytest.mark.parametrize(
    "loop", ["dispatch u\njump loop", "dispatch t, release(t), loop\nreturn", "fork loop\nreturn", "jump loop"]
)
def test_threads_that_take_no_time_are_dropped_and_triggers_are_not(loop: str) -> None:
    text = f"release t, 9\nfuture 4, later\nfork loop\nreturn\nlater:\ncall free\nreturn\nloop:\n{loop}\n"
    with playing(text) as (player, machine):
        assert machine.instant(0) == T  # no thread is left, so that the scheduler chooses
        assert player.told()[1:] == [("ENDLESS", NONE)]
        assert machine.next() == 1
        assert machine.instant(1) == T
        assert machine.next() == 4
        machine.instant(4)
        assert player.told() == [("CALL", FREE)]


@pytest.mark.parametrize("beside", ["terminate u", "future e, hit"])  # nothing; and a trigger that is asked when a task ends
def test_a_task_that_ends_in_the_tick_of_an_endless_instant_begins_no_other_instant_there(beside: str) -> None:
    text = f"release t, 9\n{beside}\nfuture 1, around\nfuture 1, later\nreturn\n"
    text += "hit:\nreturn\naround:\njump around\nlater:\ncall free\nrelease u, 8\nreturn\n"
    with playing(text) as (player, machine):
        machine.instant(0)
        assert machine.instant(1) == T
        assert [what for what, _ in player.told()][-1] == "ENDLESS"
        assert machine.ended(T, 1) is None
        assert player.told() == []
        assert machine.next() == 2
        assert machine.instant(2) == U
        assert ("CALL", FREE) in player.told()


def test_releases_late_tasks_and_other_programs_are_in_the_log_and_who_is_late_is_told() -> None:
    with playing("future 2, again\nagain:\nrelease t, 9\nrelease u, 9\nreturn\n") as (player, machine):
        begun = [(KINDS[1], T, 5), (KINDS[1], U, 5)]
        machine.start(player.laid_out, 5)
        machine.instant(5)
        assert (machine.log, machine.missed) == (begun, [])
        machine.replace(Player("call free\nreturn\n").laid_out)
        machine.end(T)
        machine.instant(7)
        late = [(KINDS[1], T, 7), (KINDS[4], U, 7)]
        assert (machine.log, machine.missed) == (begun + late, [U])
        machine.end(T)
        machine.instant(8)
        assert machine.log == [*begun, *late, (KINDS[0], NONE, 8)]
        assert player.told()[-1] == ("CALL", FREE)


def test_the_record_of_a_program_has_nothing_of_the_one_before_or_of_deadlines_that_have_passed() -> None:
    with playing("release t, 9\nreturn\n") as (_, machine):
        machine.instant(0)
        assert (machine.decisions(), machine.lengths()) == ([Decision(9, 2, T)], [0])
        other = Player("release u, 3\nblock:\nfuture 2, block\nreturn\n")
        machine.replace(other.laid_out)
        machine.end(T)
        machine.instant(1)
        assert (machine.decisions(), machine.lengths()) == ([Decision(3, 3, U)], [2])
        machine.end(U)
        machine.instant(3)  # in time, had the task run so long
        assert machine.decisions() == [Decision(1, 3, U)]
        machine.instant(5)
        assert (machine.decisions(), machine.lengths()) == ([Decision(1, 3, U)], [2])


@pytest.mark.parametrize(("futures", "length"), [("future 4, end", 4), ("future e, end", 0), ("future 4, end\nfuture 5, end", 0)])
def test_how_long_a_block_lasts_is_known_where_one_time_is_all_that_waits(futures: str, length: int) -> None:
    with playing(f"release t, 9\n{futures}\nreturn\nend:\nreturn\n") as (_, machine):
        machine.instant(0)
        assert machine.lengths() == [length]


AROUND = "return\naround:\ncall free\njump around\n"
FAULTY = {
    "a driver": ("release t, 9\ncall free\ncall sets\ncall free\nreturn\n", [(Asked.LATE, T, 3)]),
    "a driver, of two tasks": ("release t, 9\nrelease u, 9\ncall gets\nreturn\n", [(Asked.LATE, T, 3), (Asked.LATE, U, 3)]),
    "a release": ("release u, 9\nrelease u, 9\nreturn\n", [(Asked.LATE, U, 2)]),
    "a dispatch": (
        "release t, 9\nrelease u, 9\nfork other\ndispatch t\nreturn\nother:\ndispatch u, 5, other\nreturn\n",
        [(Asked.SHARED, U, 6)],
    ),
    "an endless loop": (f"jump around\n{AROUND}", [(Asked.ENDLESS, NONE, 4)]),
    "a trigger too many": (
        "future 3, end\n" * ROOM["BINDINGS"] + "call free\nfuture 3, end\nend:\nreturn\n",
        [(Asked.FULL, NONE, ROOM["BINDINGS"] + 2)],
    ),
    "an event too many": (
        "future 3, end\n" * ROOM["BINDINGS"] + "call free\nfuture e, end\nend:\nreturn\n",
        [(Asked.FULL, NONE, ROOM["BINDINGS"] + 2)],
    ),
    "a thread too many": (
        "fork end\n" * ROOM["THREADS"] + "call free\nfork end\nend:\nreturn\n",
        [(Asked.FULL, NONE, ROOM["THREADS"] + 2)],
    ),
    "a task of a thread too many": (
        "release t, 9\n" + "fork end\n" * ROOM["THREADS"] + "dispatch t\nend:\nreturn\n",
        [(Asked.FULL, T, ROOM["THREADS"] + 2)],
    ),
}


@pytest.mark.parametrize("what", FAULTY)
def test_of_each_fault_it_is_told_which_task_it_was_and_where_the_code_would_have_gone_on(what: str) -> None:
    text, expected = FAULTY[what]
    with playing(text) as (player, machine):
        machine.instant(0)
        assert player.addresses == expected


def test_a_dispatch_without_a_time_behind_one_with_a_time_has_none() -> None:
    text = "release t, 9\nrelease u, 9\ndispatch t, 5, end\ndispatch u\ncall free\nreturn\nend:\ncall gets\nreturn\n"
    with playing(text) as (player, machine):
        assert machine.instant(0) == T
        assert machine.ended(T, 1) == U
        player.told()
        assert machine.instant(5) == U
        assert player.told() == []
        assert machine.ended(U, 6) is None
        assert player.told() == [("CALL", FREE)]


def test_what_there_is_no_room_for_is_dropped() -> None:
    futures = "\n".join(["future 3, later"] * (ROOM["BINDINGS"] + 1))
    with playing(f"{futures}\nreturn\nlater:\ncall free\nreturn\n") as (player, machine):
        machine.instant(0)
        assert player.told() == [("FULL", NONE)]
        machine.instant(3)
        assert player.told() == [("CALL", FREE)] * ROOM["BINDINGS"]
    forks = "\n".join(["fork later"] * (ROOM["THREADS"] + 1))
    with playing(f"{forks}\nreturn\nlater:\ncall free\nreturn\n") as (player, machine):
        machine.instant(0)
        assert player.told() == [("FULL", NONE)] + [("CALL", FREE)] * ROOM["THREADS"]


def test_a_trigger_is_enabled_by_the_state_it_was_activated_in_and_asked_again_at_each_input() -> None:
    with playing("future e, hit\nreturn\nhit:\ncall free\nfuture e, hit\nreturn\n") as (player, machine):
        machine.instant(0)
        assert machine.next() is None
        player.value += 1
        machine.instant(1)  # nothing has happened
        assert player.told() == []
        machine.input()
        machine.instant(1)
        machine.input()
        machine.instant(2)
        assert player.told() == [("CALL", FREE)]
        player.value += 1
        machine.instant(3)  # nothing has happened since
        assert player.told() == []


def test_a_guard_decides_where_the_code_goes_on() -> None:
    for guard in (True, False):
        with playing("if g, no\ncall free\nno:\ncall gets\nreturn\n") as (player, machine):
            player.guard = guard
            machine.instant(0)
            assert player.told() == [("CALL", FREE)] * guard + [("CALL", GETS)]


def test_a_program_is_replaced_at_the_first_instant_with_no_unfinished_task() -> None:
    again = "future 7, start\nrelease t, 7\nreturn\n"
    with playing(again) as (player, machine):
        assert machine.instant(0) == T
        other = Player("call gets\nreturn\n")
        machine.replace(other.laid_out)
        assert machine.instant(3) == T
        machine.end(T)
        assert machine.instant(5) is None
        assert player.told() == [("RELEASED", T), ("CALL", GETS)]
        assert machine.next() is None  # the old program's trigger is gone


def test_a_program_that_is_given_before_the_machine_begins_is_not_lost() -> None:
    with playing("call free\nreturn\n") as (player, machine):
        machine.replace(Player("call gets\nreturn\n").laid_out)
        machine.start(player.laid_out)
        machine.instant(0)
        assert player.told() == [("CALL", FREE), ("CALL", GETS)]


def test_a_program_that_replaces_a_shorter_one_has_instructions_of_its_own() -> None:
    with playing("return\n") as (player, machine):
        player.laid_out.steps = 3
        machine.start(player.laid_out)
        machine.instant(0)
        machine.replace(Player("call gets\n" * 20 + "return\n").laid_out)
        machine.instant(1)
        assert player.told() == [("CALL", GETS)] * 20


def test_a_trigger_and_a_timeout_whose_time_has_passed_are_not_lost_and_times_may_overflow() -> None:
    with playing("future 5, next\nidle 3\ncall gets\nreturn\nnext:\ncall free\nreturn\n") as (player, machine):
        begin = 0xFFFF_FFFE
        machine.start(player.laid_out, begin)
        machine.instant(begin)
        assert machine.next() == 1
        machine.instant(20)
        assert player.told() == [("CALL", FREE), ("CALL", GETS)]  # triggers come before timeouts


class Releases:
    """Each tick, a guard decides for each task whether it is released, and whether it is terminated."""

    def __init__(self, chance: random.Random, tasks: int, scheduler: Scheduler) -> None:
        self.chance = chance
        self.tasks = tasks
        self.scheduler = scheduler
        self.now = 0
        self.guards = 0
        self.unfinished: dict[int, tuple[bool, int, int]] = {}
        """Of each unfinished task, what its urgency is: the least one runs."""
        times = [chance.choice([0, chance.randint(1, 30), chance.randint(1, 1000)]) for _ in range(tasks)]
        lines = [".tick 1000", *(f".task t{k}" for k in range(tasks)), ".guard g", ".entry a", "a:", "future 1, a"]
        for k, time in enumerate(times):
            lines += [f"if g, b{k}", f"release t{k}, {time}", f"b{k}:", f"if g, c{k}", f"terminate t{k}", f"c{k}:"]
        program = assembled("\n".join([*lines, "return\n"]), "text", Diagnostics())
        assert program is not None
        self.program: Program = program

    def answer(self, what: Asked, number: int, more: int) -> int:
        if what is Asked.RELEASED:
            time = more if self.scheduler is Scheduler.RM else self.now + more
            self.unfinished[number] = (more == 0, time if more else 0, number)
        elif what is Asked.TERMINATED:
            del self.unfinished[number]
        else:
            assert what is Asked.GUARD
            task, terminates = divmod(self.guards % (2 * self.tasks), 2)
            self.guards += 1
            return self.chance.random() < 0.05 if terminates else task not in self.unfinished and self.chance.random() < 0.2
        return 0


@pytest.mark.parametrize("scheduler", [Scheduler.EDF, Scheduler.RM])
def test_the_scheduler_chooses_the_most_urgent_task_whatever_ends_or_is_terminated(scheduler: Scheduler) -> None:
    for seed in range(20):
        chance = random.Random(seed)
        player = Releases(chance, ROOM["TASKS"], scheduler)
        with native(player.answer) as machine:
            machine.start(laid_out(player.program.code, scheduler=scheduler))
            for player.now in range(60):
                running = machine.instant(player.now)
                while player.unfinished and chance.random() < 0.9:
                    assert running == min(player.unfinished.values())[2], (seed, player.now)
                    ended = running if chance.random() < 0.5 else chance.choice(sorted(player.unfinished))
                    del player.unfinished[ended]
                    machine.end(ended)
                    running = machine.instant(player.now)
                assert running == min(player.unfinished.values(), default=(0, 0, None))[2], (seed, player.now)
