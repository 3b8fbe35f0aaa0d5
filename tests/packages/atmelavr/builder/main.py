# SPDX-License-Identifier: Apache-2.0
"""How PlatformIO builds for AVR, as its platform atmelavr does, with the compiler that is installed."""

from SCons.Script import Default, DefaultEnvironment

env = DefaultEnvironment()
board = env.BoardConfig()
chip = f"-mmcu={board.get('build.mcu')}"
env.Replace(AR="avr-gcc-ar", RANLIB="avr-gcc-ranlib", AS="avr-as", CC="avr-gcc", CXX="avr-g++", PROGSUFFIX=".elf")
env.Append(
    ASFLAGS=["-x", "assembler-with-cpp", chip],
    CCFLAGS=["-g", "-Os", "-w", "-ffunction-sections", "-fdata-sections", "-flto", chip],
    CFLAGS=["-std=gnu11"],
    # Debian's compiler leaves DECIMAL_DIG out of float.h for C++.
    CXXFLAGS=["-std=gnu++11", "-fpermissive", "-fno-exceptions", "-fno-threadsafe-statics", "-DDECIMAL_DIG=__DECIMAL_DIG__"],
    LINKFLAGS=["-Os", "-g", "-flto", "-fuse-linker-plugin", "-Wl,--gc-sections", chip],
    LIBS=["m"],
)
Default(env.BuildProgram())
