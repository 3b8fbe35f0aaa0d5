# SPDX-License-Identifier: Apache-2.0
"""An alarm does several things at one expiry: activations, events, functions, then a counter, each kind in the order of its list.

Nothing that it makes ready runs before the last of them.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

import pytest
from laboratory import AST, RV32, VIRTUAL, VIRTUAL_AST, Laboratory, Outcome

import asked
from carillon.trace import Kind

PROGRAMS = asked.tries(2)
ATMEGA = "atmega128"
BOARDS = [VIRTUAL, VIRTUAL_AST, AST, RV32, ATMEGA]
TICK = {AST: 62_500, VIRTUAL_AST: 62_500, VIRTUAL: 4000, RV32: 10_000, ATMEGA: 4000}
"""Of the counter, in ticks of the board's clock: long, so that the code between two of them does not count."""
SYSTEM = {ATMEGA: 'clock = "250kHz"'}

ALL = """
[osek]
hooks = ["error"]
[osek.event.E]
[osek.event.F]
[osek.task.Low]
priority = 1
[osek.task.Mid]
priority = 2
[osek.task.Mate]
priority = 2
[osek.task.Waits]
priority = 3
events = ["E", "F"]
[osek.counter.C]
tick = "TICK"
[osek.counter.S]
kind = "software"
max_allowed = 9
[osek.alarm.Every]
counter = "C"
increment = "S"
callback = ["First", "Second"]
set_event = [{ task = "Waits", event = "F" }, { task = "Waits", event = "E" }]
activate = ["Low", "Mate", "Mid", "Waits"]
autostart = { at = 2, cycle = 3 }
[osek.alarm.Then]
counter = "S"
callback = "Third"
activate = "Low"
autostart = { at = 1, cycle = 1 }
"""
CODE = """
    ALARMCALLBACK(First) { report("first", 1); }
    ALARMCALLBACK(Second) { report("second", 1); }
    ALARMCALLBACK(Third) { report("third", 1); }
    void ErrorHook(StatusType error) { report("error", error); }
    TASK(Low) { report("low", 1); TerminateTask(); }
    TASK(Mid) { report("mid", 1); TerminateTask(); }
    TASK(Mate) { report("mate", 1); TerminateTask(); }
    TASK(Waits) { EventMaskType set; GetEvent(Waits, &set); report("waits", set == (E | F)); TerminateTask(); }
"""


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("kernel", ["carillon", "conventional"])
def test_all_is_requested_before_any_task_runs_and_in_the_stated_order(lab: Laboratory, board: str, kernel: str) -> None:
    schedule = ALL.replace("TICK", f"{TICK[board]} ticks")
    outcome = lab.run(schedule, CODE, board, ticks=TICK[board] * 9, system=SYSTEM.get(board, ""), kernel=kernel)
    calls = [("first", 1), ("second", 1), ("error", 4), ("third", 1)]  # Then activates Low once more before it calls
    assert outcome.reported == [*calls, ("waits", 1), ("mate", 1), ("mid", 1), ("low", 1)] * 3


HELD = """
[osek.event.E]
[osek.task.Low]
priority = 1
events = ["E"]
[osek.task.Mid]
priority = 2
[osek.task.Mate]
priority = 2
[osek.task.High]
priority = 3
[osek.counter.C]
tick = "TICK"
[osek.alarm.AHigh]
counter = "C"
activate = "High"
autostart = { at = 1 }
"""
HELD_CODE = """
    TASK(High) { carillon_work(WORK); report("high", 1); TerminateTask(); }
    TASK(Mid) { report("mid", 1); TerminateTask(); }
    TASK(Mate) { report("mate", 1); TerminateTask(); }
    TASK(Low) { EventMaskType set; GetEvent(Low, &set); report("low", set != 0u); TerminateTask(); }
"""
LEVELED = [AST, VIRTUAL_AST, VIRTUAL]


