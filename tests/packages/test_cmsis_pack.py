# SPDX-License-Identifier: Apache-2.0
"""The CMSIS-Pack has the form that its schema asks for, and its example builds an image that runs.

Neither the schema nor CMSIS-Toolbox is in a package registry.  So the elements that the description uses are compared with what
the schema (PACK.xsd 1.7.32) says of these, and the example is built as csolution would build it.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from packaged import PACKAGES, ROOT, User, needs

from carillon import __version__

XS = "{http://www.w3.org/2001/XMLSchema-instance}"
NAME, VERSION, COMPONENT_VERSION, TEXT = r"[\-_A-Za-z0-9]+", r"[0-9]+\.[0-9]+\.[0-9]+", r"(0|[1-9]\d*)\.[0-9]+(\.[0-9]+)?", r".*"
PART, DATE = r"\S(.{0,30}\S)?", r"\d{4}-\d\d-\d\d"
CORE = r"Cortex-M(0|0\+|1|3|4|7|23|33|35P|52|55|85)"


@dataclass(frozen=True)
class Element:
    """An element: the children that it must and may have, and the form of its attributes (``?``: optional) and its text."""

    must: str = ""
    may: str = ""
    attributes: tuple[tuple[str, str], ...] = ()
    text: str = r"\s*"


def _element(must: str = "", may: str = "", text: str = r"\s*", **attributes: str) -> Element:
    return Element(must, may, tuple(attributes.items()), text)


SCHEMA = {
    "package": _element(
        "name vendor description url releases",
        "license keywords conditions examples components",
        schemaVersion=r"[0-9]+\.[0-9]+.*",
    ),
    "package/name": _element(text=NAME),
    "package/vendor": _element(text=NAME),
    "description": _element(text=r".{1,256}"),
    "url": _element(text=r"https?://\S+"),
    "license": _element(text=r"\S+"),
    "releases": _element("release"),
    "release": _element(text=TEXT, version=VERSION, date_=DATE),
    "keywords": _element("keyword"),
    "keyword": _element(text=r".+"),
    "conditions": _element("condition"),
    "condition": _element("", "description accept require deny", id=r".+"),
    "accept": _element(Dcore=CORE),
    "examples": _element("example"),
    "example": _element("description board project", "attributes", name=r".+", folder=r".+", doc=r".+"),
    "board": _element(name=r".+", vendor=r".+"),
    "project": _element("environment"),
    "environment": _element(name=r".+", load=r".+"),
    "components": _element("component"),
    "component": _element(
        "description files", Cclass=PART, Cgroup=PART, Cversion=COMPONENT_VERSION, Cvendor_=PART, condition_=r".+"
    ),
    "files": _element("file"),
    "file": _element(
        category=r"doc|header|include|library|object|source|sourceC|sourceCpp|sourceAsm|linkerScript|utility|image|other",
        name=r"[^\\]+",
        attr_=r"config|template|interface",
        select_=r".+",
        version_=COMPONENT_VERSION,
    ),
}


def faults(element: ElementTree.Element, parent: str = "") -> list[str]:
    """What of an element and those in it is not as the schema wants it."""
    tag = element.tag
    rule = SCHEMA.get(f"{parent}/{tag}") or SCHEMA.get(tag)
    if rule is None:
        return [f"{tag} is not known"]
    found = []
    children = [child.tag for child in element]
    found += [f"{tag} has no {must}" for must in rule.must.split() if must not in children]
    found += [f"{tag} has a {child}" for child in children if child not in (rule.must + " " + rule.may).split()]
    forms = {name.rstrip("_"): form for name, form in rule.attributes}
    found += [f"{tag} has no {name}" for name, _ in rule.attributes if not name.endswith("_") and name not in element.attrib]
    for name, value in element.attrib.items():
        if name.startswith(XS):
            continue
        if name not in forms or not re.fullmatch(forms[name], value):
            found.append(f"{tag} has {name}={value}")
    if not re.fullmatch(rule.text, element.text or ""):
        found.append(f"{tag} says {element.text}")
    return found + [fault for child in element for fault in faults(child, tag)]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pack, installed as ``cpackget`` does: unpacked."""
    folder = tmp_path_factory.mktemp("pack")
    command = [sys.executable, PACKAGES / "cmsis-pack" / "pack.py", "--out", folder]
    made = Path(subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.strip())
    assert made.name == f"Carillon.Carillon.{__version__}.pack"
    with zipfile.ZipFile(made) as file:
        file.extractall(folder / "installed")
    return folder / "installed"


