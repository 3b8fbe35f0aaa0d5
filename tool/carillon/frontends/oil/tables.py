# SPDX-License-Identifier: Apache-2.0
"""Schedule tables of OIL, as tools write them: with EXPIRY_POINT blocks, or with an OFFSET in each ACTION."""

from __future__ import annotations

from carillon.diagnostics import suggestion
from carillon.frontends.oil.resolve import Attributes, Merged, Resolved
from carillon.frontends.oil.syntax import Name
from carillon.frontends.oil.table import ADJUSTABLE, POINT, SCHEDULE_TABLE, TABLE_BEGIN, TABLE_PRECISION, fill
from carillon.frontends.oil.values import Values
from carillon.read.spans import Path

_KINDS = (Name("ABSOLUTE"), Name("RELATIVE"), Name("SYNCHRON"))
_STRATEGIES = {"NONE": "none", "IMPLICIT": "implicit", "EXPLICIT": "explicit"}


class Tables:
    """Converts schedule tables.  A point's actions are those of all blocks with its offset."""

    def __init__(self, values: Values) -> None:
        self.values = values

    def table(self, merged: Merged, path: Path) -> None:
        """A schedule table."""
        attributes = merged.attributes
        fill(self.values, attributes, SCHEDULE_TABLE, path)
        self._sync(attributes, path)
        self._autostart(attributes, (*path, "autostart"))
        self._points(merged, path)

    def _sync(self, attributes: Attributes, path: Path) -> None:
        value = self.values.truth(attributes, "LOCAL_TO_GLOBAL_TIME_SYNCHRONIZATION", (*path, "sync"))
        if value is None or value.literal != Name("TRUE"):
            return
        if self.values.word(value.block, "SYNC_STRATEGY", (*path, "sync"), _STRATEGIES) is None:
            self.values.put((*path, "sync"), value, "explicit")
        fill(self.values, value.block, TABLE_PRECISION, path)

    def _autostart(self, attributes: Attributes, path: Path) -> None:
        start = self.values.one(attributes, "AUTOSTART", path)
        if start is None or start.literal in (Name("FALSE"), Name("NONE")):
            return
        if start.literal in _KINDS:  # as Trampoline's own definition has it
            kind: Resolved | None = start
        elif start.literal == Name("TRUE"):
            kind = self.values.one(start.block, "TYPE", (*path, "absolute"))
        else:
            self.values.refuse(path, start, "is no way to start", "write TRUE or FALSE, or NONE, ABSOLUTE, RELATIVE or SYNCHRON")
            return
        self.values.put(path, start, {})
        if kind is not None and kind.literal in (Name("ABSOLUTE"), Name("SYNCHRON")):
            self.values.put((*path, str(kind.literal).lower()), kind, True)
        elif kind is not None and kind.literal != Name("RELATIVE"):
            self.values.refuse((*path, "absolute"), kind, "is nothing that Carillon has", "write ABSOLUTE, RELATIVE or SYNCHRON")
        if kind is None or kind.literal != Name("SYNCHRON"):
            fill(self.values, start.block, TABLE_BEGIN, path)
        self.values.names(start.block, "APPMODE", (*path, "modes"))

    def _points(self, merged: Merged, path: Path) -> None:
        """The points by offset; a point without an offset comes first, and the schedule's checks report it."""
        blocks = [(self._offset(value.block), value, value.block) for value in merged.attributes.all("EXPIRY_POINT")]
        for value in merged.attributes.all("ACTION"):
            inner = Attributes(value.owner, value.span, {"ACTION": [value]}, value.block.wrong & {"OFFSET"})
            inner.values |= {"OFFSET": value.block.values["OFFSET"]} if "OFFSET" in value.block.values else {}
            blocks.append((self._offset(value.block), value, inner))
        points: dict[int, Path] = {}
        for offset, value, block in sorted(blocks, key=lambda block: block[0]):
            if offset not in points:
                points[offset] = self.values.result.append((*path, "point"), {}, value.span, value.key)
                fill(self.values, block, POINT, points[offset])
            where = points[offset]
            for used in block.values.get("OFFSET", []):
                used.used = True
            for action in block.all("ACTION"):
                self._action(action, where)
            adjust = self.values.one(block, "SYNC_ADJUST", where) or self.values.one(block, "ADJUSTABLE", where)
            fill(self.values, adjust.block if adjust is not None else block, ADJUSTABLE, where)

    def _offset(self, block: Attributes) -> int:
        values = block.values.get("OFFSET", [])
        literal = values[0].literal if values else None
        return literal if isinstance(literal, int) else -1

    def _action(self, value: Resolved, path: Path) -> None:
        match str(value.literal):
            case "ACTIVATETASK":
                listed = (*path, "activate")
                task = self.values.one(value.block, "TASK", (*listed, len(self.values.result.table(path).get("activate", ()))))
                if task is not None:
                    self.values.places.put(listed, value.span, value.key)
                    self.values.result.append(listed, str(task.literal), task.span, task.key)
            case "SETEVENT":
                where = self.values.result.append((*path, "set_event"), {}, value.span, value.key)
                self.values.name(value.block, "TASK", (*where, "task"))
                self.values.name(value.block, "EVENT", (*where, "event"))
            case action:
                cause = "is no action of a schedule table"
                self.values.refuse(path, value, cause, suggestion(action, ("ACTIVATETASK", "SETEVENT")))
