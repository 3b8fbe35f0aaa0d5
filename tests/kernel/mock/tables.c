/* SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"

#include "carillon_config.h"

const struct carillon_step first_step = {&first_step, 100u};
const struct carillon_step second_step = {&second_step, 200u};
struct carillon_multiplex first_multiplex = {NULL, 0x180u};
struct carillon_multiplex second_multiplex = {NULL, 0x181u};

static const struct carillon_level first_levels[] = {{3, 1}, {4, 2}};
static const struct carillon_multiplex_start first_multiplexes[] = {{&first_multiplex, &first_step},
                                                                    {&second_multiplex, &second_step}};
static const struct carillon_store first_prepare[] = {{0x111u, 1u}, {0x112u, 2u}};
static const struct carillon_store first_restart[] = {{0x121u, 1u}};
static const struct carillon_store first_start[] = {{0x131u, 1u}};
static const struct carillon_shift first_align[] = {{0x141u, 10u}};
static const struct carillon_store first_finish[] = {{0x151u, 1u}};
static const struct carillon_store first_stop[] = {{0x161u, 0u}, {0x162u, 0u}};
static const struct carillon_control first_control = {0x170u, 77u, {0x171u, 1u}, {0x172u, 1u}};
static const uint16_t first_tasks[] = {3, 4};

static const struct carillon_level second_levels[] = {{5, 1}};
static const struct carillon_store second_prepare[] = {{0x211u, 1u}};
static const struct carillon_store second_restart[] = {{0x221u, 1u}};
static const struct carillon_store second_start[] = {{0x231u, 1u}};
static const struct carillon_shift second_align[] = {{0x241u, 20u}};
static const struct carillon_store second_finish[] = {{0x251u, 1u}};
static const struct carillon_store second_stop[] = {{0x261u, 0u}};
static const struct carillon_control second_control = {0x270u, 88u, {0x271u, 1u}, {0x272u, 1u}};

const struct carillon_mode carillon_modes[] = {
    {
        .vectors = "first",
        .levels = first_levels,
        .level_count = CARILLON_COUNT(first_levels),
        .multiplexes = first_multiplexes,
        .multiplex_count = CARILLON_COUNT(first_multiplexes),
        .prepare = first_prepare,
        .prepare_count = CARILLON_COUNT(first_prepare),
        .restart = first_restart,
        .restart_count = CARILLON_COUNT(first_restart),
        .start = first_start,
        .start_count = CARILLON_COUNT(first_start),
        .align = first_align,
        .align_count = CARILLON_COUNT(first_align),
        .finish = first_finish,
        .finish_count = CARILLON_COUNT(first_finish),
        .stop = first_stop,
        .stop_count = CARILLON_COUNT(first_stop),
        .control = &first_control,
        .tasks = first_tasks,
        .task_count = CARILLON_COUNT(first_tasks),
        .waiting_count = 1,
    },
    {
        .vectors = "second",
        .levels = second_levels,
        .level_count = CARILLON_COUNT(second_levels),
        .prepare = second_prepare,
        .prepare_count = CARILLON_COUNT(second_prepare),
        .restart = second_restart,
        .restart_count = CARILLON_COUNT(second_restart),
        .start = second_start,
        .start_count = CARILLON_COUNT(second_start),
        .align = second_align,
        .align_count = CARILLON_COUNT(second_align),
        .finish = second_finish,
        .finish_count = CARILLON_COUNT(second_finish),
        .stop = second_stop,
        .stop_count = CARILLON_COUNT(second_stop),
        .control = &second_control,
    },
};

/* The first mode's time can be read, the second's cannot. */
const struct carillon_time_base carillon_time_bases[] = {{0x190u, 30u, 1000u}, {0u, 0u, 0u}};
