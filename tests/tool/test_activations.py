# SPDX-License-Identifier: Apache-2.0
"""Which activations a run loses, against a server that keeps its own count of what waits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from carillon.trace import Event, Kind
from carillon.trace.activations import activations, lost_events


def served(expiries: list[int], lengths: list[int], takes: int, frame: int = 0) -> tuple[list[Event], list[int], list[int]]:
    """A task that runs whenever it can: its events, the expiry that each job answers, and the lost expiries."""
    events, answered, lost = [Event(t, t, Kind.EXPIRY, "T") for t in expiries], [], []
    waits: list[int] = []
    left, jobs = 0, iter(lengths)
    for now in range(expiries[-1] + sum(lengths) + 2 if expiries else 0):
        if left:
            left -= 1
            if not left:
                events.append(Event(now, now, Kind.END, "T"))
        # what comes at the instant of an end finds the task running, as the event of that instant comes first
        running = bool(left) or (bool(events) and events[-1] == Event(now, now, Kind.END, "T"))
        for t in (t for t in expiries if t == now):
            accepted = [*answered, *waits]
            if len(waits) + running < takes and not any(t - before < frame for before in accepted):
                waits.append(t)
            else:
                lost.append(t)
        if not left and waits:
            answered.append(waits.pop(0))
            events.append(Event(now, now, Kind.START, "T"))
            left = next(jobs, 1)
    return sorted(events, key=lambda e: (e.n, [Kind.EXPIRY, Kind.END, Kind.START].index(e.kind))), answered, lost


@given(
    st.lists(st.integers(1, 60), max_size=20, unique=True).map(sorted),
    st.lists(st.integers(1, 9), max_size=20),
    st.integers(1, 4),
    st.sampled_from([0, 0, 2, 9, 30]),
)
def test_lost_activations_are_those_that_a_server_refuses(
    expiries: list[int], lengths: list[int], takes: int, frame: int
) -> None:
    events, answered, lost = served(expiries, lengths, takes, frame)
    found = activations(events, {"T": takes}, {"T": frame}, counts_code=False)["T"]
    assert [e.t for e in found.answered if e is not None] == answered
    assert [e.t for e in found.lost] == lost


def test_a_job_that_nothing_known_activates_answers_nothing() -> None:
    events = [Event(3, 3, Kind.START, "T"), Event(5, 5, Kind.EXPIRY, "T"), Event(9, 9, Kind.END, "T")]
    found = activations(events, {"T": 1}, {}, counts_code=True)
    assert found["T"].answered == [None]
    assert lost_events(found) == [Event(5, 5, Kind.LOST, "T")]


def test_what_comes_just_before_a_jobs_end_may_be_accepted_all_the_same() -> None:
    kinds = [(0, Kind.EXPIRY), (1, Kind.START), (890, Kind.EXPIRY), (900, Kind.END), (920, Kind.START)]
    events = [Event(n, n, kind, "T") for n, kind in kinds]
    found = activations(events, {"T": 1}, {}, counts_code=True)["T"]
    assert [e.n for e in found.answered if e is not None] == [0, 890]
    assert not found.lost


def test_an_activation_that_an_event_tells_of_was_accepted() -> None:
    kinds = [(0, Kind.ACTIVATION), (1, Kind.START), (3, Kind.EXPIRY), (8, Kind.ACTIVATION), (9, Kind.END), (9, Kind.START)]
    found = activations([Event(n, n, kind, "T") for n, kind in kinds], {"T": 1}, {}, counts_code=False)["T"]
    assert [e.n for e in found.answered if e is not None] == [0, 8]
    assert [e.n for e in found.lost] == [3]
