# SPDX-License-Identifier: Apache-2.0
"""``carillon verify`` finds nothing where nothing is wrong, and says what it has not compared.

The faults that it must find are in the files beside this one, by what they are in.  tests/rounds/test_verified.py looks for
false alarms.
"""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from verified_images import IMAGES, Images, Patch, carillon

import carillon.verify as carillon_verify
from carillon.diagnostics import Diagnostics
from carillon.emit import emit
from carillon.image import Image
from carillon.verify import verify


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_as_it_was_built_is_what_the_schedule_says(name: str, images: Images) -> None:
    diagnostics = Diagnostics()
    report = verify(*images.get(name), diagnostics)
    assert not diagnostics.reported
    assert sum(m.expiries for m in report.modes) or report.osek is not None


OTHERS = [
    ("stm32", "pico", "0x10000000"),
    ("pico", "nrf", "0x0"),
    ("nrf", "matches", "0x8000000"),
    ("mps2", "stm32", "0x8000000"),
]


@pytest.mark.parametrize(("image", "board", "begins"), OTHERS)
def test_an_image_of_another_board_is_told_as_such(image: str, board: str, begins: str, images: Images) -> None:
    system, _ = images.get(board)
    _, elf = images.get(image)
    diagnostics = Diagnostics()
    verify(system, elf, diagnostics)
    (found,) = diagnostics.errors
    assert found.code == "C209"
    assert found.cause.endswith(f"and that of board '{system.board.name}' begins at {begins}")


def test_the_command_tells_what_it_compared_and_what_not(images: Images) -> None:
    _, elf = images.get("events")
    code, out, err = carillon("verify", str(elf.parents[1] / "events.toml"), "--elf", str(elf))
    assert code == 0, err
    assert "the image is what the schedule says, on ast1030-evb at 125MHz" in out
    assert "event-triggered: 5 cells, 8 vectors, 11 entries of tables" in out
    assert re.findall("^not verified: (.*?)[,:]", out, re.MULTILINE) == [
        "the time base",
        "alarms in their counters' queues",
    ]


def test_an_image_of_a_changed_schedule_differs_by_the_line_that_was_changed(images: Images) -> None:
    system, elf = images.get("ast")
    other = system.file.with_name("other.toml")
    text = system.file.read_text(encoding="utf-8")
    other.write_text(text.replace('"70000 ticks", activate', '"70010 ticks", activate'), encoding="utf-8")
    code, out, _ = carillon("verify", str(other), "--elf", str(elf), "--json")
    assert code == 1
    (difference,) = json.loads(out)["diagnostics"][1:]
    line = text[: text.index('"70000 ticks", activate')].count("\n") + 1
    assert (difference["code"], difference["line"]) == ("C204", line)
    assert difference["cause"] == (
        "mode 'one': the activation of 'Short' is expected at 70010, found at 70000: nothing expires at 70010, 70010 of the next "
        "round; TMR2 (source 33) expires at 70000, 70000 of the next round"
    )


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        (', deadline_at = "21000 ticks"', "", "by that of the activation at 11000, which has none"),
        ('board = "', 'on_deadline_miss = "continue"\nboard = "', "goes on after a missed one"),
        ('"9000 ticks", "10000 ticks"', '"8000 ticks", "9000 ticks"', "is expected at 8000, 21000"),
    ],
)
def test_a_shared_deadline_cell_follows_the_first_deadline_of_each_activation(
    old: str, new: str, cause: str, images: Images
) -> None:
    system, elf = images.get("ast")
    other = system.file.with_name("other.toml")
    other.write_text(system.file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    _, out, _ = carillon("verify", str(other), "--elf", str(elf), "--json")
    assert any(cause in d["cause"] for d in json.loads(out)["diagnostics"])


def test_of_two_alarms_on_one_source_the_higher_tasks_cell_is_asked_first(images: Images) -> None:
    system, elf = images.get("joined alarms")
    other = system.file.with_name("other.toml")
    text = system.file.read_text(encoding="utf-8")
    other.write_text(text.replace("priority = 3", "priority = 9"), encoding="utf-8")
    _, out, _ = carillon("verify", str(other), "--elf", str(elf), "--json")
    assert any("before that of a higher one's" in d["cause"] for d in json.loads(out)["diagnostics"])


def test_without_an_image_the_command_says_how_to_get_one(images: Images) -> None:
    system, _ = images.get("ast")
    code, _, err = carillon("verify", str(system.file), "--out", "nowhere")
    assert code == 1
    assert "C209: there is no image 'nowhere/modes.elf'" in err
    assert "carillon build" in err


def test_an_image_of_another_application_is_refused(images: Images) -> None:
    system, _ = images.get("ast")
    _, other = images.get("events")
    diagnostics = Diagnostics()
    verify(system, other, diagnostics)
    assert [d.code for d in diagnostics.errors] == ["C209"]


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        (["--strip-debug"], "the image has no debug information (-gdwarf-4), which says how its tables are laid out"),
        (["--strip-all"], "the image is stripped: it has no symbols"),
        (
            ["--remove-section=.debug_abbrev"],
            "the image's debug information (-gdwarf-4) is damaged",
        ),
    ],
)
def test_an_image_that_does_not_say_how_its_tables_are_laid_out_is_not_verified(
    images: Images, tmp_path: Path, options: list[str], cause: str
) -> None:
    system, elf = images.get("events")
    other = tmp_path / "other.elf"
    subprocess.run(["arm-none-eabi-objcopy", *options, elf, other], check=True)
    diagnostics = Diagnostics()
    report = verify(system, other, diagnostics)
    assert not diagnostics.reported
    assert report.unverified == (f"anything: {cause}",)
    assert report.line() == f"not verified: {cause}"


