# SPDX-License-Identifier: Apache-2.0
"""A program is sent to a target that runs in QEMU, over its UART."""

from __future__ import annotations

import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from laboratory import AST, MPS, Laboratory

from carillon.cli.microcode import _Line
from carillon.microcode.binary import HEADER_BYTES, decode, encode
from carillon.microcode.upload import Target, UploadError
from carillon.model.giotto import Machine

ROOT = Path(__file__).resolve().parents[2]
KEY = "000102030405060708090a0b0c0d0e0f"
COSTLY_MICROCODE_MPS = pytest.param("microcode", MPS, marks=pytest.mark.costly)
COSTLY_MPS = pytest.param(MPS, marks=pytest.mark.costly)  # it takes five instructions a tick


def carillon(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "carillon", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


@contextmanager
def running(folder: Path, program: str, board: str, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A target that runs, whose line is ``line``."""
    command = [sys.executable, "-m", "carillon", "run", program, "--board", board, "--serial", str(folder / "line"), *options]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, start_new_session=True) as target:
        try:
            for _ in range(600):
                if (folder / "line").exists() or target.poll() is not None:
                    break
                time.sleep(0.1)
            yield target
        finally:
            if target.poll() is None:
                os.killpg(target.pid, 9)


@pytest.mark.parametrize("board", ["ast1030-evb", "mps2-an385"])
def test_a_running_target_takes_a_program_in_another_mode_and_refuses_one_with_a_wrong_key(board: str, tmp_path: Path) -> None:
    for file in (ROOT / "examples" / "helicopter").glob("helicopter.*"):
        shutil.copy(file, tmp_path)
    (tmp_path / "helicopter.upload").write_text('key = "h.key"\nresets = "helicopter_resets"\n', encoding="ascii")
    (tmp_path / "h.key").write_text(KEY, encoding="ascii")
    with (tmp_path / "helicopter.c").open("a", encoding="ascii") as file:
        file.write(
            "#include <stdint.h>\nuint32_t helicopter_resets(void);\nuint32_t helicopter_resets(void)\n{\n    return 1u;\n}\n"
        )
    assert carillon(tmp_path, "giotto", "helicopter.giotto", "-o", "h.microcode").returncode == 0
    # Between two connections the target runs on: it is killed when nothing more is asked of it.
    with running(tmp_path, "helicopter.giotto", board, "--for", "5000s"):
        first = carillon(tmp_path, "microcode", "status", "--to", "line")
        assert first.returncode == 0, first.stderr
        wrong = carillon(tmp_path, "microcode", "upload", "h.microcode", "--to", "line")
        assert "wrong seal" in wrong.stderr
        right = ("microcode", "upload", "h.microcode", "--to", "line", "--key", "h.key", "--scheduler", "rm", "--at", "land@0")
        sent = carillon(tmp_path, *right)
        assert "last upload: accepted" in sent.stdout, sent.stderr
        for _ in range(20):
            after = carillon(tmp_path, "microcode", "status", "--to", "line")
            if "scheduler rm" in after.stdout:
                break
        assert "scheduler rm" in after.stdout, after.stderr
        assert after.stdout.split(",")[0] != first.stdout.split(",")[0]


@pytest.mark.parametrize("board", [AST, COSTLY_MPS])
def test_a_running_target_accepts_all_of_the_processor_and_refuses_a_nanosecond_more(board: str, tmp_path: Path) -> None:
    """By the times that the upload carries; those of the image are less.  What runs runs on, and says so."""
    for file in (ROOT / "examples" / "flight").glob("flight.*"):
        shutil.copy(file, tmp_path)
    (tmp_path / "flight.upload").write_text("load = 100\n", encoding="ascii")
    program = (tmp_path / "flight.giotto").read_text(encoding="utf-8")
    for name, wcet in (("full", "[wcet 12ms]"), ("over", "[wcet 12000.001us]"), ("blind", "")):
        (tmp_path / f"{name}.giotto").write_text(program.replace("[wcet 8]", wcet), encoding="utf-8")
    assert carillon(tmp_path, "giotto", "flight.giotto", "-o", "f.microcode").returncode == 0
    with running(tmp_path, "flight.giotto", board, "--for", "5000s"):
        refused = carillon(tmp_path, "microcode", "upload", "f.microcode", "--program", "over.giotto", "--to", "line")
        assert "error C352" in refused.stderr
        assert "need more of the processor than they may take" in refused.stderr
        before = carillon(tmp_path, "microcode", "status", "--to", "line")
        assert "the load of an upload is looked at" in before.stdout, before.stderr
        for name in ("blind", "full"):  # what the upload does not know, the image does
            for _ in range(20):
                sent = carillon(tmp_path, "microcode", "upload", "f.microcode", "--program", f"{name}.giotto", "--to", "line")
                if "has not begun yet" not in sent.stderr:
                    break
            assert "last upload: accepted" in sent.stdout, sent.stderr


@pytest.mark.parametrize("board", [AST, COSTLY_MPS])
def test_a_target_that_is_shut_down_starts_no_task_and_answers_until_a_program_is_sent(board: str, tmp_path: Path) -> None:
    """With the key alone, and as often as it is asked."""
    for file in (ROOT / "examples" / "flight").glob("flight.*"):
        shutil.copy(file, tmp_path)
    (tmp_path / "flight.upload").write_text('shutdown = true\nkey = "f.key"\nresets = "flight_resets"\n', encoding="ascii")
    (tmp_path / "f.key").write_text(KEY, encoding="ascii")
    with running(tmp_path, "flight.giotto", board, "--for", "15s", "--events", "events") as target:
        refused = carillon(tmp_path, "microcode", "shutdown", "--to", "line")
        assert "wrong seal" in refused.stderr
        for _ in range(2):
            down = carillon(tmp_path, "microcode", "shutdown", "--to", "line", "--key", "f.key")
            assert down.stdout.startswith("is shut down"), down.stderr
        asked = carillon(tmp_path, "microcode", "status", "--to", "line")
        assert asked.stdout.startswith("is shut down"), asked.stderr
        assert target.wait(300) == 0
    events = [json.loads(line) for line in (tmp_path / "events").read_text(encoding="utf-8").splitlines()]
    per_ms = {AST: 15_625, MPS: 25_000}[board]
    ran = [event["t"] // per_ms for event in events if event["event"] == "resume" and event["object"] in ("t1", "t2")]
    last = ran[-1]
    assert 20 < last < 5500, last  # and nothing for the rest of the six seconds
    assert all(later - earlier <= 20 for earlier, later in pairwise(ran))  # until then, all as ever


@pytest.mark.parametrize("board", [AST, COSTLY_MPS])
def test_a_target_goes_on_with_s_code_that_it_has_made_and_no_task_begins_at_another_time(board: str, tmp_path: Path) -> None:
    """It takes another program as before."""
    for file in (ROOT / "examples" / "flight").glob("flight.*"):
        shutil.copy(file, tmp_path)
    (tmp_path / "flight.upload").write_text("record = 16\ngenerate = 200\n", encoding="ascii")
    assert carillon(tmp_path, "giotto", "flight.giotto", "-o", "f.microcode").returncode == 0
    with running(tmp_path, "flight.giotto", board, "--for", "20s", "--events", "events") as target:
        with _Line(tmp_path / "line", 60) as line:  # one connection: between two, the target runs on
            asked = Target(line)
            for _ in range(2000):
                found = asked.status()
                if found.generated and not found.waiting:
                    break
            assert (found.generated, found.unable, found.waiting) == (True, False, False)
            program = decode((tmp_path / "f.microcode").read_bytes())
            (at,) = (address for address, name in program.labels if name == "m@0")
            sent = asked.upload(encode(replace(program, labels=(), entry=at)), 1, bytes(16))
            assert (sent.result, sent.generated) == ("accepted", False)
        assert target.wait(300) == 0
    events = [json.loads(line) for line in (tmp_path / "events").read_text(encoding="utf-8").splitlines()]
    per_ms = {AST: 15_625, MPS: 25_000}[board]
    resumed = [
        (event["t"], event["object"]) for event in events if event["event"] == "resume" and event["object"] in ("t1", "t2")
    ]
    turns = [one for before, one in pairwise([(0, ""), *resumed]) if one[1] != before[1]][2:]
    between = [(one, other, round((after - before) / per_ms)) for (before, one), (after, other) in pairwise(turns)]
    others = [k for k, found in enumerate(between) if found not in (("t2", "t1", 4), ("t1", "t2", 6))]
    assert len(between) > 3900
    assert others and others[-1] - others[0] < 4, others  # the upload begins where no task is unfinished


@pytest.mark.parametrize("board", [AST, COSTLY_MPS])
def test_the_log_of_a_target_is_what_a_trace_of_it_says(board: str, tmp_path: Path) -> None:
    """Each invocation begins and ends in it at the times at which the trace has it, and what was overwritten is counted."""
    for file in (ROOT / "examples" / "flight").glob("flight.*"):
        shutil.copy(file, tmp_path)
    (tmp_path / "flight.upload").write_text("log = 200\nshutdown = true\n", encoding="ascii")
    assert carillon(tmp_path, "giotto", "flight.giotto", "-o", "f.microcode").returncode == 0
    with running(tmp_path, "flight.giotto", board, "--for", "5s", "--events", "events") as target:
        assert carillon(tmp_path, "microcode", "shutdown", "--to", "line").returncode == 0  # so that the log stands still
        said = carillon(tmp_path, "microcode", "log", "f.microcode", "--to", "line", "--json")
        assert target.wait(300) == 0
    rows = json.loads(said.stdout)["entries"]
    assert [row["what"] for row in rows].count("lost") == 0
    assert rows[-1]["what"] == "a program begins"
    events = [json.loads(line) for line in (tmp_path / "events").read_text(encoding="utf-8").splitlines()]
    per_ms = {AST: 15_625, MPS: 25_000}[board]
    traced = begins_of([event["t"] // per_ms for event in events if (event["event"], event["object"]) == ("resume", "t2")])
    logged = [row["tick"] for row in rows if (row["what"], row["task"]) == ("begins", "t2")]
    assert len(logged) >= 2
    shift = traced[-1] - logged[-1]  # the machine's ticks begin when it does
    assert [tick + shift for tick in logged] == traced[-len(logged) :]
    for task, count in (("t1", 1), ("t2", 2)):
        kinds = [row["what"] for row in rows if row.get("task") == task]
        assert abs(kinds.count("released") - kinds.count("ends")) <= 1, count


def test_who_talks_to_a_target_has_as_long_as_the_run_is(tmp_path: Path) -> None:
    """The target is no faster than the host's clock, so that an upload of a second comes within a run of two."""
    for file in (ROOT / "examples" / "helicopter").glob("helicopter.*"):
        shutil.copy(file, tmp_path)
    (tmp_path / "helicopter.upload").touch()
    with running(tmp_path, "helicopter.giotto", AST, "--for", "2s") as target, socket.socket(socket.AF_UNIX) as line:
        line.connect(str(tmp_path / "line"))
        begun = time.monotonic()
        assert target.wait(300) == 0
        assert time.monotonic() - begun >= 2


def test_a_program_joins_a_running_one_which_goes_on_without_a_change(tmp_path: Path) -> None:
    """One task begins every 10 ms before and after, the other one every 25 ms since it has joined."""
    for file in (ROOT / "docs" / "guide" / "giotto" / "beside").glob("beside.*"):
        shutil.copy(file, tmp_path)
    assert carillon(tmp_path, "giotto", "beside.giotto", "-o", "b.microcode").returncode == 0
    with running(tmp_path, "beside.giotto", "ast1030-evb", "--for", "9s", "--events", "events") as target:
        join = ("microcode", "upload", "b.microcode", "--at", "record@0", "--beside", "b.microcode", "--program", "beside.giotto")
        sent = carillon(tmp_path, *join, "--to", "line")
        assert "last upload: accepted" in sent.stdout, sent.stderr
        assert target.wait(300) == 0
    milliseconds: dict[str, list[int]] = {"control": [], "recorder": []}
    for line in (tmp_path / "events").read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["event"] == "resume" and event["object"] in milliseconds:
            milliseconds[event["object"]].append(round(event["t"] / 15_625))
    begins = {task: begins_of(found) for task, found in milliseconds.items()}
    assert {b - a for a, b in pairwise(begins["control"][1:])} == {10}
    assert begins["control"][-1] >= 8980
    joined = begins["recorder"][1:]  # first, its thread begins and parks
    assert 0 < joined[0] < 8900
    # EDF: what is released while the other one runs may begin when that has ended, up to 4 ms later
    offsets = [begin - 25 * number for number, begin in enumerate(joined)]
    assert max(offsets) - min(offsets) <= 4, joined
    assert joined[-1] >= 8950


def joined(folder: Path, program: str, target: subprocess.Popen[bytes]) -> list[dict[str, Any]]:
    """Let watch.microcode join the program that runs; the events of the whole run."""
    join = ("microcode", "upload", "watch.microcode", "--beside", f"{program}.microcode", "--program", f"{program}.giotto")
    sent = carillon(folder, *join, "--to", "line")
    assert "last upload: accepted" in sent.stdout, sent.stderr
    assert target.wait(300) == 0
    return [json.loads(line) for line in (folder / "events").read_text(encoding="utf-8").splitlines()]


def in_slots(turns: list[tuple[int, str]]) -> bool:
    """Whether each begins where the one before leaves off: milliseconds and tasks."""
    pattern = [(0, "control"), (5, "recorder"), (10, "control")]
    first = turns[0][0]
    return turns == [(first + 20 * (k // 3) + pattern[k % 3][0], pattern[k % 3][1]) for k in range(len(turns))]


@pytest.mark.parametrize("board", [AST, COSTLY_MPS])
def test_two_programs_with_s_code_take_turns_in_slots_a_phase_apart(board: str, tmp_path: Path) -> None:
    """One takes 4 of its 10 ms, and the other one 5 of its 20, from 5 ms behind the first one's begin."""
    for file in (ROOT / "docs" / "guide" / "giotto" / "beside").glob("beside.*"):
        shutil.copy(file, tmp_path)
    program = tmp_path / "beside.giotto"
    program.write_text(program.read_text(encoding="utf-8").replace("period 25", "period 20"), encoding="utf-8")
    (tmp_path / "beside.upload").write_text("triggers = 2\nthreads = 4\n", encoding="ascii")
    assert carillon(tmp_path, "giotto", "beside.giotto", "--s-code", "edf", "-o", "b.microcode").returncode == 0
    both = ("compose", "b.microcode", "b.microcode", "--at", "record@0", "--program", "beside.giotto", "-o", "both.microcode")
    assert "after 0 ms, control and recorder are dispatched at one time" in carillon(tmp_path, "microcode", *both).stderr
    assert carillon(tmp_path, "microcode", *both, "--phase", "5ms").returncode == 0
    length = {AST: 9, MPS: 3}[board]
    with running(tmp_path, "beside.giotto", board, "--for", f"{length}s", "--events", "events") as target:
        sent = carillon(tmp_path, "microcode", "upload", "both.microcode", "--to", "line")
        assert "last upload: accepted" in sent.stdout, sent.stderr
        assert target.wait(300) == 0
    runs: list[tuple[int, str]] = []
    for line in (tmp_path / "events").read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["event"] == "resume" and event["object"] in ("control", "recorder"):
            now = event["t"] // {AST: 15_625, MPS: 25_000}[board]
            if not runs or event["object"] != runs[-1][1] or now - runs[-1][0] > 4:
                runs.append((now, event["object"]))
    turns = next(runs[k:] for k in range(len(runs)) if in_slots(runs[k:]))  # before the upload, they are others
    assert len(turns) > 100, runs
    assert turns[-1][0] >= length * 1000 - 20


@pytest.mark.parametrize(("machine", "board"), [("microcode", AST), ("ticks", AST), COSTLY_MICROCODE_MPS])
def test_e_code_by_hand_releases_a_task_at_each_interrupt_of_a_sensor(machine: str, board: str, tmp_path: Path) -> None:
    """At once where the clock wakes the machine, else in the next tick."""
    for file in (ROOT / "docs" / "guide" / "giotto" / "event").glob("*.*"):
        shutil.copy(file, tmp_path)
    assert carillon(tmp_path, "giotto", "event.giotto", "-o", "event.microcode").returncode == 0
    assert carillon(tmp_path, "microcode", "assemble", "watch.emc", "-o", "watch.microcode").returncode == 0
    length = {AST: 9, MPS: 3}[board]  # so that an upload comes in time on a busy machine; MPS2 is slower anyway
    with running(tmp_path, "event.giotto", board, "--machine", machine, "--for", f"{length}s", "--events", "events") as target:
        events = joined(tmp_path, "event", target)
    ms = {AST: 15_625, MPS: 25_000}[board]

    def at(kind: str, name: str) -> list[int]:
        return [event["t"] // ms for event in events if (event["event"], event["object"]) == (kind, name)]

    interrupts, begins, drives = at("enter", "door_interrupt"), at("resume", "open"), at("resume", "drive")
    assert {b - a for a, b in pairwise(interrupts)} == {50}
    runs = [now for before, now in pairwise(begins) if now - before > 4]
    watched = [now for now in interrupts if now >= runs[0] - 4]
    assert len(watched) > 20
    # drive still computes for some two milliseconds, and its deadline comes later by two: EDF lets open run at once
    assert runs == [now + (machine == "ticks" or board == MPS) for now in watched]
    assert max(drives) >= 2980


@pytest.mark.parametrize(("machine", "board"), [("microcode", AST), ("ticks", AST), COSTLY_MICROCODE_MPS])
def test_e_code_by_hand_reacts_when_a_driver_has_read_a_higher_value_and_when_a_task_has_ended(
    machine: str, board: str, tmp_path: Path
) -> None:
    """At that instant: the reactions are not put off to the next tick.  A program with another operand is refused before."""
    for file in (ROOT / "docs" / "guide" / "giotto" / "threshold").glob("*.*"):
        shutil.copy(file, tmp_path)
    assert carillon(tmp_path, "giotto", "threshold.giotto", "-o", "threshold.microcode").returncode == 0
    assert carillon(tmp_path, "microcode", "assemble", "watch.emc", "-o", "watch.microcode").returncode == 0
    length = {AST: 9, MPS: 3}[board]
    with running(
        tmp_path, "threshold.giotto", board, "--machine", machine, "--for", f"{length}s", "--events", "events"
    ) as target:
        other = bytearray(encode(replace(decode((tmp_path / "watch.microcode").read_bytes()), labels=())))
        other[HEADER_BYTES + 4] = 3  # the trigger of the first `future`: the image has three
        struct.pack_into("<I", other, 12, zlib.crc32(other[:12] + other[16:]))
        refused = pytest.raises(UploadError, match=r"refused \(an operand is out of range: instruction 0\)")
        with _Line(tmp_path / "line", None) as line, refused:
            Target(line).upload(bytes(other), 1, bytes(16))
        events = joined(tmp_path, "threshold", target)
    ms = {AST: 15_625, MPS: 25_000}[board]

    def at(kind: str, name: str) -> list[int]:
        return [event["t"] for event in events if (event["event"], event["object"]) == (kind, name)]

    def begins(name: str) -> list[int]:
        return [now for before, now in pairwise([-(10**9), *at("resume", name)]) if now - before > 4 * ms]

    first, cools = begins("control")[0], begins("cool")
    assert len(cools) > 20
    for cool in cools:  # each fifth reading is higher
        assert (cool - first + ms // 10) % (50 * ms) // (ms // 5) == 40 * 5, (cool, first)
    for name, before in (("note", "cool"), ("tell", "control")):
        assert len(begins(name)) > 15
        for begin in begins(name):
            end = max(t for t in at("wait", before) if t <= begin)
            assert begin - end < ms / 20, (name, begin, end)


def begins_of(milliseconds: list[int]) -> list[int]:
    """Where a thread runs again that did not run in the millisecond before, or had ended in it."""
    return [now for before, now in zip([-9, *milliseconds], milliseconds, strict=False) if now - before > 4]


@pytest.mark.parametrize("machine", [Machine.MICROCODE, Machine.TICKS])
def test_machine_tasks_verifier_and_loader_take_8_kib_of_flash(lab: Laboratory, tmp_path: Path, machine: Machine) -> None:
    """What the paper's microkernel takes on its processor, for a Cortex-M4; woken by the clock, or by a cell that ticks."""
    for file in (ROOT / "examples" / "flight").glob("flight.*"):
        shutil.copy(file, tmp_path)
    (tmp_path / "flight.upload").touch()
    _, firmware = lab.firmware(tmp_path / "flight.giotto", AST, machine=machine)
    objects = [firmware.folder / "objects" / f"kernel_microcode_{name}.c.o" for name in ("machine", "tasks", "verify", "loader")]
    sizes = subprocess.run(["arm-none-eabi-size", *map(str, objects)], capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in sizes.splitlines()[1:]]
    assert len(lines) == len(objects)
    assert sum(int(text) + int(data) for text, data, *_ in lines) <= 8192, sizes


def test_an_image_that_looks_at_no_load_has_nothing_of_it(lab: Laboratory, tmp_path: Path) -> None:
    """And what it takes in one that does: 2.9 KB of flash, 0.9 of them the library's 64-bit division and memset, and no RAM."""
    sizes = []
    for load in (0, 100):
        folder = tmp_path / str(load)
        folder.mkdir()
        for file in (ROOT / "examples" / "flight").glob("flight.*"):
            shutil.copy(file, folder)
        (folder / "flight.upload").write_text(f"load = {load}\n", encoding="ascii")
        _, firmware = lab.firmware(folder / "flight.giotto", AST)
        symbols = subprocess.run(["arm-none-eabi-nm", str(firmware.elf)], capture_output=True, text=True, check=True).stdout
        assert ("carillon_load_verify" in symbols) == (load > 0)
        said = subprocess.run(["arm-none-eabi-size", str(firmware.elf)], capture_output=True, text=True, check=True).stdout
        sizes.append([int(number) for number in said.splitlines()[1].split()[:3]])
    flash, ram = sizes[1][0] - sizes[0][0], [sum(size[1:]) for size in sizes]
    assert 2000 < flash <= 2900, sizes
    assert ram[0] == ram[1]
