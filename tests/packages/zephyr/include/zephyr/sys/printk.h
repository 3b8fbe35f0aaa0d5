/* SPDX-License-Identifier: Apache-2.0 */
void printk(const char *format, ...) __attribute__((format(printf, 1, 2)));
