/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/osektime.h"

/* A task's code: what it does takes no register, so that nothing is loaded at its end but what a handler needs. */
#define WORKS(name)                                   \
    __asm__ volatile("   nop\n"                       \
                     "   nop\n"                       \
                     ".global bench_" #name "_ends\n" \
                     "bench_" #name "_ends:")

ttTASK(Plain);
ttTASK(One);
ttTASK(Two);

ttTASK(Plain)
{
    WORKS(Plain);
}

ttTASK(One)
{
    WORKS(One);
}

ttTASK(Two)
{
    WORKS(Two);
}
