# SPDX-License-Identifier: Apache-2.0
"""What the machine of microcode costs on chips: its flash, an invocation that changes nothing, and what an instruction takes."""

from __future__ import annotations

import shutil
import subprocess
from itertools import pairwise

from laboratory import AST, MPS, ROOT, Laboratory

from bench.papers.marks import Marks
from carillon.build.symbols import symbols
from carillon.diagnostics import Diagnostics
from carillon.model.giotto import Machine
from carillon.run import record
from carillon.trace import Kind

PARTS = ("machine", "tasks", "verify", "loader")
CALLED = """\
sensor int one uses get_one; int other uses get_other;
output int told := zero;
task first (int it, int that) output (told) state () { schedule compute(it, that, told) } [wcet 1ms]
driver take (one, other) output (int it, int that) { if always() then copy(one, other, it, that) }
start m { mode m () period 10 { taskfreq 1 do first(take); } }
"""
CALLED_C = """\
#include "giotto.h"
bool always(void) { return true; }
void zero(int *told) { *told = 0; }
void get_one(int *one) { *one = 1; }
void get_other(int *other) { *other = 2; }
void copy(const int *one, const int *other, int *it, int *that) { *it = *one; *that = *other; }
void compute(const int *it, const int *that, int *told) { *told = *it + *that; }
"""
GET = 5
"""Instructions of `get_one`, and of what calls it with its port."""


def test_machine_tasks_verifier_and_loader_fit_into_eight_kibibytes_of_a_cortex_m3(lab: Laboratory) -> None:
    """What of them no image needs is counted, too."""
    folder = lab.folder / "uploads"
    shutil.copytree(ROOT / "examples" / "helicopter", folder)
    (folder / "helicopter.upload").write_text('key = "h.key"\nresets = "helicopter_resets"\n', encoding="ascii")
    (folder / "h.key").write_text("000102030405060708090a0b0c0d0e0f", encoding="ascii")
    with (folder / "helicopter.c").open("a", encoding="ascii") as file:
        file.write(
            "#include <stdint.h>\nuint32_t helicopter_resets(void);\nuint32_t helicopter_resets(void)\n{\n    return 1u;\n}\n"
        )
    _, firmware = lab.firmware(folder / "helicopter.giotto", MPS)
    objects = [firmware.elf.parent / "objects" / f"kernel_microcode_{part}.c.o" for part in PARTS]
    said = subprocess.run(["arm-none-eabi-size", "-t", *map(str, objects)], capture_output=True, text=True, check=True).stdout
    text, data = (int(word) for word in said.splitlines()[-1].split()[:2])
    assert 4096 < text + data <= 8192


def handlers(lab: Laboratory, tasks: int) -> list[int]:
    """Instructions of each invocation by the tick, with so many tasks that S code dispatches."""
    lines = [f"task t{k} () output () state () {{ schedule work() }} [wcet 10us]" for k in range(tasks)]
    lines += ["start m { mode m () period 10 {", *(f"taskfreq 1 do t{k}();" for k in range(tasks)), "} }"]
    folder = lab.folder / f"released{tasks}"
    folder.mkdir()
    (folder / "released.giotto").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "released.scode").write_text(".method edf\n", encoding="utf-8")
    (folder / "main.c").write_text('#include "giotto.h"\nvoid work(void) {}\n', encoding="utf-8")
    outcome = lab.run_file(folder / "released.giotto", AST, machine=Machine.TICKS, ticks=15_625 * 45)
    events = outcome.events(Kind.ENTER, Kind.EXIT)
    both = [(begin, end) for begin, end in pairwise(events) if (begin.kind, end.kind) == (Kind.ENTER, Kind.EXIT)]
    return [end.n - begin.n for begin, end in both if begin.object == "slices"]


def test_an_invocation_that_changes_nothing_takes_60_instructions_at_most_and_a_release_25(lab: Laboratory) -> None:
    few, many = handlers(lab, 2), handlers(lab, 12)
    assert 10 <= min(few) == min(many) <= 60
    assert sum(n == min(few) for n in few) >= 36  # of 45
    few, many = (sorted(found)[-4:-1] for found in (few, many))  # the longest one begins the program
    assert len(set(few)) == len(set(many)) == 1
    assert 10 <= (many[0] - few[0]) // 10 <= 25


def test_a_call_takes_25_instructions_at_most_beside_its_driver(lab: Laboratory) -> None:
    folder = lab.folder / "called"
    folder.mkdir()
    (folder / "called.giotto").write_text(CALLED, encoding="utf-8")
    (folder / "main.c").write_text(CALLED_C, encoding="utf-8")
    planned, firmware = lab.firmware(folder / "called.giotto", AST)
    marks = ("get_one", "get_other")
    recording = record(planned.image, firmware, 15_625 * 45, Diagnostics(), marks)
    assert recording is not None
    found = Marks.of(recording.records, symbols(firmware.elf), marks).between(*marks[:1], marks[1:])
    assert len(found) >= 4
    assert 10 <= min(found) == max(found) <= 25 + GET
