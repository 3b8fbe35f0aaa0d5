# SPDX-License-Identifier: Apache-2.0
"""From words to the model of a Giotto program, by recursive descent.

After an error it goes on behind the next ``;`` or ``}``, or at the next declaration.

An annotation may stand between any two words, and belongs to the declaration that it stands in or follows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from carillon.diagnostics import Span, suggestion
from carillon.frontends.giotto.lexer import Lexer
from carillon.frontends.giotto.triggers import parsed_triggers
from carillon.model.giotto import Activity, Alias, Annotation, Call, Driver, Giotto, Mode, Name, Port, PortKind, Task, Typed
from carillon.read.tokens import Kind, RefusedError, Tokens
from carillon.units import MalformedError, Time, parse_time, shorten

SECTIONS = ("module", "type", "sensor", "actuator", "output", "task", "driver", "start")
"""The sections of a program in their order."""
ACTIVITIES = ("actfreq", "exitfreq", "taskfreq")
"""What a mode does, in the order in which it says so."""
KEYWORDS = (*SECTIONS, *ACTIVITIES, "is", "uses", "state", "schedule", "if", "then", "mode", "period", "do")
_SECTION, _MODE, _ACTIVITY = "section", "mode", "activity"
_LONGEST_NUMBER = 12
_T = TypeVar("_T")


class Parser(Tokens):
    """Parses one program."""

    marks = frozenset({Kind.MARK, Kind.NAME})
    """Keywords are names."""

    def __init__(self, lexer: Lexer) -> None:
        super().__init__(())
        self.lexer = lexer
        self.annotations: dict[int, list[Annotation]] = {}
        for word in lexer.words():
            if word.kind is Kind.ANNOTATION:
                text = word.text[1:-1].split(maxsplit=1)
                self.annotations.setdefault(len(self.tokens), []).append(
                    Annotation(text[0] if text else "", text[1].strip() if len(text) > 1 else "", word.span)
                )
            else:
                self.tokens.append(word)
        self.at = 0
        self.lost = ""
        """What was expected and not found, if nothing has been understood since: the same again is a consequence."""
        self.modules: list[Name] = []
        self.types: list[Alias] = []
        self.ports: list[Port] = []
        self.tasks: list[Task] = []
        self.drivers: list[Driver] = []
        self.modes: list[Mode] = []
        self.start: Name | None = None

    def run(self) -> Giotto | None:
        """The program; None after errors."""
        rank = 0
        while self.token.kind is not Kind.END:
            word = self.token
            with self.recovering(lambda: self.recover(SECTIONS, _SECTION)):
                if word.text not in SECTIONS:
                    near = suggestion(word.text, SECTIONS) if word.kind is Kind.NAME else ""
                    remedy = near if near.startswith("did") else f"sections are {', '.join(SECTIONS)}"
                    raise self.fail(f"{word} begins no section", remedy, _SECTION)
                if SECTIONS.index(word.text) < rank:
                    later = SECTIONS[rank]
                    cause = f"the section {word.text} stands behind the section {later}"
                    self.lexer.error("C250", word.span, cause, f"the order is {', '.join(SECTIONS)}")
                rank = max(rank, SECTIONS.index(word.text))
                self.section(word.text)
        for notes in self.annotations.values():
            for note in notes:
                if note.word == "host":
                    continue  # the reference grammar begins a program with what hosts there are
                cause = f"the annotation {shorten(note.word)} belongs to no declaration"
                self.lexer.diagnostics.warning("C263", note.span, cause, "write it into one")
        if self.start is None:
            if not self.lexer.failed:
                self.lexer.error("C260", self.token.span, "the program has no start", "end it with start MODE { mode MODE ... }")
            return None
        if self.lexer.failed:
            return None
        triggers = parsed_triggers(self.ports, self.tasks, self.lexer.error)
        if self.lexer.failed:
            return None
        return Giotto(
            self.lexer.file,
            tuple(self.modules),
            tuple(self.types),
            tuple(self.ports),
            tuple(self.tasks),
            tuple(self.drivers),
            self.start,
            tuple(self.modes),
            triggers,
        )

    # Words

    def begins(self, words: tuple[str, ...]) -> bool:
        """Whether the next word begins what one of ``words`` does; the ``output (`` of a task or a driver is no section."""
        if self.token.kind is not Kind.NAME or self.token.text not in words:
            return False
        return self.token.text != "output" or self.ahead(1).text != "("

    def fail(self, cause: str, remedy: str, expected: str = "") -> RefusedError:
        """Report C250 at the next word, unless the lexer has reported that.

        Where several words in a row are not what is ``expected``, the first is reported; and outside the braces of start,
        nothing after something within them was not understood.
        """
        again = expected and (self.lost == expected or (self.lost == _MODE and expected == _SECTION))
        if Kind.BAD not in (self.token.kind, self.before.kind) and not again:
            self.lexer.error("C250", self.token.span, cause, remedy)
        self.lost = expected
        return RefusedError()

    def name(self, what: str) -> Name:
        """Pass a name, which must be next."""
        word = self.token
        if word.kind is not Kind.NAME:
            raise self.fail(f"{word} stands where {what} should", "a name has letters, digits, '_', and points within")
        if word.text in KEYWORDS:
            raise self.fail(f"the keyword {word} stands where {what} should", "choose a name that is no keyword")
        self.at += 1
        return Name(word.text, word.span)

    def function(self, what: str) -> Name:
        """Pass the name of a C function, which has ``_`` where Giotto has points, as C's names of types have."""
        name = self.name(what)
        return Name(name.text.replace(".", "_"), name.span)

    def number(self, what: str) -> tuple[int, Span]:
        """Pass a whole number, which must be next."""
        word = self.token
        if word.kind is not Kind.INTEGER or not word.text.isdigit() or len(word.text) > _LONGEST_NUMBER:
            raise self.fail(f"{word} stands where {what} should", f"write a whole number of at most {_LONGEST_NUMBER} digits")
        self.at += 1
        return int(word.text), word.span

    def listed(self, what: str, element: Callable[[], _T]) -> tuple[_T, ...]:
        """``(element, ...)``, which may be empty."""
        self.expect("(", f"before {what}")
        found: list[_T] = []
        if not self.skip(")"):
            found.append(element())
            while self.skip(","):
                found.append(element())
            self.expect(")", f"after {what}")
        return tuple(found)

    def names(self, what: str) -> tuple[Name, ...]:
        """``(name, ...)``."""
        return self.listed(what, lambda: self.name("the name of a port"))

    def noted(self, begin: int) -> tuple[Annotation, ...]:
        """The annotations within the declaration that began there, and those that follow it."""
        return tuple(a for place in range(begin + 1, self.at + 1) for a in self.annotations.pop(place, ()))

    def recover(self, stops: tuple[str, ...], lost: str = "", *, within: bool = False) -> None:
        """Go on behind the next ``;`` or ``}``, or at a word that begins something; ``within`` braces, at their ``}``.

        ``lost``: what was expected there.
        """
        self.lost = self.lost or lost
        while self.token.kind is not Kind.END:
            if self.begins(stops) or (within and self.is_mark("}")):
                return
            self.at += 1
            if self.before.text in (";", "}"):
                return

    # Declarations

    def section(self, word: str) -> None:
        """A section, or a task or a driver."""
        if word == "task":
            self.tasks.append(self.task())
            self.lost = ""
            return
        if word == "driver":
            self.drivers.append(self.driver())
            self.lost = ""
            return
        if word == "start":
            self.modes_from_start()
            return
        self.at += 1
        if word == "module":
            self.modules.append(self.name("the name of a module"))
            while self.skip(","):
                self.modules.append(self.name("the name of a module"))
            self.expect(";", "after the modules")
            return
        while not (self.token.kind is Kind.END or self.begins(SECTIONS)):
            begin = self.at
            with self.recovering(lambda: self.recover(SECTIONS)):
                if word == "type":
                    name = self.name("the name of a type")
                    self.expect("is", f"after the type {name}")
                    self.types.append(Alias(name, self.name("the name of a type")))
                else:
                    self.port(PortKind(word), begin)
                if not self.skip(";"):
                    cause = f"';' is missing after the {word} {self.before.text}, before {self.token}"
                    raise self.fail(cause, "write ';' there", word)
                self.lost = ""

    def port(self, kind: PortKind, begin: int) -> None:
        """``T p uses f``, or ``T p := f`` of an output."""
        typed = self.typed(f"the {kind.value}")
        function = None
        if kind is PortKind.OUTPUT:
            self.expect(":=", f"after the output {typed.name}")
            function = self.function("the function that sets it at the start")
        elif self.skip("uses"):
            function = self.function("the function that drives it")
        self.at += 1  # the ';', which annotations may precede
        notes = self.noted(begin)
        self.at -= 1
        self.ports.append(Port(kind, typed.type, typed.name, function, notes))

    def typed(self, what: str, with_init: bool = False) -> Typed:
        """``T p`` or, of a state, ``T p := f``."""
        type_ = self.name(f"the type of {what}")
        name = self.name(f"the name of {what}")
        init = None
        if with_init:
            self.expect(":=", f"after the state {name}")
            init = self.function("the function that sets it at the start")
        return Typed(type_, name, init)

    def call(self, what: str) -> Call:
        """``f(p, ...)``."""
        function = self.function(what)
        return Call(function, self.names(f"the arguments of {function}"))

    def task(self) -> Task:
        """``task t (T p, ...) output (p, ...) state (T p := f, ...) { schedule f(p, ...) }``."""
        begin = self.at
        self.at += 1
        name = self.name("the name of the task")
        inputs = self.listed(f"the inputs of the task {name}", lambda: self.typed("an input"))
        self.expect("output", f"after the inputs of the task {name}")
        outputs = self.names(f"the outputs of the task {name}")
        self.expect("state", f"after the outputs of the task {name}")
        states = self.listed(f"the states of the task {name}", lambda: self.typed("a state", with_init=True))
        self.expect("{", f"after the states of the task {name}")
        self.expect("schedule", f"in the task {name}")
        call = self.call("the task's function")
        self.skip(";")
        self.expect("}", f"at the end of the task {name}")
        notes = self.noted(begin)
        return Task(name, inputs, outputs, states, call, notes, self.wcet(notes))

    def driver(self) -> Driver:
        """``driver d (p, ...) output (T p, ...) { if g(p, ...) then f(p, ...) }``."""
        begin = self.at
        self.at += 1
        name = self.name("the name of the driver")
        sources = self.names(f"the sources of the driver {name}")
        self.expect("output", f"after the sources of the driver {name}")
        destinations = self.listed(f"the destinations of the driver {name}", lambda: self.typed("a destination"))
        self.expect("{", f"after the destinations of the driver {name}")
        self.expect("if", f"in the driver {name}")
        guard = self.call("the driver's guard")
        self.expect("then", f"after the guard of the driver {name}")
        call = self.call("the driver's function")
        self.skip(";")
        self.expect("}", f"at the end of the driver {name}")
        notes = self.noted(begin)
        return Driver(name, sources, destinations, guard, call, notes, self.wcet(notes))

    def wcet(self, notes: tuple[Annotation, ...]) -> Time | None:
        """The time of ``[wcet ...]``: a time with a unit, or a number of milliseconds."""
        found = None
        for note in notes:
            if note.word == "wcet":
                try:
                    found = parse_time(note.rest + "ms" if note.rest.isdigit() else note.rest)
                    if found.unit == "ticks":
                        raise MalformedError(f"{shorten(note.rest)} counts ticks", "")
                except MalformedError as error:
                    remedy = "write a number of milliseconds, or a time with ns, us, ms or s: [wcet 4], [wcet 250us]"
                    self.lexer.error("C263", note.span, error.cause, remedy)
        return found

    # Modes

    def modes_from_start(self) -> None:
        """``start m { mode ... }``."""
        again = self.token.span
        self.at += 1
        name = self.name("the name of the mode to start in")
        if self.start is not None:
            self.lexer.error("C250", again, "the program has a second start", "put all modes into one")
        self.start = self.start or name
        opening = self.token.span
        self.expect("{", f"after start {name}")
        while not self.skip("}"):
            if self.token.kind is Kind.END:
                if not self.lost:
                    self.lexer.error("C251", opening, f"the '{{' after start {name} is not closed", "end the modes with '}'")
                return
            with self.recovering(lambda: self.recover(("mode",), _MODE)):
                if not self.is_mark("mode"):
                    raise self.fail(f"{self.token} stands where a mode should", "write mode NAME (PORTS) period N { ... }", _MODE)
                self.modes.append(self.mode())
                self.lost = ""

    def mode(self) -> Mode:
        """``mode m (p, ...) period n { actfreq ... exitfreq ... taskfreq ... }``."""
        begin = self.at
        self.at += 1
        name = self.name("the name of the mode")
        ports = self.names(f"the ports of the mode {name}")
        self.expect("period", f"after the ports of the mode {name}")
        period, period_span = self.number(f"the period of the mode {name}")
        opening = self.token.span
        self.expect("{", f"after the period of the mode {name}")
        found: dict[str, list[Activity]] = {word: [] for word in ACTIVITIES}
        rank = 0
        while not self.skip("}"):
            word = self.token
            if word.kind is Kind.END or self.is_mark("mode"):
                if not self.lost:
                    self.lexer.error("C251", opening, f"the '{{' of the mode {name} is not closed", "end the mode with '}'")
                raise RefusedError
            with self.recovering(lambda: self.recover((*ACTIVITIES, "mode"), _ACTIVITY, within=True)):
                if word.text not in ACTIVITIES:
                    raise self.fail(f"{word} stands where an activity should", f"write one of {', '.join(ACTIVITIES)}", _ACTIVITY)
                if ACTIVITIES.index(word.text) < rank:
                    cause = f"{word.text} stands behind {ACTIVITIES[rank]}"
                    self.lexer.error("C250", word.span, cause, f"the order in a mode is {', '.join(ACTIVITIES)}")
                rank = max(rank, ACTIVITIES.index(word.text))
                found[word.text].append(self.activity(word.text))
                self.lost = ""
        notes = self.noted(begin)
        updates, switches, invocations = (tuple(found[word]) for word in ACTIVITIES)
        return Mode(name, ports, period, period_span, updates, switches, invocations, notes)

    def activity(self, word: str) -> Activity:
        """``actfreq n do p (d);``, ``exitfreq n do m (d);`` or ``taskfreq n do t (d);``, of which only a task needs no driver."""
        begin = self.at
        self.at += 1
        frequency, span = self.number(f"the frequency after {word}")
        self.expect("do", f"after {word} {frequency}")
        what = {"actfreq": "an actuator", "exitfreq": "a mode", "taskfreq": "a task"}[word]
        target = self.name(f"the name of {what}")
        self.expect("(", f"after {target}")
        driver = None
        if not (word == "taskfreq" and self.is_mark(")")):
            driver = self.name("the name of a driver")
        self.expect(")", f"after the driver of {target}")
        self.expect(";", f"after {word} {frequency} do {target}")
        notes = self.noted(begin)
        return Activity(frequency, span, target, driver, notes, self.wcet(notes))
