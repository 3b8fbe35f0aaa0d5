/* SPDX-License-Identifier: Apache-2.0
 *
 * The E and S machine: event loop, interpreter, scheduler.
 *
 * Triggers and threads wait in arrays, in the order in which they came, and what leaves them closes the gap.  Programs
 * have few of both at a time; how many is CARILLON_MICROCODE_BINDINGS and CARILLON_MICROCODE_THREADS. */
#include "kernel/microcode/machine.h"

#include "kernel/microcode/recorder.h"

#include <stddef.h>

#define NONE CARILLON_MICROCODE_NONE
#define SMALL __attribute__((cold, noinline)) /* rather than fast */

/* A trigger that waits, and the `future` that it comes from.  If it is one of time, `state` is when it is enabled. */
struct waiting_trigger {
    uint32_t state;
    const struct carillon_instruction *future;
};

/* A thread that waits.  `task` is what it dispatches; NONE: it idles.  It goes on at `after` when the task has ended,
 * and at `address` when its timeout has: when the task `other` is unfinished, or at the time `until` (TIMED). */
struct waiting_thread {
    uint32_t reference;
    uint32_t until;
    uint16_t task;
    uint16_t after;
    uint16_t address;
    uint16_t other;
};
#define TIMED 0xFFFEu

/* A task.  `released` is the instruction that released it, 0: it has ended; `begin` is when that was. */
struct task_state {
    uint32_t released;
    uint32_t begin;
};

/* `next` is the first time at which a trigger or a timeout is due, or earlier: what is taken away does not move it.  If
 * there is none, it is FAR away. */
static struct machine_state {
    struct carillon_instruction first; /* a `future` that leads to the program's begin */
    const struct carillon_microcode *program;
    const struct carillon_instruction *code;
    const struct carillon_microcode *replacement;
    const struct carillon_instruction *joined; /* the `future` that leads to what the replacement adds; NULL: none */
    uint32_t now;
    uint32_t next;
    uint32_t steps; /* that are left at this instant */
    uint16_t bindings;
    uint16_t threads;
    uint16_t heap;
    uint16_t running;
    uint16_t last; /* the address at which the interpreter ended last */
#if CARILLON_MICROCODE_RECORD > 0u
    uint32_t block; /* when a trigger was enabled last */
#endif
    bool stirred; /* a task has ended, a port may have changed, or there is another program */
    bool events;  /* triggers may wait that are not of time */
    bool endless; /* this instant had no end */
    bool patient; /* released tasks may have no deadline */
} machine;
#define FAR UINT32_C(0x7FFFFFFF)
/* One more than wait at a time: the compiler does not know that no more do, and sees what closes a gap read behind an
 * array of one. */
static struct waiting_trigger bindings[CARILLON_MICROCODE_BINDINGS + 1u];
static struct waiting_thread threads[CARILLON_MICROCODE_THREADS + 1u];
static struct task_state tasks[CARILLON_MICROCODE_TASKS];

/* The scheduler: a heap of unfinished tasks, the most urgent one at 0, and bits of those that were released since it
 * last was asked.  A program whose threads dispatch all tasks does not ask, and nothing is put in order for it.
 *
 * An unfinished task is in one of both, and one that has ended in neither.  `places` is where tasks are in the heap,
 * from 1 on.  A task without a deadline stays behind all others: it is not put in the heap, and its bit stays.
 *
 * In an entry, the upper half is the task's deadline, or with rate-monotonic scheduling the time from its release to
 * that.  The lower half is the task, so that tasks with one deadline are in the order in which the program declares
 * them.  Two deadlines are less than 2^31 ticks apart; so are entries, in the upper half. */
static uint64_t heap[CARILLON_MICROCODE_TASKS + 2u]; /* two more, as above: the places below that of one task */
static uint16_t places[CARILLON_MICROCODE_TASKS];
#define NOWHERE 0u
#define GROUPS ((CARILLON_MICROCODE_TASKS + 31u) / 32u)
static uint32_t fresh[GROUPS];

static inline uint32_t bit_of(uint16_t task)
{
    return UINT32_C(1) << (task & 31u);
}

/* Has a time come?  Times are less than 2^31 ticks apart. */
static inline bool is_reached(uint32_t time)
{
    return (machine.now - time) < UINT32_C(0x80000000);
}

static inline bool is_unfinished(uint16_t task)
{
    return tasks[task].released != 0u;
}

