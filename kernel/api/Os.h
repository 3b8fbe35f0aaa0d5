/* SPDX-License-Identifier: Apache-2.0
 *
 * The name under which OSEK applications include the operating system. */
#include "carillon/osek.h"
