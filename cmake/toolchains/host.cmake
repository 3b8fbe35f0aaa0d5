# SPDX-License-Identifier: Apache-2.0
# Virtual boards: the compiler of this machine.
set(CMAKE_C_COMPILER cc)
