# SPDX-License-Identifier: Apache-2.0
"""What switches of the kernel there are, and what each is in an image that lacks its part.

Every switch is in each image that has the file, so that C asks for a value, never whether there is one.  Of an image without an
event-triggered system there is no ``carillon_osek.h``, and none of the files that read it is compiled.
"""

from __future__ import annotations

from carillon.image import OneOf, Unsigned, Value
from carillon.model.time import TimedKind

OFF: dict[str, Value] = {
    # The queue of counters and of the clock.
    "CARILLON_TIME_BITS": 32,
    "CARILLON_DISTANCE_BITS": 64,
    "CARILLON_QUEUE_TREE": False,
    "CARILLON_QUEUE_COUNTERS": False,
    "CARILLON_QUEUE_MOVES": False,
    # The clock of the time services.
    "CARILLON_CLOCK": "CARILLON_CLOCK_NONE",
    "CARILLON_CLOCK_BITS": 32,
    "CARILLON_CLOCK_MINIMUM": Unsigned(1),
    "CARILLON_CLOCK_LATEST": Unsigned(0),
    "CARILLON_CLOCK_FARTHEST": "CARILLON_LAP",
    "CARILLON_CLOCK_KEEPS_TIME": False,
    "CARILLON_CLOCK_REQUESTS": False,
    "CARILLON_CLOCK_NESTS": False,
    "CARILLON_CLOCK_CALLED": False,
    "CARILLON_CLOCK_HOOKED": False,
    "CARILLON_CLOCK_RESTARTS": False,
    "CARILLON_CLOCK_COST": Unsigned(0),
    "CARILLON_CLOCK_BEHIND": Unsigned(0),
    "CARILLON_CLOCK_SLACK": Unsigned(0),
    "CARILLON_CLOCK_UNITS": Unsigned(0),
    # The time services.
    "CARILLON_TIME_NOW": False,
    "CARILLON_TIME_COUNTS": False,
    "CARILLON_TIME_UPTIME": False,
    "CARILLON_TIME_UNITS": Unsigned(1),
    "CARILLON_TIME_UNIT_HZ": "CARILLON_TIME_HZ",
    "CARILLON_TIME_UNIT_HZ_DIVISOR": "CARILLON_TIME_HZ_DIVISOR",
    "CARILLON_TIME_TICKS_INLINE": False,
    "CARILLON_TIME_SLACK": Unsigned(0),
    "CARILLON_TIME_FAR": False,
    "CARILLON_TIME_RTC": False,
    "CARILLON_TIME_OFFSETS": Unsigned(0),
    "CARILLON_TIME_DEADLINES": Unsigned(0),
    "CARILLON_TIME_HZ": Unsigned(0),
    "CARILLON_TIME_HZ_DIVISOR": Unsigned(1),
    **{f"CARILLON_TIME_{kind.name}S": False for kind in TimedKind},
    # The time base.
    "CARILLON_BASE_BITS": 0,
    "CARILLON_TICKLESS": False,
    # Rounds.
    "CARILLON_ROUND_BUDGETS": Unsigned(0),
    "CARILLON_SHUTDOWN_ON_OVERRUN": False,
    "CARILLON_SYNC_HARD": False,
    "CARILLON_SYNC_PRECISION": Unsigned(0),
    "CARILLON_SYNC_SILENCE": Unsigned(0),
    "CARILLON_BUDGETS_IN_QUEUE": False,
    "CARILLON_TRACE": False,
    # Microcode.
    "CARILLON_MICROCODE_TASKS": Unsigned(0),
    "CARILLON_MICROCODE_BINDINGS": Unsigned(0),
    "CARILLON_MICROCODE_THREADS": Unsigned(0),
    "CARILLON_MICROCODE_MISSED": False,
    "CARILLON_MICROCODE_TOLD": False,
    "CARILLON_MICROCODE_UNITS": Unsigned(0),
    "CARILLON_MICROCODE_WAKES": Unsigned(0),
    "CARILLON_MICROCODE_RECORD": Unsigned(0),
    "CARILLON_LOADER_BYTES": Unsigned(0),
}
"""What the switches of ``carillon_config.h`` are where nothing else is said."""

OSEK_OFF: dict[str, Value] = {
    "CARILLON_OSEK_FIRST_SERVED": Unsigned(255),
    "CARILLON_OSEK_IS_SERVED(level)": OneOf(()),
    "CARILLON_OSEK_BUDGETS": False,
    "CARILLON_OSEK_ISR_BUDGETS": False,
    "CARILLON_OSEK_LOCKS": Unsigned(0),
    "CARILLON_OSEK_FRAMES": Unsigned(0),
    "CARILLON_OSEK_PROTECTION_HOOK": False,
}
"""What switches of ``carillon_osek.h`` are where nothing else is said."""
