# SPDX-License-Identifier: Apache-2.0
"""What ``carillon build --library`` makes for AVR is a library of Arduino's tools: a sketch with setup and loop uses it.

The sketch is built by Arduino's own program, with Arduino's own core, and run in simavr.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from packaged import PACKAGES, User, needs

from carillon import __version__

HARDWARE = "/usr/share/arduino/hardware"
BUILDER = ("arduino-builder", "/usr/bin/arduino-ctags", f"{HARDWARE}/arduino/avr/platform.txt", "avr-gcc")


def properties(library: Path) -> dict[str, str]:
    """What library.properties says."""
    lines = (library / "library.properties").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


def built(user: User, folder: Path, library: Path) -> Path:
    """The image of the sketch in ``folder`` with the library.

    Debian's builder is older than precompiled libraries.  It is given what newer ones make of ``precompiled``: the folder of
    the chip, the library's own flags, and the archives there by their names.
    """
    said = properties(library)
    assert said["precompiled"] == "true"
    chip = library / "src" / "atmega328p"
    archives = " ".join(f"-l{archive.stem.removeprefix('lib')}" for archive in sorted(chip.glob("lib*.a")))
    out = folder.parent / "out"
    out.mkdir(exist_ok=True)
    command: list[str | Path] = ["arduino-builder", "-compile", "-fqbn", "arduino:avr:uno", "-build-path", out]
    command += ["-hardware", HARDWARE, "-hardware", "/usr/share/arduino-builder", "-tools", "/usr/bin"]
    command += ["-libraries", library.parent]
    # Debian's compiler leaves this macro out of float.h for C++, and the core needs it.
    command += ["-prefs", "compiler.cpp.extra_flags=-DDECIMAL_DIG=__DECIMAL_DIG__"]
    command += ["-prefs", f'compiler.libraries.ldflags="-L{chip}" {said["ldflags"]} {archives}', folder]
    output = user.runs(*command, cwd=folder.parent)
    assert "program storage space" in output
    return out / f"{folder.name}.ino.elf"


@pytest.fixture
def sketch(tmp_path: Path) -> Path:
    return shutil.copytree(PACKAGES / "arduino" / "Blink", tmp_path / "Blink")


@pytest.fixture
def library(user: User, sketch: Path) -> Path:
    """The library of the sketch's schedule, among those of a user."""
    needs("avr-gcc")
    folder = sketch.parent / "libraries" / "Carillon"
    user.runs("carillon", "build", "--library", sketch, "-o", folder, cwd=sketch.parent)
    return folder


def test_setup_and_loop_of_a_sketch_run_beside_the_tasks(user: User, sketch: Path, library: Path) -> None:
    needs(*BUILDER, "simavr")
    elf = built(user, sketch, library)
    (run,) = json.loads(user.runs("carillon", "run", sketch, "--elf", elf, "--rounds", "20", "--json", cwd=sketch.parent))["runs"]
    tasks = {task["name"]: task for task in run["summary"]["tasks"]}
    assert (tasks["Blink"]["activations"], tasks["Sample"]["activations"]) == (20, 40)
    # The core's interrupts, for millis and Serial, delay a start by as long as they run: less than 20 us, of a round of 20 ms.
    assert max(tasks[name]["start_delay"]["max"] for name in ("Blink", "Sample")) < run["length"] / 1000
    lines = [line for line in run["output"].splitlines() if line.startswith("samples ")]
    assert lines[:3] == ["samples 0", "samples 5", "samples 10"]  # delay takes 50 ms, in which Sample runs five times


THREADS = """
[system]
name = "threads"
board = "arduino-uno"
reserve = ["OC0B"]

[time]
clock = "periodic"
tick = "1ms"
uptime = true

[thread.Loop]
priority = 1
stack = 256

[thread.Fast]
priority = 2
stack = 128
"""
SKETCH = """
#include <Carillon.h>

static struct Other {
    int delay(int ms) { return ms + 1; } // another delay: a method stays what it is
} other;
static volatile unsigned fast;

THREAD(Fast)
{
    for (;;) {
        delay(other.delay(9));
        fast++;
    }
}

THREAD(Loop)
{
    for (;;) {
        loop();
    }
}

void setup()
{
    Serial.begin(115200);
    StartOS(OSDEFAULTAPPMODE);
}

void loop()
{
    const unsigned long began = millis();
    delay(100);
    const unsigned long took = millis() - began;
    Serial.print(F("fast "));
    Serial.print(fast);
    Serial.println(took >= 100 && took <= 102 ? F(" right") : F(" wrong"));
}
"""


def test_delay_and_millis_of_a_sketch_are_of_carillons_clock(user: User, tmp_path: Path) -> None:
    needs(*BUILDER, "avr-gcc", "simavr")
    sketch = tmp_path / "Threads"
    sketch.mkdir()
    (sketch / "schedule.toml").write_text(THREADS, encoding="utf-8")
    (sketch / "Threads.ino").write_text(SKETCH, encoding="utf-8")
    library = tmp_path / "libraries" / "Carillon"
    user.runs("carillon", "build", "--library", sketch, "-o", library, cwd=tmp_path)
    elf = built(user, sketch, library)
    (run,) = json.loads(user.runs("carillon", "run", sketch, "--elf", elf, "--for", "420ms", "--json", cwd=tmp_path))["runs"]
    lines = [line for line in run["output"].splitlines() if line.startswith("fast ")]
    assert lines[:3] == ["fast 9 right", "fast 18 right", "fast 27 right"]


def test_a_sketch_includes_one_header(library: Path) -> None:
    said = properties(library)
    assert said["version"] == __version__
    assert said["includes"] == "Carillon.h"
    assert '#include "carillon/osektime.h"' in (library / "src" / "Carillon.h").read_text(encoding="utf-8")
    assert set(said) >= {"name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures"}


def test_a_handler_of_the_sketch_for_a_timer_of_a_task_is_refused(user: User, sketch: Path, library: Path) -> None:
    needs(*BUILDER)
    with (sketch / "Blink.ino").open("a", encoding="utf-8") as code:
        code.write("\nISR(TIMER1_COMPA_vect)\n{\n}\n")
    with pytest.raises(AssertionError, match=r"multiple definition of .__vector_11'"):
        built(user, sketch, library)
