# SPDX-License-Identifier: Apache-2.0
"""What switches of the kernel there are, and what each is in an image that lacks its part.

Every switch is in each image that has the file, so that C asks for a value, never whether there is one.  Of an image without an
event-triggered system there is no ``carillon_osek.h``, and none of the files that read it is compiled.
"""

from __future__ import annotations

from carillon.image import Value
from carillon.image.registry.osek import OSEK
from carillon.image.registry.switch import Switch
from carillon.image.registry.system import ROUNDS, WHOLE
from carillon.image.registry.time import TIME

FILES: dict[str, dict[str, tuple[Switch, ...]]] = {"carillon_config.h": WHOLE | TIME | ROUNDS, "carillon_osek.h": OSEK}
"""All switches, by generated file and part."""

OPTIONAL = frozenset({"CARILLON_LOADER_RESETS"})
"""What only some images define: the name of a function of the application, which others do not have."""


def of_file(name: str) -> tuple[Switch, ...]:
    """All switches of a generated file."""
    return tuple(switch for part in FILES[name].values() for switch in part)


def _off(name: str) -> dict[str, Value]:
    return {switch.name: switch.off for switch in of_file(name) if switch.off is not None}


OFF = _off("carillon_config.h")
"""What the switches of ``carillon_config.h`` are where nothing else is said."""

OSEK_OFF = _off("carillon_osek.h")
"""What switches of ``carillon_osek.h`` are where nothing else is said."""
