# SPDX-License-Identifier: Apache-2.0
"""The ring of [trace] in memory says what the emulator saw, and pins say the same."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pytest
from laboratory import AST, MPS, Laboratory, Outcome, declared, points, task, works

from carillon.capture import Capture
from carillon.capture.ring import read_ring
from carillon.capture.trace import Captured, lanes_of, trace_of
from carillon.capture.vcd import read_vcd
from carillon.model.board import Role
from carillon.pipeline import releases
from carillon.show import scene, vcd
from carillon.timing.handlers import handler_cost
from carillon.trace import Kind, Trace
from carillon.trace.analyse import analyse
from carillon.trace.summary import Summary
from runnable import NODE, RIGLESS

BOARDS = [AST, MPS, pytest.param("stm32f4-discovery", marks=RIGLESS), pytest.param("raspberry-pi-pico", marks=NODE)]
LENGTHS = {"stm32f4-discovery": 16_000_000, "raspberry-pi-pico": 50_000}
"""Ticks of a round, in which the ring is printed: by a UART that takes its time."""
ROUND = 20_000
"""Long enough for the ring to be printed in what it leaves idle."""
TASKS = ("Slow", "Fast", "Print")
NOTE = 12
"""Instructions of an event at most."""
AROUND = 2
"""Of what stands in a task's place: saving registers and calling the task, or restoring them."""
ADDRESSES = {"raspberry-pi-pico": 3}
"""Instructions that load addresses first; on ARMv7-M they are among the twelve."""


def code(words: int) -> str:
    """Tasks, of which the last prints the ring in the round ``LAST``."""
    return works(Slow=400, Fast=90) + (
        f"extern uint32_t carillon_trace_ring[{words}];\nstatic uint32_t rounds;\n"
        + task(
            "Print",
            "if (++rounds == 5u) {\n"
            f"    for (uint32_t k = 0u; k < {words}u; k++) {{\n"
            '        report("word", carillon_trace_ring[k]);\n    }\n}',
        )
    )


def schedule(words: int, round_length: int = 400_000) -> str:
    table = points(round_length, (1000, "Slow"), (1200, "Fast"), (2000, "Slow"), (4000, "Print"), window="deadline")
    return declared(Slow=0, Fast=0, Print=0) + table + f"[trace]\nring = {words}\n"


def traced(lab: Laboratory, board: str, words: int) -> Outcome:
    return lab.run(schedule(words, LENGTHS.get(board, 400_000)), code(words), board, rounds=6)


def ring_of(outcome: Outcome) -> Captured:
    data = struct.pack(f"<{len(outcome.said('word'))}I", *outcome.said("word"))
    system = outcome.planned.system
    return decoded(read_ring(data, "ring.bin", system, outcome.firmware.elf, None), outcome)


def decoded(capture: Capture, outcome: Outcome) -> Captured:
    system = outcome.planned.system
    return trace_of(capture, lanes_of(capture, {}, TASKS), system, 0)


def pins_of(outcome: Outcome) -> Captured:
    stream = io.StringIO()
    vcd.write(stream, scene.panels_of(outcome.trace, releases(outcome.planned.system, outcome.trace)))
    return decoded(read_vcd(stream.getvalue(), "pins.vcd"), outcome)


def timeline(trace: Trace, summary: Summary | None = None) -> dict[str, list[tuple[float, float]]]:
    """(start, end) of each run that has ended, in instructions of the emulator, by task."""
    runs = (summary or analyse(trace, [])).runs
    scale = max(1, trace.instructions_per_tick)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in TASKS}
    for run in runs:
        if run.end is not None:
            found[run.lane.name].append((run.begin.n / scale, (run.end.n + 1) / scale))
    return found


