# SPDX-License-Identifier: Apache-2.0
"""Fuzzes the tool's readers: whatever a file holds, only diagnostics may come out of reading it, soon, and in little memory.

    python tests/fuzz/fuzz.py                      each reader for a minute
    python tests/fuzz/fuzz.py oil --for 3600       one of them, for an hour
    python tests/fuzz/fuzz.py --jobs 2 --for 600   two at a time
    python tests/fuzz/fuzz.py --keep               afterwards, keep of the inputs what reaches anything new (tests/fuzz/corpus)
    python tests/fuzz/fuzz.py --record             also add the time and the inputs to those of all runs (docs/TESTED.md)
    python tests/fuzz/fuzz.py --list               the readers

Inputs are drawn by Atheris (libFuzzer), which sees which code of the tool each of them reaches.  It begins with the corpus and
with the files of the tests and examples.  A fault is an exception that is no diagnostic, more than TIMEOUT seconds, or more than
MEMORY_MIB.  What made it is kept in build/fuzz/READER.faults; when it is mended, it goes into the corpus, which
``test_corpus.py`` reads in each run of the tests.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CORPUS = HERE / "corpus"
OUT = ROOT / "build" / "fuzz"
RECORD = HERE / "recorded.json"
"""Of each reader, what all recorded runs had together: ``inputs``, ``seconds`` of a processor, and ``faults``."""
TIMEOUT = 20
MEMORY_MIB = 1024
LONGEST = 4096
"""Bytes of an input at most: what is wrong with a longer file is wrong with a part of it."""
INSTALL = "pip install atheris"


@dataclass(frozen=True)
class Reader:
    """What reads files with a suffix, and where there are examples of them."""

    suffix: str
    read: Callable[[Path], object]
    seeds: tuple[str, ...]
    more: Callable[[], Iterable[bytes]] = tuple

    def examples(self) -> Iterable[Path]:
        """Files of the project that it reads, of which the short ones are inputs."""
        return (path for pattern in self.seeds for path in sorted(ROOT.glob(pattern)) if path.stat().st_size <= LONGEST)


def _schedule(path: Path) -> object:
    from carillon.check import check_system
    from carillon.diagnostics import Diagnostics
    from carillon.frontends import read_schedule

    diagnostics = Diagnostics()
    system = read_schedule(path, diagnostics)
    if system is not None and not diagnostics.errors:
        check_system(system, diagnostics)
    return system


def _network(path: Path) -> object:
    from carillon.diagnostics import Diagnostics
    from carillon.read.network import read_network

    return read_network(path, Diagnostics())


def _device(path: Path) -> object:
    from carillon.diagnostics import Diagnostics
    from carillon.read.svd.device import read_device

    return read_device(path, Diagnostics())


def _captured(kind: str) -> Callable[[Path], object]:
    def read(path: Path) -> object:
        from carillon.capture.btf import read_btf
        from carillon.capture.csv import read_csv
        from carillon.capture.vcd import read_vcd
        from carillon.diagnostics import CarillonError

        readers: dict[str, Callable[[str, str], object]] = {
            "vcd": read_vcd,
            "btf": read_btf,
            "csv": lambda text, file: read_csv(text, file, None),
        }
        try:
            return readers[kind](path.read_bytes().decode("utf-8", "replace"), path.name)
        except CarillonError as error:
            return error

    return read


def _text(path: Path) -> object:
    from carillon.diagnostics import Diagnostics
    from carillon.microcode.text import assembled, text_of
    from carillon.read.text import read_text

    diagnostics = Diagnostics()
    text = read_text(path, diagnostics, "text of microcode", ".emc")
    program = None if text is None else assembled(text.content, path.name, diagnostics)
    return None if program is None or diagnostics.errors else text_of(program)


def sealed(content: bytes) -> bytes:
    """Bytes of microcode with the length and the checksum that they want: no drawing would come upon these."""
    if len(content) < 16:
        return content
    begin, rest = content[:8] + len(content).to_bytes(4, "little"), content[16:]
    return begin + zlib.crc32(begin + rest).to_bytes(4, "little") + rest


def _bytes(path: Path) -> object:
    from carillon.microcode.binary import MalformedError, decode, encode
    from carillon.microcode.text import text_of

    content = sealed(path.read_bytes())
    try:
        program = decode(content)
    except MalformedError as error:
        return error
    assert encode(program) == content, "the bytes of a program that was read are others"
    return text_of(program)


def _assembled() -> Iterable[bytes]:
    """The bytes of the texts of microcode among the project's files."""
    from carillon.diagnostics import Diagnostics
    from carillon.microcode.binary import encode
    from carillon.microcode.text import assembled

    for path in READERS["emc"].examples():
        program = assembled(path.read_text(encoding="utf-8"), path.name, Diagnostics())
        if program is not None:
            yield encode(program)


