/* SPDX-License-Identifier: Apache-2.0
 *
 * The lock of what a C or C++ library shares among tasks. */
#ifndef CARILLON_LIBRARY_H
#define CARILLON_LIBRARY_H

/* Internal: lock all interrupts, and give them back.  Pairs nest; the last one gives back what there was before the
 * first. */
void carillon_library_lock(void);
void carillon_library_unlock(void);

#endif
