/* SPDX-License-Identifier: Apache-2.0
 *
 * What a C library asks where several tasks use its heap: a lock.
 *
 * Tasks, handlers and rounds may preempt each other anywhere, and none can wait for one that it has preempted.  So the
 * lock keeps all interrupts off, for as long as the library looks for a block.  The linker leaves out what nobody
 * calls.  On AVR there is no heap. */
#include "kernel/core/library.h"

#include <stddef.h>
#include <stdint.h>

#include "carillon_port.h"

static uint32_t before;
static uint8_t depth;

void carillon_library_lock(void)
{
    const uint32_t saved = carillon_port_lock();
    if (depth == 0u) {
        before = saved;
    }
    depth++;
}

void carillon_library_unlock(void)
{
    depth--;
    if (depth == 0u) {
        carillon_port_unlock(before);
    }
}

#if defined(__arm__)

/* newlib, which calls them with its state. */
void __malloc_lock(void *state);
void __malloc_unlock(void *state);
void __malloc_lock(void *state)
{
    (void)state;
    carillon_library_lock();
}
void __malloc_unlock(void *state)
{
    (void)state;
    carillon_library_unlock();
}

#elif defined(__riscv)

/* picolibc: every lock of it, which is this one.  Its own are in one file with these names, so that all are here. */
struct __lock;
extern char __lock___libc_recursive_mutex;
char __lock___libc_recursive_mutex;

#define TAKES(name)                    \
    void(name)(struct __lock * which); \
    void(name)(struct __lock * which)  \
    {                                  \
        (void)which;                   \
        carillon_library_lock();       \
    }
#define GIVES(name)                    \
    void(name)(struct __lock * which); \
    void(name)(struct __lock * which)  \
    {                                  \
        (void)which;                   \
        carillon_library_unlock();     \
    }
#define TRIES(name)                   \
    int(name)(struct __lock * which); \
    int(name)(struct __lock * which)  \
    {                                 \
        (void)which;                  \
        carillon_library_lock();      \
        return 1;                     \
    }
#define MAKES(name)                     \
    void(name)(struct __lock * *which); \
    void(name)(struct __lock * *which)  \
    {                                   \
        *which = NULL;                  \
    }
#define ENDS(name)                     \
    void(name)(struct __lock * which); \
    void(name)(struct __lock * which)  \
    {                                  \
        (void)which;                   \
    }

TAKES(__retarget_lock_acquire)
TAKES(__retarget_lock_acquire_recursive)
TRIES(__retarget_lock_try_acquire)
TRIES(__retarget_lock_try_acquire_recursive)
GIVES(__retarget_lock_release)
GIVES(__retarget_lock_release_recursive)
MAKES(__retarget_lock_init)
MAKES(__retarget_lock_init_recursive)
ENDS(__retarget_lock_close)
ENDS(__retarget_lock_close_recursive)

#endif
