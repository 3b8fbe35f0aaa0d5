/* SPDX-License-Identifier: Apache-2.0
 *
 * Reset on ARMv7-M. */
#include "carillon_board.h"
#include "carillon_port.h"

#include "ports/armv7m/reset.h"
