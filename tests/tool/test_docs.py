# SPDX-License-Identifier: Apache-2.0
"""The documentation shows what the commands print, and names what exists."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from bench.papers.rows import Row
from carillon.allocate.result import Style
from carillon.cli import app
from carillon.model.board import Board, Cells, Clock, Requests, Role, Starter
from carillon.model.clock_tree import Baud, Bus, ClockTree, Pll
from carillon.model.currents import Currents
from carillon.model.registers import Console
from carillon.model.tools import Build, Debug, Flash, Programmer, Run
from carillon.trace import Kind

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
SPEC = (ROOT / "docs" / "SPEC.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
PROGRAMS = ("bash", "cc", "cmake", "arm-none-eabi-gcc", "qemu-system-arm", "node", "npm")

PARTS = 6
"""Of the documents and their pictures, a part is made anew at a time."""

names = [str(d.relative_to(ROOT)) for d in DOCUMENTS]
each_document = pytest.mark.parametrize("document", DOCUMENTS, ids=names)


def prose(document: Path) -> str:
    return FENCE.sub("", document.read_text(encoding="utf-8"))


def anchors(document: Path) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", prose(document), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def spec_section(title: str) -> str:
    """The text of one section of SPEC."""
    match = re.search(rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", SPEC, re.MULTILINE | re.DOTALL)
    assert match is not None, title
    return match[1]


@pytest.mark.long
@pytest.mark.suite
@pytest.mark.skipif(not all(map(shutil.which, PROGRAMS)), reason=f"needs {', '.join(PROGRAMS)}")
@pytest.mark.parametrize("part", range(1, PARTS + 1))
def test_all_output_and_pictures_that_are_shown_are_what_the_commands_give(part: int) -> None:
    command = [sys.executable, str(ROOT / "docs" / "build.py"), "--check", "--quick", "--part", f"{part}/{PARTS}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


BLOCK = re.compile(r"<!-- begin: (?P<command>[^\n]+?) -->\n(?P<body>.*?)<!-- end -->", re.DOTALL)


def unannounced(text: str) -> list[str]:
    """Outputs of a page that show an error, a warning or an exit code, of which the page's own words do not name the code.

    An exit code without a diagnostic is announced by ``exit code N``.
    """
    words, found = BLOCK.sub("", text), []
    for block in BLOCK.finditer(text):
        if block["command"].startswith(("file ", "made ")):
            continue
        shown = set(re.findall(r"\b(?:error|warning) (C\d{3})\b", block["body"]))
        if not shown:
            shown = set(re.findall(r"\[(exit code \d+)\]", block["body"]))
        found += [f"{block['command']}: {word}" for word in sorted(shown) if word not in words]
    return found


@each_document
def test_a_page_announces_each_error_and_warning_that_it_shows(document: Path) -> None:
    assert not unannounced(document.read_text(encoding="utf-8"))


def test_an_error_that_a_page_does_not_announce_is_found() -> None:
    shown = "<!-- begin: carillon plan x -->\n```console\nx.toml:6:10: error C043: task 't'\n[exit code 1]\n```\n<!-- end -->\n"
    assert unannounced(f"Here they have five:\n{shown}") == ["carillon plan x: C043"]
    assert not unannounced(f"It is refused ([C043](../codes/C043.md)):\n{shown}")
    assert unannounced(shown.replace("error C043", "said")) == ["carillon plan x: exit code 1"]


def schedules() -> list[str]:
    """Every schedule of README, guide and examples: a file, or the folder of one in several files."""
    kinds = (".toml", ".oil", ".giotto", ".arxml")
    names = subprocess.check_output(["git", "ls-files", "examples", "docs/guide"], cwd=ROOT, text=True).split()
    files = {ROOT / name for name in names if name.endswith(kinds)}
    networks = {path for path in files if re.search(r"^\[network\]", path.read_text(encoding="utf-8"), re.MULTILINE)}
    found = {path.parent if path.suffix == ".arxml" else path for path in files - networks}
    return sorted(str(path.relative_to(ROOT)) for path in found if path.name != "board.toml")


REFUSED = {
    "docs/guide/giotto/landing.giotto": "C258",
    "docs/guide/oil/strict.oil": "C145",
    "docs/guide/schedules/too-few-cells.toml": "C060",
}
"""What the guide shows as refused, and with which code."""


@pytest.mark.parametrize("name", schedules())
def test_each_schedule_of_readme_guide_and_examples_passes_the_check_on_its_board(name: str) -> None:
    result = CliRunner().invoke(app, ["check", str(ROOT / name)])
    refused = REFUSED.get(name)
    assert (result.exit_code == 0) == (refused is None), result.output
    assert refused is None or refused in result.output


@each_document
def test_a_relative_link_leads_to_a_file_and_its_anchor_to_a_heading(document: Path) -> None:
    for link in LINK.findall(prose(document)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        if anchor:
            assert anchor in anchors(target), link


@each_document
def test_a_diagnostics_code_that_is_named_has_its_page(document: Path) -> None:
    for code in re.findall(r"\bC[01]\d\d\b", document.read_text(encoding="utf-8")):
        assert (ROOT / "docs" / "codes" / f"{code}.md").is_file(), code


@each_document
def test_a_document_begins_with_its_licence_and_names_no_folder_of_a_machine(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    assert text.startswith("<!-- SPDX-License-Identifier: Apache-2.0 -->\n")
    assert not re.findall(r"(?<![\w.])/(?:home|root|tmp|work)/", text)


@each_document
def test_every_picture_says_in_words_what_it_shows(document: Path) -> None:
    assert not re.findall(r"!\[\s*\]", prose(document))


@each_document
def test_a_file_of_the_checkout_that_is_named_exists(document: Path) -> None:
    folders = "bench|boards|cells|docs|emulators|examples|kernel|ports|templates|scripts|tests|tool"
    for name in re.findall(rf"`((?:{folders})/[\w./-]+)`", prose(document)):
        assert "NNN" in name or (ROOT / name).exists(), name


def test_the_first_test_of_firmware_is_one_of_the_suite() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```python\n.*?\n\n\n(def test_.*?)```", text, re.DOTALL)
    assert shown in (ROOT / "tests" / "firmware" / "test_tracing.py").read_text(encoding="utf-8")


@each_document
def test_every_row_of_a_table_has_a_cell_for_each_column(document: Path) -> None:
    columns = 0
    for line in prose(document).splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        columns = columns if columns and cells else cells
        assert cells == columns, line


@pytest.mark.parametrize(
    "model",
    [Board, Clock, ClockTree, Pll, Bus, Baud, Cells, Build, Run, Debug, Flash, Programmer, Requests, Console, Currents, Starter],
)
def test_every_key_of_a_board_file_is_specified(model: type) -> None:
    section = spec_section("Board file")
    for key in set(model.model_fields) - {"folder", "clocks", "cells", "build", "run", "flash", "debug"}:  # type: ignore[attr-defined]
        assert f"`{key}`" in section, key


def test_every_role_of_a_cell_is_specified() -> None:
    for role in Role:
        assert f'`"{role.value}"`' in spec_section("Board file"), role


def test_every_command_and_option_is_specified() -> None:
    section = spec_section("Command line")
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        row = re.search(rf"^\| `{name}[` ].*$", section, re.MULTILINE)
        assert row is not None, name
        for parameter in command.params:
            for option in (o for o in parameter.opts if o.startswith("--") and o not in ("--json", "--help")):
                assert f"`{option}`" in row[0], f"{name} {option}"


def test_every_kind_of_event_and_every_key_of_a_row_is_specified() -> None:
    for kind in Kind:
        assert f"`{kind.value}`" in spec_section("Events"), kind
    for key in Row("", "", "", "", 0, 0, 0, 1).as_json():
        assert f"`{key}`" in (ROOT / "bench" / "README.md").read_text(encoding="utf-8"), key
    for style in Style:
        assert f"`{style.value}`" in spec_section("Command line"), style


def test_every_type_of_the_contract_is_specified() -> None:
    header = (ROOT / "kernel/contract/mode.h").read_text(encoding="utf-8")
    types = re.findall(r"^struct (carillon_\w+) \{", header, re.MULTILINE)
    assert types
    for name in types:
        assert f"`struct {name}`" in spec_section("Generated files"), name


@pytest.mark.parametrize("port", ["template", "host", "armv7m"])
def test_every_name_of_the_port_contract_is_defined_by_each_port(port: str) -> None:
    headers = [ROOT / "ports" / port / "carillon_port.h", *(ROOT / "ports" / port).glob("nvic.h")]
    header = "\n".join(path.read_text(encoding="utf-8") for path in headers)
    written = set(re.findall(r"\b(?:carillon_port_\w+|CARILLON_[A-Z_]+)", spec_section("Port")))
    # Only a runner looks for these.
    own = {"carillon_port_reset", "carillon_port_lower", "carillon_port_entries", "carillon_port_start_load"}
    delays = {"carillon_port_delay", "carillon_port_spend"}  # either
    own |= {"carillon_port_run_above", "CARILLON_PORT_PREEMPTED", "CARILLON_PORT_BEGIN"}  # of ARMv6-M
    own |= {"CARILLON_PORT_ASKS_FOR_MASK"}
    own |= {"CARILLON_PORT_UNDISTURBED"}  # where one store moves all cells
    for name in written - own - delays:
        assert re.search(rf"\b{name}\b", header), name
    assert any(re.search(rf"\b{name}\b", header) for name in delays)


def test_every_name_of_the_port_template_is_specified() -> None:
    header = (ROOT / "ports/template/carillon_port.h").read_text(encoding="utf-8")
    section = spec_section("Port")
    functions = re.findall(r"\b(carillon_port_\w+)\(", header)
    for name in {*functions, *re.findall(r"^#define (CARILLON_\w+)", header, re.MULTILINE)}:
        if name != "CARILLON_PORT_H":
            assert name in section, name


def test_every_name_of_the_cell_template_is_specified() -> None:
    header = (ROOT / "cells/template/cell.h").read_text(encoding="utf-8")
    section = spec_section("Cell drivers")
    for name in re.findall(r"^#define TEMPLATE_(\w+)\(", header, re.MULTILINE):
        assert f"`{name}(" in section, name
    for name in re.findall(r"\btemplate_(\w+)\(", header):
        assert f"`…_{name}(" in section, name


def test_every_service_of_the_public_header_is_specified() -> None:
    header = (ROOT / "kernel/api/carillon/osektime.h").read_text(encoding="utf-8")
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    functions = re.findall(r"\b((?:tt[A-Z]|carillon_)\w+)\(", code)
    assert functions
    for name in functions:
        assert re.search(rf"\b{name}\b", spec_section("OSEKtime services")), name
