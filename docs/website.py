# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation as a site: python docs/website.py [FOLDER], by default build/site.

Pages keep their places in the checkout, so that their links hold; what a link leads to comes along: pictures as they are,
source files and folders as pages.  The reference of the services (service_reference.py) and the list of diagnostic codes are
made.  A link that leads nowhere, and a page of the guide that its contents do not name, end the build with an error.
"""

from __future__ import annotations

import argparse
import os
import posixpath
import re
import shutil
from pathlib import Path

import service_reference as reference

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = ROOT / "docs" / "mkdocs.yml"
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"^<!-- (?:SPDX-.*|begin: .*|end) -->\n", re.MULTILINE)
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
ROW = re.compile(r"^\| \[[^\]]*\]\(([\w-]+\.md)\) \|", re.MULTILINE)
AS_IT_IS = {".svg", ".html", ".json", ".png"}
LANGUAGES = {".h": "c", ".c": "c", ".hpp": "cpp", ".cpp": "cpp", ".toml": "toml", ".py": "python", ".sh": "bash"}
INDEX = "README.md"
PARTS = ("Learn", "How to", "Reference", "Papers")
"""The parts of the guide: the headings of its index, and of the site's contents."""
BEHIND = "---\nsearch:\n  boost: 0.2\n---\n\n"
"""The begin of a page that the search puts behind the others: a source, a folder, a diagnostic code."""


def documents() -> list[str]:
    """Every page of the checkout."""
    pages = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
    return [INDEX, "CONTRIBUTING.md", "CHANGELOG.md", *pages]


