# SPDX-License-Identifier: Apache-2.0
"""What handlers of exceptions may be: code that ends at the instant at which it begins (SPEC, section 'Exceptions')."""

from __future__ import annotations

from carillon.microcode import FORMS, Opcode, Program
from carillon.microcode.bounds import components

ALLOWED = frozenset({Opcode.CALL, Opcode.RELEASE, Opcode.IF, Opcode.JUMP, Opcode.RETURN, Opcode.TERMINATE})
"""What a handler may have: it neither waits nor begins what does."""


def handler_faults(program: Program) -> list[tuple[int, str]]:
    """What is wrong with the handlers of a program without other faults: the address of an instruction, and a text."""
    reached: set[int] = set()
    left = [address for address in program.handlers if address is not None]
    while left:
        address = left.pop()
        if address not in reached:
            reached.add(address)
            if program.code[address].opcode in ALLOWED:
                left += (target for _, target in program.code[address].following(address))
    words = {address: FORMS[program.code[address].opcode].word for address in reached}
    others = [address for address in reached if program.code[address].opcode not in ALLOWED]
    wrong = [(address, f"a handler has {words[address]}, which does not end at once") for address in others]
    edges = [(a, branch, target) for a in reached.difference(others) for branch, target in program.code[a].following(a)]
    inner = {address: place for place, address in enumerate(sorted(reached))}
    moved = [(inner[a], branch, inner[target]) for a, branch, target in edges]
    selves = {a for a, _, target in moved if a == target}
    loops = [members for members in components(len(inner), moved) if len(members) > 1 or members[0] in selves]
    addresses = sorted(reached)
    wrong += [(addresses[max(members)], "a handler has a loop, and so may not end at once") for members in loops]
    return sorted(wrong)
