/* SPDX-License-Identifier: Apache-2.0 */
#define ANSWER PRO_IGNORE
#include "shut-down.h"
