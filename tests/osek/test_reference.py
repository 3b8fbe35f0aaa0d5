# SPDX-License-Identifier: Apache-2.0
"""The reference model by itself: what the figures and rules of OSEK/VDX OS 2.2.3 say, in programs of a few calls."""

from __future__ import annotations

from reference import (
    CALLBACK,
    E_OS_ACCESS,
    E_OS_CALLEVEL,
    E_OS_DISABLEDINT,
    E_OS_LIMIT,
    E_OS_MISSINGEND,
    E_OS_NOFUNC,
    E_OS_RESOURCE,
    E_OS_STATE,
    E_OS_VALUE,
    HOOK,
    INVALID_TASK,
    ISR,
    READY,
    RUNNING,
    SUSPENDED,
    WAITING,
    Action,
    Alarm,
    Application,
    Code,
    Counter,
    Isr,
    Op,
    Program,
    Resource,
    Task,
    expected,
    hook,
)

START = frozenset({0})
END = Op(Code.TERMINATE_TASK)


def activate(task: int) -> Op:
    return Op(Code.ACTIVATE_TASK, task)


def take(resource: int) -> Op:
    return Op(Code.GET_RESOURCE, resource)


def release(resource: int) -> Op:
    return Op(Code.RELEASE_RESOURCE, resource)


def pend(isr: int) -> Op:
    return Op(Code.PEND, isr)


def do(code: Code, *parameters: int) -> Op:
    return Op(code, *parameters)


def body_name(body: int) -> str:
    names = {ISR: "I", CALLBACK: "F", HOOK: "H"}
    base = max((b for b in names if b <= body), default=0)
    return f"{names.get(base, 'T')}{body - base}"


def story(application: Application, bodies: dict[int, list[Op]], *, budget: int = 100) -> str:
    """What happens: ``T1`` begins, ``T1.0`` is called, ``=0`` is returned, ``:5`` put out, ``!4`` goes to the hook."""
    program = Program({number: (tuple(ops),) for number, ops in bodies.items()}, budget=budget)
    words = []
    for about, numbers in expected(application, program).log:
        number = "|".join(map(str, sorted(numbers)))
        match about:
            case "begin":
                words.append(body_name(int(number)))
            case "call" | "skip":
                words.append(("-" if about == "skip" else "") + f"{body_name(int(number) // 100)}.{int(number) % 100}")
            case "status":
                words.append(f"={number}")
            case "out":
                words.append(f":{number}")
            case "error":
                words.append(f"!{number}")
            case "end":
                words.append("end")
    return " ".join(words)


def statuses(text: str) -> list[str]:
    return [word[1:] for word in text.split() if word.startswith("=")]


def outs(text: str) -> list[int]:
    return [int(word[1:]) for word in text.split() if word.startswith(":")]


def begins(text: str) -> list[str]:
    """The order in which bodies begin."""
    return [word for word in text.split() if word[0] in "TIFH" and "." not in word]


def low_and_high(*, preemptable: bool = True) -> Application:
    return Application((Task(1, preemptable, autostart=START), Task(2)))


# Scheduling, chapter 4.6.


def test_a_task_preempts_one_of_lower_priority() -> None:
    # Figure 4-5, full preemptive scheduling.
    assert story(low_and_high(), {0: [activate(1), END], 1: [END]}) == "T0 T0.0 T1 T1.0 =0 T0.1"


def test_a_non_preemptable_task_is_not_preempted() -> None:
    # Figure 4-6, non preemptive scheduling.
    assert story(low_and_high(preemptable=False), {0: [activate(1), END], 1: [END]}) == "T0 T0.0 =0 T0.1 T1 T1.0"


def test_a_non_preemptable_task_lets_others_run_by_schedule() -> None:
    bodies = {0: [activate(1), do(Code.SCHEDULE), END], 1: [END]}
    assert story(low_and_high(preemptable=False), bodies) == "T0 T0.0 =0 T0.1 T1 T1.0 =0 T0.2"


def test_a_task_does_not_preempt_one_of_its_own_priority() -> None:
    application = Application((Task(1, autostart=START), Task(1)))
    assert story(application, {0: [activate(1), END], 1: [END]}) == "T0 T0.0 =0 T0.1 T1 T1.0"


