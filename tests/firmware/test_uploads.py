# SPDX-License-Identifier: Apache-2.0
"""A program is sent to a target that runs in QEMU, over its UART."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from laboratory import MPS, Laboratory

ROOT = Path(__file__).resolve().parents[2]
KEY = "000102030405060708090a0b0c0d0e0f"


def carillon(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "carillon", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("board", ["ast1030-evb", "mps2-an385"])
def test_a_running_target_takes_a_program_in_another_mode_and_refuses_one_with_a_wrong_key(board: str, tmp_path: Path) -> None:
    for file in (ROOT / "examples" / "helicopter").glob("helicopter.*"):
        shutil.copy(file, tmp_path)
    (tmp_path / "helicopter.upload").write_text('key = "h.key"\n', encoding="ascii")
    (tmp_path / "h.key").write_text(KEY, encoding="ascii")
    assert carillon(tmp_path, "giotto", "helicopter.giotto", "-o", "h.microcode").returncode == 0
    command = [sys.executable, "-m", "carillon", "run", "helicopter.giotto", "--board", board, "--serial"]
    command += [str(tmp_path / "line"), "--for", "60s"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, start_new_session=True) as target:
        try:
            for _ in range(600):
                if (tmp_path / "line").exists() or target.poll() is not None:
                    break
                time.sleep(0.1)
            first = carillon(tmp_path, "microcode", "status", "--to", "line")
            assert first.returncode == 0, first.stderr
            wrong = carillon(tmp_path, "microcode", "upload", "h.microcode", "--to", "line")
            assert "wrong seal" in wrong.stderr
            right = (
                "microcode",
                "upload",
                "h.microcode",
                "--to",
                "line",
                "--key",
                "h.key",
                "--scheduler",
                "rm",
                "--at",
                "land@0",
            )
            sent = carillon(tmp_path, *right)
            assert "last upload: accepted" in sent.stdout, sent.stderr
            for _ in range(20):
                after = carillon(tmp_path, "microcode", "status", "--to", "line")
                if "scheduler rm" in after.stdout:
                    break
            assert "scheduler rm" in after.stdout, after.stderr
            assert after.stdout.split(",")[0] != first.stdout.split(",")[0]
        finally:
            os.killpg(target.pid, 9)


def test_machine_verifier_and_loader_take_8_kib_of_flash(lab: Laboratory, tmp_path: Path) -> None:
    """What the paper's microkernel takes on its processor, for a Cortex-M3."""
    for file in (ROOT / "examples" / "flight").glob("flight.*"):
        shutil.copy(file, tmp_path)
    (tmp_path / "flight.upload").touch()
    _, firmware = lab.firmware(tmp_path / "flight.giotto", MPS)
    objects = [firmware.folder / "objects" / f"kernel_microcode_{name}.c.o" for name in ("machine", "verify", "loader", "serial")]
    sizes = subprocess.run(["arm-none-eabi-size", *map(str, objects)], capture_output=True, text=True, check=True).stdout
    assert sum(int(line.split()[0]) for line in sizes.splitlines()[1:]) <= 8192, sizes
