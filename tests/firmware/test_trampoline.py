# SPDX-License-Identifier: Apache-2.0
"""Applications in the form of Trampoline's, OIL and C, build and run as they lie there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from laboratory import MPS, Laboratory

from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import plan

HERE = Path(__file__).with_suffix("")
DISCOVERY, UNO = "stm32f4-discovery", "arduino-uno"
SOURCES = {DISCOVERY: "EXTI0_IRQ", UNO: '"INT0_vect"', MPS: "EXTI0_IRQ"}
"""What the ISR's source is called on each board; the last one has no such interrupt."""


def application(folder: Path, board: str = MPS, *changes: tuple[str, str]) -> Path:
    """The application in ``folder``, with its OIL file changed; returns the OIL file."""
    shutil.copytree(HERE, folder, dirs_exist_ok=True)
    shutil.copy(HERE.parent / "report.h", folder)
    path = folder / "button.oil"
    text = path.read_text(encoding="utf-8")
    for old, new in ((SOURCES[DISCOVERY], SOURCES[board]), *changes):
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("board", SOURCES)
def test_an_application_of_trampoline_runs_as_it_lies_there(lab: Laboratory, tmp_path: Path, board: str) -> None:
    outcome = lab.run_file(application(tmp_path, board), board, ticks=4_000_000 if board == UNO else 1_250_000)
    blinks = [("blink", n) for n in (1, 2, 3)]
    assert outcome.reported == [("main", 0), ("toggle", 1), *blinks, ("toggle", 0)]


SECOND = (
    'SOURCE = "INT0_vect" { PIN = PA0 { TRIGGER = RISING; PULL = NONE; }; };\n    };',
    'SOURCE = "INT0_vect";\n    };\n    ISR also { CATEGORY = 2; PRIORITY = 1; SOURCE = "INT0_vect"; };',
)


def test_two_isrs_on_one_vector_are_refused_with_their_place(lab: Laboratory, tmp_path: Path) -> None:
    path = application(tmp_path, UNO, SECOND)
    with pytest.raises(CarillonError, match=r"button.oil:71:9: error C049: ISR 'pushed' and ISR 'also' have the same source"):
        lab.run_file(path, UNO, ticks=1)


def test_what_of_trampoline_has_no_use_is_said_with_its_place(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    changes = ("EVENT lit { MASK = AUTO; };", "EVENT lit { MASK = AUTO; };\n    OBJECT shared { DATA_ID = 1; };")
    plan(application(tmp_path, MPS, changes), diagnostics, MPS)
    said = {(d.span.line, d.code) for d in diagnostics.reported if d.span is not None}
    assert said >= {(17, "C151"), (18, "C151"), (29, "C151"), (30, "C151"), (59, "C150"), (62, "C156"), (70, "C151")}


PLUS = """
extern "C" {
#include "tpl_os.h"
}
#include "carillon_port.h"
#include "report.h"
#include "tpl_memmap.h"
#include "tpl_memmap.h"
struct Light {
    P2FUNC(void, OS_APPL_CODE, change)(void);
    CONST(sint16, OS_APPL_CONST) most;
};
FUNC(void, OS_APPL_CODE) change(void) { report("change", sizeof(float32)); }
static CONST(Light, OS_APPL_CONST) light = {change, 3};
FUNC(int, OS_APPL_CODE) main(void) { StartOS(OSDEFAULTAPPMODE); return 0; }
TASK(press) { light.change(); TerminateTask(); }
TASK(toggle) { TerminateTask(); }
TASK(blink) { TerminateTask(); }
ISR(pushed) { CallTerminateISR2(); }
"""


@pytest.mark.parametrize("board", [DISCOVERY, UNO])
def test_an_application_in_cplusplus_has_the_same_words(lab: Laboratory, tmp_path: Path, board: str) -> None:
    path = application(tmp_path, board, ('"button.c"', '"button.cpp"'))
    (tmp_path / "button.cpp").write_text(PLUS, encoding="utf-8")
    assert lab.run_file(path, board, ticks=200_000).reported == [("change", 4)]


def test_an_applications_own_types_stay(lab: Laboratory, tmp_path: Path) -> None:
    path = application(tmp_path)
    own = "#define PLATFORM_TYPES_H\ntypedef unsigned long uint32;\ntypedef int boolean;\n#define FUNC(a, b) a\n"
    own += "#define VAR(a, b) a\n#define P2VAR(a, b, c) a *\n"
    code = path.with_suffix(".c").read_text(encoding="utf-8")
    path.with_suffix(".c").write_text(own + code, encoding="utf-8")
    assert lab.run_file(path, MPS, ticks=1_250_000).reported[-1] == ("toggle", 0)