def test_tasks_of_equal_priority_run_in_the_order_of_activation() -> None:
    # Figure 4-4: the oldest of the highest priority.
    application = Application((Task(3, autostart=START), Task(1), Task(2), Task(1), Task(2)))
    bodies = {0: [activate(3), activate(4), activate(1), activate(2), END], 1: [END], 2: [END], 3: [END], 4: [END]}
    assert begins(story(application, bodies)) == ["T0", "T4", "T2", "T3", "T1"]


def test_a_preempted_task_is_the_oldest_of_its_priority() -> None:
    application = Application((Task(1, autostart=START), Task(1), Task(2)))
    bodies = {0: [activate(1), activate(2), END], 1: [END], 2: [END]}
    assert story(application, bodies) == "T0 T0.0 =0 T0.1 T2 T2.0 =0 T0.2 T1 T1.0"


def test_activations_wait_in_the_order_in_which_they_came() -> None:
    application = Application((Task(2, autostart=START), Task(1, activations=2), Task(1, activations=2)))
    bodies = {0: [activate(1), activate(2), activate(1), activate(1), END], 1: [END], 2: [END]}
    text = story(application, bodies)
    assert begins(text) == ["T0", "T1", "T2", "T1"]
    assert statuses(text)[3] == str(E_OS_LIMIT)


def test_a_chained_task_runs_after_its_caller_and_behind_its_equals() -> None:
    application = Application((Task(1, autostart=START), Task(1), Task(2)))
    bodies = {0: [activate(1), do(Code.CHAIN_TASK, 2)], 1: [END], 2: [do(Code.CHAIN_TASK, 0)]}
    assert begins(story(application, bodies, budget=5)) == ["T0", "T2", "T1", "T0"]


def test_a_task_that_chains_itself_needs_no_second_activation() -> None:
    text = story(Application((Task(1, autostart=START),)), {0: [do(Code.CHAIN_TASK, 0)]}, budget=2)
    assert text == "T0 T0.0 T0 T0.0 T0 end"


def test_chaining_a_task_at_its_limit_fails_and_the_caller_goes_on() -> None:
    application = Application((Task(2, autostart=START), Task(1)))
    assert story(application, {0: [activate(1), do(Code.CHAIN_TASK, 1), END], 1: [END]}) == "T0 T0.0 =0 T0.1 =4 T0.2 T1 T1.0"


# Resources, chapter 8.


def test_the_priority_ceiling_keeps_out_everyone_who_takes_the_resource() -> None:
    # Figure 8-3: T0 and T3 share the resource; T1 and T2 wait as well.
    application = Application(
        (Task(1, autostart=START, resources=(0,)), Task(2), Task(3), Task(4, resources=(0,)), Task(5)), resources=(Resource(),)
    )
    bodies = {0: [take(0), activate(1), activate(3), activate(2), activate(4), release(0), END]}
    bodies |= {n: [END] for n in range(1, 5)}
    text = story(application, bodies)
    assert begins(text) == ["T0", "T4", "T3", "T2", "T1"]
    assert text.startswith("T0 T0.0 =0 T0.1 =0 T0.2 =0 T0.3 =0 T0.4 T4 T4.0 =0 T0.5 T3")


def test_a_ceiling_above_interrupts_keeps_those_out_that_share_the_resource() -> None:
    # Figure 8-4: I0 shares it, I1 is above.
    application = Application(
        (Task(1, autostart=START, resources=(0,)),), isrs=(Isr(2, 1, (0,)), Isr(2, 2)), resources=(Resource(),)
    )
    text = story(application, {0: [take(0), pend(0), pend(1), release(0), END]})
    assert text == "T0 T0.0 =0 T0.1 =0 T0.2 I1 =0 T0.3 I0 =0 T0.4"


def test_the_ceiling_of_linked_resources_is_that_of_all_who_take_one_of_them() -> None:
    tasks = (Task(1, autostart=START, resources=(0,)), Task(3, resources=(1,)), Task(2))
    application = Application(tasks, resources=(Resource(), Resource(linked=0)))
    text = story(application, {0: [take(0), take(1), activate(1), release(1), release(0), END], 1: [END]})
    assert text == "T0 T0.0 =0 T0.1 =0 T0.2 =0 T0.3 =0 T0.4 T1 T1.0 =0 T0.5"


