# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from dataclasses import replace

import pytest
import show_traces as traces
from hypothesis import given, settings
from hypothesis import strategies as st

from carillon.trace import Event, Kind, Trace
from carillon.trace.analyse import analyse
from carillon.trace.summary import Summary
from carillon.trace.timeline import KERNEL, HandlerKind, LaneKind, Release
from carillon.trace.walk import fine_times


def task(summary: Summary, name: str):  # type: ignore[no-untyped-def]
    return next(t for t in summary.tasks if t.lane.name == name)


def of_events(*events: tuple[int, Kind, str], length: int = 100, per_tick: int = 1) -> Trace:
    return Trace(
        "a",
        "b",
        "k",
        1000,
        per_tick,
        1,
        length,
        length,
        ("A", "B"),
        ("rx",),
        tuple(Event(n, n, kind, name) for n, kind, name in events),
    )


def pieces(summary: Summary, name: str) -> list[tuple[int, int]]:
    return [(s.begin.n, s.end.n) for s in summary.segments if s.lane.name == name]


def test_the_paper_round_runs_as_a_stack() -> None:
    summary = analyse(traces.trace(), traces.releases())
    assert pieces(summary, "Task1") == [(100, 250), (380, 400), (630, 640)]
    assert pieces(summary, "Task2") == [(250, 380)]
    assert pieces(summary, "Task3") == [(400, 630)]
    assert [lane.name for lane in summary.lanes] == ["Task1", "Task2", "Task3", "kernel", "idle"]
    assert task(summary, "Task1").preemptions == 2
    assert task(summary, "Task1").response.maximum == 540
    assert task(summary, "Task1").execution.maximum == 180
    assert (summary.totals.deadlines_met, summary.totals.deadlines_missed) == (3, 0)


def test_a_deadline_that_nothing_watched_is_computed() -> None:
    late = {**traces.WORK, "Task1": 260}
    trace = traces.trace(work=late, deadline_cost=None)
    unobserved = replace(trace, events=tuple(e for e in trace.events if e.kind is not Kind.DEADLINE_MISSED))
    summary = analyse(unobserved, traces.releases())
    assert [(v.task, v.missed, v.observed) for v in summary.verdicts] == [
        ("Task2", False, False),
        ("Task1", True, False),
        ("Task3", False, False),
    ]
    watched = analyse(trace, traces.releases())
    assert [(v.task, v.missed, v.observed) for v in watched.verdicts][1] == ("Task1", True, True)


def test_an_end_at_the_deadline_misses_it() -> None:
    trace = of_events((10, Kind.START, "A"), (20, Kind.END, "A"), (21, Kind.IDLE, "idle"))
    assert not analyse(trace, [Release("A", 10, (21,))]).verdicts[0].missed
    assert analyse(trace, [Release("A", 10, (20,))]).verdicts[0].missed


def test_a_deadline_after_the_end_of_the_trace_has_no_verdict() -> None:
    trace = of_events((10, Kind.ENTER, "A"), (10, Kind.START, "A"), length=50)
    assert analyse(trace, [Release("A", 10, (60,))]).verdicts == ()
    assert analyse(trace, [Release("A", 10, (40,))]).verdicts[0].missed


def test_interrupts_are_counted_by_kind() -> None:
    ours = analyse(traces.carillon(), traces.releases(2)).totals
    theirs = analyse(traces.conventional(), traces.releases(2)).totals
    assert (ours.interrupts, theirs.interrupts) == (6, 12)
    assert (ours.interrupts_for_met_deadlines, theirs.interrupts_for_met_deadlines) == (0, 6)
    assert theirs.interrupts_by_kind[HandlerKind.DEADLINE] == 6
    assert ours.kernel_n == 6 * 5
    assert theirs.kernel_n == 6 * (96 + 60 + 95)


