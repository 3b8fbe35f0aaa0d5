/* SPDX-License-Identifier: Apache-2.0
 *
 * Fifty tasks, each of which works for a few microseconds. */
#include "carillon/osektime.h"
#include "carillon/work.h"

#define TASK(name, us)                                        \
    ttTASK(name);                                             \
    ttTASK(name)                                              \
    {                                                         \
        carillon_work((us) * (CARILLON_CLOCK_HZ / 1000000u)); \
    }

TASK(task_00, 3u)
TASK(task_01, 4u)
TASK(task_02, 5u)
TASK(task_03, 6u)
TASK(task_04, 7u)
TASK(task_05, 3u)
TASK(task_06, 4u)
TASK(task_07, 5u)
TASK(task_08, 6u)
TASK(task_09, 7u)
TASK(task_10, 3u)
TASK(task_11, 4u)
TASK(task_12, 5u)
TASK(task_13, 6u)
TASK(task_14, 7u)
TASK(task_15, 3u)
TASK(task_16, 4u)
TASK(task_17, 5u)
TASK(task_18, 6u)
TASK(task_19, 7u)
TASK(task_20, 3u)
TASK(task_21, 4u)
TASK(task_22, 5u)
TASK(task_23, 6u)
TASK(task_24, 7u)
TASK(task_25, 3u)
TASK(task_26, 4u)
TASK(task_27, 5u)
TASK(task_28, 6u)
TASK(task_29, 7u)
TASK(task_30, 3u)
TASK(task_31, 4u)
TASK(task_32, 5u)
TASK(task_33, 6u)
TASK(task_34, 7u)
TASK(task_35, 3u)
TASK(task_36, 4u)
TASK(task_37, 5u)
TASK(task_38, 6u)
TASK(task_39, 7u)
TASK(task_40, 3u)
TASK(task_41, 4u)
TASK(task_42, 5u)
TASK(task_43, 6u)
TASK(task_44, 7u)
TASK(task_45, 3u)
TASK(task_46, 4u)
TASK(task_47, 5u)
TASK(task_48, 6u)
TASK(task_49, 7u)
