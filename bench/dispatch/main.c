/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/osektime.h"

ttTASK(Plain);
ttTASK(One);
ttTASK(Two);
ttTASK(Many);

ttTASK(Plain)
{
    carillon_work(20);
}

ttTASK(One)
{
    carillon_work(20);
}

ttTASK(Two)
{
    carillon_work(20);
}

ttTASK(Many)
{
    carillon_work(20);
}
