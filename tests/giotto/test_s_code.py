# SPDX-License-Identifier: Apache-2.0
"""S code: generated S code keeps random programs, and what the tool says of S code is what a machine does, step by step.

``CARILLON_TRIES=10000 pytest tests/giotto`` tries so many random programs.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from giotto_oracle import Mode, Oracle, Spec, Task, random_spec
from giotto_stepper import STEPS, EndlessError, LateError, SharedError, Stepper
from test_giotto_semantics import functions, parsed
from typer.testing import CliRunner

import asked
from carillon.cli import app
from carillon.diagnostics import Diagnostics
from carillon.explain import explain
from carillon.frontends.giotto.compile import compile_giotto
from carillon.frontends.giotto.load import execution_times, loads
from carillon.frontends.giotto.scheduling import METHODS, Job, OutOfWorkError, chosen_in, in_order, planned
from carillon.frontends.giotto.simulation import Played, play
from carillon.microcode import S_CODE, Opcode
from carillon.microcode.compiled import Compiled
from carillon.microcode.text import assembled, assembled_thread
from carillon.model.giotto import Giotto

PROGRAMS = asked.tries(60)
FLIGHT = Path(__file__).parents[2] / "examples" / "flight"
LONGEST = 150


def with_code(source: Giotto, method: str, thread: str = "") -> Compiled | None:
    """A program with S code by a method, or with this one."""
    diagnostics = Diagnostics()
    if thread:
        found = assembled_thread(thread, "thread.scode", tuple(t.name.text for t in source.tasks), diagnostics)
        assert found is not None, diagnostics.reported
        return compile_giotto(source, diagnostics, thread=found)
    plan = planned(method, source, diagnostics)
    assert (plan is None) == bool(diagnostics.errors)
    return None if plan is None else compile_giotto(source, diagnostics, plan)


def full_times(spec: Spec, chance: random.Random, share: Fraction) -> dict[str, int]:
    """Execution times in steps with which the mode that asks for most takes this share of the processor, or nearly."""
    weights = {task.name: Fraction(chance.randint(1, 20)) for task in spec.tasks}
    load = max(sum((weights[t.name] * f / m.period for f, t, _ in m.invocations), Fraction(0)) for m in spec.modes)
    return {name: max(1, int(weight * STEPS * share / load)) if load else 1 for name, weight in weights.items()}


def timed(spec: Spec, chance: random.Random, share: Fraction) -> tuple[Giotto, dict[str, int]] | None:
    """The program with execution times; None if they are too coarse for it."""
    times = full_times(spec, chance, share)
    source = parsed(spec.text({name: time * (1000 // STEPS) for name, time in times.items()}))
    over = any(load.share is not None and load.share > 1 for load in loads(source).values())
    return None if over else (source, times)


def kept(spec: Spec, compiled: Compiled, times: dict[str, int], chance: random.Random, *, shorter: bool) -> Stepper:
    """Play S code, and compare all outputs, actuators and what is released with what the program means."""
    machine = Stepper(compiled, functions(spec), times, chance, shorter=shorter)
    machine.scheduler = False  # S code does it all
    seen = machine.run(LONGEST)
    ports: dict[str, int] = {}
    for now, expected in enumerate(Oracle(spec).run(LONGEST)):
        ports = seen[now].ports if now in seen else ports
        assert {o: ports[o] for o in spec.outputs} == expected.outputs, now
        assert {a: ports[a] for a in spec.actuators} == expected.actuators, now
        assert sorted(seen[now].released if now in seen else ()) == sorted(expected.released), now
    return machine


@pytest.mark.parametrize("method", METHODS)
def test_generated_s_code_keeps_every_value_and_instant_of_random_programs(
    method: str, record_property: Callable[[str, object], None]
) -> None:
    counts: Counter[str] = Counter()
    for seed in range(PROGRAMS):
        chance = random.Random(seed)
        spec = random_spec(chance)
        for sensor in spec.sensors:
            spec.sensors[sensor] = True
        for mode in spec.modes if method == "rate-monotonic" else ():
            mode.switches.clear()  # of a task that a switch interrupts, the analysis says nothing
        found = timed(spec, chance, Fraction(chance.choice([2, 4]), 4) if method != "edf" else Fraction(1))
        if found is None:
            continue
        source, times = found
        compiled = with_code(source, method)
        if compiled is None:
            counts["refused"] += 1
            continue
        assert assembled(compiled.listing(), "listing", Diagnostics()) == compiled.program
        if method == "rate-monotonic" and not all(load.rate_monotonic for load in loads(source).values()):
            continue
        for shorter in (False, True):
            try:
                machine = kept(spec, compiled, times, chance, shorter=shorter)
            except (AssertionError, LateError, SharedError, EndlessError) as error:
                error.add_note(f"program {seed}, {method}, {shorter}")
                raise
            if method == "edf" and not shorter and not any(mode.switches for mode in spec.modes):
                assert machine.edf(), seed
                counts["EDF"] += 1
            if method == "nonpreemptive":
                assert machine.nonpreemptive(), seed
                counts["not EDF"] += not machine.edf()
            counts["preempted"] += not machine.nonpreemptive()
            counts["kept"] += 1
    record_property(f"s code, {method}", dict(counts))
    assert counts["kept"] > PROGRAMS / 6
    assert method != "edf" or (counts["preempted"] > 0 and counts["EDF"] > 0)


def test_nonpreemptive_s_code_stays_so_if_tasks_take_less_than_their_time(
    record_property: Callable[[str, object], None],
) -> None:
    counts: Counter[str] = Counter()
    for seed in range(PROGRAMS * 5):
        chance = random.Random(seed)
        spec = one_mode(chance)
        found = timed(spec, chance, Fraction(chance.randint(5, 10), 10))
        compiled = None if found is None else with_code(found[0], "nonpreemptive")
        if found is None or compiled is None:
            counts["refused"] += 1
            continue
        for shorter in (False, True):
            machine = Stepper(compiled, functions(spec), found[1], chance, shorter=shorter)
            try:
                machine.run(spec.modes[0].period * 4)
            except (LateError, SharedError, EndlessError) as error:
                error.add_note(f"program {seed}, {shorter}")
                raise
            assert machine.nonpreemptive(), (seed, shorter)
            counts["kept"] += 1
            counts["not EDF"] += not machine.edf()
            counts["idling"] += any(i.opcode is Opcode.IDLE for i in compiled.program.code)
    record_property("nonpreemptive s code", dict(counts))
    assert min(counts[what] for what in ("kept", "not EDF", "idling", "refused")) > 10, counts


def test_without_execution_times_each_block_dispatches_all_that_may_be_unfinished() -> None:
    text = re.sub(r"\[wcet .*?\]", "", (FLIGHT / "flight.giotto").read_text(encoding="utf-8"))
    plan = planned("edf", parsed(text), Diagnostics())
    assert plan is not None
    assert plan.units == {("m", 0): ("t2", "t1"), ("m", 1): ("t2", "t1")}


def random_thread(chance: random.Random, tasks: Sequence[str], longest: int) -> str:
    """S code that may do anything."""
    size = chance.randint(1, 6)
    lines = []
    for k in range(size):
        lines.append(f"a{k}:")
        task, other, label = chance.choice(tasks), chance.choice(tasks), f"a{chance.randrange(size)}"
        time = chance.randint(1, longest)
        kind = chance.choice(["run"] * 4 + ["for", "until", "until", "idle", "released", "fork", "jump"])
        lines.append(
            {
                "run": f"dispatch {task}",
                "for": f"dispatch {task}, {time}, {label}",
                "until": f"dispatch {task}, release({other}), {label}",
                "idle": f"idle {time}",
                "released": f"idle release({other})",
                "fork": f"fork {label}",
                "jump": f"jump {label}",
            }[kind]
        )
    if chance.random() < 0.7:
        lines += [f"idle release({chance.choice(tasks)})", "fork a0"]
    return "\n".join(lines)


def one_mode(chance: random.Random) -> Spec:
    """A mode with one to three tasks that nothing guards."""
    period = chance.choice([4, 6, 8, 12])
    tasks = [Task(f"t{k}", 0, [f"o{k}"], 0) for k in range(chance.randint(1, 3))]
    mode = Mode(period)
    mode.invocations = [(chance.choice([k for k in range(1, period + 1) if period % k == 0]), task, None) for task in tasks]
    return Spec({}, {}, [f"o{k}" for k in range(len(tasks))], tasks, [mode])


def test_what_is_said_of_s_code_is_what_a_machine_does_step_by_step(record_property: Callable[[str, object], None]) -> None:
    counts: Counter[str] = Counter()
    for seed in range(PROGRAMS * 10):
        chance = random.Random(seed)
        spec = one_mode(chance)
        found = timed(spec, chance, Fraction(chance.randint(1, 4), 4))
        if found is None:
            continue
        source, times = found
        (mode,) = spec.modes
        thread = random_thread(chance, [task.name for task in spec.tasks], mode.period)
        compiled = with_code(source, "", thread)
        assert compiled is not None
        said = play(compiled, execution_times(source), "start", mode.period)
        machine = Stepper(compiled, functions(spec), times, chance, shorter=False)
        try:
            machine.run(said.until // said.scale if said.broken is None else mode.period * 20)
            broken = ""
        except LateError:
            broken = "late"
        except SharedError:
            broken = "shared"
        except EndlessError:
            broken = "endless"
        try:
            if said.endless is not None and "repeat" in said.endless[1]:
                assert broken == ""
                continue
            assert [k for k in ("late", "shared", "endless") if getattr(said, k) is not None] == ([broken] if broken else [])
            counts[broken or "kept"] += 1
            if said.broken is not None:
                assert said.endless or said.broken[0] * STEPS == machine.step * said.scale
                continue
            assert (said.preempted is None) == machine.nonpreemptive()
            assert (said.not_edf is None) == machine.edf()
            assert (said.asynchronous is None) == machine.synchronous()
            ran = [None if task is None else machine.program.tasks[task].name for task in machine.ran]
            assert drawn(said, len(ran)) == ran
            counts["preempted"] += said.preempted is not None
            counts["not EDF"] += said.not_edf is not None
            counts["synchronous"] += said.asynchronous is None
        except AssertionError as error:
            error.add_note(f"program {seed}\n{thread}")
            raise
    record_property("checked s code", dict(counts))
    for what in ("late", "shared", "endless", "kept", "preempted", "not EDF", "synchronous"):
        assert counts[what] >= 3, counts


def drawn(played: Played, steps: int) -> list[str | None]:
    """Who ran in each step."""
    found: list[str | None] = [None] * steps
    for name, begin, end in played.slices:
        for step in range(begin * STEPS // played.scale, min(end * STEPS // played.scale, steps)):
            found[step] = name
    return found


def test_a_nonpreemptive_order_is_found_if_and_only_if_there_is_one() -> None:
    counts: Counter[bool] = Counter()
    for seed in range(max(300, PROGRAMS)):
        chance = random.Random(seed)
        jobs = []
        for k in range(chance.randint(1, 6)):
            release, time = chance.randint(0, 12), chance.randint(1, 5)
            jobs.append(Job(release + time + chance.randint(0, 8), release, time, f"t{k}"))
        exists = any(fits(order) for order in itertools.permutations(jobs))
        found = in_order(jobs)
        assert (found is not None) == exists, seed
        counts[exists] += 1
        if found is not None:
            assert sorted(job for _, job in found) == sorted(jobs)
            now = 0
            for start, job in found:
                assert start == max(now, job.release)
                now = start + job.time
                assert now <= job.deadline
    assert min(counts.values()) > 30


def fits(order: Sequence[Job]) -> bool:
    now = 0
    for job in order:
        now = max(now, job.release) + job.time
        if now > job.deadline:
            return False
    return True


def test_the_search_for_an_order_ends_when_its_work_is_done() -> None:
    chance = random.Random(0)
    jobs = [Job(1000, chance.randint(0, 200), chance.randint(4, 19), f"t{k}") for k in range(60)]
    jobs += [Job(t + 16, t, 15, f"u{t}") for t in range(10, 900, 97)]
    with pytest.raises(OutOfWorkError):
        in_order(jobs, work=3000)


def papers(tasks: int, wcet_us: int) -> str:
    """A task set of the paper's benchmark: four groups with periods of 60, 30, 20 and 10 ms."""
    names = range(tasks)
    lines = ["output", *(f"  int o{k} := zero;" for k in names)]
    lines += [f"task t{k} () output (o{k}) state () {{ schedule f{k}(o{k}) }} [wcet {wcet_us}us]" for k in names]
    invocations = (f"    taskfreq {(1, 2, 3, 6)[min(k * 4 // tasks, 3)]} do t{k}();" for k in names)
    return "\n".join([*lines, "start m {", "  mode m () period 60 {", *invocations, "  }", "}", ""])