def _description(unpacked: Path) -> ElementTree.Element:
    return ElementTree.parse(unpacked / "Carillon.Carillon.pdsc").getroot()


def test_the_description_is_as_the_schema_wants_it(unpacked: Path) -> None:
    package = _description(unpacked)
    assert faults(package) == []
    conditions = {condition.get("id") for condition in package.iter("condition")}
    assert {component.get("condition") for component in package.iter("component")} <= conditions


def test_what_the_schema_does_not_have_is_found(unpacked: Path) -> None:
    package = _description(unpacked)
    next(package.iter("component")).set("Cversion", "new")
    package.remove(package.find("url"))  # type: ignore[arg-type]
    assert faults(package) == ["package has no url", "component has Cversion=new"]


def test_the_pack_has_every_file_that_its_description_names(unpacked: Path) -> None:
    package = _description(unpacked)
    named = {unpacked / str(file.get("name")) for file in package.iter("file")}
    named |= {unpacked / str(package.findtext("license"))}
    for example in package.iter("example"):
        folder = unpacked / str(example.get("folder"))
        named |= {folder / str(example.get("doc")), *(folder / str(it.get("load")) for it in example.iter("environment"))}
    assert [path for path in named if not path.is_file()] == []


def test_the_newest_release_is_the_tools_version(unpacked: Path) -> None:
    package = _description(unpacked)
    assert next(package.iter("release")).get("version") == __version__
    assert {component.get("Cversion") for component in package.iter("component")} == {__version__}


def _built(user: User, folder: Path, yaml: Any) -> Path:
    """The image of the example in ``folder``, by what its files for csolution say."""
    solution = yaml.safe_load((folder / "Tasks.csolution.yml").read_text(encoding="utf-8"))["solution"]
    project = yaml.safe_load((folder / solution["projects"][0]["project"]).read_text(encoding="utf-8"))["project"]
    for step in solution["executes"]:
        command = step["run"].replace("$input(0)$", step["input"][0]).replace("$SolutionDir()$", str(folder))
        user.runs(*shlex.split(command), cwd=folder)
        assert [name for name in step["output"] if not (folder / name).is_file()] == []
    files = [file["file"] for group in project["groups"] for file in group["files"]]
    device = ROOT / "examples" / "beside-cmsis" / "project"  # in the place of the device's pack
    command = ["arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-O2", "-g", "-nostartfiles", "--specs=nano.specs"]
    command += [f"-I{path}" for path in project["add-path"]] + [f"-I{device}", "-T", str(device / "mps2-an385" / "link.ld")]
    command += [str(device / "mps2-an385" / name) for name in ("startup.c", "system.c")] + files
    command += [*project["misc"][0]["Link"], "-Wl,--gc-sections", "-o", "app.elf"]
    user.runs(*command, cwd=folder)
    return folder / "app.elf"


def test_the_example_builds_an_image_that_runs(user: User, unpacked: Path, tmp_path: Path) -> None:
    needs("arm-none-eabi-gcc", "qemu-system-arm")
    yaml = pytest.importorskip("yaml")
    folder = shutil.copytree(unpacked / "example", tmp_path / "Tasks")
    elf = _built(user, folder, yaml)
    said = user.runs("carillon", "run", "--elf", elf, "--rounds", "2", "--strict", cwd=folder)
    assert "Control" in said
    assert re.search(r"Control +20 ", said)
