/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/osektime.h"

ttTASK(A);
ttTASK(B);
ttTASK(C);
ttTASK(D);
ttTASK(E);
ttTASK(F);
ttTASK(G);
ttTASK(H);

ttTASK(A)
{
}

ttTASK(B)
{
}

ttTASK(C)
{
}

ttTASK(D)
{
}

ttTASK(E)
{
}

ttTASK(F)
{
}

ttTASK(G)
{
}

ttTASK(H)
{
}
