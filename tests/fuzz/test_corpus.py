# SPDX-License-Identifier: Apache-2.0
"""What the fuzzer kept, and whatever made a fault once, is read without one: nothing but diagnostics comes out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import fuzz


@pytest.mark.parametrize("name", fuzz.READERS)
def test_what_was_kept_of_a_reader_makes_no_fault(name: str, tmp_path: Path) -> None:
    reader = fuzz.READERS[name]
    inputs = [*(path.read_bytes() for path in reader.examples()), *reader.more()]
    inputs += [path.read_bytes() for path in sorted((fuzz.CORPUS / name).glob("*"))]
    assert inputs, name  # of each reader there is something to begin with
    for content in inputs:
        path = tmp_path / f"input{reader.suffix}"
        path.write_bytes(content)
        reader.read(path)


def test_bytes_of_microcode_get_the_length_and_the_checksum_that_they_want() -> None:
    (first, *_) = fuzz.READERS["microcode"].more()
    assert fuzz.sealed(first) == first
    assert fuzz.sealed(first[:8] + bytes(8) + first[16:]) == first
    assert fuzz.sealed(b"short") == b"short"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing"], "fuzz: there is no reader 'nothing': toml, oil, "),
        (["oil", "--for", "0"], "fuzz: --for and --jobs are 1 at least"),
    ],
)
def test_the_command_says_what_is_wrong(words: list[str], said: str) -> None:
    done = subprocess.run([sys.executable, fuzz.__file__, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr[: len(said)]) == (2, said)


def test_a_fault_is_found_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("atheris")
    monkeypatch.setattr(fuzz, "OUT", tmp_path)
    monkeypatch.setattr(fuzz, "ROOT", tmp_path)
    script = tmp_path / "broken.py"
    text = Path(fuzz.__file__).read_text(encoding="utf-8")
    fault = "            assert b'$scope' not in path.read_bytes()\n"
    broken = text.replace("            return readers[kind](", f"{fault}            return readers[kind](")
    broken = broken.replace("HERE = Path(__file__).parent\n", f"HERE = Path({str(Path(fuzz.__file__).parent)!r})\n")
    assert broken != text
    script.write_text(broken, encoding="utf-8")
    monkeypatch.setattr(fuzz, "__file__", str(script))
    (tmp_path / "vcd.faults").mkdir()
    (tmp_path / "vcd.faults" / "crash-of-a-run-before").touch()
    found = fuzz.fuzzed("vcd", 20)
    assert len(found.faults) == 1 and b"$scope" in found.faults[0].read_bytes()
    assert "1 faults: vcd.faults/crash-" in found.line()


def test_what_runs_had_is_added_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "RECORD", tmp_path / "recorded.json")
    assert fuzz.processor_seconds("any words\n0m0.010s 0m0.020s\n1m2.500s 0m1.250s\n") == 63.75
    for seconds, faults in ((63.75, ()), (1.4, (tmp_path / "crash-1",))):
        fuzz.record(fuzz.Result("vcd", 1000, 7, faults, seconds=seconds))
    fuzz.record(fuzz.Result("btf", 5, 7, ()))
    assert json.loads(fuzz.RECORD.read_text(encoding="utf-8")) == {
        "btf": {"inputs": 5, "seconds": 0, "faults": 0},
        "vcd": {"inputs": 2000, "seconds": 65, "faults": 1},
    }
