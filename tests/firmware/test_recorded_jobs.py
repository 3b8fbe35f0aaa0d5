# SPDX-License-Identifier: Apache-2.0
"""The ring and the stream of [trace] say of event-triggered tasks, threads and ISRs what the emulator saw."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from laboratory import AST, MPS, Laboratory, declared, points, works
from test_streaming import fast, streamed, traced

from carillon.capture.stream import Happened, Recording
from carillon.capture.trace import Captured, lanes_of, trace_of
from carillon.diagnostics import Diagnostics
from carillon.elf import read_elf
from carillon.run import run
from carillon.run.hardware import Hardware
from carillon.trace import Kind, Trace
from carillon.trace.analyse import analyse

NEAR = 40
"""Instructions from an event of the ring to what it tells of, at most, where nothing comes between."""

MIXED = """
[osek]
dispatch = "{dispatch}"
[osek.event.Go]
[osek.isr.Signal]
source = "soft0"
category = 2
[osek.task.Chains]
priority = 1
[osek.task.Follows]
priority = 2
[osek.task.Other]
priority = 2
[osek.task.Waits]
priority = 3
autostart = true
events = ["Go"]
[time]
clock = "periodic"
tick = "500 ticks"
[thread.Drives]
priority = 9
"""
CODE = """
#include "carillon/time.h"
static uint32_t turns;
TASK(Chains) {{ carillon_work(300u); ChainTask(Follows); }}
static void deep(void) {{ carillon_work(50u); TerminateTask(); }}
TASK(Follows) {{ ActivateTask(Other); carillon_work(90u); deep(); }}
TASK(Other) {{ carillon_work(60u); TerminateTask(); }}
TASK(Waits) {{ for (;;) {{ (void)WaitEvent(Go); (void)ClearEvent(Go); carillon_work(170u); {signal}; }} }}
ISR(Signal) {{ carillon_work(20u); }}
THREAD(Drives)
{{
    for (;;) {{
        (void)carillon_delay(23u);
        turns++;
        if ((turns % 3u) == 0u) {{ (void)ActivateTask(Chains); }}
        if ((turns % 2u) == 0u) {{ (void)SetEvent(Waits, Go); }}
        carillon_work(40u);
    }}
}}
void ttIdleTask(void) {{ StartOS(OSDEFAULTAPPMODE); }}
"""
TURNS = """
[osek]
dispatch = "{dispatch}"
[time]
clock = "one-shot"
slice = "1500 ticks"
""" + "".join(f"[thread.{name}]\npriority = {p}\n" for name, p in (("A", 1), ("B", 1), ("Above", 5)))
TAKES_TURNS = """
#include "carillon/time.h"
THREAD(A) { for (;;) { carillon_work(4000u); (void)carillon_delay(39000u); } }
THREAD(B) { for (;;) { carillon_work(3000u); (void)carillon_delay(39000u); } }
THREAD(Above) { for (;;) { (void)carillon_delay(9777u); carillon_work(30u); } }
"""
DIRECT = """
[osek.counter.Us]
tick = "100us"
[osek.isr.Signal]
source = "soft0"
category = 1
[osek.alarm.Wakes]
counter = "Us"
activate = "Chains"
autostart = { at = 5, cycle = 5 }
""" + "".join(f"[osek.task.{name}]\npriority = {p}\n" for name, p in (("Chains", 1), ("Follows", 2), ("Above", 3)))
CHAINS = """
static __attribute__((noinline)) void deep(void) { carillon_work(50u); DEEP }
TASK(Chains) { carillon_work(100u); (void)ActivateTask(Above); carillon_work(20u); ChainTask(Follows); }
TASK(Follows) { carillon_port_request(CARILLON_ISR_SOURCE_Signal); deep(); TerminateTask(); }
TASK(Above) { carillon_work(30u); TerminateTask(); }
ISR(Signal) { carillon_work(20u); }
"""


def told_of(recording: Recording) -> list[tuple[int, str, str]]:
    """(time, lane, what happened) of each event; what goes on behind a wait is told from what starts."""
    numbers, waiting, found = recording.numbers, set[str](), list[tuple[int, str, str]]()
    for item in recording.items:
        assert isinstance(item, Happened)
        it = numbers[item.function]
        if item.begins:
            found.append((item.time, it.name, "goes on" if it.name in waiting else "starts"))
        else:
            found.append((item.time, it.name, "waits" if it.waits else "ends"))
        (waiting.add if it.waits and not item.begins else waiting.discard)(it.name)
    return found


def seen_by(trace: Trace) -> list[tuple[int, str, str]]:
    """The same of the emulator."""
    waiting, found = set[str](), list[tuple[int, str, str]]()
    for event in trace.events:
        says = {Kind.START: "starts", Kind.END: "ends", Kind.WAIT: "waits"}.get(event.kind)
        says = "goes on" if event.kind is Kind.RESUME and event.object in waiting else says
        if says is not None:
            found.append((event.n, event.object, says))
            (waiting.add if says == "waits" else waiting.discard)(event.object)
    return found


def agree(recording: Recording, trace: Trace, near: int = NEAR) -> None:
    """Both have the same events of each lane, in one order but for what comes between an event and its word, and at one time."""
    told, seen = told_of(recording), seen_by(trace)
    assert len(told) > 100
    assert abs(len(told) - len(seen)) <= 20  # the emulator runs on a little, and what is not sent yet is not seen
    per_tick = max(1, trace.instructions_per_tick)
    places: list[int] = []
    offsets: list[int] = []
    for lane in {name for _, name, _ in seen}:
        own = [(k, time * per_tick, says) for k, (time, name, says) in enumerate(told) if name == lane]
        others = [(k, n, says) for k, (n, name, says) in enumerate(seen) if name == lane]
        both = min(len(own), len(others))
        assert both >= max(len(own), len(others)) - 6, lane
        assert [says for *_, says in own[:both]] == [says for *_, says in others[:both]], lane
        places += [abs(k - other) for (k, *_), (other, *_) in zip(own, others, strict=False)]
        offsets += [time - n for (_, time, _), (_, n, _) in zip(own, others, strict=False)]
    assert max(places) <= 2
    middle = sorted(offsets)[len(offsets) // 2]
    assert sum(abs(offset - middle) > near + per_tick for offset in offsets) <= len(offsets) // 50


def drawn(recording: Recording) -> Captured:
    """What is shown of it."""
    system = recording.system
    capture = recording.capture()
    return trace_of(capture, lanes_of(capture, {}, sorted(set(recording.names))), system, 0)


def stretches(trace: Trace) -> dict[str, list[tuple[int, int | None]]]:
    """When each lane's runs began, or went on, and ended, or waited, in ticks."""
    found: dict[str, list[tuple[int, int | None]]] = {}
    for job in analyse(trace, []).runs:
        own = found.setdefault(job.lane.name, [])
        own += [(s.begin.t, s.end.t if s.end is not None else None) for s in job.stretches]
    return found


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
@pytest.mark.parametrize("board", [AST, MPS])
def test_beneath_rounds_all_events_are_the_emulators_and_are_drawn_as_its_own(
    lab: Laboratory, tmp_path: Path, board: str, dispatch: str
) -> None:
    schedule = declared(Fast=0) + points(20_000, (1000, "Fast"), (9000, "Fast")) + MIXED.format(dispatch=dispatch)
    signal = "carillon_port_request(CARILLON_ISR_SOURCE_Signal)"
    recording, trace = streamed(lab, tmp_path, schedule + traced(256), works(Fast=50) + CODE.format(signal=signal), board, 150)
    assert recording.gap_count == 0
    assert {name for _, name, _ in seen_by(trace)} == {"Fast", "Signal", "Chains", "Follows", "Other", "Waits", "Drives"}
    agree(recording, trace)
    shown = drawn(recording).trace
    assert set(shown.event_triggered) == {"Signal", "Chains", "Follows", "Other", "Waits", "Drives"}
    ours, theirs = stretches(shown), stretches(trace)
    for lane, own in ours.items():
        assert abs(len(theirs[lane]) - len(own)) <= 4
        near = [abs(a[0] - b[0]) for a, b in zip(own, theirs[lane], strict=False)]
        shift = sorted(near)[len(near) // 2]
        assert sum(abs(distance - shift) > NEAR for distance in near) <= len(near) // 20
    counts = [Counter(job.lane.name for job in analyse(t, []).runs) for t in (shown, trace)]
    assert counts[0] == pytest.approx(counts[1], abs=4)
    assert counts[0]["Waits"] == counts[0]["Drives"] == 1


def alone(lab: Laboratory, tmp_path: Path, schedule: str, code: str, board: str, ticks: int) -> tuple[Recording, Trace]:
    """The same without rounds."""
    planned, firmware = lab.firmware(lab.write(schedule + traced(256), code), fast(board, tmp_path))
    diagnostics, file = Diagnostics(), tmp_path / "stream"
    trace = run(planned.image, firmware, ticks, diagnostics, hardware=Hardware(stream=file))
    assert trace is not None, [str(d) for d in diagnostics.reported]
    recording = Recording(str(file), planned.system, 10**6)
    recording.feed(file.read_bytes())
    recording.feed(None)
    return recording, trace


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
@pytest.mark.parametrize("board", [AST, MPS])
def test_threads_that_take_turns_wait_where_their_slices_end(lab: Laboratory, tmp_path: Path, board: str, dispatch: str) -> None:
    recording, trace = alone(lab, tmp_path, TURNS.format(dispatch=dispatch), TAKES_TURNS, board, 2_000_000)
    assert recording.gap_count == 0
    agree(recording, trace, 120)
    shown = drawn(recording)
    assert shown.trace.modes == ()
    assert {name: len(own) for name, own in stretches(shown.trace).items()} == pytest.approx(
        {name: len(own) for name, own in stretches(trace).items()}, abs=4
    )


@pytest.mark.parametrize("deep", ["", "TerminateTask();"])
@pytest.mark.parametrize("dispatch", ["hardware", "software"])
@pytest.mark.parametrize("board", [AST, MPS])
def test_tasks_that_are_their_vectors_are_told_however_they_end(
    lab: Laboratory, tmp_path: Path, board: str, dispatch: str, deep: str
) -> None:
    schedule = f'[osek]\ndispatch = "{dispatch}"\n' + DIRECT
    recording, trace = alone(lab, tmp_path, schedule, CHAINS.replace("DEEP", deep), board, 2_000_000)
    assert recording.gap_count == 0
    assert {name for _, name, _ in seen_by(trace)} == {"Signal", "Chains", "Follows", "Above"}
    agree(recording, trace)


COSTS = {"Waits": (13, 15), "Drives": (13, 15), "Chains": (13, 10), "Follows": (22, 20), "Other": (22, 20), "Signal": (14, 10)}
"""Instructions that an event takes before, and behind: of a task alone at its level, or of one that shares it; and of an ISR."""


@pytest.mark.parametrize("board", [AST, MPS])
def test_an_event_of_a_job_takes_thirteen_instructions_and_more_where_the_level_is_shared(lab: Laboratory, board: str) -> None:
    schedule = declared(Fast=0) + points(20_000, (1000, "Fast"), (9000, "Fast")) + MIXED.format(dispatch="hardware")
    code = works(Fast=50) + CODE.format(signal="carillon_port_request(CARILLON_ISR_SOURCE_Signal)")
    plain, ring = (lab.run(schedule + text, code, board, rounds=60) for text in ("", "[trace]\nring = 64\n"))
    for name, (before, behind) in COSTS.items():
        one, other = ring.task(name), plain.task(name)
        assert one.dispatch is not None and other.dispatch is not None
        assert one.terminate is not None and other.terminate is not None
        assert one.dispatch.maximum - other.dispatch.maximum <= before, name
        assert one.terminate.maximum - other.terminate.maximum <= behind, name


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
@pytest.mark.parametrize("board", [AST, MPS])
def test_an_event_of_a_thread_that_shares_its_level_takes_28_instructions(lab: Laboratory, board: str, dispatch: str) -> None:
    schedule = TURNS.format(dispatch=dispatch)
    plain, ring = (lab.run(schedule + text, TAKES_TURNS, board, ticks=900_000) for text in ("", "[trace]\nring = 64\n"))
    for name in "AB":
        one, other = ring.task(name), plain.task(name)
        assert one.dispatch is not None
        assert other.dispatch is not None
        assert one.terminate is not None
        assert other.terminate is not None
        assert 20 <= one.dispatch.minimum - other.dispatch.minimum <= 28
        assert 20 <= one.terminate.minimum - other.terminate.minimum <= 28


def test_an_image_without_a_ring_has_nothing_of_it(lab: Laboratory) -> None:
    plain = lab.run(TURNS.format(dispatch="hardware"), TAKES_TURNS, AST, ticks=20_000)
    assert not [s.name for s in read_elf(plain.firmware.elf).symbols if "trace" in s.name or "__wrap" in s.name]
