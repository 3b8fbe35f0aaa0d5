# SPDX-License-Identifier: Apache-2.0
"""What a function takes of the stack, by its instructions, and what a chain of calls adds up to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carillon.elf import Symbol
from carillon.stacks.avr import Avr, WideAvr
from carillon.stacks.code import Call, Code, Unknown, Use
from carillon.stacks.graph import Calls
from carillon.stacks.riscv import RiscV
from carillon.stacks.thumb import Thumb


class Image:
    """As much of an ELF file as the readers of code ask for; ``functions``: a name, and where it begins and ends."""

    def __init__(self, data: dict[int, int], **functions: tuple[int, int]) -> None:
        self.data = data
        self.symbols = {name: Symbol(name, begin, end - begin, True, False) for name, (begin, end) in functions.items()}

    def around(self, address: int) -> Symbol | None:
        return next((s for s in self.symbols.values() if s.address <= address < s.address + s.size), None)

    def name_of(self, address: int) -> str:
        return next((s.name for s in self.symbols.values() if s.address == address), f"{address:#x}")

    def number(self, address: int, size: int) -> int:
        return int.from_bytes(self.bytes_at(address, size), "little")

    def bytes_at(self, address: int, size: int) -> bytes:
        return bytes(self.data[address + k] for k in range(size))


def code(kind: type[Code], text: str, data: dict[int, int] | None = None, **functions: tuple[int, int]) -> Code:
    """Code of instructions of two bytes, from address 0 on, one a line."""
    listing = "\n".join(f"  {2 * k:x}:\t{line.strip()}" for k, line in enumerate(text.strip().splitlines()))
    return kind(Image(data or {}, **(functions or {"f": (0, 0x100)})), listing.replace("    ", "\t"))  # type: ignore[arg-type]


def use(kind: type[Code], text: str, data: dict[int, int] | None = None) -> Use:
    """What one function takes."""
    return code(kind, text, data).use(0)


@pytest.mark.parametrize(
    ("kind", "text", "most"),
    [
        (Thumb, "push    {r4, r5, lr}\nsub    sp, #20\nadd    sp, #20\npop    {r4, r5, pc}", 32),
        (Thumb, "stmdb    sp!, {r4-r9, sl, lr}\nldmia.w    sp!, {r4-r9, sl, pc}", 32),
        (Thumb, "vpush    {d8-d10}\nvpush    {s16-s31}\nbx    lr", 24 + 64),
        (Thumb, "str.w    lr, [sp, #-4]!\nldr.w    pc, [sp], #4", 4),
        (Thumb, "strd    r4, lr, [sp, #-16]!\nldrd    r4, lr, [sp], #16\nbx    lr", 16),
        (Thumb, "push    {r7, lr}\nadd    r7, sp, #0\nsub.w    sp, sp, #512\nmov    sp, r7\npop    {r7, pc}", 520),
        (Thumb, "push    {lr}\nbeq.n    6 <f+0x6>\nsub    sp, #64\nadd    sp, #8\npop    {pc}", 68),
        (Thumb, "cmp    r0, #0\nit    eq\nbxeq    lr\npush    {r4, lr}\npop    {r4, pc}", 8),
        (Avr, "push    r28\npush    r29\nrcall    .+0    ; 0x6\npop    r0\npop    r0\npop    r29\npop    r28\nret", 4),
        (WideAvr, "push    r28\nrcall    .+0    ; 0x4\nret", 4),
        (Avr, "in    r28, 0x3d\nin    r29, 0x3e\nsbiw    r28, 0x20\nout    0x3e, r29\nout    0x3d, r28\nret", 32),
        (
            Avr,
            "in    r28, 0x3d\nin    r29, 0x3e\nsubi    r28, 0x2C\nsbci    r29, 0x01\nout    0x3e, r29\nout    0x3d, r28\nret",
            300,
        ),
        (Avr, "in    r28, 0x3d\nin    r29, 0x3e\nsubi    r28, 0x60\nsbc    r29, r1\nout    0x3e, r29\nout    0x3d, r28\nret", 96),
        (Avr, "cpse    r24, r1\npush    r2\npush    r3\nret", 2),
        (RiscV, "addi    sp,sp,-64\nsw    ra,60(sp)\naddi    sp,sp,64\nret", 64),
        (RiscV, "addi    sp,sp,-16\naddi    s0,sp,16\nlui    t0,0x1\nsub    sp,sp,t0\naddi    sp,s0,-16\nret", 4112),
    ],
)
def test_what_a_function_takes_is_followed_along_its_instructions(kind: type[Code], text: str, most: int) -> None:
    found = use(kind, text)
    assert (found.most, found.unknown) == (most, "")


def test_a_large_frame_of_thumb_1_is_a_number_in_memory() -> None:
    text = "push    {r4, lr}\nldr    r4, [pc, #4]    @ (10 <f+0x10>)\nadd    sp, r4\npop    {r4, pc}"
    assert use(Thumb, text, dict(enumerate((0x100000000 - 1000).to_bytes(4, "little"), 0x10))).most == 1008


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        (
            Thumb,
            "push    {r7, lr}\nsub.w    sp, sp, r0\npop    {r7, pc}",
            "changes the stack pointer by what is not known, at 0x2",
        ),
        (Thumb, "push    {r4}\nb.n    0 <f>", "takes more of the stack in each turn of a loop"),
        (Thumb, "mov    pc, r3", "jumps through a register"),
        (Avr, "out    0x3e, r25\nout    0x3d, r24\nret", "changes the stack pointer"),
        (RiscV, "sub    sp,sp,a0\nret", "changes the stack pointer"),
        (
            RiscV,
            "lw    a5,0(a5)\njr    a5\naddi    sp,sp,-16\nret",
            "jumps by a table, or has code that is never reached, at 0x4",
        ),
    ],
)
def test_what_is_not_understood_is_told_with_its_place(kind: type[Code], text: str, reason: str) -> None:
    assert reason in use(kind, text).unknown


TWO = {"f": (0, 0x10), "g": (0x10, 0x20)}


@pytest.mark.parametrize(
    ("kind", "text", "size"),
    [
        (Thumb, "push    {r4, lr}\nbl    10 <g>\npop    {r4, pc}" + "\nnop" * 5 + "\npush    {r4-r7}\nbx    lr", 8 + 16),
        (Thumb, "push    {r4, lr}\nadd    sp, #8\nb.w    10 <g>" + "\nnop" * 5 + "\npush    {r4-r7}\nbx    lr", 16),
        (Avr, "push    r2\ncall    0x10    ; 0x10 <g>\nret" + "\nnop" * 5 + "\npush    r3\nret", 1 + 2 + 1),
        (Avr, "push    r2\npop    r2\njmp    0x10    ; 0x10 <g>" + "\nnop" * 5 + "\npush    r3\nret", 1),
        (WideAvr, "push    r2\ncall    0x10    ; 0x10 <g>\nret" + "\nnop" * 5 + "\npush    r3\nret", 1 + 3 + 1),
        (RiscV, "addi    sp,sp,-16\njal    10 <g>\nret" + "\nnop" * 5 + "\naddi    sp,sp,-32\nret", 48),
    ],
)
def test_a_call_adds_to_its_callers_stack_and_a_tail_call_does_not(kind: type[Code], text: str, size: int) -> None:
    found = Calls(code(kind, text, None, **TWO), {}, {}, {}).of(0)
    assert found.open.size == size


ITSELF = "push    {r4, lr}\nbl    0 <f>\npop    {r4, pc}"
ADDRESS = "push    {r4, lr}\nblx    r3\npop    {r4, pc}" + "\nnop" * 5 + "\npush    {r4-r7}\nbx    lr"


def test_recursion_and_calls_of_addresses_are_refused_unless_they_are_named() -> None:
    with pytest.raises(Unknown, match="'f' may call itself"):
        Calls(code(Thumb, ITSELF), {}, {}, {}).of(0)
    assert Calls(code(Thumb, ITSELF), {}, {"f": 3}, {}).of(0).open.size == 24
    assert Calls(code(Thumb, ITSELF), {}, {}, {"f": 1}).of(0).open.size == 16  # it is entered once more, and returns
    with pytest.raises(Unknown, match="'f' calls an address, at 0x2"):
        Calls(code(Thumb, ADDRESS, None, **TWO), {}, {}, {}).of(0)
    assert Calls(code(Thumb, ADDRESS, None, **TWO), {"f": [0x10]}, {}, {}).of(0).open.size == 24


def test_the_switch_of_stacks_ends_what_is_on_this_one() -> None:
    text = "push    {r4, lr}\nldr.w    sp, [r0]\npop    {r4, pc}"
    assert code(Thumb, text, None, f=(0, 0x10)).use(0).unknown
    found = code(Thumb, text, None, carillon_port_resume=(0, 0x10)).use(0)
    assert (found.most, found.unknown) == (8, "")


def test_the_error_hook_is_where_interrupts_are_held_back() -> None:
    text = "push    {lr}\nbl    10 <g>\npop    {pc}" + "\nnop" * 5 + "\npush    {r4-r7}\nbx    lr"
    found = Calls(code(Thumb, text, None, carillon_osek_fail=(0, 0x10), g=(0x10, 0x20)), {}, {}, {}).of(0)
    assert found.open.size == 4
    assert found.held is not None
    assert found.either.size == found.held.size == 20


def test_a_table_of_jumps_has_as_many_cases_as_stand_before_the_first() -> None:
    table = "\n.short    0x0302" + "\n.short    0x0000" * 2  # at 6: cases at 6 + 2 * 2 and 6 + 2 * 3
    found = use(
        Thumb, f"push    {{lr}}\ntbb    [pc, r0]{table}\npop    {{pc}}\nsub    sp, #64\npop    {{pc}}", {6: 2, 7: 3, 8: 0, 9: 0}
    )
    assert (found.most, found.unknown) == (68, "")


@dataclass(frozen=True)
class Graph:
    """Functions by number, each with what it takes by itself, and its calls, with what is taken there."""

    functions: Mapping[int, tuple[int, tuple[tuple[int, int], ...]]]

    def name_of(self, at: int) -> str:
        return f"f{at}"

    def use(self, at: int) -> Use:
        most, calls = self.functions[at]
        return Use(most, [Call(target, depth, 0) for target, depth in calls])

    def deepest(self, at: int, most: Mapping[int, int], active: tuple[int, ...] = ()) -> int:
        """The deepest chain, every chain being tried; what is active as often as it may be returns when it is entered."""
        alone, calls = self.functions[at]
        best = max([alone, *(depth for _, depth in calls)])
        if at in most and active.count(at) >= most[at]:
            return best
        return max([best, *(depth + self.deepest(target, most, (*active, at)) for target, depth in calls)])


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Graph, dict[int, int]]:
    """Functions 0 to n - 1 call later ones, and any of those that may be active several times."""
    count = draw(st.integers(2, 6))
    several = draw(st.dictionaries(st.integers(1, count - 1), st.integers(1, 2), max_size=3))
    size = st.integers(0, 40)

    def calls(at: int) -> st.SearchStrategy[tuple[tuple[int, int], ...]]:
        targets = sorted({*range(at + 1, count), *several})
        return st.lists(st.tuples(st.sampled_from(targets), size), max_size=2).map(tuple) if targets else st.just(())

    return Graph({at: (draw(size), draw(calls(at))) for at in range(count)}), several


@given(graphs())
def test_the_bound_of_many_combinations_is_no_less_than_the_deepest_chain(drawn: tuple[Graph, dict[int, int]]) -> None:
    graph, most = drawn
    calls = Calls(graph, {}, {}, {f"f{at}": n for at, n in most.items()})  # type: ignore[arg-type]
    exact = graph.deepest(0, most)
    assert calls.of(0).open.size == exact
    summed = calls.summed(0)
    assert exact <= summed.size == sum(size for _, size in summed.chain)
    if not most:
        assert summed.size == exact


def test_very_many_combinations_are_bounded_at_once() -> None:
    """Forty functions, each of which calls all, and may be active once."""
    every = range(1, 41)
    graph = Graph({0: (8, ((1, 8),)), **{at: (16, tuple((other, 16) for other in every)) for at in every}})
    found = Calls(graph, {}, {}, {f"f{at}": 1 for at in every}).of(0)  # type: ignore[arg-type]
    assert found.open.size == 8 + 40 * 16 + 16
