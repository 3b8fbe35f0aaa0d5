# SPDX-License-Identifier: Apache-2.0
"""The stream of [trace] says what the emulator saw, and nothing starts later for it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from laboratory import AST, MPS, Laboratory, Outcome, declared, points, task, works

from carillon.capture.stream import Gap, Happened, Recording
from carillon.diagnostics import Diagnostics
from carillon.elf import read_elf
from carillon.resources import data_root
from carillon.run import run
from carillon.run.hardware import Hardware
from carillon.trace import Event, Kind, Trace
from runnable import NODE, RIGLESS

NEAR = 16
"""Instructions from a start's event to the task's first one, and to an end's event from its last one, at most."""


def fast(board: str, folder: Path) -> str:
    """A board's file whose line has the rate that QEMU's has: any."""
    own = folder / board
    shutil.copytree(data_root() / "boards" / board, own)
    text = (own / "board.toml").read_text(encoding="utf-8")
    (own / "board.toml").write_text(re.sub(r"baud = [0-9_]+\n", "baud = 1_000_000_000\n", text), encoding="utf-8")
    return str(own / "board.toml")


def traced(ring: int, transport: str = "uart") -> str:
    return f'[trace]\nring = {ring}\nstream = "{transport}"\n'


def streamed(lab: Laboratory, tmp_path: Path, schedule: str, code: str, board: str, rounds: int) -> tuple[Recording, Trace]:
    """What the stream of a run tells, and what the emulator does."""
    path = lab.write(schedule, code)
    planned, firmware = lab.firmware(path, fast(board, tmp_path))
    length = planned.system.modes[0].round_length * rounds
    diagnostics, file = Diagnostics(), tmp_path / "stream"
    trace = run(planned.image, firmware, length, diagnostics, rounds=rounds, hardware=Hardware(stream=file))
    assert trace is not None, [str(d) for d in diagnostics.reported]
    recording = Recording(str(file), planned.system, 10**6)
    recording.feed(file.read_bytes())
    recording.feed(None)
    return recording, trace


def said(event: Event) -> tuple[str, bool]:
    return event.object, event.kind is Kind.START


def agrees(recording: Recording, trace: Trace, near: int = NEAR) -> list[Gap]:
    """Each event of the stream is one of the emulator's, at its time and, but for what is near, of its number; returns gaps."""
    seen = [event for event in trace.events if event.kind in (Kind.START, Kind.END)]
    told = [item for item in recording.items if isinstance(item, Happened)]
    gaps = [item for item in recording.items if isinstance(item, Gap)]
    assert told
    per_tick = max(1, trace.instructions_per_tick)
    offsets, found = [], set()
    for event in told:
        # What preempts a task behind its last instruction, or before its first one, may come on the other side of its event.
        near_by = sorted(range(max(0, event.number - 2), min(len(seen), event.number + 3)), key=lambda k: abs(k - event.number))
        own = next(k for k in near_by if said(seen[k]) == (recording.names[event.function], event.begins) and k not in found)
        found.add(own)
        offsets.append(event.time * recording.unit * trace.clock_hz * per_tick - seen[own].n)
    assert max(offsets) - min(offsets) <= near + per_tick
    known = {event.number for event in told} | {n for gap in gaps for n in range(gap.number, gap.number + gap.length)}
    assert known == set(range(max(known) + 1))
    assert len(known) == len(told) + sum(gap.length for gap in gaps)
    assert all(gap.exact for gap in gaps)
    assert gaps or len(seen) - max(known) <= 4
    assert recording.decoder.damaged < 24  # of the frames that the run's end cuts off
    return gaps


