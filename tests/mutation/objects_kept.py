# SPDX-License-Identifier: Apache-2.0
"""What is compiled for the tests of a mutant is kept, so that of each image and library one file is compiled."""

from __future__ import annotations

import hashlib
import importlib
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from carillon.build import _Unit
    from carillon.reuse.objects import Reuse


class Objects:
    """Keeps what the tool has compiled: of an image that a change in one file makes wrong, the others are as they were."""

    def __init__(self, folder: Path, tree: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.tree = folder, tree
        self.changed = ""
        for name in ("pytest", "hypothesis", "carillon.cli", "carillon.trace.analyse"):
            importlib.import_module(name)  # once, not in the process of each test
        import carillon.build

        assert Path(carillon.build.__file__).is_relative_to(tree), carillon.build.__file__
        self.compile = carillon.build._compile
        carillon.build._compile = self.kept
        self.run = subprocess.run
        subprocess.run = self.ran  # type: ignore[assignment]

    def ran(self, command: Any, **options: Any) -> Any:
        """In the place of ``subprocess.run``: what a test compiles itself, for the machine it runs on, is kept by its text."""
        words = [str(word) for word in command] if isinstance(command, list | tuple) else []
        sources = [word for word in words if word.endswith(".c")]
        if not sources or words[0] != "gcc" or "-o" not in words or "-g0" in words:  # the last is of the judge
            return self.run(command, **options)
        target = words[words.index("-o") + 1]
        how = [word for word in words if word not in (*sources, target) and not word.startswith("-I")]
        done = self.run([*(word for word in words if word not in ("-c", "-o", target)), "-E", "-P"], capture_output=True)
        kept = self.folder / hashlib.sha256(b"\0".join([done.stdout, *(word.encode() for word in how)])).hexdigest()
        if done.returncode or not kept.exists():
            made = self.run(command, **options)
            if done.returncode or made.returncode:
                return made
            shutil.copyfile(target, kept.with_suffix(".new"))
            kept.with_suffix(".new").replace(kept)
        shutil.copyfile(kept, target)
        return subprocess.CompletedProcess(words, 0, b"", b"")

    def fingerprint(self, word: str) -> bytes:
        """Of a word of a command: a folder that is not the kernel's is what is in it."""
        path = Path(word)
        inside = path.is_relative_to(self.tree) and not path.is_relative_to(self.tree / "tests")
        if inside or not path.is_absolute() or not path.exists():
            return word.encode()
        folder = path if path.is_dir() else path.parent
        files = sorted(f for f in folder.iterdir() if f.suffix in (".c", ".h", ".cpp", ".hpp"))
        return b"".join(f.name.encode() + f.read_bytes() for f in files) + path.name.encode()

    def kept(self, compiler: str, unit: _Unit, reuse: Reuse) -> tuple[bool, str]:
        """In the place of what compiles a file."""
        words = [compiler, *unit.options, str(unit.source)]
        parts = [self.fingerprint(word) for word in words]
        if str(unit.source).endswith(f"/{self.changed}"):
            return self.compile(compiler, unit, reuse)
        if self.changed.endswith(".h"):  # most files do not include it, or not what is changed in it
            done = subprocess.run([*words, "-E", "-P"], capture_output=True, check=False)
            if done.returncode:
                return self.compile(compiler, unit, reuse)
            parts.append(done.stdout)
        kept = self.folder / hashlib.sha256(b"\0".join(parts)).hexdigest()
        if not kept.exists():
            made, said = self.compile(compiler, unit, reuse)
            if not made or said:  # a test may want the warning
                return made, said
            shutil.copyfile(unit.target, kept.with_suffix(".new"))
            kept.with_suffix(".new").replace(kept)
        shutil.copyfile(kept, unit.target)
        return True, ""
