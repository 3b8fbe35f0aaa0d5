/* SPDX-License-Identifier: Apache-2.0
 *
 * The E and S machine: its event loop, algorithm 1, and what its owner calls.  What it keeps is in state.h, the tasks
 * and their scheduler in order.h, and the instructions in interpreter.h.  They are headers, so that the compiler sees
 * the whole machine at once. */
/* These two passes trade bytes for cycles that the machine does not gain. */
#pragma GCC optimize("no-ivopts", "no-tree-loop-im")
#include "kernel/microcode/machine.h"

#include "kernel/microcode/interpreter.h"
#include "kernel/microcode/order.h"
#include "kernel/microcode/recorder.h"
#include "kernel/microcode/state.h"

/* Bounded by CARILLON_MICROCODE_THREADS, as is whatever looks for a thread. */
static FAST void take_thread(uint16_t number)
{
    machine.threads--;
    for (uint16_t k = number; k < machine.threads; k++) {
        threads[k] = threads[k + 1u];
    }
}

static inline bool go_on_after_task(void)
{
    for (uint16_t k = 0u; k < machine.threads; k++) {
        const struct waiting_thread *const waiting = &threads[k];
        if ((waiting->task != NONE) && !is_unfinished(waiting->task)) {
            const uint16_t after = waiting->after;
            const uint32_t reference = waiting->reference;
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
        const struct waiting_trigger *const waiting = &bindings[k];
        const bool enabled = is_of_time(waiting) ? is_reached(waiting->time)
                                                 : carillon_microcode_triggers[waiting->future->x].is_enabled(k);
        if (enabled) {
            const uint16_t address = waiting->future->y;
            if (machine.events) {
                carillon_microcode_forget(k);
            }
            machine.bindings--;
            for (uint16_t j = k; j < machine.bindings; j++) {
                bindings[j] = bindings[j + 1u];
            }
            interpret(address, machine.now, NONE);
            if (CARILLON_MICROCODE_RECORD > 0u) {
                recordable = true;
            }
            return true;
        }
    }
    return false;
}

static inline bool go_on_at_timeout(void)
{
    for (uint16_t k = 0u; k < machine.threads; k++) {
        const struct waiting_thread *const waiting = &threads[k];
        if ((waiting->other == TIMED) ? is_reached(waiting->until)
                                      : ((waiting->other != NONE) && is_unfinished(waiting->other))) {
            const uint16_t address = waiting->address;
            const uint32_t reference = waiting->reference;
            take_thread(k);
            interpret(address, reference, NONE);
            return true;
        }
    }
    return false;
}

static SMALL void drop_thread(uint16_t number)
{
    take_thread(number);
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
            drop_thread(k);
            carillon_machine_fault(CARILLON_MACHINE_SHARED, task, after);
            const uint16_t handler = handler_of(0u);
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
            wait_until(bindings[k].time);
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
    if (CARILLON_MICROCODE_RECORD > 0u) {
        carillon_recorder_forget(now);
    }
    for (uint16_t k = 0u; k < CARILLON_MICROCODE_TASKS; k++) {
        tasks[k].released = 0u;
        places[k] = NOWHERE;
        if (CARILLON_MICROCODE_RECORD > 0u) {
            recorded[k] = 0u;
        }
    }
    for (uint16_t k = 0u; k < GROUPS; k++) {
        fresh[k] = 0u;
    }
    machine.first = (struct carillon_instruction)CARILLON_INSTRUCTION(CARILLON_OPCODE_FUTURE, 0u, 0u, program->entry);
    bindings[0] = (struct waiting_trigger){.time = now, .future = &machine.first};
    machine.bindings = 1u;
    machine.next = now;
}

/* Whether what joins is S code that was made of the decisions, and no other program. */
static inline bool is_generated(void)
{
    return (CARILLON_MICROCODE_GENERATES > 0u) && (machine.joined == &machine.first);
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
        if (is_generated()) {
            carillon_recorder_close();
        } else {
            bind(machine.joined, machine.now);
            wait_until(machine.now);
        }
    } else if (now) {
        carillon_machine_start(program, machine.now);
    } else {
        /* it waits on */
    }
    if (now) {
        if (CARILLON_LOADER_LOG > 0u) {
            carillon_log_note(CARILLON_LOG_PROGRAM, NONE, machine.now);
        }
        machine.steps = program->steps; /* what the old one has left may be too few */
    }
    return now;
}

