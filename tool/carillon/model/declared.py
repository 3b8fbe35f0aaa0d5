# SPDX-License-Identifier: Apache-2.0
"""What a schedule says of a job for the analysis of response times alone."""

from __future__ import annotations

from dataclasses import dataclass, field

from carillon.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Declared:
    """What a schedule says of a task, an ISR or an interrupt for the analysis alone, in ticks of the system clock; 0: nothing.

    ``wcet``: the longest execution of a job, with the services that it calls.  ``deadline``: how long after its activation it is
    to have ended.  ``min_interval``: how far apart its activations are at least, whoever makes them; ``jitter``: by how much each
    of them may be late.  ``span``: where the first of these stands.
    """

    wcet: int = 0
    deadline: int = 0
    min_interval: int = 0
    jitter: int = 0
    span: Span = field(default_factory=lambda: Span(""), compare=False)


NOTHING_DECLARED = Declared()
