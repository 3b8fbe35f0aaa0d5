/* SPDX-License-Identifier: Apache-2.0
 *
 * Nothing: native.py gives the configuration on the compiler's command line. */