def guide() -> dict[str, list[str]]:
    """The parts of the guide, each with its pages, in the order of its contents."""
    folder = ROOT / "docs" / "guide"
    sections = re.split(r"^## (.*)$", (folder / INDEX).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    parts = {title: ROW.findall(text) for title, text in zip(sections[::2], sections[1::2], strict=True)}
    listed = [name for names in parts.values() for name in names]
    there = {path.name for path in folder.glob("*.md")} - {INDEX}
    if sorted(listed) != sorted(there):
        wrong = sorted({name for name in listed if listed.count(name) > 1} | (set(listed) ^ there))
        raise SystemExit(f"docs/guide/{INDEX} must name every page of the guide once: {', '.join(wrong)}")
    if (wanted := [title for title, names in parts.items() if names]) != list(PARTS):
        raise SystemExit(f"docs/guide/{INDEX} must have the parts {', '.join(PARTS)}, and has {', '.join(wanted)}")
    return {title: [f"docs/guide/{name}" for name in parts[title]] for title in PARTS}


def navigation() -> list[object]:
    """The site's contents: the guide's four parts, and what is no page of the guide with the part that it belongs to."""
    parts = guide()
    services = ["docs/reference/README.md", *(f"docs/reference/{reference.page_of(header)}" for header in reference.PUBLIC)]
    return [
        {"Carillon": INDEX},
        {"Learn": [f"docs/guide/{INDEX}", *parts["Learn"]]},
        {"How to": [*parts["How to"]]},
        {
            "Reference": [
                *parts["Reference"],
                {"Services": services},
                {"Specification": "docs/SPEC.md"},
                {"Diagnostics": ["docs/codes/README.md"]},
                "docs/MISRA.md",
                "docs/TESTED.md",
            ]
        },
        {"Papers": [*parts["Papers"], "docs/DESIGN.md"]},
        {"Project": ["CONTRIBUTING.md", "CHANGELOG.md"]},
    ]


def codes() -> str:
    """The list of diagnostic codes."""
    lines = ["# Diagnostic codes", "", "`carillon explain CODE` prints the same.", "", "| code | what it says |", "|---|---|"]
    for path in sorted((ROOT / "docs" / "codes").glob("C*.md")):
        match = re.search(r"^# (\w+): (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert match is not None, path
        lines.append(f"| [{match[1]}]({path.name}) | {match[2]} |")
    return "\n".join(lines) + "\n"


def source_page(path: Path) -> str:
    """A source file as a page."""
    fence = "````"
    text = path.read_text(encoding="utf-8").strip("\n")
    return f"{BEHIND}# {path.relative_to(ROOT).as_posix()}\n\n{fence}{LANGUAGES.get(path.suffix, 'text')}\n{text}\n{fence}\n"


def folder_page(path: Path) -> tuple[str, list[Path]]:
    """A folder as a page, and the files that it names."""
    kept = [p for p in sorted(path.rglob("*")) if p.is_file() and not {"build", "__pycache__"} & set(p.parts)]
    names = [p.relative_to(path).as_posix() for p in kept]
    lines = [
        f"{BEHIND}# {path.relative_to(ROOT).as_posix()}",
        "",
        *(f"- [{name}]({target(name, p)})" for name, p in zip(names, kept, strict=True)),
    ]
    return "\n".join(lines) + "\n", kept


def target(link: str, path: Path) -> str:
    """What a link to a file or folder of the checkout becomes."""
    if path.is_dir():
        return posixpath.join(link, INDEX)
    return link if path.suffix in AS_IT_IS or path.suffix == ".md" else f"{link}.md"


class Source:
    """The folder that the site is built from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.written: set[str] = set()

    def write(self, name: str, text: str) -> None:
        """Write a page."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.written.add(name)

    def page(self, name: str) -> None:
        """Write a page of the checkout, and bring along what its links lead to."""
        if name in self.written:
            return
        self.written.add(name)

        def rewrite(match: re.Match[str]) -> str:
            link = match[2]
            path = Path(os.path.normpath(ROOT / posixpath.dirname(name) / link))
            if re.match(r"[a-z]+:", link) or not path.is_relative_to(ROOT) or not path.exists():
                return match[0]  # mkdocs finds those that lead nowhere
            self.bring(path)
            return match[1] + target(link, path) + match[3]

        text = MARK.sub("\n", (ROOT / name).read_text(encoding="utf-8"))
        parts = re.split(f"({FENCE.pattern})", text, flags=FENCE.flags)
        text = "".join(part if part.startswith("```") else LINK.sub(rewrite, part) for part in parts)
        self.write(name, (BEHIND if name.startswith("docs/codes/") else "") + text)

    def bring(self, path: Path) -> None:
        """Write what a link leads to, unless that is there."""
        name = path.relative_to(ROOT).as_posix()
        written = target(name, path)
        if written in self.written:
            return
        if path.suffix == ".md":
            self.page(name)
        elif path.is_dir():
            text, files = folder_page(path)
            self.write(written, text)
            for file in files:
                self.bring(file)
        elif path.suffix in AS_IT_IS:
            self.written.add(written)
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, self.folder / name)
        else:
            self.write(written, source_page(path))


def assemble(folder: Path) -> None:
    """Write everything that the site is built from."""
    shutil.rmtree(folder, ignore_errors=True)
    source = Source(folder)
    for name in documents():
        source.page(name)
    for name, text in reference.pages().items():
        source.write(f"docs/reference/{name}", text)
    source.write("docs/codes/README.md", codes())
    for name in ("website.css", "iframe-worker.js"):
        shutil.copyfile(ROOT / "docs" / name, folder / name)


def build(site: Path) -> None:
    """Build the site; SystemExit if anything is wrong with it."""
    from mkdocs.commands.build import build as build_site
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort

    folder = site.parent / f"{site.name}-source"
    assemble(folder)
    config = load_config(str(SETTINGS), docs_dir=str(folder), site_dir=str(site), nav=navigation(), strict=True)
    try:
        config.plugins.on_startup(command="build", dirty=False)
        build_site(config)
    except Abort as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    import logging

    logging.basicConfig(format="%(levelname)s: %(message)s", level=logging.WARNING)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("destination", nargs="?", type=Path, default=ROOT / "build" / "site", help="the folder to write")
    destination = parser.parse_args().destination.resolve()
    build(destination)
    print(destination / "index.html")
