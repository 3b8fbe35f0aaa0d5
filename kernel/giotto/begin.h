/* SPDX-License-Identifier: Apache-2.0
 *
 * What StartOS begins of Giotto on cells. */
#ifndef CARILLON_GIOTTO_BEGIN_H
#define CARILLON_GIOTTO_BEGIN_H

#include "carillon_config.h"

/* The first block is due at the first tick; locked. */
#if CARILLON_GIOTTO
void carillon_giotto_start(void);
#else
static inline void carillon_giotto_start(void)
{
}
#endif

#endif
