# SPDX-License-Identifier: Apache-2.0
"""Values of conditions (``#if``) whose macros are numbers, or are made of numbers.

What cannot be told has the value None: a name of the compiler or of a system's header, ``defined``, and operators that may
leave the numbers which C and Python have in common.  One operand may decide without the other, as in C.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

TOKEN = re.compile(r"\s*([A-Za-z_]\w*|\d\w*|&&|\|\||[=!<>]=|[<>]{2}|\S)")
NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)[uUlL]*")
NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
OF_A_WIDTH = re.compile(r"\bU?INT(?:8|16|32|64)_C\(\s*(\w+)\s*\)")
LARGEST = 1 << 48
"""Of a number; a sum of those of a condition is one of C's."""

OPERATORS: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "==": (3, lambda a, b: a == b),
    "!=": (3, lambda a, b: a != b),
    "<": (4, lambda a, b: a < b),
    ">": (4, lambda a, b: a > b),
    "<=": (4, lambda a, b: a <= b),
    ">=": (4, lambda a, b: a >= b),
    "+": (5, lambda a, b: a + b),
}


def expanded(text: str, body: Callable[[str], str | None], within: tuple[str, ...] = ()) -> str:
    """An expression with its macros replaced; by ``?`` those of which ``body`` does not know what they are."""

    def replaced(found: re.Match[str]) -> str:
        name = found[0]
        text = None if name in within else body(name)
        return " ? " if text is None else f" {expanded(text, body, (*within, name))} "

    return NAME.sub(replaced, OF_A_WIDTH.sub(r"\1", text))


@cache
def value(text: str) -> int | None:
    """The value of an expression without macros."""
    tokens = [*TOKEN.findall(text), ""]
    at = 0

    def take() -> str:
        nonlocal at
        at += 1
        return tokens[at - 1]

    def unary() -> int | None:
        token = take()
        if token == "!":
            operand = unary()
            return None if operand is None else int(not operand)
        if token == "(":
            inner = binary(1)
            if take() != ")":
                raise ValueError(text)
            return inner
        if token == "?":
            return None
        number = NUMBER.fullmatch(token)
        if number is None or (found := int(number[1], 0)) >= LARGEST:
            raise ValueError(text)
        return found

    def binary(least: int) -> int | None:
        left = unary()
        while True:
            token = tokens[at]
            if token in ("&&", "||"):
                level = 1 if token == "||" else 2
                if level < least:
                    return left
                take()
                right = binary(level + 1)
                decides = int(token == "||")
                sides = [None if side is None else int(bool(side)) for side in (left, right)]
                left = decides if decides in sides else None if None in sides else 1 - decides
            elif token in OPERATORS:
                level, operate = OPERATORS[token]
                if level < least:
                    return left
                take()
                right = binary(level + 1)
                left = None if left is None or right is None else int(operate(left, right))
            else:
                return left

    try:
        found = binary(1)
    except (ValueError, IndexError):
        return None
    return found if tokens[at] == "" else None
