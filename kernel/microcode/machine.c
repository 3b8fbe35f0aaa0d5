/* SPDX-License-Identifier: Apache-2.0
 *
 * The E and S machine: event loop, interpreter, scheduler.
 *
 * Triggers and threads wait in arrays, in the order in which they came, and what leaves them closes the gap.  Programs
 * have few of both at a time; how many is CARILLON_MICROCODE_BINDINGS and CARILLON_MICROCODE_THREADS. */
#include "kernel/microcode/machine.h"

#include <stddef.h>

#define NONE CARILLON_MICROCODE_NONE

/* A trigger that waits: `trigger` is NONE if it is one of time, and `state` then the time at which it is enabled. */
struct waiting_trigger {
    uint32_t state;
    uint16_t trigger;
    uint16_t address;
};

/* A thread that waits.  `task` is what it dispatches; NONE: it idles.  It goes on at `after` when the task has ended,
 * and at `address` when its timeout has: at the time `until`, or when the task `other` is unfinished. */
struct waiting_thread {
    uint32_t reference;
    uint32_t until;
    uint16_t task;
    uint16_t after;
    uint16_t address;
    uint16_t other;
    bool timed;
};

/* A task.  `key` is its deadline, or with rate-monotonic scheduling the time from its release to that; `timeless`: it
 * has none, and comes behind all that have.  `place` is where it is in the heap of the scheduler. */
struct task_state {
    uint32_t key;
    uint16_t place;
    bool unfinished;
    bool timeless;
};
#define NOWHERE 0xFFFFu
#define NEW 0xFFFEu /* in the list of those that the scheduler does not know yet */

static struct machine_state {
    const struct carillon_microcode *program;
    const struct carillon_microcode *replacement;
    uint32_t now;
    uint32_t next;  /* the first time at which a trigger or a timeout is due */
    uint32_t steps; /* that are left at this instant */
    uint16_t bindings;
    uint16_t threads;
    uint16_t unfinished;
    uint16_t heap;
    uint16_t fresh;
    uint16_t running;
    uint16_t last; /* the address at which the interpreter ended last */
    bool stirred;  /* something has happened that is not a time */
    bool waits;    /* `next` is a time */
} machine;
/* One more than wait at a time: the compiler does not know that no more do, and sees what closes a gap read behind an
 * array of one. */
static struct waiting_trigger bindings[CARILLON_MICROCODE_BINDINGS + 1u];
static struct waiting_thread threads[CARILLON_MICROCODE_THREADS + 1u];
static struct task_state tasks[CARILLON_MICROCODE_TASKS];

/* The scheduler: a heap of unfinished tasks, the most urgent one at 0, and those that were released since it last was
 * asked.  A program whose threads dispatch all tasks does not ask, and nothing is put in order for it.
 *
 * 1. A task is in one of both or in neither.  What is in the heap is unfinished: a task that ends leaves it.
 * 2. One that ends before the scheduler knows it stays in the list.  If it is released again, it is there already. */
static uint16_t heap[CARILLON_MICROCODE_TASKS + 2u]; /* two more, as above: the places below that of one task */
static uint16_t fresh[CARILLON_MICROCODE_TASKS];

/* Has a time come?  Times are less than 2^31 ticks apart. */
static inline bool is_reached(uint32_t time)
{
    return (machine.now - time) < UINT32_C(0x80000000);
}

/* Of two tasks, is the first one more urgent?  If nothing else decides, the order of the program does. */
static bool is_before(uint16_t first, uint16_t second)
{
    const struct task_state *const one = &tasks[first];
    const struct task_state *const other = &tasks[second];
    if (one->timeless != other->timeless) {
        return other->timeless;
    }
    if (one->timeless || (one->key == other->key)) {
        return first < second;
    }
    return (one->key - other->key) >= UINT32_C(0x80000000);
}

static inline void put(uint16_t place, uint16_t task)
{
    heap[place] = task;
    tasks[task].place = place;
}

/* Bounded by the logarithm of the number of tasks, as is `sink`. */
static void rise(uint16_t from, uint16_t task)
{
    uint16_t place = from;
    while (place > 0u) {
        const uint16_t above = (uint16_t)((place - 1u) / 2u);
        if (!is_before(task, heap[above])) {
            break;
        }
        put(place, heap[above]);
        place = above;
    }
    put(place, task);
}

