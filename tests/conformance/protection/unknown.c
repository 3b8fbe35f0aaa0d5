/* SPDX-License-Identifier: Apache-2.0 */
#define ANSWER ((ProtectionReturnType)77u)
#include "shut-down.h"
