# SPDX-License-Identifier: Apache-2.0
"""Resources, their links, and their users."""

from __future__ import annotations

from collections.abc import Iterable

from carillon.model.osek import RES_SCHEDULER, Property, Resource
from carillon.read.osek.file import OsekFile, some
from carillon.read.spans import Path
from carillon.units import shorten


class Resources:
    """Resources, their links, and their users."""

    def __init__(self, at: OsekFile) -> None:
        self.at = at

    def resolve(self) -> None:
        """Set ``resources``; wrong links and circular links are left out."""
        links = {name: target for name in self.at.table.resource if (target := self._link(name)) is not None}
        self._break_circles(links)
        self.resources = tuple(
            Resource(name, Property(table.property), links.get(name), self.at.key("resource", name))
            for name, table in self.at.table.resource.items()
            if name != RES_SCHEDULER
        )

    def _link(self, name: str) -> str | None:
        """The resource directly behind a linked one; None for others, and after a diagnostic."""
        table = self.at.table.resource[name]
        path = ("resource", name)
        phrase = f"resource {shorten(name)}"
        if self.at.lost(*path, "property"):
            return None
        if name == RES_SCHEDULER:
            self._check_scheduler_resource()
            return None
        if table.property != "linked":
            if table.linked is not None:
                cause = f"{phrase} is {table.property}, and yet linked to {shorten(table.linked)}"
                self.at.error("C109", self.at.key(*path, "linked"), cause, "give it the property 'linked', or leave the link out")
            return None
        if table.linked is None:
            if not self.at.incomplete(*path):
                cause = f"{phrase} is linked, but to nothing"
                remedy = "name the resource behind it, or give it the property 'standard'"
                self.at.error("C109", self.at.key(*path), cause, remedy)
            return None
        target = table.linked
        if target == RES_SCHEDULER:
            cause = f"{phrase} is linked to {RES_SCHEDULER}"
        elif not self.at.known(target, "resource", (*path, "linked"), phrase):
            return None
        elif self.at.table.resource[target].property == "internal":
            cause = f"{phrase} is linked to the internal resource {shorten(target)}"
        else:
            return target
        self.at.error("C109", self.at.value(*path, "linked"), cause, "link it to a standard resource, or to a linked one")
        return None

    def _check_scheduler_resource(self) -> None:
        path = ("resource", RES_SCHEDULER)
        declared = self.at.table.resource[RES_SCHEDULER].property
        if declared != "standard":
            span, cause = self.at.value(*path, "property"), f"{RES_SCHEDULER} is declared as {declared}"
            remedy = "it is a standard resource, which exists without a declaration: leave that out"
        elif not self.at.table.scheduler_resource and not self.at.lost("scheduler_resource"):
            span, cause = self.at.key(*path), f"{RES_SCHEDULER} is declared, but 'scheduler_resource' is false"
            remedy = "set 'scheduler_resource' to true, or leave the declaration out"
        else:
            return
        self.at.error("C107", span, cause, remedy)

    def _break_circles(self, links: dict[str, str]) -> None:
        done: set[str] = set()
        for start in list(links):
            chain: dict[str, None] = {}
            name = start
            while name in links and name not in done and name not in chain:
                chain[name] = None
                name = links[name]
            if name in chain:
                names = list(chain)
                circle = names[names.index(name) :]
                way = f", by way of {some(circle[1:])}" if circle[1:] else ""
                cause = f"resource {shorten(name)} is linked to itself{way}"
                remedy = "end every chain of links in a standard resource"
                self.at.error("C109", self.at.value("resource", name, "linked"), cause, remedy)
                for member in circle:
                    del links[member]
            done.update(chain)

    def taken(self, names: list[str], path: Path, phrase: str, isr: bool) -> tuple[str, ...]:
        """The resources of a task or ISR; reports RES_SCHEDULER where it cannot be taken (C107)."""
        if RES_SCHEDULER in names and (isr or not self.at.table.scheduler_resource):
            if isr:
                why, remedy = "which only tasks can take", "leave it out: an ISR is above every task anyway"
            else:
                why, remedy = "but 'scheduler_resource' is false", "set 'scheduler_resource' to true, or take another resource"
            span = self.at.value(*path, names.index(RES_SCHEDULER))
            self.at.error("C107", span, f"{phrase} takes {RES_SCHEDULER}, {why}", remedy)
        return self.at.listed(names, "resource", path, phrase)

    def internal(self, names: Iterable[str]) -> list[str]:
        """The internal resources among ``names``."""
        resources = self.at.table.resource
        known = [n for n in dict.fromkeys(names) if n in resources and n != RES_SCHEDULER]
        return [n for n in known if resources[n].property == "internal"]
