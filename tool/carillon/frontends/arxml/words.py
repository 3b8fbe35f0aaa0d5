# SPDX-License-Identifier: Apache-2.0
"""ARXML's words for the keys of a schedule: the parameters of the table that reads ARXML."""

from __future__ import annotations

from carillon.frontends.arxml.table import SECTIONS, SYSTEM, Group, Kind
from carillon.frontends.foreign.words import Words

_KINDS = {"isr": "ISR", "schedule_table": "schedule table"}
"""What messages call a section's objects, if not as the section."""


def _words(group: Group) -> dict[str, str]:
    """Each key with its parameter; of several parameters the first, which is the standard's."""
    words: dict[str, str] = {}
    for parameter in group.parameters:
        if parameter.key and parameter.kind is not Kind.MEMBER:
            words.setdefault(parameter.key, parameter.name)
    for inner in group.groups:
        if inner.key:
            words.setdefault(inner.key, inner.name)
        if inner.name != "OsTaskResourceLock":  # whose keys are those of resource locks
            words = {**_words(inner), **words}
    return words


_LOCK = next(g for outer in SECTIONS["task"].groups for g in outer.groups if g.name == "OsTaskResourceLock")
WORDS = Words(
    {"": _words(SYSTEM), "resource lock": _words(_LOCK)} | {_KINDS.get(s, s): _words(group) for s, group in SECTIONS.items()},
    {
        'write both, as in { resource = "Shared", budget = "100us" }': "give the OsTaskResourceLock both, "
        "OsTaskResourceLockResourceRef and OsTaskResourceLockBudget",
        "give it a [[...point]] with an offset and actions": "give it an OsScheduleTableExpiryPoint",
        "give it the property 'standard'": "give it the OsResourceProperty STANDARD",
        "give it the property 'linked'": "give it the OsResourceProperty LINKED",
        "set 'scheduler_resource' to true": "set OsUseResScheduler to true",
        "'scheduler_resource' is false": "OsUseResScheduler is false",
        'sync = "explicit"': "the OsScheduleTblSyncStrategy EXPLICIT",
        'sync = "none"': "the OsScheduleTblSyncStrategy NONE",
        "absolute = true": "the type ABSOLUTE",
        'dispatch = "software"': "the CarillonDispatch SOFTWARE",
        'budgets = "clock"': "the CarillonBudgets CLOCK",
    },
)