/* The instant is over, in which a block was carried out.  While no thread waits, the scheduler decides what runs up to
 * the next block: record what it decides if nothing else ends. */
static SMALL void record_block(void)
{
    const bool by_periods = machine.program->scheduler == CARILLON_SCHEDULER_RM;
    const bool is_known = (machine.bindings == 1u) && is_of_time(&bindings[0]);
    const uint32_t length = is_known ? (bindings[0].time - machine.now) : 0u;
    recordable = false;
    for (uint16_t k = 0u; (machine.threads == 0u) && (k < CARILLON_MICROCODE_TASKS); k++) {
        const uint32_t deadline = recorded[k] >> 8;
        const uint32_t left = tasks[k].begin + deadline - machine.now;
        if (recorded[k] == 0u) {
            /* it has not been released */
        } else if (deadline == 0u) {
            carillon_recorder_decided(machine.last, k, UINT32_MAX, length, machine.now);
        } else if ((left - 1u) < FAR) {
            carillon_recorder_decided(machine.last, k, by_periods ? deadline : left, length, machine.now);
        } else {
            recorded[k] = 0u;
        }
    }
}

static __attribute__((noinline)) uint16_t carry_out(void)
{
    if (machine.endless && !is_reached(machine.next)) { /* the steps of this tick are spent: all waits for the next */
        machine.running = first_in_order();
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
    if ((CARILLON_MICROCODE_RECORD > 0u) && recordable) {
        record_block();
    }
    machine.running = (machine.threads > 0u) ? first_dispatched() : most_urgent();
    return machine.running;
}

/* The only thread has waited for a task that has ended: go on with the next task that its instructions dispatch, and
 * pass over those that have ended.  Whatever other instruction follows is left to carry_out, as a thread whose task has
 * ended goes on there.  Bounded by the instructions, of which the last one does not dispatch. */
static __attribute__((noinline)) uint16_t dispatch_next(void)
{
    struct waiting_thread *const waiting = &threads[0];
    const struct carillon_instruction *i = &machine.code[waiting->after];
    while (((i->word & 0xFFu) == CARILLON_OPCODE_DISPATCH_TIME) || ((i->word & 0xFFu) == CARILLON_OPCODE_DISPATCH)) {
        const uint16_t task = i->x;
        if (is_unfinished(task)) {
            const uint32_t until = waiting->reference + (i->word >> 8);
            waiting->other = NONE;
            if ((i->word & 0xFFu) == CARILLON_OPCODE_DISPATCH_TIME) {
                if (is_reached(until)) {
                    break;
                }
                waiting->until = until;
                waiting->other = TIMED;
                wait_until(until);
            }
            waiting->task = task;
            waiting->after = (uint16_t)(address_of(i) + 1u);
            waiting->address = i->y;
            machine.running = task;
            return task;
        }
        i++;
    }
    waiting->after = address_of(i);
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
        machine.running = first_in_order(); /* nothing was released since carry_out asked */
        return machine.running;
    }
    const uint16_t awaited = threads[0].task;
    return ((awaited != NONE) && !is_unfinished(awaited)) ? dispatch_next() : carry_out();
}

void carillon_machine_end(uint16_t task)
{
    machine.stirred = true;
    end_task(task);
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

#if CARILLON_MICROCODE_GENERATES > 0u
void carillon_machine_continue(const struct carillon_microcode *program)
{
    carillon_machine_replace(program);
    machine.joined = &machine.first;
}
#endif

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
