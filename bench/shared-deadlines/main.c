/* SPDX-License-Identifier: Apache-2.0
 *
 * The task of the benchmark only works for a while. */
#include "carillon/osektime.h"
#include "carillon/work.h"

ttTASK(Task)
{
    carillon_work(20u);
}
