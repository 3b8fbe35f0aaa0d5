/* SPDX-License-Identifier: Apache-2.0
 *
 * The port is included, not linked: that gives access to its state, which each test wants fresh, and lets
 * its end come back to the test. */
#define _DEFAULT_SOURCE /* which the port wants before any header */
#include "machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void leave(int status) __attribute__((noreturn));

#define exit leave
#include "emulators/host/controller.c"
#undef exit

static jmp_buf end;
static int end_status;
static void (*the_scenario)(void);
static char log_text[1000];

static void leave(int status)
{
    end_status = status;
    longjmp(end, 1);
}

int __real_main(void)
{
    the_scenario();
    return 0;
}

int machine_main(int argc, char **argv, void (*scenario)(void))
{
    memset(&machine, 0, sizeof machine);
    log_text[0] = '\0';
    the_scenario = scenario;
    if (setjmp(end) == 0) {
        return __wrap_main(argc, argv);
    }
    return end_status;
}

int machine_run(void (*scenario)(void), const char *ticks)
{
    char name[] = "test", option[] = "--ticks", value[20];
    char *argv[] = {name, option, value, NULL};
    (void)snprintf(value, sizeof value, "%s", ticks);
    return machine_main(3, argv, scenario);
}

uint32_t machine_now(void)
{
    return (uint32_t)machine.now;
}

void machine_handlers(const carillon_vector *handlers, const uint8_t *levels, uint32_t count)
{
    carillon_port_set_vectors((const void *)handlers);
    for (uint32_t source = 0; source < count; source++) {
        carillon_port_set_level((uint8_t)source, levels[source]);
        carillon_port_enable(source, CARILLON_SOURCE_BIT(source));
    }
}

void machine_cell(uint32_t cell, uint32_t period, uint32_t prescaler)
{
    const struct carillon_store stores[] = {VIRTUAL_PREPARE(cell, period, period, prescaler)};
    for (size_t i = 0; i < sizeof stores / sizeof stores[0]; i++) {
        carillon_port_write(stores[i].address, stores[i].value);
    }
}

void machine_start(void)
{
    const struct carillon_store store = VIRTUAL_START(0u);
    carillon_port_start(&store, 1u);
}

void note(const char *what)
{
    const size_t used = strlen(log_text);
    assert_true(used + strlen(what) + 2u < sizeof log_text);
    (void)snprintf(log_text + used, sizeof log_text - used, "%s ", what);
}

void note_time(const char *what)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%s@%" PRIu64, what, machine.now);
    note(text);
}

void assert_log(const char *expected)
{
    assert_string_equal(log_text, expected);
}
