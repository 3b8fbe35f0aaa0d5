# SPDX-License-Identifier: Apache-2.0
"""The unit tests in C (tests/kernel) as the first tests of a mutant: of each program, what is compiled again if a file changes.

CMake and ninja build all programs once, without a change, and say which files each source includes.  Of a mutant, the sources
whose preprocessed text it changes are compiled as ninja does it, linked with the other objects, and run.
"""

from __future__ import annotations

import hashlib
import os
import resource
import shlex
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

LONGEST = 10
"""A program that needs so many times the processor time that it usually needs has not ended.  A second is the least."""
STUCK = 600
"""One that waits for something for so many seconds has not, either.  Nothing that the tests do waits."""

KEEP = ("-fkeep-static-functions", "-fkeep-inline-functions")
"""Object code with these has each function for any arguments, where a test calls it with constants or not at all."""
CALLED = ("-O0", "-w")
"""With these it has functions as they are written, but those alone that are called."""
QUICK = ("-w",)
"""Without the sanitizers, what a mutant changes is mostly noticed as well, in a third of the time."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file of a program: the object that is made of it, the compiler's command without the object, and what it includes."""

    object: str
    command: tuple[str, ...]
    includes: frozenset[str]

    def how(self) -> bytes:
        """How its preprocessed text is compiled."""
        return " ".join(word for word in self.command[:-1] if not word.startswith(("-D", "-I"))).encode()


@dataclass(frozen=True, slots=True)
class Program:
    """A test, and how long it takes."""

    name: str
    sources: tuple[Source, ...]
    link: tuple[str, ...]
    seconds: float


def included(said: str, tree: Path) -> dict[str, frozenset[str]]:
    """Of each object, which files of the tree are in it: what ``ninja -t deps`` says."""
    found: dict[str, frozenset[str]] = {}
    for block in said.strip().split("\n\n"):
        first, *others = block.splitlines()
        paths = (Path(os.path.normpath(tree / line.strip())) for line in others)
        found[first.split(": #deps")[0]] = frozenset(str(p.relative_to(tree)) for p in paths if p.is_relative_to(tree))
    return found


def commands(said: str, includes: dict[str, frozenset[str]]) -> Iterator[tuple[str, tuple[Source, ...], tuple[str, ...]]]:
    """Of each program its name, its sources and the command that links it: what ``ninja -t commands`` says."""
    sources: dict[str, Source] = {}
    for line in said.splitlines():
        words = [word for word in shlex.split(line) if word not in (":", "&&")]
        if "-o" not in words:
            continue
        made = words[words.index("-o") + 1]
        if "-c" in words:
            left_out = {"-MD", "-c", "-o", "-MT", "-MF", "-g"}
            follow = {place + 1 for place, word in enumerate(words) if word in ("-o", "-MT", "-MF")}
            command = tuple(w for place, w in enumerate(words) if w not in left_out and place not in follow)
            sources[made] = Source(made, command, includes.get(made, frozenset()))
        else:
            yield made, tuple(sources[word] for word in words if word in sources), tuple(words)


