/* SPDX-License-Identifier: Apache-2.0
 *
 * What `carillon bench timers` varies; it writes a file like this for each run. */
#define PERIOD_US 5000
#define THINK_MS 100
#define EAT_MS 500
#define TURNS 10
#define WINDOW 1000
