// SPDX-License-Identifier: Apache-2.0
#include "giotto.h"
void zero(int *x)
{
    *x = 0;
}
void read_p(int *p)
{
    *p = 1;
}
void read_q(int *q)
{
    *q = 2;
}
void do_one(const int *a, int *x)
{
    *x = *a;
}
void do_two(const int *b, int *y)
{
    *y = *b;
}
bool yes(void)
{
    return true;
}
void copy_p(const int *p, int *a)
{
    *a = *p;
}
void copy_q(const int *q, int *b)
{
    *b = *q;
}
bool high(const int *y)
{
    return *y > 100;
}
void nothing(void)
{
}
