# SPDX-License-Identifier: Apache-2.0
"""Microcode as bytes (SPEC, section 'Microcode'): a header with length and checksum, the code, the tables, the labels.

What is decoded is checked as a whole, so that it is a program or refused. A program has one form as bytes, so that what decodes
encodes to the same bytes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from dataclasses import replace

from carillon.microcode import Function, Instruction, Kind, Opcode, Program, faults

MAGIC = b"CMUC"
VERSION = 1
_HEADER = struct.Struct("<4sHHIIIHHHHHHHH")
HEADER_BYTES = _HEADER.size
INSTRUCTION_BYTES = 8
_NONE = 0xFFFF


class MalformedError(ValueError):
    """Bytes that are no microcode; the text says why."""


def encode(program: Program) -> bytes:
    """The bytes of a program; ValueError if it has faults."""
    wrong = faults(program)
    if wrong:
        raise ValueError(wrong[0][1])
    body = b"".join(struct.pack("<IHH", i.opcode | i.time << 8, i.x, i.y) for i in program.code)
    body += b"".join(_name(name) for name in program.ports)
    body += b"".join(_function(function) for functions in program.functions.values() for function in functions)
    body += b"".join(struct.pack("<H", address) + _name(name) for address, name in program.labels)
    body = _handlers(program) + body
    counts = [len(program.names(kind)) for kind in Kind]
    rest = struct.pack("<IHH5HH", program.tick_ns, program.entry, len(program.code), *counts, len(program.labels)) + body
    start = struct.pack("<4sHHI", MAGIC, VERSION, header_bytes(program), HEADER_BYTES + len(body))
    return start + struct.pack("<I", zlib.crc32(start + rest)) + rest


def header_bytes(program: Program) -> int:
    """The bytes of a program's header: with addresses of handlers, up to a word, if it has any."""
    return HEADER_BYTES + (len(_handlers(program)))


def _handlers(program: Program) -> bytes:
    handlers = [_NONE if address is None else address for address in program.handlers]
    return struct.pack(f"<{len(handlers)}H", *handlers) + bytes(-2 * len(handlers) % 4)


def checksum_of(program: Program) -> int:
    """The name of a program on a target: the checksum of its bytes."""
    return int.from_bytes(encode(program)[12:16], "little")


def interface_of(program: Program) -> int:
    """The common interface of a program and its image: the CRC-32 of the tables' bytes, without labels."""
    bare = encode(replace(program, labels=(), late=(), shared=None))
    return zlib.crc32(bare[HEADER_BYTES + INSTRUCTION_BYTES * len(program.code) :])


def decode(content: bytes) -> Program:
    """The program of these bytes; :class:`MalformedError` if they are none, whatever they are."""
    if len(content) < HEADER_BYTES:
        raise MalformedError(f"{len(content)} bytes are fewer than the header's {HEADER_BYTES}")
    magic, version, header, length, checksum, tick_ns, entry, size, *counts, labels = _HEADER.unpack_from(content)
    if magic != MAGIC:
        raise MalformedError(f"it begins with {magic!r} and not with {MAGIC!r}")
    if version != VERSION:
        raise MalformedError(f"it is version {version} of the format, and this is version {VERSION}")
    handlers = 0 if header == HEADER_BYTES else 1 + counts[1]
    if header != HEADER_BYTES + 2 * handlers + -2 * handlers % 4:
        raise MalformedError(f"its header has {header} bytes and not {HEADER_BYTES}, or those of its handlers, too")
    if length != len(content):
        raise MalformedError(f"it has {len(content)} bytes, and says that it has {length}")
    if zlib.crc32(content[:12] + content[16:]) != checksum:
        raise MalformedError("the checksum is wrong")
    reader = _Reader(content, HEADER_BYTES)
    shared, *late = reader.unpack(f"<{handlers}H") if handlers else (_NONE,)
    if handlers and (set(late) | {shared} == {_NONE} or any(reader.unpack("<BB")[:2] if handlers % 2 else ())):
        raise MalformedError("its header has room for handlers, and no handler or more than handlers")
    code = tuple(_decoded(*reader.unpack("<II")) for _ in range(size))
    ports = tuple(reader.name() for _ in range(counts[0]))
    tables = [tuple(reader.function() for _ in range(count)) for count in counts[1:]]
    named = tuple((reader.unpack("<H")[0], reader.name()) for _ in range(labels))
    if reader.at != len(content):
        raise MalformedError(f"{len(content) - reader.at} bytes follow the last table")
    tasks, drivers, guards, triggers = tables
    handled = tuple((task, address) for task, address in enumerate(late) if address != _NONE)
    program = Program(
        tick_ns, entry, code, ports, tasks, drivers, guards, triggers, named, handled, None if shared == _NONE else shared
    )
    for address, text in faults(program):
        raise MalformedError(text if address is None else f"instruction {address}: {text}")
    return program


def _decoded(first: int, second: int) -> Instruction:
    try:
        opcode = Opcode(first & 0xFF)
    except ValueError:
        raise MalformedError(f"there is no instruction {first & 0xFF}") from None
    return Instruction(opcode, second & 0xFFFF, first >> 8, second >> 16)


def _name(name: str) -> bytes:
    encoded = name.encode("ascii")
    return struct.pack("<H", len(encoded)) + encoded


def _numbers(numbers: Iterable[int]) -> bytes:
    listed = list(numbers)
    return struct.pack(f"<H{len(listed)}H", len(listed), *listed)


def _function(function: Function) -> bytes:
    return _name(function.name) + _numbers(function.reads) + _numbers(function.writes)


class _Reader:
    """Takes bytes from the front; what is not there is malformed."""

    def __init__(self, content: bytes, at: int) -> None:
        self.content = content
        self.at = at

    def unpack(self, form: str) -> tuple[int, ...]:
        size = struct.calcsize(form)
        if self.at + size > len(self.content):
            raise MalformedError("it ends within a table")
        found = struct.unpack_from(form, self.content, self.at)
        self.at += size
        return found

    def name(self) -> str:
        (length,) = self.unpack("<H")
        if self.at + length > len(self.content):
            raise MalformedError("it ends within a name")
        found = self.content[self.at : self.at + length]
        self.at += length
        try:
            return found.decode("ascii")
        except UnicodeDecodeError:
            raise MalformedError("a name is not ASCII") from None

    def numbers(self) -> tuple[int, ...]:
        (length,) = self.unpack("<H")
        return self.unpack(f"<{length}H")

    def function(self) -> Function:
        return Function(self.name(), self.numbers(), self.numbers())
