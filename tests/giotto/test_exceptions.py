# SPDX-License-Identifier: Apache-2.0
"""Handlers of exceptions (SPEC, section 'Exceptions'): as text and bytes, verified, sent, and carried out."""

from __future__ import annotations

import random
import struct
from collections import Counter
from collections.abc import Callable
from ctypes import c_uint16
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from giotto_machine import Instant
from giotto_oracle import random_spec
from giotto_stepper import STEPS, EndlessError
from loader_target import Loaded
from native_machine import NONE, Asked, Scheduler, laid_out, native
from test_giotto_semantics import parsed
from test_machine import UNTIL, OnNative, Recorded
from test_microcode_verify import most_steps
from test_s_code import PROGRAMS, full_times, one_mode, random_thread, with_code
from verifier import bare, image_of, sealed, verified

from carillon.diagnostics import Diagnostics
from carillon.frontends.giotto.compile import compile_giotto
from carillon.frontends.giotto.scheduling import chosen_in
from carillon.microcode import Instruction, Opcode, Program
from carillon.microcode.binary import MalformedError, decode, encode, header_bytes
from carillon.microcode.compiled import Compiled
from carillon.microcode.compose import CompositionError, composed
from carillon.microcode.handlers import ALLOWED, handler_faults
from carillon.microcode.text import assembled, text_of
from carillon.microcode.upload import Target, UploadError

FLIGHT = Path(__file__).parents[2] / "examples" / "flight" / "flight.giotto"
HEAD = ".tick 1000000\n.port p\n.task t reads p\n.task u\n.driver d writes p\n.guard g\n.entry start\n"
TEXT = (
    HEAD
    + """start:
release t, 9
future 9, start
return
.late u
.shared
call d
if g, last
terminate u
release u, 5
last:
return
"""
)


def program(text: str = TEXT) -> Program:
    diagnostics = Diagnostics()
    found = assembled(text, "text", diagnostics)
    assert found is not None, [str(d) for d in diagnostics.reported]
    return found


def causes(text: str) -> list[tuple[str, str, int]]:
    diagnostics = Diagnostics()
    assert assembled(text, "text", diagnostics) is None
    return [(d.code, d.cause, d.span.line if d.span else 0) for d in diagnostics.reported]


def test_handlers_are_written_and_read_as_text_and_as_bytes() -> None:
    made = program()
    assert (made.late, made.shared, made.handlers) == (((1, 3),), 3, (3, None, 3))
    assert program(text_of(made)) == made
    assert decode(encode(made)) == made
    assert encode(made)[36:44] == struct.pack("<4H", 3, NONE, 3, 0)
    assert header_bytes(made) == struct.unpack_from("<H", encode(made), 6)[0] == 44
    assert header_bytes(replace(made, late=(), shared=None)) == 36


@pytest.mark.parametrize("place", range(6, 44))
def test_no_byte_of_a_header_with_handlers_can_be_any_other(place: int) -> None:
    content = bytearray(encode(replace(program(), labels=())))
    for value in {content[place] ^ 1, content[place] ^ 0x80, 0xFF} - {content[place]}:
        other = bytearray(content)
        other[place] = value
        if place not in range(12, 16):
            other = bytearray(sealed(bytes(other))) if place not in range(8, 12) else other
        try:
            found = decode(bytes(other))
        except MalformedError:
            continue
        assert bytes(encode(found)) == bytes(other)


WRONG = {
    "idle 3\nreturn": ("C280", "a handler has idle, which does not end at once", 12),
    "future 3, start\nreturn": ("C280", "a handler has future, which does not end at once", 12),
    "fork start\nreturn": ("C280", "a handler has fork, which does not end at once", 12),
    "a:\ncall d\nif g, a\nreturn": ("C280", "a handler has a loop, and so may not end at once", 14),
    "jump start": ("C280", "a handler has future, which does not end at once", 9),
    ".late t\nreturn": ("C267", "the task t has two handlers", 12),
    "return\n.late v\nreturn": ("C267", "there is no task v", 13),
    "return\n.shared t\nreturn": ("C267", ".shared names something, or is there twice", 13),
}