/* Of two tasks, is the first one more urgent? */
static inline bool is_before(uint64_t one, uint64_t other)
{
    return (one - other) >= UINT64_C(0x8000000000000000);
}

static inline void put(uint32_t place, uint64_t entry)
{
    heap[place] = entry;
    places[(uint16_t)entry] = (uint16_t)(place + 1u);
}

/* Put an entry where it belongs, in place of another one or of none: those below fill the gap up to its end, and from
 * there the entry rises.  What takes the place of another one was among the last, so that it rises little (R. Floyd's
 * way to take from a heap).  Bounded by the logarithm of the number of tasks. */
static __attribute__((noinline)) void settle(uint32_t from, uint64_t entry)
{
    uint32_t place = from;
    for (uint32_t below = (2u * place) + 1u; below < machine.heap; below = (2u * place) + 1u) {
        if (((below + 1u) < machine.heap) && is_before(heap[below + 1u], heap[below])) {
            below++;
        }
        put(place, heap[below]);
        place = below;
    }
    while (place > 0u) {
        const uint32_t above = (place - 1u) / 2u;
        if (!is_before(entry, heap[above])) {
            break;
        }
        put(place, heap[above]);
        place = above;
    }
    put(place, entry);
}

/* The most urgent task of those in the heap; if there is none, the first one without a deadline.  With
 * CARILLON_SCHEDULER_NONE, there is neither. */
static inline uint16_t first_in_order(void)
{
    if (machine.heap > 0u) {
        return (uint16_t)heap[0];
    }
    for (uint16_t group = 0u; machine.patient && (group < GROUPS); group++) {
        if (fresh[group] != 0u) {
            return (uint16_t)((32u * (uint32_t)group) + (uint32_t)__builtin_ctz(fresh[group]));
        }
    }
    return NONE;
}

static __attribute__((noinline)) uint16_t most_urgent(void)
{
    if (machine.program->scheduler == CARILLON_SCHEDULER_NONE) {
        return NONE;
    }
    const bool by_periods = machine.program->scheduler == CARILLON_SCHEDULER_RM;
    machine.patient = false;
    for (uint16_t group = 0u; group < GROUPS; group++) {
        uint32_t left = fresh[group];
        while (left != 0u) { /* of equal deadlines, the most urgent comes first, and the others stay below it */
            const uint32_t lowest = (uint32_t)__builtin_ctz(left);
            const uint32_t task = (32u * (uint32_t)group) + lowest;
            const uint32_t deadline = tasks[task].released >> 8;
            left &= left - 1u;
            if (deadline == 0u) {
                machine.patient = true;
            } else {
                const uint32_t key = by_periods ? deadline : (deadline + tasks[task].begin);
                fresh[group] &= ~bit_of((uint16_t)task);
                machine.heap++;
                settle((uint32_t)machine.heap - 1u, ((uint64_t)key << 32) | task);
            }
        }
    }
    return first_in_order();
}

/* Take an unfinished task out of the heap. */
static __attribute__((noinline)) void take_out(uint16_t task, uint16_t place)
{
    places[task] = NOWHERE;
    machine.heap--;
    if (place <= machine.heap) {
        settle((uint32_t)place - 1u, heap[machine.heap]);
    }
}

static inline void finish(uint16_t task)
{
    const uint16_t place = places[task];
    tasks[task].released = 0u;
    fresh[task / 32u] &= ~bit_of(task);
    if (place != NOWHERE) {
        take_out(task, place);
    }
}

/* `word` is that of the instruction. */
static inline void release(uint16_t task, uint32_t word)
{
    tasks[task] = (struct task_state){.released = word, .begin = machine.now};
    fresh[task / 32u] |= bit_of(task);
#if CARILLON_MICROCODE_TOLD
    carillon_machine_released(task, word >> 8);
#endif
}

/* Report that a task is late.  Returns the address of its handler; NONE: it has been terminated. */
static SMALL uint16_t handle_late(uint16_t task, uint16_t address, bool handled)
{
#if CARILLON_MICROCODE_MISSED
    carillon_giotto_missed[task]();
#endif
    carillon_machine_fault(CARILLON_MACHINE_LATE, task, address);
    const uint16_t handler =
        ((machine.program->late == NULL) || handled) ? (uint16_t)NONE : machine.program->late[task];
    if (handler == NONE) {
        finish(task);
        carillon_machine_terminated(task);
    }
    return handler;
}

/* The first unfinished task of a list, or its end.  Bounded by the tasks that a driver touches. */
static inline const uint16_t *first_late(const uint16_t *touched)
{
    const uint16_t *task = touched;
    while ((*task != NONE) && !is_unfinished(*task)) {
        task++;
    }
    return task;
}