@pytest.mark.parametrize(("tasks", "edf", "nonpreemptive"), [(4, 30, 31), (10, 53, 55), (50, 173, 175), (100, 318, 319)])
def test_s_code_is_not_larger_than_the_papers(tasks: int, edf: int, nonpreemptive: int) -> None:
    """Tables 1 to 3 of the paper, the smallest value in each column 'S code'.

    Nonpreemptive S code of long tasks has up to a quarter more: blocks go on with what the machine itself may have delayed.
    """
    bounds = {"edf": edf, "nonpreemptive": nonpreemptive, "rate-monotonic": tasks}
    for load, method in itertools.product((20, 95), METHODS):
        source = parsed(papers(tasks, 600_000 * load // 100 // (30 * tasks)))
        if method == "nonpreemptive" and load == 95 and tasks == 4:
            continue  # infeasible, as in the paper
        compiled = with_code(source, method)
        assert compiled is not None, (load, method)
        more = Fraction(5, 4) if (method, load) == ("nonpreemptive", 95) else 1
        assert sum(i.opcode in S_CODE for i in compiled.program.code) <= bounds[method] * more
        played = play(compiled, execution_times(source), "m@0", 60)
        assert played.broken is None
        assert (played.not_edf is None) or method != "edf"
        assert (played.preempted is None) or method != "nonpreemptive"


FIGURES = {
    "synchronous": ("figure 3, left", [("t2", 0, 4), ("t1", 4, 9), ("t2", 10, 14)]),
    "preemptive": ("figure 3, right", [("t2", 0, 4), ("t1", 4, 10), ("t2", 10, 14), ("t1", 14, 16)]),
    "nonpreemptive": ("figure 4", [("t2", 0, 4), ("t1", 4, 12), ("t2", 12, 16)]),
    "edf": ("figure 2", [("t2", 0, 4), ("t1", 4, 10), ("t2", 10, 14), ("t1", 14, 16)]),
}


@pytest.mark.parametrize("name", FIGURES)
def test_the_flight_controller_has_the_traces_of_the_papers_figures(name: str) -> None:
    text = (FLIGHT / "flight.giotto").read_text(encoding="utf-8")
    if name == "synchronous":
        text = text.replace("[wcet 8]", "[wcet 5]")
    source = parsed(text)
    thread = "" if name == "edf" else (FLIGHT / f"{name}.scode").read_text(encoding="utf-8")
    compiled = with_code(source, "edf", thread)
    assert compiled is not None
    played = play(compiled, execution_times(source), "start", 20)
    assert played.broken is None
    assert played.slices == FIGURES[name][1]
    assert played.not_edf is None
    assert (played.asynchronous is None) == (name == "synchronous")
    assert (played.preempted is None) == (name in ("synchronous", "nonpreemptive"))


def test_a_listing_has_the_instructions_of_the_papers_figure() -> None:
    result = CliRunner().invoke(
        app, ["giotto", str(FLIGHT / "flight.giotto"), "--s-code", str(FLIGHT / "preemptive.scode"), "--listing"]
    )
    assert result.exit_code == 0
    _, _, listed = result.stdout.partition("; the S code\n")
    assert [line.split(";")[0].strip() for line in listed.splitlines()] == [
        "s:", "s:a0:", "dispatch t2", "dispatch t1, release(t2), s:a1", "idle release(t2)", "s:a1:", "dispatch t2", "dispatch t1",
        "idle release(t1)", "fork s", "return",
    ]  # fmt: skip


def test_s_code_that_does_not_keep_its_e_code_is_refused_with_a_timeline(tmp_path: Path) -> None:
    bad, out = tmp_path / "bad.scode", tmp_path / "flight.microcode"
    bad.write_text("a0:\n dispatch t1\n idle 20\n fork a0\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["giotto", str(FLIGHT / "flight.giotto"), "--s-code", str(bad), "-o", str(out)])
    assert result.exit_code == 1
    assert not out.exists()
    assert "C272: the S code does not keep the mode m: after 10 ms, the task t2 has not ended at its deadline" in result.output
    assert "t1 |########  |\nt2 |..........!\n    0     10 ms\n" in result.stdout


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("call d", "there is no instruction of S code 'call'"),
        (".task u", "S code has no directive '.task'"),
        ("dispatch t9", "there is no task 't9'"),
        ("idle 0", "0 ticks of idle are not in 1 to 16777215"),
        ("fork a1", "there is no label 'a1'"),
    ],
)
def test_s_code_that_is_none_is_refused_at_its_line(code: str, cause: str) -> None:
    diagnostics = Diagnostics()
    assert assembled_thread(f"; S code\n{code}\n", "bad.scode", ("t1",), diagnostics) is None
    assert [(d.code, d.cause, str(d.span)) for d in diagnostics.reported] == [("C267", cause, "bad.scode:2:1")]


def test_s_code_with_very_many_instants_is_refused_in_bounded_time() -> None:
    text = """output int o := zero;
    task t () output (o) state () { schedule f(o) } [wcet 1]
    start m { mode m () period 16000000 { taskfreq 1 do t(); } }"""
    source = parsed(text)
    compiled = with_code(source, "", "a0:\ndispatch t\nidle 1\nfork a0")
    assert compiled is not None
    played = play(compiled, execution_times(source), "start", 16_000_000)
    assert played.broken is not None
    assert played.broken[1] == "the S code has too many instants to be checked"


@pytest.mark.parametrize("method", METHODS)
def test_a_file_may_name_the_method_that_makes_s_code(method: str, tmp_path: Path) -> None:
    file = tmp_path / "flight.scode"
    file.write_text(f"; by a method\n.method {method}\n.scheduler rm\n", encoding="utf-8")
    found = [
        CliRunner().invoke(app, ["giotto", str(FLIGHT / "flight.giotto"), "--s-code", s_code, "--listing"]).stdout
        for s_code in (method, str(file))
    ]
    assert found[0] == found[1]
    assert "dispatch" in found[0]


@pytest.mark.parametrize(
    ("text", "place", "cause"),
    [
        (".method edf\ndispatch t1", 2, "the file has a .method, and instructions, too"),
        (".method fast", 1, "'fast' is no method, or it is there twice"),
        (".scheduler rm\n.scheduler rm", 2, "'rm' is no scheduler, or it is there twice"),
        (".methods edf", 1, "S code has no directive '.methods'"),
    ],
)
def test_a_file_whose_directives_are_wrong_is_refused_at_its_line(text: str, place: int, cause: str, tmp_path: Path) -> None:
    file, diagnostics = tmp_path / "bad.scode", Diagnostics()
    file.write_text(text + "\n", encoding="utf-8")
    assert chosen_in(file, parsed((FLIGHT / "flight.giotto").read_text(encoding="utf-8")), diagnostics) is None
    assert [(d.code, d.cause, d.span and d.span.line) for d in diagnostics.reported] == [("C267", cause, place)]


def test_s_code_of_a_file_is_refused_for_a_program_with_switches(tmp_path: Path) -> None:
    good = tmp_path / "good.scode"
    good.write_text("dispatch filter\n", encoding="utf-8")
    program = Path(__file__).parent / "programs" / "modes.giotto"
    result = CliRunner().invoke(app, ["giotto", str(program), "--s-code", str(good)])
    assert result.exit_code == 1
    assert "C271: the S code of a file is one thread, and this program has switches of modes" in result.output


EXAMPLE = re.compile(r"^(Wrong|Right)[^\n]*:\n\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", ["C280", "C270", "C271", "C272"])
def test_the_examples_of_an_explanation_are_what_it_says(code: str, tmp_path: Path) -> None:
    found = explain(code)
    assert found is not None
    for kind, language, text in EXAMPLE.findall(found.text):
        file = tmp_path / f"{kind}.{language}"
        file.write_text(text, encoding="utf-8")
        words = [str(FLIGHT / "flight.giotto"), str(file)] if language == "scode" else [str(file), "nonpreemptive"]
        result = CliRunner().invoke(app, ["giotto", words[0], "--s-code", words[1], "--json"])
        said = json.loads(result.stdout)
        assert [d["code"] for d in said["diagnostics"]] == ([code] if kind == "Wrong" else [])


@pytest.mark.parametrize(
    ("wcet", "said"),
    [
        (
            "2950us",
            "mode m, after 6 ms, the task u has not ended at its deadline:\n"
            "t |####################                    ####################|\n"
            "u |....................####################....................!\n"
            "   0                                                        6 ms\n",
        ),
        (
            "4",
            "mode m, after 12 ms, the task u has not ended at its deadline:\n"
            "t |##  ..####  |\nu |..####....##!\n   0       12 ms\n",
        ),
    ],
)
def test_e_code_whose_tasks_are_late_has_a_timeline(wcet: str, said: str, tmp_path: Path) -> None:
    """Rate-monotonic priorities are not enough with 2.95 ms, and nothing is with 4 ms."""
    file = tmp_path / "late.giotto"
    file.write_text(
        f"""output int o := zero; int p := zero;
        task t () output (o) state () {{ schedule f(o) }} [wcet 2]
        task u () output (p) state () {{ schedule g(p) }} [wcet {wcet}]
        start m {{ mode m () period 12 {{ taskfreq 3 do t(); taskfreq 2 do u(); }} }}""",
        encoding="utf-8",
    )
    result = CliRunner().invoke(app, ["giotto", str(file)])
    assert result.stdout.startswith(said), result.stdout
    assert ("C268" in result.output) == (wcet == "4")


def test_nonpreemptive_s_code_goes_on_with_what_ends_at_a_block() -> None:
    """What the machine itself takes is in no execution time: with it, `b` may still run when the next block begins."""
    text = """output int oa := zero; int ob := zero;
task a () output (oa) state () { schedule fa(oa) } [wcet 5]
task b () output (ob) state () { schedule fb(ob) } [wcet BMS]
start m { mode m () period 20 { taskfreq 2 do a(); taskfreq 1 do b(); } }
"""
    for wcet, order in (("5", ("b", "a")), ("4900us", ("b", "a")), ("4", ("a",))):
        plan = planned("nonpreemptive", parsed(text.replace("BMS", wcet)), Diagnostics())
        assert plan is not None
        assert plan.units["m", 1] == order, wcet


def test_nonpreemptive_s_code_goes_on_with_what_many_invocations_delay() -> None:
    """What the machine takes adds up over all that runs without a pause."""
    for slow, order in ((18, ("t17", "fast")), (10, ("fast",))):
        names = [f"t{k:02}" for k in range(slow)]
        lines = [f"task {name} () output () state () {{ schedule f() }} [wcet 500us]" for name in ("fast", *names)]
        calls = [f"taskfreq 1 do {name}();" for name in names]
        text = "\n".join([*lines, "start m { mode m () period 20 { taskfreq 2 do fast();", *calls, "} }", ""])
        plan = planned("nonpreemptive", parsed(text), Diagnostics())
        assert plan is not None
        assert plan.units["m", 1] == order, slow
