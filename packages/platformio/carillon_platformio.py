# SPDX-License-Identifier: Apache-2.0
"""What PlatformIO runs before it builds a project that has Carillon among its libraries.

It makes the library of the project's schedule, and links it.  ``custom_carillon_schedule`` and ``custom_carillon_board`` of the
project's environment name another schedule than ``schedule.toml``, and another board than the schedule's.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from SCons.Script import Exit, Import

Import("env")


def stop(message):
    sys.stderr.write(f"Carillon: {message}\n")
    Exit(1)


# PlatformIO's own Python may have the tool, too.
command = shutil.which("carillon") or shutil.which("carillon", path=Path(sys.executable).parent)
if command is None:
    stop("there is no command 'carillon': pip install carillon-rtos")
schedule = Path(env.subst("$PROJECT_DIR"), env.GetProjectOption("custom_carillon_schedule", "schedule.toml"))
if not schedule.is_file():
    stop(f"there is no schedule {schedule}: write one, or name it with custom_carillon_schedule in platformio.ini")
arguments = [command, "build", "--library", str(schedule), "--json", "-o", env.subst("$BUILD_DIR/carillon")]
board = env.GetProjectOption("custom_carillon_board", "")
if board:
    arguments += ["--board", board]
made = subprocess.run(arguments, stdout=subprocess.PIPE, text=True, check=False)
if made.returncode:
    stop(f"{schedule} has no library:\n{made.stdout}")
library = json.loads(made.stdout)
env.Append(
    CPPPATH=[library["include"]],
    LIBPATH=[str(Path(library["archive"]).parent)],
    LIBS=["carillon"],
    LINKFLAGS=[library["fragment"]],
)
