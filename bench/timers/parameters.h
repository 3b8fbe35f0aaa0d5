/* SPDX-License-Identifier: Apache-2.0
 *
 * What `python -m bench.papers timers` varies; it writes a file like this for each run. */
#define PERIODS EVERY(5000, 1000)
#define PERIOD_US 400
#define THINK_MS 100
#define EAT_MS 500
#define TURNS 10
#define WINDOW 1000
#define LAST 0
#define COUNT 10
#define SHORTEST 1000
#define STEP 7
#define INSERTIONS 0
