# SPDX-License-Identifier: Apache-2.0
"""Whether a trace contradicts itself: what it says must be able to have happened, whatever the application does."""

from __future__ import annotations

from carillon.trace import Kind, Trace


def inconsistency(trace: Trace) -> str:
    """The empty string if every event follows from those before it, else the first that does not.

    1. Times do not descend.
    2. What runs is innermost.  It is preempted before anything else begins, and resumes when that has ended.
    3. What ends has begun, and is innermost.  The processor idles when nothing has begun that has not ended.
    4. A task of the rounds and an interrupt start within the handler of an interrupt.
    A trace may end anywhere.  What had begun before it is not known until the processor idles for the first time, and what
    an event-triggered task waited for not until it is seen for the first time.
    """
    stack: list[tuple[str, str]] = []
    waiting = set(trace.event_triggered)
    before = 0
    known = False
    within = {*trace.tasks, *trace.interrupts} - set(trace.event_triggered)
    for e in trace.events:
        top = stack[-1] if stack else ("", "")
        begins = e.kind is Kind.START or (e.kind is Kind.RESUME and e.object in waiting)
        if e.kind is Kind.ENTER or begins:
            fits = top[0] != "runs" and (e.kind is Kind.ENTER or e.object not in within or top[0] == "handler")
            stack.append(("handler" if e.kind is Kind.ENTER else "runs", e.object))
            waiting.discard(e.object) if begins else None
        elif e.kind in (Kind.PREEMPT, Kind.RESUME):
            was, now = ("runs", "preempted") if e.kind is Kind.PREEMPT else ("preempted", "runs")
            fits = top == (was, e.object) or not (known or stack)
            stack[-1:] = [(now, e.object)]
            waiting.discard(e.object)
        elif e.kind is Kind.IDLE:
            fits, known = not stack, True
        elif e.kind in (Kind.END, Kind.WAIT, Kind.EXIT):
            fits = top == ("handler" if e.kind is Kind.EXIT else "runs", e.object) or not (known or stack)
            stack = stack[:-1]
            if e.kind is Kind.WAIT:
                waiting.add(e.object)
        else:
            fits = True
        if not fits or e.n < before:
            return f"{e.kind.value} {e.object} in {e.n}, after {before}, within {stack}"
        before = e.n
    return ""
