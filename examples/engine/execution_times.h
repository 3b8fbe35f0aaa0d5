/* SPDX-License-Identifier: Apache-2.0
 *
 * Written by derive.py, which says where every number comes from: change that, not this.
 *
 * TASK(name, best, average, worst): execution times of a job, in tenths of a microsecond. */
#ifndef EXECUTION_TIMES_H
#define EXECUTION_TIMES_H

/* clang-format off */
#define FOR_EACH_TASK(TASK) \
    TASK(InjectionSupervision,   333,   600,  1614) \
    TASK(KnockDetection,         169,   336,   811) \
    TASK(ThrottleControl,        490,   883,  1762) \
    TASK(AirMassTorque,         5246, 10090, 25310) \
    TASK(LambdaControl,         4763,  8740, 15622) \
    TASK(CatalystModel,         1338,  2107,  3079) \
    TASK(Diagnosis,             4548,  8424, 11903) \
    TASK(Communication,           73,   102,   125) \
    TASK(Adaptation,              50,    68,   136)
/* clang-format on */

#endif
