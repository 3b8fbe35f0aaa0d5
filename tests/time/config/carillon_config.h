/* SPDX-License-Identifier: Apache-2.0
 *
 * native.py gives the configuration on the compiler's command line.  What it does not say is as a test wants it that
 * asks for the most. */
#ifndef CARILLON_CONFIG_H
#define CARILLON_CONFIG_H

#include "tests/config/carillon_most.h"
#include "tests/config/carillon_off.h"

#endif