def held(lab: Laboratory, board: str, alarms: str) -> Outcome:
    """While High runs, from the first tick to between the fourth and the fifth, alarms of lower tasks expire."""
    code = HELD_CODE.replace("WORK", str(TICK[board] * 7 // 2))
    return lab.run(HELD.replace("TICK", f"{TICK[board]} ticks") + alarms, code, board, ticks=TICK[board] * 7)


@pytest.mark.parametrize("board", LEVELED)
@pytest.mark.parametrize("first", ["one", "several"])
def test_what_a_lower_level_holds_back_is_done_before_what_comes_later_above_all(lab: Laboratory, board: str, first: str) -> None:
    """An event of a task comes after its activation, whichever of the two an alarm of several levels does."""
    one, several = ('activate = "Low"', 'activate = "Mid"\nset_event = { task = "Low", event = "E" }')
    if first == "several":
        several, one = ('activate = ["Mid", "Low"]', 'set_event = { task = "Low", event = "E" }')
    at = {"one": (2, 3), "several": (3, 2)}[first]
    alarms = f'[osek.alarm.One]\ncounter = "C"\n{one}\nautostart = {{ at = {at[0]} }}\n'
    alarms += f'[osek.alarm.Several]\ncounter = "C"\n{several}\nautostart = {{ at = {at[1]} }}\n'
    assert held(lab, board, alarms).reported == [("high", 1), ("mid", 1), ("low", 1)]


@pytest.mark.parametrize("board", LEVELED)
def test_what_is_done_to_tasks_of_one_priority_takes_nothing_from_a_higher_task(lab: Laboratory, board: str) -> None:
    alarms = '[osek.alarm.Several]\ncounter = "C"\nactivate = ["Mate", "Mid"]\nautostart = { at = 3 }\n'
    outcome = held(lab, board, alarms)
    assert outcome.reported == [("high", 1), ("mate", 1), ("mid", 1)]
    (run,) = [r for r in outcome.summary.runs if r.lane.name == "High"]
    assert run.preemptions == 0


@pytest.mark.parametrize("board", LEVELED)
def test_an_alarm_on_a_cell_that_is_cancelled_does_nothing_more(lab: Laboratory, board: str) -> None:
    """The cell is on the kernel's level; set anew, the alarm is in the queue, and does the same things."""
    alarms = '[osek.alarm.Several]\ncounter = "C"\nactivate = ["Mid", "Low"]\nautostart = { at = 2, cycle = 1 }\n'
    code = HELD_CODE.replace("carillon_work(WORK);", "").replace('report("mid", 1);', "mid();")
    code = (
        """
        static void mid(void)
        {
            static unsigned runs;
            runs++;
            report("mid", runs);
            if (runs == 2u) { report("cancelled", CancelAlarm(Several)); report("set", SetRelAlarm(Several, 2, 0)); }
        }
    """
        + code
    )
    outcome = lab.run(HELD.replace("TICK", f"{TICK[board]} ticks") + alarms, code, board, ticks=TICK[board] * 9)
    osek = outcome.planned.allocation.osek
    assert osek is not None
    assert [(alarm.name, carrier.task_level) for alarm, carrier in osek.alarms] == [("Several", 0)]
    low = ("low", 0)
    again = [("mid", 2), ("cancelled", 0), ("set", 0)]
    assert outcome.reported == [("high", 1), ("mid", 1), low, *again, low, ("mid", 3), low]


def test_a_list_with_a_function_has_no_cell_since_no_call_may_be_lost(lab: Laboratory) -> None:
    alarms = '[osek.alarm.Several]\ncounter = "C"\nactivate = "Mid"\ncallback = "Call"\nstatic = true\n'
    alarms += "autostart = { at = 2, cycle = 2 }\n"
    code = HELD_CODE.replace("WORK", "1") + 'ALARMCALLBACK(Call) { report("call", 1); }\n'
    outcome = lab.run(HELD.replace("TICK", f"{TICK[VIRTUAL_AST]} ticks") + alarms, code, VIRTUAL_AST, ticks=TICK[VIRTUAL_AST] * 5)
    osek = outcome.planned.allocation.osek
    assert osek is not None
    assert osek.alarms == []
    assert outcome.reported == [("high", 1), *[("call", 1), ("mid", 1)] * 2]


@pytest.mark.parametrize("board", LEVELED)
def test_a_trace_has_the_expiry_of_each_task_that_a_cell_of_several_activates(lab: Laboratory, board: str) -> None:
    alarms = '[osek.alarm.Several]\ncounter = "C"\nactivate = ["Low", "Mid"]\nstatic = true\nautostart = { at = 2, cycle = 3 }\n'
    code = HELD_CODE.replace("WORK", "1")
    outcome = lab.run(HELD.replace("TICK", f"{TICK[board]} ticks") + alarms, code, board, ticks=TICK[board] * 6)
    several = [(TICK[board] * tick, task) for tick in (2, 5) for task in ("Low", "Mid")]
    assert [(e.n, e.object) for e in outcome.events(Kind.EXPIRY)] == [(TICK[board], "High"), *several]


ALARMS, TICKS = 5, 40
LIMIT, STATE = 4, 7  # E_OS_LIMIT, E_OS_STATE
CALL, ERROR, EVENTS = 100, 200, 1000  # what the firmware says: one of these and a number, or a task's number


@dataclass
class Task:
    """A task: of an extended one, the events that it finds when it runs."""

    priority: int
    activations: int = 1
    extended: bool = False
    pending: int = 0
    events: int = 0


@dataclass
class Alarm:
    """An alarm of counter ``C``, or of the software counter ``S``: its actions in the order in which they are to be done."""

    counter: str
    at: int
    cycle: int
    actions: list[tuple[str, int]]


@dataclass
class Model:
    """Two counters and their alarms: what is due in one tick is done in the order in which it was set, then tasks run."""

    tasks: list[Task]
    alarms: list[Alarm]
    queue: dict[str, list[tuple[int, int, int]]] = field(default_factory=lambda: {"C": [], "S": []})
    now: dict[str, int] = field(default_factory=lambda: {"C": 0, "S": 0})
    turn: int = 0
    ready: list[int] = field(default_factory=list)
    said: list[int] = field(default_factory=list)

    def run(self) -> list[int]:
        for number, alarm in enumerate(self.alarms):
            self.insert(number, alarm.at)
        for _ in range(TICKS):
            self.tick("C")
            for task in sorted(self.ready, key=lambda n: -self.tasks[n].priority):  # first in, first out at one priority
                it = self.tasks[task]
                self.said.append(task + EVENTS * it.events)
                it.pending, it.events = it.pending - 1, 0
            self.ready = []
        return self.said

    def insert(self, number: int, at: int) -> None:
        self.turn += 1
        self.queue[self.alarms[number].counter].append((at, self.turn, number))

    def tick(self, counter: str) -> None:
        self.now[counter] += 1
        now, queue = self.now[counter], self.queue[counter]
        while due := min((it for it in queue if it[0] == now), default=None):
            queue.remove(due)
            alarm = self.alarms[due[2]]
            if alarm.cycle:
                self.insert(due[2], now + alarm.cycle)
            for what, which in alarm.actions:
                self.do(what, which)

    def do(self, what: str, which: int) -> None:
        if what == "increment":
            self.tick("S")
        elif what == "callback":
            self.said.append(CALL + which)
        elif what == "activate":
            task = self.tasks[which]
            if task.pending == task.activations:
                self.said.append(ERROR + LIMIT)
                return
            task.pending, task.events = task.pending + 1, 0
            self.ready.append(which)
        elif self.tasks[which // 2].pending == 0:
            self.said.append(ERROR + STATE)
        else:
            self.tasks[which // 2].events |= 1 << which % 2


def random_model(rng: random.Random, *, plain: bool) -> Model:
    """``plain``: each task has a priority of its own, one activation and no events, so that the order does not count."""
    count = rng.randint(3, 6)
    tasks = [Task(number + 1 if plain else rng.randint(1, 4)) for number in range(count)]
    for task in tasks if not plain else []:
        task.extended = rng.random() < 0.4 and sum(other.priority == task.priority for other in tasks) == 1
        task.activations = 1 if task.extended else rng.choice([1, 1, 3])
    events = [2 * n + k for n, task in enumerate(tasks) if task.extended for k in (0, 1)]
    alarms = []
    for _ in range(ALARMS):
        counter = rng.choice("CCS")
        kinds = {"activate": list(range(count)), "set_event": events, "callback": [0, 1, 2]}
        actions = [
            (kind, which)
            for kind, every in kinds.items()
            if rng.random() < (0.8 if kind == "activate" else 0.4)
            for which in rng.sample(every, min(len(every), rng.randint(1, 4)))
        ]
        actions += [("increment", 0)] if counter == "C" and rng.random() < 0.4 else []
        alarms.append(Alarm(counter, rng.randint(1, 6), rng.choice([0, 1, 2, 3, 5]), actions or [("callback", 0)]))
    return Model(tasks, alarms)


def schedule_of(model: Model, rng: random.Random, board: str, *, ordered: bool) -> tuple[str, str]:
    """The schedule and the code; keys are in any order, and one action is in a list or not.

    ``ordered``: all alarms are in queues on the kernel's level, as there is an error hook, and a mode in which none starts.
    """
    system = 'hooks = ["error"]\nmodes = ["OSDEFAULTAPPMODE", "Other"]\n' if ordered else ""
    start = ', modes = ["OSDEFAULTAPPMODE"]' if ordered else ""
    lines = [f'[osek]\n{system}[osek.counter.C]\ntick = "{TICK[board]} ticks"\n[osek.counter.S]\nkind = "software"']
    code = ['void ErrorHook(StatusType error) { report("said", ERROR + error); }'.replace("ERROR", str(ERROR))]
    code += [f'ALARMCALLBACK(f{n}) {{ report("said", {CALL + n}); }}' for n in range(3)]
    used = {which for alarm in model.alarms for what, which in alarm.actions if what == "callback"}
    code = [line for n, line in enumerate(code) if n == 0 or n - 1 in used]
    for n, task in enumerate(model.tasks):
        lines += [f"[osek.task.T{n}]", f"priority = {task.priority}", f"activations = {task.activations}"]
        if task.extended:
            lines += [f'events = ["E{n}_0", "E{n}_1"]', f"[osek.event.E{n}_0]", f"[osek.event.E{n}_1]"]
        flags = f"((set & E{n}_0) ? 1u : 0u) + ((set & E{n}_1) ? 2u : 0u)" if task.extended else "0u"
        get = f"EventMaskType set; GetEvent(T{n}, &set);" if task.extended else ""
        code.append(f'TASK(T{n}) {{ {get} report("said", {n} + {EVENTS} * ({flags})); TerminateTask(); }}')
    for number, alarm in enumerate(model.alarms):
        said: dict[str, list[str]] = {}
        for what, which in alarm.actions:
            event = f'{{ task = "T{which // 2}", event = "E{which // 2}_{which % 2}" }}'
            value = {"activate": f'"T{which}"', "set_event": event, "callback": f'"f{which}"', "increment": '"S"'}[what]
            said.setdefault(what, []).append(value)
        keys = [f'counter = "{alarm.counter}"', f"autostart = {{ at = {alarm.at}, cycle = {alarm.cycle}{start} }}"]
        keys += ["static = true"] if rng.random() < 0.5 else []
        for what, values in said.items():
            one = len(values) == 1 and (what == "increment" or rng.random() < 0.5)
            keys.append(f"{what} = {values[0] if one else '[' + ', '.join(values) + ']'}")
        rng.shuffle(keys)
        lines += [f"[osek.alarm.A{number}]", *keys]
    return "\n".join(lines) + "\n", "\n".join(code)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("seed", range(PROGRAMS))
@pytest.mark.parametrize("kernel", ["carillon", "conventional"])
def test_random_alarms_do_all_in_order_as_a_model_does(lab: Laboratory, board: str, seed: int, kernel: str) -> None:
    """In an error hook, each activation too many and each event of a suspended task is told in its turn."""
    rng = random.Random(f"order {seed}")
    model = random_model(rng, plain=False)
    schedule, code = schedule_of(model, rng, board, ordered=True)
    length = TICK[board] * TICKS + TICK[board] * 9 // 10
    outcome = lab.run(schedule, code, board, ticks=length, system=SYSTEM.get(board, ""), kernel=kernel)
    assert [value for _, value in outcome.reported] == model.run()


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_random_alarms_in_parts_and_on_cells_start_each_task_as_often_as_a_model(lab: Laboratory, board: str, seed: int) -> None:
    """Without an error hook, alarms have the levels of their tasks where they can: nothing is lost, and nothing comes twice."""
    rng = random.Random(f"counts {seed}")
    model = random_model(rng, plain=True)
    schedule, code = schedule_of(model, rng, board, ordered=False)
    length = TICK[board] * TICKS + TICK[board] * 9 // 10
    outcome = lab.run(schedule, code, board, ticks=length, system=SYSTEM.get(board, ""))
    assert Counter(value for _, value in outcome.reported) == Counter(said for said in model.run() if said < ERROR)
