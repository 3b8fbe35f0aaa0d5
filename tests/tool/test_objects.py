# SPDX-License-Identifier: Apache-2.0
"""What decides an object of the kernel (:mod:`objects`): all that its source can reach by names, and nothing else."""

from pathlib import Path

import pytest

from objects import Headers, key

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
