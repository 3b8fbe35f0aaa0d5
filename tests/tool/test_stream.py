# SPDX-License-Identifier: Apache-2.0
"""The stream of events: whatever happens to its bytes, what is told did happen, and each loss is marked."""

from __future__ import annotations

import array
import fcntl
import json
import os
import pty
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from carillon.capture.stream import Decoder, Gap, Happened, Item, Restarted
from carillon.cli import app
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.image.words import Words, identity, numbered
from carillon.model.registers import EVERY
from carillon.pipeline import read_and_check

SCHEDULE = 0xABCDEF
WORDS = Words(event_bits=3, stamp_bits=29, down=False)
BOARD = "mps2-an385"
ROUND = 25_000


def crc(data: Sequence[int]) -> int:
    """CRC-16/CCITT with a seed of ones, bit by bit."""
    rest = 0xFFFF
    for byte in data:
        for k in range(8):
            top = (rest >> 15) ^ (byte >> (7 - k) & 1)
            rest = (rest << 1 & 0xFFFF) ^ (0x1021 if top else 0)
    return rest


def frame(payload: list[int]) -> bytes:
    """As the comment of kernel/core/stream.c says it."""
    check = crc(payload)
    payload = [*payload, check & 0xFF, check >> 8]
    line: list[int] = []
    for at in range(0, len(payload), 7):
        group = payload[at : at + 7]
        line += [byte & 127 for byte in group] + [sum((byte > 127) << n for n, byte in enumerate(group))]
    line[0] |= 128
    return bytes(line)


def little(value: int, size: int) -> list[int]:
    return list(value.to_bytes(size, "little"))


