# SPDX-License-Identifier: Apache-2.0
"""Messages in the words of the file that they are about.

Passes report what is wrong with a model in the words of a schedule: keys in quotes, values, tables.  Of a file of another tool,
its author can write something else, so each such word is replaced by the file's own.  What only a schedule can say is
said to be of the schedule that ``carillon import`` makes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass

_IMPORTED = "the schedule that 'carillon import' makes"
_OBJECT = re.compile(r"\b(schedule table|resource lock|alarm|counter|ISR|task|resource|event)\b(?: of task)? '")
_QUOTED = re.compile(r"'([a-z][a-z_]*)'")
_BEFORE_A_NAME = re.compile(
    r"(schedule table|alarm|counter|ISR|task|resource|event|mode|thread|did you mean)( name)? $|known names are ('\w+', )*$"
)
_BEFORE_A_KEY = re.compile(r"(has no|write|leave|set|task's) $")
_BEHIND_A_KEY = (" of ", " is false", " is true", " out")
"""What stands around a key that is also the name of an object."""
ONLY_IN_SCHEDULES = {
    '(clock = "{}" in [system])': f'(clock = "{{}}" in [system] of {_IMPORTED})',
    'set inexact_times = "round"': f'set inexact_times = "round" in [system] of {_IMPORTED}',
}
"""Remedies that no file of another tool can say."""


@dataclass(frozen=True, slots=True)
class Words:
    """A language: ``keys`` by the kind of object that messages name ("" of the system), ``phrases`` of a schedule.

    In a phrase, ``{}`` stands for a value.
    """

    keys: Mapping[str, Mapping[str, str]]
    phrases: Mapping[str, str]

    def speaker(self, names: Container[str] = ()) -> Callable[[str, str], tuple[str, str]]:
        """What translates the cause and the remedy of a diagnostic about a file whose objects have these ``names``."""
        patterns = [
            (re.compile(re.escape(phrase).replace(r"\{\}", r"([^\s\"']+)", 1) if "{}" in phrase else re.escape(phrase)), said)
            for phrase, said in {**ONLY_IN_SCHEDULES, **self.phrases}.items()
        ]

        def spoken(cause: str, remedy: str) -> tuple[str, str]:
            found = _OBJECT.search(cause) or _OBJECT.search(remedy)
            kind = found[1] if found else ""
            return one(cause, kind), one(remedy, kind)

        def one(text: str, kind: str) -> str:
            for pattern, said in patterns:
                text = pattern.sub(lambda match, said=said: said.format(*match.groups()) if match.groups() else said, text)  # type: ignore[misc]
            return _QUOTED.sub(lambda match: self._key(match, kind, names), text)

        return spoken

    def _key(self, match: re.Match[str], kind: str, names: Container[str]) -> str:
        """The file's word for a key: its kind's word, or the word that all kinds share; else the text as it stands."""
        key, before, behind = match[1], match.string[: match.start()], match.string[match.end() :]
        if _BEFORE_A_NAME.search(before):
            return match[0]
        if key in names and not _BEFORE_A_KEY.search(before) and not behind.startswith(_BEHIND_A_KEY):
            return match[0]
        said = self.keys.get(kind, {}).get(key)
        every = {words[key] for words in self.keys.values() if key in words}
        return said or (every.pop() if len(every) == 1 else match[0])
