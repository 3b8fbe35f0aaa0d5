# SPDX-License-Identifier: Apache-2.0
"""The verifier of images: what the tool makes is accepted, and what is accepted is safe.

``CARILLON_TRIES`` is the number of random programs and of changed ones; 2000 without it.
"""

from __future__ import annotations

import itertools
import random
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from verifier import ROOM, Verdict, bare, image_of, sealed, verified

import asked
from carillon.diagnostics import Diagnostics
from carillon.frontends.giotto.compile import compile_giotto
from carillon.frontends.giotto.reading import read_giotto
from carillon.frontends.giotto.rules import check_giotto
from carillon.frontends.giotto.scheduling import METHODS, planned
from carillon.microcode import FORMS, Field, Function, Instruction, Opcode, Program
from carillon.microcode.binary import HEADER_BYTES, MalformedError, decode
from carillon.microcode.bounds import MOST, Loop, bounds
from carillon.microcode.text import assembled

MANY = asked.tries(2000)
GIOTTO = Path(__file__).parent / "programs" / "modes.giotto"
DECLARED = ".tick 1000\n.port p\n.task t1\n.task t2\n.driver d\n.guard g\n.trigger e\n.entry a\n"
FOREVER = (1 << 32) - 1
SHARES = (None, [1, 1, 4, 1, 1, 4, 1, 4, 3, 3, 2, 2, 4, 1], [1, 1, 1, 1, 3, 3, 3, 3, 5, 3, 1, 3, 2, 1])


def program_of(text: str) -> Program:
    diagnostics = Diagnostics()
    program = assembled(DECLARED + text.replace(";", "\n"), "text", diagnostics)
    assert program is not None, diagnostics.reported
    return program


def verdict(text: str, bindings: int = 254, threads: int = 254) -> Verdict:
    program = program_of(text)
    return verified(bare(program), image_of(program, bindings, threads))


def functions(kind: str) -> tuple[Function, ...]:
    return tuple(Function(f"{kind}{k}") for k in range(2))


def program_with(code: tuple[Instruction, ...], entry: int) -> Program:
    return Program(1000, entry, code, ("p",), functions("t"), functions("d"), functions("g"), functions("e"))


def drawn(chance: random.Random, most: int = 9) -> Program:
    """Any program, with more of what waits in some of them."""
    size = chance.randint(1, most)
    shares = chance.choice(SHARES)
    code = []
    for address in range(size):
        ends = [Opcode.JUMP, Opcode.RETURN]
        opcode = chance.choices(list(Opcode), shares)[0] if address < size - 1 else chance.choice(ends)
        form = FORMS[opcode]
        values = {
            field.value: chance.randint(form.least, 4) if use == "ticks" else chance.randrange(size if use == "address" else 2)
            for field, use in form.fields.items()
        }
        code.append(Instruction(opcode, **values))
    return program_with(tuple(code), chance.randrange(size))


def decided(program: Program) -> tuple[str, float, float]:
    """What the tool says of it, in the verifier's words."""
    found = bounds(program)
    if isinstance(found, Loop):
        return "loop", 0, 0
    if found.bindings > MOST:
        return "bindings", 0, 0
    return ("threads", 0, 0) if found.threads > MOST else ("ok", found.bindings, found.threads)


def most_steps(program: Program, found: Verdict) -> int:
    """How many instructions an instant carries out at most: what the verifier's comment says, without an end of numbers."""
    acting, size = found.threads + 2 * found.bindings, len(program.code)
    releases = sum(i.opcode is Opcode.RELEASE for i in program.code)
    most = acting * size * (3 + releases * acting)
    if program.late or program.shared is not None:
        most = 3 * most * (size + 1) ** 2 if most < 1 << 16 else FOREVER
    return min(most, FOREVER)


def agrees(program: Program) -> Verdict:
    found = verified(bare(program), image_of(program))
    expected = decided(program)
    assert found.result == expected[0], program
    if found.result == "ok":
        assert (found.bindings, found.threads) == expected[1:], program
        assert found.steps == most_steps(program, found), program
    return found


def test_tool_and_verifier_decide_the_same_of_random_programs() -> None:
    chance = random.Random(11)
    seen = {agrees(drawn(chance)).result for _ in range(MANY)}
    assert seen == {"ok", "loop", "bindings", "threads"}


@pytest.mark.parametrize("releases", [0, 1, 7, 60, 125, 130, 180, 200, 500])
def test_an_instant_has_as_many_steps_as_is_said_up_to_the_greatest_number(releases: int) -> None:
    program = program_of("a:; " + "release t1, 5; " * releases + "call d; return")
    found = verified(bare(program), image_of(program))
    assert (found.result, found.steps) == ("ok", most_steps(program, found))
    handled = replace(program, late=((0, releases + 1),))  # a return
    found = verified(bare(handled), image_of(handled))
    assert (found.result, found.steps) == ("ok", most_steps(handled, found))