/* Report all of them that are unfinished.  Returns the address of the first handler among theirs; NONE: there is none.
 */
static SMALL uint16_t handle_touched(const uint16_t *first, uint16_t address, bool handled)
{
    uint16_t handler = NONE;
    for (const uint16_t *task = first; *task != NONE; task = first_late(&task[1])) {
        const uint16_t found = handle_late(*task, address, handled);
        handler = (handler == NONE) ? found : handler;
    }
    return handler;
}

static inline void wait_until(uint32_t time)
{
    if ((machine.next - time) < UINT32_C(0x80000000)) {
        machine.next = time;
    }
}

/* How many instructions follow each other from one to before another. */
static inline uint32_t distance(const struct carillon_instruction *from, const struct carillon_instruction *to)
{
    const uintptr_t bytes = (uintptr_t)to - (uintptr_t)from;
    return (uint32_t)bytes / (uint32_t)sizeof(*to);
}

/* The address of an instruction. */
static inline uint16_t address_of(const struct carillon_instruction *i)
{
    return (uint16_t)distance(machine.code, i);
}

static inline void insert_binding(const struct carillon_instruction *future, uint32_t state)
{
    if (machine.bindings == CARILLON_MICROCODE_BINDINGS) {
        carillon_machine_fault(CARILLON_MACHINE_FULL, NONE, (uint16_t)(address_of(future) + 1u));
        return;
    }
    bindings[machine.bindings] = (struct waiting_trigger){.state = state, .future = future};
    machine.bindings++;
}

static inline bool is_of_time(const struct waiting_trigger *it)
{
    return (it->future->word & 0xFFu) == CARILLON_OPCODE_FUTURE;
}

/* Put in a thread, which waits as an instruction says; `behind` is the address behind it. */
static __attribute__((noinline)) void insert_thread(const struct carillon_instruction *i, uint16_t behind,
                                                    uint32_t reference)
{
    const uint32_t word = i->word;
    const uint32_t time = word >> 8;
    struct waiting_thread *const it = &threads[machine.threads];
    it->reference = reference;
    it->task = i->x;
    it->after = behind;
    it->address = i->y;
    it->other = TIMED;
    switch (word & 0xFFu) {
    case CARILLON_OPCODE_DISPATCH:
        it->other = NONE;
        break;
    case CARILLON_OPCODE_DISPATCH_TIME:
        break;
    case CARILLON_OPCODE_DISPATCH_RELEASE:
        it->other = (uint16_t)time;
        break;
    case CARILLON_OPCODE_IDLE:
        it->task = NONE;
        it->address = behind;
        break;
    case CARILLON_OPCODE_IDLE_RELEASE:
        it->task = NONE;
        it->address = behind;
        it->other = i->x;
        break;
    default: /* fork: at once */
        it->task = NONE;
        it->reference = machine.now;
        break;
    }
    if (machine.threads == CARILLON_MICROCODE_THREADS) {
        carillon_machine_fault(CARILLON_MACHINE_FULL, it->task, behind);
        return;
    }
    machine.threads++;
    if (it->other == TIMED) {
        it->until = it->reference + time;
        wait_until(it->until);
    }
}

/* Instructions that follow each other were carried out.  Returns whether steps are left. */
static inline bool spend(const struct carillon_instruction *begin, const struct carillon_instruction *behind)
{
    const uint32_t count = distance(begin, behind);
    machine.last = address_of(behind);
    machine.steps = (count < machine.steps) ? (machine.steps - count) : 0u;
    return machine.steps > 0u;
}

/* Algorithm 2, from an address on, with the reference time of a thread; `back` is where it goes on after a handler that
 * begins at the address, or NONE.  Bounded by the steps that are left at this instant, which are looked at wherever
 * instructions do not follow each other, so that what goes on straight does not ask.
 *
 * A handler is code like any other: it ends at a `return`, or where it waits.  While it runs, the default is what
 * handles the next fault. */
