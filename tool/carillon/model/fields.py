# SPDX-License-Identifier: Apache-2.0
"""The types of values in board files and in those of families.

What such a file may hold has an end, so that what is worked out of it fits into C and into memory.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("it holds a control character")
    return text


Int = Annotated[int, Field(strict=True, ge=-(2**31), le=2**32)]
Count = Annotated[int, Field(strict=True, ge=0, le=2**31 - 1)]
Hertz = Annotated[int, Field(strict=True, gt=0, le=10**11)]
Source = Annotated[int, Field(strict=True, ge=0, lt=4096)]
Word = Annotated[int, Field(strict=True, ge=0, lt=2**32)]
"""An address, or what a register holds."""
Bit = Annotated[int, Field(strict=True, ge=0, lt=32)]
Text = Annotated[str, StringConstraints(min_length=1), AfterValidator(_printable)]
Flag = Annotated[bool, Field(strict=True)]
Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class Frozen(BaseModel):
    """A table of a file: no key is unknown, and nothing changes it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)
