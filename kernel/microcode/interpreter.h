/* SPDX-License-Identifier: Apache-2.0
 *
 * The instructions of microcode: algorithm 2, and what it does about tasks that are late. */
#ifndef CARILLON_MICROCODE_INTERPRETER_H
#define CARILLON_MICROCODE_INTERPRETER_H

#include "kernel/microcode/order.h"
#include "kernel/microcode/state.h"

static SMALL void end_task(uint16_t task)
{
    finish(task);
}

static SMALL void terminate(uint16_t task)
{
    end_task(task);
    carillon_machine_terminated(task);
}

/* The address of a handler: 0, of time sharing; from 1 on, of the tasks. */
static SMALL uint16_t handler_of(uint32_t fault)
{
    const uint16_t *const handlers = machine.program->handlers;
    return (handlers == NULL) ? (uint16_t)NONE : handlers[fault];
}

/* Report that a task is late.  Returns the address of its handler; NONE: it has been terminated. */
static SMALL uint16_t handle_late(uint16_t task, uint16_t address, bool handled)
{
    if (CARILLON_MICROCODE_MISSED) {
        carillon_giotto_missed[task]();
    }
    if (CARILLON_LOADER_LOG > 0u) {
        carillon_log_note(CARILLON_LOG_LATE, task, machine.now);
    }
    carillon_machine_fault(CARILLON_MACHINE_LATE, task, address);
    const uint16_t handler = handled ? (uint16_t)NONE : handler_of(1u + (uint32_t)task);
    if (handler == NONE) {
        terminate(task);
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

static FAST void insert_binding(const struct carillon_instruction *future, uint32_t time)
{
    if (machine.bindings == CARILLON_MICROCODE_BINDINGS) {
        carillon_machine_fault(CARILLON_MACHINE_FULL, NONE, (uint16_t)(address_of(future) + 1u));
        return;
    }
    bindings[machine.bindings] = (struct waiting_trigger){.time = time, .future = future};
    machine.bindings++;
}

static FAST void insert_future(const struct carillon_instruction *future, uint32_t word)
{
    const uint32_t time = machine.now + (word >> 8);
    insert_binding(future, time);
    wait_until(time);
}

static SMALL void bind(const struct carillon_instruction *future, uint32_t time)
{
    insert_binding(future, time);
}

static inline bool is_of_time(const struct waiting_trigger *waiting)
{
    return (waiting->future->word & 0xFFu) == CARILLON_OPCODE_FUTURE;
}

/* Put in a thread, which waits as an instruction says. */
static __attribute__((noinline)) void insert_thread(const struct carillon_instruction *i, uint32_t reference)
{
    const uint16_t behind = address_of(&i[1]);
    const uint32_t word = i->word;
    const uint32_t time = word >> 8;
    struct waiting_thread *const waiting = &threads[machine.threads];
    waiting->reference = reference;
    waiting->task = i->x;
    waiting->after = behind;
    waiting->address = i->y;
    waiting->other = TIMED;
    switch (word & 0xFFu) {
    case CARILLON_OPCODE_DISPATCH:
        waiting->other = NONE;
        break;
    case CARILLON_OPCODE_DISPATCH_TIME:
        break;
    case CARILLON_OPCODE_DISPATCH_RELEASE:
        waiting->other = (uint16_t)time;
        break;
    case CARILLON_OPCODE_IDLE:
        waiting->task = NONE;
        waiting->address = behind;
        break;
    case CARILLON_OPCODE_IDLE_RELEASE:
        waiting->task = NONE;
        waiting->address = behind;
        waiting->other = i->x;
        break;
    default: /* fork: at once */
        waiting->task = NONE;
        waiting->reference = machine.now;
        break;
    }
    if (machine.threads == CARILLON_MICROCODE_THREADS) {
        carillon_machine_fault(CARILLON_MACHINE_FULL, waiting->task, behind);
        return;
    }
    machine.threads++;
    if (waiting->other == TIMED) {
        waiting->until = waiting->reference + time;
        wait_until(waiting->until);
    }
}

/* Instructions that follow each other were carried out.  Returns whether steps are left. */
static FAST bool spend(const struct carillon_instruction *begin, const struct carillon_instruction *behind)
{
    const uint32_t count = distance(begin, behind);
    machine.last = address_of(behind);
    machine.steps = (count < machine.steps) ? (machine.steps - count) : 0u;
    return machine.steps > 0u;
}

/* The instructions before `behind`: each returns the address of a handler, or NONE if it was carried out or its task
 * has been terminated. */
static FAST uint16_t call_driver(const struct carillon_instruction *behind, bool handled)
{
    const struct carillon_microcode_driver *const driver = &carillon_microcode_drivers[behind[-1].x];
    const uint16_t *const late = first_late(driver->touches);
    if (*late == NONE) {
        driver->call();
        return NONE;
    }
    return handle_touched(late, address_of(behind), handled);
}

static FAST uint16_t release_task(const struct carillon_instruction *behind, uint32_t word, bool handled)
{
    const uint16_t task = behind[-1].x;
    if (!is_unfinished(task)) {
        release(task, word);
        return NONE;
    }
    return handle_late(task, address_of(behind), handled);
}

/* Algorithm 2, from an address on, with the reference time of a thread; `back` is where it goes on after a handler that
 * begins at the address, or NONE.  Bounded by the steps that are left at this instant, which are looked at wherever
 * instructions do not follow each other, so that what goes on straight does not ask.
 *
 * A handler is code like any other: it ends at a `return`, or where it waits.  While it runs, the default is what
 * handles the next fault. */
static __attribute__((noinline)) void interpret(uint16_t from, uint32_t reference, uint16_t back)
{
    const struct carillon_instruction *begin;
    const struct carillon_instruction *i;
    uint16_t resume = back;
    uint16_t next = from;
    do {
        enum { STRAIGHT, DROPPED, JUMPS, ENDS } how = STRAIGHT;
        begin = &machine.code[next];
        next = NONE;
        i = begin;
        while (how == STRAIGHT) {
            const uint32_t word = i->word;
            i++;
            __asm__("" : "+r"(i)); /* so that one register has the instruction and what is behind it */
            switch (word & 0xFFu) {
            case CARILLON_OPCODE_CALL:
                next = call_driver(i, resume != NONE);
                how = (next == NONE) ? STRAIGHT : DROPPED;
                break;
            case CARILLON_OPCODE_RELEASE:
                next = release_task(i, word, resume != NONE);
                how = (next == NONE) ? STRAIGHT : DROPPED;
                break;
            case CARILLON_OPCODE_FUTURE:
                insert_future(&i[-1], word);
                break;
            case CARILLON_OPCODE_FUTURE_EVENT:
                carillon_microcode_triggers[i[-1].x].arm(machine.bindings);
                bind(&i[-1], 0u);
                machine.events = true;
                break;
            case CARILLON_OPCODE_DISPATCH:
            case CARILLON_OPCODE_DISPATCH_TIME:
            case CARILLON_OPCODE_DISPATCH_RELEASE:
                if (!is_unfinished(i[-1].x) && (machine.threads == 0u) && (resume == NONE)) {
                    break; /* the thread that waited for it would be the only one, and the next to go on, from here */
                }
                insert_thread(&i[-1], reference);
                how = ENDS;
                break;
            case CARILLON_OPCODE_IDLE:
            case CARILLON_OPCODE_IDLE_RELEASE:
                insert_thread(&i[-1], reference);
                how = ENDS;
                break;
            case CARILLON_OPCODE_FORK:
                insert_thread(&i[-1], reference);
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
                    terminate(i[-1].x);
                }
                break;
            default: /* return */
                how = ENDS;
                break;
            }
        }
        if (how == DROPPED) {
            resume = address_of(i);
        } else if (how == ENDS) {
            next = resume;
            resume = NONE;
        } else {
            /* it jumps */
        }
    } while (spend(begin, i) && (next != NONE));
}

#endif
