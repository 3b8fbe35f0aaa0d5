/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t how;
static uint32_t errors;
static StatusType seen[4];
static ISRType where[4];
static OSServiceIdType service;
static StatusType taken;
static ISRType in_lower, in_upper, in_first, in_hook;

void ErrorHook(StatusType error)
{
    if (errors < 4u) {
        seen[errors] = error;
        where[errors] = GetISRID();
    }
    errors++;
    service = OSErrorGetServiceId();
}

void PreTaskHook(void)
{
    in_hook = GetISRID();
}

ISR(First)
{
    in_first = GetISRID();
}

ISR(Lower)
{
    in_lower = GetISRID();
    switch (how) {
    case 1:
        DisableAllInterrupts();
        break;
    case 2:
        SuspendAllInterrupts();
        SuspendAllInterrupts();
        break;
    case 3:
        SuspendOSInterrupts();
        break;
    case 4:
        (void)GetResource(Bus);
        break;
    case 5:
        (void)GetResource(Line);
        (void)GetResource(Bus);
        break;
    case 6:
        (void)GetResource(Bus);
        SuspendOSInterrupts();
        break;
    case 7:
        (void)ActivateTask(High);
        DisableAllInterrupts();
        break;
    case 8:
        carillon_port_pend(CARILLON_ISR_SOURCE_Upper);
        in_lower = GetISRID();
        break;
    case 9:
        (void)GetResource(Bus);
        DisableAllInterrupts();
        carillon_port_pend(CARILLON_ISR_SOURCE_Upper);
        break;
    default:
        break;
    }
}

ISR(Upper)
{
    MARK('u');
    in_upper = GetISRID();
    if (how == 9u) {
        taken = GetResource(Bus);
        (void)ReleaseResource(Bus);
    }
    if (how == 8u) {
        (void)GetResource(Bus);
    }
}

static void request(uint8_t what)
{
    errors = 0u;
    how = what;
    carillon_port_pend(CARILLON_ISR_SOURCE_Lower);
    how = 0u;
}

/* Nothing is left: an interrupt and a higher task come, and resources can be taken. */
#define EXPECT_NOTHING_LEFT(name)                                            \
    do {                                                                     \
        carillon_port_pend(CARILLON_ISR_SOURCE_Upper);                       \
        (void)ActivateTask(High);                                            \
        EXPECT_MARKS(name "-and-interrupts-and-tasks-come", "uh");           \
        EXPECT_IS(name "-and-a-resource-is-free", GetResource(Line), E_OK);  \
        EXPECT_IS(name "-and-another-is", GetResource(Bus), E_OK);           \
        EXPECT_IS(name "-and-is-released", ReleaseResource(Bus), E_OK);      \
        EXPECT_IS(name "-and-so-is-the-first", ReleaseResource(Line), E_OK); \
    } while (0)

TASK(Main)
{
    EXPECT_IS("no-isr-runs", GetISRID(), INVALID_ISR);
    EXPECT_IS("nor-in-a-hook-of-a-task", in_hook, INVALID_ISR);
    request(0);
    EXPECT_IS("the-isr-that-runs", in_lower, Lower);
    EXPECT_IS("one-that-leaves-nothing-is-no-error", errors, 0);
    carillon_port_pend(CARILLON_ISR_SOURCE_First);
    EXPECT_IS("category-1-is-no-isr-of-the-system", in_first, INVALID_ISR);

    request(1);
    EXPECT_IS("disabled", errors, 1);
    EXPECT_IS("disabled-is-the-error", seen[0], E_OS_DISABLEDINT);
    EXPECT_IS("disabled-by-this-isr", where[0], Lower);
    EXPECT_IS("it-is-no-service", service, OSServiceId_None);
    EXPECT_NOTHING_LEFT("disabled");

    request(2);
    EXPECT_IS("suspended-twice", errors, 1);
    EXPECT_IS("suspended-twice-is-the-error", seen[0], E_OS_DISABLEDINT);
    EXPECT_NOTHING_LEFT("suspended-twice");

    request(3);
    EXPECT_IS("suspended", errors, 1);
    EXPECT_IS("suspended-is-the-error", seen[0], E_OS_DISABLEDINT);
    EXPECT_NOTHING_LEFT("suspended");

    request(4);
    EXPECT_IS("taken", errors, 1);
    EXPECT_IS("taken-is-the-error", seen[0], E_OS_RESOURCE);
    EXPECT_IS("taken-by-this-isr", where[0], Lower);
    EXPECT_NOTHING_LEFT("taken");

    request(5);
    EXPECT_IS("two-taken-are-one-error", errors, 1);
    EXPECT_NOTHING_LEFT("two-taken");

    request(6);
    EXPECT_IS("taken-and-suspended", errors, 2);
    EXPECT_IS("first-suspended", seen[0], E_OS_DISABLEDINT);
    EXPECT_IS("then-taken", seen[1], E_OS_RESOURCE);
    EXPECT_NOTHING_LEFT("taken-and-suspended");

    (void)GetResource(Own);
    request(4);
    EXPECT_IS("a-resource-of-the-task-stays", ReleaseResource(Own), E_OK);
    EXPECT_IS("only-the-isrs-is-released", errors, 1);
    EXPECT_NOTHING_LEFT("over-a-task-with-a-resource");

    request(7);
    EXPECT_MARKS("a-task-that-it-readied-comes", "h");
    EXPECT_IS("disabled-with-a-task-ready", errors, 1);
    EXPECT_NOTHING_LEFT("with-a-task-ready");

    request(8);
    EXPECT_IS("in-the-upper-isr", in_upper, Upper);
    EXPECT_IS("in-the-lower-isr-again", in_lower, Lower);
    EXPECT_IS("taken-above", errors, 1);
    EXPECT_IS("taken-above-by-the-upper", where[0], Upper);
    EXPECT_MARKS("it-came-once", "u");
    EXPECT_NOTHING_LEFT("taken-above");

    taken = E_OS_NOFUNC;
    request(9);
    EXPECT_IS("what-waits-finds-the-resource-free", taken, E_OK);
    EXPECT_IS("held-and-disabled", errors, 2);
    EXPECT_MARKS("the-upper-came-once", "u");
    EXPECT_NOTHING_LEFT("held-and-disabled");
    FINISH();
}

TASK(High)
{
    MARK('h');
    TerminateTask();
}