@pytest.mark.parametrize("ring", [16, 256])
@pytest.mark.parametrize("board", [AST, MPS])
def test_each_event_of_the_emulator_is_in_the_stream(lab: Laboratory, tmp_path: Path, board: str, ring: int) -> None:
    schedule = declared(Slow=0, Fast=0) + points(20_000, (1000, "Slow"), (1200, "Fast"), (8000, "Slow"), (12_000, "Fast"))
    recording, trace = streamed(lab, tmp_path, schedule + traced(ring), works(Slow=400, Fast=90), board, 300)
    assert agrees(recording, trace) == []
    assert recording.events == 300 * 8
    assert recording.decoder.places == -(-recording.events // 64)


def test_what_comes_at_any_instruction_of_an_event_is_in_its_order(lab: Laboratory, tmp_path: Path) -> None:
    # An instruction is a tick: High comes at each one of what is done around Low, from a tick behind its own to its end.
    entries: list[tuple[int, str]] = []
    distances = range(1, 130)
    for k, distance in enumerate(distances):
        entries += [(2000 * k + 100, "Low"), (2000 * k + 100 + distance, "High")]
    schedule = declared(Low=150, High=100) + points(2000 * len(distances), *entries, window="wcet")
    recording, trace = streamed(lab, tmp_path, schedule + traced(16), works(Low=30, High=5), AST, 3)
    # High's own may come between Low's event and what it tells of.
    assert agrees(recording, trace, near=NEAR + 90) == []
    assert recording.events >= 3 * 4 * len(distances) - 4


@pytest.mark.parametrize("board", [AST, MPS])
@pytest.mark.parametrize("ring", [16, 64])
def test_what_the_ring_had_no_room_for_is_told_as_a_gap_of_its_length(
    lab: Laboratory, tmp_path: Path, board: str, ring: int
) -> None:
    # While Slow runs, nothing is sent, and Fast has more events than the ring.
    fast = [(2000 + 600 * k, "Fast") for k in range(41)]
    table = points(60_000, (1000, "Slow"), *fast, (40_000, "Fast"), (48_000, "Fast"), window="wcet")
    schedule = declared(Slow=30_000, Fast=300) + table
    recording, trace = streamed(lab, tmp_path, schedule + traced(ring), works(Slow=20_000, Fast=50), board, 40)
    gaps = agrees(recording, trace, near=NEAR + 120)  # one of Fast's comes between Slow's end and its event
    assert len(gaps) == 40
    assert recording.dropped == recording.lost == sum(gap.length for gap in gaps)
    assert max(gap.length for gap in gaps) - min(gap.length for gap in gaps) <= 2


def test_a_schedule_that_leaves_no_time_idle_loses_all_but_says_so(lab: Laboratory, tmp_path: Path) -> None:
    schedule = declared(Busy=0, Fast=0) + points(1000, (100, "Fast"), (300, "Fast"), (500, "Busy"))
    code = task("Fast", "carillon_work(20u);") + task("Busy", "static uint32_t n; carillon_work((++n % 50u == 0u) ? 20u : 495u);")
    recording, trace = streamed(lab, tmp_path, schedule + traced(16), code, AST, 600)
    gaps = agrees(recording, trace)
    assert gaps
    assert recording.dropped == recording.lost > 1000


@pytest.mark.parametrize("board", [AST, MPS])
def test_no_task_starts_or_ends_later_because_the_ring_is_sent(lab: Laboratory, tmp_path: Path, board: str) -> None:
    board = fast(board, tmp_path)
    schedule = declared(Slow=0, Fast=0) + points(20_011, (1000, "Slow"), (1200, "Fast"), (8000, "Slow"), (12_000, "Fast"))
    outcomes = [
        lab.run(schedule + text, works(Slow=400, Fast=90), board, rounds=200) for text in ("[trace]\nring = 64\n", traced(64))
    ]
    ring, stream = ([(e.t, e.n, e.kind, e.object) for e in o.events(Kind.START, Kind.END)] for o in outcomes)
    first = stream[0][1] - ring[0][1]  # the idle loop is another one
    assert [(t, n - first, kind, name) for t, n, kind, name in stream] == ring


def test_beneath_rounds_the_idle_of_the_event_triggered_system_sends(lab: Laboratory, tmp_path: Path) -> None:
    schedule = declared(Fast=0) + points(20_000, (1000, "Fast"), (9000, "Fast"))
    schedule += "[osek.task.Low]\npriority = 1\nautostart = true\n"
    code = works(Fast=50) + "TASK(Low) { carillon_work(2000u); TerminateTask(); }\n"
    code += "void ttIdleTask(void)\n{\n    StartOS(OSDEFAULTAPPMODE);\n}\n"
    recording, _ = streamed(lab, tmp_path, schedule + traced(16), code, AST, 50)
    assert recording.events >= 200
    assert recording.gap_count == 0


def test_a_stream_is_not_asked_for_where_nothing_carries_it(lab: Laboratory) -> None:
    outcome = lab.run(declared(T=0) + points(1000, (100, "T")) + "[trace]\nring = 16\n", works(T=10), AST)
    assert not [s.name for s in read_elf(outcome.firmware.elf).symbols if "stream" in s.name or "RTT" in s.name]


# A task plays the debugger: it takes what the block says is there, and moves `read`.
DEBUGGER = """
struct channel { const char *name; const uint8_t *buffer; uint32_t size, write, read, flags; };
struct block { char identifier[16]; int32_t ups, downs; struct channel up; };
extern volatile struct block rtt __asm__("_SEGGER_RTT");
static uint32_t rounds;
static void drain(uint32_t most)
{
    for (; most != 0u && rtt.up.read != rtt.up.write; most--) {
        report("byte", rtt.up.buffer[rtt.up.read]);
        rtt.up.read = (rtt.up.read + 1u) % rtt.up.size;
    }
}
"""


def told_by(outcome: Outcome) -> tuple[Recording, Sequence[int]]:
    recording = Recording("rtt", outcome.planned.system, 10**6)
    recording.feed(bytes(outcome.said("byte")))
    recording.feed(None)
    return recording, outcome.said("head")


@pytest.mark.parametrize(
    "board", [AST, MPS, pytest.param("stm32f4-discovery", marks=RIGLESS), pytest.param("raspberry-pi-pico", marks=NODE)]
)
def test_a_debugger_reads_the_stream_from_the_block_of_rtt(lab: Laboratory, board: str) -> None:
    length = {"stm32f4-discovery": 16_000_000, "raspberry-pi-pico": 50_000}.get(board, 400_000)
    table = points(length, (1000, "Slow"), (1200, "Fast"), (2000, "Slow"), (4000, "Print"), window="deadline")
    head = 'for (uint32_t k = 0u; k < 16u; k++) {\n report("head", (uint8_t)rtt.identifier[k]);\n}\n'
    code = works(Slow=400, Fast=90) + DEBUGGER + task("Print", "if (++rounds == 2u) {\n" + head + "}\ndrain(60u);")
    outcome = lab.run(declared(Slow=0, Fast=0, Print=0) + table + traced(16, "rtt"), code, board, rounds=6)
    recording, told = told_by(outcome)
    assert bytes(told) == b"SEGGER RTT".ljust(16, b"\0")
    assert recording.events > 20
    assert recording.gap_count == 0
    seen = [e for e in outcome.trace.events if e.kind in (Kind.START, Kind.END)]
    for event in (item for item in recording.items if isinstance(item, Happened)):
        assert (seen[event.number].object, seen[event.number].kind is Kind.START) == (
            recording.names[event.function],
            event.begins,
        )


def test_what_a_debugger_was_too_slow_for_is_told_as_a_gap(lab: Laboratory) -> None:
    table = points(40_000, (1000, "Fast"), (2000, "Fast"), (4000, "Fast"), (20_000, "Print"), window="deadline")
    code = works(Fast=90) + DEBUGGER + task("Print", "rounds++;\ndrain((rounds > 80u) ? 400u : 1u);")
    outcome = lab.run(declared(Fast=0, Print=0) + table + traced(16, "rtt"), code, MPS, rounds=100)
    recording, _ = told_by(outcome)
    gaps = [item for item in recording.items if isinstance(item, Gap)]
    assert gaps
    assert recording.dropped == recording.lost > 200
    seen = [e for e in outcome.trace.events if e.kind in (Kind.START, Kind.END)]
    for event in (item for item in recording.items if isinstance(item, Happened)):
        assert (seen[event.number].object, seen[event.number].kind is Kind.START) == (
            recording.names[event.function],
            event.begins,
        )
