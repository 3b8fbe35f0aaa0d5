/* SPDX-License-Identifier: Apache-2.0 */
#define ANSWER PRO_SHUTDOWN
#include "shut-down.h"
