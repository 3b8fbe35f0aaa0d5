# SPDX-License-Identifier: Apache-2.0
"""The reference of the C and C++ services, from the comments of the public headers.

A comment that stands directly above a function, a method or a macro is its reference if it has fields:

    /* One statement or several: what it does.
     *
     * PARAMETER: what it is, and its unit; one for each parameter, in their order.
     * Returns: what it returns, and its unit; not for status codes.
     * Errors: the status codes and what each means, or "none."
     *     Extended: those that are found in extended status alone.
     * From: from where it may be called.
     * Source: the standard's chapter or the paper's section that the rule comes from.
     * As: NAME.  The fields that this comment lacks are those of NAME. */

A function whose comment begins with "Internal", and those below it up to the next comment, are not for applications.  Nor
are names that begin with ``carillon_osek_`` or ``carillon_port_``.  clang-format has set the headers, and this relies on
how it sets them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADERS = ROOT / "kernel" / "api" / "carillon"

# The headers for applications, and what each is for, in the order of the reference.
PUBLIC = {
    "osektime.h": "Time-triggered tasks: OSEKtime OS 1.0",
    "osek.h": "Event-triggered tasks: OSEK/VDX OS 2.2.3",
    "schedule_table.h": "Schedule tables and counters: AUTOSAR OS R4",
    "time.h": "Times and threads in C",
    "time.hpp": "Times and threads in C++",
    "arduino.h": "Times of Arduino",
    "console.h": "Text",
    "ostream.hpp": "Text in C++",
    "bus.h": "Messages between virtual boards",
    "average.h": "An average of clocks, some of which may be wrong",
    "work.h": "Load for examples and benchmarks",
}

OWN = ("carillon_osek_", "carillon_port_")

NOTE = """In extended status, `E_OS_CALLEVEL` means that the service was called from a place that is not named here.
`E_OS_DISABLEDINT` means that it was called while interrupts were disabled or suspended. Every error calls the error hook, if the
configuration has one. "EPOS" is A. A. Fröhlich, G. Gracioli, J. F. Santos, *Periodic Timers Revisited* (2011)."""

SPECIFIERS = re.compile(r"__attribute__\(\(\w+\)\)|\b(static|inline|explicit|constexpr|CARILLON_CONSTANT|extern)\b")
FIELDS = ("Returns", "Errors", "From", "Source")
COMMENT = r"(?P<comment>^ *)/\*(?P<text>.*?)\*/"
MACRO = r"^#define (?P<macro>\w+)\((?P<names>[^)]*)\)"
FUNCTION = (
    r"^(?P<indent> *)(?!(?:return|typedef|else)\b)(?P<type>[A-Za-z_][\w :&*]*[ *&])?(?P<name>~?\w+|operator==)"
    r"\((?P<parameters>[^()]*(?:\(\*\w+\)\(\))?[^()]*)\)(?P<tail>[^;{}()]*(?:__\w+__\(+[^)]*\)+)?)[;{:\n]"
)
CLASS = r"^class (?P<class>\w+)"
ACCESS = r"^  (?P<access>public|protected|private):"
END = r"^(?P<end>\};)"
TOKEN = re.compile("|".join((COMMENT, MACRO, CLASS, ACCESS, END, FUNCTION)), re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Entry:
    """A function, method or macro of a public header, and what its comment says."""

    header: str
    name: str
    """With its class: ``Semaphore::p``."""
    signature: str
    parameters: tuple[str, ...]
    types: tuple[str, ...]
    """Of each parameter, as written."""
    returns: str
    """The type as written; empty for macros, constructors and void."""
    is_macro: bool
    text: str
    """What it does; empty where there is no comment of that form."""
    fields: dict[str, str] = field(default_factory=dict)


def _plain(text: str) -> str:
    """The comment without its stars."""
    return "\n".join(re.sub(r"^ *\* ?", "", line).rstrip() for line in text.strip().split("\n")).strip()


def _fields(text: str, parameters: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """The text before the first field, and the fields."""
    names = "|".join(map(re.escape, (*parameters, *FIELDS, "As")))
    parts = re.split(rf"^({names}): ", text, flags=re.MULTILINE)
    found = {name: " ".join(value.split()) for name, value in zip(parts[1::2], parts[2::2], strict=True)}
    return parts[0].strip(), found


def _parameters(written: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and types of a function's parameters."""
    names, types = [], []
    for each in (part.strip() for part in " ".join(written.split()).split(",")):
        if each in ("", "void"):
            continue
        declared = each.partition(" = ")[0]
        match = re.search(r"\(\*(\w+)\)", declared) or re.search(r"(\w+)$", declared)
        assert match is not None, written
        names.append(match[1])
        types.append(declared[: match.start()].strip())
    return tuple(names), tuple(types)


