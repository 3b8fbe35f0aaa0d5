/* SPDX-License-Identifier: Apache-2.0
 *
 * What applications of Trampoline include wherever code or data of another section begins or ends.  Carillon protects no
 * memory, so that sections stay the compiler's.  It may be included any number of times. */
