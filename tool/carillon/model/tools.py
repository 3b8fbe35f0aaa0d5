# SPDX-License-Identifier: Apache-2.0
"""The programs that build an image for a board, load it, run it and debug it: the board's [build], [flash], [run] and [debug]."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from carillon.model.fields import Count, Frozen, Identifier, Text


class Build(Frozen):
    """How firmware for the board is compiled.  Paths are absolute here, in the file relative to its own folder."""

    compiler: Text
    size: Text = "size"
    objcopy: Text = "objcopy"
    cflags: tuple[Text, ...] = ()
    ldflags: tuple[Text, ...] = ()
    sources: tuple[Text, ...] = ()
    linker_script: Text | None = None
    packages: tuple[Text, ...] = ()  # Debian packages that bring the compiler


class Run(Frozen):
    """How an image is run: natively, or in an emulator that the tracing plugin watches."""

    kind: Literal["native", "qemu", "simavr", "rigless", "rp2040js", "rtl"]
    command: tuple[Text, ...] = ()  # the emulator and its options; of all but QEMU see SPEC
    packages: tuple[Text, ...] = ()
    ram_end: Count = 0  # last address of external memory, which simavr is to have; 0: it has none
    warm_up_at: Annotated[int, Field(strict=True, ge=0, lt=2**32)] | None = None
    """Address of free memory, where the emulator's timers cannot be shifted further back than its power-up: the runner puts a
    loop of one round's length there that runs before reset."""
    code_base: Annotated[int, Field(strict=True, ge=0, lt=2**32)] = 0  # where the code region begins, for the tracing plugin
    code_bytes: Annotated[int, Field(strict=True, ge=1, le=2**32)] = 0x100000  # its size
    table_offset: Count = 0  # where in it the vector table of a vendor's start-up code begins
    pins: dict[Identifier, Count] = Field(default_factory=dict)
    """Pins that stimuli may use: how many there are, from 0, of each prefix of their names."""
    pin_names: dict[Identifier, Identifier] = Field(default_factory=dict)
    """Other names of such pins, as they are printed on the board."""
    adc: Count = 0  # channels of the converter that stimuli may use, from 0
    rewinds: bool = True  # QEMU keeps all of the machine's state in a snapshot, so that a debugger can go backwards

    @model_validator(mode="after")
    def _emulator(self) -> Self:
        if self.kind not in ("native", "rtl") and not self.command:
            raise ValueError(f"kind = \"{self.kind}\" needs a 'command'")
        return self


class Programmer(Frozen):
    """Another program that loads images; ``command`` is as in [flash]."""

    command: tuple[Text, ...] = Field(min_length=1, max_length=256)  # the programmer and its options
    packages: tuple[Text, ...] = ()  # Debian packages that bring the programmer


class Flash(Frozen):
    """How an image gets into the chip.  ``command`` has {port} and the images {elf}, {hex}, {bin}, {uf2} where they belong."""

    command: tuple[Text, ...] = Field(min_length=1, max_length=256)  # the programmer and its options
    packages: tuple[Text, ...] = ()  # Debian packages that bring the programmer
    bytes: Count = 0  # how long an image may be; 0: not known
    before: Text = ""  # what to do by hand before the command runs
    uf2_family: Annotated[int, Field(strict=True, ge=0, lt=2**32)] | None = None
    """Which chip the UF2 file is for, which the build writes then."""
    drive: Text = ""  # the drive that the chip shows, to which the UF2 file may be copied instead

    others: dict[Identifier, Programmer] = Field(default_factory=dict)  # other programmers, which --with names, by their names

    @model_validator(mode="after")
    def _placeholders(self) -> Self:
        commands = {"'command'": self.command} | {f"'others.{n}.command'": o.command for n, o in self.others.items()}
        for key, name in ((k, n) for k, c in commands.items() for n in re.findall(r"\{.*?\}", " ".join(c))):
            if name not in ("{port}", "{elf}", "{hex}", "{bin}", "{uf2}"):
                known = "'{port}', '{elf}', '{hex}', '{bin}' and '{uf2}'"
                raise ValueError(f"{key} has '{name}', and may have {known}")
            if name == "{uf2}" and self.uf2_family is None:
                raise ValueError(f"{key} has '{{uf2}}', and there is no 'uf2_family'")
        return self

    def by(self, name: str) -> Self:
        """The same with the programmer of that name in ``others``; KeyError if there is none."""
        other = self.others[name]
        return self.model_copy(update={"command": other.command, "packages": other.packages, "before": "", "drive": ""})


class Debug(Frozen):
    """How a debugger gets at the chip: a server for gdb, which listens at ``port`` of this machine."""

    server: tuple[Text, ...] = Field(min_length=1, max_length=256)  # the server and its options
    port: int = Field(default=3333, strict=True, ge=1, le=65535)  # where the server listens
    packages: tuple[Text, ...] = ()  # Debian packages that bring the server
