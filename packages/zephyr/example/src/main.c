/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers start Control and Report.  Zephyr's threads, and this one, run in the time that they leave.  Tasks call no service of Zephyr. */
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include "carillon/osektime.h"

static volatile uint32_t controls, reported, presses;

ttTASK(Control)
{
    controls++;
}

ttTASK(Report)
{
    reported = controls;
}

void button(void);

void button(void)
{
    presses++;
}

void ttIdleTask(void)
{
    for (;;) {
        k_sleep(K_MSEC(10));
        printk("controls %u, presses %u\n", (unsigned)reported, (unsigned)presses);
    }
}

int main(void)
{
    ttStartOS(ttOS_DEFAULTAPPMODE);
}
