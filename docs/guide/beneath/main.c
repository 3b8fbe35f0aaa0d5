/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

#include "carillon/osektime.h"

#define PASS_US(us) carillon_work((us) * (CARILLON_CLOCK_HZ / 1000000u))

ttTASK(Current)
{
    PASS_US(200u);
}

/* It finds no end. */
TASK(Search)
{
    for (;;) {
        PASS_US(100u);
    }
}

ProtectionReturnType ProtectionHook(StatusType error)
{
    (void)error;
    return PRO_TERMINATETASKISR;
}
