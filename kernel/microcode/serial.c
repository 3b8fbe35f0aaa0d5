/* SPDX-License-Identifier: Apache-2.0
 *
 * The owner of the loader on a chip: a thread below all tasks, which asks the console's UART for bytes.  It needs no
 * interrupt, and takes only time that is left; a byte that comes while it has none may be lost.  Then the sum of a
 * frame is wrong, and the host sends it again. */
#include "kernel/microcode/loader.h"
#include "kernel/microcode/machine.h"
#include "kernel/microcode/tasks.h"
#include "kernel/run/kernel.h"

#include "carillon/console.h"
#include "carillon_board.h"

#include <stddef.h>

#define UART(address) (*(volatile CARILLON_CONSOLE_REGISTER *)(uintptr_t)(address))
#define STORE(address, value) UART(UINT32_C(address)) = (CARILLON_CONSOLE_REGISTER)(value);

static uint32_t turns; /* without a byte: how many depends on when the host asks */

void carillon_loader_put(uint8_t byte)
{
    carillon_console_put((char)byte);
}

uint32_t carillon_loader_chance(void)
{
    return turns;
}

const struct carillon_microcode *carillon_loader_running(void)
{
    const struct carillon_microcode *const program = carillon_machine_program(); /* reads one word */
    return (program != NULL) ? program : &carillon_microcode_first;              /* before the machine's first tick */
}

void carillon_loader_replace(const struct carillon_microcode *program, uint16_t begin)
{
    const uint32_t saved = carillon_osek_lock();
    if (begin == CARILLON_MICROCODE_NONE) {
        carillon_machine_replace(program);
    } else {
        carillon_machine_join(program, begin);
    }
    carillon_microcode_replaced();
    carillon_osek_unlock(saved); /* the machine asks at its next instant */
}

#if CARILLON_MICROCODE_GENERATES > 0u
void carillon_loader_continue(const struct carillon_microcode *program)
{
    const uint32_t saved = carillon_osek_lock();
    carillon_machine_continue(program);
    carillon_microcode_replaced();
    carillon_osek_unlock(saved);
}
#endif

void carillon_loader_thread(void)
{
    CARILLON_CONSOLE_PREPARE(STORE)
    for (;;) {
        if ((UART(CARILLON_CONSOLE_STATE) & CARILLON_CONSOLE_READY) != 0u) {
            carillon_loader_byte((uint8_t)UART(CARILLON_CONSOLE_DATA));
        } else {
            turns++;
            carillon_loader_idle();
        }
    }
}
