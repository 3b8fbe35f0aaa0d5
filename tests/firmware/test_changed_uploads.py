# SPDX-License-Identifier: Apache-2.0
"""Changed uploads to a target that runs in QEMU: none is accepted, and what runs there does not notice them.

``CARILLON_TRIES`` is the number of uploads; 12 without it.
"""

from __future__ import annotations

import random
import shutil
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from laboratory import AST, ROOT, Laboratory

import asked
from carillon.diagnostics import Diagnostics
from carillon.microcode.upload import Kind, Target, UploadError
from carillon.run import run
from carillon.trace import Event, Trace

sys.path.append(str(ROOT / "tests" / "giotto"))
from changed_uploads import WAYS, changed
from verifier import bare

MANY = asked.tries(12)
SECONDS = 4
KEY = bytes(range(16))
OTHERS = ("microcode_loader", "idle")


class Socket:
    """The line of QEMU."""

    def __init__(self, path: Path, ended: threading.Event) -> None:
        while not ended.is_set():
            self.socket = socket.socket(socket.AF_UNIX)
            try:
                self.socket.connect(str(path))
            except (FileNotFoundError, ConnectionRefusedError):  # it comes, and then somebody listens
                self.socket.close()
                time.sleep(0.01)
            else:
                break
        self.socket.settimeout(20)

    def write(self, content: bytes) -> None:
        self.socket.sendall(content)

    def read(self) -> bytes:
        return self.socket.recv(4096)


def story(trace: Trace) -> list[Event]:
    """What happens, and when, but to the thread that receives and to nobody."""
    return [event for event in trace.events if event.object not in OTHERS]


def sent(path: Path, ended: threading.Event, content: bytes, chance: random.Random, most: int) -> int:
    """Send uploads that are wrong until the run ends, or so many; each is refused.  Returns how many were."""
    line = Socket(path, ended)
    target = Target(line)
    first = target.status()
    assert first.result == "nothing"
    stale = refused = 0
    with suppress(ConnectionError, UploadError):  # the run has ended
        while refused < most:
            begun = target.ask(Kind.BEGIN)
            assert (begun.answer, begun.uploads) == ("ok", refused + 1)
            line.write(b"".join(changed(chance.randrange(WAYS), chance, content, KEY, begun.challenge, stale)))
            after = target.status()
            assert after.result != "accepted"
            assert (after.waiting, after.running) == (False, first.running)
            stale = begun.challenge
            refused += 1
    line.socket.close()
    return refused


def test_what_runs_does_not_notice_uploads_that_are_refused(lab: Laboratory, tmp_path: Path) -> None:
    for file in (ROOT / "examples" / "flight").glob("flight.*"):
        shutil.copy(file, tmp_path)
    (tmp_path / "flight.upload").write_text('bytes = 1024\nkey = "flight.key"\nresets = "flight_resets"\n', encoding="ascii")
    (tmp_path / "flight.key").write_text(KEY.hex(), encoding="ascii")
    planned, firmware = lab.firmware(tmp_path / "flight.giotto", AST)
    assert planned.image.microcode is not None
    content = bare(planned.image.microcode.compiled.program)
    chance = random.Random(17)
    ticks = SECONDS * planned.system.clock_hz
    alone = story(lab.run_file(tmp_path / "flight.giotto", AST, ticks=ticks).trace)
    assert len(alone) > 1000
    refused = runs = 0
    while refused < MANY:
        diagnostics, ended, line = Diagnostics(), threading.Event(), tmp_path / f"line-{runs}"
        with ThreadPoolExecutor(1) as pool:
            host = pool.submit(sent, line, ended, content, chance, MANY - refused)
            trace = run(planned.image, firmware, ticks, diagnostics, serial=line)
            ended.set()
            refused += host.result()
        runs += 1
        assert trace is not None, diagnostics.reported
        assert story(trace) == alone
        assert refused >= runs
