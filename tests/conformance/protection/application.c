/* SPDX-License-Identifier: Apache-2.0 */
#define ANSWER PRO_TERMINATEAPPL
#include "shut-down.h"
