/* SPDX-License-Identifier: Apache-2.0
 *
 * What a conformance case says: "ok NAME" or "FAIL NAME VALUE" for each check, and "end" after its last step.
 * Checks and marks may come from any level: each is made with all interrupts locked. */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "os.h"

#include "../firmware/report.h"

/* Keep the processor busy for so many milliseconds of the system clock. */
#define PASS_MS(milliseconds) carillon_work((milliseconds) * (CARILLON_CLOCK_HZ / 1000u))

#define EXPECT(name, condition) conformance_check((name), (condition), 0u)

/* The value of a failed check is what was seen. */
#define EXPECT_IS(name, actual, expected)                                \
    do {                                                                 \
        const uint32_t seen_ = (uint32_t)(actual);                       \
        conformance_check((name), seen_ == (uint32_t)(expected), seen_); \
    } while (0)

/* What happened since the last EXPECT_MARKS, a letter each, must be `expected`; on failure the value is the number of
 * the first letter that differs, and a comment says what was seen. */
#define EXPECT_MARKS(name, expected) conformance_marks_are((name), (expected))
#define MARK(letter) conformance_mark(letter)

/* The last step. */
#define FINISH()                    \
    do {                            \
        conformance_write("end\n"); \
        carillon_port_halt();       \
    } while (0)

#define CONFORMANCE_MARKS 63u

static char conformance_marks[CONFORMANCE_MARKS + 1u];
static uint32_t conformance_marked;

static inline void conformance_write(const char *text)
{
    while (*text != '\0') {
        report_byte(*text++);
    }
}

static inline void conformance_check(const char *name, bool holds, uint32_t value)
{
    const uint32_t saved = carillon_port_lock();
    if (holds) {
        conformance_write("ok ");
        conformance_write(name);
        report_byte('\n');
    } else {
        conformance_write("FAIL ");
        report(name, value);
    }
    carillon_port_unlock(saved);
}

static inline void conformance_mark(char letter)
{
    const uint32_t saved = carillon_port_lock();
    if (conformance_marked < CONFORMANCE_MARKS) {
        conformance_marks[conformance_marked++] = letter;
    }
    carillon_port_unlock(saved);
}

static inline void conformance_marks_are(const char *name, const char *expected)
{
    const uint32_t saved = carillon_port_lock();
    uint32_t same = 0;
    conformance_marks[conformance_marked] = '\0';
    while (expected[same] != '\0' && expected[same] == conformance_marks[same]) {
        same++;
    }
    if (expected[same] == conformance_marks[same]) {
        conformance_check(name, true, 0u);
    } else {
        conformance_check(name, false, same + 1u);
        conformance_write("# seen ");
        conformance_write(conformance_marks);
        report_byte('\n');
    }
    conformance_marked = 0;
    carillon_port_unlock(saved);
}

#endif