static void sink(uint16_t from, uint16_t task)
{
    uint16_t place = from;
    for (;;) {
        uint32_t below = (2u * (uint32_t)place) + 1u;
        if (((below + 1u) < machine.heap) && is_before(heap[below + 1u], heap[below])) {
            below++;
        }
        if ((below >= machine.heap) || !is_before(heap[below], task)) {
            break;
        }
        put(place, heap[below]);
        place = (uint16_t)below;
    }
    put(place, task);
}

static void leave_heap(uint16_t place)
{
    machine.heap--;
    const uint16_t last = heap[machine.heap];
    if (place < machine.heap) {
        if ((place > 0u) && is_before(last, heap[(place - 1u) / 2u])) {
            rise(place, last);
        } else {
            sink(place, last);
        }
    }
}

static uint16_t most_urgent(void)
{
    if (machine.program->scheduler == CARILLON_SCHEDULER_NONE) {
        return NONE;
    }
    while (machine.fresh > 0u) {
        machine.fresh--;
        const uint16_t task = fresh[machine.fresh];
        if (tasks[task].unfinished) {
            const uint16_t place = machine.heap;
            machine.heap++;
            rise(place, task);
        } else {
            tasks[task].place = NOWHERE;
        }
    }
    return (machine.heap > 0u) ? heap[0] : NONE;
}

static void finish(uint16_t task)
{
    struct task_state *const it = &tasks[task];
    it->unfinished = false;
    machine.unfinished--;
    if (it->place < NEW) {
        leave_heap(it->place);
        it->place = NOWHERE;
    }
}

static void release(uint16_t task, uint32_t deadline)
{
    struct task_state *const it = &tasks[task];
    it->unfinished = true;
    it->timeless = (deadline == 0u);
    it->key = (machine.program->scheduler == CARILLON_SCHEDULER_RM) ? deadline : (machine.now + deadline);
    machine.unfinished++;
    if (it->place == NOWHERE) {
        it->place = NEW;
        fresh[machine.fresh] = task;
        machine.fresh++;
    }
    carillon_machine_released(task, deadline);
}

/* Report that a task is late.  Returns the address of its handler; NONE: it has been terminated. */
static uint16_t handle_late(uint16_t task, uint16_t address, bool handled)
{
    carillon_machine_fault(CARILLON_MACHINE_LATE, task, address);
    const uint16_t handler =
        ((machine.program->late == NULL) || handled) ? (uint16_t)NONE : machine.program->late[task];
    if (handler == NONE) {
        finish(task);
        carillon_machine_terminated(task);
    }
    return handler;
}

/* Whether no unfinished task is touched.  If one is, `handler` becomes the address of the first handler among theirs.
 * Bounded by the tasks that a driver touches. */
static inline bool is_untouched(const uint16_t *touched, uint16_t address, bool handled, uint16_t *handler)
{
    bool safe = true;
    for (const uint16_t *task = touched; *task != NONE; task++) {
        if (tasks[*task].unfinished) {
            const uint16_t found = handle_late(*task, address, handled);
            *handler = (*handler == NONE) ? found : *handler;
            safe = false;
        }
    }
    return safe;
}

static void insert_binding(uint16_t trigger, uint32_t state, uint16_t address, uint16_t behind)
{
    if (machine.bindings == CARILLON_MICROCODE_BINDINGS) {
        carillon_machine_fault(CARILLON_MACHINE_FULL, NONE, behind);
        return;
    }
    bindings[machine.bindings] = (struct waiting_trigger){.state = state, .trigger = trigger, .address = address};
    machine.bindings++;
}

/* Put in a thread, which has no timeout yet; NULL: there is no room. */
static struct waiting_thread *insert_thread(uint16_t task, uint16_t after, uint16_t address, uint32_t reference)
{
    if (machine.threads == CARILLON_MICROCODE_THREADS) {
        carillon_machine_fault(CARILLON_MACHINE_FULL, task, after);
        return NULL;
    }
    struct waiting_thread *const thread = &threads[machine.threads];
    *thread = (struct waiting_thread){
        .reference = reference, .task = task, .after = after, .address = address, .other = NONE};
    machine.threads++;
    return thread;
}

static void insert_timed(uint16_t task, uint16_t after, uint16_t address, uint32_t reference, uint32_t until)
{
    struct waiting_thread *const thread = insert_thread(task, after, address, reference);
    if (thread != NULL) {
        thread->until = until;
        thread->timed = true;
    }
}

static void insert_released(uint16_t task, uint16_t after, uint16_t address, uint32_t reference, uint16_t other)
{
    struct waiting_thread *const thread = insert_thread(task, after, address, reference);
    if (thread != NULL) {
        thread->other = other;
    }
}

