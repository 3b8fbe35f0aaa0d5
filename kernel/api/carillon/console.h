/* SPDX-License-Identifier: Apache-2.0
 *
 * Text from the application.  It goes through a UART of the board, or on a virtual board through standard output, and
 * `carillon run` shows it.  Nothing is buffered: a function returns when the UART has taken the last byte.  A task or
 * interrupt that preempts the function may print in the middle of its line. */
#ifndef CARILLON_CONSOLE_H
#define CARILLON_CONSOLE_H

#include <stdint.h>

#include "carillon_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Print a byte.  The port or the board defines this function.  The application may define it, too, and replaces it
 * then.
 *
 * byte: the byte.
 * Errors: none.
 * From: everywhere.
 * Source: Carillon's own. */
void carillon_console_put(char byte);

/* Print text.
 *
 * text: the text, ended by a byte of zero.
 * Errors: none.
 * From: everywhere.
 * Source: Carillon's own. */
static inline void carillon_print(const char *text)
{
    for (const char *next = text; *next != '\0'; next++) {
        carillon_console_put(*next);
    }
}

/* Print a number, in decimal digits.
 *
 * number: the number.
 * Errors: none.
 * From: everywhere.
 * Source: Carillon's own. */
static inline void carillon_print_number(uint32_t number)
{
    static const char values[] = "0123456789";
    char digits[10];
    uint8_t count = 0u;
    uint32_t left = number;
    do {
        digits[count] = values[left % 10u];
        count++;
        left /= 10u;
    } while (left != 0u);
    while (count != 0u) {
        count--;
        carillon_console_put(digits[count]);
    }
}

/* Print a line: a name, a space and a number.
 *
 * name: the name.
 * value: the number.
 * Errors: none.
 * From: everywhere.
 * Source: Carillon's own. */
static inline void carillon_say(const char *name, uint32_t value)
{
    carillon_print(name);
    carillon_console_put(' ');
    carillon_print_number(value);
    carillon_console_put('\n');
}

#ifdef __cplusplus
}
#endif

#endif
