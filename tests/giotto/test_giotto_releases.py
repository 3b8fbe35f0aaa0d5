# SPDX-License-Identifier: Apache-2.0
"""Each task of a random program is released only when the walk over all switches says that it may be."""

from __future__ import annotations

import random

from giotto_machine import Machine
from giotto_oracle import random_spec
from test_giotto_semantics import compiled, functions, parsed

from carillon.model.releases import Releases, releases_of


def test_a_release_is_one_that_the_switches_allow() -> None:
    seen = exact = 0
    for seed in range(40):
        chance = random.Random(f"releases {seed}")
        spec = random_spec(chance)
        text = spec.text()
        allowed = releases_of(parsed(text))
        for now, instant in Machine(compiled(text), functions(spec), chance).run(300).items():
            for name in instant.released:
                seen += 1
                exact += len(allowed[name].times) < allowed[name].period
                assert allowed[name].before(now) == now, (seed, name, now)
    assert seen > 1000
    assert exact > seen // 3  # else nothing is said


def test_the_latest_release_before_a_time() -> None:
    releases = Releases((3, 7), 10)
    assert [releases.before(time) for time in (2, 3, 6, 7, 12, 13, 29)] == [-3, 3, 3, 7, 7, 13, 27]