class UnitPrograms:
    """The programs of a tree, built in a folder."""

    def __init__(self, tree: Path, build: Path) -> None:
        self.tree, self.build = tree, build
        self.texts: dict[Source, str] = {}  # without a change
        self.plain: dict[str, bytes | None] = {}  # objects without a change, by the text of `texts` and options
        self.killers: dict[str, list[str]] = {}  # of a file, the last one first
        options = ["-DCARILLON_TESTS=ON", "-DCMAKE_TOOLCHAIN_FILE=cmake/toolchains/host.cmake"]
        self.must("cmake", "-G", "Ninja", "-S", str(tree), "-B", str(build), *options)
        self.must("cmake", "--build", str(build), "-j", "1")
        includes = included(self.must("ninja", "-C", str(build), "-t", "deps"), tree)
        self.programs: list[Program] = []
        for name, sources, link in commands(self.must("ninja", "-C", str(build), "-t", "commands"), includes):
            seconds = self.seconds(name)
            assert seconds is not None, f"{name} fails without a change"
            self.programs.append(Program(name, sources, link, seconds))

    @staticmethod
    def must(*command: str) -> str:
        """Run what cannot fail; what it says."""
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"it failed: {shlex.join(command)}\n{done.stdout}{done.stderr}")
        return done.stdout

    def seconds(self, program: str, usual: float | None = None) -> float | None:
        """Run a program: the processor time that it takes.  None: it fails, or takes far longer than it usually does."""
        limit = 60 if usual is None else max(1, round(LONGEST * usual + 0.5))

        def limited() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        silent = subprocess.DEVNULL
        try:
            done = subprocess.run(
                [str(self.build / program)],
                stdin=silent,
                stdout=silent,
                stderr=silent,
                preexec_fn=limited,
                timeout=STUCK,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return None if done.returncode else (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)

    def text(self, source: Source) -> str:
        """A fingerprint of its preprocessed text, and of how that is compiled."""
        done = subprocess.run([*source.command, "-E", "-P"], cwd=self.build, capture_output=True, check=False)
        return hashlib.sha256(source.how() + b"\0" + (done.stdout if not done.returncode else b"refused")).hexdigest()

    def compiled(self, source: Source, to: str, *options: str) -> bool:
        """Does the compiler accept it?"""
        command = [*source.command, *options, "-g0", "-c", "-o", to]
        return subprocess.run(command, cwd=self.build, capture_output=True, check=False).returncode == 0

    def plain_object(self, source: Source, *options: str) -> bytes | None:
        """What it is compiled to without the sanitizers, which name columns."""
        to = self.build / "plain.o"
        return to.read_bytes() if self.compiled(source, str(to), "-fno-sanitize=all", *options) else None

    def order(self, file: str) -> list[Program]:
        """The programs that a file is compiled into: those first that noticed something in it, then the quick ones."""
        killers = self.killers.get(file, [])
        concerned = [p for p in self.programs if any(file in source.includes for source in p.sources)]
        return sorted(concerned, key=lambda p: (killers.index(p.name) if p.name in killers else len(killers), p.seconds))

    def noticed(self, file: str, change: Callable[[bool], None]) -> tuple[str, str]:
        """With a change of a file made: what the programs say of it.

        The quick way first, without the sanitizers: most mutants end there.  Programs that have passed run once more with them.
        """
        programs = self.order(file)
        sources = {source: None for program in programs for source in program.sources if file in source.includes}
        if any(source not in self.texts for source in sources):
            change(False)
            self.texts |= {source: self.text(source) for source in sources if source not in self.texts}
            change(True)
        quick: dict[str, str] = {}  # the object, by the text that it is of; empty: it is what it is without the change
        texts: dict[str, Source] = {}  # of each text that differs a source that has it
        passed: dict[Program, dict[Source, str]] = {}  # of each, the texts of its sources that differ
        for program in programs:
            instead: dict[Source, str] = {}
            for source in program.sources:
                if source not in sources or (text := self.text(source)) == self.texts[source]:
                    continue
                if text not in quick:
                    found = self.plain_object(source, *QUICK)
                    if found is None:
                        return "not compiled", f"the unit test {Path(program.name).name} wants it"
                    texts[text] = source
                    same = found == self.unchanged(self.texts[source], source, change, QUICK)
                    quick[text] = "" if same else f"quick-{len(quick)}.o"
                    if not same:
                        (self.build / quick[text]).write_bytes(found)
                if quick[text]:
                    instead[source] = text
            if instead:
                passed[program] = instead
                said = self.judged(file, program, {source.object: quick[text] for source, text in instead.items()})
                if said[0]:
                    return said
        if not texts:
            return "not reached", "no unit test has the line"
        differing = {self.texts[source]: source for text, source in texts.items() if quick[text] or not passed}
        differing = {text: source for text, source in differing.items() if not self.same(text, source, change, CALLED)}
        if not differing:
            return "not reached", "no unit test calls the function"
        if not all(self.compiled(source, "warned.o") for source in differing.values()):
            return "not compiled", "a warning is an error"
        if all(self.same(text, source, change, KEEP) for text, source in differing.items()):
            return "no difference", f"{len(differing)} different texts compiled"
        return self.judged_with_sanitizers(file, passed)

    def judged_with_sanitizers(self, file: str, passed: dict[Program, dict[Source, str]]) -> tuple[str, str]:
        """Of programs that have passed: what they say with all that their build has."""
        wrong: dict[str, str] = {}
        for program, instead in passed.items():
            for source, text in instead.items():
                if text not in wrong:
                    wrong[text] = f"wrong-{len(wrong)}.o"
                    self.compiled(source, wrong[text], "-w")
            said = self.judged(file, program, {source.object: wrong[text] for source, text in instead.items()})
            if said[0]:
                return said
        return "survived", f"{len(passed)} unit tests passed"

    def judged(self, file: str, program: Program, objects: dict[str, str]) -> tuple[str, str]:
        """Link a program with some objects in place of others, and run it; nothing if it passes."""
        link = [{program.name: "wrong"}.get(word, objects.get(word, word)) for word in program.link]
        if subprocess.run(link, cwd=self.build, capture_output=True, check=False).returncode:
            return "not compiled", f"the unit test {Path(program.name).name} lacks something"
        if self.seconds("wrong", program.seconds) is not None:
            return "", ""
        before = self.killers.get(file, [])
        self.killers[file] = [program.name, *(other for other in before if other != program.name)]
        return "killed", f"the unit test {Path(program.name).name}"

    def unchanged(self, text: str, source: Source, change: Callable[[bool], None], options: tuple[str, ...]) -> bytes | None:
        """The object code without the change; ``text``: of what."""
        key = " ".join([text, *options])
        if key not in self.plain:
            change(False)
            self.plain[key] = self.plain_object(source, *options)
            change(True)
        return self.plain[key]

    def same(self, text: str, source: Source, change: Callable[[bool], None], options: tuple[str, ...]) -> bool:
        """Is the object code what it is without the change?"""
        return self.plain_object(source, *options) == self.unchanged(text, source, change, options)
