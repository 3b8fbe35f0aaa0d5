# SPDX-License-Identifier: Apache-2.0
"""What is refused of uploads is a file in tests/tool/bad_upload, beside the exact messages that it must produce, NAME.txt.

``NAME.upload`` lies beside a Giotto program that is planned, and ``NAME.microcode`` is assembled and sent to a target with a
key.  A comment in the second line has the command's options.  ``CARILLON_ACCEPT=1 pytest tests/giotto/test_bad_uploads.py``
writes what comes out; read it before you commit it.
"""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest
from loader_target import Loaded
from served import served
from typer.testing import CliRunner

from carillon.cli import app
from carillon.diagnostics import Diagnostics
from carillon.microcode.binary import encode
from carillon.microcode.text import assembled

ROOT = Path(__file__).parents[2]
BAD = ROOT / "tests" / "tool" / "bad_upload"
FLIGHT = ROOT / "examples" / "flight" / "flight.giotto"
FILES = sorted(path.name for kind in ("upload", "microcode") for path in BAD.glob(f"*.{kind}"))
KEYS = {"right.key": bytes(range(16)), "other.key": bytes(16)}
TABLES = ".tick 1000000\n.port p\n.task t1\n.task t2\n.driver d\n.guard g\n.trigger e\n.entry a\na:\nreturn\n"


def options(path: Path) -> list[str]:
    second = path.read_text(encoding="utf-8").splitlines()[1].lstrip("#; ")
    return second.split() if second.startswith("--") else []


def planned(name: str) -> str:
    path = Path(name)
    program = FLIGHT.read_text(encoding="utf-8")
    if name.startswith("thread-"):
        program = program.replace("t2", "microcode_loader")
    if name.startswith("long-"):
        program = program.replace("[wcet 8]", "[wcet 5s]").replace("period 20", "period 20000")
    path.with_suffix(".giotto").write_text(program, encoding="utf-8")
    Path("right.key").write_text(KEYS["right.key"].hex(), encoding="ascii")
    return CliRunner().invoke(app, ["plan", f"{path.stem}.giotto", *options(path)]).output


def sent(name: str) -> str:
    source, tables = (assembled(text, name, Diagnostics()) for text in (Path(name).read_text(encoding="utf-8"), TABLES))
    assert source is not None
    assert tables is not None
    path = Path("program")
    path.write_bytes(encode(source))
    for key, content in KEYS.items():
        Path(key).write_text(content.hex(), encoding="ascii")
    given = options(Path(name))
    key = [] if "--key" in given else ["--key", "right.key"]
    loaded = Loaded(tables, KEYS["right.key"])
    with served(loaded, Path("line")):
        found = CliRunner().invoke(app, ["microcode", "upload", str(path), "--to", "line", *key, *given]).output
    assert loaded.replaced == 0
    return found


@pytest.mark.parametrize("name", FILES)
def test_a_bad_upload_produces_exactly_the_messages_beside_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(BAD / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "1000")
    found = planned(name) if name.endswith(".upload") else sent(name)
    expected = BAD / f"{Path(name).stem}.txt"
    if os.environ.get("CARILLON_ACCEPT"):
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")
    assert ("error C276: " if name.endswith(".upload") else "error C277: ") in found


def test_every_expected_message_belongs_to_a_file() -> None:
    assert sorted(path.stem for path in BAD.glob("*.txt")) == sorted(Path(name).stem for name in FILES)


def test_a_socket_where_nobody_listens_any_more_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind("line")
    found = CliRunner().invoke(app, ["microcode", "status", "--to", "line", "--patience", "0.05"])
    assert "error C277: line: [Errno 111] Connection refused" in found.output


def test_a_line_where_nobody_answers_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for line, cause in (("/dev/null", "the target does not answer"), ("gone", "[Errno 2] No such file or directory: 'gone'")):
        found = CliRunner().invoke(app, ["microcode", "status", "--to", line, "--patience", "0.01"])
        assert found.exit_code == 1
        assert f"error C277: {line}: {cause}" in found.output
