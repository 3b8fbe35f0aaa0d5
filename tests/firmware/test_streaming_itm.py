# SPDX-License-Identifier: Apache-2.0
"""The stream of [trace] leaves by an ITM, at the pin SWO, and says what the emulator saw."""

from __future__ import annotations

from pathlib import Path

import pytest
from laboratory import MPS, Laboratory, declared, points, task, works
from test_streaming import agrees

from carillon.capture.stream import Recording
from carillon.capture.swo import Swo
from carillon.diagnostics import Diagnostics
from carillon.run import run
from carillon.run.hardware import Hardware
from carillon.trace import Kind, Trace
from runnable import RIGLESS

DISCOVERY = "stm32f4-discovery"
SCHEDULE = declared(Slow=0, Fast=0) + points(200_000, (1000, "Slow"), (1200, "Fast"), (80_000, "Slow"), (120_000, "Fast"))
CODE = works(Slow=400, Fast=90)


def traced(ring: int, **keys: int) -> str:
    return f'[trace]\nring = {ring}\nstream = "itm"\n' + "".join(f"{key} = {value}\n" for key, value in keys.items())


def streamed(lab: Laboratory, tmp_path: Path, schedule: str, code: str, rounds: int) -> tuple[Recording, Trace, bytes]:
    """What the pin tells of a run, what the emulator does, and the pin's bytes."""
    planned, firmware = lab.firmware(lab.write(schedule, code), DISCOVERY)
    length = planned.system.modes[0].round_length * rounds
    diagnostics, file = Diagnostics(), tmp_path / "swo"
    trace = run(planned.image, firmware, length, diagnostics, rounds=rounds, hardware=Hardware(stream=file))
    assert trace is not None, [str(d) for d in diagnostics.reported]
    recording = Recording(str(file), planned.system, 10**6)
    recording.feed(file.read_bytes())
    recording.feed(None)
    return recording, trace, file.read_bytes()


@RIGLESS
@pytest.mark.parametrize("port", [0, 1, 31])
def test_each_event_of_the_emulator_is_in_the_packets(lab: Laboratory, tmp_path: Path, port: int) -> None:
    recording, trace, line = streamed(lab, tmp_path, SCHEDULE + traced(16, itm_port=port), CODE, 100)
    assert agrees(recording, trace) == []
    assert recording.events >= 100 * 8 - 4
    assert Swo((port + 1) % 32).feed(line) == b""
    assert recording.swo is not None
    assert recording.swo.overflows == 0


@RIGLESS
def test_what_the_pin_is_too_slow_for_is_told_as_a_gap(lab: Laboratory, tmp_path: Path) -> None:
    # While Slow runs, nothing is sent, and Fast has more events than the ring.
    fast = [(2000 + 6000 * k, "Fast") for k in range(41)]
    schedule = declared(Slow=300_000, Fast=300) + points(600_000, (1000, "Slow"), *fast, (480_000, "Fast"), window="wcet")
    recording, trace, _ = streamed(lab, tmp_path, schedule + traced(16), works(Slow=200_000, Fast=50), 20)
    gaps = agrees(recording, trace, near=200)
    assert len(gaps) >= 19
    assert recording.dropped == recording.lost == sum(gap.length for gap in gaps)


OTHERS = """
#define ITM(port) (*(volatile uint32_t *)(0xE0000000u + 4u * (port)))
"""


@RIGLESS
def test_another_port_that_does_not_wait_for_room_damages_no_event(lab: Laboratory, tmp_path: Path) -> None:
    code = OTHERS + task("Fast", "for (uint32_t k = 0u; k < 20u; k++) { ITM(0u) = k; }") + works(Slow=400)
    recording, trace, line = streamed(lab, tmp_path, SCHEDULE + traced(64), code, 100)
    assert agrees(recording, trace, near=300) == []
    assert recording.swo is not None
    assert recording.swo.overflows > 100
    assert Swo(0).feed(line)


@RIGLESS
@pytest.mark.parametrize("store", ["0xE0000E80u) = 0", "0xE0000E00u) = 1"])
def test_nothing_is_sent_while_the_debugger_has_the_port_off(lab: Laboratory, tmp_path: Path, store: str) -> None:
    on = store.replace("= 0", "= 1").replace("E00u) = 1", "E00u) = 3")
    switch = "static uint32_t n;\nn++;\n"
    switch += f"if (n == 1u) {{ *(volatile uint32_t *)({store}u; }}\nif (n == 41u) {{ *(volatile uint32_t *)({on}u; }}"
    recording, trace, _ = streamed(lab, tmp_path, SCHEDULE + traced(16), task("Slow", switch) + works(Fast=90), 60)
    (gap,) = agrees(recording, trace, near=200)
    assert gap.dropped == gap.length > 100  # by the ring, and not on the way


@RIGLESS
def test_no_task_starts_or_ends_later_for_it(lab: Laboratory, tmp_path: Path) -> None:
    _, stream, _ = streamed(lab, tmp_path, SCHEDULE + traced(64), CODE, 50)
    ring = lab.run(SCHEDULE + "[trace]\nring = 64\n", CODE, DISCOVERY, rounds=50).trace
    own, other = ([(e.t, e.kind, e.object) for e in t.events if e.kind in (Kind.START, Kind.END)] for t in (stream, ring))
    assert own == other


def test_an_emulator_without_one_sends_nothing_and_is_named(lab: Laboratory, tmp_path: Path) -> None:
    planned, firmware = lab.firmware(lab.write(SCHEDULE + traced(16), CODE), MPS)
    diagnostics = Diagnostics()
    assert run(planned.image, firmware, 200_000, diagnostics, rounds=1) is not None
    assert run(planned.image, firmware, 200_000, diagnostics, rounds=1, hardware=Hardware(stream=tmp_path / "swo")) is None
    assert [d.cause for d in diagnostics.reported] == [f"the emulator of board '{MPS}' has no ITM"]
