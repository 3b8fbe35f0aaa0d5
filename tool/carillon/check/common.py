# SPDX-License-Identifier: Apache-2.0
"""What several rules need."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from carillon.groups import grouped
from carillon.model import Activation, Mode, System
from carillon.units import format_duration


def time(ticks: int, system: System) -> str:
    """``600 ticks (38.4us)``: a time in messages."""
    measure = f"{ticks} tick{'' if ticks == 1 else 's'}"
    return f"{measure} ({format_duration(ticks, system.clock_hz)})" if ticks else measure


def listed(words: Iterable[str], most: int = 5) -> str:
    """``'a', 'b' and 'c'``: the words quoted, without repetition, in the given order, at most ``most`` of them."""
    return joined((f"'{word}'" for word in dict.fromkeys(words)), most)


def joined(texts: Iterable[str], most: int) -> str:
    """``a, b and c``, or ``a, b and 7 more`` of more than ``most`` texts."""
    shown = list(texts)
    if len(shown) > most:
        return ", ".join(shown[:most]) + f" and {len(shown) - most} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def article(word: str) -> str:
    """``a task``, ``an ISR``: a word with its article."""
    return f"an {word}" if word[0] in "aeiouAEIO" else f"a {word}"


def again(count: int) -> str:
    """``, and 3 more times in the round``; nothing for 0."""
    return "" if count == 0 else f", and {count} more time{'' if count == 1 else 's'} in the round"


def by_task(mode: Mode) -> dict[str, list[Activation]]:
    """The activations of each task, ascending, in order of first use."""
    return grouped((activation.task, activation) for activation in mode.activations)


def well_formed(mode: Mode) -> bool:
    """Whether the activations ascend strictly and lie within a round that has a length."""
    times = [activation.at for activation in mode.activations]
    ascending = all(earlier < later for earlier, later in itertools.pairwise(times))
    return mode.round_length > 0 and ascending and (not times or times[-1] < mode.round_length)
