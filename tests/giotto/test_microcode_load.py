# SPDX-License-Identifier: Apache-2.0
"""The load of microcode (``kernel/microcode/load.c``) is what an exact model says, and no bytes let it overflow.

``CARILLON_TRIES`` is the number of random programs; 2000 without it.
"""

from __future__ import annotations

import ctypes
import functools
import random
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from changed_uploads import EDF
from loader_target import Loaded
from test_composition import random_part
from test_microcode_verify import drawn, program_of
from verifier import ROOM, Found, Node, bare, image_of, sealed

import asked
from carillon.diagnostics import Diagnostics
from carillon.frontends.giotto.compile import compile_giotto
from carillon.frontends.giotto.load import execution_times, loads, nanoseconds
from carillon.frontends.giotto.reading import parse_giotto
from carillon.microcode import Instruction, Opcode, Program
from carillon.microcode.compose import composed
from carillon.microcode.upload import REASONS, LoadError, Target

ROOT = Path(__file__).parents[2]
MANY = asked.tries(2000)
KEY = bytes(16)
SHIM = "#include <stdint.h>\nuint32_t limit = 100;\nuint32_t image_times[64];\n"
BEGINS = (Opcode.FUTURE, Opcode.FUTURE_EVENT, Opcode.FORK)
MOST = 1 << 56


@functools.cache
def library() -> ctypes.CDLL:
    """Undefined behaviour ends the process."""
    folder = Path(tempfile.mkdtemp(prefix="carillon-load-"))
    (folder / "carillon_config.h").write_text("extern uint32_t limit;\n#define CARILLON_LOADER_LOAD limit\n", encoding="ascii")
    (folder / "shim.c").write_text(SHIM, encoding="ascii")
    options = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fPIC", f"-I{ROOT}", f"-I{folder}"]
    options += ["-fsanitize=undefined", "-fno-sanitize-recover"]
    options.append("-Dcarillon_loader_times=image_times")
    objects = []
    for source in (*(ROOT / "kernel" / "microcode" / name for name in ("verify.c", "load.c")), folder / "shim.c"):
        objects.append(str(folder / f"{source.stem}.o"))
        subprocess.run(["gcc", *options, "-c", str(source), "-o", objects[-1]], check=True)
    subprocess.run(
        ["gcc", "-fsanitize=undefined", "-shared", "-Wl,-Bsymbolic", *objects, "-o", str(folder / "load.so")], check=True
    )
    return ctypes.CDLL(str(folder / "load.so"))


def judged(
    program: Program, image: Sequence[int], given: Sequence[int] | None = None, limit: int = 100, room: int = ROOM
) -> tuple[str, int]:
    """What the target says of a program, and of which instruction; memory behind its notes is watched."""
    content, own = bare(program), image_of(program)
    nodes, found = (Node * (room + 1))(), Found()
    ctypes.memset(ctypes.byref(nodes), 0xA5, ctypes.sizeof(nodes))
    memory = (ctypes.c_uint8 * len(content))(*content)
    it = library()
    number = it.carillon_verify(memory, len(content), ctypes.byref(own), nodes, room, ctypes.byref(found))
    if number == 0:
        ctypes.c_uint32.in_dll(it, "limit").value = limit
        (ctypes.c_uint32 * 64).in_dll(it, "image_times")[: len(image)] = list(image)
        table = None if given is None else struct.pack(f"<{len(given)}I", *given)
        number = it.carillon_load_verify(ctypes.byref(own), table, nodes, ctypes.byref(found))
    assert bytes(nodes[room]) == b"\xa5" * 16
    return REASONS[number], int(found.address)