def test_a_preempted_task_keeps_the_level_that_it_had() -> None:
    # T0 holds a resource of level 2 when T3 preempts it; T1 and T2 are of level 2 and 3.
    tasks = (Task(1, autostart=START, resources=(0,)), Task(2, resources=(0,)), Task(3), Task(4))
    application = Application(tasks, resources=(Resource(),))
    bodies = {0: [take(0), activate(3), release(0), END], 1: [END], 2: [END], 3: [activate(1), activate(2), END]}
    assert story(application, bodies) == "T0 T0.0 =0 T0.1 T3 T3.0 =0 T3.1 =0 T3.2 T2 T2.0 =0 T0.2 T1 T1.0 =0 T0.3"


def test_res_scheduler_keeps_all_tasks_out_but_no_interrupt() -> None:
    application = Application((Task(1, autostart=START), Task(9)), isrs=(Isr(2, 1),))
    bodies = {0: [take(0), pend(0), release(0), END], 1: [END], ISR: [activate(1)]}
    assert story(application, bodies) == "T0 T0.0 =0 T0.1 I0 I0.0 =0 =0 T0.2 T1 T1.0 =0 T0.3"


def test_tasks_of_a_group_do_not_preempt_each_other() -> None:
    # Chapter 4.6.3: T0 and T2 have the same internal resource, so T0 runs at 3; T1 is between, T3 above.
    tasks = (Task(1, autostart=START, resources=(0,)), Task(2), Task(3, resources=(0,)), Task(4))
    application = Application(tasks, resources=(Resource(internal=True),))
    bodies = {0: [activate(1), activate(2), activate(3), do(Code.SCHEDULE), END], 1: [END], 2: [END], 3: [END]}
    assert story(application, bodies) == "T0 T0.0 =0 T0.1 =0 T0.2 T3 T3.0 =0 T0.3 T2 T2.0 T1 T1.0 =0 T0.4"


def test_a_task_that_has_not_begun_has_no_internal_resource() -> None:
    tasks = (Task(1, resources=(0,)), Task(2, autostart=START), Task(3, resources=(0,)))
    application = Application(tasks, resources=(Resource(internal=True),))
    bodies = {1: [activate(0), activate(2), END], 0: [END], 2: [END]}
    assert begins(story(application, bodies)) == ["T1", "T2", "T0"]


def test_resources_are_released_in_reverse_order() -> None:
    tasks = (Task(1, autostart=START, resources=(0, 1)),)
    text = story(
        Application(tasks, resources=(Resource(), Resource())), {0: [take(0), take(1), release(0), release(1), release(0), END]}
    )
    assert statuses(text) == ["0", "0", str(E_OS_NOFUNC), "0", "0"]


def test_a_resource_below_the_caller_or_in_use_cannot_be_taken() -> None:
    tasks = (Task(1, resources=(0,)), Task(2, autostart=START))
    text = story(Application(tasks, resources=(Resource(),)), {1: [take(0), release(0), take(1), take(1)]}, budget=4)
    assert statuses(text) == [str(E_OS_ACCESS), f"{E_OS_ACCESS}|{E_OS_NOFUNC}", "0", str(E_OS_ACCESS)]


def test_a_task_ends_and_waits_with_no_resource() -> None:
    tasks = (Task(1, autostart=START, events=1),)
    bodies = {0: [take(0), do(Code.WAIT_EVENT, 1), do(Code.SCHEDULE), END, do(Code.CHAIN_TASK, 0), release(0), END]}
    assert statuses(story(Application(tasks), bodies)) == ["0", *[str(E_OS_RESOURCE)] * 4, "0"]


# Events, chapter 7.


def test_setting_an_event_starts_a_waiting_task_of_higher_priority_at_once() -> None:
    # Figure 7-1, synchronisation of preemptable extended tasks.
    application = Application((Task(1, autostart=START), Task(2, autostart=START, events=3)))
    bodies = {
        0: [do(Code.SET_EVENT, 1, 2), do(Code.SET_EVENT, 1, 1), END],
        1: [do(Code.WAIT_EVENT, 1), do(Code.GET_EVENT, 1), do(Code.CLEAR_EVENT, 1), do(Code.GET_EVENT, 1), END],
    }
    text = story(application, bodies)
    assert text == "T1 T1.0 T0 T0.0 =0 T0.1 =0 T1.1 =0 :3 T1.2 =0 T1.3 =0 :2 T1.4 =0 T0.2"


def test_a_non_preemptable_task_goes_on_when_it_sets_an_event() -> None:
    # Figure 7-2.
    application = Application((Task(1, preemptable=False, autostart=START), Task(2, autostart=START, events=1)))
    bodies = {0: [do(Code.SET_EVENT, 1, 1), END], 1: [do(Code.WAIT_EVENT, 1), END]}
    assert story(application, bodies) == "T1 T1.0 T0 T0.0 =0 T0.1 =0 T1.1"


