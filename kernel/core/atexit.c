/* SPDX-License-Identifier: Apache-2.0
 *
 * What C++ asks of a board without a system, where there are C++ sources: objects that live for ever are never
 * destroyed. */
#include "carillon_config.h"

#if CARILLON_CONSTRUCTORS

extern void *__dso_handle; /* the names are the ABI's */
void *__dso_handle;

int __cxa_atexit(void (*destroy)(void *), void *object, void *handle);
int __cxa_atexit(void (*destroy)(void *), void *object, void *handle)
{
    (void)destroy;
    (void)object;
    (void)handle;
    return 0;
}

int __aeabi_atexit(void *object, void (*destroy)(void *), void *handle); /* the same on ARM */
int __aeabi_atexit(void *object, void (*destroy)(void *), void *handle)
{
    (void)object;
    (void)destroy;
    (void)handle;
    return 0;
}

int atexit(void (*destroy)(void)); /* the same on AVR, whose C library asks for a heap here */
__attribute__((weak)) int atexit(void (*destroy)(void))
{
    (void)destroy;
    return 0;
}

#endif
