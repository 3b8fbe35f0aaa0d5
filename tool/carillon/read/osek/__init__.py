# SPDX-License-Identifier: Apache-2.0
"""Builds the model of the event-triggered system (OSEK/VDX OS 2.2.3) from the ``[osek]`` tables of a schedule file.

Everything that is wrong within these tables is reported here, where the place of every value is known; what
concerns the rounds too, or needs the whole model, is :mod:`carillon.check.osek`.  Causes name objects by kind and
name, not by their TOML tables, because other formats are read into the same tables.
"""

from __future__ import annotations

from collections.abc import Iterator

from carillon.diagnostics import Diagnostics
from carillon.model.board import Board
from carillon.model.keeper import prefers_cells
from carillon.model.osek import Dispatch, Hook, Isr, Mutex, Osek, OsekTask, Status
from carillon.read.osek.alarms import Alarms
from carillon.read.osek.file import OsekFile
from carillon.read.osek.resources import Resources
from carillon.read.osek.schedule_tables import ScheduleTables
from carillon.read.osek.servers import Servers
from carillon.read.osek.tasks import Tasks
from carillon.read.osek.whole import Whole
from carillon.read.plain import plain, timed
from carillon.read.schema_osek import IsrTable, OsekTable, OsekTaskTable
from carillon.read.shape import Tables, describe
from carillon.read.ticks import Ticks, whole
from carillon.units import Time


class OsekReader:
    """Builds one Osek; ``table`` is the ``[osek]`` of the file, or an empty one.

    :meth:`resolve` needs no clock, so that what it finds is reported whatever else is wrong; :meth:`build` comes after it.
    """

    def __init__(self, tables: Tables, table: OsekTable, diagnostics: Diagnostics) -> None:
        self.at = OsekFile(tables, table, diagnostics)
        self.resources = Resources(self.at)
        self.tasks = Tasks(self.at, self.resources)
        self.servers = Servers(self.at)
        self.alarms = Alarms(self.at)
        self.schedule_tables = ScheduleTables(self.at, self.alarms)

    def times(self) -> Iterator[Time]:
        """The times that the system's clock should be able to express."""
        table = self.at.table
        locks = (lock for task in table.task.values() for lock in task.resource_lock)
        of_objects = (
            (table.counter.values(), ("tick",)),
            (table.task.values(), timed(OsekTaskTable, OsekTask)),
            (locks, ("budget",)),
            (table.isr.values(), timed(IsrTable, Isr)),
        )
        times = (getattr(it, key) for tables, keys in of_objects for it in tables for key in keys)
        times_of_servers = (time for server in self.at.file.server.values() for time in (server.budget, server.period))
        yield from (time for time in (*times, *times_of_servers) if time is not None)

    def resolve(self, board: Board | None) -> None:
        """Report all errors except those of times; without a ``board``, its sources are unknown."""
        Whole(self.at).check(board.build.compiler if board is not None else "")
        self.resources.resolve()
        self.tasks.resolve(board)
        self.servers.resolve(self.tasks.tasks)
        self.alarms.resolve()
        self.schedule_tables.resolve()
        self._check_keeper()

    def _check_keeper(self) -> None:
        """C281: something is said of what keeps budgets, and there are none."""
        table = self.at.table
        kinds = ("budget", "resource_lock", "all_interrupts_lock", "os_interrupts_lock")
        bounded = any(getattr(task, kind) for task in table.task.values() for kind in kinds)
        if table.budgets is not None and not bounded and not any(isr.budget for isr in table.isr.values()):
            remedy = "give a task a budget, or leave the key out"
            span = self.at.places.value(("osek", "budgets"))
            self.at.diagnostics.warning("C281", span, "nothing has a budget, so nothing keeps any", remedy)

    def build(self, ticks: Ticks) -> Osek:
        """The event-triggered system, without the parts that cannot be built; reports times that do not divide."""
        table = self.at.table
        values = {name: value for name, value in plain(table, Osek).items() if name not in ("status", "dispatch")}
        return Osek(
            **values,
            status=Status(table.status),
            dispatch=Dispatch(table.dispatch),
            hooks=frozenset(Hook(hook) for hook in table.hooks),
            service_id=table.get_service_id,
            modes=self.at.modes,
            tasks=self.tasks.timed_tasks(ticks),
            isrs=self.tasks.timed_isrs(ticks),
            resources=self.resources.resources,
            events=self.tasks.events,
            counters=tuple(self.alarms.counter(name, counter, ticks) for name, counter in table.counter.items()),
            alarms=self.alarms.alarms,
            schedule_tables=self.schedule_tables.tables,
            mutexes=tuple(Mutex(name, span) for name, span in self.at.mutexes.items()),
            servers=self.servers.build(ticks),
            clock_keeps=table.budgets == "clock" or (table.budgets is None and not prefers_cells(ticks.board)),
            span=self.at.places.key(("osek",)),
            hook_wcet=self._hook_wcet(ticks),
        )

    def _hook_wcet(self, ticks: Ticks) -> int:
        """For how many ticks a call of a hook takes at most, rounded upwards; 0: nobody says."""
        time, span, phrase = self.at.table.hook_wcet, self.at.value("hook_wcet"), describe("osek", "hook_wcet")
        exact = None if time is None else ticks.limited(time, phrase, span)
        return 0 if exact is None or ticks.vanishes(exact, phrase, span, upwards=True) else whole(exact, upwards=True)
