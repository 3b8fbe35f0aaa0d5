# SPDX-License-Identifier: Apache-2.0
"""The documentation builds as a site in which no link leads nowhere."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def build(folder: Path, script: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(script), str(folder)], capture_output=True, text=True, check=False)


def test_the_site_has_the_pages_and_finds_a_service(tmp_path: Path) -> None:
    site = tmp_path / "site"
    result = build(site, ROOT / "docs" / "website.py")
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    for page in (
        "index",
        "docs/SPEC",
        "docs/DESIGN",
        "docs/MISRA",
        "docs/guide/plan",
        "docs/codes/C010",
        "docs/reference/osek-h",
    ):
        assert (site / f"{page}.html").is_file(), page
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    found = [entry["location"] for entry in index["docs"] if entry["title"] == "SetRelAlarm"]
    assert found == ["docs/reference/osek-h.html#SetRelAlarm"]
    # From a file a browser starts no worker and reads no JSON: the index is a script, and one of ours stands in for the worker.
    script = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    assert json.loads(script.removeprefix("var __index = ")) == index
    page = (site / "docs" / "guide" / "plan.html").read_text(encoding="utf-8")
    assert '<script src="../../iframe-worker.js"></script>' in page
    assert "IFrameWorker" in (site / "iframe-worker.js").read_text(encoding="utf-8")
    assert not [path for path in site.rglob("*.html") if "unpkg.com" in path.read_text(encoding="utf-8")]


SEARCH = """
const fs = require('fs'), path = require('path'), vm = require('vm');
const [site, ...queries] = process.argv.slice(1), handlers = [];
let answer = null;
global.self = global;
global.addEventListener = (_, handler) => handlers.push(handler);
global.postMessage = message => { answer = message; };
const folder = path.join(site, 'assets/javascripts/workers');
const worker = fs.readdirSync(folder).find(name => name.endsWith('.js'));
vm.runInThisContext(fs.readFileSync(path.join(folder, worker), 'utf8'));
const index = JSON.parse(fs.readFileSync(path.join(site, 'search/search_index.json'), 'utf8'));
const ask = async data => { for (const handler of handlers) await handler({data}); };
(async () => {
    await ask({type: 0, data: {...index, options: {suggest: false}}});
    for (const query of queries) {
        await ask({type: 2, data: query});
        console.log(answer.data.items[0][0].location);
    }
})();
"""
"""Runs the site's own search, without a browser: prints the page that each query finds first."""

FOUND_FIRST = {
    "blink an LED": "docs/guide/learn-blink.html",
    "blink": "docs/guide/learn-blink.html",
    "schedulable": "docs/guide/response-times.html",
    "Is my system schedulable?": "docs/guide/response-times.html",
    "control loop": "docs/guide/learn-control.html",
    "late task": "docs/guide/learn-late.html",
    "arduino": "docs/guide/arduino.html",
}


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_search_finds_the_page_that_answers_first(tmp_path: Path) -> None:
    assert build(tmp_path / "site", ROOT / "docs" / "website.py").returncode == 0
    result = subprocess.run(
        ["node", "-e", SEARCH, str(tmp_path / "site"), *FOUND_FIRST], capture_output=True, text=True, check=False
    )
    assert dict(zip(FOUND_FIRST, result.stdout.split(), strict=True)) == FOUND_FIRST, result.stderr


def copy_of_the_checkout(folder: Path) -> Path:
    for name in ("docs", "examples", "kernel/api"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("build", "__pycache__"))
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"):
        shutil.copyfile(ROOT / name, folder / name)
    return folder / "docs" / "website.py"


def test_a_link_that_leads_nowhere_and_a_page_that_is_not_listed_are_errors(tmp_path: Path) -> None:
    script = copy_of_the_checkout(tmp_path / "checkout")
    page = tmp_path / "checkout" / "docs" / "guide" / "plan.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text + "\n[one](nothing.md), [two](cells.md#nothing)\n", encoding="utf-8")
    result = build(tmp_path / "site", script)
    assert result.returncode != 0
    assert "'nothing.md'" in result.stderr
    assert "#nothing" in result.stderr
    page.write_text(text, encoding="utf-8")
    shutil.copyfile(page, page.with_name("unlisted.md"))
    result = build(tmp_path / "site", script)
    assert result.returncode != 0
    assert "unlisted.md" in result.stderr


def test_the_guide_has_four_parts(tmp_path: Path) -> None:
    script = copy_of_the_checkout(tmp_path / "checkout")
    index = script.parent / "guide" / "README.md"
    text = index.read_text(encoding="utf-8")
    index.write_text(text.replace("## Papers", "## Measurements"), encoding="utf-8")
    result = build(tmp_path / "site", script)
    assert result.returncode != 0
    assert "must have the parts Learn, How to, Reference, Papers, and has Learn, How to, Reference, Measurements" in result.stderr