class Model:
    """The load of a program by definition: all ways round that pass no instruction twice, and fractions."""

    def __init__(self, program: Program, times: Sequence[int]) -> None:
        self.code, self.times, self.tick_ns = program.code, times, program.tick_ns
        self.edges = {k: list(self.follow(k)) for k in range(len(self.code))}
        self.reached = {k: self.closure(k) for k in self.edges}
        self.loads: dict[int, Fraction] = {}

    def follow(self, at: int) -> Iterator[tuple[int, int]]:
        """What may follow an instruction, and the ticks until then."""
        i = self.code[at]
        if i.opcode not in (Opcode.JUMP, Opcode.RETURN):
            yield at + 1, 0
        if i.opcode in (*BEGINS, Opcode.IF, Opcode.JUMP, Opcode.DISPATCH_TIME, Opcode.DISPATCH_RELEASE):
            yield i.y, i.time if i.opcode is Opcode.FUTURE else 0

    def closure(self, at: int) -> set[int]:
        """What an instruction leads to; it is not there itself if it is not on a way round."""
        seen: set[int] = set()
        waiting = [at]
        while waiting:
            for target, _ in self.edges[waiting.pop()]:
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return seen

    def members(self, at: int) -> list[int]:
        return [k for k in self.reached[at] if at in self.reached[k]]

    def rounds(self, first: int, at: int, passed: frozenset[int], work: int, ticks: int) -> Iterator[tuple[int, int]]:
        """Work and ticks of each way round whose least instruction is the first one."""
        i = self.code[at]
        work += self.times[i.x] if i.opcode is Opcode.RELEASE else 0
        for target, time in self.edges[at]:
            if target == first:
                yield work, ticks + time
            elif target > first and target not in passed:
                yield from self.rounds(first, target, passed | {target}, work, ticks + time)

    def judge(self, entry: int, limit: int) -> str:
        there = self.reached[entry] | {entry}
        releases = {k for k in there if self.code[k].opcode is Opcode.RELEASE}
        if any(self.times[self.code[k].x] == 0 for k in releases):
            return "untimed"
        worst = Fraction(0)
        for k in there:
            for target, _ in self.edges[k]:
                beside = self.code[k].opcode in BEGINS and k in self.reached[k] and k not in self.reached[target]
                if beside and releases & (self.reached[target] | {target}):
                    return "uncounted"
            for work, ticks in self.rounds(k, k, frozenset({k}), 0, 0):
                if work and not ticks:
                    return "uncounted"
                worst = max(worst, Fraction(work, ticks * self.tick_ns) if work else Fraction(0))
        return "ok" if max(worst, self.load(entry)) * 100 <= limit and worst <= 1 else "load"

    def load(self, at: int) -> Fraction:
        """Of an instruction and all that it leads to."""
        members = self.members(at) or [at]
        inside = set(members)
        found = Fraction(0)
        for first in members:
            for work, ticks in self.rounds(first, first, frozenset({first}), 0, 0) if at in self.reached[at] else ():
                found = max(found, Fraction(work, ticks * self.tick_ns) if work else Fraction(0))
        for k in members:
            behind = [self.load(target) for target, _ in self.edges[k] if target not in inside]
            found = max([found, *behind, *([sum(behind, Fraction(0))] if self.code[k].opcode in BEGINS else [])])
        return found


def test_of_random_programs_target_and_model_decide_the_same() -> None:
    chance = random.Random(31)
    seen: dict[str, int] = {}
    for _ in range(MANY * 4):
        program = drawn(chance, chance.choice((5, 9, 12)))
        image = [chance.choice((0, *[chance.randint(1, 3000)] * 9)) for _ in range(2)]
        given = chance.choice((None, [chance.choice((0, chance.randint(1, 3000))) for _ in range(2)]))
        limit = chance.choice((100, 100, 60, 1))
        found, _ = judged(program, image, given, limit)
        if found in ("ok", *REASONS[REASONS.index("untimed") :]):
            times = [max(pair) for pair in zip(image, given or image, strict=True)]
            assert found == Model(program, times).judge(program.entry, limit), (program, times)
            seen[found] = seen.get(found, 0) + 1
    assert {"ok", "untimed", "uncounted", "load"} <= set(seen), seen


