# SPDX-License-Identifier: Apache-2.0
"""Every service of the public headers has its reference, and the reference says what the kernel does."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import service_reference as reference  # noqa: E402

ENTRIES = reference.every_entry()
SERVICES = {
    e.name: e for e in ENTRIES if e.returns == "StatusType" and e.header.endswith(".h") and e.fields["From"] != "the kernel."
}
PLACES = {
    "IN_TASK": ("tasks", "threads"),
    "IN_ISR2": ("ISRs of category 2",),
    "IN_ERROR_HOOK": ("the error hook",),
    "IN_TASK_HOOK": ("PreTaskHook, PostTaskHook",),
}
# Codes that a service gets from what it calls.
PASSED_ON = {
    "ActivateTask": {"E_OS_LIMIT"},
    "ChainTask": {"E_OS_LIMIT"},
    "carillon_alarm_stop": {"E_OS_NOFUNC"},
    "carillon_resume": {"E_OS_LIMIT"},
    "carillon_suspend_within": {"E_OS_NOFUNC"},
    "carillon_mutex_lock": {"E_OS_STATE"},
    "carillon_mutex_lock_within": {"E_OS_STATE", "E_OS_NOFUNC"},
    "carillon_mutex_unlock": {"E_OS_NOFUNC"},
    "carillon_calendar_set": {"E_OS_CALLEVEL", "E_OS_DISABLEDINT", "E_OS_NOFUNC"},
    "carillon_calendar_get": {"E_OS_NOFUNC"},
    "TerminateTask": set(),
}

# Codes of a function that services share, which this service cannot return.
NEVER = {
    "carillon_mutex_lock": {"E_OS_VALUE"},
    "carillon_suspend": {"E_OS_VALUE"},
    "carillon_join": {"E_OS_VALUE", "E_OS_NOFUNC"},
}


def body(service: str) -> str:
    """The body of the C function that is a service, with the IN_SERVICE of services.h and its file's own checks written out."""
    for source in [*sorted((ROOT / "kernel").glob("*/*.c")), *sorted(reference.HEADERS.glob("*.h"))]:
        text = source.read_text(encoding="utf-8")
        match = re.search(
            rf"^(?:static inline )?StatusType ?\(?(?:carillon_osek_)?{service}\)?\([^{{;]*\)\n\{{\n(.*?)^\}}",
            text,
            re.MULTILINE | re.DOTALL,
        )
        if match is not None:
            code = match[1].replace("IN_SERVICE", "IN_TASK | IN_ISR2")
            passed_on = re.fullmatch(
                r"\s*return (?:\((?=\w+\)))?(carillon_\w+|[a-z]+|ActivateTask)\)?\(.*\);\s*", code, re.DOTALL
            )
            if passed_on is not None and source.suffix == ".h":
                return code + body(passed_on[1])
            shared = re.search(rf"^static (?:inline )?StatusType {passed_on[1]}\(", text, re.MULTILINE) if passed_on else None
            if shared is not None:
                return code + text[shared.end() :].split("\n}")[0]
            for macro, checks in re.findall(r"^#define (CHECK_\w+)\([^)]*\)((?:.*\\\n)*.*)", text, re.MULTILINE):
                if macro != "CHECK_PLACE" and re.search(rf"\b{macro}\(", code):
                    code = checks + code
            return code
    raise AssertionError(service)


def test_every_header_for_applications_is_in_the_reference() -> None:
    found = {path.name for path in reference.HEADERS.iterdir()}
    assert found == {*reference.PUBLIC}


@pytest.mark.parametrize("header", reference.PUBLIC)
def test_every_service_has_all_fields_of_its_reference(header: str) -> None:
    assert [fault for entry in ENTRIES if entry.header == header for fault in reference.faults(entry)] == []