@pytest.mark.parametrize("handler", WRONG)
def test_a_handler_that_does_not_end_at_once_is_refused(handler: str) -> None:
    text = HEAD + f"start:\nfuture 9, start\nreturn\n.late t\n{handler}\n"
    assert [(code, cause.replace("'", ""), line) for code, cause, line in causes(text)][:1] == [WRONG[handler]]


def in_scode(folder: Path, text: str) -> tuple[Compiled | None, list[tuple[str, str, int]]]:
    (folder / "flight.scode").write_text(text, encoding="ascii")
    diagnostics = Diagnostics()
    source = parsed(FLIGHT.read_text(encoding="utf-8"))
    chosen = chosen_in(folder / "flight.scode", source, diagnostics)
    compiled = None if chosen is None else compile_giotto(source, diagnostics, chosen.plan, chosen.written)
    return compiled, [(d.code, d.cause, d.span.line if d.span else 0) for d in diagnostics.reported]


@pytest.mark.parametrize(
    "before", ["", ".method edf\n", ".scheduler rm\n", ".order m@0 t2, t1\n", "a:\ndispatch t2\ndispatch t1\nidle 20\nfork a\n"]
)
def test_handlers_stand_behind_any_s_code(tmp_path: Path, before: str) -> None:
    text = before + ".late t1\nterminate t1\nrelease t1, 20\n.late t2\n.shared\ncall get:gps\n"
    compiled, reported = in_scode(tmp_path, text)
    assert compiled is not None, reported
    code = compiled.program.code
    late, shared = dict(compiled.program.late), compiled.program.shared
    names = [task.name for task in compiled.program.tasks]
    t1 = late[names.index("t1")]
    assert code[t1 : t1 + 3] == (
        Instruction(Opcode.TERMINATE, names.index("t1")),
        Instruction(Opcode.RELEASE, names.index("t1"), 20),
        Instruction(Opcode.RETURN),
    )
    gps = [driver.name for driver in compiled.program.drivers].index("get:gps")
    assert late[names.index("t2")] == shared == t1 + 3
    assert code[t1 + 3 :] == (Instruction(Opcode.CALL, gps), Instruction(Opcode.RETURN))
    assert code[t1 - 1].opcode in (Opcode.RETURN, Opcode.JUMP)
    assert any(i.opcode is Opcode.FORK for i in code) == before.startswith("a:")
    without, _ = in_scode(tmp_path, before or ".scheduler edf\n")
    assert without is not None
    assert code[: len(without.program.code)] == without.program.code


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        ("dispatch t1", ("C267", "there is no instruction of handlers 'dispatch'", 3)),
        ("call put:none", ("C267", "there is no driver 'put:none'", 3)),
        ("a:\nif ds, b\njump a\nb:\nreturn", ("C280", "a handler has a loop, and so may not end at once", 5)),
    ],
)
def test_a_bad_handler_in_a_file_of_s_code_is_refused(tmp_path: Path, handler: str, expected: tuple[str, str, int]) -> None:
    compiled, reported = in_scode(tmp_path, f".method edf\n.late t1\n{handler}\n")
    assert compiled is None
    assert reported == [expected]


# The verifier


def drawn(chance: random.Random) -> Program:
    """A program whose handlers may be anything."""
    size = chance.randint(4, 10)
    code = []
    for address in range(size):
        opcode = chance.choice(
            [Opcode.RETURN, Opcode.JUMP] if address == size - 1 else [*ALLOWED, *ALLOWED, Opcode.IDLE, Opcode.FUTURE]
        )
        forward = chance.randint(min(address + 1, size - 1), size - 1) if chance.random() < 0.8 else chance.randrange(size)
        y = forward if opcode in (Opcode.IF, Opcode.JUMP, Opcode.FUTURE) else 0
        time = chance.randint(1, 4) if opcode in (Opcode.IDLE, Opcode.FUTURE, Opcode.RELEASE) else 0
        code.append(Instruction(opcode, 0, time, y))
    if code[-1].opcode is Opcode.JUMP and code[-1].y == size - 1:
        code[-1] = Instruction(Opcode.RETURN)
    late = tuple((task, chance.randrange(size)) for task in range(2) if chance.random() < 0.6)
    shared = chance.randrange(size) if chance.random() < 0.4 else None
    return replace(program(), entry=chance.randrange(size), code=tuple(code), labels=(), late=late, shared=shared)


