/* SPDX-License-Identifier: Apache-2.0 */
#define TELLS_PRE 0
#define TELLS_POST 1
#include "sequences.h"
