# SPDX-License-Identifier: Apache-2.0
"""Schedule tables and their expiry points (AUTOSAR OS R4, 7.3.2)."""

from __future__ import annotations

from collections.abc import Iterator

from carillon.model.osek import ActivateTask, AlarmAction, ScheduleTable, Synchronisation, TableAutostart, TablePoint, TableStart
from carillon.read.osek.alarms import Alarms
from carillon.read.osek.file import OsekFile, some
from carillon.read.schema_osek import CounterTable, ScheduleTableTable, TableAutostartTable, TablePointTable
from carillon.read.spans import Path
from carillon.units import shorten

MOST_POINTS = 0xFFFE
"""Of a table; its end is one more, and kernel/contract/osek.h counts them in 16 bits."""
MOST_ACTIONS = 0xFFFF
"""Of all tables."""
LATEST = 0xFFFF_FFFF
"""The greatest offset (``TickType``)."""
LONGEST = LATEST + 1
"""The greatest duration: a turn of the greatest counter."""


def _not_shifted(table: ScheduleTable) -> str:
    """Why the cells of a table cannot keep it with the global time; empty if they can, all together between two turns."""
    its = "it is synchronised explicitly"
    if not table.repeating:
        return f"{its}, and does not repeat, and cells are adjusted between the last point and the first one of the next turn"
    if table.followed:
        return f"{its}, and may be followed, and what another table takes over from it is known to queues alone"
    number = next((k for k, p in enumerate(table.points[1:], 2) if p.max_lengthen or p.max_shorten), 0)
    if number:
        return f"the delay to its point {number} may be adjusted, and cells are shifted only before the first point"
    return ""


_HAS, _IT = ("has", "have"), ("it", "them")


