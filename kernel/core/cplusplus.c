/* SPDX-License-Identifier: Apache-2.0
 *
 * What classes with virtual functions ask of the C++ library, which is not linked.
 *
 * A class with a virtual destructor refers to `operator delete`, in a function that destroys an object and gives its
 * memory back.  There is no heap, and nothing calls that function unless the application brings an `operator new`. Then
 * its own `operator delete` takes the place of these; where it has none, a C library's `free` gets the memory.
 *
 * A static object of a function is constructed where control first comes to it, with all interrupts locked: whoever
 * preempted its constructor could not wait for it. */
#include "carillon_config.h"
#include "carillon_port.h"
#include "kernel/core/library.h"

#if CARILLON_CONSTRUCTORS

extern void free(void *memory) __attribute__((weak));

/* The names are the ABI's; size_t is `j` or `m` in them. */
#if __SIZEOF_SIZE_T__ > 4
#define SIZED(before, after) before##m##after
#else
#define SIZED(before, after) before##j##after
#endif

static inline void give_back(void *memory)
{
    if (free != 0) {
        free(memory);
    }
}

void _ZdlPv(void *memory); /* operator delete(void *) */
__attribute__((weak)) void _ZdlPv(void *memory)
{
    give_back(memory);
}

void _ZdaPv(void *memory); /* operator delete[](void *) */
__attribute__((weak)) void _ZdaPv(void *memory)
{
    _ZdlPv(memory);
}

void SIZED(_ZdlPv, )(void *memory, __SIZE_TYPE__ bytes); /* operator delete(void *, size_t) */
__attribute__((weak)) void SIZED(_ZdlPv, )(void *memory, __SIZE_TYPE__ bytes)
{
    (void)bytes;
    _ZdlPv(memory);
}

void SIZED(_ZdaPv, )(void *memory, __SIZE_TYPE__ bytes);
__attribute__((weak)) void SIZED(_ZdaPv, )(void *memory, __SIZE_TYPE__ bytes)
{
    (void)bytes;
    _ZdaPv(memory);
}

/* operator delete(void *, size_t, std::align_val_t), of classes that are aligned more than usual */
void SIZED(_ZdlPv, St11align_val_t)(void *memory, __SIZE_TYPE__ bytes, __SIZE_TYPE__ alignment);
__attribute__((weak)) void SIZED(_ZdlPv, St11align_val_t)(void *memory, __SIZE_TYPE__ bytes, __SIZE_TYPE__ alignment)
{
    (void)bytes;
    (void)alignment;
    _ZdlPv(memory);
}

/* Is a static object to be constructed (ABI, section 3.3.3)?  The first byte of its guard says that it is there. */
int __cxa_guard_acquire(volatile uint8_t *guard);
__attribute__((weak)) int __cxa_guard_acquire(volatile uint8_t *guard)
{
    carillon_library_lock();
    if (*guard != 0u) {
        carillon_library_unlock();
        return 0;
    }
    return 1;
}

void __cxa_guard_release(volatile uint8_t *guard);
__attribute__((weak)) void __cxa_guard_release(volatile uint8_t *guard)
{
    *guard = 1u;
    carillon_library_unlock();
}

/* Its constructor has thrown an exception, which no code here does. */
void __cxa_guard_abort(volatile uint8_t *guard);
__attribute__((weak)) void __cxa_guard_abort(volatile uint8_t *guard)
{
    (void)guard;
    carillon_library_unlock();
}

/* A function was called that its class leaves to others: while the object is built or destroyed. */
void __cxa_pure_virtual(void);
__attribute__((weak)) void __cxa_pure_virtual(void)
{
    carillon_port_unexpected();
}

#endif