/* Algorithm 2, from an address on, with the reference time of a thread; `back` is where it goes on after a handler that
 * begins at the address, or NONE.  Bounded by the steps that are left at this instant.
 *
 * A handler is code like any other: it ends at a `return`, or where it waits.  While it runs, the default is what
 * handles the next fault. */
static void interpret(uint16_t from, uint32_t reference, uint16_t back)
{
    uint16_t address = from;
    uint16_t resume = back;
    while (machine.steps > 0u) {
        machine.steps--;
        const struct carillon_instruction *const i = &machine.program->code[address];
        const uint32_t word = i->word;
        const uint32_t time = word >> 8;
        uint16_t handler = NONE;
        bool yields = false;
        address++;
        switch (word & 0xFFu) {
        case CARILLON_OPCODE_CALL: {
            const struct carillon_microcode_driver *const driver = &carillon_microcode_drivers[i->x];
            if (is_untouched(driver->touches, address, resume != NONE, &handler)) {
                driver->call();
            }
            break;
        }
        case CARILLON_OPCODE_RELEASE:
            if (!tasks[i->x].unfinished) {
                release(i->x, time);
            } else {
                handler = handle_late(i->x, address, resume != NONE);
            }
            break;
        case CARILLON_OPCODE_FUTURE:
            insert_binding(NONE, machine.now + time, i->y, address);
            break;
        case CARILLON_OPCODE_FUTURE_EVENT:
            insert_binding(i->x, carillon_microcode_triggers[i->x].state(), i->y, address);
            break;
        case CARILLON_OPCODE_DISPATCH:
            (void)insert_thread(i->x, address, NONE, reference);
            yields = true;
            break;
        case CARILLON_OPCODE_DISPATCH_TIME:
            insert_timed(i->x, address, i->y, reference, reference + time);
            yields = true;
            break;
        case CARILLON_OPCODE_DISPATCH_RELEASE:
            insert_released(i->x, address, i->y, reference, (uint16_t)time);
            yields = true;
            break;
        case CARILLON_OPCODE_IDLE:
            insert_timed(NONE, address, address, reference, reference + time);
            yields = true;
            break;
        case CARILLON_OPCODE_IDLE_RELEASE:
            insert_released(NONE, address, address, reference, i->x);
            yields = true;
            break;
        case CARILLON_OPCODE_FORK:
            insert_timed(NONE, address, i->y, machine.now, machine.now);
            break;
        case CARILLON_OPCODE_IF:
            if (!carillon_microcode_guards[i->x]()) {
                address = i->y;
            }
            break;
        case CARILLON_OPCODE_JUMP:
            address = i->y;
            break;
        case CARILLON_OPCODE_TERMINATE:
            if (tasks[i->x].unfinished) {
                finish(i->x);
                carillon_machine_terminated(i->x);
            }
            break;
        default: /* return */
            yields = true;
            break;
        }
        if (handler != NONE) {
            resume = address;
            address = handler;
        } else if (yields) {
            if (resume == NONE) {
                break;
            }
            address = resume;
            resume = NONE;
        } else {
            /* the next instruction */
        }
    }
    machine.last = address;
}

/* Bounded by CARILLON_MICROCODE_THREADS, as is whatever looks for a thread. */
static struct waiting_thread take_thread(uint16_t number)
{
    const struct waiting_thread taken = threads[number];
    machine.threads--;
    for (uint16_t k = number; k < machine.threads; k++) {
        threads[k] = threads[k + 1u];
    }
    return taken;
}

static bool go_on_after_task(void)
{
    for (uint16_t k = 0u; k < machine.threads; k++) {
        const uint16_t task = threads[k].task;
        if ((task != NONE) && !tasks[task].unfinished) {
            const struct waiting_thread thread = take_thread(k);
            interpret(thread.after, thread.reference, NONE);
            return true;
        }
    }
    return false;
}

/* Bounded by CARILLON_MICROCODE_BINDINGS. */
static bool go_on_at_trigger(void)
{
    for (uint16_t k = 0u; k < machine.bindings; k++) {
        const struct waiting_trigger binding = bindings[k];
        const bool enabled = (binding.trigger == NONE)
                                 ? is_reached(binding.state)
                                 : carillon_microcode_triggers[binding.trigger].is_enabled(binding.state);
        if (enabled) {
            machine.bindings--;
            for (uint16_t j = k; j < machine.bindings; j++) {
                bindings[j] = bindings[j + 1u];
            }
            interpret(binding.address, machine.now, NONE);
            return true;
        }
    }
    return false;
}

