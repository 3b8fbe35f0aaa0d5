/* SPDX-License-Identifier: Apache-2.0 */
/* Periods that are longer than times of 16 bits. */

static carillon_time wrong(carillon_time begun, uint32_t expected)
{
    return (carillon_time)(carillon_now() - (carillon_time)(begun + expected));
}
THREAD(Beside)
{
    for (;;) {
        (void)carillon_delay(7000u);
    }
}
THREAD(Main)
{
    const volatile uint32_t period = 2u * 65536u + 5u, least = CARILLON_LONGEST_PERIOD + 1u, much = 7u * 65534u;
    const volatile uint32_t middle = 61000u;
    uint32_t skipped = 9u;
    carillon_time next = carillon_now();
    carillon_time at = next;
    report("constant", carillon_delay_until(&next, 80000u));
    report("late", wrong(at, 80000u));
    report("next", (carillon_time)(next - at) == (carillon_time)80000u);
    at = next;
    report("computed", carillon_delay_until(&next, period));
    report("late", wrong(at, period));
    report("next", (carillon_time)(next - at) == (carillon_time)period);
    at = next;
    report("least", carillon_delay_until(&next, least));
    report("late", wrong(at, least));
    at = next;
    report("much", carillon_delay_until(&next, much));
    report("late", wrong(at, much));
    report("longest", carillon_delay_until(&next, CARILLON_LONGEST_PERIOD));
    next = at = carillon_now();
    (void)carillon_delay(62000u);
    report("passed", carillon_delay_until(&next, middle));
    report("next", (carillon_time)(next - at) == (carillon_time)middle);
    next = at = carillon_now();
    (void)carillon_delay(62000u);
    report("skips", carillon_delay_until_next(&next, middle, &skipped));
    report("skipped", skipped);
    report("late", wrong(at, 2u * middle));
    at = next;
    (void)carillon_delay(40000u);
    report("skips", carillon_delay_until_next(&next, period, &skipped));
    report("skipped", skipped);
    report("late", wrong(at, period));
    carillon_port_halt();
}
