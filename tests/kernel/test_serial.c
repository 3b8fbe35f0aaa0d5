/* SPDX-License-Identifier: Apache-2.0
 *
 * The owner of the loader on a chip (kernel/microcode/serial.c): what its thread asks the UART for, and what it does
 * under the lock. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "levels/port.h"

#include "kernel/microcode/loader.h"
#include "kernel/microcode/machine.h"
#include "kernel/microcode/tasks.h"
#include "kernel/run/kernel.h"

#include <sys/mman.h>

#include "carillon_board.h"

const struct carillon_microcode carillon_microcode_first;
static const struct carillon_microcode other;
static const struct carillon_microcode *present;
static uint32_t mask_then; /* when the machine was called */
static jmp_buf end;

static volatile uint32_t *uart(uint32_t address)
{
    return (volatile uint32_t *)(uintptr_t)address; /* where the board has it: see main */
}

const struct carillon_microcode *carillon_machine_program(void)
{
    return present;
}

void carillon_machine_replace(const struct carillon_microcode *program)
{
    assert_ptr_equal(program, &other);
    mask_then = port.mask;
    note("replace");
}

void carillon_machine_join(const struct carillon_microcode *program, uint16_t begin)
{
    assert_ptr_equal(program, &other);
    assert_int_equal(begin, 7u);
    mask_then = port.mask;
    note("join");
}

void carillon_machine_continue(const struct carillon_microcode *program)
{
    assert_ptr_equal(program, &other);
    mask_then = port.mask;
    note("continue");
}

void carillon_microcode_replaced(void)
{
    assert_int_equal(mask_then, CARILLON_OSEK_TOP);
    assert_int_equal(port.mask, mask_then);
    note("replaced");
}

void carillon_console_put(char byte)
{
    const char word[2] = {byte, '\0'};
    note(word);
}

/* What the thread finds: a byte, nothing, a byte again, and then nothing for some turns. */
static uint32_t idle;
void carillon_loader_byte(uint8_t byte)
{
    const char word[2] = {(char)byte, '\0'};
    note(word);
    *uart(CARILLON_CONSOLE_STATE) = ~CARILLON_CONSOLE_READY;
}

void carillon_loader_idle(void)
{
    idle++;
    assert_int_equal(carillon_loader_chance(), idle);
    note("idle");
    if (idle == 1u) {
        *uart(CARILLON_CONSOLE_DATA) = 0x100u + 'b';
        *uart(CARILLON_CONSOLE_STATE) = CARILLON_CONSOLE_READY;
    }
    if (idle == 3u) {
        longjmp(end, 1);
    }
}

static void the_thread_prepares_the_uart_and_asks_it_for_bytes(void **state)
{
    (void)state;
    *uart(CARILLON_CONSOLE_DATA) = 'a';
    *uart(CARILLON_CONSOLE_STATE) = CARILLON_CONSOLE_READY;
    assert_int_equal(carillon_loader_chance(), 0u);
    if (setjmp(end) == 0) {
        carillon_loader_thread();
    }
    assert_log("a idle b idle idle ");
    assert_int_equal(*uart(CARILLON_CONSOLE_DATA + 0x10u), 0x10u); /* CARILLON_CONSOLE_PREPARE */
    assert_int_equal(*uart(CARILLON_CONSOLE_DATA + 0x8u), 0x1u);
}

static void what_is_sent_goes_to_the_console(void **state)
{
    (void)state;
    carillon_loader_put('x');
    assert_log("x ");
}

static void before_the_first_tick_the_first_program_runs(void **state)
{
    (void)state;
    present = NULL;
    assert_ptr_equal(carillon_loader_running(), &carillon_microcode_first);
    present = &other;
    assert_ptr_equal(carillon_loader_running(), &other);
}

static void a_program_is_given_to_the_machine_under_the_lock(void **state)
{
    (void)state;
    carillon_loader_replace(&other, CARILLON_MICROCODE_NONE);
    assert_int_equal(port.mask, 0u);
    assert_log("replace replaced ");
    carillon_loader_replace(&other, 7u);
    assert_int_equal(port.mask, 0u);
    assert_log("join replaced ");
    carillon_loader_continue(&other);
    assert_int_equal(port.mask, 0u);
    assert_log("continue replaced ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_thread_prepares_the_uart_and_asks_it_for_bytes, port_reset),
        cmocka_unit_test_setup(what_is_sent_goes_to_the_console, port_reset),
        cmocka_unit_test_setup(before_the_first_tick_the_first_program_runs, port_reset),
        cmocka_unit_test_setup(a_program_is_given_to_the_machine_under_the_lock, port_reset),
    };
    void *const page = (void *)(uintptr_t)CARILLON_CONSOLE_DATA;
    if (mmap(page, 4096u, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