def test_tool_and_verifier_decide_the_same_of_random_handlers() -> None:
    chance = random.Random(5)
    seen: Counter[str] = Counter()
    for _ in range(4000):
        made = drawn(chance)
        found = verified(bare(made), image_of(made))
        assert (found.result == "handler") == bool(handler_faults(made)), made
        if found.result == "handler":
            assert found.address in made.handlers
        if found.result == "ok":
            assert found.steps == most_steps(made, found), made
        seen[found.result] += 1
    assert min(seen["ok"], seen["handler"], seen["loop"]) > 100, seen


def test_a_handler_beyond_the_code_is_refused() -> None:
    made = replace(program(), labels=())
    content = bytearray(bare(made))
    for place, result in ((36, "handler"), (38, "handler"), (40, "handler")):
        for address in (9, 0x7FFF, 0xFFFE):
            other = bytearray(content)
            struct.pack_into("<H", other, place, address)
            found = verified(sealed(bytes(other)), image_of(made))
            assert (found.result, found.address) == (result, address)
        struct.pack_into("<H", content, place, 4)
        assert verified(sealed(bytes(content)), image_of(made)).result == "ok"


def test_a_header_of_any_other_length_is_refused() -> None:
    made = replace(program(), labels=())
    for length in {*range(80), 0x8024, 0xFFFF} - {44}:
        content = bytearray(bare(made))
        struct.pack_into("<H", content, 6, length)
        assert verified(sealed(bytes(content)), image_of(made)).result in ("format", "length", "tables")
        assert (verified(sealed(bytes(content)), image_of(made)).result == "format") == (length != 36)


def test_a_loop_that_waits_for_a_release_may_not_call_what_may_release() -> None:
    loop = HEAD + "start:\na:\nidle release(t)\ncall d\ndispatch t\njump a\n"
    assert verified(bare(program(loop)), image_of(program(loop))).result == "ok"
    handled = program(loop + ".late u\nrelease t, 3\nreturn\n")
    assert verified(bare(handled), image_of(handled)).result == "loop"


# The loader


KEY = bytes(range(16))


def test_what_is_sent_has_its_handlers_and_what_joins_must_have_the_same() -> None:
    made = program()
    target = Loaded(made, KEY)
    target.room(4, 4)
    host = Target(target)
    assert host.upload(bare(made), 1, KEY).result == "accepted"
    assert target.handlers(2) == [3, NONE, 3]
    target.begin_next()
    size = len(made.code)
    begins = (
        Instruction(Opcode.FUTURE, 0, 1, made.entry),
        Instruction(Opcode.FUTURE, 0, 1, made.entry),
        Instruction(Opcode.RETURN),
    )
    joined = replace(made, entry=size, code=(*made.code, *begins), labels=())
    for other in (replace(joined, late=()), replace(joined, late=(), shared=None), replace(joined, late=((0, 3), (1, 3)))):
        with pytest.raises(UploadError, match="it does not begin with the program that runs"):
            host.upload(bare(other), 0x81, KEY)
    assert host.upload(bare(joined), 0x81, KEY).result == "accepted"
    assert target.handlers(2) == [3, NONE, 3]


def test_a_program_joins_the_images_own_whatever_lies_behind_its_handlers() -> None:
    made = program()
    target = Loaded(made, KEY)
    target.room(4, 4)
    own = laid_out(made.code, made.entry, shared=3)
    own.handlers = (c_uint16 * 9)(3, NONE, 3, *[7] * 6)
    target.runs(own)
    begins = (Instruction(Opcode.FUTURE, 0, 1, made.entry),) * 2
    joined = replace(made, entry=len(made.code), code=(*made.code, *begins, Instruction(Opcode.RETURN)), labels=())
    assert Target(target).upload(bare(joined), 0x81, KEY).result == "accepted"


