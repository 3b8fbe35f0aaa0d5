# SPDX-License-Identifier: Apache-2.0
"""Whether a Giotto program's image receives other programs: the file ``NAME.upload`` that lies beside it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from carillon.diagnostics import Diagnostics
from carillon.model.giotto import Upload
from carillon.read.text import read_text

_NUMBERS = {
    "bytes": (4096, 64, 65_536),
    "triggers": (1, 1, 127),
    "threads": (2, 0, 254),
    "record": (0, 0, 4096),
    "generate": (0, 0, 3_600_000),
    "load": (0, 0, 100),
    "log": (0, 0, 4096),
}
"""Its keys, their defaults, and their least and greatest values."""
_THREADS = 2
"""Of S code that a target makes: the last block's thread ends at the instant at which the next one begins."""
_NO_KEY = bytes(16)
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def beside(path: Path, suffix: str) -> Path | None:
    """The file beside a Giotto program: S code (``.scode``), or how it receives others (``.upload``); None if there is none."""
    found = path.with_suffix(suffix)
    return found if found.is_file() else None


def read_key(path: Path) -> bytes | None:
    """A key: a file of 32 hexadecimal digits; None if it is none."""
    try:
        found = bytes.fromhex(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
    return found if len(found) == len(_NO_KEY) else None


def read_upload(path: Path, diagnostics: Diagnostics) -> Upload | None:
    """What the file beside a program says; None if there is none, or after C276 or the codes of :func:`read_text`."""
    said = beside(path, ".upload")
    text = None if said is None else read_text(said, diagnostics, "file of uploads", ".upload")
    if said is None or text is None:
        return None

    def refuse(cause: str, remedy: str) -> None:
        diagnostics.error("C276", None, f"{said}: {cause}", remedy)

    try:
        data = tomllib.loads(text.content)
    except tomllib.TOMLDecodeError as error:
        refuse(f"it is not TOML: {error}", "write KEY = VALUE, one a line")
        return None
    known = (*_NUMBERS, "shutdown", "key", "resets")
    for name in data.keys() - {*known}:
        refuse(f"there is no key '{name}'", f"write one of {', '.join(known)}")
    numbers = {}
    for name, (default, least, most) in _NUMBERS.items():
        value = data.get(name, default)
        if type(value) is not int or not least <= value <= most:
            refuse(f"'{name}' is not a number from {least} to {most}", f"write {name} = {default}")
        numbers[name] = value
    stops = data.get("shutdown", False)
    if type(stops) is not bool:
        refuse("'shutdown' is neither true nor false", "write shutdown = true")
    key = _NO_KEY
    if "key" in data:
        file = said.parent / str(data["key"])
        found = read_key(file)
        if found is None:
            refuse(f"'key' names {file}, which is no file of 32 hexadecimal digits", "make one: openssl rand -hex 16")
        else:
            key = found
    resets = data.get("resets", "")
    if "resets" in data and (not isinstance(resets, str) or not _NAME.fullmatch(resets)):
        refuse("'resets' is no name of a C function", 'write resets = "FUNCTION"')
    elif "key" in data and not resets:
        cause = "with a key alone, an upload that was recorded is good again after a reset: nothing tells one reset from another"
        refuse(cause, 'write resets = "FUNCTION": uint32_t FUNCTION(void) of yours returns a number that no reset repeats')
    if diagnostics.errors:
        return None
    if numbers["generate"] and not numbers["record"]:
        refuse("'generate' makes S code of what 'record' keeps, which is nothing", "write record = 64")
    if numbers["generate"] and numbers["threads"] < _THREADS:
        refuse(f"with 'generate', {_THREADS} threads wait at one time", f"write threads = {_THREADS}")
    if diagnostics.errors:
        return None
    return Upload(
        numbers["bytes"],
        numbers["triggers"],
        numbers["threads"],
        numbers["record"],
        numbers["generate"],
        numbers["load"],
        numbers["log"],
        key,
        resets,
        stops,
    )
