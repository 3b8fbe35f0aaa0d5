/* SPDX-License-Identifier: Apache-2.0
 *
 * What a library has for the project that links it: as on ARMv7-M, but for FAULTMASK, BASEPRI and priority groups. */
#include "ports/armv7m/carillon_library.h"