class Chip:
    """Sends as firmware does."""

    def __init__(self, schedule: int = SCHEDULE, words: Words = WORDS) -> None:
        self.number = self.time = self.lost = 0
        self.sent: list[Happened] = []
        self.frames: list[bytes] = []
        self.schedule, self.words, self.place = schedule, words, True

    def event(self, after: int, function: int, begins: bool) -> None:
        self.time += after
        turn = 1 << self.words.stamp_bits
        if self.place or self.number % EVERY == 0:
            turns = little(self.time // turn % 65536, 2)
            self.frames.append(
                frame([1, *little(self.number, 4), *little(self.schedule, 3), *turns, *little(self.lost % 65536, 2)])
            )
        word = (self.time % turn) << self.words.event_bits | Words.event(function, begins=begins)
        self.frames.append(frame([*little(word, 4), self.number & 0xFF]))
        self.sent.append(Happened(self.number, self.time, function, begins))
        self.number += 1
        self.place = False

    def drop(self, count: int) -> None:
        """The ring had no room."""
        self.number += count
        self.lost += count
        self.place = True

    @property
    def bytes(self) -> bytes:
        return b"".join(self.frames)


def read(data: bytes, piece: int = 1 << 20, schedule: int = SCHEDULE) -> list[Item]:
    decoder = Decoder("x", WORDS, 3, schedule)
    items: list[Item] = []
    for at in range(0, len(data), piece):
        items += decoder.feed(data[at : at + piece])
    return items + decoder.finish()


def sending(count: int, step: int = 100) -> Chip:
    chip = Chip()
    for k in range(count):
        chip.event(step, k // 2 % 3, k % 2 == 0)
    return chip


def agree(items: Sequence[Item], sent: Sequence[Happened]) -> None:
    """What was told was sent, in its order; what was not lies in gaps, whose lengths are right in sum."""
    told = [item for item in items if isinstance(item, Happened)]
    by_content = {(e.time, e.function, e.begins): e.number for e in sent}
    numbers = [by_content[e.time, e.function, e.begins] for e in told]
    assert numbers == sorted(set(numbers))
    following = 0
    for item in items:
        assert not isinstance(item, Restarted)
        assert item.number == following
        following += item.length if isinstance(item, Gap) else 1
    exact = all(item.exact for item in items if isinstance(item, Gap))
    if exact:
        assert [e.number for e in told] == numbers
    marked = sum(item.length for item in items if isinstance(item, Gap))
    if told and any(isinstance(item, Gap) and item.exact for item in items[-1:]):
        assert marked == numbers[-1] + 1 - len(told)


@given(
    st.lists(st.tuples(st.integers(1, 1 << 30), st.integers(0, 2), st.booleans(), st.integers(0, 40)), max_size=200),
    st.integers(1, 50),
)
@settings(max_examples=100, deadline=None)
def test_what_a_chip_sends_is_read_in_pieces_of_any_size(events: list[tuple[int, int, bool, int]], piece: int) -> None:
    chip = Chip()
    drops: list[int] = []
    for after, function, begins, lost in events:
        if lost > 30:
            chip.drop(lost * lost)
            drops.append(lost * lost)
        chip.event(after % (1 << 29), function, begins)
    items = read(chip.bytes, piece)
    gaps = [item for item in items if isinstance(item, Gap)]
    assert [item for item in items if isinstance(item, Happened)] == chip.sent if len(chip.sent) else not items
    together = sum(drops)
    assert sum(gap.length for gap in gaps) == sum(gap.dropped for gap in gaps) == together


@given(
    st.integers(0, 700),
    st.lists(
        st.tuples(st.sampled_from(["flip", "cut", "noise"]), st.floats(0, 1, exclude_max=True), st.integers(1, 3000)),
        max_size=8,
    ),
    st.integers(0, 7),
)
@settings(max_examples=400, deadline=None)
@example(700, [("cut", 0.1, 2000), ("cut", 0.5, 2500)], 0)
@example(3, [("cut", 0.0, 1)], 0)
@example(600, [("cut", 0.0, 777)], 0)
def test_what_is_read_of_a_damaged_stream_was_sent_and_each_loss_is_marked(
    count: int, damages: list[tuple[str, float, int]], bit: int
) -> None:
    chip = sending(count)
    data = bytearray(chip.bytes)
    for kind, where, size in damages:
        at = int(where * len(data))
        if kind == "cut":
            del data[at : at + size]
        elif kind == "noise":
            data[at:at] = bytes((at * 7 + k * size) % 256 for k in range(size % 40))
        elif data:
            data[at] ^= 1 << bit
    agree(read(bytes(data), 1 + count % 90), chip.sent)


@pytest.mark.parametrize("at", range(16, 40))
@pytest.mark.parametrize("bit", range(8))
def test_a_flipped_bit_costs_at_most_the_two_events_that_it_is_between(at: int, bit: int) -> None:
    chip = sending(20)
    data = bytearray(chip.bytes)
    data[at] ^= 1 << bit
    items = read(bytes(data))
    agree(items, chip.sent)
    (gap,) = [item for item in items if isinstance(item, Gap)]
    assert gap.length in (1, 2)


@given(st.integers(0, 4000))
@settings(max_examples=100, deadline=None)
def test_a_stream_that_is_joined_late_is_read_from_the_next_whole_event(skip: int) -> None:
    chip = sending(600)
    items = read(chip.bytes[skip:])
    told = [item for item in items if isinstance(item, Happened)]
    ends, at = [], 0
    for one in chip.frames:
        ends.append(at)
        at += len(one)
    whole = [end for end, one in zip(ends, chip.frames, strict=True) if len(one) == 8 and end >= skip]
    assert told == chip.sent[-len(whole) :]
    assert sum(item.length for item in items if isinstance(item, Gap)) == 600 - len(told)


def test_a_long_cut_is_as_long_as_the_next_place_says() -> None:
    chip = sending(2000)
    sizes = [len(one) for one in chip.frames]
    data = chip.bytes
    begin, end = sum(sizes[:100]), sum(sizes[:1500])
    (gap,) = [item for item in read(data[:begin] + data[end:]) if isinstance(item, Gap)]
    lost = sum(size == 8 for size in sizes[100:1500])
    assert (gap.length, gap.exact, gap.dropped) == (lost, True, 0)
    assert gap.since == chip.sent[gap.number - 1].time
    assert gap.until == chip.sent[gap.number + lost].time


def test_times_of_more_than_a_turn_of_the_counter_are_right_behind_a_gap() -> None:
    chip = sending(10)
    chip.drop(5)
    for _ in range(30):  # which all are lost
        chip.event((1 << 29) - 5, 1, True)
    kept = len(chip.frames)
    chip.drop(7)
    chip.event(3, 2, True)
    items = read(b"".join(chip.frames[:11]) + b"".join(chip.frames[kept:]))
    assert items[-1] == chip.sent[-1]
    gap = items[-2]
    assert isinstance(gap, Gap)
    assert (gap.length, gap.dropped) == (42, 12)


def test_a_chip_that_starts_anew_is_seen_to() -> None:
    items = read(sending(100).bytes + sending(30).bytes)
    place = items.index(Restarted())
    assert items[:place] == sending(100).sent
    assert items[place + 1 :] == sending(30).sent


def test_the_count_of_events_wraps() -> None:
    chip = Chip()
    chip.number = (1 << 30) - 3
    for k in range(10):
        chip.number %= 1 << 30
        chip.event(10, 0, k % 2 == 0)
    items = read(chip.bytes)
    assert [item for item in items if isinstance(item, Happened)] == chip.sent
    assert not any(isinstance(item, Restarted) for item in items)


def test_a_stream_of_another_schedule_is_refused() -> None:
    for count in (1, 20, 300):
        with pytest.raises(CarillonError, match="another schedule"):
            read(sending(count).bytes, schedule=7)


def test_one_place_that_is_damaged_into_anothers_is_not_taken_for_it() -> None:
    chip = sending(200)
    other = Chip(schedule=5)
    other.event(1, 0, True)
    items = read(chip.bytes[:400] + other.frames[0] + chip.bytes[400:])
    agree(items, chip.sent)


def test_a_frame_that_nothing_confirms_is_not_believed() -> None:
    chip = sending(200)
    forged = frame([*little(12345 << WORDS.event_bits | Words.event(1, begins=True), 4), 250])
    for at in range(3, len(chip.frames), 7):
        items = read(b"".join([*chip.frames[:at], forged, *chip.frames[at:]]))
        agree(items, chip.sent)
        assert [item for item in items if isinstance(item, Happened)] == chip.sent


# The command.

TEXT = f"""\
[system]
name = "live"
board = "{BOARD}"
[task.A]
period = "1ms"
wcet = "100us"
[task.B]
period = "1ms"
offset = "300us"
wcet = "100us"
[task.C]
period = "1ms"
offset = "500us"
wcet = "100us"
[trace]
ring = 256
stream = "uart"
"""


@pytest.fixture
def schedule(tmp_path: Path) -> Path:
    path = tmp_path / "schedule.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def of(schedule: Path, rounds: int) -> Chip:
    system = read_and_check(schedule, Diagnostics())
    assert system.board.trace is not None
    chip = Chip(identity(system), Words.of(system, system.board.trace))
    for k in range(rounds):
        for function, at in enumerate((0, 7500, 12_500)):
            for begins in (True, False):
                due = k * ROUND + at + 500 + (0 if begins else 2000)
                chip.event(due - chip.time, function, begins)
    return chip


def shown(schedule: Path, source: str, *more: str) -> dict[str, object]:
    result = CliRunner().invoke(app, ["show", str(schedule), "--live", source, "--json", *more])
    assert result.exit_code == 0, result.output
    (run,) = json.loads(result.stdout)["runs"]
    assert isinstance(run, dict)
    return run


def figures(run: dict[str, object]) -> list[tuple[str, int, int]]:
    summary = run["summary"]
    assert isinstance(summary, dict)
    return [(task["name"], task["activations"], task["unstarted"]) for task in summary["tasks"]]


def test_the_command_shows_what_a_file_has_and_writes_it(schedule: Path, tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(of(schedule, 20).bytes)
    files = [f"--{name}" for name in ("html", "btf", "ctf", "perfetto")]
    run = shown(schedule, str(tmp_path / "s"), *(word for name in files for word in (name, str(tmp_path / name[2:]))))
    assert figures(run) == [("A", 20, 0), ("B", 20, 0), ("C", 20, 0)]
    assert all((tmp_path / name[2:]).exists() for name in files)


def test_what_was_lost_in_a_gap_is_not_said_to_have_missed_its_start(schedule: Path, tmp_path: Path) -> None:
    chip = of(schedule, 40)
    for begin in range(300, 900, 7):
        (tmp_path / "s").write_bytes(chip.bytes[:begin] + chip.bytes[begin + 500 :])
        run = shown(schedule, str(tmp_path / "s"))
        assert {unstarted for _, _, unstarted in figures(run)} == {0}
        stream = run["stream"]
        assert isinstance(stream, dict)
        assert stream["gap_count"] == 1
        assert stream["lost"] + stream["events"] == 240
        summary = run["summary"]
        assert isinstance(summary, dict)
        assert all(task["start_delay"]["max"] <= 1 for task in summary["tasks"])


def test_a_gap_is_drawn_over_all_lanes_with_what_was_lost(schedule: Path, tmp_path: Path) -> None:
    chip = of(schedule, 12)
    cut = len(b"".join(chip.frames[:31]))
    (tmp_path / "s").write_bytes(chip.bytes[:cut] + chip.bytes[len(b"".join(chip.frames[:49])) :])
    files = {name: tmp_path / name for name in ("html", "svg")}
    window = ["--window", "4ms..9ms"]
    options = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    result = CliRunner().invoke(app, ["show", str(schedule), "--live", str(tmp_path / "s"), *window, *options])
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    (words,) = (line for line in lines if line.startswith("gap"))
    assert "18 events lost" in words
    assert any("╳ not seen" in line for line in lines)
    lanes = [line for line in lines if line.split(" ")[0] in ("A", "B", "C", "idle") and "╳" in line]
    assert len(lanes) == 4
    (columns,) = {tuple(k for k, sign in enumerate(line) if sign == "╳") for line in lanes}
    lasted = 3 * ROUND + 10_500  # from the last event before the gap to the first one behind it
    drawn = len(range(columns[0], columns[-1] + 1))
    whole = next(len(line) for line in lines if "┬" in line) - len("idle  ")
    assert len(columns) == drawn
    assert drawn == pytest.approx(whole * lasted / (5 * ROUND), abs=3)
    assert "18 events lost" in files["svg"].read_text(encoding="utf-8")
    (begin, end, said), *others = json.loads(
        "[" + files["html"].read_text(encoding="utf-8").split('"gaps":[')[1].split("]]")[0] + "]]"
    )
    assert (said, others) == ("18 events lost", [])
    assert end - begin == lasted
    for name in files:
        (tmp_path / "s").write_bytes(chip.bytes)
        shown(schedule, str(tmp_path / "s"), f"--{name}", str(files[name]))
        assert "events lost" not in files[name].read_text(encoding="utf-8").split("<script>")[0].split("</style>")[-1]


THREADS = f"""\
[system]
name = "live"
board = "{BOARD}"
[osek.task.Basic]
priority = 1
[time]
clock = "one-shot"
[thread.Low]
priority = 2
[thread.High]
priority = 3
[trace]
ring = 256
stream = "uart"
"""


def test_of_threads_without_rounds_waits_are_drawn_and_are_no_ends(tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    path.write_text(THREADS, encoding="utf-8")
    system = read_and_check(path, Diagnostics())
    assert system.board.trace is not None
    words = Words.of(system, system.board.trace)
    names = [(it.name, it.waits) for it in numbered(system)]
    assert [name for name, waits in names if not waits] == [name for name, waits in names if waits]
    chip = Chip(identity(system), words)

    def tell(after: int, name: str, begins: bool, waits: bool = False) -> None:
        chip.event(after, names.index((name, waits)), begins)

    for _ in range(10):
        tell(100, "Basic", True)
        tell(50, "Low", True)
        tell(50, "High", True)
        tell(50, "High", False, waits=True)
        tell(20, "Low", False, waits=True)
        tell(40, "Basic", False)
    (tmp_path / "s").write_bytes(chip.bytes)
    run = shown(path, str(tmp_path / "s"))
    summary = run["summary"]
    assert isinstance(summary, dict)
    assert {t["name"]: (t["activations"], t["waits"], t["preemptions"]) for t in summary["tasks"]} == {
        "High": (1, 10, 0),
        "Low": (1, 10, 10),
        "Basic": (10, 0, 10),
    }
    assert not [t["name"] for t in summary["tasks"] if t["known_activations"]]
    said = CliRunner().invoke(app, ["show", str(path), "--live", str(tmp_path / "s")]).stdout
    assert "Tick 0 is the first start. Without rounds," in said


def test_a_socket_is_read_until_it_is_closed(schedule: Path) -> None:
    data = of(schedule, 30).bytes
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                for at in range(0, len(data), 100):
                    connection.sendall(data[at : at + 100])

        thread = threading.Thread(target=serve)
        thread.start()
        run = shown(schedule, f"tcp:127.0.0.1:{server.getsockname()[1]}")
        thread.join()
    assert figures(run) == [("A", 30, 0), ("B", 30, 0), ("C", 30, 0)]


def live(schedule: Path, source: str, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "carillon", "show", str(schedule), "--live", source, *more]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_an_interrupt_ends_a_stream_with_its_table(schedule: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    process = live(schedule, str(tmp_path / "fifo"))
    with (tmp_path / "fifo").open("wb", buffering=0) as fifo:
        fifo.write(of(schedule, 30).bytes)
        time.sleep(3)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "Stream: 180 events; no gap." in out
    assert "Start delay" in out


def _until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so, for a minute at most."""
    for _ in range(1200):
        if is_so():
            return
        time.sleep(0.05)
    pytest.fail("it is not so after a minute")


def _unread(device: int) -> int:
    """The bytes that a line has for who reads it."""
    count = array.array("i", [0])
    fcntl.ioctl(device, termios.FIONREAD, count)
    return count[0]


def test_a_serial_line_is_read_raw_and_its_end_ends_the_stream(schedule: Path) -> None:
    controller, device = pty.openpty()
    process = live(schedule, os.ttyname(device), "--baud", "115200")
    _until(lambda: not termios.tcgetattr(controller)[3] & termios.ICANON)  # it has been opened, and is raw
    os.write(controller, of(schedule, 10).bytes)  # with bytes that a line that is not raw would change
    time.sleep(1)  # the line has it all by then, and who reads it takes its time
    _until(lambda: _unread(device) == 0)
    os.close(device)
    os.close(controller)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "Stream: 60 events; no gap." in out


def test_a_terminal_sees_the_picture_while_events_come(schedule: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    controller, device = pty.openpty()
    command = [sys.executable, "-m", "carillon", "show", str(schedule), "--live", str(tmp_path / "fifo")]
    process = subprocess.Popen(command, stdin=device, stdout=device, stderr=device)
    os.close(device)
    seen = bytearray()

    def watch() -> None:
        try:
            while data := os.read(controller, 4096):
                seen.extend(data)
        except OSError:
            pass

    thread = threading.Thread(target=watch)
    thread.start()
    frames = of(schedule, 200).frames
    with (tmp_path / "fifo").open("wb", buffering=0) as fifo:
        for at in range(0, len(frames), 60):
            fifo.write(b"".join(frames[at : at + 60]))
            time.sleep(0.15)
        while_it_ran = bytes(seen).decode()
    assert process.wait(timeout=60) == 0
    thread.join()
    os.close(controller)
    assert "worst response" in while_it_ran
    assert "a second; no gap" in while_it_ran


BAD = {
    "nothing there": ("/nonexistent/line", 1, "C096"),
    "a folder": (".", 1, "C096"),
    "nobody listens": ("tcp:127.0.0.1:1", 1, "C096"),
    "no address": ("tcp:somewhere", 2, "write tcp:HOST:PORT"),
    "no bytes": ("/dev/null", 1, "C303"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_source_that_gives_nothing_is_refused(case: str, schedule: Path) -> None:
    source, code, said = BAD[case]
    result = CliRunner().invoke(app, ["show", str(schedule), "--live", source])
    assert result.exit_code == code, result.output
    assert said in result.output


def test_another_schedules_stream_is_refused_by_the_command(schedule: Path, tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(of(schedule, 20).bytes)
    schedule.write_text(TEXT.replace("300us", "310us"), encoding="utf-8")
    result = CliRunner().invoke(app, ["show", str(schedule), "--live", str(tmp_path / "s")])
    assert result.exit_code == 1
    assert "made of another schedule" in result.output
    schedule.write_text(TEXT.replace('stream = "uart"\n', ""), encoding="utf-8")
    result = CliRunner().invoke(app, ["show", str(schedule), "--live", str(tmp_path / "s")])
    assert "the schedule has no stream" in result.output


def test_bytes_that_are_no_stream_are_refused(schedule: Path, tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(bytes(k * 37 % 251 for k in range(5000)))
    result = CliRunner().invoke(app, ["show", str(schedule), "--live", str(tmp_path / "s")])
    assert result.exit_code == 1
    assert "C303" in result.output


# What the line carries.

LOADED = """\
[interrupt.Measured]
source = "soft0"
handler = "Measured"
min_interval = "2ms"
[interrupt.Any]
source = "soft1"
handler = "Any"
[osek.counter.Ms]
tick = "1ms"
[osek.task.Cyclic]
priority = 1
wcet = "1ms"
[osek.alarm.Wakes]
counter = "Ms"
activate = "Cyclic"
autostart = { at = 5, cycle = 5 }
[osek.task.Endless]
priority = 2
autostart = true
events = ["Go"]
[osek.event.Go]
[osek.isr.Stimulated]
source = "soft2"
category = 2
[osek.isr.Unknown]
source = "soft3"
category = 2
[stimuli]
rows = [{ at = "1ms", every = "4ms", source = "soft2" }]
"""


def test_check_counts_what_the_schedule_bounds_and_names_what_it_does_not(tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    path.write_text(TEXT + LOADED, encoding="utf-8")
    result = CliRunner().invoke(app, ["check", str(path), "--quick", "--json"])
    assert result.exit_code == 0, result.output
    (line,) = json.loads(result.stdout)["trace"]
    # Three tasks each ms, Measured each 2 ms, Cyclic each 5 ms, Stimulated each 4 ms; a start and an end of 8.25 bytes.
    assert (line["mode"], line["bytes"]) == ("default", pytest.approx(2 * 8.25 * (3000 + 500 + 200 + 250)))
    assert line["carried"] == pytest.approx((1 - 0.3 - 0.2) * 1_562_500 / 10)
    assert line["uncounted"] == ["interrupt 'Any'", "ISR 'Unknown'", "task 'Endless'"]
    said = CliRunner().invoke(app, ["check", str(path), "--quick"]).stdout
    assert f"has {round(line['bytes'])} bytes a second" in " ".join(said.split())
    assert "without interrupt 'Any', ISR 'Unknown', task 'Endless'" in " ".join(said.split())


@pytest.mark.parametrize(("interval", "fits"), [("500us", True), ("200us", False)])
def test_an_interrupt_may_be_too_much_for_the_line(tmp_path: Path, interval: str, fits: bool) -> None:
    own = f'[interrupt.Often]\nsource = "soft0"\nhandler = "Often"\nmin_interval = "{interval}"\n'
    path = tmp_path / "schedule.toml"
    path.write_text(TEXT + own, encoding="utf-8")
    result = CliRunner().invoke(app, ["check", str(path), "--quick"])
    assert (result.exit_code == 0) is fits
    assert ("C304" in result.output) is not fits
