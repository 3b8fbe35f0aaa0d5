/* SPDX-License-Identifier: Apache-2.0
 *
 * In a proof, what is asserted is a property to be proved. */
#undef assert
#define assert(property) __ESBMC_assert((property), #property)