static bool go_on_at_timeout(void)
{
    for (uint16_t k = 0u; k < machine.threads; k++) {
        const struct waiting_thread *const it = &threads[k];
        if (it->timed ? is_reached(it->until) : ((it->other != NONE) && tasks[it->other].unfinished)) {
            const struct waiting_thread thread = take_thread(k);
            interpret(thread.address, thread.reference, NONE);
            return true;
        }
    }
    return false;
}

/* Nothing else is to be done at this instant: the first thread that dispatches a task has the processor. */
static bool drop_shared(void)
{
    uint16_t chosen = NONE;
    for (uint16_t k = 0u; k < machine.threads; k++) {
        const uint16_t task = threads[k].task;
        if (chosen == NONE) {
            chosen = task;
        } else if ((task != NONE) && (task != chosen)) {
            const struct waiting_thread thread = take_thread(k);
            carillon_machine_fault(CARILLON_MACHINE_SHARED, task, thread.after);
            const uint16_t handler = machine.program->shared;
            if (handler == NONE) {
                interpret(thread.after, thread.reference, NONE);
            } else {
                interpret(handler, thread.reference, thread.after);
            }
            return true;
        } else {
            /* it idles, or dispatches what runs */
        }
    }
    return false;
}

static void wait_until(uint32_t time)
{
    if (!machine.waits || ((machine.next - time) < UINT32_C(0x80000000))) {
        machine.next = time;
        machine.waits = true;
    }
}

/* Who runs from now on, and until when. */
static void yield_to_task(void)
{
    machine.waits = false;
    machine.running = NONE;
    for (uint16_t k = 0u; k < machine.bindings; k++) {
        if (bindings[k].trigger == NONE) {
            wait_until(bindings[k].state);
        }
    }
    for (uint16_t k = 0u; k < machine.threads; k++) {
        if (threads[k].timed) {
            wait_until(threads[k].until);
        }
        if (machine.running == NONE) {
            machine.running = threads[k].task;
        }
    }
    if (machine.threads == 0u) {
        machine.running = most_urgent();
    }
}

void carillon_machine_start(const struct carillon_microcode *program, uint32_t now)
{
    machine.now = now;
    machine.program = program;
    machine.replacement = NULL;
    machine.bindings = 0u;
    machine.threads = 0u;
    machine.unfinished = 0u;
    machine.heap = 0u;
    machine.fresh = 0u;
    machine.running = NONE;
    for (uint16_t k = 0u; k < CARILLON_MICROCODE_TASKS; k++) {
        tasks[k].unfinished = false;
        tasks[k].place = NOWHERE;
    }
    machine.next = 0u;
    machine.waits = false;
    machine.stirred = true;
    bindings[0] = (struct waiting_trigger){.state = now, .trigger = NONE, .address = program->entry};
    machine.bindings = 1u;
}

uint16_t carillon_machine_instant(uint32_t now)
{
    machine.now = now;
    if (!machine.stirred && !(machine.waits && is_reached(machine.next))) {
        return machine.running;
    }
    machine.stirred = false;
    machine.steps = machine.program->steps;
    bool goes_on = true;
    while (goes_on && (machine.steps > 0u)) { /* bounded by the steps: whatever goes on takes one */
        goes_on = go_on_after_task() || go_on_at_trigger() || go_on_at_timeout() || drop_shared();
        if (!goes_on && (machine.replacement != NULL) && (machine.unfinished == 0u)) {
            carillon_machine_start(machine.replacement, now);
            goes_on = true;
        }
    }
    if (machine.steps == 0u) {
        carillon_machine_fault(CARILLON_MACHINE_ENDLESS, NONE, machine.last);
        machine.threads = 0u;
    }
    yield_to_task();
    if (machine.steps == 0u) { /* something may be due now: it has to wait */
        machine.waits = false;
        wait_until(now + 1u);
    }
    return machine.running;
}

void carillon_machine_end(uint16_t task)
{
    finish(task);
    machine.stirred = true;
}

void carillon_machine_input(void)
{
    machine.stirred = true;
}

void carillon_machine_replace(const struct carillon_microcode *program)
{
    machine.replacement = program;
    machine.stirred = true;
}

const struct carillon_microcode *carillon_machine_program(void)
{
    return machine.program;
}

bool carillon_machine_is_unfinished(uint16_t task)
{
    return tasks[task].unfinished;
}

bool carillon_machine_next(uint32_t *time)
{
    *time = machine.next;
    return machine.waits;
}