def test_a_task_that_has_waited_is_the_youngest_of_its_priority() -> None:
    application = Application((Task(1, autostart=START, events=1), Task(1, autostart=START), Task(1), Task(1)))
    bodies = {
        0: [do(Code.WAIT_EVENT, 1), END],
        1: [activate(2), do(Code.SET_EVENT, 0, 1), activate(3), END],
        2: [END],
        3: [END],
    }
    assert story(application, bodies) == "T0 T0.0 T1 T1.0 =0 T1.1 =0 T1.2 =0 T1.3 T2 T2.0 =0 T0.1 T3 T3.0"


def test_waiting_releases_the_internal_resource_only_if_the_task_waits() -> None:
    application = Application((Task(1, preemptable=False, autostart=START, events=1), Task(2)))
    own = [do(Code.SET_EVENT, 0, 1), activate(1), do(Code.WAIT_EVENT, 1), do(Code.CLEAR_EVENT, 1), do(Code.WAIT_EVENT, 1), END]
    bodies = {0: own, 1: [do(Code.SET_EVENT, 0, 1), END]}
    assert story(application, bodies) == "T0 T0.0 =0 T0.1 =0 T0.2 =0 T0.3 =0 T0.4 T1 T1.0 =0 T1.1 =0 T0.5"


def test_activation_clears_the_events_of_a_suspended_task() -> None:
    application = Application((Task(1, autostart=START), Task(2, events=1)))
    bodies = {0: [activate(1), activate(1), END], 1: [do(Code.GET_EVENT, 1), do(Code.SET_EVENT, 1, 1), END]}
    assert outs(story(application, bodies)) == [0, 0]


def test_events_belong_to_extended_tasks_that_are_not_suspended() -> None:
    application = Application((Task(1, autostart=START), Task(2, events=1)))
    bodies = {0: [do(Code.SET_EVENT, 1, 1), do(Code.GET_EVENT, 0), do(Code.WAIT_EVENT, 1), do(Code.CLEAR_EVENT, 1), END]}
    assert statuses(story(application, bodies)) == [str(E_OS_STATE), *[str(E_OS_ACCESS)] * 3]


# Interrupts, chapter 6.


def test_an_interrupt_that_is_requested_is_served_before_the_request_returns() -> None:
    application = Application((Task(1, autostart=START), Task(2)), isrs=(Isr(2, 1), Isr(2, 2)))
    bodies = {0: [pend(0), END], 1: [END], ISR: [activate(1), pend(1), pend(0)], ISR + 1: []}
    text = story(application, bodies, budget=8)
    assert text.startswith("T0 T0.0 I0 I0.0 =0 I0.1 I1 =0 I0.2 =0 I0 I0.0 =4")


def test_tasks_wait_for_the_last_interrupt() -> None:
    application = Application((Task(1, autostart=START), Task(2)), isrs=(Isr(2, 1), Isr(2, 2)))
    bodies = {0: [pend(1), END], 1: [END], ISR: [], ISR + 1: [activate(1), pend(0)]}
    assert story(application, bodies) == "T0 T0.0 I1 I1.0 =0 I1.1 =0 I0 T1 T1.0 =0 T0.1"


def test_suspended_interrupts_come_when_the_last_resume_is_called() -> None:
    lock, unlock = do(Code.SUSPEND_OS_INTERRUPTS), do(Code.RESUME_OS_INTERRUPTS)
    application = Application((Task(1, autostart=START),), isrs=(Isr(2, 1), Isr(1, 1)))
    text = story(application, {0: [lock, lock, pend(0), pend(1), unlock, unlock, END], ISR: [], ISR + 1: []})
    assert text == "T0 T0.0 =0 T0.1 =0 T0.2 =0 T0.3 I1 =0 T0.4 =0 T0.5 I0 =0 T0.6"


def test_services_find_out_that_interrupts_are_disabled() -> None:
    lock, unlock = do(Code.DISABLE_ALL_INTERRUPTS), do(Code.ENABLE_ALL_INTERRUPTS)
    application = Application((Task(1, autostart=START),), isrs=(Isr(2, 1),))
    text = story(application, {0: [lock, END, do(Code.GET_TASK_ID), pend(0), unlock, END]})
    assert text == f"T0 T0.0 =0 T0.1 ={E_OS_DISABLEDINT} T0.2 ={E_OS_DISABLEDINT} T0.3 =0 T0.4 I0 =0 T0.5"


