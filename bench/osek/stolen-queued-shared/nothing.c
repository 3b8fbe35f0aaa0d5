/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

ALARMCALLBACK(nothing)
{
}
