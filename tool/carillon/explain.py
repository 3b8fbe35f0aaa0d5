# SPDX-License-Identifier: Apache-2.0
"""The long explanation of every diagnostic's code: one Markdown file a code, ``docs/codes/C016.md``.

The documentation and ``carillon explain`` show the same files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from carillon.resources import data_root

_TITLE = re.compile(r"^# (C\d{3}): (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Explanation:
    """A code, its title (one line), and its text: Markdown with an example of wrong and right."""

    code: str
    title: str
    text: str


def codes() -> list[str]:
    """Every code that has an explanation, ascending."""
    return sorted(path.stem for path in (data_root() / "docs" / "codes").glob("C[0-9][0-9][0-9].md"))


def explain(code: str) -> Explanation | None:
    """The explanation of ``code``, in upper or lower case; None if there is no such code."""
    code = code.strip().upper()
    if code not in codes():
        return None
    content = (data_root() / "docs" / "codes" / f"{code}.md").read_text(encoding="utf-8")
    title = _TITLE.search(content)
    if title is None or title[1] != code:
        raise ValueError(f"{code}.md does not begin with '# {code}: TITLE'")
    return Explanation(code, title[2], content[title.end() :].strip() + "\n")
