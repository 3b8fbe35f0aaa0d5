/* SPDX-License-Identifier: Apache-2.0
 *
 * printf of picolibc writes to the console.  Nothing of it is linked into an application that prints nothing.
 *
 * printf and malloc are for one task at a time: picolibc is told nothing of preemption. */
#include <stdio.h>

#include "carillon/console.h"

static int put(char byte, FILE *stream)
{
    (void)stream;
    carillon_console_put(byte);
    return 0;
}

static FILE console = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);

/* An application that defines one of these replaces all of them. */
FILE *const stdin = &console;
FILE *const stdout = &console;
FILE *const stderr = &console;
