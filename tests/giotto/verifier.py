# SPDX-License-Identifier: Apache-2.0
"""The verifier of images (``kernel/microcode/verify.c``), compiled for the development machine with sanitizers."""

from __future__ import annotations

import ctypes
import functools
import struct
import subprocess
import tempfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path

from carillon.microcode import Kind, Program
from carillon.microcode.binary import encode, header_bytes

ROOT = Path(__file__).parents[2]
RESULTS = (
    "ok length format checksum tick tables labels room opcode operand address end loop bindings threads handler".split()  # noqa: SIM905
)
ROOM = 600


class Image(ctypes.Structure):
    _fields_ = (
        ("tick_ns", ctypes.c_uint32),
        ("interface", ctypes.c_uint32),
        ("counts", ctypes.c_uint16 * 5),
        ("bindings", ctypes.c_uint8),
        ("threads", ctypes.c_uint8),
    )


class Node(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_uint32 * 4),)


class Found(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_void_p),
        ("handlers", ctypes.c_void_p),
        ("steps", ctypes.c_uint32),
        ("size", ctypes.c_uint16),
        ("entry", ctypes.c_uint16),
        ("address", ctypes.c_uint16),
        ("bindings", ctypes.c_uint8),
        ("threads", ctypes.c_uint8),
    )


@dataclass(frozen=True)
class Verdict:
    result: str
    steps: int
    address: int
    bindings: int
    threads: int


@functools.cache
def library() -> ctypes.CDLL:
    """Undefined behaviour ends the process."""
    folder = tempfile.mkdtemp(prefix="carillon-verifier-")
    path = Path(folder) / "verify.so"
    options = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fPIC", "-shared"]
    options += ["-fsanitize=undefined", "-fno-sanitize-recover"]
    source = str(ROOT / "kernel" / "microcode" / "verify.c")
    subprocess.run(["gcc", *options, f"-I{ROOT}", source, "-o", str(path)], check=True)
    return ctypes.CDLL(str(path))


def image_of(program: Program, bindings: int = 254, threads: int = 254) -> Image:
    """An image with the tables of a program."""
    tables = bare(program)[header_bytes(program) + 8 * len(program.code) :]
    counts = [len(program.names(kind)) for kind in Kind]
    return Image(program.tick_ns, zlib.crc32(tables), (ctypes.c_uint16 * 5)(*counts), bindings, threads)


def bare(program: Program) -> bytes:
    """Its bytes, as they are loaded: without labels."""
    return encode(replace(program, labels=()))


def sealed(content: bytes) -> bytes:
    """With a right length and checksum."""
    head = content[:8] + struct.pack("<I", len(content))
    return head + struct.pack("<I", zlib.crc32(head + content[16:])) + content[16:]


def verified(content: bytes, image: Image, room: int = ROOM) -> Verdict:
    """What the verifier says.  Memory behind the bytes and the notes is watched."""
    guard = 64
    # A buffer of its own behind which nothing may be written; reading beyond is seen by the fuzzer's sanitizer.
    memory = (ctypes.c_uint8 * (len(content) + guard))(*content, *[0xA5] * guard)
    nodes = (Node * (room + 1))()
    ctypes.memset(ctypes.byref(nodes), 0xA5, ctypes.sizeof(nodes))
    found = Found()
    number = library().carillon_verify(memory, len(content), ctypes.byref(image), nodes, room, ctypes.byref(found))
    assert bytes(memory) == content + b"\xa5" * guard, "the bytes are only read"
    assert bytes(nodes[room]) == b"\xa5" * 16, "there is no note more than there is room for"
    return Verdict(RESULTS[number], found.steps, found.address, found.bindings, found.threads)