def test_dispatch_and_terminate_instructions_leave_out_nested_handlers() -> None:
    trace = of_events(
        (10, Kind.ENTER, "A"),
        (12, Kind.ENTER, "rx"),
        (13, Kind.START, "rx"),
        (15, Kind.END, "rx"),
        (17, Kind.EXIT, "rx"),
        (20, Kind.START, "A"),
        (30, Kind.END, "A"),
        (32, Kind.ENTER, "rx"),
        (33, Kind.START, "rx"),
        (35, Kind.END, "rx"),
        (36, Kind.EXIT, "rx"),
        (40, Kind.EXIT, "A"),
        (40, Kind.IDLE, "idle"),
    )
    summary = analyse(trace, [])
    assert (task(summary, "A").dispatch.maximum, task(summary, "A").terminate.maximum) == (5, 6)
    assert (task(summary, "rx").dispatch.maximum, task(summary, "rx").terminate.minimum) == (1, 1)
    assert pieces(summary, "A") == [(20, 31)]
    assert (
        sum(s.end.n - s.begin.n for s in summary.segments if s.lane is KERNEL)
        == summary.totals.kernel_n
        == 2 + 1 + 1 + 3 + 1 + 1 + 4
    )


def test_a_bare_return_takes_one_instruction_and_no_kernel_time() -> None:
    summary = analyse(traces.carillon(rounds=1), traces.releases())
    for one in summary.tasks:
        assert (one.dispatch.maximum, one.terminate.maximum) == (0, 6)  # five instructions of an epilogue
    bare = of_events(
        (10, Kind.ENTER, "A"), (10, Kind.START, "A"), (19, Kind.END, "A"), (20, Kind.EXIT, "A"), (20, Kind.IDLE, "idle")
    )
    summary = analyse(bare, [])
    assert task(summary, "A").terminate.maximum == 1
    assert summary.totals.kernel_n == 0


def test_missing_preempt_and_resume_events_are_inferred() -> None:
    full = traces.trace()
    bare = replace(full, events=tuple(e for e in full.events if e.kind not in (Kind.PREEMPT, Kind.RESUME)))
    assert analyse(bare, traces.releases()).segments == analyse(full, traces.releases()).segments
    assert task(analyse(bare, []), "Task1").preemptions == 2


def test_handlers_that_follow_each_other_preempt_a_task_once() -> None:
    trace = of_events(
        (10, Kind.START, "A"),
        (20, Kind.PREEMPT, "A"),
        (20, Kind.ENTER, "rx"),
        (25, Kind.EXIT, "rx"),
        (25, Kind.ENTER, "rx"),
        (30, Kind.EXIT, "rx"),
        (30, Kind.RESUME, "A"),
        (40, Kind.END, "A"),
    )
    summary = analyse(trace, [])
    assert task(summary, "A").preemptions == 1
    assert pieces(summary, "A") == [(10, 20), (30, 41)]


def test_a_kernel_that_starts_tasks_outside_handlers() -> None:
    trace = of_events(
        (0, Kind.IDLE, "idle"),
        (10, Kind.ENTER, "tick"),
        (14, Kind.EXIT, "tick"),
        (18, Kind.START, "A"),
        (24, Kind.PREEMPT, "A"),
        (24, Kind.ENTER, "tick"),
        (28, Kind.EXIT, "tick"),
        (30, Kind.START, "B"),
        (34, Kind.END, "B"),
        (37, Kind.RESUME, "A"),
        (39, Kind.END, "A"),
        (42, Kind.IDLE, "idle"),
    )
    summary = analyse(trace, [])
    assert pieces(summary, "A") == [(18, 24), (37, 40)]
    assert pieces(summary, "B") == [(30, 35)]
    assert pieces(summary, "idle") == [(0, 10), (42, 100)]
    assert summary.totals.interrupts_by_kind[HandlerKind.OTHER] == 2
    assert task(summary, "A").preemptions == 1


def test_a_second_task_in_one_handler_ends_the_first_ones_termination() -> None:
    trace = of_events(
        (10, Kind.ENTER, "timer"),
        (12, Kind.START, "A"),
        (15, Kind.END, "A"),
        (18, Kind.START, "B"),
        (20, Kind.END, "B"),
        (24, Kind.EXIT, "timer"),
        (24, Kind.IDLE, "idle"),
    )
    summary = analyse(trace, [])
    assert task(summary, "A").terminate.maximum == 3
    assert task(summary, "B").terminate.maximum == 4
    assert task(summary, "B").dispatch is None


