# SPDX-License-Identifier: Apache-2.0
"""The loader of images (``kernel/microcode/loader.c``) on the development machine, with the sanitizer of undefined behaviour;
with ``CARILLON_ADDRESS`` also with that of addresses, which has to be loaded before Python (``LD_PRELOAD``).
"""

from __future__ import annotations

import _ctypes
import ctypes
import functools
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from verifier import Image, image_of

from carillon.microcode import Program

ROOT = Path(__file__).parents[2]
ROOM = 1024
FIRST = 0x1234
SHIM = """
#include <string.h>
#include "kernel/microcode/loader.h"
struct carillon_verify_image image; /* in an image, these two are constants */
uint8_t key[16];
uint32_t image_times[64];
static const struct carillon_microcode first = {.scheduler = CARILLON_SCHEDULER_EDF};
const struct carillon_microcode *running = &first, *next;
uint32_t replaced, sent, chance, joined, resets, continued, begun;
uint8_t out[65536];
void carillon_loader_put(uint8_t byte) { if (sent < sizeof(out)) { out[sent++] = byte; } }
uint32_t carillon_loader_chance(void) { return chance; }
uint32_t application_resets(void) { return resets; }
const struct carillon_microcode *carillon_loader_running(void) { return running; }
void carillon_loader_replace(const struct carillon_microcode *program, uint16_t begin)
{
    next = program;
    joined = begin;
    replaced++;
}
void carillon_loader_continue(const struct carillon_microcode *program)
{
    next = program;
    continued++;
}
void feed(const uint8_t *bytes, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) { carillon_loader_byte(bytes[k]); }
}
uint32_t taken(uint8_t *to) { uint32_t count = sent; memcpy(to, out, count); sent = 0; return count; }
void begin_next(void) { running = next; }
uint64_t position, begins_at = UINT64_MAX;
static int looks; /* a test does, with code of the loader */
void __sanitizer_cov_trace_pc(void) /* each block of the loader, with `positions` */
{
    if (!looks && (position++ == begins_at) && (next != 0) && (running != next)) {
        begin_next();
        begun++;
    }
}
uint32_t handler(uint32_t k) { return next->handlers[k]; }
uint64_t instruction(uint32_t k) { uint64_t i; memcpy(&i, &next->code[k], 8u); return i; }
uint32_t size(void) { return next->size; }
uint32_t steps(void) { return next->steps; }
uint32_t code_of_running(void) /* what the machine carries out */
{
    looks = 1;
    uint32_t sum = running->code == 0 ? 0 : carillon_crc32(running->entry, (const uint8_t *)running->code, 8u * running->size);
    looks = 0;
    return sum;
}
"""


@functools.cache
def _built(record: int, load: int, stops: int, log: int, generate: int, positions: int) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="carillon-loader-"))
    room = {"LOADER_BYTES": ROOM, "MICROCODE_RECORD": record, "LOADER_LOAD": load, "LOADER_LOG": log}
    room["MICROCODE_GENERATES"] = generate
    config = "".join(f"#define CARILLON_{name} {value}u\n" for name, value in room.items())
    config += f"#define CARILLON_LOADER_STOPS {stops}\n"
    config += '#define CARILLON_LOADER_RESETS application_resets\n#include "tests/config/carillon_off.h"\n'
    (folder / "carillon_config.h").write_text(config, encoding="ascii")
    (folder / "shim.c").write_text(SHIM, encoding="ascii")
    (folder / "first.c").write_text(f"#include <stdint.h>\nconst uint32_t first_checksum = {FIRST}u;\n", encoding="ascii")
    names = ["-Dcarillon_loader_image=image", "-Dcarillon_loader_key=key", "-Dcarillon_loader_first=first_checksum"]
    names.append("-Dcarillon_loader_times=image_times")
    options = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fPIC", f"-I{ROOT}", f"-I{folder}"]
    sanitizers = "address,undefined" if "CARILLON_ADDRESS" in os.environ else "undefined"
    options += [f"-fsanitize={sanitizers}", "-fno-sanitize-recover"]
    objects = []
    kernel = [
        ROOT / "kernel" / "microcode" / name for name in ("loader.c", "load.c", "log.c", "verify.c", "recorder.c", "generator.c")
    ]
    for source in (*kernel, folder / "shim.c", folder / "first.c"):
        objects.append(str(folder / f"{source.stem}.o"))
        own = [*names, *(["-fsanitize-coverage=trace-pc"] if positions else [])] if source in kernel else []
        subprocess.run(["gcc", *options, *own, "-c", str(source), "-o", objects[-1]], check=True)
    path = folder / "loader.so"
    subprocess.run(["gcc", *options[-2:], "-shared", "-Wl,-Bsymbolic", *objects, "-o", str(path)], check=True)
    return path


