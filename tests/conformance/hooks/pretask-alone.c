/* SPDX-License-Identifier: Apache-2.0 */
#define TELLS_PRE 1
#define TELLS_POST 0
#include "sequences.h"
