/* SPDX-License-Identifier: Apache-2.0
 *
 * ports/host without a machine behind it: a mask is a level, registers keep what is written, and a test says which
 * source is served, and which ones wait. */
#ifndef CARILLON_TESTS_LEVELS_PORT_H
#define CARILLON_TESTS_LEVELS_PORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "carillon_port.h"

struct port {
    uint32_t mask;
    uint32_t current; /* the source that is served, 0: none */
    uint32_t requests, forgotten;
    uint32_t runs; /* of functions by CARILLON_RUN */
    /* The mask when a register, or the budget, was last read or stored, and when it was last asked what waits. */
    uint32_t mask_at_read, mask_at_store, mask_at_look;
    uint32_t mask_before; /* before it was last raised */
    uint32_t needless;    /* how often a mask was restored that was restored already */
    bool pending[CARILLON_SOURCES], active[CARILLON_SOURCES];
    char log[400]; /* of note() */
};
extern struct port port;

/* Forget everything, for each test. */
int port_reset(void **state);
/* A register. */
uint32_t *port_register(uint32_t address);
/* What happens at each read of a register, before it; NULL: nothing. */
extern void (*port_before_read)(uint32_t address);
/* What comes in where nothing is masked any more, once; NULL: nothing. */
extern void (*port_unlocked)(void);

/* The log: words, each followed by a space. */
void note(const char *word);
void assert_log(const char *expected);

#endif
