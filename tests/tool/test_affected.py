# SPDX-License-Identifier: Apache-2.0
"""``make affected`` leaves out no test that a change can concern (:mod:`affected`)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import affected
from affected import TREE, closure, concerned, imports

THIS = Path(__file__).resolve()


def names(*changed: str, record: dict[str, set[Path]] | None = None) -> set[str]:
    return {str(p.relative_to(TREE / "tests")) for p in concerned(changed, record or {})}


@pytest.mark.parametrize("module", ["carillon.cli.run", "carillon.pipeline", "carillon.verify", "bench.papers.frontier"])
def test_what_python_has_read_is_what_the_file_imports(module: str) -> None:
    """Python's own list of modules, after an import, against the files that were found by reading."""
    code = "import importlib, json, sys; importlib.import_module(sys.argv[1]); modules = list(sys.modules.values()); "
    code += "print(json.dumps([getattr(m, '__file__', None) for m in modules]))"
    said = subprocess.run([sys.executable, "-c", code, module], capture_output=True, text=True, check=True, cwd=TREE).stdout
    read = {Path(f) for f in json.loads(said) if f and any(Path(f).is_relative_to(TREE / root) for root in ("tool", "bench"))}
    place = TREE / ("tool" if module.startswith("carillon.") else "") / Path(*module.split("."))
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    assert len(read) > 20
    assert read <= closure([file])


def test_a_module_that_is_named_at_run_time_is_found() -> None:
    families = TREE / "tool/carillon/verify/families"
    assert families / "aspeed.py" in imports(families / "__init__.py")


def test_a_test_concerns_itself_alone() -> None:
    assert names("tests/tool/test_times.py") == {"tool/test_times.py"}


def test_a_file_of_the_tool_concerns_those_that_import_it() -> None:
    found = names("tool/carillon/units.py")
    assert {"tool/test_times.py", "firmware/test_deadlines.py"} <= found
    assert "tool/test_setup.py" not in found


def test_a_document_concerns_those_that_name_it() -> None:
    found = names("docs/guide/time.md")
    assert "tool/test_docs.py" in found
    assert "tool/test_times.py" not in found


def test_a_header_of_the_kernel_concerns_those_that_have_compiled_a_file_with_it() -> None:
    record = {"tests/firmware/test_deadlines.py": {TREE / "kernel/core/mode.c"}}
    header = "kernel/counters/table_queue.h"
    assert TREE / header not in affected._included(TREE / "kernel/core/mode.c")
    assert "firmware/test_deadlines.py" not in names(header, record=record)
    assert "firmware/test_budgets.py" in names(header, record=record)  # of which nothing is written down
    record["tests/firmware/test_deadlines.py"] |= {TREE / "kernel/counters/table_points.c"}
    assert "firmware/test_deadlines.py" in names(header, record=record)


@pytest.mark.parametrize("file", ["pyproject.toml", "tests/conftest.py", "tests/firmware/conftest.py", ".clang" + "-format"])
def test_what_concerns_nobody_or_everybody_runs_everything(file: str) -> None:
    assert len(names(file)) == len(affected.test_files())


def test_a_commit_that_is_none_is_told_of() -> None:
    with pytest.raises(SystemExit, match="affected: fatal: bad revision 'nowhere'"):
        affected.differences("nowhere")