def test_a_start_later_than_the_next_release_still_answers_its_own() -> None:
    trace = of_events(
        (10, Kind.START, "A"),
        (12, Kind.END, "A"),
        (45, Kind.START, "A"),
        (47, Kind.END, "A"),
        (48, Kind.START, "A"),
        (49, Kind.END, "A"),
    )
    summary = analyse(trace, [Release("A", at) for at in (10, 20, 40)])
    assert task(summary, "A").start_delay.maximum == 25
    assert task(summary, "A").unstarted == 0


def test_a_lost_activation_shifts_no_other() -> None:
    trace = of_events((10, Kind.START, "A"), (12, Kind.END, "A"), (40, Kind.START, "A"), (42, Kind.END, "A"))
    summary = analyse(trace, [Release("A", at, (at + 8,)) for at in (10, 20, 40)])
    assert task(summary, "A").start_delay.maximum == 0
    assert task(summary, "A").unstarted == 1
    assert [v.missed for v in summary.verdicts] == [False, True, False]


def test_drift_counts_activations_in_an_idle_system_only() -> None:
    trace = of_events(
        (10, Kind.ENTER, "A"),
        (10, Kind.START, "A"),
        (12, Kind.END, "A"),
        (13, Kind.EXIT, "A"),
        (20, Kind.ENTER, "B"),
        (20, Kind.START, "B"),
        (33, Kind.ENTER, "A"),
        (33, Kind.START, "A"),
        (34, Kind.END, "A"),
        (35, Kind.EXIT, "A"),
        (39, Kind.END, "B"),
        (40, Kind.EXIT, "B"),
        (51, Kind.ENTER, "A"),
        (51, Kind.START, "A"),
        (52, Kind.END, "A"),
        (53, Kind.EXIT, "A"),
    )
    summary = analyse(trace, [Release("A", 10), Release("A", 30), Release("A", 50), Release("B", 20)])
    assert (task(summary, "A").drift, task(summary, "A").jitter) == (1, 3)


@pytest.mark.parametrize(
    ("delays", "drift"), [((0, 3, 0, 3), 0), ((0, 3, 0, 4), 1), ((3, 3, 1, 3), -2), ((0, 3), None), ((0, 3, 1), 1)]
)
def test_drift_is_that_of_one_point_not_of_the_ways_to_two(delays: tuple[int, ...], drift: int | None) -> None:
    """A start of the second point comes later, since the kernel has more to do there: each time."""
    events = []
    for at, delay in zip((10, 20, 30, 40), delays, strict=False):
        start = at + delay
        events += [(start, Kind.ENTER, "A"), (start, Kind.START, "A"), (start + 1, Kind.END, "A"), (start + 1, Kind.EXIT, "A")]
    releases = [Release("A", at, (), ("m", at % 20)) for at in (10, 20, 30, 40)[: len(delays)]]
    assert task(analyse(of_events(*events), releases), "A").drift == drift


