/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/osektime.h"

ttTASK(Fast);
ttTASK(Slow);

ttTASK(Fast)
{
    carillon_work(20);
}

ttTASK(Slow)
{
    carillon_work(20);
}