@pytest.mark.parametrize("method", [None, *METHODS])
def test_what_the_compiler_makes_is_accepted_with_one_trigger_and_two_threads(method: str | None) -> None:
    diagnostics = Diagnostics()
    source = read_giotto(GIOTTO, diagnostics)
    assert source is not None
    check_giotto(source, diagnostics)
    plan = None if method is None else planned(method, source, diagnostics)
    if plan is None and method is not None:
        pytest.skip("the program has no such S code")
    compiled = compile_giotto(source, diagnostics, plan)
    assert compiled is not None
    threads = 0 if method is None else 2
    found = verified(bare(compiled.program), image_of(compiled.program, 1, threads))
    assert (found.result, found.bindings, found.threads) == ("ok", 1, threads)


FIGURES = {
    "3, synchronous": "dispatch t2; dispatch t1; idle release(t2); dispatch t2; idle release(t1); fork s; return",
    "3, preemptive": "dispatch t2; dispatch t1, release(t2), b; idle release(t2); b:; dispatch t2; dispatch t1;"
    "idle release(t1); fork s; return",
    "4": "dispatch t2; dispatch t1, release(t2), b; idle release(t2); b:; dispatch t1; dispatch t2;"
    "idle release(t1); fork s; return",
}


@pytest.mark.parametrize("figure", FIGURES)
def test_the_threads_of_the_paper_are_accepted(figure: str) -> None:
    blocks = "a:; fork s; b0:; release t1, 20; release t2, 10; future 10, b1; return; b1:; release t2, 10; future 10, b0; return"
    found = verdict(f"{blocks}; s:; {FIGURES[figure]}", 1, 2)
    assert (found.result, found.bindings, found.threads) == ("ok", 1, 2)


