# SPDX-License-Identifier: Apache-2.0
"""The deepest chain of calls from a function on: the sum of what each has of the stack where it calls the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

from carillon.elf import UnreadableError
from carillon.model.stacks import Link
from carillon.stacks.code import Call, Code, Unknown, Use

_HOLDS = ("carillon_osek_fail",)
"""Functions that call others with the interrupts of the event-triggered system masked: the error hook."""


@dataclass(frozen=True, slots=True)
class Deepest:
    """``size`` bytes at most, and the chain that takes them."""

    size: int = 0
    chain: tuple[Link, ...] = ()

    def beneath(self, name: str, size: int) -> Deepest:
        """The same, called by a function that has taken so many bytes."""
        return Deepest(size + self.size, ((name, size), *self.chain))


@dataclass(frozen=True, slots=True)
class Chains:
    """The deepest chain where any interrupt may come, and where the event-triggered system's are masked (None: nowhere)."""

    open: Deepest
    held: Deepest | None = None

    @property
    def either(self) -> Deepest:
        """The deeper one."""
        return self.open if self.held is None or self.held.size <= self.open.size else self.held

    def beneath(self, name: str, size: int) -> Chains:
        """Both, on top of so many bytes."""
        return Chains(self.open.beneath(name, size), self.held.beneath(name, size) if self.held is not None else None)


def deeper(one: Deepest | None, other: Deepest | None) -> Deepest | None:
    """The deeper one of two, of which there may be none."""
    return one if other is None or (one is not None and one.size >= other.size) else other


def deepest(chains: Iterable[Chains]) -> Chains:
    """Of several, the deepest of each."""
    best = Chains(Deepest())
    for each in chains:
        best = Chains(deeper(best.open, each.open) or best.open, deeper(best.held, each.held))
    return best


EXACT = 1 << 12
"""Of so many combinations of functions that are active several times, each is followed."""


@dataclass(slots=True)
class Segment:
    """What a function takes until a function is called that may be active several times.

    ``leaf``: the deepest chain without such a call.  ``link``: the deepest one to such a call, None if there is none.
    ``following``: what is called then.
    """

    leaf: Deepest
    link: Deepest | None = None
    following: set[int] = field(default_factory=set)


