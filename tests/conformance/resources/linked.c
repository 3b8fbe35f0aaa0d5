/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static void ready_all(void)
{
    (void)ActivateTask(Two);
    (void)ActivateTask(Three);
    (void)ActivateTask(Four);
}

TASK(Main)
{
    EXPECT_IS("taking-the-resource-returns-ok", GetResource(Bus), E_OK);
    EXPECT_IS("taking-the-one-linked-to-it-returns-ok", GetResource(BusAgain), E_OK);
    EXPECT_IS("taking-the-one-linked-to-that-returns-ok", GetResource(BusOnceMore), E_OK);
    ready_all();
    MARK('a');
    EXPECT_IS("releasing-the-last-returns-ok", ReleaseResource(BusOnceMore), E_OK);
    MARK('b');
    EXPECT_IS("releasing-the-second-returns-ok", ReleaseResource(BusAgain), E_OK);
    MARK('c');
    EXPECT_IS("releasing-the-first-returns-ok", ReleaseResource(Bus), E_OK);
    MARK('d');
    EXPECT_MARKS("linked-resources-have-one-ceiling-until-the-last-is-released", "4abc32d");

    (void)GetResource(BusAgain);
    (void)GetResource(Bus);
    ready_all();
    MARK('a');
    (void)ReleaseResource(Bus);
    MARK('b');
    (void)ReleaseResource(BusAgain);
    MARK('c');
    EXPECT_MARKS("the-linked-one-may-be-taken-first", "4ab32c");

    (void)GetResource(BusOnceMore);
    ready_all();
    MARK('a');
    (void)ReleaseResource(BusOnceMore);
    MARK('b');
    EXPECT_MARKS("a-linked-resource-alone-has-the-ceiling-of-all-its-users", "4a32b");

    (void)GetResource(Bus);
    ready_all();
    MARK('a');
    (void)ReleaseResource(Bus);
    MARK('b');
    EXPECT_MARKS("the-resource-behind-the-links-has-the-ceiling-of-all-their-users", "4a32b");
    FINISH();
}

TASK(Two)
{
    MARK('2');
    TerminateTask();
}

TASK(Three)
{
    MARK('3');
    TerminateTask();
}

TASK(Four)
{
    MARK('4');
    TerminateTask();
}
