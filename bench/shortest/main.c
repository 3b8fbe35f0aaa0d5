/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/osektime.h"

ttTASK(Task);

ttTASK(Task)
{
}
