# SPDX-License-Identifier: Apache-2.0
"""The image's own statement of its structures: its debug information (DWARF), which the compiler wrote.

Neither what emits the tables nor what checks them says where a member stands, or how large it is.  A member has one name, that of
the kernel's C (``kernel/contract``).  Standard: DWARF 5, chapter 5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from math import prod
from typing import TYPE_CHECKING, Any

from elftools.dwarf.dwarf_expr import DWARFExprParser
from elftools.elf.elffile import ELFFile

from carillon.elf import UnreadableError

if TYPE_CHECKING:
    from elftools.dwarf.die import DIE

    from carillon.verify.elf import Elf

DAMAGED = "the image's debug information (-gdwarf-4) is damaged"
_SAME = {f"DW_TAG_{word}" for word in ("typedef", "const_type", "volatile_type", "restrict_type", "atomic_type")}
_BOOLEAN = 2
_COMPILER = "GNU C"
_GENERATED = ("tables.c", "osek.c", "vectors.c")


@dataclass(slots=True)
class Type:
    """A type: ``kind`` is "number", "truth", "pointer", "function", "struct" or "array", of ``size`` bytes.

    ``members``: of a structure, where each stands, and its type.  ``target``: what a pointer leads to, or an array consists of.
    """

    kind: str
    size: int
    name: str = ""
    members: dict[str, tuple[int, Type]] = field(default_factory=dict)
    target: Type | None = None


class Layouts:
    """The types of an image's variables and its structures, by their names.

    ``lacks``: what is missing, if nothing can be read.
    """

    def __init__(self, content: bytes) -> None:
        self._types: dict[int, Type] = {}
        self._variables: dict[str, DIE] = {}
        self._structures: dict[str, DIE] = {}
        self.lacks = ""
        try:
            self._read(content)
        except Exception:  # what the library raises for damaged bytes has no common type
            self.lacks = DAMAGED

    def _read(self, content: bytes) -> None:
        file = ELFFile(BytesIO(content))
        if file.get_section_by_name(".symtab") is None:
            self.lacks = "the image is stripped: it has no symbols"
            return
        information = file.get_dwarf_info()
        if not information.has_debug_info:
            self.lacks = "the image has no debug information (-gdwarf-4), which says how its tables are laid out"
            return
        for unit in information.iter_CUs():
            top = unit.get_top_DIE()
            compiler = _text(top, "DW_AT_producer")
            if _text(top, "DW_AT_name").endswith(_GENERATED) and not compiler.startswith(_COMPILER):
                self.lacks = f"the image's tables were compiled by '{compiler}', whose debug information no rule was tried with"
                return
            for entry in top.iter_children():
                if entry.tag == "DW_TAG_variable":
                    self._note(self._variables, entry)
                elif entry.tag == "DW_TAG_structure_type":
                    self._note(self._structures, entry)
        if not any(name.startswith("carillon_") for name in self._variables):
            self.lacks = "the image's debug information (-gdwarf-4) says nothing of Carillon's tables"

    @staticmethod
    def _note(known: dict[str, DIE], entry: DIE) -> None:
        name = _text(entry, "DW_AT_name")
        if name and (name not in known or "DW_AT_declaration" in known[name].attributes):
            known[name] = entry

    def variable(self, name: str) -> Type:
        """The type of a variable; UnreadableError if nothing states it."""
        if name not in self._variables:
            raise UnreadableError(f"the debug information does not say what '{name}' is")
        return self._resolved(self._of, self._variables[name])

    def structure(self, name: str) -> Type:
        """A structure by its tag; UnreadableError if nothing states it."""
        if name not in self._structures:
            raise UnreadableError(f"the debug information has no 'struct {name}'")
        return self._resolved(self._type, self._structures[name])

    @staticmethod
    def _resolved(resolve: Callable[[DIE], Type], entry: DIE) -> Type:
        try:
            return resolve(entry)
        except Exception as error:
            raise UnreadableError(DAMAGED) from error

    def _of(self, entry: DIE) -> Type:
        if "DW_AT_type" not in entry.attributes:
            return Type("nothing", 0)
        return self._type(entry.get_DIE_from_attribute("DW_AT_type"))

    def _type(self, entry: DIE) -> Type:
        if entry.tag in _SAME:
            return self._of(entry)
        known = self._types.get(entry.offset)
        if known is None:
            size = entry.attributes["DW_AT_byte_size"].value if "DW_AT_byte_size" in entry.attributes else 0
            known = self._types[entry.offset] = Type("number", size, _text(entry, "DW_AT_name"))
            self._complete(known, entry)
        return known

    def _complete(self, it: Type, entry: DIE) -> None:
        match entry.tag:
            case "DW_TAG_base_type" if entry.attributes["DW_AT_encoding"].value == _BOOLEAN:
                it.kind = "truth"
            case "DW_TAG_pointer_type":
                it.kind, it.target = "pointer", self._of(entry)
            case "DW_TAG_subroutine_type":
                it.kind = "function"
            case "DW_TAG_array_type":
                it.kind, it.target = "array", self._of(entry)
                lengths = [
                    bounds.attributes["DW_AT_upper_bound"].value + 1 for bounds in entry.iter_children() if _bounded(bounds)
                ]
                it.size = prod(lengths) * it.target.size if lengths else 0
            case "DW_TAG_structure_type" if "DW_AT_declaration" in entry.attributes:
                it.kind = "nothing"
                whole = self._structures.get(it.name)
                if whole is not None and whole is not entry and "DW_AT_declaration" not in whole.attributes:
                    found = self._type(whole)
                    it.kind, it.size, it.members = found.kind, found.size, found.members
            case "DW_TAG_structure_type":
                it.kind = "struct"
                for member in entry.iter_children():
                    if member.tag == "DW_TAG_member":
                        it.members[_text(member, "DW_AT_name")] = _place(member), self._of(member)


def _text(entry: DIE, attribute: str) -> str:
    it = entry.attributes.get(attribute)
    return it.value.decode("utf-8", "replace") if it is not None and isinstance(it.value, bytes) else ""


def _bounded(of: DIE) -> bool:
    """Whether it says how many elements an array has."""
    return of.tag == "DW_TAG_subrange_type" and isinstance(getattr(of.attributes.get("DW_AT_upper_bound"), "value", None), int)


def _place(member: DIE) -> int:
    """Bytes from the structure's begin to a member; of DWARF 2 as an expression."""
    at: Any = member.attributes["DW_AT_data_member_location"].value if "DW_AT_data_member_location" in member.attributes else 0
    if isinstance(at, int):
        return at
    (step,) = DWARFExprParser(member.dwarfinfo.structs).parse_expr(at)
    return int(step.args[0])