class Calls:
    """The call graph of an image.

    ``told``: of functions that call an address, by name, the functions that it may be of.  ``recursion``: how often a function
    may be active at once.  ``returns``: functions that do nothing but return where they are active so often already.
    """

    def __init__(
        self, code: Code, told: Mapping[str, Iterable[int]], recursion: Mapping[str, int], returns: Mapping[str, int]
    ) -> None:
        self.code, self.recursion, self.returns = code, recursion, returns
        self.told: dict[str, tuple[int, ...]] = {name: tuple(targets) for name, targets in told.items()}
        self._most = {**returns, **recursion}
        self._counted = sorted(self._most)
        self._known: dict[tuple[int, ...], Chains] = {}
        self._segments: dict[int, Segment] = {}

    def of(self, entry: int) -> Chains:
        """The deepest chains from a function on; Unknown where the code does not say it.

        With n functions that may be active once or several times, there are 2^n ways or more to have them active.  If they are
        too many, each is counted as often as it may be active, whatever the order in which they call each other.
        """
        exact = prod(most + 1 for most in self._most.values()) <= EXACT
        return self._of(entry, []) if exact else Chains(self.summed(entry))

    def summed(self, entry: int) -> Deepest:
        """At least the deepest chain: all that may be active several times is, one upon the other."""
        first = self._segment(entry, [])
        size, chain = (first.link.size, first.link.chain) if first.link is not None else (0, ())
        waiting, seen = set(first.following), set[int]()
        last = first.leaf.size - size
        while waiting - seen:
            at = min(waiting - seen)
            seen.add(at)
            segment = self._segment(at, [])
            waiting |= segment.following
            linked = segment.link or Deepest()
            most = self._most[self.code.name_of(at)]
            size, chain = size + most * linked.size, (*chain, *(most * linked.chain))
            again = self._alone(at, self.code.name_of(at)).open.size  # where it is entered once more, and returns
            last = max(last, segment.leaf.size - linked.size, again)
        return Deepest(
            size + last, (*chain, ("the deepest of these, without a further call", last)) if seen else first.leaf.chain
        )

    def _segment(self, entry: int, path: list[str]) -> Segment:
        """What a function takes until one is called that may be active several times."""
        if entry in self._segments:
            return self._segments[entry]
        name = self.code.name_of(entry)
        path.append(name)
        found = Segment(self._alone(entry, name).open)
        for call in self._use(entry, name).calls:
            for target in self._targets(call, name):
                called = self.code.name_of(target)
                if called in self._most:
                    found.link = deeper(found.link, Deepest(call.depth, ((name, call.depth),)))
                    found.following.add(target)
                elif self._goes_on(called, path):
                    inner = self._segment(target, path)
                    found.leaf = deeper(found.leaf, inner.leaf.beneath(name, call.depth)) or found.leaf
                    found.link = deeper(found.link, inner.link.beneath(name, call.depth) if inner.link is not None else None)
                    found.following |= inner.following
        path.pop()
        self._segments[entry] = found
        return found

    def to(self, entry: int, leaves: Iterable[str]) -> Deepest | None:
        """The deepest chain from a function to a call of an address by one of some functions; None if there is none."""
        return self._to(entry, frozenset(leaves), [])

    def _of(self, entry: int, path: list[str]) -> Chains:
        """The chains from a function on, which ``path`` has called.

        They depend on how often the functions are active that may be so several times.  Nothing else of the path matters, as
        another circle of calls is an error wherever it is entered.
        """
        key = (entry, *(path.count(name) for name in self._counted))
        if key in self._known:
            return self._known[key]
        name = self.code.name_of(entry)
        path.append(name)
        use, best = self._use(entry, name), self._alone(entry, name)
        for call in use.calls:
            for target in self._targets(call, name):
                called = self.code.name_of(target)
                if self._goes_on(called, path):
                    ends = called in self.returns and path.count(called) >= self.returns[called]
                    inner = (self._alone(target, called) if ends else self._of(target, path)).beneath(name, call.depth)
                    best = deepest([best, Chains(best.open, inner.either) if name in _HOLDS else inner])
        path.pop()
        self._known[key] = best
        return best

    def _to(self, entry: int, leaves: frozenset[str], path: list[int]) -> Deepest | None:
        if entry in path:
            return None
        name, best = self.code.name_of(entry), None
        for call in self._use(entry, name).calls:
            if call.target is None and name in leaves:
                best = deeper(best, Deepest(call.depth, ((name, call.depth),)))
            for target in self._targets(call, name):
                inner = self._to(target, leaves, [*path, entry])
                best = deeper(best, inner.beneath(name, call.depth) if inner is not None else None)
        return best

    def _alone(self, entry: int, name: str) -> Chains:
        """What a function takes without what it calls."""
        use = self._use(entry, name)
        least = max([use.most, *(call.depth for call in use.calls)])
        return Chains(Deepest(least, ((name, least),)))

    def _use(self, entry: int, name: str) -> Use:
        """What a function takes by itself, and its calls."""
        try:
            use = self.code.use(entry)
        except UnreadableError as error:
            raise Unknown(f"the code of '{name}' cannot be read: {error}") from error
        if use.unknown:
            raise Unknown(f"of '{name}': {use.unknown}")
        return use

    def _targets(self, call: Call, name: str) -> tuple[int, ...]:
        if call.target is not None:
            return (call.target,)
        if name not in self.told:
            raise Unknown(f"'{name}' calls an address, at {call.place:#x}: name what it calls in calls of [stacks]")
        return self.told[name]

    def _goes_on(self, name: str, path: list[str]) -> bool:
        """Whether a call is made: a function that may be active n times does not call itself at the n-th time."""
        if name not in path:
            return True
        most = self.recursion.get(name)
        if most is not None:
            return path.count(name) < most
        if name in self.returns:
            return True
        round_trip = path[len(path) - path[::-1].index(name) - 1 :]
        if not any(function in self.recursion or function in self.returns for function in round_trip):
            chain = ", ".join(f"'{function}'" for function in round_trip)
            raise Unknown(f"{chain} may call itself: say how often it is active in recursion of [stacks]")
        return True
