/* SPDX-License-Identifier: Apache-2.0
 *
 * Two tasks: one that is written in assembler and saves nothing, and one whose registers the compiler saves. */
#include "carillon/osektime.h"

ttTASK(Bare) __attribute__((naked));
ttTASK(Usual);

ttTASK(Bare)
{
    __asm__ volatile(".global bench_bare\n"
                     "bench_bare: reti");
}

ttTASK(Usual)
{
    __asm__ volatile(".global bench_usual\n"
                     "bench_usual:");
}
