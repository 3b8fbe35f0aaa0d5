/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/osektime.h"

ttTASK(A)
{
    carillon_work(20);
}

ttTASK(B)
{
    carillon_work(20);
}

ttTASK(C)
{
    carillon_work(20);
}

ttTASK(First)
{
    carillon_work(20);
}

ttTASK(Second)
{
    carillon_work(20);
}
