/* SPDX-License-Identifier: Apache-2.0 */
#define ANSWER PRO_TERMINATEAPPL_RESTART
#include "shut-down.h"