class Loaded:
    """A loader that was just reset: a line to it, and what its machine was given."""

    def __init__(
        self,
        program: Program,
        key: bytes,
        chance: int = 0,
        record: int = 0,
        resets: int = 0,
        load: int = 0,
        times: Sequence[int] = (),
        stops: int = 0,
        log: int = 0,
        generate: int = 0,
        positions: int = 0,
    ) -> None:
        source = _built(record, load, stops, log, generate, positions)
        handle, name = tempfile.mkstemp(prefix="loader-", suffix=".so", dir=source.parent)
        os.close(handle)
        copy = Path(name)
        copy.write_bytes(source.read_bytes())  # variables of its own
        self.library = ctypes.CDLL(str(copy))
        copy.unlink()
        self.library.carillon_siphash.restype = ctypes.c_uint64
        self.library.code_of_running.restype = ctypes.c_uint32
        own = image_of(program, 1, 2)
        ctypes.memmove(ctypes.addressof(Image.in_dll(self.library, "image")), ctypes.addressof(own), ctypes.sizeof(own))
        (ctypes.c_uint8 * 16).in_dll(self.library, "key")[:] = list(key)
        (ctypes.c_uint32 * 64).in_dll(self.library, "image_times")[: len(times)] = list(times)
        ctypes.c_uint32.in_dll(self.library, "chance").value = chance
        ctypes.c_uint32.in_dll(self.library, "resets").value = resets
        self._room = (ctypes.c_uint8 * 65536)()

    def close(self) -> None:
        """Where a test has thousands of them: each takes several of the mappings that a process may have."""
        _ctypes.dlclose(self.library._handle)

    def write(self, content: bytes) -> None:
        self.library.feed(content, len(content))

    def read(self) -> bytes:
        count = self.library.taken(self._room)
        return bytes(self._room[:count])

    def siphash(self, key: bytes, content: bytes) -> int:
        return int(self.library.carillon_siphash(key, content, len(content)))

    @property
    def replaced(self) -> int:
        """How often the machine was given a program."""
        return ctypes.c_uint32.in_dll(self.library, "replaced").value

    @property
    def joined(self) -> int:
        """Where what the last program adds begins; 0xFFFF: it replaced the one before."""
        return ctypes.c_uint32.in_dll(self.library, "joined").value

    def handlers(self, tasks: int) -> list[int]:
        """Those of the last program that the machine was given."""
        return [int(self.library.handler(k)) for k in range(tasks + 1)]

    def room(self, bindings: int, threads: int) -> None:
        """Room for so many triggers and threads."""
        image = Image.in_dll(self.library, "image")
        image.bindings, image.threads = bindings, threads

    def decided(self, block: int, task: int, order: int, now: int, length: int = 0) -> None:
        """The machine's scheduler has decided; with ``record`` alone."""
        self.library.carillon_recorder_decided(ctypes.c_uint16(block), ctypes.c_uint16(task), order, length, now)

    def forget(self, now: int) -> None:
        """The machine's program begins; with ``record`` alone."""
        self.library.carillon_recorder_forget(now)

    def idle(self) -> None:
        """No byte has come; with ``generate`` alone."""
        self.library.carillon_loader_idle()

    @property
    def continued(self) -> int:
        """How often the machine was given S code that was made here."""
        return ctypes.c_uint32.in_dll(self.library, "continued").value

    def code(self) -> list[tuple[int, int, int]]:
        """Of the last program that the machine was given: opcode and time, and both operands."""
        self.library.instruction.restype = ctypes.c_uint64
        words = [int(self.library.instruction(k)) for k in range(self.library.size())]
        return [(word & 0xFFFFFFFF, word >> 32 & 0xFFFF, word >> 48) for word in words]

    def steps(self) -> int:
        """More than it carries out at one instant."""
        return int(self.library.steps())

    def noted(self, kind: int, task: int, now: int) -> None:
        """The machine has done something; with ``log`` alone."""
        self.library.carillon_log_note(kind, ctypes.c_uint16(task), ctypes.c_uint32(now))

    def runs(self, program: ctypes.Structure) -> None:
        """The machine carries out a program that lies somewhere else, as the image's own does."""
        ctypes.c_void_p.in_dll(self.library, "running").value = ctypes.addressof(program)

    def begin_next(self) -> None:
        """The machine goes on with the program that it was given."""
        self.library.begin_next()

    def begin_at(self, position: int) -> None:
        """The machine goes on with the program that it was given when the loader has carried out so many blocks of code from
        now on; with ``positions`` alone."""
        (ctypes.c_uint64.in_dll(self.library, "begins_at")).value = self.position + position

    @property
    def position(self) -> int:
        """How many blocks of its code the loader has carried out; with ``positions`` alone."""
        return ctypes.c_uint64.in_dll(self.library, "position").value

    @property
    def begun(self) -> int:
        """How often ``begin_at`` has let a program begin."""
        return ctypes.c_uint32.in_dll(self.library, "begun").value

    def running(self) -> int:
        """A sum of what the machine carries out; 0: the image's program."""
        return int(self.library.code_of_running())
