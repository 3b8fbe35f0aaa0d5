/* SPDX-License-Identifier: Apache-2.0 */
/* A source that an OIL file names. */