def test_every_service_that_the_specification_names_has_a_reference() -> None:
    text = (ROOT / "docs" / "SPEC.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## OSEK(?:time)? services$(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
    assert len(sections) == 2
    named = {n for s in sections for n in re.findall(r"`(?:[a-zA-Z0-9_]+ )?((?:tt|[A-Z])[A-Za-z]+)(?:\([^`]*\))?`", s)}
    known = {e.name for e in ENTRIES}
    built = {n for n in named if re.search(rf"\b{n}\(", "".join(p.read_text() for p in reference.HEADERS.glob("*.h")))}
    assert len(built) > 45
    assert built <= known


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_returns_the_codes_of_its_reference_and_no_others(service: str) -> None:
    code = body(service)
    returned = set(re.findall(r"\bE_OS_\w+", code)) | PASSED_ON.get(service, set())
    returned -= NEVER.get(service, set())
    if "CHECK_PLACE" in code:
        returned |= {"E_OS_CALLEVEL", "E_OS_DISABLEDINT"}
    if "CHECK_POINTER" in code:
        returned |= {"E_OS_PARAM_POINTER"}
    written = SERVICES[service].fields["Errors"]
    assert set(re.findall(r"\bE_OS_\w+", written)) == returned
    always = set(re.findall(r"\bREQUIRE\([^;]*?(E_OS_\w+)", code, re.DOTALL)) - NEVER.get(service, set())
    assert always <= set(re.findall(r"\bE_OS_\w+", written.partition("Extended:")[0])), "found in every status"


@pytest.mark.parametrize("service", [s for s in SERVICES if "CHECK_PLACE" in body(s)])
def test_a_service_is_called_from_where_its_reference_says(service: str) -> None:
    match = re.search(r"CHECK_PLACE\(([^,]+),", body(service))
    assert match is not None
    allowed = set(re.findall(r"IN_\w+", match[1]))
    for place, words in PLACES.items():
        assert any(word in SERVICES[service].fields["From"] for word in words) == (place in allowed), place


WHOLE = """/* Wait.
 *
 * ticks: the time, in ticks of the clock.
 * Errors: none.
 * From: tasks.
 * Source: Carillon's own. */
StatusType carillon_delay(carillon_duration ticks);
"""


def found_in(text: str) -> list[str]:
    return [fault for entry in reference.resolved(reference.entries("x.h", text)) for fault in reference.faults(entry)]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("", "", None),
        (" * ticks: the time, in ticks of the clock.\n", "", "lacks ticks"),
        ("in ticks of the clock", "as you like", "unit of ticks"),
        (" * Errors: none.\n", "", "lacks Errors"),
        (" * From: tasks.\n", "", "lacks From"),
        ("\n * Source: Carillon's own.", "", "lacks Source"),
        ("StatusType c", "uint32_t c", "lacks Returns"),
        ("StatusType c", "static inline StatusType\nc", None),
        (WHOLE[: WHOLE.index("StatusType")], "", "no comment"),
        (" */\nStatus", " */\n\nint other;\nStatus", "no comment"),
        ("/* Wait.", "/* Internal.  Wait.", None),
    ],
)
def test_what_a_reference_lacks_is_found(old: str, new: str, fault: str | None) -> None:
    found = found_in(WHOLE.replace(old, new) if old else WHOLE)
    assert any(fault in each for each in found) if fault else not found


def test_methods_are_those_of_the_public_part_of_a_class() -> None:
    text = """class It
{
    void hidden()
    {
    }

  public:
    It(const It &) = delete;
    int shown(int count = 1)
    {
        return other(count);
    }

  private:
    void also_hidden();
};
"""
    assert [entry.name for entry in reference.entries("x.hpp", text)] == ["It::shown"]


def test_the_pages_have_every_service_once_and_every_link_leads_somewhere() -> None:
    pages = reference.pages()
    anchors = {
        (page, anchor) for page, text in pages.items() for anchor in re.findall(r"^## .* \{ #(\S+) \}$", text, re.MULTILINE)
    }
    links = re.findall(r"\]\(([\w-]+\.md)#(\S+?)\)", "".join(pages.values()))
    assert len(anchors) == len(ENTRIES)
    assert not [link for link in links if link not in anchors]
    assert max(Counter(re.findall(r"\]\(([\w-]+\.md#\S+?)\)", pages["README.md"])).values()) == 1
    assert "task: TASK(Blink) { ... } |" in pages["README.md"]  # whole sentences
