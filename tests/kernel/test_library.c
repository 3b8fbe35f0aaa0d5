/* SPDX-License-Identifier: Apache-2.0
 *
 * What a C library (kernel/core/library.c) and the C++ ABI (kernel/core/cplusplus.c) ask of the kernel; with a heap in
 * the image, or without. */
#include "levels/port.h"

#include "kernel/core/library.h"

enum { BEFORE = 2 };

/* The ABI's names: operator delete, delete[], and those with a size. */
void _ZdlPv(void *memory);
void _ZdaPv(void *memory);
void _ZdlPvm(void *memory, __SIZE_TYPE__ bytes);
void _ZdaPvm(void *memory, __SIZE_TYPE__ bytes);
void _ZdlPvmSt11align_val_t(void *memory, __SIZE_TYPE__ bytes, __SIZE_TYPE__ alignment);
int __cxa_guard_acquire(volatile uint8_t *guard);
void __cxa_guard_release(volatile uint8_t *guard);
void __cxa_guard_abort(volatile uint8_t *guard);
void __cxa_pure_virtual(void);

static uint8_t block;

#ifdef HEAP
/* What `free` is in cplusplus.c. */
void heap_free(void *memory);
void heap_free(void *memory)
{
    assert_ptr_equal(memory, &block);
    note("free");
}
#define FREED "free "
#else
#define FREED ""
#endif

void carillon_port_unexpected(void)
{
    note("unexpected");
}

static int reset(void **state)
{
    (void)port_reset(state);
    port.mask = BEFORE;
    return 0;
}

static void pairs_of_the_lock_nest(void **state)
{
    (void)state;
    carillon_library_lock();
    assert_int_equal(port.mask, CARILLON_LEVELS);
    carillon_library_lock();
    carillon_library_unlock();
    assert_int_equal(port.mask, CARILLON_LEVELS);
    carillon_library_unlock();
    assert_int_equal(port.mask, BEFORE);
}

static void memory_is_given_back_to_the_heap_that_there_is(void **state)
{
    (void)state;
    _ZdlPv(&block);
    assert_log(FREED);
    _ZdaPv(&block);
    assert_log(FREED);
    _ZdlPvm(&block, 1u);
    assert_log(FREED);
    _ZdaPvm(&block, 1u);
    assert_log(FREED);
    _ZdlPvmSt11align_val_t(&block, 1u, 64u);
    assert_log(FREED);
}

/* Chapter 3.3.3 of the Itanium C++ ABI: 1 says that the caller has the object to construct, with the lock. */
static void a_static_object_is_constructed_once(void **state)
{
    (void)state;
    volatile uint8_t guard = 0u;
    assert_int_equal(__cxa_guard_acquire(&guard), 1);
    assert_int_equal(port.mask, CARILLON_LEVELS);
    __cxa_guard_release(&guard);
    assert_int_equal(port.mask, BEFORE);
    assert_int_equal(guard, 1);
    assert_int_equal(__cxa_guard_acquire(&guard), 0);
    assert_int_equal(port.mask, BEFORE);
}

static void one_whose_constructor_has_failed_is_constructed_later(void **state)
{
    (void)state;
    volatile uint8_t guard = 0u;
    assert_int_equal(__cxa_guard_acquire(&guard), 1);
    __cxa_guard_abort(&guard);
    assert_int_equal(port.mask, BEFORE);
    assert_int_equal(__cxa_guard_acquire(&guard), 1);
    __cxa_guard_release(&guard);
    assert_int_equal(port.mask, BEFORE);
}

static void a_pure_virtual_function_is_unexpected(void **state)
{
    (void)state;
    __cxa_pure_virtual();
    assert_log("unexpected ");
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pairs_of_the_lock_nest),
        TEST(memory_is_given_back_to_the_heap_that_there_is),
        TEST(a_static_object_is_constructed_once),
        TEST(one_whose_constructor_has_failed_is_constructed_later),
        TEST(a_pure_virtual_function_is_unexpected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