def entries(header: str, text: str) -> list[Entry]:
    """Every function, method and documented macro of a header that is for applications, in its order."""
    found: list[Entry] = []
    comment, comment_end, internal, owner, public = "", -1, False, "", True
    text = text.replace("\\\n", "  ")  # a macro is a line
    for match in TOKEN.finditer(text):
        if match["text"] is not None:
            comment, comment_end = _plain(match["text"]), match.end()
            internal = comment.startswith("Internal")
            continue
        if match["class"]:
            owner, public = match["class"], False
        elif match["access"]:
            public = match["access"] == "public"
        elif match["end"]:
            owner, public = "", True
        if not (match["macro"] or match["name"]):
            continue
        above = comment if not text[comment_end : match.start()].strip() else ""
        if match["macro"]:
            names, types, name, kind = tuple(n.strip() for n in match["names"].split(",") if n.strip()), (), match["macro"], ""
            if "\nSource: " not in above:
                continue
            signature = f"{name}({', '.join(names)})"
        else:
            if internal or not public or "delete" in match["tail"] or match["name"].startswith(OWN):
                continue
            if len(match["indent"]) != (4 if owner else 0) or not (match["type"] or match["name"].lstrip("~") == owner):
                continue
            names, types = _parameters(match["parameters"])
            kind = SPECIFIERS.sub("", match["type"] or "")
            kind = " ".join(kind.split())
            name = f"{owner}::{match['name']}" if owner else match["name"]
            written = " ".join((match["type"] or "").replace("static inline ", "").split())
            gap = "" if not written or written.endswith("*") else " "
            signature = f"{written}{gap}{match['name']}({' '.join(match['parameters'].split())})"
        what, fields = _fields(above, names)
        if not fields:
            what = ""
        if any(entry.name == name and entry.signature == signature for entry in found):
            continue  # the other branch of an #if
        found.append(
            Entry(header, name, signature, names, types, "" if kind == "void" else kind, bool(match["macro"]), what, fields)
        )
    return found


def resolved(every: list[Entry]) -> list[Entry]:
    """The entries, where one is "As" another with the fields that it lacks."""
    by_name = {entry.name: entry for entry in every}
    out = []
    for entry in every:
        if "As" in entry.fields:
            name = entry.fields["As"].rstrip(".")
            inherited = {key: by_name[name].fields[key] for key in FIELDS if key in by_name[name].fields and key != "Returns"}
            out.append(replace(entry, fields=inherited | entry.fields | {"As": name}))
        else:
            out.append(entry)
    return out


def every_entry() -> list[Entry]:
    """The entries of all public headers."""
    return resolved([e for header in PUBLIC for e in entries(header, (HEADERS / header).read_text(encoding="utf-8"))])


TIMES = (
    "TickType",
    "TickRefType",
    "ttTickRefType",
    "carillon_duration",
    "carillon_time",
    "carillon_distance",
    "Microsecond",
    "Second",
)
UNITS = re.compile(r"\b(ticks?|microseconds|milliseconds|seconds|bytes)\b")


