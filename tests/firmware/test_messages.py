# SPDX-License-Identifier: Apache-2.0
"""Queues of messages: their errors, who may call, and what is refused when they are defined (tests/threads has the rest)."""

from __future__ import annotations

import pytest
from laboratory import Laboratory

HEADERS = '#include "carillon/time.h"\n#include "os.h"\n#define T(us) CARILLON_MICROSECONDS(us)\n'
TIME = '[time]\nclock = "one-shot"\n[thread.Main]\npriority = 1\n'
BOARDS = ["virtual-ast1030-evb", "ast1030-evb", "atmega2560"]
QUEUE = """
struct wide { uint8_t bytes[3]; uint16_t number; };
CARILLON_MESSAGES(queue, struct wide, 2);
"""


@pytest.mark.parametrize("board", BOARDS)
def test_messages_come_in_the_order_in_which_they_were_sent_and_every_error_has_its_code(lab: Laboratory, board: str) -> None:
    code = (
        HEADERS
        + QUEUE
        + """
    THREAD(Main)
    {
        struct wide message = {{1u, 2u, 3u}, 4000u};
        report("empty", carillon_receive_within(&queue, &message, 0u));
        report("late", carillon_receive_within(&queue, &message, T(500)));
        report("long", carillon_receive_within(&queue, &message, (carillon_duration)-1));
        report("long", carillon_send_within(&queue, &message, (carillon_duration)-1));
        for (uint16_t turn = 0u; turn < 5u; turn++) {
            for (uint8_t k = 0u; k < 2u; k++) {
                message.number = (uint16_t)(4000u + (2u * turn) + k);
                report("fine", carillon_send(&queue, &message));
            }
            report("full", carillon_send_within(&queue, &message, 0u));
            report("late", carillon_send_within(&queue, &message, T(500)));
            for (uint8_t k = 0u; k < 2u; k++) {
                struct wide got = {{0u}, 0u};
                report("fine", carillon_receive(&queue, &got));
                report("number", got.number);
                report("bytes", (uint32_t)got.bytes[0] * 100u + got.bytes[1] * 10u + got.bytes[2]);
            }
        }
        carillon_port_halt();
    }
    """
    )
    outcome = lab.run(TIME, code, board, ticks=400_000)
    turn = [("fine", 0), ("fine", 0), ("full", 5), ("late", 5)]
    wanted = [("empty", 5), ("late", 5), ("long", 8), ("long", 8)]
    for number in range(4000, 4010, 2):
        wanted += turn
        for each in (number, number + 1):
            wanted += [("fine", 0), ("number", each), ("bytes", 123)]
    assert outcome.reported == wanted


@pytest.mark.parametrize("board", ["virtual-ast1030-evb", "ast1030-evb"])
def test_only_what_may_wait_waits_and_the_error_hook_hears_of_it(lab: Laboratory, board: str) -> None:
    code = (
        HEADERS
        + QUEUE
        + """
    static struct wide message;
    void ErrorHook(StatusType status) { report("hook", 100u * OSErrorGetServiceId() + status); }
    static void both(void)
    {
        report("send", carillon_send(&queue, &message));
        report("receive", carillon_receive(&queue, &message));
        report("send", carillon_send_within(&queue, &message, 1u));
        report("now", carillon_send_within(&queue, &message, 0u));
        report("now", carillon_receive_within(&queue, &message, 0u));
    }
    TASK(Basic) { both(); TerminateTask(); }
    ISR(Button) { both(); }
    THREAD(Main)
    {
        (void)ActivateTask(Basic);
        carillon_port_pend(CARILLON_ISR_SOURCE_Button);
        GetResource(RES_SCHEDULER);
        report("resource", carillon_send(&queue, &message));
        report("resource", carillon_receive_within(&queue, &message, 1u));
        report("now", carillon_send_within(&queue, &message, 0u));
        ReleaseResource(RES_SCHEDULER);
        DisableAllInterrupts();
        report("disabled", carillon_receive(&queue, &message));
        EnableAllInterrupts();
        report("fine", carillon_receive(&queue, &message));
        carillon_port_halt();
    }
    """
    )
    more = '[osek]\nstatus = "extended"\nhooks = ["error"]\nget_service_id = true\n[osek.task.Basic]\npriority = 5\n'
    more += '[osek.isr.Button]\nsource = "soft0"\npriority = 1\ncategory = 2\n'
    outcome = lab.run(TIME + more, code, board, ticks=100_000)
    send, receive, call, resource, disabled = 4300, 4400, 2, 6, 12
    both = [
        ("hook", send + call), ("send", call), ("hook", receive + call), ("receive", call), ("hook", send + call), ("send", call),
        ("now", 0), ("now", 0),
    ]  # fmt: skip
    wanted = [*both, *both, ("hook", send + resource), ("resource", resource), ("hook", receive + resource)]
    wanted += [("resource", resource), ("now", 0), ("hook", receive + disabled), ("disabled", disabled), ("fine", 0)]
    assert outcome.reported == wanted


@pytest.mark.parametrize(
    "definition",
    ["queue, uint8_t, 0", "queue, uint8_t, -1", "queue, uint8_t, 65536", "queue, struct { uint8_t bytes[65536]; }, 1"],
)
def test_a_queue_that_cannot_be_is_refused_by_the_compiler(lab: Laboratory, definition: str) -> None:
    code = HEADERS + f"CARILLON_MESSAGES({definition});\nTHREAD(Main) {{}}\n"
    with pytest.raises(AssertionError, match="C091"):
        lab.run(TIME, code, "ast1030-evb", ticks=1000)
