# SPDX-License-Identifier: Apache-2.0
"""The image's own statement of its structures: its debug information (DWARF), which the compiler wrote.

Neither what emits the tables nor what checks them says where a member stands, or how large it is.  A member has one name, that of
the kernel's C (``kernel/contract``).  Standard: DWARF 5, chapter 5.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from math import prod
from typing import TYPE_CHECKING, Any

from elftools.elf.elffile import ELFFile

from carillon.elf import UnreadableError

if TYPE_CHECKING:
    from elftools.dwarf.compileunit import CompileUnit
    from elftools.dwarf.die import DIE

    from carillon.verify.elf import Elf

DAMAGED = "the image's debug information (-gdwarf-4) is damaged"
VARIABLE, STRUCTURE, POINTER, ARRAY, FUNCTION, BASE, MEMBER, RANGE = (
    f"DW_TAG_{word}"
    for word in (
        *("variable", "structure_type", "pointer_type", "array_type", "subroutine_type", "base_type"),
        *("member", "subrange_type"),
    )
)
_SAME = {f"DW_TAG_{word}" for word in ("typedef", "const_type", "volatile_type", "restrict_type", "atomic_type")}
_BOOLEAN = 2
_COMPILER = "GNU C"
_GENERATED = ("tables.c", "osek.c", "vectors.c")


@dataclass(slots=True)
class Type:
    """A type by its tag in DWARF, of ``size`` bytes; a ``truth`` is 0 or 1.

    ``members``: of a structure, where each stands, and its type.  ``target``: what a pointer leads to, or an array consists of.
    """

    tag: str
    size: int
    name: str = ""
    members: dict[str, tuple[int, Type]] = field(default_factory=dict)
    target: Type | None = None
    truth: bool = False


class Layouts:
    """The types of an image's variables and its structures, by their names.

    ``lacks``: what is missing, if nothing can be read.
    """

    def __init__(self, content: bytes) -> None:
        self._types: dict[int, Type] = {}
        self._entries: dict[tuple[str, str], DIE] = {}
        self._unread: list[CompileUnit] = []
        try:
            self.lacks = self._open(ELFFile(BytesIO(content)))
        except UnreadableError as error:
            self.lacks = str(error)
        except Exception:  # what the library raises for damaged bytes has no common type
            self.lacks = DAMAGED

    def _open(self, file: ELFFile) -> str:
        """Find the files that the image was compiled from; what is missing, if nothing can be read."""
        if file.get_section_by_name(".symtab") is None:
            return "the image is stripped: it has no symbols"
        stated = file.get_dwarf_info(relocate_dwarf_sections=False)  # the linker has done that
        if not stated.has_debug_info:
            return "the image has no debug information (-gdwarf-4), which says how its tables are laid out"
        self._unread = list(stated.iter_CUs())
        while self._unread and not any(_is_own(key) for key in self._entries):
            self._read()
        if not any(_is_own(key) for key in self._entries):
            return "the image's debug information (-gdwarf-4) says nothing of Carillon's tables"
        return ""

    def _read(self) -> None:
        """Read the entries of one more file, from the last one on: the generated files are linked last, as a rule."""
        top = self._unread.pop().get_top_DIE()
        compiler = _said(top, "producer")
        if _said(top, "name").endswith(_GENERATED) and not compiler.startswith(_COMPILER):
            said = f"the image's tables were compiled by '{compiler}', whose debug information no rule was tried with"
            raise UnreadableError(said)
        for entry in top.iter_children():
            key = str(entry.tag), _said(entry, "name")
            if key not in self._entries or _is_declared(self._entries[key]):
                self._entries[key] = entry

    def _entry(self, key: tuple[str, str]) -> DIE | None:
        """Where a variable is declared, or anything else defined, or else declared; None if it is neither."""
        while self._unread and (key not in self._entries or (key[0] != VARIABLE and _is_declared(self._entries[key]))):
            self._read()
        return self._entries.get(key)

    def named(self, tag: str, name: str) -> Type:
        """The type of a variable, or a structure; UnreadableError if nothing states it."""
        try:
            entry = self._entry((tag, name))
            of = None if entry is None else self._type(entry)
        except UnreadableError:
            raise
        except Exception as error:
            raise UnreadableError(DAMAGED) from error
        if of is None:
            raise UnreadableError(f"the debug information does not say what '{name}' is")
        return of

    def _of(self, entry: DIE) -> Type:
        of = entry.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in entry.attributes else None
        return self._type(of) if of is not None else Type("", 0)

    def _type(self, entry: DIE) -> Type:
        if entry.tag in _SAME or entry.tag == VARIABLE:
            return self._of(entry)
        if _is_declared(entry):  # of a structure that another file defines
            entry = self._entry((str(entry.tag), _said(entry, "name"))) or entry
        if entry.offset in self._types:
            return self._types[entry.offset]
        it = self._types[entry.offset] = Type(str(entry.tag), _said(entry, "byte_size", 0), _said(entry, "name"))
        if entry.tag in (POINTER, ARRAY):
            it.target = self._of(entry)
        it.truth = entry.tag == BASE and _said(entry, "encoding", 0) == _BOOLEAN
        lengths = [1 + _said(of, "upper_bound", -1) for of in entry.iter_children() if of.tag == RANGE]
        it.size = prod(lengths) * it.target.size if it.target is not None and lengths else it.size
        parts = (of for of in entry.iter_children() if of.tag == MEMBER and entry.tag == STRUCTURE)
        it.members = {_said(of, "name"): (_said(of, "data_member_location", 0), self._of(of)) for of in parts}
        return it


def _is_own(key: tuple[str, str]) -> bool:
    return key[0] == VARIABLE and key[1].startswith("carillon_")


def _is_declared(entry: DIE) -> bool:
    return "DW_AT_declaration" in entry.attributes


def _said(entry: DIE, attribute: str, default: Any = "") -> Any:
    """An attribute, which is a text or a number as its default is."""
    it: Any = getattr(entry.attributes.get(f"DW_AT_{attribute}"), "value", default)
    it = it.decode("utf-8", "replace") if isinstance(it, bytes) else it
    return it if isinstance(it, type(default)) else default


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
