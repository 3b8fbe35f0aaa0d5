/* SPDX-License-Identifier: Apache-2.0
 *
 * Sender stands for the other side of a line: it sends three messages in a burst, by requesting the
 * receiver's interrupt as the device would. */
#include "carillon/osektime.h"

#include "carillon_port.h"

#define US(n) ((n) * (CARILLON_CLOCK_HZ / 1000u) / 1000u)

void message_received(void);
ttTASK(Sender);

volatile unsigned received;

ttTASK(Sender)
{
    for (unsigned k = 0; k < 3u; k++) {
        carillon_port_pend(16u); /* the number of soft0 in the board file */
        carillon_work(US(10u));
    }
}

void message_received(void)
{
    received++;
    carillon_work(US(5u));
}