static __attribute__((noinline)) void interpret(uint16_t from, uint32_t reference, uint16_t back)
{
    const struct carillon_instruction *begin = &machine.code[from];
    const struct carillon_instruction *i = begin;
    uint16_t resume = back;
    for (;;) {
        const uint32_t word = i->word;
        uint16_t next = NONE; /* where it goes on, if not behind the instruction */
        enum { STRAIGHT, DROPPED, JUMPS, ENDS } how = STRAIGHT;
        i++;
        switch (word & 0xFFu) {
        case CARILLON_OPCODE_CALL: {
            const struct carillon_microcode_driver *const driver = &carillon_microcode_drivers[i[-1].x];
            const uint16_t *const late = first_late(driver->touches);
            if (*late == NONE) {
                driver->call();
            } else {
                next = handle_touched(late, address_of(i), resume != NONE);
                how = DROPPED;
            }
            break;
        }
        case CARILLON_OPCODE_RELEASE:
            if (!is_unfinished(i[-1].x)) {
                release(i[-1].x, word);
            } else {
                next = handle_late(i[-1].x, address_of(i), resume != NONE);
                how = DROPPED;
            }
            break;
        case CARILLON_OPCODE_FUTURE: {
            const uint32_t time = machine.now + (word >> 8);
            insert_binding(&i[-1], time);
            wait_until(time);
            break;
        }
        case CARILLON_OPCODE_FUTURE_EVENT:
            insert_binding(&i[-1], carillon_microcode_triggers[i[-1].x].state());
            machine.events = true;
            break;
        case CARILLON_OPCODE_DISPATCH:
        case CARILLON_OPCODE_DISPATCH_TIME:
        case CARILLON_OPCODE_DISPATCH_RELEASE:
        case CARILLON_OPCODE_IDLE:
        case CARILLON_OPCODE_IDLE_RELEASE:
            insert_thread(&i[-1], address_of(i), reference);
            how = ENDS;
            break;
        case CARILLON_OPCODE_FORK:
            insert_thread(&i[-1], address_of(i), reference);
            break;
        case CARILLON_OPCODE_IF:
            if (!carillon_microcode_guards[i[-1].x]()) {
                next = i[-1].y;
                how = JUMPS;
            }
            break;
        case CARILLON_OPCODE_JUMP:
            next = i[-1].y;
            how = JUMPS;
            break;
        case CARILLON_OPCODE_TERMINATE:
            if (is_unfinished(i[-1].x)) {
                finish(i[-1].x);
                carillon_machine_terminated(i[-1].x);
            }
            break;
        default: /* return */
            how = ENDS;
            break;
        }
        if ((how == STRAIGHT) || ((how == DROPPED) && (next == NONE))) {
            continue; /* the default has handled what was dropped */
        }
        if (how == DROPPED) {
            resume = address_of(i);
        } else if (how == ENDS) {
            next = resume;
            resume = NONE;
        } else {
            /* it jumps */
        }
        if (!spend(begin, i) || (next == NONE)) {
            break;
        }
        begin = &machine.code[next];
        i = begin;
    }
}

/* Bounded by CARILLON_MICROCODE_THREADS, as is whatever looks for a thread. */
static inline void take_thread(uint16_t number)
{
    machine.threads--;
    for (uint16_t k = number; k < machine.threads; k++) {
        threads[k] = threads[k + 1u];
    }
}

static inline bool go_on_after_task(void)
{
    for (uint16_t k = 0u; k < machine.threads; k++) {
        const struct waiting_thread *const it = &threads[k];
        if ((it->task != NONE) && !is_unfinished(it->task)) {
            const uint16_t after = it->after;
            const uint32_t reference = it->reference;
            take_thread(k);
            interpret(after, reference, NONE);
            return true;
        }
    }
    return false;
}

/* Bounded by CARILLON_MICROCODE_BINDINGS. */
static inline bool go_on_at_trigger(void)
{
    for (uint16_t k = 0u; k < machine.bindings; k++) {
        const struct waiting_trigger *const it = &bindings[k];
        const bool enabled =
            is_of_time(it) ? is_reached(it->state) : carillon_microcode_triggers[it->future->x].is_enabled(it->state);
        if (enabled) {
            const uint16_t address = it->future->y;
            machine.bindings--;
            for (uint16_t j = k; j < machine.bindings; j++) {
                bindings[j] = bindings[j + 1u];
            }
            interpret(address, machine.now, NONE);
#if CARILLON_MICROCODE_RECORD > 0u
            machine.block = machine.now;
#endif
            return true;
        }
    }
    return false;
}

static inline bool go_on_at_timeout(void)
{
    for (uint16_t k = 0u; k < machine.threads; k++) {
        const struct waiting_thread *const it = &threads[k];
        if ((it->other == TIMED) ? is_reached(it->until) : ((it->other != NONE) && is_unfinished(it->other))) {
            const uint16_t address = it->address;
            const uint32_t reference = it->reference;
            take_thread(k);
            interpret(address, reference, NONE);
            return true;
        }
    }
    return false;
}