def test_locks_that_do_not_nest_are_skipped() -> None:
    ops = [do(Code.DISABLE_ALL_INTERRUPTS), do(Code.SUSPEND_OS_INTERRUPTS), do(Code.ENABLE_ALL_INTERRUPTS)]
    ops += [do(Code.RESUME_ALL_INTERRUPTS), END]
    assert story(Application((Task(1, autostart=START),)), {0: ops}) == "T0 T0.0 =0 -T0.1 T0.2 =0 -T0.3 T0.4"


def test_an_interrupt_sees_the_task_that_it_interrupts() -> None:
    application = Application((Task(1, autostart=START), Task(2)), isrs=(Isr(2, 1),))
    asks = [do(Code.GET_TASK_ID), activate(1), do(Code.GET_TASK_STATE, 0), do(Code.GET_TASK_STATE, 1)]
    assert outs(story(application, {0: [pend(0), END], 1: [END], ISR: asks})) == [0, RUNNING, READY]


# Task states, chapter 4.2.


def test_the_states_of_tasks_are_as_they_should_be() -> None:
    application = Application((Task(1, autostart=START), Task(3, autostart=START, events=1), Task(2), Task(4)))
    ask = [do(Code.GET_TASK_STATE, n) for n in range(4)]
    bodies = {0: [activate(2), END], 1: [do(Code.WAIT_EVENT, 1), END], 2: ask}
    assert outs(story(application, bodies, budget=8)) == [READY, WAITING, RUNNING, SUSPENDED]


# Counters and alarms, chapter 9.


def tick() -> Op:
    return do(Code.INCREMENT_COUNTER, 0)


def test_an_alarm_expires_after_its_ticks_and_then_with_its_cycle() -> None:
    application = Application((Task(1, autostart=START), Task(2)), counters=(Counter(9),), alarms=(Alarm(0, Action.ACTIVATE, 1),))
    text = story(application, {0: [do(Code.SET_REL_ALARM, 0, 2, 3), *[tick()] * 6, END], 1: [END]})
    assert [word for word in text.split() if word.startswith("T0.") or word == "T1"] == [
        *("T0.0", "T0.1", "T0.2", "T1", "T0.3", "T0.4", "T0.5", "T1", "T0.6", "T0.7")
    ]


def test_an_absolute_alarm_waits_a_whole_turn_if_the_counter_is_there() -> None:
    application = Application((Task(1, autostart=START), Task(2)), counters=(Counter(2),), alarms=(Alarm(0, Action.ACTIVATE, 1),))
    ops = [tick(), do(Code.SET_ABS_ALARM, 0, 1), do(Code.GET_ALARM, 0), do(Code.CANCEL_ALARM, 0), do(Code.SET_ABS_ALARM, 0, 0)]
    assert outs(story(application, {0: [*ops, do(Code.GET_ALARM, 0), END], 1: [END]})) == [3, 2]


def test_an_alarm_is_in_use_or_not() -> None:
    application = Application((Task(1, autostart=START), Task(2)), counters=(Counter(2),), alarms=(Alarm(0, Action.ACTIVATE, 1),))
    ops = [do(Code.CANCEL_ALARM, 0), do(Code.GET_ALARM, 0), do(Code.SET_REL_ALARM, 0, 1), do(Code.SET_REL_ALARM, 0, 1)]
    ops += [do(Code.SET_ABS_ALARM, 0, 3), do(Code.CANCEL_ALARM, 0), do(Code.SET_REL_ALARM, 0, 0), do(Code.SET_REL_ALARM, 0, 1, 3)]
    nofunc, state, value = map(str, (E_OS_NOFUNC, E_OS_STATE, E_OS_VALUE))
    assert statuses(story(application, {0: [*ops, END]})) == [nofunc, nofunc, "0", state, f"{state}|{value}", "0", value, value]


def test_what_an_alarm_does_comes_before_the_tasks_that_it_makes_ready() -> None:
    # In the order in which they were set: A2 increments the other counter, whose alarm A0 calls its function.
    alarms = (Alarm(1, Action.CALLBACK), Alarm(0, Action.ACTIVATE, 1), Alarm(0, Action.INCREMENT, 1), Alarm(0, Action.CALLBACK))
    application = Application((Task(1, autostart=START), Task(2)), counters=(Counter(9), Counter(9)), alarms=alarms)
    ops = [do(Code.SET_REL_ALARM, n, 1) for n in (1, 2, 0, 3)]
    assert begins(story(application, {0: [*ops, tick(), END], 1: [END]})) == ["T0", "F0", "F3", "T1"]


