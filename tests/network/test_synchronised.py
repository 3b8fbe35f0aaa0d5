# SPDX-License-Identifier: Apache-2.0
"""Nodes of a network keep together: by a master, and by a fault-tolerant average, also with nodes that are wrong.

``CARILLON_TRIES=N`` is how many rounds each network runs.  Each node reports its own clock once a round, so that it is
seen whether every activation came once: from one to the next its clock counts a round, within the limits of ``[sync]``.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import oracle
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sync_oracle import Average, Master, Rounds
from test_network import HERE, MS, US, run

import asked
from bench.papers.sync import EXAMPLE, offsets
from carillon import pipeline
from carillon.build.node import build_node
from carillon.diagnostics import Diagnostics, Span
from carillon.model.network import CHANCE, Link, Network, Node, Oscillator
from carillon.resources import data_root
from carillon.run.network import Built, NetworkRun

ROUNDS = asked.tries(500)
EXAMPLES = max(12, ROUNDS // 500)
FOLDER = (data_root() / EXAMPLE).parent
PPM = 1000  # parts of 10^9
CLOCKS = [30, -100, 95, -20, 100, -45]
STARTS = [0, 1300 * US, 400 * US, 2100 * US, 700 * US, 5000 * US]
GOOD = Link(latency=20 * US, jitter=US // 2, loss=0, duplicate=0, late=0, late_by=0)
SENT = "(void)carillon_bus_send(&time, sizeof time);"
LIES = """
    static uint32_t drawn = 99u;
    drawn = drawn * 1664525u + 1013904223u;
    if (carillon_bus_node() >= 4u) { /* by a tick or two, or by anything */
        time += (uint32_t)((int32_t)drawn >> ((drawn >> 8) % 31u));
    }
