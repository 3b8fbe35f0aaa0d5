# SPDX-License-Identifier: Apache-2.0
"""What became of a campaign's faults, in one table by kind, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from carillon.run.campaign import Row
from carillon.run.judging import Outcome
from carillon.show.table import Table
from carillon.units import format_duration

if TYPE_CHECKING:
    from rich.console import Console

_MOST_WORDS = 40
"""Reasons that a person is shown."""


def campaign_json(head: dict[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    """The form that ``--json`` prints: counts by kind, and each reason with the first run that has it."""
    kinds = {}
    for kind in head["kinds"]:
        own = [row for row in rows if row.fault.kind.value == kind]
        counts = Counter(row.outcome for row in own)
        recoveries = [row.recovery for row in own if row.recovery is not None]
        found = {outcome.value: counts[outcome.value] for outcome in Outcome}
        expiries = sum(row.expiries for row in own)
        kinds[kind] = {"runs": len(own), **found, "recovery": max(recoveries, default=0), "expiries": expiries}
    reasons: dict[tuple[str, str, str], list[int]] = {}
    for row in rows:
        if row.outcome != Outcome.TOLERATED.value:
            reasons.setdefault((row.fault.kind.value, row.outcome, row.why), []).append(row.run)
    named: list[dict[str, Any]] = [
        {"kind": kind, "outcome": outcome, "why": why, "runs": len(numbers), "first": min(numbers)}
        for (kind, outcome, why), numbers in reasons.items()
    ]
    named.sort(key=lambda reason: (head["kinds"].index(reason["kind"]), reason["outcome"], -reason["runs"], reason["why"]))
    return {"campaign": head, "runs": len(rows), "expiries": sum(r.expiries for r in rows), "kinds": kinds, "reasons": named}


def render_campaign(to: Console, result: dict[str, Any], clock_hz: int) -> None:
    """Print the tables."""
    outcomes = [outcome.value for outcome in Outcome]
    table = Table("fault", "runs", *outcomes, "recovered after", "expiries")

    def row(name: str, of: dict[str, Any]) -> None:
        after = format_duration(of["recovery"], clock_hz)
        table.add_row(name, f"{of['runs']:,}", *(f"{of[o]:,}" for o in outcomes), after, f"{of['expiries']:,}")

    for kind, of in result["kinds"].items():
        row(kind, of)
    everything = list(result["kinds"].values())
    total = {key: sum(of[key] for of in everything) for key in ("runs", *outcomes, "expiries")}
    row("all", total | {"recovery": max((of["recovery"] for of in everything), default=0)})
    table.show(to, f"{result['campaign']['board']}, seed {result['campaign']['seed']}")
    why = Table("fault", "outcome", "why", "runs", "first")
    shown = sorted(result["reasons"], key=lambda reason: -reason["runs"])[:_MOST_WORDS]
    for reason in [reason for reason in result["reasons"] if reason in shown]:
        why.add_row(*(str(reason[key]) for key in ("kind", "outcome", "why", "runs", "first")))
    more = len(result["reasons"]) - len(shown)
    why.show(to, "Not tolerated (--only RUN repeats one" + (f"; --json has {more} rarer reasons more)" if more else ")"))
