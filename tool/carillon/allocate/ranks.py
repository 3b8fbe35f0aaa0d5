# SPDX-License-Identifier: Apache-2.0
"""Levels as ranks of points, for choices whose possible carriers are too many, or exclude each other in too many ways.

What a model needs to know of a task is which of its points share a carrier, and that it keeps its level: a *link*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from carillon.allocate.levels import Windows, members
from carillon.allocate.result import Style

if TYPE_CHECKING:
    from carillon.allocate.model import ChoiceModel

Link = tuple[int, int, int]
"""A task that keeps its level, and two of its points that share a carrier; 0 and 0 where any one point will do."""

MAX_LOOKED = 200_000
"""Up to this number of pairs of windows, circles of three tasks are looked for."""


def link(task: int, i: int, j: int) -> Link:
    """The condition that one carrier of ``task`` has the points ``i`` and ``j``; ``i`` may equal ``j``."""
    return (task, 0, 0) if i == j else (task, min(i, j), max(i, j))


def short_circles(windows: Windows, tasks: int, possible: Callable[[Link], bool]) -> list[tuple[Link, ...]]:
    """Sets of links, of two or three tasks each, that are never all true: their carriers would preempt each other in a circle.

    1. Carrier v preempts carrier u if a point of v lies in the window of a point of u.  So a circle enters each of its
       carriers at one point, and leaves it from one: these are the same point, or they share the carrier.
    2. So a circle of carriers of two or three tasks that keep their levels makes all the links of one such set true.  And if
       these are all true, there is such a circle.
    3. Two points that share a carrier say more than that the task keeps its level.  So a set is left out if it says more
       than another one, since it is never true then.
    """
    leaves: list[list[tuple[int, int, int]]] = [[] for _ in range(tasks)]  # own point, other task, its point
    for k, i in windows.owner:
        leaves[k] += [(i, *windows.owner[other]) for other in members(windows.point_inside(k, i))]
    pairs: set[tuple[Link, ...]] = set()
    for u in range(tasks):
        for a, v, b in leaves[u]:
            if u < v:
                for c, w, d in leaves[v]:
                    if w == u:
                        pairs.add((link(u, d, a), link(v, b, c)))
    known = _least(circle for circle in pairs if all(map(possible, circle)))
    if sum(len(leaves[v]) for own in leaves for _, v, _ in own) > MAX_LOOKED:
        return sorted(known)
    enters: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for u, own in enumerate(leaves):
        for a, v, b in own:
            enters.setdefault((u, v), []).append((a, b))
    triples: set[tuple[Link, ...]] = set()
    for u in range(tasks):
        for a, v, b in leaves[u]:
            if u < v:
                for c, w, d in leaves[v]:
                    if u < w != v:
                        for e, f in enters.get((w, u), ()):
                            triples.add(tuple(sorted((link(u, f, a), link(v, b, c), link(w, d, e)))))
    new = (
        circle
        for circle in triples
        if all(map(possible, circle)) and not any(weaker in known for pair in combinations(circle, 2) for weaker in _weaker(pair))
    )
    return sorted(known) + sorted(_least(new))


def _weaker(circle: Sequence[Link]) -> list[tuple[Link, ...]]:
    """The set itself, and the sets that are implied by it."""
    result: list[tuple[Link, ...]] = [()]
    for task, i, j in circle:
        own = {(task, i, j), (task, 0, 0)}
        result = [(*part, one) for part in result for one in own]
    return result


def _least(circles: Iterable[tuple[Link, ...]]) -> set[tuple[Link, ...]]:
    """The sets that imply no other set of ``circles``."""
    every = set(circles)
    return {circle for circle in every if not any(weaker != circle and weaker in every for weaker in _weaker(circle))}


def state_ranks(choices: ChoiceModel) -> None:
    """Give each point a rank, so that no choice has carriers that must preempt each other in a circle.

    1. Carriers without a circle have levels.  Give each point of a task that keeps its level that of its carrier.  Then points on
       one carrier have one rank, and a point in the window of another has a higher rank than this one.
    2. Where all points have such ranks, these are levels of the carriers, so there is no circle.
    3. A lowered task imposes nothing on others, so it is in no circle; nor is one whose points are in the table.
    So a point takes a variable, and a point in a window a condition, however many carriers there may be.  Chains that are
    too long because of the levels that others take are left to :meth:`.ChoiceModel.cut`.  The shortest circles are stated as
    well: they follow from the ranks, but search would find them out one by one.
    """
    model, judge, problem = choices.model, choices.judge, choices.problem
    windows = judge.windows
    sources = sum(len(group.sources) for group in problem.classes)
    most = max(1, min(problem.levels.for_activations(False, False), sources))
    rank = [model.new_int_var(1, most) for _ in windows.owner]
    literal: dict[Link, Any] = {}
    for k, d in enumerate(judge.activations):
        holders: dict[Link, list[Any]] = {(k, 0, 0): []}
        for plain, split in zip(choices.vars[d].plain, problem.options[d].splits, strict=True):
            if split.style is not Style.TABLE:
                holders[k, 0, 0].append(plain)
            for bundle in split.bundles:
                for i, j in combinations(sorted(bundle.points), 2):
                    holders.setdefault((k, i, j), []).append(plain)
        for one, plains in holders.items():
            literal[one] = plains[0] if len(plains) == 1 else model.new_bool_var()
            if len(plains) != 1:
                model.add(sum(plains) == literal[one])
    for earlier, (k, i) in enumerate(windows.owner):
        for later in members(windows.point_inside(k, i)):
            both = literal[k, 0, 0], literal[windows.owner[later][0], 0, 0]
            model.add(rank[later] >= rank[earlier] + 1).only_enforce_if(*both)
    for (k, i, j), joined in literal.items():
        if i != j:
            model.add(rank[windows.number(k, i)] == rank[windows.number(k, j)]).only_enforce_if(joined)
    for circle in short_circles(windows, len(judge.activations), literal.__contains__):
        model.add_bool_or([~literal[one] for one in circle])
