/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that are there, and no more. */
#include "carillon/time.h"

void carillon_thread_missed(TaskType thread)
{
    (void)thread;
}

THREAD(Control)
{
}
THREAD(Commands)
{
}
THREAD(Files)
{
}
THREAD(Packets)
{
}
THREAD(Filter)
{
}
THREAD(Log)
{
}
