# SPDX-License-Identifier: Apache-2.0
"""What decides an object of the kernel (:mod:`objects`): all that its source can reach by names, and nothing else."""

import shutil
from functools import cache
from pathlib import Path

import pytest

import building
from carillon.build import _Unit
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan
from carillon.resources import data_root
from carillon.reuse.objects import Reuse
from objects import Headers, Objects, key

SOURCE = """
#include "kernel.h"
#include <image.h>
int due(void) { return LEVELS + table[0]; }
"""
KERNEL = "#define LEVELS CARILLON_LEVELS\n"
IMAGE = """
#define CARILLON_LEVELS 3
#if CARILLON_WIDE
typedef long Cell;
#else
typedef int Cell;
#endif
extern const Cell table[CARILLON_CELLS];
#define CARILLON_CELLS 2
#define CARILLON_WIDE 0
#define CARILLON_OTHER 5
extern const int other[CARILLON_OTHER];
"""


def key_of(folder: Path, image: str) -> str:
    generated = folder / "generated"
    generated.mkdir(exist_ok=True)
    (folder / "kernel.h").write_text(KERNEL)
    (folder / "due.c").write_text(SOURCE)
    (generated / "image.h").write_text(image)
    options = ["-I", str(generated), "-I", str(folder), "-O2"]
    return key("/bin/sh", folder / "due.c", options, Headers(generated))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LEVELS 3", "LEVELS 4"),  # by a macro of the kernel
        ("CELLS 2", "CELLS 3"),  # by a declaration
        ("WIDE 0", "WIDE 1"),  # by a condition around a type of a declaration
        ("#define CARILLON_OTHER 5", "#pragma pack(1)"),  # not understood
        ("#define CARILLON_OTHER 5", "__attribute__((weak)) int defined_here;"),  # it is in every object
        ("#define CARILLON_OTHER 5", '_Static_assert(CARILLON_OTHER, "")'),  # it may fail
    ],
)
def test_what_a_source_reaches_decides_its_object(tmp_path: Path, old: str, new: str) -> None:
    before = key_of(tmp_path, IMAGE)
    assert key_of(tmp_path, IMAGE.replace(old, new)) != before


@pytest.mark.parametrize(
    ("old", "new"), [("OTHER 5", "OTHER 6"), ("other[", "another["), ("#define CARILLON_OTHER 5\n", "/* none */\n")]
)
def test_what_a_source_does_not_reach_decides_nothing(tmp_path: Path, old: str, new: str) -> None:
    before = key_of(tmp_path, IMAGE)
    assert key_of(tmp_path, IMAGE.replace(old, new)) == before


def test_a_folder_of_an_application_decides_an_object_by_headers_of_names_that_are_included(tmp_path: Path) -> None:
    key_of(tmp_path, IMAGE)
    image = Headers(tmp_path / "generated")
    options = ["-I", str(tmp_path / "generated"), "-I", str(tmp_path)]

    def beside(name: str, header: str = "") -> str:
        folder = tmp_path / name
        folder.mkdir()
        if header:
            (folder / header).write_text(KERNEL)
        return key("/bin/sh", tmp_path / "due.c", [*options, "-I", str(folder), "-O2"], image)

    alone = key("/bin/sh", tmp_path / "due.c", [*options, "-O2"], image)
    assert beside("first") == beside("second", "other.h") == alone
    assert beside("third", "kernel.h") != alone
    assert beside("fourth", "image.h") != alone


def test_an_object_is_made_once_and_one_with_a_complaint_each_time(tmp_path: Path) -> None:
    key_of(tmp_path, IMAGE)
    image, options = Headers(tmp_path / "generated"), ["-I", str(tmp_path / "generated"), "-I", str(tmp_path)]
    objects, target = Objects(tmp_path / "kept"), tmp_path / "due.o"
    answers = [(False, "no"), (True, "a warning"), (True, ""), (True, "again")]
    found = []
    for _ in range(5):

        def make() -> tuple[bool, str]:
            made, said = answers.pop(0)
            target.write_text(str(len(answers)))
            return made, said

        found.append(objects.made("/bin/sh", tmp_path / "due.c", options, target, image, make))
    assert found == [(False, "no"), (True, "a warning"), (True, ""), (True, ""), (True, "")]
    assert target.read_text() == "1"
    assert answers == [(True, "again")]


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs cc")
def test_what_was_built_for_an_image_is_not_compiled_for_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The build of the tests and the tool's agree on what a compilation gives back."""
    compiled: list[str] = []
    compile_always = building._compile

    def compiles(compiler: str, unit: _Unit, reuse: Reuse) -> tuple[bool, str]:
        compiled.append(unit.source.name)
        return compile_always(compiler, unit, reuse)

    monkeypatch.setattr(building, "_compile", compiles)
    monkeypatch.setattr(building, "_objects", cache(lambda: Objects(tmp_path / "kept")))
    (tmp_path / "texts").mkdir()
    monkeypatch.setattr(building, "_texts", lambda: tmp_path / "texts")
    schedule = data_root() / "examples/three-tasks/schedule.toml"
    counts = []
    for folder in ("first", "second"):
        diagnostics = Diagnostics()
        compiled.clear()
        planned = plan(schedule, diagnostics, "virtual-ast1030-evb")
        assert building.build(planned.image, tmp_path / folder, diagnostics) is not None
        counts.append(len(compiled))
    assert counts[0] > 3
    assert counts[1] == 0