def test_alarms_are_started_in_their_application_modes() -> None:
    alarms = (Alarm(0, Action.CALLBACK, modes=START, at=1), Alarm(0, Action.CALLBACK, modes=frozenset({1}), at=1))
    application = Application((Task(1, autostart=START),), modes=2, counters=(Counter(9),), alarms=alarms)
    assert begins(story(application, {0: [tick(), END]})) == ["T0", "F0"]


# Errors and hooks, chapter 11.


def test_hooks_enclose_what_a_task_runs() -> None:
    # Figure 11-3: PreTaskHook (H2) and PostTaskHook (H3) at each switch from and to a task.
    application = Application((Task(1, autostart=START), Task(3), Task(2)), hooks=frozenset({"pretask", "posttask"}))
    asks = [do(Code.GET_TASK_ID)]
    bodies = {0: [activate(1), END], 1: [activate(2), END], 2: [END], hook("pretask"): asks, hook("posttask"): asks}
    text = story(application, bodies)
    assert begins(text) == ["H2", "T0", "H3", "H2", "T1", "H3", "H2", "T2", "H3", "H2", "H3"]
    assert outs(text) == [0, 0, 1, 1, 2, 2, 0, 0]


def test_every_error_is_told_to_the_hook_but_those_within() -> None:
    application = Application((Task(1, autostart=START),), hooks=frozenset({"error"}))
    text = story(application, {0: [activate(0), END], hook("error"): [activate(0), do(Code.GET_TASK_ID)]})
    assert text == f"T0 T0.0 !4 H1 H1.0 ={E_OS_CALLEVEL}|{E_OS_LIMIT} H1.1 =0 :0 =4 T0.1"


def test_an_alarm_that_fails_tells_the_hook_and_not_the_caller() -> None:
    tasks = (Task(1, autostart=START), Task(2, events=1))
    alarms = (Alarm(0, Action.ACTIVATE, 0, modes=START), Alarm(0, Action.SET_EVENT, 1, 1, modes=START))
    application = Application(tasks, hooks=frozenset({"error"}), counters=(Counter(9),), alarms=alarms)
    assert story(application, {0: [tick(), END]}) == f"T0 T0.0 !{E_OS_LIMIT} H1 !{E_OS_STATE} H1 =0 T0.1"


def test_a_missing_end_is_an_error_and_cleans_up() -> None:
    tasks = (Task(1, autostart=START, resources=(0,)), Task(2, resources=(0,)))
    application = Application(tasks, hooks=frozenset({"error"}), resources=(Resource(),))
    bodies = {0: [take(0), activate(1), do(Code.SUSPEND_ALL_INTERRUPTS)], 1: [take(0), release(0), END]}
    assert story(application, bodies) == f"T0 T0.0 =0 T0.1 =0 T0.2 =0 !{E_OS_MISSINGEND} H1 T1 T1.0 =0 T1.1 =0 T1.2"


def test_the_startup_hook_runs_before_tasks_and_sees_none() -> None:
    application = Application((Task(1, autostart=START),), hooks=frozenset({"startup", "shutdown", "posttask"}))
    bodies = {hook("startup"): [do(Code.GET_ACTIVE_APPLICATION_MODE)], 0: [do(Code.SHUTDOWN_OS, 5)]}
    assert story(application, bodies) == "H0 H0.0 =0 :0 T0 T0.0 H4 end"


def test_no_task_runs_before_the_first() -> None:
    application = Application((Task(1, autostart=START),), hooks=frozenset({"pretask"}), isrs=(Isr(2, 1),))
    assert outs(story(application, {0: [END], hook("pretask"): [do(Code.GET_TASK_ID)]})) == [0]
    assert INVALID_TASK not in outs(story(application, {0: [pend(0), END], ISR: [do(Code.GET_TASK_ID)]}))


def test_what_standard_status_does_not_check_is_skipped() -> None:
    application = Application((Task(1, autostart=START),), extended_status=False)
    assert story(application, {0: [release(0), activate(0), END]}) == "T0 -T0.0 T0.1 =4 T0.2"
