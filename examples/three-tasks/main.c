/* SPDX-License-Identifier: Apache-2.0
 *
 * Three time-triggered tasks.  The hardware starts them; there is nothing else to do. */
#include "carillon/osektime.h"

ttTASK(Task1);
ttTASK(Task2);
ttTASK(Task3);

ttTASK(Task1)
{
    carillon_work(120);
}

ttTASK(Task2)
{
    carillon_work(100);
}

ttTASK(Task3)
{
    carillon_work(250);
}