def test_an_upload_with_a_bad_handler_is_refused_with_its_address() -> None:
    made = program()
    target = Loaded(made, KEY)
    target.room(4, 4)
    with pytest.raises(UploadError, match=r"refused \(a handler waits, begins something, .*: instruction 1\)"):
        Target(target).upload(bare(replace(made, shared=1)), 1, KEY)


def test_a_composed_program_has_the_handlers_of_the_first_one() -> None:
    first, second = program(), program(HEAD + "start:\nfuture 4, start\nreturn\n")
    assert composed(first, second).program.handlers == first.handlers
    with pytest.raises(CompositionError, match="the second one has handlers"):
        composed(second, first)


# The machine


class Handling(Recorded):
    """A stepper that handles exceptions as SPEC says."""

    seen: Counter[str]

    def instant(self, found: dict[int, Instant]) -> None:
        for moves in range(5001):
            if moves == 5000:
                raise EndlessError
            ended = [t for t in self.threads if t.task is not None and t.task not in self.unfinished]
            due = [entry for entry in self.queue if entry[0] * STEPS <= self.step]
            out = [t for t in self.threads if t.until <= self.step or t.other in self.unfinished]
            busy = [t for t in self.threads if t.task is not None]
            over = [t for t in busy if t.task != busy[0].task]
            if ended:
                self.threads.remove(ended[0])
                self.reference = ended[0].reference
                self.carry_out(ended[0].done, Instant({}))
            elif due:
                self.queue.remove(due[0])
                self.reference = self.step
                instant = found.setdefault(self.step // STEPS, Instant({}))
                self.carry_out(due[0][1], instant)
            elif out:
                self.threads.remove(out[0])
                self.reference = out[0].reference
                self.carry_out(out[0].out, Instant({}))
            elif over:
                self.threads.remove(over[0])
                self.reference = over[0].reference
                self.seen["shared"] += 1
                if self.program.shared is not None:
                    self.carry_out(self.program.shared, Instant({}), handled=True)
                self.carry_out(over[0].done, Instant({}))
            else:
                return

    def late_tasks(self, i: Instruction) -> list[int]:
        if i.opcode is Opcode.RELEASE:
            return [i.x] if i.x in self.unfinished else []
        driver = self.program.drivers[i.x]
        return [task for task in sorted(self.unfinished) if driver.touches(self.program.tasks[task])]

    def carry_out(self, address: int, instant: Instant, handled: bool = False) -> None:
        late = {} if handled else dict(self.program.late)
        for steps in range(5001):
            if steps == 5000:
                raise EndlessError
            i = self.program.code[address]
            address += 1
            touched = self.late_tasks(i) if i.opcode in (Opcode.CALL, Opcode.RELEASE) else []
            if touched:
                self.seen["late"] += 1
                for task in touched:
                    if task not in late:
                        del self.unfinished[task]
                handlers = [late[task] for task in touched if task in late]
                if handlers:
                    self.carry_out(handlers[0], instant, handled=True)
            elif i.opcode is Opcode.TERMINATE:
                self.unfinished.pop(i.x, None)
            elif i.opcode is Opcode.RETURN:
                return
            elif i.opcode is Opcode.JUMP:
                address = i.y
            elif i.opcode is Opcode.IF:
                binding = self.bindings["guard"][i.x]
                assert binding.function is not None
                if not self.functions[binding.function](self.ports, binding.arguments, self.step // STEPS):
                    address = i.y
            elif i.opcode is Opcode.FUTURE:
                self.queue.append((self.step // STEPS + i.time, i.y))
            elif i.opcode is Opcode.CALL:
                self.call(self.bindings["driver"][i.x], self.step // STEPS, instant)
            elif i.opcode is Opcode.RELEASE:
                task = self.program.tasks[i.x]
                self.fresh.add(task.name)
                self.running[i.x] = 0, self.step // STEPS + i.time
                self.begin()
            elif not self.scheduled(i, address, self.step // STEPS):
                return

    def begin(self) -> None:
        """What was released has not ended."""
        super().interpret(self.nothing, self.step // STEPS, Instant({}))

    @property
    def nothing(self) -> int:
        return next(address for address, i in enumerate(self.program.code) if i.opcode is Opcode.RETURN)


class HandlingOnNative(OnNative):
    """The kernel's machine, which goes on after each fault."""

    def instant(self, found: dict[int, Instant]) -> None:
        self.seen = found.setdefault(self.step // STEPS, Instant({}))
        self.faults = []
        ended, self.known = sorted(self.known - self.unfinished.keys()), frozenset(self.unfinished)
        for task in ended:
            self.machine.end(task)
        self.running_task = self.machine.instant(self.step)
        self.known = frozenset(self.unfinished)
        if Asked.ENDLESS in self.faults or Asked.FULL in self.faults:
            raise EndlessError


def with_handlers(compiled: Compiled, chance: random.Random) -> Compiled:
    """The same program with random handlers behind its code."""
    made = compiled.program
    code = list(made.code)

    def handler() -> int:
        begin = len(code)
        for _ in range(chance.randint(0, 3)):
            task = chance.randrange(len(made.tasks))
            choices = [Instruction(Opcode.TERMINATE, task), Instruction(Opcode.RELEASE, task, chance.randint(1, 9))]
            if made.drivers:
                choices.append(Instruction(Opcode.CALL, chance.randrange(len(made.drivers))))
            if made.guards:
                choices.append(Instruction(Opcode.IF, chance.randrange(len(made.guards)), 0, len(code) + 1))
            code.append(chance.choice(choices))
        code.append(Instruction(Opcode.RETURN))
        return begin

    late = tuple((task, handler()) for task in range(len(made.tasks)) if chance.random() < 0.7)
    shared = handler() if chance.random() < 0.7 else None
    return replace(compiled, program=replace(made, code=tuple(code), late=late, shared=shared))


@pytest.mark.parametrize("threads", [False, True])
def test_the_machine_handles_exceptions_as_the_stepper_does(
    threads: bool, record_property: Callable[[str, object], None]
) -> None:
    counts: Counter[str] = Counter()
    for seed in range(PROGRAMS * 3):
        chance = random.Random(seed)
        spec = one_mode(chance) if threads else random_spec(chance)
        times = full_times(spec, chance, Fraction(chance.randint(3, 8), 4))
        source = parsed(spec.text())
        thread = random_thread(chance, [task.name for task in spec.tasks], spec.modes[0].period) if threads else ""
        if threads and seed % 2:
            first, last = spec.tasks[0].name, spec.tasks[-1].name
            thread = f"fork beside\n{thread}\nreturn\nbeside:\ndispatch {first}\nidle 3\ndispatch {last}\nidle 7\nfork beside\n"
        plain = with_code(source, "", thread) if threads else compile_giotto(source, Diagnostics())
        assert plain is not None
        compiled = with_handlers(plain, chance)
        assert not handler_faults(compiled.program)
        expected = Handling(spec, compiled, times, shorter=False)
        expected.seen = Counter()
        expected.scheduler = True
        expected.played()
        found = HandlingOnNative(spec, compiled, times, shorter=False)
        ticks = {Opcode.RELEASE, Opcode.FUTURE, Opcode.DISPATCH_TIME, Opcode.IDLE}
        code = [replace(i, time=i.time * STEPS) if i.opcode in ticks else i for i in compiled.program.code]
        late = [dict(compiled.program.late).get(task, NONE) for task in range(len(compiled.program.tasks))]
        shared = NONE if compiled.program.shared is None else compiled.program.shared
        with native(found.answer) as machine:
            found.machine = machine
            machine.touches(compiled.program.drivers, compiled.program.tasks)
            machine.start(laid_out(code, compiled.program.entry, late=late, shared=shared, scheduler=Scheduler.EDF))
            found.played()
        counts.update(dict.fromkeys(expected.seen, 1) | {"all": 1, str(expected.broken): 1})
        if expected.broken or found.broken:  # the limits of both are not the same
            continue
        assert found.ran == expected.ran, seed
        assert found.ports_then == expected.ports_then, seed
    record_property(f"machine, exceptions, {'threads' if threads else 'blocks'}", dict(counts))
    assert counts["late"] > PROGRAMS / 2, counts
    assert counts["None"] > PROGRAMS / 2, counts
    assert not threads or counts["shared"] > PROGRAMS / 20, counts
    assert len(expected.ran) <= UNTIL * STEPS
