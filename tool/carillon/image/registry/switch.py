# SPDX-License-Identifier: Apache-2.0
"""What is known of a switch beside its value, which ``switches`` computes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from carillon.image import Value


class Kind(Enum):
    """What the value of a switch is."""

    YES_OR_NO = "yes or no"  # 1 or 0
    NUMBER = "number"
    NAME = "name"  # of a macro or a function
    EXPRESSION = "expression"  # of C: perhaps with an argument, or a number, or the macro of one


@dataclass(frozen=True, slots=True)
class Switch:
    """A macro of the kernel's configuration."""

    name: str
    kind: Kind
    off: Value | None  # in an image without the part; None: each image computes it
    asks: str  # what of the schedule, or else of the board, asks for it
    says: str