def test_tables_of_another_compiler_are_not_verified(images: Images, tmp_path: Path) -> None:
    system, elf = images.get("events")
    patch = Patch(elf)
    patch.data[:] = patch.data.replace(b"GNU C11", b"ACME CC")
    other = tmp_path / "other.elf"
    other.write_bytes(patch.data)
    report = verify(system, other, Diagnostics())
    (cause,) = report.unverified
    assert cause.startswith("anything: the image's tables were compiled by 'ACME CC 12")
    assert cause.endswith("', whose debug information no rule was tried with")


def test_damaged_debug_information_is_no_traceback(images: Images, tmp_path: Path) -> None:
    """Each byte of a part of it, turned: nothing is compared, or what is said is a difference."""
    system, elf = images.get("events")
    with elf.open("rb") as file:
        section = ELFFile(file).get_section_by_name(".debug_info")
        start, size = section["sh_offset"], section["sh_size"]
    other = tmp_path / "other.elf"
    content = elf.read_bytes()
    for at in range(start, start + size, size // 60):
        other.write_bytes(content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :])
        verify(system, other, Diagnostics())


def test_a_port_that_no_rule_reads_is_not_passed_over(images: Images) -> None:
    system, elf = images.get("ast")
    diagnostics = Diagnostics()
    report = verify(replace(system, board=system.board.model_copy(update={"port": "another"})), elf, diagnostics)
    assert not diagnostics.reported
    assert report.unverified == ("anything: no rule reads the interrupt controller, or the code, of port 'another'",)


def test_a_family_that_no_rule_reads_is_not_passed_over(images: Images) -> None:
    system, elf = images.get("ast")
    cells = [a.model_copy(update={"family": a.family.model_copy(update={"name": "another"})}) for a in system.board.cells]
    diagnostics = Diagnostics()
    report = verify(replace(system, board=system.board.model_copy(update={"cells": tuple(cells)})), elf, diagnostics)
    assert not diagnostics.reported
    assert report.unverified == tuple(f"mode '{m}': no rule reads cells of family another" for m in ("one", "two"))


@pytest.mark.parametrize("size", [0, 3, 40, 100, 5000])
def test_a_damaged_file_is_refused(size: int, images: Images, tmp_path: Path) -> None:
    system, elf = images.get("ast")
    (tmp_path / "cut.elf").write_bytes(elf.read_bytes()[:size])
    diagnostics = Diagnostics()
    verify(system, tmp_path / "cut.elf", diagnostics)
    assert {d.code for d in diagnostics.errors} == {"C209"}


def test_a_build_leaves_no_image_that_differs(images: Images, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system, _ = images.get("ast")

    def wrong(image: Image) -> dict[str, str]:
        files = emit(image)
        return {**files, "tables.c": files["tables.c"].replace("ASPEED_ALIGN(1, 70155,", "ASPEED_ALIGN(1, 70156,")}

    monkeypatch.setattr("carillon.build.emit", wrong)
    arguments = ("build", str(system.file), "--out", str(tmp_path))
    code, _, err = carillon(*arguments)
    assert code == 1
    assert "C204: mode 'one': the activation of 'Short' is expected at 70000, found at 70001" in err
    assert not list(tmp_path.glob("*.elf"))
    code, out, _ = carillon(*arguments, "--no-verify")
    assert code == 0
    assert "not verified (--no-verify)" in out
    assert (tmp_path / "modes.elf").is_file()


def test_the_verifier_shares_nothing_with_the_passes_that_make_an_image() -> None:
    package = Path(carillon_verify.__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in package.rglob("*.py")]
    named = r"^\s*(?:from|import) (carillon(?: import c_names$|[\w.]*))"  # names of C are neither side's
    imports = {name.replace(" import ", ".") for text in texts for name in re.findall(named, text, re.MULTILINE)}
    allowed = r"carillon\.(c_names|verify|model|diagnostics|elf)\b"
    assert {name for name in imports if not re.match(allowed, name)} == {"carillon.pipeline", "carillon.sources"}  # command.py
    assert "from carillon.pipeline import read_and_check\n" in (package / "command.py").read_text(encoding="utf-8")
