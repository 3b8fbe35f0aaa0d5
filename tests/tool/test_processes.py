# SPDX-License-Identifier: Apache-2.0
"""Several processes of the tool: builds into one folder at once, and one that is ended."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from carillon.files import alone, link
from sample import few

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

SCHEDULE = '[system]\nname = "blink"\nboard = "virtual-tiny"\n[task.Blink]\nperiod = "2ms"\nwcet = "10us"\n'
CODE = '#include "carillon/osektime.h"\n\nttTASK(Blink)\n{\n}\n'
TOOL = (sys.executable, "-m", "carillon")


@pytest.fixture
def application(tmp_path: Path) -> Path:
    folder = tmp_path / "application"
    folder.mkdir()
    (folder / "schedule.toml").write_text(SCHEDULE, encoding="utf-8")
    (folder / "main.c").write_text(CODE, encoding="utf-8")
    return folder


@pytest.mark.long
@pytest.mark.parametrize("command", ["build", "run"])
def test_commands_that_build_into_one_folder_at_once_all_succeed(application: Path, command: str) -> None:
    for _ in range(few(3)):
        shutil.rmtree(application / "build", ignore_errors=True)
        both = [
            subprocess.Popen([*TOOL, command, str(application)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for _ in range(3)
        ]
        said = [(process.communicate()[0], process.returncode) for process in both]
        assert [code for _, code in said] == [0, 0, 0], said
        assert len({text for text, _ in said}) == 1


def test_a_block_for_one_folder_waits_for_the_block_of_another(tmp_path: Path) -> None:
    began, done = threading.Event(), list[str]()

    def other() -> None:
        began.set()
        with alone(tmp_path):
            done.append("other")

    with alone(tmp_path):
        thread = threading.Thread(target=other)
        thread.start()
        began.wait()
        time.sleep(0.1)
        done.append("first")
    thread.join()
    with alone(tmp_path / "another" / "folder"):
        done.append("elsewhere")
    assert done == ["first", "other", "elsewhere"]


def test_an_image_appears_whole_and_is_taken_away_if_the_linker_refuses(tmp_path: Path) -> None:
    image = tmp_path / "image"
    (tmp_path / "objects").mkdir()
    image.write_text("before", encoding="utf-8")
    with image.open(encoding="utf-8") as loading:
        assert link(["sh", "-c", 'echo after > "$0"', str(image)], image).returncode == 0
        assert loading.read() == "before"
    assert image.read_text(encoding="utf-8") == "after\n"
    assert link(["sh", "-c", 'echo half > "$0"; echo no >&2; exit 1', str(image)], image).stderr == "no\n"
    assert [path.name for path in tmp_path.iterdir()] == ["objects"]
    assert not list((tmp_path / "objects").iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_ended_leaves_no_folder_of_its_own(application: Path, tmp_path: Path, number: signal.Signals) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    run = subprocess.Popen(
        [*TOOL, "run", str(application), "--for", "100000s"],
        env=os.environ | {"TMPDIR": str(scratch)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # tests in the background have it ignored, and so would this
    )
    while not list(scratch.glob("carillon-*/records")) and run.poll() is None:
        time.sleep(0.02)
    run.send_signal(number)
    _, said = run.communicate()
    assert run.returncode == 128 + number, said
    assert "Traceback" not in said
    assert not list(scratch.iterdir())