class ScheduleTables:
    """Schedule tables, which share the names of actions with alarms."""

    def __init__(self, at: OsekFile, alarms: Alarms) -> None:
        self.at = at
        self.alarms = alarms

    def resolve(self) -> None:
        """Report all errors of schedule tables."""
        self.tables = tuple(self._tables())
        self._check_limits()

    def _check_limits(self) -> None:
        """C117: more points or actions than the kernel's tables can have."""
        actions = 0
        for name, table in self.at.table.schedule_table.items():
            if len(table.point) > MOST_POINTS:
                cause = f"schedule table {shorten(name)} has {len(table.point)} expiry points, more than {MOST_POINTS}"
                remedy = "divide it into several tables: NextScheduleTable lets one follow another"
                self.at.error("C117", self.at.key("schedule_table", name, "point", MOST_POINTS), cause, remedy)
            before = actions
            actions += sum(len(point.activate) + len(point.set_event) for point in table.point)
            if before <= MOST_ACTIONS < actions:
                cause = (
                    f"the expiry points of the schedule tables up to {shorten(name)} have {actions} actions, "
                    f"more than {MOST_ACTIONS}"
                )
                remedy = "let some of the tasks activate others, or set their events"
                self.at.error("C117", self.at.key("schedule_table", name), cause, remedy)

    def _tables(self) -> Iterator[ScheduleTable]:
        for name, table in self.at.table.schedule_table.items():
            path = ("schedule_table", name)
            title = f"schedule table {shorten(name)}"
            counter = self.at.counter(table.counter, path, title)
            if table.duration is None:
                self.at.missing(path, title, "duration", "say how many ticks of the counter it takes from its begin to its end")
            points = tuple(self._points(table, path, title))
            sound = counter is not None and counter in self.alarms.sound and not self.at.incomplete(*path)
            if sound and table.duration is not None and len(points) == len(table.point) > 0:
                self._check_times(table, self.at.table.counter[str(counter)], path, title)
            autostart = self._autostart(table, path, title)
            if counter is not None and table.duration is not None and points:
                sync = Synchronisation(table.sync)
                span = self.at.key(*path)
                made = ScheduleTable(
                    name,
                    counter,
                    table.duration,
                    table.repeating,
                    points,
                    sync,
                    table.precision,
                    autostart,
                    span,
                    table.cells,
                    table.followed and table.repeating,
                )
                if table.followed and not (table.cells and table.duration > 1) and not self.at.lost(*path, "cells"):
                    why = "it takes one tick" if table.cells else "it is in the queue, where every table may be followed"
                    cause = f"{title} has no cell at its half for 'followed': {why}"
                    self.at.error("C200", self.at.key(*path, "followed"), cause, "leave it out")
                if table.cells and sound and len(points) == len(table.point):
                    self._check_cells(made, path, title)
                yield made

    def _check_cells(self, table: ScheduleTable, path: Path, title: str) -> None:
        """C200: a table that cells of no board can carry."""
        why = ""
        if table.sync is Synchronisation.EXPLICIT:
            why = _not_shifted(table)
        if not why and self.at.table.counter[table.counter].kind == "software":
            why = f"software advances its counter {shorten(table.counter)}"
        if why:
            cause = f"{title} cannot be on cells: {why}"
            self.at.error("C200", self.at.key(*path, "cells"), cause, "leave 'cells' out: the queue carries it")

    def _points(self, table: ScheduleTableTable, path: Path, title: str) -> Iterator[TablePoint]:
        if not table.point and not self.at.incomplete(*path):
            cause = f"{title} has no expiry point"
            self.at.error("C113", self.at.key(*path), cause, "give it a [[...point]] with an offset and actions")
        for number, point in enumerate(table.point):
            where = (*path, "point", number)
            its = f"point {number + 1} of {title}"
            if point.offset is None:
                self.at.missing(where, its, "offset", "say how many ticks after the begin it is")
                continue
            actions = tuple(self._actions(point, where, its))
            if not point.activate and not point.set_event and not self.at.incomplete(*where):
                self.at.error("C113", self.at.key(*where), f"{its} does nothing", "give it tasks to activate, or events to set")
            yield TablePoint(point.offset, actions, point.max_lengthen, point.max_shorten, self.at.key(*where))

    def _actions(self, point: TablePointTable, path: Path, title: str) -> Iterator[AlarmAction]:
        for name in self.at.listed(point.activate, "task", (*path, "activate"), title):
            yield ActivateTask(name)
        seen: set[AlarmAction] = set()
        for number, table in enumerate(point.set_event):
            action = self.alarms.set_event(table, (*path, "set_event", number), title)
            if action is not None and action in seen:
                self.at.twice("event", action.event, (*path, "set_event", number), f" by {title}")
            elif action is not None:
                seen.add(action)
                yield action

    def _check_times(self, table: ScheduleTableTable, counter: CounterTable, path: Path, title: str) -> None:
        """C235: times that the counter cannot count.  C236: times that could not keep with a global time."""
        assert table.duration is not None
        least, most = counter.min_cycle, counter.max_allowed
        before, earlier = 0, "the table's begin"
        delays: list[int] = []
        for number, point in enumerate(table.point):
            assert point.offset is not None
            its = f"point {number + 1} of {title}"
            place = self.at.value(*path, "point", number, "offset")
            delay = point.offset - before
            delays.append(delay)
            if number and delay <= 0:
                cause = f"{its} is at {point.offset}, which is not after {earlier}, at {before}"
                self.at.error("C235", place, cause, "list the points in order of time, each offset once")
                return
            if (number or delay) and not least <= delay <= most:
                allowed = f"{least} to {most}" if number else f"0 or {least} to {most}"
                choice = f"{before + least} to {min(before + most, LATEST)}"
                cause = (
                    f"{its} comes {delay} tick{'s' * (delay > 1)} after {earlier}, "
                    f"but counter {shorten(str(table.counter))} allows {allowed}"
                )
                remedy = f"choose an offset from {choice}" if number else f"choose an offset of 0, or from {choice}"
                self.at.error("C235", place, cause, remedy)
                return
            before, earlier = point.offset, f"point {number + 1}"
        final = table.duration - before
        place = self.at.value(*path, "duration")
        if final < 0 or (final == 0 and table.repeating) or (final and not least <= final <= most):
            name = shorten(str(table.counter))
            if final < 0:
                ends = f"{title} ends at {table.duration}, before its last point, at {before}"
            elif final == 0:
                ends = f"{title} is repeating, and ends at {table.duration}, at its last point"
            else:
                ends = (
                    f"{title} ends at {table.duration}, {final} tick{'s' * (final > 1)} after its last point, "
                    f"but counter {name} allows {least} to {most}"
                )
            choice = f"choose a duration from {before + least} to {min(before + most, LONGEST)}"
            alone = (
                "" if table.repeating or before == 0 else f", or {before}: a table that does not repeat may end at its last point"
            )
            self.at.error("C235", place, ends, choice + alone)
            return
        self._check_sync(table, counter, delays, path, title)

    def _check_sync(self, table: ScheduleTableTable, counter: CounterTable, delays: list[int], path: Path, title: str) -> None:
        assert table.duration is not None
        turn = counter.max_allowed + 1
        name = shorten(str(table.counter))
        if table.sync == "implicit" and table.repeating and table.duration != turn:
            cause = f"{title} takes {table.duration} ticks, and its counter {name}, with which it is synchronised, {turn}"
            self.at.error("C236", self.at.value(*path, "duration"), cause, f'write a duration of {turn}, or sync = "none"')
        longest = min(turn, LATEST)
        if table.sync == "explicit" and table.duration > longest:
            whose = f"its counter {name}" if turn == longest else "TickType"
            cause = f"{title} takes {table.duration} ticks, and {whose} only {longest}: no value can say where it should be"
            remedy = f'write a duration of at most {longest}, or sync = "none"'
            self.at.error("C236", self.at.value(*path, "duration"), cause, remedy)
        if table.sync != "explicit":
            paths = self._adjustments(table, path)
            if paths:
                which = some(str(where[-1]) for where in paths)
                cause = f'{which} of {title} {_HAS[len(paths) > 1]} no effect: only a table with sync = "explicit" is adjusted'
                remedy = f"leave {_IT[len(paths) > 1]} out, or synchronise the table explicitly"
                self.at.error("C236", self.at.key(*paths[0]), cause, remedy)
            return
        if table.precision > table.duration:
            cause = f"the precision of {title} is {table.precision} ticks, which is more than its duration of {table.duration}"
            self.at.error("C236", self.at.value(*path, "precision"), cause, f"write at most {table.duration}")
        self._check_adjustments(table, counter, delays, path, title)

    def _check_adjustments(
        self, table: ScheduleTableTable, counter: CounterTable, delays: list[int], path: Path, title: str
    ) -> None:
        """C236: a delay that could be made shorter than the counter allows, or longer.

        The delay to the first point is that from the last point of the turn before.  A table that does not repeat has none:
        what begins when it is told to is not adjusted before.
        """
        assert table.duration is not None
        name = shorten(str(table.counter))
        if not table.repeating:
            keys = [key for key in ("max_lengthen", "max_shorten") if getattr(table.point[0], key)]
            if keys:
                which = f"{some(keys)} of point 1 of {title} {_HAS[len(keys) > 1]} no effect"
                cause = f"{which}: no point comes before it, as the table does not repeat"
                self.at.error("C236", self.at.key(*path, "point", 0, keys[0]), cause, f"leave {_IT[len(keys) > 1]} out")
        for number, point in enumerate(table.point):
            if number == 0 and not table.repeating:
                continue
            delay = delays[number] + (0 if number else table.duration - int(table.point[-1].offset or 0))
            where = (*path, "point", number)
            which = f"the delay of {delay} tick{'s' * (delay != 1)} to point {number + 1} of {title} may be made"
            shorter, longer = max(0, delay - counter.min_cycle), max(0, counter.max_allowed - delay)
            for key, by, most, direction, limit in (
                ("max_shorten", point.max_shorten, shorter, "shorter", f"below {counter.min_cycle}"),
                ("max_lengthen", point.max_lengthen, longer, "longer", f"above {counter.max_allowed}"),
            ):
                if by > most:
                    cause = f"{which} {by} {direction}, and counter {name} allows no delay {limit}"
                    self.at.error("C236", self.at.value(*where, key), cause, f"write at most {most}" if most else "leave it out")

    @staticmethod
    def _adjustments(table: ScheduleTableTable, path: Path) -> list[Path]:
        paths: list[Path] = [(*path, "precision")] if table.precision else []
        for number, point in enumerate(table.point):
            paths += [(*path, "point", number, key) for key in ("max_lengthen", "max_shorten") if getattr(point, key)]
        return paths

    def _autostart(self, table: ScheduleTableTable, table_path: Path, title: str) -> TableAutostart | None:
        start = table.autostart
        if start is None:
            return None
        path = (*table_path, "autostart")
        modes = self.at.modes_of(start.modes, path, title)
        kind = TableStart.SYNCHRON if start.synchron else TableStart.ABSOLUTE if start.absolute else TableStart.RELATIVE
        if self.at.incomplete(*path) or self.at.lost(*table_path, "sync"):
            return TableAutostart(modes, kind, start.at or 0)
        if start.synchron and (start.absolute or start.at is not None):
            key = "at" if start.at is not None else "absolute"
            self._refuse_start(
                path, key, f"{title} waits for the global time, and '{key}' says when it begins", "write one of the two"
            )
        elif start.synchron and table.sync != "explicit":
            if self._adjustments(table, table_path):
                return TableAutostart(modes, kind, start.at or 0)  # refused for the same cause
            self._refuse_start(
                path, "synchron", f"{title} waits for a global time that nobody gives it", 'write sync = "explicit"'
            )
        elif not start.synchron and start.at is None:
            self.at.error("C014", self.at.value(*path), f"the autostart of {title} has no 'at'", "say when the table begins")
        elif kind is TableStart.RELATIVE and table.sync == "implicit":
            remedy = "say at which value of its counter it begins, with absolute = true"
            self._refuse_start(path, "at", f"{title} is synchronised with its counter, and starts relative to now", remedy)
        else:
            self._check_at(table, start, kind, path, title)
        return TableAutostart(modes, kind, start.at or 0)

    def _refuse_start(self, path: Path, key: str, cause: str, remedy: str) -> None:
        self.at.error("C236", self.at.key(*path, key), cause, remedy)

    def _check_at(self, table: ScheduleTableTable, start: TableAutostartTable, kind: TableStart, path: Path, title: str) -> None:
        """C116: a begin that the counter cannot count to."""
        if start.at is None or table.counter not in self.alarms.sound or not table.point:
            return
        absolute, first = kind is TableStart.ABSOLUTE, int(table.point[0].offset or 0)
        allowed = self.at.table.counter[table.counter].max_allowed
        most = allowed if absolute else allowed - first
        if most < (0 if absolute else 1):
            cause = (
                f"{title} cannot start relative to now: its first point, {first} ticks after its begin, "
                f"would be more than the {allowed} ticks away that counter {shorten(table.counter)} allows"
            )
            remedy = "give the first point a smaller offset, or start it at a value of the counter, with absolute = true"
            self.at.error("C116", self.at.value(*path, "at"), cause, remedy)
        else:
            self.at.check_begin(start.at, absolute, most, f"counter {shorten(table.counter)}", path, title)
