/* SPDX-License-Identifier: Apache-2.0 */
#define SYS_INIT(function, level, priority) \
    static int (*const init_##function)(void) __attribute__((used, section(".init_functions"))) = function
