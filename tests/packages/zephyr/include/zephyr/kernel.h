/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#define K_MSEC(milliseconds) (milliseconds)
void k_sleep(int timeout);