READERS = {
    "toml": Reader(".toml", _schedule, ("examples/*/schedule.toml", "tests/tool/bad_plan/*.toml", "bench/*/schedule.toml")),
    "oil": Reader(".oil", _schedule, ("tests/tool/oil/**/*.oil",)),
    "arxml": Reader(".arxml", _schedule, ("tests/tool/**/*.arxml",)),
    "giotto": Reader(".giotto", _schedule, ("examples/**/*.giotto", "docs/guide/**/*.giotto", "tests/**/*.giotto")),
    "network": Reader(".toml", _network, ("examples/*/network.toml", "tests/tool/bad_network/*.toml")),
    "svd": Reader(".svd", _device, ("tests/tool/svd/*.svd",)),
    "vcd": Reader(".vcd", _captured("vcd"), ("tests/tool/golden/*.vcd",)),
    "btf": Reader(".btf", _captured("btf"), ("tests/tool/golden/*.btf",)),
    "csv": Reader(".csv", _captured("csv"), ("tests/tool/**/*.csv",)),
    "emc": Reader(".emc", _text, ("docs/guide/**/*.emc", "tests/**/*.emc")),
    "microcode": Reader(".microcode", _bytes, (), _assembled),
}
"""Each by its name on the command line."""


def one_reader(name: str) -> None:
    """In a process of its own: let Atheris draw inputs; its options are the rest of the command line."""
    import atheris

    with atheris.instrument_imports(include=["carillon"], enable_loader_override=False):
        import carillon.capture.btf
        import carillon.capture.csv
        import carillon.capture.vcd
        import carillon.check
        import carillon.frontends
        import carillon.frontends.arxml
        import carillon.frontends.giotto
        import carillon.frontends.oil
        import carillon.frontends.toml
        import carillon.microcode.binary
        import carillon.microcode.text
        import carillon.read.network
        import carillon.read.svd.device  # noqa: F401
    reader = READERS[name]
    with tempfile.TemporaryDirectory(prefix="carillon-fuzz-") as folder:
        path = Path(folder) / f"input{reader.suffix}"

        def read(content: bytes) -> None:
            path.write_bytes(content)
            reader.read(path)

        atheris.Setup([sys.argv[0], *sys.argv[3:]], read)
        atheris.Fuzz()


@dataclass(frozen=True)
class Result:
    """What came of a reader: inputs that were read, edges of the tool that they reach, and files that made a fault.

    ``seconds``: of a processor.
    """

    name: str
    inputs: int
    edges: int
    faults: tuple[Path, ...]
    why: str = ""
    seconds: float = 0.0

    def line(self) -> str:
        """A line of the table."""
        what = (
            f"{len(self.faults)} faults: {', '.join(str(path.relative_to(ROOT)) for path in self.faults)}"
            if self.faults
            else "no fault"
        )
        return f"{self.name:10} {self.inputs:12,} inputs {self.edges:8,} edges  {self.why or what}"