/* Nothing else is to be done at this instant: the first thread that dispatches a task has the processor. */
static SMALL bool drop_shared(void)
{
    uint16_t chosen = NONE;
    for (uint16_t k = 0u; k < machine.threads; k++) {
        const uint16_t task = threads[k].task;
        if (chosen == NONE) {
            chosen = task;
        } else if ((task != NONE) && (task != chosen)) {
            const uint16_t after = threads[k].after;
            const uint32_t reference = threads[k].reference;
            take_thread(k);
            carillon_machine_fault(CARILLON_MACHINE_SHARED, task, after);
            const uint16_t handler = machine.program->shared;
            if (handler == NONE) {
                interpret(after, reference, NONE);
            } else {
                interpret(handler, reference, after);
            }
            return true;
        } else {
            /* it idles, or dispatches what runs */
        }
    }
    return false;
}

/* Find the next time at which something is due. */
static SMALL void look_ahead(void)
{
    machine.next = machine.now + FAR;
    machine.events = false;
    for (uint16_t k = 0u; k < machine.bindings; k++) {
        if (is_of_time(&bindings[k])) {
            wait_until(bindings[k].state);
        } else {
            machine.events = true;
        }
    }
    for (uint16_t k = 0u; k < machine.threads; k++) {
        if (threads[k].other == TIMED) {
            wait_until(threads[k].until);
        }
    }
    if (machine.endless) {
        machine.next = machine.now + 1u; /* something may be due now: it has to wait */
    }
}

static uint16_t first_dispatched(void)
{
    uint16_t found = NONE;
    for (uint16_t k = 0u; (found == NONE) && (k < machine.threads); k++) {
        found = threads[k].task;
    }
    return found;
}

/* Bounded by CARILLON_MICROCODE_TASKS, and asked while a program waits to begin. */
static SMALL bool is_any_unfinished(void)
{
    bool found = false;
    for (uint16_t k = 0u; k < CARILLON_MICROCODE_TASKS; k++) {
        found = found || is_unfinished(k);
    }
    return found;
}

/* One thing of an instant, in the order of algorithm 1; false: there was none. */
static inline bool go_on(void)
{
    const bool waits = machine.threads > 0u;
    return (waits && go_on_after_task()) || ((machine.events || is_reached(machine.next)) && go_on_at_trigger()) ||
           (waits && go_on_at_timeout()) || ((machine.threads > 1u) && drop_shared());
}

SMALL void carillon_machine_start(const struct carillon_microcode *program, uint32_t now)
{
    machine.now = now;
    machine.program = program;
    machine.code = program->code;
    machine.threads = 0u;
    machine.heap = 0u;
    machine.running = NONE;
    machine.events = false;
    machine.endless = false;
    machine.patient = false;
#if CARILLON_MICROCODE_RECORD > 0u
    carillon_recorder_forget(now);
#endif
    for (uint16_t k = 0u; k < CARILLON_MICROCODE_TASKS; k++) {
        tasks[k].released = 0u;
        places[k] = NOWHERE;
    }
    for (uint16_t k = 0u; k < GROUPS; k++) {
        fresh[k] = 0u;
    }
    machine.first = (struct carillon_instruction)CARILLON_INSTRUCTION(CARILLON_OPCODE_FUTURE, 0u, 0u, program->entry);
    bindings[0] = (struct waiting_trigger){.state = now, .future = &machine.first};
    machine.bindings = 1u;
    machine.next = now;
}

/* Another program waits: go on with it if that may be.  Returns whether there is something to go on with. */
static SMALL bool take_over(void)
{
    const struct carillon_microcode *const program = machine.replacement;
    const bool joins = machine.joined != NULL;
    const bool now = joins || !is_any_unfinished();
    machine.replacement = now ? NULL : program;
    if (joins) {
        for (uint16_t k = 0u; k < machine.bindings; k++) {
            bindings[k].future = &program->code[address_of(bindings[k].future)];
        }
        machine.program = program;
        machine.code = program->code;
        insert_binding(machine.joined, machine.now);
        wait_until(machine.now);
    } else if (now) {
        carillon_machine_start(program, machine.now);
    } else {
        /* it waits on */
    }
    if (now) {
        machine.steps = program->steps; /* what the old one has left may be too few */
    }
    return now;
}

