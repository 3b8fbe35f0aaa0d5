# SPDX-License-Identifier: Apache-2.0
"""The ``Os`` module of a configuration as containers with their values, merged from all files with a part of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from carillon.diagnostics import Diagnostics, Span
from carillon.frontends.arxml import names
from carillon.frontends.arxml.names import Release
from carillon.frontends.arxml.xml import MODULE, Document, Element, last
from carillon.units import shorten


@dataclass(slots=True)
class Value:
    """The value of a parameter or reference: last part of its definition, text, and the places of text and element."""

    definition: str
    text: str
    span: Span
    key: Span


@dataclass(slots=True)
class Holder:
    """A container: its name, the last part of its definition, its path, and its contents.

    ``maker``: the first part of its definition, whose tool made it.
    """

    name: str
    definition: str
    path: str
    span: Span
    description: str = ""
    maker: str = ""
    values: list[Value] = field(default_factory=list)
    containers: list[Holder] = field(default_factory=list)

    def all(self) -> Iterator[Holder]:
        """This container and all within."""
        yield self
        for container in self.containers:
            yield from container.all()


class Modules:
    """Reads the modules of several files into one.  Reports C214 (none, or several), C217 (twice), C220 (incomplete)."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics

    def merge(self, documents: Sequence[Document], main: str) -> Holder | None:
        """The one module of all documents; None if there is no module, or more than one."""
        merged: Holder | None = None
        for document in documents:
            for packages, element in document.modules:
                module = self.container(element, "/" + "/".join(packages), document.release, MODULE)
                if module is None:
                    continue
                if merged is None:
                    merged = module
                elif merged.path == module.path:
                    self.join(merged, module)
                else:
                    first = f"{merged.path}, {merged.span.beside(module.span)}"
                    cause = f"there is a second Os module, {module.path}: the first is {first}"
                    remedy = "name the file of one ECU alone; parts of one module have the same path in all files"
                    self.diagnostics.error("C214", module.span, cause, remedy)
                    return None
        if merged is None and not self.diagnostics.errors:
            wanted = " or ".join(dict.fromkeys(document.release.module for document in documents))
            cause = f"there is no Os module: no {wanted} whose definition ends with '/{MODULE}'"
            remedy = "name the file that holds the configuration of the operating system, or the folder with all files of it"
            self.diagnostics.error("C214", Span(main), cause, remedy)
        return merged

    def join(self, into: Holder, other: Holder) -> None:
        """Add a part of a container that stands in another place."""
        into.values += other.values
        into.description = into.description or other.description
        known = {container.name: container for container in into.containers}
        for container in other.containers:
            first = known.get(container.name)
            if first is None:
                known[container.name] = container
                into.containers.append(container)
            elif first.definition == container.definition and first.span.file != container.span.file:
                self.join(first, container)
            else:
                self.twice(first, container)

    def twice(self, first: Holder, second: Holder) -> None:
        """Report two containers of one name."""
        kinds = "" if first.definition == second.definition else f": {first.definition} there, {second.definition} here"
        cause = f"the container {second.path} stands {first.span.beside(second.span)} already{kinds}"
        remedy = "give it another SHORT-NAME, or remove one: parts of one container stand in different files"
        self.diagnostics.error("C217", second.span, cause, remedy)

    def container(self, element: Element, around: str, release: Release, known: str = "") -> Holder | None:
        """A container with its contents; ``known``: its definition, if known without being written."""
        name, definition = element.child(names.SHORT_NAME), element.child(names.DEFINITION)
        for tag, child in ((names.SHORT_NAME, name), (names.DEFINITION, definition)):
            if child is None or not child.text:
                cause = (
                    f"the <{element.name}> "
                    + (f"{shorten(name.text)} in " if name is not None and name.text else "in ")
                    + f"{around} has no {tag}"
                )
                self.diagnostics.error("C220", element.span, cause, f"write <{tag}>...</{tag}> at its beginning")
                return None
        assert name is not None
        assert definition is not None
        path = f"{around.rstrip('/')}/{name.text}"
        holder = Holder(name.text, known or last(definition.text), path, name.value_span)
        holder.maker = definition.text.strip("/").partition("/")[0]
        description = element.child(names.DESCRIPTION)
        if description is not None:
            holder.description = " ".join(text for child in description.children if (text := child.text))
        for section in element.all(names.PARAMETERS, names.REFERENCES):
            for child in section.all(*release.parameters, *release.references):
                value = self.value(child, path, release)
                if value is not None:
                    holder.values.append(value)
        parts = Holder(name.text, holder.definition, path, holder.span)
        for section in element.all(*names.CONTAINERS):
            for child in section.all(release.container):
                inner = self.container(child, path, release)
                if inner is not None:
                    parts.containers.append(inner)
        self.join(holder, parts)
        return holder

    def value(self, element: Element, path: str, release: Release) -> Value | None:
        """One value; None after a diagnostic, and for the text of a note."""
        definition = element.child(names.DEFINITION)
        wanted = names.VALUE_REF if element.name in release.references else names.VALUE
        content = element.child(wanted)
        if content is None and element.name not in (*release.parameters, *release.references):
            return None
        missing = names.DEFINITION if definition is None or not definition.text else wanted if content is None else None
        if missing is not None:
            named = f" of {last(definition.text)}" if definition is not None and definition.text else ""
            if missing == wanted and (element.child("VALUE-IREF") is not None or element.name.startswith("ECUC-ADD-INFO")):
                return None  # of no parameter that a schedule has
            cause, remedy = (
                f"the <{element.name}>{named} in {path} has no {missing}",
                f"write <{missing}>...</{missing}> in it, or",
            )
            if missing == wanted:  # which may be absent by the schema: nobody has configured it yet
                self.diagnostics.warning("C220", element.span, f"{cause}, and is left out", f"{remedy} remove it")
            else:
                self.diagnostics.error("C220", element.span, cause, f"{remedy} remove it")
            return None
        assert definition is not None
        assert content is not None
        return Value(last(definition.text), content.text, content.value_span, element.span)
