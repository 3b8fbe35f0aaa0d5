/* SPDX-License-Identifier: Apache-2.0
 *
 * What kernel/levels/served.h declares for the servers is in services.h here. */