def faults(entry: Entry) -> list[str]:
    """What an entry lacks."""
    if not entry.text:
        return [f"{entry.header}: {entry.name} has no comment with fields"]
    lacks = [name for name in entry.parameters if name not in entry.fields]
    lacks += ["Source"] if entry.is_macro else [name for name in ("Errors", "From", "Source") if name not in entry.fields]
    is_status = entry.returns in ("StatusType", "ttStatusType") and ("Errors" in entry.fields)
    if entry.returns and not is_status and "Returns" not in entry.fields:
        lacks.append("Returns")
    found = [f"{entry.header}: {entry.name} lacks {name}:" for name in lacks if name not in entry.fields]
    for name, kind in zip(entry.parameters, entry.types, strict=False):
        if any(re.search(rf"\b{time}\b", kind) for time in TIMES) and not UNITS.search(entry.fields.get(name, "")):
            found.append(f"{entry.header}: {entry.name} does not say the unit of {name}")
    if any(re.search(rf"\b{time}\b", entry.returns) for time in TIMES) and not UNITS.search(entry.fields.get("Returns", "")):
        found.append(f"{entry.header}: {entry.name} does not say the unit of what it returns")
    return found


def _words(text: str) -> str:
    """A field as Markdown: names as code."""
    return re.sub(r"(?<![\w`])(\*?\w*(?:_\w+)+\w*|[A-Z]\w*[a-z][A-Z]\w*)(?![\w`])", r"`\1`", text).replace("  ", " ")


def _anchors(every: list[Entry]) -> list[str]:
    """An anchor for each entry, one of its own on its header's page."""
    found: list[str] = []
    taken: set[tuple[str, str]] = set()
    for entry in every:
        anchor = entry.name.replace("::", "-").replace("~", "end-").replace("==", "-is")
        while (entry.header, anchor) in taken:
            anchor += "-2"
        taken.add((entry.header, anchor))
        found.append(anchor)
    return found


def page_of(header: str) -> str:
    """The name of a header's page."""
    return header.replace(".", "-") + ".md"


def _details(entry: Entry, headers: dict[str, str]) -> list[str]:
    """The fields of an entry as a list of definitions; ``headers``: of each name, the header that it is in."""
    lines = []
    for key in (*entry.parameters, *FIELDS):
        if key not in entry.fields:
            continue
        label = f"`{key}`" if key in entry.parameters else {"From": "Called from"}.get(key, key)
        always, _, extended = entry.fields[key].partition("Extended: ")
        lines += [label, f":   {_words(always.strip())}", ""]
        if extended:
            lines += ["Errors in extended status", f":   {_words(extended.strip())}", ""]
    if "As" in entry.fields:
        name = entry.fields["As"]
        lines += ["In C", f":   [`{name}`]({page_of(headers[name])}#{name})", ""]
    return lines


def pages() -> dict[str, str]:
    """The reference as Markdown: file -> text; one page for each header, and README.md with what there is."""
    every = every_entry()
    anchors = _anchors(every)
    headers = {entry.name: entry.header for entry in every}
    index = [
        "# Reference of the services",
        "",
        "These pages have every function, macro and method that an application may call. They are made from the comments of",
        "the headers in `kernel/api/carillon`. To pass a task, a resource, an alarm or another object, write the name that",
        "it has in the schedule.",
    ]
    made = {}
    for header, title in PUBLIC.items():
        index += ["", f"## [{title}]({page_of(header)})", "", f'`#include "carillon/{header}"`', "", "| service | what it does |"]
        index += ["|---|---|"]
        lines = [f"# {title}", "", f'`#include "carillon/{header}"`', ""]
        lines += [NOTE, ""] if header in ("osek.h", "schedule_table.h", "time.h", "time.hpp") else []
        for entry, anchor in zip(every, anchors, strict=True):
            if entry.header != header:
                continue
            what = _words(re.split(r"(?<=[^.]\.) ", " ".join(entry.text.split("\n\n")[0].split()))[0].rstrip(":."))
            index.append(f"| [`{entry.name}`]({page_of(header)}#{anchor}) | {what} |")
            lines += [f"## {entry.name} {{ #{anchor} }}", "", "```c", entry.signature, "```", ""]
            lines += [_words(" ".join(part.split())) + "\n" for part in entry.text.split("\n\n")]
            lines += [*_details(entry, headers)]
        made[page_of(header)] = "\n".join(lines).rstrip() + "\n"
    made["README.md"] = "\n".join(index) + "\n"
    return made