REFUSED = {
    "a:; jump a": "loop",
    "a:; if g, a; return": "loop",
    # The time of a thread is that of its begin, so that the second turn does not wait.
    "a:; idle 5; jump a": "loop",
    "a:; dispatch t1, 5, a; jump a": "loop",
    # A task that has ended is not waited for.
    "a:; dispatch t1; jump a": "loop",
    # It ends what it released.
    "a:; release t1, 1; idle release(t1); terminate t1; dispatch t1; jump a": "loop",
    "a:; idle release(t1); dispatch t2; jump a": "loop",
    "a:; fork a; return": "loop",
    # Two threads: a dispatch may be dropped.
    "a:; fork b; b:; idle release(t1); dispatch t1; jump b": "loop",
    "a:; future 1, a; future 1, a; return": "bindings",
    "a:; future e, a; jump a": "loop",
    "a:; future 1, b; future 1, a; return; b:; future 2, b; return": "bindings",
    "a:; future 5, a; dispatch t1; return": "threads",
    "a:; future 5, a; idle 6; return": "threads",
    "a:; future e, a; idle 1; return": "threads",
    "a:; future 5, a; fork b; b:; return": "threads",
}
ACCEPTED = {
    "a:; return": (1, 0),
    "a:; future 5, a; idle 5; return": (1, 2),
    "a:; future e, a; return": (1, 0),
    "a:; idle 5; fork a; return": (1, 2),
    "a:; idle release(t1); dispatch t1; jump a": (1, 2),
    "a:; future 5, a; future 3, b; return; b:; return": None,
    "a:; future 1, b; future 1, c; return; b:; future 2, b; return; c:; future 3, c; return": (2, 0),
    "a:; future 5, b; future 5, c; idle 2; return; b:; idle 9; return; c:; return": (2, 4),
    "a:; fork b; fork b; return; b:; idle 1; return": (1, 3),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_may_loop_or_overflow_is_refused(text: str) -> None:
    assert verdict(text).result == REFUSED[text]
    assert agrees(program_of(text)).result == REFUSED[text]


@pytest.mark.parametrize("text", ACCEPTED)
def test_room_is_as_much_as_is_needed(text: str) -> None:
    expected = ACCEPTED[text]
    found = agrees(program_of(text))
    if expected is None:
        assert found.result == "bindings"
        return
    assert (found.result, found.bindings, found.threads) == ("ok", *expected)
    assert verdict(text, expected[0] - 1, 254).result == "bindings"
    if expected[1]:
        assert verdict(text, 254, expected[1] - 1).result == "threads"


def test_every_field_of_the_header_is_compared() -> None:
    program = program_of("a:; return")
    content, image = bare(program), image_of(program)
    assert verified(content, image).result == "ok"
    for place in range(HEADER_BYTES):
        for bit in range(8):
            changed = bytearray(content)
            changed[place] ^= 1 << bit
            assert verified(bytes(changed), image).result != "ok"
            if not 8 <= place < 16:
                assert verified(sealed(bytes(changed)), image).result != "ok", place
    for length in range(len(content)):
        assert verified(content[:length], image).result != "ok"
    assert verified(sealed(content + b"\0"), image).result == "tables"
    assert verified(content, image, room=0).result == "room"


@pytest.mark.parametrize("size", [1, 2, 9])
def test_the_entry_is_an_instruction(size: int) -> None:
    program = program_with((*[Instruction(Opcode.CALL)] * (size - 1), Instruction(Opcode.RETURN)), 0)
    for entry in (*range(size), size, size + 1, 0x7FFF, 0xFFFF):
        content = bytearray(bare(program))
        struct.pack_into("<H", content, 20, entry)
        assert verified(sealed(bytes(content)), image_of(program)).result == ("ok" if entry < size else "address"), entry


def test_changed_programs_with_a_right_checksum_are_programs_or_refused() -> None:
    chance = random.Random(7)
    seen = set()
    for _ in range(MANY):
        program = drawn(chance)
        content = bytearray(bare(program))
        for _ in range(chance.randint(1, 3)):
            content[chance.randrange(len(content))] = chance.choice((0, 1, 2, 9, 14, 15, 255))
        changed = sealed(bytes(content))
        found = verified(changed, image_of(program))
        seen.add(found.result)
        try:
            decoded = decode(changed)
        except MalformedError:
            assert found.result != "ok"
            continue
        assert (found.result == "ok") == (decided(decoded)[0] == "ok" and image_fits(decoded, program)), decoded
    assert {"ok", "opcode", "operand", "address", "end", "tables", "loop"} <= seen


def image_fits(decoded: Program, program: Program) -> bool:
    names = (decoded.tick_ns, decoded.ports, decoded.tasks, decoded.drivers, decoded.guards, decoded.triggers)
    return names == (program.tick_ns, program.ports, program.tasks, program.drivers, program.guards, program.triggers)


def test_a_long_program_needs_no_stack() -> None:
    code = [Instruction(Opcode.IF, 0, 0, min(k + 2, ROOM - 1)) for k in range(ROOM - 1)]
    assert agrees(program_with((*code, Instruction(Opcode.RETURN)), 0)).result == "ok"


class Model:
    """The machine, exactly, with surroundings that do whatever is worst: tasks end, guards and triggers are true at random.

    A trigger that was set at an instant is looked at from the next one on.
    """

    def __init__(self, program: Program, found: Verdict, chance: random.Random) -> None:
        self.code = program.code
        self.found = found
        self.chance = chance
        self.now = 0
        self.bindings: list[tuple[float, int]] = [(0, program.entry)]
        self.threads: list[tuple[int | None, int, float, int | None, int, int]] = []
        self.unfinished: set[int] = set()
        self.steps = 0

    def bounded(self) -> None:
        assert self.steps <= self.found.steps, self.code
        assert len(self.bindings) <= self.found.bindings, self.code
        assert len(self.threads) <= self.found.threads, self.code

    def go(self, address: int, reference: int) -> None:
        code, now = self.code, self.now
        while True:
            self.steps += 1
            i = code[address]
            address += 1
            match i.opcode:
                case Opcode.CALL:
                    # A driver that touches a task: the default terminates it.
                    if self.unfinished and self.chance.random() < 0.3:
                        self.unfinished.discard(self.chance.choice(sorted(self.unfinished)))
                case Opcode.RELEASE:
                    self.unfinished ^= {i.x}
                case Opcode.FUTURE:
                    self.bindings.append((now + i.time, i.y))
                case Opcode.FUTURE_EVENT:
                    self.bindings.append((-1 - now, i.y))
                case Opcode.DISPATCH:
                    return self.wait((i.x, address, float("inf"), None, 0, reference))
                case Opcode.DISPATCH_TIME:
                    return self.wait((i.x, address, reference + i.time, None, i.y, reference))
                case Opcode.DISPATCH_RELEASE:
                    return self.wait((i.x, address, float("inf"), i.time, i.y, reference))
                case Opcode.IDLE:
                    return self.wait((None, 0, reference + i.time, None, address, reference))
                case Opcode.IDLE_RELEASE:
                    return self.wait((None, 0, float("inf"), i.x, address, reference))
                case Opcode.FORK:
                    self.wait((None, 0, now, None, i.y, now))
                case Opcode.IF:
                    address = address if self.chance.random() < 0.5 else i.y
                case Opcode.JUMP:
                    address = i.y
                case Opcode.TERMINATE:
                    self.unfinished.discard(i.x)
                case _:
                    return None
            self.bounded()

    def wait(self, thread: tuple[int | None, int, float, int | None, int, int]) -> None:
        self.threads.append(thread)
        self.bounded()

    def instant(self) -> None:
        self.steps = 0
        enabled = [b for b in self.bindings if (0 <= b[0] <= self.now) or (b[0] < 0 and self.chance.random() < 0.5)]
        while True:
            ended = [t for t in self.threads if t[0] is not None and t[0] not in self.unfinished]
            out = [t for t in self.threads if t[2] <= self.now or t[3] in self.unfinished]
            shared = self.shared()
            if ended:
                self.threads.remove(ended[0])
                self.go(ended[0][1], ended[0][5])
            elif enabled:
                binding = enabled.pop(0)
                self.bindings.remove(binding)
                self.go(binding[1], self.now)
            elif out:
                self.threads.remove(out[0])
                self.go(out[0][4], out[0][5])
            elif shared is not None:
                self.threads.remove(shared)
                self.go(shared[1], shared[5])
            else:
                return

    def shared(self) -> tuple[int | None, int, float, int | None, int, int] | None:
        dispatching = [t for t in self.threads if t[0] is not None]
        return next((t for t in dispatching if t[0] != dispatching[0][0]), None)

    def run(self, instants: int) -> None:
        for _ in range(instants):
            self.instant()
            self.now += self.chance.choice((0, 1, 1, 2, 5))
            for task in sorted(self.unfinished):
                if self.chance.random() < 0.4:
                    self.unfinished.discard(task)


def small_programs(size: int) -> list[tuple[Instruction, ...]]:
    """All programs of so many instructions over small alphabets: two tasks, short times, any address."""
    here = range(size)
    middle = [
        *(Instruction(Opcode.FUTURE, 0, time, y) for time in (1, 2) for y in here),
        *(Instruction(Opcode.FORK, 0, 0, y) for y in here),
        *(Instruction(Opcode.IF, 0, 0, y) for y in here),
        *(Instruction(Opcode.DISPATCH_TIME, 0, 2, y) for y in here),
        *(Instruction(Opcode.DISPATCH_RELEASE, 0, 1, y) for y in here),
        *(Instruction(Opcode.DISPATCH, task) for task in (0, 1)),
        *(Instruction(Opcode.IDLE, 0, time) for time in (1, 2)),
        *(Instruction(Opcode.IDLE_RELEASE, task) for task in (0, 1)),
        Instruction(Opcode.RELEASE, 0, 1),
        Instruction(Opcode.TERMINATE, 0),
    ]
    last = [*(Instruction(Opcode.JUMP, 0, 0, y) for y in here), Instruction(Opcode.RETURN)]
    return list(itertools.product(*[middle] * (size - 1), last))


def test_no_small_program_that_is_accepted_loops_or_overflows() -> None:
    chance = random.Random(3)
    accepted = 0
    listed = [code for size in (1, 2, 3) for code in small_programs(size)]
    for code in listed[:: asked.step(len(listed), max(1, len(listed) // MANY))]:
        program = program_with(code, 0)
        found = agrees(program)
        if found.result == "ok":
            accepted += 1
            for _ in range(3):
                Model(program, found, chance).run(12)
    assert accepted > 100


def test_no_random_program_that_is_accepted_loops_or_overflows() -> None:
    chance = random.Random(5)
    accepted = 0
    for _ in range(MANY):
        program = drawn(chance)
        found = verified(bare(program), image_of(program))
        if found.result == "ok":
            accepted += 1
            Model(program, found, chance).run(20)
    assert accepted > MANY // 10


def test_every_instruction_of_the_tool_is_known_to_the_verifier() -> None:
    for opcode, form in FORMS.items():
        values = {field.value: form.least if use == "ticks" else 0 for field, use in form.fields.items()}
        code = (Instruction(opcode, **values), Instruction(Opcode.RETURN))
        assert verified(bare(program_with(code, 0)), image_of(program_with(code, 0))).result in ("ok", "loop")
        for field in set(Field) - set(form.fields):
            content = bytearray(bare(program_with(code, 0)))
            content[HEADER_BYTES + {Field.X: 4, Field.TIME: 1, Field.Y: 6}[field]] = 1
            assert verified(sealed(bytes(content)), image_of(program_with(code, 0))).result == "operand"
