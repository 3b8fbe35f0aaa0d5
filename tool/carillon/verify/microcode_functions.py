# SPDX-License-Identifier: Apache-2.0
"""The functions of microcode in the image: the C function that each driver, guard and task calls, and its ports.

The image has addresses in place of port names.  So names and addresses are matched.  The first address that a function is
given for a port belongs to the port.  No function may be given it for another port, or another address for this port.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from carillon.diagnostics import Span
from carillon.elf import UnreadableError
from carillon.verify.code import Effect, Handlers
from carillon.verify.elf import Elf
from carillon.verify.giotto_meaning import Calls, Function

_COPIES = ("memcpy", "memmove", "__aeabi_memcpy", "__aeabi_memcpy4", "__aeabi_memcpy8")
_COMPARES = ("memcmp",)
_THUNKS = 4

Say = Callable[[str, Span, str], None]


@dataclass(slots=True)
class Ports:
    """The address of each name, and the name of each address."""

    addresses: dict[str, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)

    def agree(self, name: str, address: int) -> bool:
        """Whether the name is that of the address, or both are new."""
        if name not in self.addresses and address not in self.names:
            self.addresses[name] = address
            self.names[address] = name
        return self.addresses.get(name) == address

    def copy(self) -> Ports:
        """The same, to be tried on."""
        return Ports(dict(self.addresses), dict(self.names))


@dataclass(slots=True)
class Functions:
    """The comparison of functions."""

    elf: Elf
    handlers: Handlers
    ports: Ports = field(default_factory=Ports)
    unknown: list[tuple[str, str]] = field(default_factory=list)
    """What no rule reads, of functions that are right as far as they are read: "copies" or "arguments", and whose."""
    copies: list[tuple[str, int, Function, Span]] = field(default_factory=list)
    """What copies ports: "copy", "compute" or "commit", its address and what it should be; compared when ports are known."""

    def copy(self) -> Functions:
        """The same, to be tried on."""
        return Functions(self.elf, self.handlers, self.ports.copy(), list(self.unknown), list(self.copies))

    def differs(self, address: int, function: Function, span: Span) -> str | None:
        """What is wrong with a driver or a guard."""
        if function.copies is not None:
            return self._copies(address, function, span)
        wrong = self._calls(address, function.calls, function.name)
        if wrong is None and any(e.kind == "write" for path in self._paths(address) for e in path):
            return f"{self.elf.name_of(address)} writes to memory itself, and should call a function alone"
        return wrong

    def unread(self) -> list[str]:
        """What no rule reads, as lines."""
        sentences = {
            "copies": "microcode: which ports {} copies: not all stores are of one register",
            "arguments": "microcode: ports that functions get, whose addresses are in no register: {}",
        }
        named = {kind: ", ".join(dict.fromkeys(name for k, name in self.unknown if k == kind)) for kind in sentences}
        return [sentences[kind].format(names) for kind, names in named.items() if names]

    def worker_differs(
        self, compute: int, commit: int, worker: Function, span: Span, *, copied: bool, counted: bool
    ) -> str | None:
        """The fault of the two functions of a task; ``copied``: a driver copies its outputs; ``counted``: its ends are."""
        ((function, arguments),) = worker.calls
        given = tuple(f"next {name}" if name in worker.writes else name for name in arguments)
        wrong = self._calls(compute, ((function, given),), worker.name)
        if wrong is not None:
            return wrong
        paths = self._paths(commit)
        if any(self._called(path) for path in paths):
            return f"{self.elf.name_of(commit)} calls a function, and should make what was computed the task's ports"
        fresh = {e.address for path in paths for e in path if e.kind == "write" and e.value == 1}
        known = self.ports.addresses.get(f"fresh {worker.name}")
        mark = known if known in fresh else next(iter(fresh), None) if len(fresh) == 1 else None
        if copied and (mark is None or not self.ports.agree(f"fresh {worker.name}", mark)):
            return f"{self.elf.name_of(commit)} does not note that {worker.name} has ended"
        if counted and not self._counts(commit, worker, mark):
            return f"{self.elf.name_of(commit)} does not count that {worker.name} has ended"
        self.copies += [("compute", compute, worker, span), ("commit", commit, worker, span)]
        return None

    def _counts(self, commit: int, worker: Function, mark: int | None) -> bool:
        """Whether each path of a task's commit reads and writes one variable: the count of its ends."""
        both = [
            {e.address for e in path if e.kind == "read"} & {e.address for e in path if e.kind == "write"} - {mark}
            for path in self._paths(commit)
        ]
        counts = set[int]().union(*both)
        return len(counts) == 1 and all(both) and self.ports.agree(f"ended {worker.name}", counts.pop())

    def trigger_differs(
        self, functions: tuple[int, int], kept: tuple[str, ...], looked: tuple[str, ...], function: str | None = None
    ) -> str | None:
        """What is wrong with a trigger: its first function keeps some ports or counts, and its second one looks at some.

        ``function``: what the second one calls, and nothing else.
        """
        for address, callee, wanted in zip(functions, (None, function), (kept, looked), strict=True):
            shown, seen = self.elf.name_of(address), set[str]()
            for path in self._paths(address):
                for effect in self._called(path):
                    if effect.address != (self.elf.symbol(callee).address if callee is not None else None):
                        return f"{shown} calls {self._name(effect)}"
                places = [e.address for e in path if e.kind in ("read", "write")]
                places += [value for e in path if e.kind == "call" for _, value in e.arguments]
                named = (self.ports.names.get(base) for base in map(self._base, places) if base is not None)
                seen |= {name for name in named if name is not None}
            asked = any(self._called(path) for path in self._paths(address))
            if callee is not None and not asked:
                return f"{shown} does not call {callee}"
            known = [name for name in wanted if name in self.ports.addresses]
            if other := sorted(seen.difference(known)):
                return f"{shown} looks at {other[0]}, which is none of its ports"
            if lacks := [name for name in known if name not in seen]:
                return f"{shown} does not look at {lacks[0]}"
        return None

    def _copies(self, address: int, function: Function, span: Span) -> str | None:
        """Check a driver that copies outputs: it copies only if the task has ended since the last copy."""
        name, paths = self.elf.name_of(address), self._paths(address)
        if any(self._called(path) for path in paths):
            return f"{name} calls {self._name(next(c for p in paths for c in self._called(p)))}, and should copy outputs"
        fresh = {e.address for path in paths for e in path if e.kind == "write" and e.value == 0}
        mark = fresh.pop() if len(fresh) == 1 else None
        if mark is None or not self.ports.agree(f"fresh {function.copies}", mark):
            return f"{name} does not ask whether {function.copies} has ended"
        if any(e.kind == "write" for p in paths for e in p if not any(w.kind == "write" and w.address == mark for w in p)):
            return f"{name} copies though {function.copies} has not ended"
        if all(any(e.kind == "write" for e in path) for path in paths):
            return f"{name} does not ask whether {function.copies} has ended"
        self.copies.append(("copy", address, function, span))
        return None

    def check_copies(self, say: Say) -> None:
        """What functions copy, as far as addresses in their code are known."""
        for kind, address, function, span in dict.fromkeys(self.copies):
            to, of = function.writes, function.reads
            if kind != "copy":
                nexts = tuple(f"next {name}" for name in function.writes)
                to, of = (nexts, function.writes) if kind == "compute" else (function.writes, nexts)
            marks = {self.ports.addresses.get(f"fresh {function.copies or function.name}")}
            marks.add(self.ports.addresses.get(f"ended {function.name}"))
            name, seen = self.elf.name_of(address), set[str]()
            for path in self._paths(address):
                pairs = [("write", a.get(0)) for a in self._memory(path)] + [("read", a.get(1)) for a in self._memory(path)]
                pairs += [(e.kind, e.address) for e in path if e.kind in ("read", "write") and e.address not in marks]
                for access, place in pairs:
                    base = self._base(place)
                    port = self.ports.names.get(base) if base is not None else None
                    allowed = to if access == "write" else of
                    if port is None and (base is None or not all(each in self.ports.addresses for each in allowed)):
                        continue  # it may be a port that no function is given; what is missing then is told below
                    if port not in allowed:
                        said = port or self.elf.name_of(base or 0)
                        say("C205", span, f"{name}, of {function.name}, {access}s {said}, which is not what it copies")
                    elif access == "write" and port is not None:
                        seen.add(port)
            if not seen.issuperset(to):
                self.unknown.append(("copies", function.name))

    def calls_alone(self, address: int, callee: str, first: int | None = None) -> int | None:
        """The first argument of a call to ``callee``, if every path makes this call and no other; else None."""
        target = self.elf.symbol(callee).address
        calls = {(e.address, dict(e.arguments).get(0)) for path in self._paths(address) for e in path if e.kind == "call"}
        if len(calls) != 1:
            return None
        where, argument = calls.pop()
        return argument if where == target and (first is None or argument == first) else None

    def _calls(self, address: int, calls: Calls, name: str) -> str | None:
        for path in self._paths(address):
            effects = self._called(path)
            shown = self.elf.name_of(address)
            if [e.address for e in effects] != [self.elf.symbol(function).address for function, _ in calls]:
                said = ", ".join(self._name(e) for e in effects) or "nothing"
                return f"{shown} calls {said}, and should call {', '.join(function for function, _ in calls)}"
            for effect, (function, arguments) in zip(effects, calls, strict=True):
                values = dict(effect.arguments)
                for number, port in enumerate(arguments):
                    value = values.get(number)
                    if value is None:
                        self.unknown.append(("arguments", f"{number + 1} of {function} in {name}"))
                    elif self._base(value) != value:
                        return f"{shown} calls {function} with {value:#x}, where no variable begins, and should with {port}"
                    elif not self.ports.agree(port, value):
                        return f"{shown} calls {function} with {self._port(value)}, and should with {port}"
        return None

    def _paths(self, address: int) -> list[list[Effect]]:
        """The effects of a function, path by path; a function that only jumps to a local one stands for that one."""
        for _ in range(_THUNKS):
            if not any(s.function for s in self.elf.by_address.get(address, [])):
                raise UnreadableError(f"no function begins at {address:#x}")
            found = self.handlers.paths(address)
            paths = found.effects
            if not found.complete:
                raise UnreadableError(f"the code of '{self.elf.name_of(address)}' has too many paths")
            if not paths:
                raise UnreadableError(f"'{self.elf.name_of(address)}' does not end")
            only = paths[0][0] if len(paths) == 1 and len(paths[0]) == 1 else None
            symbols = self.elf.by_address.get(only.address, []) if only is not None and only.kind == "call" else []
            if only is None or not symbols or not all(s.local for s in symbols):
                break
            address = only.address
        return paths

    def _called(self, path: Iterable[Effect]) -> list[Effect]:
        return [e for e in path if e.kind == "call" and self.elf.name_of(e.address) not in (*_COPIES, *_COMPARES)]

    def _memory(self, path: Iterable[Effect]) -> list[dict[int, int]]:
        return [dict(e.arguments) for e in path if e.kind == "call" and self.elf.name_of(e.address) in _COPIES]

    def _base(self, address: int | None) -> int | None:
        around = self.elf.around(address) if address is not None else None
        return around.address if around is not None else None

    def _name(self, effect: Effect) -> str:
        return self.elf.name_of(effect.address)

    def _port(self, address: int) -> str:
        return self.ports.names.get(address) or self.elf.name_of(address)