@dataclass(frozen=True, slots=True)
class Row:
    """A structure in the image, whose members are asked for by the names that they have in C."""

    elf: Elf
    type: Type
    address: int

    def __contains__(self, name: str) -> bool:
        return name in self.type.members

    def __getitem__(self, name: str) -> int:
        """A number; of a pointer, where in the file's address space it leads, and 0 if it is NULL."""
        at, of = self._member(name)
        return self.elf.value(of, self.address + at)

    def _member(self, name: str) -> tuple[int, Type]:
        if name not in self.type.members:
            raise UnreadableError(f"'struct {self.type.name}' has no member '{name}'")
        return self.type.members[name]

    def get(self, name: str, default: int = 0) -> int:
        """A member, or ``default`` in an image whose structure has none of that name."""
        return default if name not in self.type.members else self[name]

    def truth(self, name: str) -> bool:
        """A member that is 0 or 1; UnreadableError for other values."""
        if (value := self[name]) > 1:
            raise UnreadableError(f"'{name}' of 'struct {self.type.name}' at {self.address:#x} is {value}, and is to be 0 or 1")
        return bool(value)

    def values(self) -> tuple[int, ...]:
        """All members, in their order."""
        return tuple(self[name] for name in self.type.members)

    def array(self, name: str) -> list[int]:
        """A member that is an array of numbers."""
        at, of = self._member(name)
        target = of.target or of
        return [self.elf.value(target, self.address + at + k) for k in range(0, of.size, target.size)]

    def row(self, name: str) -> Row:
        """A member that is a structure."""
        at, of = self._member(name)
        return Row(self.elf, of, self.address + at)

    def to(self, name: str) -> Row:
        """What a pointer that is not NULL leads to."""
        _, of = self._member(name)
        if of.target is None or not (at := self[name]):
            raise UnreadableError(f"'{name}' of 'struct {self.type.name}' at {self.address:#x} leads nowhere")
        return Row(self.elf, of.target, at)

    def target(self, name: str) -> Type:
        """What a pointer is to lead to."""
        _, of = self._member(name)
        return of.target or of

    def listed(self, name: str, count: int) -> list[Row]:
        """The list of ``count`` structures that a pointer leads to; UnreadableError where there is no such list."""
        return [Row(self.elf, of, at) for of, at in self._list(name, count)]

    def numbers(self, name: str, count: int) -> list[int]:
        """The same of numbers."""
        return [self.elf.value(of, at) for of, at in self._list(name, count)]

    def _list(self, name: str, count: int) -> list[tuple[Type, int]]:
        _, of = self._member(name)
        at, target = self[name], of.target
        if target is None or not count:
            return []
        self.elf.measure(at, count * target.size)
        return [(target, at + k * target.size) for k in range(count)]
