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
from conditions import expanded, value
from declarations import items
from objects import Headers, Objects, key

SOURCE = """
#include "kernel.h"
#include <image.h>
int due(void) { return LEVELS + table[0] + late(); }
#if CARILLON_HOOKED
int hook(void) { return CARILLON_HOOK; }
#endif
"""
KERNEL = """
#define LEVELS CARILLON_LEVELS
#ifndef CARILLON_LATE
#define CARILLON_LATE 0
#endif
#if CARILLON_LEVELS > CARILLON_CELLS
static inline int late(void)
{
#if CARILLON_LATE
    return CARILLON_BY;
}
#else
    return 0;
}
#endif
#endif
"""
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
#define CARILLON_HOOKED 0
#define CARILLON_HOOK 7
#define CARILLON_BY 9
#define CARILLON_OTHER 5
extern const int other[CARILLON_OTHER];
"""


def key_of(folder: Path, image: str) -> str:
    generated = folder / "generated"
    generated.mkdir(exist_ok=True)
    (folder / "kernel.h").write_text(KERNEL)
    (folder / "due.c").write_text(SOURCE)
    (generated / "image.h").write_text(image)
    options = ["-I", str(generated), "-I", str(folder), "-O2", "-Wundef", "-Werror"]
    return key("/bin/sh", folder / "due.c", options, Headers(generated))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LEVELS 3", "LEVELS 4"),  # by a macro of the kernel
        ("CELLS 2", "CELLS 3"),  # by a declaration
        ("WIDE 0", "WIDE 1"),  # by a condition around a type of a declaration
        ("HOOKED 0", "HOOKED 1"),  # by a condition in the source
        ("#define CARILLON_HOOKED 0", "#define CARILLON_LATE 1\n#define CARILLON_HOOKED 0"),  # in place of a default
        ("#define CARILLON_OTHER 5", "#pragma pack(1)"),  # not understood
        ("#define CARILLON_OTHER 5", "__attribute__((weak)) int defined_here;"),  # it is in every object
        ("#define CARILLON_OTHER 5", '_Static_assert(CARILLON_OTHER, "")'),  # it may fail
    ],
)
def test_what_a_source_reaches_decides_its_object(tmp_path: Path, old: str, new: str) -> None:
    before = key_of(tmp_path, IMAGE)
    assert key_of(tmp_path, IMAGE.replace(old, new)) != before


@pytest.mark.parametrize(
    ("old", "new"),
    [("OTHER 5", "OTHER 6"), ("other[", "another["), ("#define CARILLON_OTHER 5\n", "/* none */\n"), ("HOOK 7", "HOOK 8")],
)
def test_what_a_source_does_not_reach_decides_nothing(tmp_path: Path, old: str, new: str) -> None:
    before = key_of(tmp_path, IMAGE)
    assert key_of(tmp_path, IMAGE.replace(old, new)) == before


def test_what_stands_under_a_condition_counts_only_if_it_may_be_true(tmp_path: Path) -> None:
    late = IMAGE.replace("#define CARILLON_HOOKED 0", "#define CARILLON_LATE 1\n#define CARILLON_HOOKED 0")
    assert key_of(tmp_path, late.replace("BY 9", "BY 10")) != key_of(tmp_path, late)
    unknown = IMAGE.replace("HOOKED 0", "HOOKED __SIZEOF_INT__")
    assert key_of(tmp_path, unknown.replace("HOOK 7", "HOOK 8")) != key_of(tmp_path, unknown)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1 + 1 == 2", 1),
        ("!0 == 1", 1),
        ("2 > 1 == 1", 1),
        ("0 && ? || 0x10u", 1),
        ("? && 0", 0),
        ("1 || ?", 1),
        ("? || 0", None),
        ("1 - 2 < 0u", None),
        ("010", None),
        ("(1", None),
        ("1 1", None),
    ],
)
def test_a_condition_has_the_value_that_it_has_in_c_or_none(text: str, found: int | None) -> None:
    assert value(text) == found


def test_the_macros_of_a_condition_are_replaced_as_texts() -> None:
    macros = {"A": "1 + B", "B": "UINT32_C(2)", "C": "C"}
    assert value(expanded("A == 3 && !(C)", macros.get)) is None
    assert value(expanded("A == 3 && !B", macros.get)) == 0


@pytest.mark.parametrize(
    ("text", "declares"),
    [
        ("#if A\nint f(int a) {\n#else\nint f(void) {\n#endif\n}\nstatic int g(void) {\n}", [None, {"g"}]),
        ("static int f(void) {\n#if A\nif (1) {\n#else\n{\n#endif\n}\n}\nstatic int g(void) {\n}", [{"f"}, {"g"}]),
        ("static int f(void) {\n#if A\n}\n#else\nreturn g;\n}\n#endif", [{"f"}, None]),
    ],
)
def test_the_branches_of_a_condition_have_their_own_braces(text: str, declares: list[set[str] | None]) -> None:
    assert [item.declares for item in items(text)] == declares


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
