# SPDX-License-Identifier: Apache-2.0
"""What the papers say of EPOS: its figures, and the periods, timers and scenarios that were measured.

- A. A. Froehlich, G. Gracioli, J. F. Santos, *Periodic timers revisited* (2011): tables I to IV, figures 8 to 11.
- G. Gracioli et al., *One-shot time management analysis in EPOS* (2008): tables 1 to 3, figures 3 and 4.
"""

from __future__ import annotations

PERIODIC, ONE_SHOT, COMPARE = "periodic", "one-shot", "compare"

PERIODS_US = (100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)

TIMER_HZ = (7_200, 28_800, 115_200)

EPOS_PERIODS = {
    (PERIODIC, 7_200): (277, 1_944, 10_138, 100_138, 1_000_138, 10_001_388),
    (PERIODIC, 28_800): (173, 1_214, 10_034, 100_034, 1_000_034, 10_000_346),
    (PERIODIC, 115_200): (147, 1_032, 10_008, 100_008, 1_000_016, 10_000_173),
    (ONE_SHOT, 7_200): (268, 1_240, 10_128, 100_128, 1_000_128, 10_138_457),
    (ONE_SHOT, 28_800): (164, 1_031, 10_059, 100_059, 1_000_094, 10_282_728),
    (ONE_SHOT, 115_200): (136, 1_031, 10_033, 100_036, 1_152_970, 10_921_704),
}
"""Periodic timers revisited, tables I and II: measured periods in microseconds."""

HANDLERS_CRYSTAL_HZ = 8_000_000
"""Of table III and figures 9 to 11: their timer's clock of 125 kHz is this by 64.  No prescaler makes it of 7.2 MHz."""

EPOS_HANDLERS_US = {"tick_only": 14, "release_one_alarm": 42, "one_shot_release": 212}
"""Table III."""

EPOS_THREADS_US = {2: (81, 111, 63, 23), 3: (84, 117, 63, 25), 4: (91, 178, 63, 36), 5: (97, 190, 63, 41), 6: (107, 263, 63, 55)}
"""Table IV: average, maximum, minimum, standard deviation."""

EPOS_PWM_US = {"1000Hz": (40.75, 1.72), "500Hz": (40.51, 1.19), "50Hz": (40.47, 0.97), "one_shot": (40.52, 1.12)}
"""Figure 11: mean and standard deviation of the thread's period."""

EPOS_PHILOSOPHERS = {
    1: {"interrupts": (26_005, 100), "slices": (26_415, 3_559), "switches": (616, 344)},
    2: {"interrupts": (9_843, 100), "slices": (10_252, 320), "switches": (615, 360)},
    3: {"interrupts": (3_079, 100), "slices": (3_239, 68), "switches": (617, 317)},
}
"""One-shot time management analysis in EPOS, tables 2 and 3: periodic and one-shot, per scenario.

``slices``: of the scheduler's handler, ``master_handler``.  The periodic figures of scenario 1 are less than the dinner
lasts; with ``WRAPPED`` more they are as long as it."""

WRAPPED = 65_536
"""What a counter of 16 bits loses when it wraps."""

EPOS_FOOTPRINT = (32_000, 32_504)

SCENARIOS = {1: (1_000, 5_000), 2: (100, 500), 3: (25, 125)}
"""Milliseconds that a philosopher thinks and eats."""

CRYSTAL_HZ = 7_372_800
"""The papers call it 7.2 MHz; its quotients by the prescalers are their timers' clocks exactly."""

MUST = {"tick_only": 60, "release_one_alarm": 200, "one_shot_release": 260}
