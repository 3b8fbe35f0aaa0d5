/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/osektime.h"

ttTASK(Bounded)
{
    carillon_work(100u);
}

ttTASK(Beside)
{
    carillon_work(100u);
}

ttTASK(Endless)
{
    for (;;) {
    }
}
