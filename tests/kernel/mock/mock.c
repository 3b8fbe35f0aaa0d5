/* SPDX-License-Identifier: Apache-2.0 */
#include "mock.h"

#include <stdio.h>
#include <string.h>

static struct {
    char log[2000];
    bool active[256];
    bool pending[256];
    uint32_t counter;
    void (*before_read)(void);
    uint32_t reads;
    uint32_t locked;
    uint32_t idles_left;
    jmp_buf end;
} mock;

int mock_reset(void **state)
{
    (void)state;
    memset(&mock, 0, sizeof mock);
    return 0;
}

void mock_run(void (*function)(void), uint32_t idles)
{
    mock.idles_left = idles;
    if (setjmp(mock.end) == 0) {
        function();
    }
}

void mock_set_active(uint8_t source, bool active)
{
    mock.active[source] = active;
}

void mock_set_pending(uint8_t source, bool pending)
{
    mock.pending[source] = pending;
}

void mock_before_read(void (*what)(void))
{
    mock.before_read = what;
}

uint32_t mock_reads(void)
{
    return mock.reads;
}

void mock_set_counter(uint32_t value)
{
    mock.counter = value;
}

void note(const char *format, ...)
{
    const size_t used = strlen(mock.log);
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(mock.log + used, sizeof mock.log - used, format, arguments);
    va_end(arguments);
    assert_true(length > 0 && used + (size_t)length + 2u < sizeof mock.log);
    strcat(mock.log, " ");
}

void assert_log(const char *expected)
{
    assert_string_equal(mock.log, expected);
}

void clear_log(void)
{
    mock.log[0] = '\0';
}

void carillon_port_write(uint32_t address, uint32_t value)
{
    note("%x=%u", (unsigned)address, (unsigned)value);
}

uint32_t carillon_port_read(uint32_t address)
{
    (void)address;
    void (*const what)(void) = mock.before_read;
    mock.reads++;
    mock.before_read = NULL;
    if (what != NULL) {
        what();
    }
    return mock.counter;
}

void carillon_port_enable(uint32_t source, uint32_t mask)
{
    note("enable(%u,%x)", (unsigned)source, (unsigned)mask);
}

uint32_t carillon_port_lock(void)
{
    const uint32_t saved = mock.locked;
    note("lock");
    mock.locked = 1u;
    return saved;
}

void carillon_port_unlock(uint32_t saved)
{
    mock.locked = saved;
    note(saved == 0u ? "unlock" : "stay-locked");
}

void carillon_port_set_level(uint16_t source, uint16_t level)
{
    note("level(%u,%u)", source, level);
}

void carillon_port_set_vectors(const void *vectors)
{
    note("vectors(%s)", (const char *)vectors);
}

bool carillon_port_is_active(uint16_t source)
{
    return mock.active[source];
}

bool carillon_port_is_pending(uint16_t source)
{
    return mock.pending[source];
}

static void stores(const char *name, const struct carillon_store *list, uint32_t count)
{
    note("%s(", name);
    for (uint32_t i = 0; i < count; i++) {
        carillon_port_write(list[i].address, list[i].value);
    }
    note(")");
}

void carillon_port_start(const struct carillon_store *list, uint32_t count)
{
    stores("start", list, count);
}

void carillon_port_start_at(uint32_t counter, uint32_t target, const struct carillon_store *before,
                            uint32_t before_count, const struct carillon_store *list, uint32_t count)
{
    note("when(%x,%u)", (unsigned)counter, (unsigned)target);
    stores("before", before, before_count);
    stores("start", list, count);
}

void carillon_port_align(const struct carillon_shift *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        note("%x+=%u", (unsigned)list[i].counter, (unsigned)list[i].units);
    }
}

void carillon_port_run_lowered(carillon_vector function)
{
    note("lowered(");
    function();
    note(")");
}

void carillon_port_halt(void)
{
    note("halt");
    longjmp(mock.end, 1);
}

void carillon_port_idle(void)
{
    note("idle");
    if (mock.idles_left != 0u && --mock.idles_left == 0u) {
        longjmp(mock.end, 1);
    }
}

void carillon_port_spend(uint32_t ticks)
{
    (void)ticks;
}
