/* SPDX-License-Identifier: Apache-2.0
 *
 * For the console.c of ARMv6-M and ARMv7-M: what newlib asks of its environment, so that printf writes to the console
 * and malloc has a heap.  Nothing of it is linked into an application that uses neither.  An application that defines
 * one of these functions replaces it.
 *
 * printf and malloc are for one task at a time: newlib knows nothing of preemption. */
#ifndef CARILLON_ENVIRONMENT_H
#define CARILLON_ENVIRONMENT_H

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>

#define WEAK __attribute__((weak))

extern char end[]; /* of variables; the names from here on are newlib's */

int _write(int file, const char *text, int length);
int _read(int file, char *text, int length);
int _close(int file);
int _fstat(int file, struct stat *status);
int _isatty(int file);
int _lseek(int file, int offset, int whence);
void *_sbrk(int bytes);
int _getpid(void);
int _kill(int process, int signal);
void _exit(int status) __attribute__((noreturn));

WEAK int _write(int file, const char *text, int length)
{
    (void)file;
    for (int k = 0; k < length; k++) {
        carillon_console_put(text[k]);
    }
    return length;
}

WEAK int _read(int file, char *text, int length)
{
    (void)file;
    (void)text;
    (void)length;
    return 0; /* the end of a file */
}

WEAK int _close(int file)
{
    (void)file;
    return 0;
}

/* Every file is the console, whose lines are written when they are complete. */
WEAK int _fstat(int file, struct stat *status)
{
    (void)file;
    status->st_mode = S_IFCHR;
    return 0;
}

WEAK int _isatty(int file)
{
    (void)file;
    return 1;
}

WEAK int _lseek(int file, int offset, int whence)
{
    (void)file;
    (void)offset;
    (void)whence;
    return 0;
}

/* The heap has half of what variables leave; the other half is the stack's. */
WEAK void *_sbrk(int bytes)
{
    static uintptr_t top;
    const uintptr_t begin = (uintptr_t)end;
    const uintptr_t limit = begin + (((uintptr_t)carillon_stack_top - begin) / 2u);
    const uintptr_t before = (top == 0u) ? begin : top;
    if ((bytes > 0) ? ((uintptr_t)bytes > (limit - before)) : ((0u - (uintptr_t)bytes) > (before - begin))) {
        errno = ENOMEM;
        return (void *)UINTPTR_MAX;
    }
    top = before + (uintptr_t)bytes;
    return (void *)before;
}

WEAK int _getpid(void)
{
    return 1;
}

WEAK int _kill(int process, int signal)
{
    (void)process;
    (void)signal;
    carillon_port_halt();
}

WEAK void _exit(int status)
{
    (void)status;
    carillon_port_halt();
}

#endif
