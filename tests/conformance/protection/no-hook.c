/* SPDX-License-Identifier: Apache-2.0 */
#include "shut-down.h"
