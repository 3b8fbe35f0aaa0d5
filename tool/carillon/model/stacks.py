# SPDX-License-Identifier: Apache-2.0
"""What a schedule says of its stacks beyond their sizes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Refuse(Enum):
    """Which stacks are too small: those that their own calls do not fit in, those that are smaller than their bounds, or none."""

    CALLS = "calls"
    BOUND = "bound"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class StackHints:
    """What the code of the image does not tell.

    ``refuse``: which stacks the build refuses.  ``calls``: of a function that calls an address, the functions that it may be of.
    ``recursion``: how often a function may be active at once.
    """

    calls: dict[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    recursion: dict[str, int] = field(default_factory=dict, hash=False)
    refuse: Refuse = Refuse.CALLS
