# SPDX-License-Identifier: Apache-2.0
"""The framework: Arduino's core, as Debian has it."""

from SCons.Script import DefaultEnvironment

HARDWARE = "/usr/share/arduino/hardware/arduino/avr"

env = DefaultEnvironment()
board = env.BoardConfig()
core, variant = f"{HARDWARE}/cores/{board.get('build.core')}", f"{HARDWARE}/variants/{board.get('build.variant')}"
env.Append(CPPPATH=[core, variant], CPPDEFINES=[("F_CPU", "$BOARD_F_CPU"), ("ARDUINO", 10819), "ARDUINO_ARCH_AVR"])
env.Prepend(LIBS=[env.BuildLibrary("$BUILD_DIR/FrameworkArduino", core)])
