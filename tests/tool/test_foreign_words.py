# SPDX-License-Identifier: Apache-2.0
"""What is wrong with an OIL or ARXML file is said in the words that its author can write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from carillon.diagnostics import Diagnostics
from carillon.frontends import read_schedule
from carillon.frontends.arxml.words import WORDS as ARXML
from carillon.frontends.foreign.words import Words
from carillon.frontends.oil.words import WORDS as OIL
from carillon.read.schema import SystemTable
from carillon.read.schema_osek import (
    AlarmTable,
    AutostartTable,
    CounterTable,
    EventTable,
    IsrTable,
    OsekTable,
    OsekTaskTable,
    ResourceLockTable,
    ResourceTable,
    ScheduleTableTable,
    SetEventTable,
    TableAutostartTable,
    TablePointTable,
)

HERE = Path(__file__).parent
TABLES: dict[str, tuple[type[BaseModel], ...]] = {
    "": (SystemTable, OsekTable),
    "task": (OsekTaskTable,),
    "resource lock": (ResourceLockTable,),
    "ISR": (IsrTable,),
    "resource": (ResourceTable,),
    "event": (EventTable,),
    "counter": (CounterTable,),
    "alarm": (AlarmTable, AutostartTable, SetEventTable),
    "schedule table": (ScheduleTableTable, TableAutostartTable, TablePointTable, SetEventTable),
}
ONLY_IN_SCHEDULES = {
    *(
        "name",
        "clock",
        "start_mode",
        "on_deadline_miss",
        "on_budget_overrun",
        "start_within",
        "check_start",
        "inexact_times",
        "timing",
        "reserve",
        "idle",
    ),
    *("modes", "hooks", "task", "isr", "resource", "event", "counter", "alarm", "schedule_table"),
}
"""Keys of [system] and [osek] of which no message about such a file speaks, or that are other objects there."""
SAID_BY_WORDS = {"absolute", "synchron", "point", "resource_lock", "autostart", "set_event", "kind", "cells", "static"}
"""Keys whose meaning is in a word, or in a block, of at least one of the languages."""
KEYS = {key for tables in TABLES.values() for table in tables for key in table.model_fields} - {"name", "source"}


@pytest.mark.parametrize("words", [OIL, ARXML], ids=["oil", "arxml"])
def test_every_key_has_a_word(words: Words) -> None:
    keys = {(kind, key) for kind, tables in TABLES.items() for table in tables for key in table.model_fields}
    missing = [(k, key) for k, key in sorted(keys) if key not in words.keys[k] and key not in SAID_BY_WORDS]
    missing = [(kind, key) for kind, key in missing if kind or key not in ONLY_IN_SCHEDULES]
    assert not missing


@pytest.mark.parametrize("language", ["oil", "arxml"])
def test_no_message_about_a_file_of_another_tool_has_a_key_of_a_schedule(language: str) -> None:
    said = [path.read_text(encoding="utf-8") for path in sorted((HERE / language).glob("*/*.txt"))]
    assert len(said) > 10
    for text in said:
        for line in text.splitlines():
            if " C144: " in line:
                continue  # shows the file's own word, in lower case
            assert not [key for key in re.findall(r"'([a-z_]+)'", line) if key in KEYS], line
            assert not re.search(r"\[\[|\[osek|\b[a-z_]+ = (\"|true|false)", line.replace("import'", "")), line


def test_a_name_that_is_a_key_stays_a_name() -> None:
    spoken = OIL.speaker()
    assert spoken("task 'priority' has no 'priority'", "write 'priority'") == (
        "task 'priority' has no PRIORITY",
        "write PRIORITY",
    )
    assert spoken("alarm 'cycle' names the unknown counter 'tick'", "did you mean 'Tick'?")[0] == (
        "alarm 'cycle' names the unknown counter 'tick'"
    )
    cause, remedy = spoken("'tick' of counter 'C' is 0.5 ticks", 'or use a clock (clock = "125MHz" in [system])')
    assert cause == "CARILLON_TICK of counter 'C' is 0.5 ticks"
    assert remedy == "or use a clock (clock = \"125MHz\" in [system] of the schedule that 'carillon import' makes)"


NAMED_AS_KEYS = """OIL_VERSION = "2.5";
CPU c {
    OS o { STATUS = EXTENDED; };
    APPMODE status { };
    EVENT offset { MASK = AUTO; };
    EVENT cycle { MASK = AUTO; };
    EVENT precision { MASK = AUTO; };
    RESOURCE linked { RESOURCEPROPERTY = STANDARD; };
    TASK budget { PRIORITY = 1; RESOURCE = linkd; EVENT = offset; EVENT = cycle; };
    COUNTER tick { TYPE = SOFTWARE; MAXALLOWEDVALUE = 100; TICKSPERBASE = 1; MINCYCLE = 1; };
    ALARM counter { COUNTER = tik; ACTION = ACTIVATETASK { TASK = budgett; }; };
    ALARM event { COUNTER = tick; ACTION = SETEVENT { TASK = budget; EVENT = precision; }; };
    TASK sync { };
};
"""


def test_names_that_messages_propose_stay_names(tmp_path: Path) -> None:
    path = tmp_path / "app.oil"
    path.write_text(NAMED_AS_KEYS, encoding="utf-8")
    diagnostics = Diagnostics()
    read_schedule(path, diagnostics)
    said = "\n".join(str(d) for d in diagnostics.in_order())
    for part in ("did you mean 'linked'?", "did you mean 'tick'?", "did you mean 'budget'?", "it has 'offset' and 'cycle'"):
        assert part in said
    assert "task 'sync' has no PRIORITY" in said
    spoken = OIL.speaker({"tick", "cycle"})
    assert spoken("'tick' is an alarm and a counter (line 3)", "known names are 'cycle', 'tick'") == (
        "'tick' is an alarm and a counter (line 3)",
        "known names are 'cycle', 'tick'",
    )
    assert spoken("'tick' of counter 'C' is zero", "write 'tick'") == (
        "CARILLON_TICK of counter 'C' is zero",
        "write CARILLON_TICK",
    )
    assert spoken("the counter name 'tick' is taken", "")[0] == "the counter name 'tick' is taken"
