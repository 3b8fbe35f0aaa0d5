# SPDX-License-Identifier: Apache-2.0
"""OIL's words for the keys of a schedule: the attributes that authors can write."""

from __future__ import annotations

from carillon.frontends.foreign.words import Words
from carillon.frontends.oil import table
from carillon.frontends.oil.table import names_of

_LOCK = 'RESOURCE = RESOURCELOCK { RESOURCE = Shared; CARILLON_RESOURCE_LOCK = "100us"; };'
_ACTIONS = {"activate": "ACTIVATETASK", "event": "table.EVENT", "set_event": "SETEVENT", "task": "table.TASK"}


def _standard(times: dict[str, tuple[str, str]]) -> dict[str, str]:
    return {key: name for key, (_, name) in times.items()}


WORDS = Words(
    {
        "": names_of(*table.SYSTEM, *table.SWITCHES)
        | {"board": "CARILLON_BOARD", "defines": "CFLAGS", "include": "CFLAGS", "sources": "APP_SRC"},
        "task": names_of(*table.TASK) | _standard(table.TASK_TIMES) | {"modes": "APPMODE"},
        "resource lock": {"resource": "RESOURCE", "budget": "CARILLON_RESOURCE_LOCK"},
        "ISR": {"category": "CATEGORY", "priority": "PRIORITY", "resources": "RESOURCE", "source": "SOURCE"}
        | names_of(*table.DECLARED)
        | _standard(table.ISR_TIMES),
        "resource": {"linked": "LINKEDRESOURCE", "property": "RESOURCEPROPERTY"},
        "event": names_of(*table.EVENT),
        "counter": names_of(*table.COUNTER) | {"kind": "TYPE", "tick": "CARILLON_TICK"},
        "alarm": names_of(*(row for row in table.ALARM_START if row.key != "absolute"))  # of which a phrase below says more
        | _ACTIONS
        | {
            "autostart": "AUTOSTART",
            "callback": "ALARMCALLBACKNAME",
            "counter": "table.COUNTER",
            "increment": "INCREMENTCOUNTER",
            "static": "CARILLON_STATIC",
        },
        "schedule table": names_of(
            *table.SCHEDULE_TABLE, *table.TABLE_PRECISION, *table.TABLE_BEGIN, *table.POINT, *table.ADJUSTABLE
        )
        | _ACTIONS
        | {"autostart": "AUTOSTART", "modes": "APPMODE", "sync": "SYNC_STRATEGY"},
    },
    {
        'write both, as in { resource = "Shared", budget = "100us" }': f"write both, as in {_LOCK}",
        "give it a [[...point]] with an offset and actions": "give it an EXPIRY_POINT with an OFFSET and an ACTION",
        "give it the property 'standard'": "write RESOURCEPROPERTY = STANDARD;",
        "give it the property 'linked'": "write RESOURCEPROPERTY = LINKED { LINKEDRESOURCE = ...; };",
        "set 'scheduler_resource' to true": "write USERESSCHEDULER = TRUE;",
        "'scheduler_resource' is false": "USERESSCHEDULER is FALSE",
        'sync = "explicit"': "SYNC_STRATEGY = EXPLICIT",
        'sync = "none"': "SYNC_STRATEGY = NONE",
        "absolute = true": "TYPE = ABSOLUTE",
        'dispatch = "software"': "CARILLON_DISPATCH = SOFTWARE",
        'budgets = "clock"': "CARILLON_BUDGETS = CLOCK",
    },
)