def test_of_random_cycles_beside_each_other_the_loads_add_up() -> None:
    chance = random.Random(37)
    decided: dict[str, int] = {}
    for _ in range(MANY // 4):
        parts = [random_part(chance, own)[0] for own in ([0, 1], [2, 3], [4, 5])[: chance.randint(1, 3)]]
        whole = parts[0]
        for part in parts[1:]:
            whole = composed(whole, part, chance.randint(0, 5)).program
        times = [chance.randint(1, 5_000_000 // len(parts)) for _ in range(6)]
        exact = sum((Model(part, times).load(part.entry) for part in parts), Fraction(0))
        found, _ = judged(whole, times)
        assert found == ("ok" if exact <= 1 else "load"), exact
        decided[found] = decided.get(found, 0) + 1
        if found == "ok":  # the last task of the first part takes what is left, and then a nanosecond more
            first = Model(parts[0], [0, 1, 0, 0, 0, 0]).load(parts[0].entry)
            filled = times[1] + (1 - exact) / first
            if filled.denominator == 1:
                assert judged(whole, [times[0], int(filled), *times[2:]])[0] == "ok"
                assert judged(whole, [times[0], int(filled) + 1, *times[2:]])[0] == "load"
                decided["full"] = decided.get("full", 0) + 1
    assert min(decided.get(name, 0) for name in ("ok", "load", "full")) > 10, decided


GIOTTO = """output int o0 := zero; int o1 := zero; int o2 := zero;
{tasks}start m0 {{
{modes}}}
"""


def giotto(chance: random.Random, times: Sequence[int]) -> str:
    """A program with modes that switch to each other, in a ring."""
    tasks = "".join(f"task t{k} () output (o{k}) state () {{ schedule f{k}(o{k}) }} [wcet {w}us]\n" for k, w in enumerate(times))
    count = chance.randint(1, 3)
    modes = ""
    for mode in range(count):
        does = "".join(f" taskfreq {chance.choice((1, 2, 3, 6))} do t{k}();" for k in range(3) if chance.random() < 0.7)
        switch = f" exitfreq 1 do m{(mode + 1) % count}(d{mode});" if count > 1 else ""
        modes += f"  mode m{mode} (o0, o1, o2) period {chance.choice((6, 12, 18))} {{{switch}{does} }}\n"
    drivers = "".join(f"driver d{k} (o0) output () {{ if g{k}(o0) then c() }}\n" for k in range(count))
    return GIOTTO.format(tasks=tasks + (drivers if count > 1 else ""), modes=modes)


def compiled(text: str) -> tuple[Program, dict[str, Fraction], Fraction]:
    """A Giotto program's microcode, its execution times, and the greatest load of its modes."""
    diagnostics = Diagnostics()
    source = parse_giotto(text, "program.giotto", diagnostics)
    assert source is not None, [str(d) for d in diagnostics.reported]
    found = compile_giotto(source, diagnostics)
    assert found is not None, [str(d) for d in diagnostics.reported]
    return found.program, execution_times(source), max(load.share or Fraction(0) for load in loads(source).values())


def test_a_giotto_program_is_refused_if_a_mode_needs_more_than_all_and_only_then() -> None:
    chance = random.Random(41)
    seen = {"ok": 0, "load": 0}
    for _ in range(MANY // 8):
        program, times, load = compiled(giotto(chance, [chance.randint(1, 2500) for _ in range(3)]))
        found, _ = judged(program, nanoseconds(times, [task.name for task in program.tasks]))
        assert found == ("ok" if load <= 1 else "load"), load
        seen[found] += 1
    assert min(seen.values()) > 10, seen


def test_at_all_of_the_processor_a_program_is_accepted_and_a_nanosecond_more_refused() -> None:
    program = program_of("a:; release t1, 20; release t2, 10; future 10, b; return; b:; release t2, 10; future 10, a; return")
    for limit, all_of_it in ((100, 20_000), (97, 19_400), (1, 200)):
        for second in (1, 99, all_of_it // 2 - 1):
            assert judged(program, [all_of_it - 2 * second, second], limit=limit)[0] == "ok"
            assert judged(program, [all_of_it - 2 * second + 1, second], limit=limit)[0] == "load"


def test_of_the_times_of_image_and_upload_the_greater_one_counts() -> None:
    program = program_of("a:; release t1, 10; future 10, a; return")
    for image, given, expected in (
        (10_000, 0, "ok"),
        (10_001, 1, "load"),
        (1, 10_001, "load"),
        (0, 10_000, "ok"),
        (0, 0, "untimed"),
    ):
        assert judged(program, [image, 0], [given, 0])[0] == expected


def test_releases_without_a_least_time_between_are_not_counted_and_refused() -> None:
    for text in ("a:; release t1, 10; future e, a; return", "a:; future 10, b; release t1, 10; return; b:; future 10, a; return"):
        assert judged(program_of(text), [1, 1])[0] == "uncounted"
    assert judged(program_of("a:; release t1, 10; future e, b; return; b:; return"), [1, 1])[0] == "ok"  # once


def test_no_bytes_overflow() -> None:
    """The longest times, the most instructions: what cannot be counted is refused, in a time that is bounded."""
    most = (1 << 32) - 1
    far = (1 << 24) - 1
    release = [Instruction(Opcode.RELEASE, 0, 1)] * (ROOM - 2)
    heavy = (*release, Instruction(Opcode.FUTURE, time=far, y=0), Instruction(Opcode.RETURN))
    program = replace(program_of("a:; return"), code=heavy, tick_ns=most)
    assert judged(program, [most, most])[0] == "uncounted"  # 598 * 4 s are more than WORK
    assert judged(program, [1, 1])[0] == "ok"
    long = []
    for k in range(0, ROOM - 2, 2):
        long += [Instruction(Opcode.FUTURE, time=far, y=(k + 2) % (ROOM - 2)), Instruction(Opcode.RETURN)]
    long[1:1] = [Instruction(Opcode.RELEASE, 0, 1)]
    turned = [replace(i, y=i.y + 1 if i.y else 0) if i.opcode is Opcode.FUTURE else i for i in long]
    assert judged(replace(program, code=tuple(turned)), [1, 1])[0] in ("uncounted", "bindings")
    primes = [16_777_213, 16_777_199, 16_777_183]
    parts = [replace(program, code=(Instruction(Opcode.RELEASE, 0, 1), Instruction(Opcode.FUTURE, time=p, y=0),
                                    Instruction(Opcode.RETURN))) for p in primes]  # fmt: skip
    code = [Instruction(Opcode.FUTURE, time=1, y=4 + 3 * k) for k in range(3)] + [Instruction(Opcode.RETURN)]
    for k, part in enumerate(parts):
        code += [replace(i, y=i.y + 4 + 3 * k) if i.opcode is Opcode.FUTURE else i for i in part.code]
    assert judged(replace(program, code=tuple(code), tick_ns=1000), [1, 1])[0] == "uncounted"  # no 64 bits for all three
    # Of three loops that follow each other, the first needs 2^28 ns of each 2^18: as a product in 64 bits, that were little.
    turns = [(1 << 18) + 1, (1 << 18) + 3, (1 << 18) + 7]
    code = []
    for k, ticks in enumerate(turns):
        code += [Instruction(Opcode.IF, 0, y=min(4 * k + 4, 11)), Instruction(Opcode.RELEASE, min(k, 1), 1),
                 Instruction(Opcode.FUTURE, time=ticks, y=4 * k), Instruction(Opcode.RETURN)]  # fmt: skip
    assert judged(replace(program, code=tuple(code), tick_ns=1), [1 << 28, 1])[0] == "load"
    chance = random.Random(43)
    for _ in range(MANY):
        content = drawn(chance, 12)
        code = [
            replace(i, time=chance.choice((1, far, chance.randrange(1, far)))) if i.opcode is Opcode.FUTURE else i
            for i in content.code
        ]
        times = [chance.choice((0, 1, most, chance.randrange(most))) for _ in range(2)]
        judged(
            replace(content, code=tuple(code), tick_ns=chance.choice((1, most, 1_000_000))), times, times, chance.randint(1, 100)
        )


def test_a_target_refuses_an_upload_that_it_cannot_keep_and_says_why() -> None:
    program = program_of("a:; release t1, 10; future 10, a; return")
    loaded = Loaded(program, KEY, load=100, times=[6_000, 0])
    target = Target(loaded)
    assert target.status().checks
    assert target.upload(bare(program), EDF, KEY).result == "accepted"  # the image's time
    loaded.begin_next()
    assert target.upload(bare(program), EDF, KEY, [10_000, 0]).result == "accepted"
    loaded.begin_next()
    with pytest.raises(LoadError, match="more of the processor than they may take: instruction"):
        target.upload(bare(program), EDF, KEY, [10_001, 0])
    both = program_of("a:; release t1, 10; release t2, 10; future 10, a; return")
    with pytest.raises(LoadError, match="execution time of a task that it releases is not known to the target: instruction 1"):
        target.upload(bare(both), EDF, KEY)
    assert loaded.replaced == 2
    assert target.upload(bare(both), EDF, KEY, [0, 4_000]).result == "accepted"


def test_the_times_of_an_upload_before_are_not_those_of_one_without_times() -> None:
    program = program_of("a:; release t1, 10; future 10, a; return")
    target = Target(Loaded(program, KEY, load=100, times=[6_000, 0]))
    with pytest.raises(LoadError, match="more of the processor"):
        target.upload(bare(program), EDF, KEY, [10_001, 0])
    assert target.upload(bare(program), EDF, KEY).result == "accepted"  # it lies where the other one lay


def test_times_that_were_cut_or_are_too_many_are_refused() -> None:
    program = program_of("a:; release t1, 10; future 10, a; return")
    loaded = Loaded(program, KEY, load=100, times=[6_000, 0])
    content = bare(program)
    for bytes_more in range(1, 17):
        if bytes_more != 8:
            with pytest.raises(Exception, match="it is shorter or longer than it says"):
                Target(loaded).upload(content + bytes(bytes_more), EDF, KEY)
    for said in (0, len(content) - 8, len(content) + 8, 0xFFFFFFFF, 0xFFFFFFF8):
        with pytest.raises(Exception, match="refused"):
            Target(loaded).upload(sealed(content)[:8] + struct.pack("<I", said) + content[12:], EDF, KEY)
    assert loaded.replaced == 0


def test_an_image_that_looks_at_no_load_gets_no_times() -> None:
    program = program_of("a:; release t1, 10; future 10, a; return")
    loaded = Loaded(program, KEY)
    assert not Target(loaded).status().checks
    assert Target(loaded).upload(bare(program), EDF, KEY, [10_001, 0]).result == "accepted"