/* The scheduler has chosen a task, or none. */
static inline uint16_t decided(uint16_t task)
{
#if CARILLON_MICROCODE_RECORD > 0u
    if (task != NONE) {
        const uint32_t deadline = tasks[task].released >> 8;
        uint32_t order = UINT32_MAX;
        if (deadline != 0u) {
            const bool by_periods = machine.program->scheduler == CARILLON_SCHEDULER_RM;
            order = by_periods ? deadline : (deadline + tasks[task].begin - machine.block);
        }
        carillon_recorder_decided(machine.last, task, order, machine.now);
    }
#endif
    return task;
}

static __attribute__((noinline)) uint16_t carry_out(void)
{
    if (machine.endless && !is_reached(machine.next)) { /* the steps of this tick are spent: all waits for the next */
        machine.running = decided(first_in_order());
        return machine.running;
    }
    machine.stirred = false;
    machine.endless = false;
    machine.steps = machine.program->steps;
    bool goes_on = true;
    while (goes_on && (machine.steps > 0u)) { /* bounded by the steps: whatever goes on takes one */
        goes_on = go_on();
        if (!goes_on && (machine.replacement != NULL)) {
            goes_on = take_over();
        }
    }
    if (machine.steps == 0u) {
        carillon_machine_fault(CARILLON_MACHINE_ENDLESS, NONE, machine.last);
        machine.threads = 0u;
        machine.endless = true;
    }
    if (is_reached(machine.next) || machine.endless) {
        look_ahead();
    }
    machine.running = (machine.threads > 0u) ? first_dispatched() : decided(most_urgent());
    return machine.running;
}

/* The only thread has waited for a task that has ended: go on with the next task that its instructions dispatch, and
 * pass over those that have ended.  Whatever other instruction follows is left to carry_out, as a thread whose task has
 * ended goes on there.  Bounded by the instructions, of which the last one does not dispatch. */
static __attribute__((noinline)) uint16_t dispatch_next(void)
{
    struct waiting_thread *const it = &threads[0];
    const struct carillon_instruction *i = &machine.code[it->after];
    while (((i->word & 0xFFu) == CARILLON_OPCODE_DISPATCH_TIME) || ((i->word & 0xFFu) == CARILLON_OPCODE_DISPATCH)) {
        const uint16_t task = i->x;
        if (is_unfinished(task)) {
            const uint32_t until = it->reference + (i->word >> 8);
            it->other = NONE;
            if ((i->word & 0xFFu) == CARILLON_OPCODE_DISPATCH_TIME) {
                if (is_reached(until)) {
                    break;
                }
                it->until = until;
                it->other = TIMED;
                wait_until(until);
            }
            it->task = task;
            it->after = (uint16_t)(address_of(i) + 1u);
            it->address = i->y;
            machine.running = task;
            return task;
        }
        i++;
    }
    it->after = address_of(i);
    return carry_out();
}

uint16_t carillon_machine_instant(uint32_t now)
{
    machine.now = now;
    return (machine.stirred || is_reached(machine.next)) ? carry_out() : machine.running;
}

uint16_t carillon_machine_ended(uint16_t task, uint32_t now)
{
    finish(task);
    machine.now = now;
    if (machine.stirred || machine.events || (machine.replacement != NULL) || (machine.threads > 1u) ||
        is_reached(machine.next)) {
        return carry_out();
    }
    if (machine.threads == 0u) {
        machine.running = decided(first_in_order()); /* nothing was released since carry_out asked */
        return machine.running;
    }
    const uint16_t awaited = threads[0].task;
    return ((awaited != NONE) && !is_unfinished(awaited)) ? dispatch_next() : carry_out();
}

void carillon_machine_end(uint16_t task)
{
    machine.stirred = true;
    finish(task);
}

void carillon_machine_input(void)
{
    machine.stirred = true;
}

void carillon_machine_replace(const struct carillon_microcode *program)
{
    machine.replacement = program;
    machine.joined = NULL;
    machine.stirred = true;
}

void carillon_machine_join(const struct carillon_microcode *program, uint16_t begin)
{
    carillon_machine_replace(program);
    machine.joined = &program->code[begin];
}

const struct carillon_microcode *carillon_machine_program(void)
{
    return machine.program;
}

bool carillon_machine_is_unfinished(uint16_t task)
{
    return is_unfinished(task);
}

bool carillon_machine_next(uint32_t *time)
{
    look_ahead(); /* what was taken away counts no more */
    *time = machine.next;
    return machine.next != (machine.now + FAR);
}