def fuzzed(name: str, seconds: int) -> Result:
    """Fuzz a reader for so long, or until its first fault."""
    inputs, seeds, faults = OUT / name, OUT / f"{name}.seeds", OUT / f"{name}.faults"
    for folder in (inputs, seeds, faults, CORPUS / name):
        folder.mkdir(parents=True, exist_ok=True)
    reader = READERS[name]
    for k, content in enumerate([*(path.read_bytes() for path in reader.examples()), *reader.more()]):
        (seeds / f"{k}").write_bytes(content)
    options = [f"-max_total_time={seconds}", f"-timeout={TIMEOUT}", f"-rss_limit_mb={MEMORY_MIB}", f"-max_len={LONGEST}"]
    folders = [str(folder) for folder in (inputs, seeds, CORPUS / name)]
    command = [sys.executable, __file__, "--one", name, *options, f"-artifact_prefix={faults}/", "-verbosity=1", *folders]
    # By a shell: Linux counts the memory of whoever starts a process as the process's own (getrusage), and tests are large.
    shell = ["sh", "-c", '"$@"; is=$?; times; exit $is', "sh"]
    began = time.time_ns()  # what a run before has left there is not of this one
    done = subprocess.run([*shell, *command], capture_output=True, text=True, errors="replace", check=False, cwd=ROOT)
    (OUT / f"{name}.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    counts = re.findall(r"#(\d+)\s.*?cov: (\d+)", done.stderr)
    number, edges = (int(value) for value in counts[-1]) if counts else (0, 0)
    found = tuple(sorted(path for path in faults.iterdir() if path.is_file() and path.stat().st_mtime_ns >= began))
    why = "" if done.returncode == 0 or found else f"it ended with {done.returncode}: build/fuzz/{name}.log"
    return Result(name, number, edges, found, why, processor_seconds(done.stdout))


def processor_seconds(said: str) -> float:
    """What a shell's ``times`` says last: of all processes that it has started, in the kernel or not."""
    return sum(60 * int(minutes) + float(seconds) for minutes, seconds in re.findall(r"(\d+)m([\d.]+)s", said.splitlines()[-1]))


def record(result: Result) -> None:
    """Add what a run had to what all runs had, whole or not at all."""
    known = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    sums = known.setdefault(result.name, {"inputs": 0, "seconds": 0, "faults": 0})
    for what, more in (("inputs", result.inputs), ("seconds", round(result.seconds)), ("faults", len(result.faults))):
        sums[what] += more
    beside = RECORD.with_suffix(".part")
    beside.write_text(json.dumps({name: known[name] for name in sorted(known)}, indent=1) + "\n", encoding="utf-8")
    shutil.move(beside, RECORD)


def keep(name: str) -> int:
    """Keep what reaches anything that the corpus does not reach; how many files the corpus has then."""
    folders = [str(CORPUS / name), str(OUT / name), str(OUT / f"{name}.seeds")]
    command = [sys.executable, __file__, "--one", name, "-merge=1", f"-max_len={LONGEST}", *folders]
    subprocess.run(command, capture_output=True, check=False, cwd=ROOT)
    return len(list((CORPUS / name).iterdir()))


def main() -> int:
    """The command."""
    if sys.argv[1:2] == ["--one"]:
        one_reader(sys.argv[2])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readers", nargs="*", metavar="READER", help="all, if none is named")
    parser.add_argument("--for", dest="seconds", type=int, default=60, metavar="SECONDS", help="of each reader")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many readers at once")
    parser.add_argument("--keep", action="store_true", help="keep of the inputs what reaches anything new")
    parser.add_argument("--record", action="store_true", help="add the time and the inputs to those of all runs")
    parser.add_argument("--list", action="store_true", help="name the readers")
    told = parser.parse_args()
    unknown = next((name for name in told.readers if name not in READERS), None)
    if unknown is not None or told.seconds < 1 or told.jobs < 1:
        wrong = f"there is no reader '{unknown}': {', '.join(READERS)}" if unknown else "--for and --jobs are 1 at least"
        print(f"fuzz: {wrong}", file=sys.stderr)
        return 2
    names = told.readers or list(READERS)
    if told.list:
        print("\n".join(f"{name:10} *{READERS[name].suffix}" for name in names))
        return 0
    try:
        import atheris  # noqa: F401
    except ImportError:
        print(f"fuzz: Atheris is not installed: {INSTALL}", file=sys.stderr)
        return 2
    with ThreadPoolExecutor(told.jobs) as pool:
        results = []
        for result in pool.map(lambda name: fuzzed(name, told.seconds), names):
            results.append(result)
            print(result.line(), flush=True)
            if told.record:
                record(result)
    if told.keep:
        for name in names:
            print(f"{name:10} {keep(name)} files in the corpus")
    return 1 if any(result.faults or result.why for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
