# SPDX-License-Identifier: Apache-2.0
"""Make the CMSIS-Pack: python packages/cmsis-pack/pack.py [--out FOLDER].

The pack has a schedule and tasks to begin with, and an example.  The library itself is made from the project's schedule, by the
command ``carillon``, which csolution executes.  The version is the tool's, and releases are those of CHANGELOG.md.
"""

from __future__ import annotations

import argparse
import re
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tool"))
from carillon import __version__  # noqa: E402

VENDOR = NAME = "Carillon"
CORES = ("Cortex-M0+", "Cortex-M0", "Cortex-M3", "Cortex-M4")
"""Those of the boards that have a library."""
CONFIGURATION = "1.0.0"
"""The version of what a project copies and changes: another one asks its user to merge."""
EXAMPLE = "example"


def releases() -> list[tuple[str, str]]:
    """Version and date of each release that CHANGELOG.md has, the newest first; the one to come without a date."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    done = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", text, re.MULTILINE)
    return done if any(version == __version__ for version, _ in done) else [(__version__, ""), *done]


def description() -> bytes:
    """The pack's description, ``Carillon.Carillon.pdsc``."""
    package = ElementTree.Element(
        "package",
        {
            "schemaVersion": "1.7.7",
            "xmlns:xs": "http://www.w3.org/2001/XMLSchema-instance",
            "xs:noNamespaceSchemaLocation": "PACK.xsd",
        },
    )

    def add(parent: ElementTree.Element, tag: str, text: str = "", **attributes: str) -> ElementTree.Element:
        element = ElementTree.SubElement(parent, tag, attributes)
        element.text = text or None
        return element

    add(package, "vendor", VENDOR)
    add(package, "name", NAME)
    add(package, "description", "Timers start the tasks of a real-time schedule, each at its own time")
    add(package, "url", "https://pypi.org/project/carillon-rtos/")
    add(package, "license", "LICENSE")
    listed = add(package, "releases")
    for version, date in releases():
        add(listed, "release", f"See CHANGELOG.md for {version}.", version=version, **({"date": date} if date else {}))
    words = add(package, "keywords")
    for word in ("real-time", "scheduling", "timer"):
        add(words, "keyword", word)
    condition = add(add(package, "conditions"), "condition", id="Processor")
    add(condition, "description", "A processor with timers that Carillon knows")
    for core in CORES:
        add(condition, "accept", Dcore=core)
    example = add(add(package, "examples"), "example", name="Two tasks", folder=EXAMPLE, doc="../README.md")
    add(example, "description", "Timers start two tasks beside the vendor's start-up code")
    add(example, "board", vendor="ARM", name="V2M-MPS2")
    add(add(example, "project"), "environment", name="csolution", load="Tasks.csolution.yml")
    component = add(
        add(package, "components"),
        "component",
        Cclass="RTOS",
        Cgroup="Carillon",
        Cvendor=VENDOR,
        Cversion=__version__,
        condition="Processor",
    )
    add(component, "description", "A schedule, from which the command carillon makes a library")
    files = add(component, "files")
    add(files, "file", category="doc", name="README.md")
    add(files, "file", category="other", name=f"{EXAMPLE}/schedule.toml", attr="config", version=CONFIGURATION)
    add(files, "file", category="source", name=f"{EXAMPLE}/tasks.c", attr="template", select="Tasks of a schedule")
    ElementTree.indent(package)
    return ElementTree.tostring(package, encoding="utf-8", xml_declaration=True) + b"\n"


def pack(out: Path) -> Path:
    """Write the pack into ``out``.  The same files make the same bytes."""
    out.mkdir(parents=True, exist_ok=True)
    made = out / f"{VENDOR}.{NAME}.{__version__}.pack"
    contents = {f"{VENDOR}.{NAME}.pdsc": description()}
    contents |= {name: (ROOT / name).read_bytes() for name in ("LICENSE", "CHANGELOG.md")}
    contents["README.md"] = (HERE / "README.md").read_bytes()
    contents |= {f"{EXAMPLE}/{path.name}": path.read_bytes() for path in sorted((HERE / EXAMPLE).iterdir()) if path.is_file()}
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in contents.items():
            file.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return made


def main() -> None:
    """Make the pack, and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", metavar="FOLDER", help="where the pack is written")
    print(pack(parser.parse_args().out))


if __name__ == "__main__":
    main()
