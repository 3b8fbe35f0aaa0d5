# SPDX-License-Identifier: Apache-2.0
"""A key of a schedule that holds one value, or an array or a table of them.

Only the alternative is validated that the value is of, so that a misfit is reported once, at its own place.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import Discriminator, Tag

_T = TypeVar("_T")
ONE, MORE = "(one)", "(more)"
"""What stands in the place of a misfit, beside keys and indices, and says which alternative was validated."""


def _alternative(value: object) -> str:
    return MORE if isinstance(value, list) else ONE


def _named(value: object) -> str:
    return MORE if isinstance(value, dict) else ONE


OneOrMore = Annotated[Annotated[_T, Tag(ONE)] | Annotated[list[_T], Tag(MORE)], Discriminator(_alternative)]
OneOrNamed = Annotated[Annotated[_T, Tag(ONE)] | Annotated[dict[str, _T], Tag(MORE)], Discriminator(_named)]


def listed(value: Any) -> list[Any]:
    """The values; none of a key that is absent."""
    return [] if value is None else value if isinstance(value, list) else [value]