def test_a_sleeping_processor_executes_nothing_but_time_passes() -> None:
    events = [
        Event(0, 100, Kind.IDLE, "idle"),
        Event(0, 103, Kind.IDLE, "idle"),
        Event(7, 105, Kind.ENTER, "A"),
        Event(7, 109, Kind.START, "A"),
    ]
    assert fine_times(events, 10) == [0, 3, 70, 74]


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 4)), min_size=1, max_size=60), st.integers(1, 13), st.integers(0, 12)
)
def test_fine_times_agree_with_ticks(steps: list[tuple[int, int]], per_tick: int, phase: int) -> None:
    real, n, events = phase, 50, []
    for step, slept in steps:
        real, n = real + step + slept * per_tick, n + step
        events.append(Event(real // per_tick, n, Kind.IDLE, "idle"))
    times = fine_times(events, per_tick)
    assert [time // per_tick for time in times] == [event.t for event in events]
    assert times == sorted(times)


def assert_sound(summary: Summary) -> None:
    """Segments touch and cover the trace in every unit."""
    if not summary.segments:
        assert summary.begin[1:] == summary.end[1:]
        return
    assert summary.segments[0].begin == summary.begin
    assert summary.segments[-1].end == summary.end
    for before, after in zip(summary.segments, summary.segments[1:], strict=False):
        assert before.end == after.begin
    for segment in summary.segments:
        assert all(b <= e for b, e in zip(segment.begin, segment.end, strict=True))
    for unit in range(3):
        assert sum(s.end[unit] - s.begin[unit] for s in summary.segments) == summary.end[unit] - summary.begin[unit]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 180), st.integers(1, 60), st.integers(1, 90)), min_size=1, max_size=6),
    st.sampled_from([0, 1, 7]),
    st.integers(0, 30),
    st.integers(0, 30),
    st.sampled_from([None, 25]),
    st.floats(0, 1),
)
def test_segments_never_overlap_and_add_up(
    table: list[tuple[int, int, int]], per_tick: int, dispatch: int, terminate: int, cost: int | None, cut: float
) -> None:
    rows = [(f"T{i}", at, at + due) for i, (at, _, due) in enumerate(table)]
    work = {f"T{i}": amount for i, (_, amount, _) in enumerate(table)}
    trace = traces.trace(
        rounds=2, per_tick=per_tick, dispatch=dispatch, terminate=terminate, deadline_cost=cost, table=rows, work=work, length=400
    )
    assert_sound(analyse(trace, traces.releases(2, rows, 400)))
    kept = trace.events[: int(cut * len(trace.events))]
    assert_sound(analyse(replace(trace, events=kept), traces.releases(2, rows, 400)))
    assert_sound(analyse(replace(trace, events=trace.events[len(kept) :], length=0), traces.releases(2, rows, 400)))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from(list(Kind)), st.sampled_from(["A", "B", "rx", "x"])), max_size=40),
    st.integers(0, 3),
)
def test_any_events_at_all_give_sound_segments(steps: list[tuple[int, Kind, str]], per_tick: int) -> None:
    n, events = 0, []
    for step, kind, name in steps:
        n += step
        events.append(Event(n // max(1, per_tick), n, kind, name))
    trace = replace(of_events(length=20, per_tick=per_tick), events=tuple(events))
    summary = analyse(trace, [Release("A", 3, (9,))])
    assert_sound(summary)
    json.dumps(summary.as_json())


@pytest.mark.parametrize("length", [0, 10])
def test_an_empty_trace_is_idle(length: int) -> None:
    summary = analyse(of_events(length=length), [])
    assert summary.totals.idle_share == (1.0 if length else 0.0)
    assert {lane.kind for lane in summary.lanes} == {LaneKind.TASK, LaneKind.INTERRUPT, LaneKind.KERNEL, LaneKind.IDLE}


# The event-triggered system.


def test_an_extended_tasks_run_goes_on_after_a_wait() -> None:
    summary = analyse(traces.osek(), [])
    server = next(r for r in summary.runs if r.lane.name == "Server")
    assert [(s.begin.n, s.end and s.end.n, s.executed, s.dispatch, s.terminate) for s in server.stretches] == [
        (50, 69, 20, 10, 11),
        (345, 499, 125, 15, 11),
    ]
    assert [(b.n, e and e.n) for b, e in server.waits] == [(69, 345), (499, None)]
    assert server.end is None
    assert server.executed == 145
    assert server.preemptions == 1
    assert pieces(summary, "Server") == [(50, 70), (345, 400), (430, 500)]
    assert pieces(summary, "Low") == [(90, 200), (260, 300), (510, 650)]


def test_what_is_event_triggered_is_counted_by_what_interrupted_for_it() -> None:
    totals = analyse(traces.osek(mixed=True), traces.osek_releases(mixed=True)).totals
    kinds = {kind.value: number for kind, number in totals.interrupts_by_kind.items() if number}
    assert kinds == {"activation": 1, "interrupt": 1, "task": 5, "timer": 1}
    assert totals.kernel_n == 10 + 10 + 10 + 15 + 30 + 10 + 10


def test_figures_of_event_triggered_tasks() -> None:
    summary = analyse(traces.osek(mixed=True), traces.osek_releases(mixed=True))
    assert [lane.name for lane in summary.lanes] == ["Timed", "Button", "Blink", "Server", "Low", "kernel", "idle"]
    server, low, timed = task(summary, "Server"), task(summary, "Low"), task(summary, "Timed")
    assert (server.activations, server.waits, server.preemptions, server.longest) == (1, 2, 2, 154)
    assert (server.execution.minimum, server.execution.maximum) == (20, 95)
    assert (low.activations, low.waits, low.preemptions, low.longest) == (1, 0, 2, 559)
    assert low.share == pytest.approx(0.29)
    assert (timed.event_triggered, timed.deadlines_met) == (False, 1)
    assert set(server.as_json()) == {
        *(
            "name",
            "kind",
            "event_triggered",
            "activations",
            "known_activations",
            "response_bound",
            "waits",
            "preemptions",
            "longest",
            "share",
        ),
        *("execution", "dispatch", "terminate", "deadlines_missed", "budget_overruns", "lost", "start_delay", "response"),
    }


def test_event_triggered_jobs_respond_to_their_activations_as_far_as_these_are_known() -> None:
    trace = of_events(
        *((10, Kind.EXPIRY, "A"), (10, Kind.ENTER, "A"), (14, Kind.START, "A"), (19, Kind.END, "A"), (20, Kind.EXIT, "A")),
        *((30, Kind.START, "B"), (32, Kind.EXPIRY, "A"), (39, Kind.END, "B"), (40, Kind.START, "A"), (47, Kind.END, "A")),
        *((50, Kind.START, "A"), (90, Kind.END, "A"), (91, Kind.EXPIRY, "A"), (92, Kind.START, "A")),
    )
    summary = analyse(replace(trace, event_triggered=("A", "B")), [])
    a, b = task(summary, "A"), task(summary, "B")
    assert [run.activation for run in summary.runs if run.lane.name == "A"] == [10, 32, None, 91]
    assert (a.activations, a.known_activations) == (4, 3)
    assert a.start_delay.as_json() == {"min": 1, "median": 4, "max": 8, "samples": 3}
    assert a.response.as_json() == {"min": 9, "median": 12, "max": 15, "samples": 2}
    assert (b.activations, b.known_activations, b.start_delay, b.response) == (1, 0, None, None)


def test_what_no_expiry_activates_has_a_response_and_answers_no_expiry() -> None:
    trace = of_events(
        *((10, Kind.ACTIVATION, "A"), (12, Kind.START, "A"), (14, Kind.ACTIVATION, "A"), (19, Kind.END, "A")),
        *((20, Kind.START, "A"), (24, Kind.END, "A"), (30, Kind.EXPIRY, "A"), (31, Kind.START, "A"), (35, Kind.END, "A")),
    )
    trace = replace(trace, event_triggered=("A",))
    summary = analyse(trace, [])
    assert [(r.activation, r.expiry, r.start_delay, r.response) for r in summary.runs] == [
        (10, None, 2, 9),
        (14, None, 6, 10),
        (30, 30, 1, 5),
    ]
    without = replace(trace, events=tuple(e for e in trace.events if e.kind is not Kind.ACTIVATION))
    assert analyse(without, []).segments == summary.segments


def test_a_request_that_a_run_of_an_isr_has_taken_activates_no_later_one() -> None:
    trace = of_events(
        *((10, Kind.ACTIVATION, "rx"), (11, Kind.ACTIVATION, "rx"), (12, Kind.ENTER, "rx"), (14, Kind.START, "rx")),
        *((19, Kind.END, "rx"), (20, Kind.EXIT, "rx"), (40, Kind.ENTER, "rx"), (42, Kind.START, "rx"), (49, Kind.END, "rx")),
    )
    summary = analyse(replace(trace, event_triggered=("rx",)), [])
    assert [run.activation for run in summary.runs] == [10, None]


def test_the_response_of_a_job_that_waits_is_that_of_its_first_stretch() -> None:
    trace = of_events(
        *((10, Kind.EXPIRY, "A"), (12, Kind.START, "A"), (19, Kind.WAIT, "A"), (60, Kind.RESUME, "A"), (80, Kind.END, "A"))
    )
    a = task(analyse(replace(trace, event_triggered=("A",)), []), "A")
    assert (a.activations, a.waits) == (1, 1)
    assert (a.start_delay.maximum, a.response.maximum, a.response.samples) == (2, 9, 1)


def test_a_wait_that_began_before_the_trace_ends_in_its_handler() -> None:
    events = tuple(e for e in traces.osek().events if e.n >= 300)
    summary = analyse(replace(traces.osek(), events=events), [])
    assert pieces(summary, "Server") == [(345, 400), (430, 500)]
    assert [e.name for e in summary.lanes][:4] == ["Button", "Blink", "Server", "Low"]
    assert task(summary, "Server").activations == 0


def test_tasks_that_a_service_runs_leave_no_gap_in_their_caller() -> None:
    # A software dispatcher, called by a service of Low, runs Blink and then Server.
    events = (
        *((10, Kind.ENTER, "Low"), (15, Kind.START, "Low"), (50, Kind.PREEMPT, "Low"), (60, Kind.START, "Blink")),
        *((79, Kind.END, "Blink"), (90, Kind.START, "Server"), (109, Kind.WAIT, "Server"), (120, Kind.RESUME, "Low")),
        *((130, Kind.PREEMPT, "Low"), (140, Kind.RESUME, "Server"), (159, Kind.END, "Server"), (170, Kind.RESUME, "Low")),
        *((199, Kind.END, "Low"), (210, Kind.EXIT, "Low"), (210, Kind.IDLE, "idle")),
    )
    trace = replace(traces.osek(), events=tuple(Event(n, n, kind, name) for n, kind, name in events))
    summary = analyse(trace, [])
    assert pieces(summary, "Low") == [(15, 50), (120, 130), (170, 200)]
    assert pieces(summary, "Blink") == [(60, 80)]
    assert pieces(summary, "Server") == [(90, 110), (140, 160)]
    assert task(summary, "Low").preemptions == 2
    assert (task(summary, "Blink").dispatch.maximum, task(summary, "Blink").terminate.maximum) == (10, 11)
    server = next(r for r in summary.runs if r.lane.name == "Server")
    assert [(s.dispatch, s.terminate) for s in server.stretches] == [(None, 11), (10, 11)]
    assert summary.totals.interrupts == 1
    assert summary.totals.kernel_n == 5 + (60 - 50) + (90 - 80) + (120 - 110) + (140 - 130) + (170 - 160) + 10


def test_a_preempted_task_has_nothing_of_a_handler_that_comes_before_its_resume() -> None:
    # A software dispatcher, called by a service of Low, calls a hook around Server; Blink's handler interrupts each hook.
    events = (
        *((10, Kind.START, "Low"), (50, Kind.PREEMPT, "Low"), (55, Kind.ENTER, "Blink"), (58, Kind.EXIT, "Blink")),
        *((60, Kind.START, "Server"), (79, Kind.END, "Server"), (84, Kind.ENTER, "Blink"), (88, Kind.EXIT, "Blink")),
        *((90, Kind.RESUME, "Low"), (99, Kind.END, "Low"), (100, Kind.IDLE, "idle")),
    )
    trace = replace(traces.osek(), events=tuple(Event(n, n, kind, name) for n, kind, name in events))
    summary = analyse(trace, [])
    assert pieces(summary, "Low") == [(10, 50), (90, 100)]
    assert pieces(summary, "Server") == [(60, 80)]
    assert sum(end - begin for begin, end in pieces(summary, "kernel")) == (60 - 50) + (90 - 80)
    bare = replace(trace, events=tuple(e for e in trace.events if e.kind is not Kind.RESUME))
    assert pieces(analyse(bare, []), "Low") == [(10, 50), (80, 84), (88, 100)]
