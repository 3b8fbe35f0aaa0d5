# SPDX-License-Identifier: Apache-2.0
"""The system as a whole: its modes, hooks, numbers of objects and their names."""

from __future__ import annotations

from collections.abc import Iterator

from carillon.check.common import article
from carillon.check.osek import DEFAULT_MODE, Named, check_names
from carillon.diagnostics import Span
from carillon.model.osek import RES_SCHEDULER
from carillon.read.osek.file import KINDS, MOST, MOST_MUTEXES, OsekFile
from carillon.units import shorten


class Whole:
    """The system as a whole: its modes, hooks, numbers of objects and their names."""

    def __init__(self, at: OsekFile) -> None:
        self.at = at

    def check(self, compiler: str) -> None:
        """Report what is wrong; ``compiler`` is that of the board, if it is known."""
        self._check_modes()
        self._check_hooks()
        self._check_limits()
        self._check_names(compiler)

    def _check_modes(self) -> None:
        written = self.at.table.modes
        self.mode_places: dict[str, int] = {}
        if written is None:
            return
        if not written:
            cause = "there is no application mode"
            self.at.error("C117", self.at.value("modes"), cause, "name at least one, or leave the list out")
        for number, name in enumerate(written):
            if name in self.mode_places:
                self.at.twice("application mode", name, ("modes", number), "")
            elif name == DEFAULT_MODE and number > 0:
                cause = f"{DEFAULT_MODE} is the operating system's name of the first application mode, {shorten(written[0])}"
                self.at.error("C101", self.at.value("modes", number), cause, "list it first, or choose another name")
            self.mode_places.setdefault(name, number)

    def _check_hooks(self) -> None:
        seen: set[str] = set()
        for number, hook in enumerate(self.at.table.hooks):
            if hook in seen:
                self.at.twice("hook", hook, ("hooks", number), "")
            seen.add(hook)

    def _check_limits(self) -> None:
        for section, most in MOST.items():
            names = list(self.at.names[section])
            if len(names) > most:
                cause = (
                    f"there are {len(names)} {KINDS[section]}s, more than {most}; {shorten(names[most])} is the first too many"
                )
                remedy = f"declare at most {most}"
                self.at.error(
                    "C117",
                    self._mode_place(names[most]) if section == "modes" else self.at.key(section, names[most]),
                    cause,
                    remedy,
                )

        for name in list(self.at.mutexes)[MOST_MUTEXES : MOST_MUTEXES + 1]:
            cause = f"there are {len(self.at.mutexes)} mutexes, more than {MOST_MUTEXES}; {shorten(name)} is the first too many"
            self.at.error("C117", self.at.mutexes[name], cause, f"name at most {MOST_MUTEXES}")

    def _mode_place(self, name: str) -> Span:
        return self.at.value("modes", self.mode_places.get(name, 0))

    def _check_names(self, compiler: str) -> None:
        objects: list[Named] = []
        for section, kind in KINDS.items():
            if section != "modes":
                objects += (
                    Named("thread" if section == "task" and name in self.at.threads else kind, name, self.at.key(section, name))
                    for name in self.at.names[section]
                    if (section, name) != ("resource", RES_SCHEDULER)
                )
        objects += (Named("mutex", name, span) for name, span in self.at.mutexes.items())
        objects += (Named("server", name, self.at.places.key(("server", name))) for name in self.at.file.server)
        objects += (Named(KINDS["modes"], name, self._mode_place(name)) for name in self.at.modes if name != DEFAULT_MODE)
        check_names(objects, self._foreign(), self.at.diagnostics, compiler)

    def _foreign(self) -> Iterator[Named]:
        """The names of the rounds that C or the timeline would confuse with names of the event-triggered system."""
        for name in self.at.file.thread:
            if name not in self.at.threads:
                yield Named("a thread", name, self.at.places.key(("thread", name)))
        for kind, section, part in (("time-triggered task", "task", "entry"), ("interrupt", "interrupt", "handler")):
            for name, table in getattr(self.at.file, section).items():
                yield Named(article(kind), name, self.at.places.key((section, name)))
                function = getattr(table, part)
                if function is not None and function != name:
                    what = f"the {part} of {kind} {shorten(name)}"
                    yield Named(what, function, self.at.places.value((section, name, part)))