"""


def application(folder: Path, name: str, *changes: tuple[str, str]) -> Built:
    code = (FOLDER / name / "main.c").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in code
        code = code.replace(old, new, 1)
    (folder / "main.c").write_text(code, encoding="utf-8")
    (folder / "schedule.toml").write_bytes((FOLDER / name / "schedule.toml").read_bytes())
    diagnostics = Diagnostics()
    planned = pipeline.plan(folder / "schedule.toml", diagnostics)
    made = build_node(planned.image, folder / "build", diagnostics)
    assert made is not None, diagnostics.reported
    return Built(planned.image, *made)


CLOCK = ("carillon_bus_report(time);", "carillon_bus_report(carillon_bus_clock());")


@pytest.fixture(scope="module")
def follower(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return application(tmp_path_factory.mktemp("follower"), "follower", CLOCK)


@pytest.fixture(scope="module")
def average(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return application(tmp_path_factory.mktemp("average"), "average", CLOCK)


@pytest.fixture(scope="module")
def lying(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return application(tmp_path_factory.mktemp("lying"), "average", CLOCK, (SENT, LIES + SENT))


def six(links: list[Link], seed: int = 1) -> Network:
    nodes = [
        Node(f"n{k}", HERE, None, start, Oscillator(((0, ppm * PPM),)), link, Span("network.toml"))
        for k, (ppm, start, link) in enumerate(zip(CLOCKS, STARTS, links, strict=True))
    ]
    return Network("six", seed, tuple(nodes), HERE)


def once_a_round(found: NetworkRun, limit: int) -> None:
    for node in found.nodes:
        clocks = [value for _, value in node.reports]
        assert len(clocks) >= found.length // MS - 15
        assert all(1000 - limit <= b - a <= 1000 + limit for a, b in itertools.pairwise(clocks)), node.node.name


def test_nodes_that_follow_a_master_are_within_two_ticks_of_each_other(follower: Built) -> None:
    found = run(six([GOOD] * 6), follower, ROUNDS * MS, 0)
    once_a_round(found, 5)
    apart = offsets(found, 20 * MS)
    assert len(apart) >= ROUNDS - 25
    assert max(apart) <= 2


def test_lost_late_doubled_and_overtaken_messages_lose_no_activation(follower: Built) -> None:
    bad = replace(GOOD, loss=CHANCE // 5, duplicate=CHANCE // 5, late=CHANCE // 5, late_by=3 * MS)
    found = run(six([bad] * 6, seed=7), follower, ROUNDS * MS, 0)
    once_a_round(found, 5)


FAULTS = {
    "silent": replace(GOOD, loss=CHANCE),
    "late": replace(GOOD, latency=100 * US, jitter=300 * US),
    "now and then": replace(GOOD, loss=CHANCE // 2, late=CHANCE // 2, late_by=MS),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_two_of_six_that_are_wrong_do_not_part_the_others(fault: str, average: Built) -> None:
    found = run(six([GOOD] * 4 + [FAULTS[fault]] * 2), average, ROUNDS * MS, 0)
    once_a_round(found, 20)
    settled = offsets(found, 200 * MS, ["n0", "n1", "n2", "n3"])
    assert len(settled) >= ROUNDS - 205
    # Whose lateness differs from receiver to receiver, that node says something else to each of them.
    assert max(settled) <= (3 if fault == "now and then" else 2)


def test_two_of_six_that_lie_do_not_part_the_others(lying: Built) -> None:
    found = run(six([GOOD] * 6), lying, ROUNDS * MS, 0)
    once_a_round(replace(found, nodes=found.nodes[:4]), 20)
    assert max(offsets(found, 200 * MS, ["n0", "n1", "n2", "n3"])) <= 2


EXACT = {
    "follower": (Master, Rounds(send=100, later=500, sync=851, limit=5, hard=True)),
    "average": (Average, Rounds(send=300, later=800, sync=851, limit=20, hard=False)),
}
CHANCES = st.sampled_from((0, CHANCE // 5, CHANCE // 2))
LINKS = st.builds(
    Link,
    latency=st.integers(20 * US, 20 * US + US // 2) | st.integers(1, 3 * MS),
    jitter=st.sampled_from((0, US // 2, 2 * MS)),
    loss=CHANCES | st.just(CHANCE),
    duplicate=CHANCES,
    late=CHANCES,
    late_by=st.integers(0, 4 * MS),
)


@pytest.fixture(scope="module", params=EXACT)
def exact(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Built]:
    name = str(request.param)
    return name, application(tmp_path_factory.mktemp(name), name)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_what_every_node_takes_the_time_for_is_what_the_oracle_says(exact: tuple[str, Built], data: st.DataObject) -> None:
    model, rounds = EXACT[exact[0]]
    links = data.draw(st.lists(LINKS, min_size=6, max_size=6))
    starts = data.draw(st.lists(st.integers(0, 6 * MS), min_size=6, max_size=6))
    errors = data.draw(st.lists(st.integers(-1000 * PPM, 1000 * PPM), min_size=6, max_size=6))
    seed = data.draw(st.integers(0, 2**63 - 1))
    length = 40 * MS
    nodes = [
        Node(f"n{k}", HERE, None, start, Oscillator(((0, error),)), link, Span("network.toml"))
        for k, (start, error, link) in enumerate(zip(starts, errors, links, strict=True))
    ]
    found = run(Network("exact", seed, tuple(nodes), HERE), exact[1], length, 0)
    clocks = [oracle.Oscillator(1_000_000, n.start, n.oscillator.errors, None, seed, k) for k, n in enumerate(nodes)]
    ways = [(i.latency, i.jitter, i.loss, i.duplicate, i.late, i.late_by) for i in links]
    expected = model(clocks, ways, seed, rounds, length).run()
    assert [list(n.reports) for n in found.nodes] == expected


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("average_of")
    (folder / "it.c").write_text(
        '#include "carillon/average.h"\n'
        "int of(int32_t *d, uint32_t n, uint32_t f, int32_t *a);\n"
        "int of(int32_t *d, uint32_t n, uint32_t f, int32_t *a)\n"
        "{\n    return carillon_fault_tolerant_average(d, n, f, a);\n}\n"
    )
    command = ["cc", "-std=c11", "-shared", "-fPIC", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    command += ["-fsanitize=undefined", "-fno-sanitize-recover"]
    subprocess.run([*command, "-I", data_root() / "kernel" / "api", "-o", folder / "it.so", folder / "it.c"], check=True)
    return ctypes.CDLL(str(folder / "it.so"))


NUMBERS = st.integers(-(2**31), 2**31 - 1) | st.integers(-3, 3)


def averaged(library: ctypes.CDLL, values: list[int], faulty: int) -> int | None:
    given_, result = (ctypes.c_int32 * len(values))(*values), ctypes.c_int32(12345)
    if library.of(given_, len(values), ctypes.c_uint32(faulty), ctypes.byref(result)):
        return result.value
    assert result.value == 12345
    return None


@given(st.lists(NUMBERS, min_size=1, max_size=20), st.integers(0, 12) | st.just(2**32 - 1))
def test_the_average_is_the_middle_of_what_is_left_without_the_highest_and_lowest(
    library: ctypes.CDLL, values: list[int], faulty: int
) -> None:
    left = sorted(values)[faulty : len(values) - faulty] if 2 * faulty < len(values) else []
    assert averaged(library, values, faulty) == (math.floor(Fraction(left[0] + left[-1], 2)) if left else None)


@given(st.data(), st.integers(0, 4))
def test_the_average_lies_between_right_ones_whatever_the_wrong_ones_say(
    library: ctypes.CDLL, data: st.DataObject, faulty: int
) -> None:
    right = data.draw(st.lists(NUMBERS, min_size=faulty + 1, max_size=10))
    wrong = data.draw(st.lists(NUMBERS, max_size=faulty))
    values = data.draw(st.permutations(right + wrong))
    found = averaged(library, values, faulty)
    assert found is None if len(values) <= 2 * faulty else found is not None and min(right) <= found <= max(right)