@pytest.mark.parametrize("words", [16, 128])
@pytest.mark.parametrize("board", BOARDS)
def test_ring_pins_and_emulator_have_one_timeline(lab: Laboratory, board: str, words: int) -> None:
    outcome = traced(lab, board, words)
    seen, pins, ring = timeline(outcome.trace), timeline(pins_of(outcome).trace), ring_of(outcome)
    kept = timeline(ring.trace)
    near = (NOTE + AROUND) / outcome.per_tick + 1
    shift = seen["Slow"][0][0] - pins["Slow"][0][0]
    for name in TASKS:
        assert len(pins[name]) == len(seen[name])
        for one, other in zip(seen[name], pins[name], strict=True):
            assert one == pytest.approx((other[0] + shift, other[1] + shift), abs=1)
    first = ring.trace.events[1]
    assert first.kind is Kind.START
    # The ring has the last events up to the task that printed it: the same rounds, counted from the first that it has.
    back = {name: seen[name][: 2 * 5 if name == "Slow" else 5 if name == "Fast" else 4] for name in TASKS}
    rounds = (5 - -(-sum(len(runs) for runs in kept.values()) // 4)) * LENGTHS.get(board, 400_000)
    assert sum(len(runs) for runs in kept.values()) >= min(words // 2 - 2, 19)
    shift = min(
        (back[name][-len(kept[name])][0] - kept[name][0][0] for name in TASKS if kept[name]), key=lambda d: abs(d - rounds)
    )
    for name in TASKS:
        for one, other in zip(reversed(back[name]), reversed(kept[name]), strict=False):
            assert one[0] == pytest.approx(other[0] + shift, abs=near)
            assert one[1] == pytest.approx(other[1] + shift, abs=near)


@pytest.mark.parametrize("board", BOARDS)
def test_an_event_takes_twelve_instructions(lab: Laboratory, board: str) -> None:
    untraced = schedule(128, LENGTHS.get(board, 400_000)).split("[trace]")[0]
    traced_, plain = traced(lab, board, 128), lab.run(untraced, works(Slow=400, Fast=90, Print=5), board)
    for name in ("Slow", "Fast"):
        one, other = traced_.task(name), plain.task(name)
        assert one.dispatch is not None
        assert other.dispatch is not None
        assert one.terminate is not None
        assert other.terminate is not None
        assert one.dispatch.maximum - other.dispatch.maximum <= NOTE + AROUND + ADDRESSES.get(board, 0)
        assert one.terminate.maximum - other.terminate.maximum <= NOTE


@pytest.mark.parametrize("board", BOARDS)
def test_the_check_of_deadlines_counts_the_events(lab: Laboratory, board: str) -> None:
    outcome = traced(lab, board, 128)
    (mode,) = outcome.planned.image.modes
    for name in ("Slow", "Fast"):
        costs = [handler_cost(outcome.planned.image, mode, c) for c in outcome.carriers(Role.ACTIVATION, name)]
        figures = outcome.task(name)
        assert figures.dispatch is not None
        assert figures.terminate is not None
        assert NOTE <= figures.dispatch.maximum <= max(c.before for c in costs)
        assert (
            NOTE - AROUND <= figures.terminate.maximum <= max(c.after for c in costs) + 2
        )  # the handler's return, and the task's own


def test_a_dump_of_all_memory_has_the_ring_where_the_image_says(lab: Laboratory) -> None:
    outcome = traced(lab, AST, 16)
    from carillon.elf import read_elf

    symbols = {s.name: s for s in read_elf(outcome.firmware.elf).symbols}
    address, variable = symbols["carillon_trace_ring"].address, symbols["carillon_trace_next"].address
    alone = ring_of(outcome)
    for place in range(16):
        words = outcome.said("word")[-place:] + outcome.said("word")[:-place]
        memory = bytearray(0x8000)
        base = min(address, variable) & ~0xFF
        struct.pack_into("<16I", memory, address - base, *words)
        first = (_oldest(outcome.said("word")) + place) % 16
        struct.pack_into("<I", memory, variable - base, 4 * (first + 16 * place))  # how many there were, in bytes
        capture = read_ring(bytes(memory), "ram.bin", outcome.planned.system, outcome.firmware.elf, base)
        assert timeline(decoded(capture, outcome).trace) == timeline(alone.trace)


def _oldest(words: list[int]) -> int:
    from carillon.image.words import Words

    stamps = [-(word >> 3) & ((1 << 29) - 1) for word in words]
    assert Words(3, 29, True).read(words[0])[0] == stamps[0]
    return stamps.index(min(stamps))


def test_nothing_of_a_ring_is_in_an_image_without_one(lab: Laboratory) -> None:
    plain = lab.run(schedule(128).split("[trace]")[0], works(Slow=400, Fast=90, Print=5), AST)
    assert b"carillon_trace" not in plain.firmware.elf.read_bytes()


def test_a_header_has_its_own_code_at_starts_and_ends(lab: Laboratory, tmp_path: Path) -> None:
    header = "extern unsigned pins;\n#define CARILLON_TRACE_ENTER(task) pins |= PIN_##task\n"
    header += "#define CARILLON_TRACE_LEAVE(task) pins &= ~PIN_##task\n"
    header += "#define PIN_Slow 1u\n#define PIN_Fast 2u\n#define PIN_Print 4u\n"
    (tmp_path / "pins.h").write_text(header, encoding="utf-8")
    body = (
        "unsigned pins;\n"
        + task("Slow", "carillon_work(400);")
        + task("Fast", 'report("pins", pins);')
        + task("Print", 'report("pins", pins);')
    )
    text = schedule(16).replace("ring = 16", f'header = "{tmp_path / "pins.h"}"')
    outcome = lab.run(text, body, AST)
    assert outcome.said("pins") == [3, 4]
