/* SPDX-License-Identifier: Apache-2.0
 *
 * newlib's environment on ARMv6-M. */
#include "carillon/console.h"
#include "carillon_port.h"

#include "ports/armv7m/environment.h"
