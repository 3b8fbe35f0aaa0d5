# SPDX-License-Identifier: Apache-2.0
"""The boards, and what is drawn for each."""

from __future__ import annotations

from drawing import Profile
from machine import Target
from model import Costs

_EXT = ("ext0", "ext1", "ext2")
_SOFT = ("soft0", "soft1")
TARGETS = {
    t.profile.board: t
    for t in (
        Target(Profile("virtual-256", 100, tables=30, interrupts=_EXT, mixed=True)),
        Target(Profile("virtual-tiny", 100, tables=30, tasks=2, points=5, modes=1, interrupts=("ext0", "ext1"), enables=False)),
        Target(Profile("virtual-ast1030-evb", 1000, tables=30, interrupts=_SOFT, mixed=True, tasks=4, points=14)),
        Target(Profile("tc1796", 100, tables=30, interrupts=("srn64", "srn65"))),
        Target(
            Profile("ast1030-evb", 5000, tables=30, interrupts=_SOFT, mixed=True, tasks=4, points=14, fine=1000),
            Costs(160, 160, 300, 40, 60),
            edge=60,
            tabled=Costs(300, 160, 300, 40, 60),
        ),
        Target(
            Profile(
                "mps2-an385", 2000, gathers=50, tables=30, interrupts=_SOFT, tasks=5, points=8, fine=400, modes=1, steps=(1, 2)
            ),
            Costs(50, 50, 100, 10, 25),
            edge=20,
            slack=5,
        ),
        Target(
            Profile(
                "mps2-an505", 1000, gathers=50, tables=30, interrupts=_SOFT, tasks=5, points=8, fine=200, modes=1, steps=(1, 2)
            ),
            Costs(20, 20, 30, 4, 10),
            edge=10,
            slack=25,
        ),
        Target(  # a tick is a cycle
            Profile("cv32e40x-rtl", 5000, tables=30, interrupts=_SOFT, tasks=4, points=14, fine=1000),
            Costs(160, 160, 300, 40, 60),
            edge=60,
            tabled=Costs(300, 160, 300, 40, 60),
        ),
        *(
            Target(
                Profile(
                    board, 4000, interrupts=_SOFT, mixed=True, tasks=n, points=8, modes=1, fine=1000, steps=(1, 2), conventional=0
                ),
                Costs(240, 160, 300, 40, 60),  # a source of four channels takes back each of them, 180 cycles
                edge=60,
            )
            for board, n in (("stm32f4-discovery", 4), ("blackpill-f411", 3))
        ),
        Target(
            Profile("atmega128", 2000, interrupts=_SOFT, below=False, tasks=4, modes=1, fine=500, steps=(1, 2)),
            Costs(450, 450, 600, 60, 150),
            by_time=True,
            edge=200,
            slack=60,
        ),
        Target(
            Profile("atmega2560", 2000, interrupts=_SOFT, below=False, tasks=5, modes=1, fine=500, steps=(1, 2)),
            Costs(450, 450, 600, 60, 150),
            by_time=True,
            edge=200,
            slack=60,
        ),
        Target(
            Profile("arduino-uno", 2000, interrupts=_SOFT, below=False, tasks=2, points=6, modes=1, fine=500, steps=(1, 2)),
            Costs(450, 450, 600, 60, 150),
            by_time=True,
            edge=200,
            slack=60,
        ),
        Target(
            Profile("arduino-leonardo", 2000, interrupts=_SOFT, below=False, tasks=4, modes=1, fine=500, steps=(1, 2)),
            Costs(450, 450, 600, 60, 150),
            by_time=True,
            edge=200,
            slack=60,
        ),
        Target(
            Profile("atmega128-xmem", 2000, interrupts=_SOFT, below=False, tasks=4, modes=1, fine=500, steps=(1, 2)),
            Costs(450, 450, 600, 60, 150),
            by_time=True,
            edge=200,
            slack=60,
        ),
        Target(
            Profile(
                "qemu-rv32-virt",
                1000,
                tables=50,
                interrupts=("soft0", "soft1"),
                tasks=1,
                points=4,
                modes=1,
                fine=200,
                mixed=True,
                deadlines=False,
                enables=False,
            ),
            Costs(20, 20, 20, 4, 20),
            edge=8,
            slack=80,
            tabled=Costs(45, 45, 45, 4, 20),
        ),
        # A tick is 125 instructions.  A start of the Pico's slices takes some of them after the alarms' microsecond, and
        # QEMU's timer of the nRF51 expires up to a tick late.
        *(
            Target(
                Profile(
                    board,
                    1000,
                    gathers=50,
                    tables=30,
                    interrupts=_SOFT,
                    tasks=tasks,
                    points=points,
                    modes=1,
                    fine=200,
                    steps=(1, 2),
                    mixed=True,
                ),
                Costs(5, 5, 6, 2, 12),
                apart=True,
                edge=14,
                tabled=Costs(12, 8, 12, 2, 12),
                slack=slack,
            )
            for board, tasks, points, slack in (("raspberry-pi-pico", 5, 10, 90), ("microbit", 4, 8, 220))
        ),
    )
}
