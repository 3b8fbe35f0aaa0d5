/* SPDX-License-Identifier: Apache-2.0
 *
 * One instruction of microcode, from any state of the interpreter: any instruction of its opcode that the verifier
 * accepts, at any address.  It leaves a state that the next one may begin in, and does what SPEC says. */
#include "any_machine.h"

#define JOINED(a, b) a##b
#define OPCODE_OF(name) JOINED(CARILLON_OPCODE_, name)
#define WANTED OPCODE_OF(OPCODE)

static uint32_t fetches;
static uint16_t at;        /* the instruction */
static uint16_t begun;     /* the first of those that follow each other up to it */
static uint16_t back;      /* where it goes on after the handler that runs */
static uint32_t reference; /* the time of the thread */

/* The most steps that are left if the interpreter does not go straight on. */
static uint32_t left(void)
{
    const uint32_t spent = (uint32_t)at + 1u - begun;
    return (machine_before.steps > spent) ? (machine_before.steps - spent) : 0u;
}

/* It goes on at an address, NONE: it has ended; and after a handler at another. */
static void goes_on(uint16_t next, uint16_t begin, uint16_t resume, uint16_t wanted, uint16_t wanted_resume)
{
    assert(machine.steps == left());
    assert(machine.last == at + 1u);
    if ((wanted == NONE) || (left() == 0u)) {
        assert(next == NONE);
    } else {
        assert((next == wanted) && (begin == wanted) && (resume == wanted_resume));
    }
}
static void goes_straight_on(uint16_t next, uint16_t begin, uint16_t resume)
{
    assert((next == at + 1u) && (begin == begun) && (resume == back));
    assert((machine.steps == machine_before.steps) && (machine.last == machine_before.last));
}

/* No task, but those of a set, is another than before. */
static void keeps_tasks_but(uint32_t set)
{
    const uint32_t k = any(0u, TASKS - 1u);
    assert(is_same_task(k) || (((set >> k) & 1u) != 0u));
}
static void ends_tasks(uint32_t set)
{
    const uint32_t k = any(0u, TASKS - 1u);
    assert((((set >> k) & 1u) == 0u) || !is_unfinished((uint16_t)k));
    keeps_tasks_but(set);
    assert(told.terminated == set);
}
static void keeps_triggers(void)
{
    assert(machine.bindings == machine_before.bindings);
    const uint32_t k = any(0u, ROOM - 1u);
    assert((k >= machine.bindings) || is_same_trigger(&bindings[k], &bindings_before[k]));
}
static void keeps_threads(void)
{
    assert(machine.threads == machine_before.threads);
    const uint32_t k = any(0u, ROOM - 1u);
    assert((k >= machine.threads) || is_same_thread(&threads[k], &threads_before[k]));
}

/* The machine looks again no later than at a time, and no later than before. */
static void looks_at(uint32_t time)
{
    const bool is_earlier = (machine_before.next - time) < UINT32_C(0x80000000);
    assert(machine.next == (is_earlier ? time : machine_before.next));
}

/* One trigger more waits, or there is no room for it. */
static void has_one_trigger_more(uint32_t time, bool timed)
{
    const uint16_t count = machine_before.bindings;
    if (count == ROOM) {
        assert((told.faults == 1u) && (told.fault == CARILLON_MACHINE_FULL) && (told.address == at + 1u));
        keeps_triggers();
        return;
    }
    assert((told.faults == 0u) && (machine.bindings == count + 1u));
    assert(bindings[count].future == &code[at]);
    assert(!timed || (bindings[count].time == time));
    const uint32_t k = any(0u, ROOM - 1u);
    assert((k >= count) || is_same_trigger(&bindings[k], &bindings_before[k]));
}

static void has_one_thread_more(uint16_t task, uint16_t address, uint16_t other, uint32_t from)
{
    const uint16_t count = machine_before.threads;
    if (count == ROOM) {
        assert((told.faults == 1u) && (told.fault == CARILLON_MACHINE_FULL) && (told.address == at + 1u));
        assert(told.task == task);
        keeps_threads();
        return;
    }
    const struct waiting_thread *const found = &threads[count];
    assert((told.faults == 0u) && (machine.threads == count + 1u));
    assert((found->task == task) && (found->address == address) && (found->other == other));
    assert((found->after == at + 1u) && (found->reference == from));
    if (other == TIMED) {
        assert(found->until == from + (code[at].word >> 8));
        looks_at(found->until);
    }
    const uint32_t k = any(0u, ROOM - 1u);
    assert((k >= count) || is_same_thread(&threads[k], &threads_before[k]));
}

/* Tasks of a set are late: those without a handler are terminated, and `handler` is the first one. */
static void handles(uint32_t set, uint16_t handler, uint32_t terminated, uint16_t next, uint16_t begin, uint16_t resume)
{
    assert((told.late == set) && (told.fault == CARILLON_MACHINE_LATE) && (told.address == at + 1u));
    ends_tasks(terminated);
    if (handler == NONE) {
        goes_straight_on(next, begin, resume);
    } else {
        assert(back == NONE);
        goes_on(next, begin, resume, handler, (uint16_t)(at + 1u));
    }
}

static uint16_t handler_after(uint32_t task)
{
    return ((program.handlers == NULL) || (back != NONE)) ? (uint16_t)NONE : handlers[1u + task];
}

static bool was_unfinished(uint32_t task)
{
    return tasks_before[task].released != 0u;
}

/* What each instruction is to do. */
static void check(uint16_t next, uint16_t begin, uint16_t resume)
{
    const struct carillon_instruction *const i = &code[at];
    const uint32_t time = i->word >> 8;
    const uint32_t x = i->x;
    const uint16_t behind = (uint16_t)(at + 1u);
    uint32_t late = 0u;
    uint32_t terminated = 0u;
    uint16_t handler = NONE;
    switch (WANTED) {
    case CARILLON_OPCODE_CALL:
        for (uint32_t k = 0u; touches[x][k] != NONE; k++) {
            const uint32_t task = touches[x][k];
            if (was_unfinished(task)) {
                const uint16_t own = handler_after(task);
                late |= 1u << task;
                terminated |= (own == NONE) ? (1u << task) : 0u;
                handler = (handler == NONE) ? own : handler;
            }
        }
        assert(told.calls == ((late == 0u) ? 1u : 0u));
        if (late == 0u) {
            assert((told.of == x) && (told.faults == 0u));
            keeps_tasks_but(0u);
            goes_straight_on(next, begin, resume);
        } else {
            handles(late, handler, terminated, next, begin, resume);
        }
        keeps_triggers();
        keeps_threads();
        break;
    case CARILLON_OPCODE_RELEASE:
        if (was_unfinished(x)) {
            handler = handler_after(x);
            handles(1u << x, handler, (handler == NONE) ? (1u << x) : 0u, next, begin, resume);
        } else {
            assert((tasks[x].released == i->word) && (tasks[x].begin == machine.now) && (told.faults == 0u));
            keeps_tasks_but(1u << x);
            goes_straight_on(next, begin, resume);
        }
        keeps_triggers();
        keeps_threads();
        break;
    case CARILLON_OPCODE_FUTURE:
        has_one_trigger_more(machine.now + time, true);
        looks_at(machine.now + time);
        keeps_tasks_but(0u);
        keeps_threads();
        goes_straight_on(next, begin, resume);
        break;
    case CARILLON_OPCODE_FUTURE_EVENT:
        assert((told.arms == 1u) && (told.of == x) && (told.place == machine_before.bindings));
        assert(machine.events);
        has_one_trigger_more(0u, false);
        keeps_tasks_but(0u);
        keeps_threads();
        goes_straight_on(next, begin, resume);
        break;
    case CARILLON_OPCODE_DISPATCH:
    case CARILLON_OPCODE_DISPATCH_TIME:
    case CARILLON_OPCODE_DISPATCH_RELEASE:
        keeps_tasks_but(0u);
        keeps_triggers();
        if (!was_unfinished(x) && (machine_before.threads == 0u) && (back == NONE)) {
            keeps_threads();
            goes_straight_on(next, begin, resume);
        } else {
            const uint16_t until = (WANTED == CARILLON_OPCODE_DISPATCH)        ? (uint16_t)NONE
                                   : (WANTED == CARILLON_OPCODE_DISPATCH_TIME) ? (uint16_t)TIMED
                                                                               : (uint16_t)time;
            has_one_thread_more((uint16_t)x, i->y, until, reference);
            goes_on(next, begin, resume, back, NONE);
        }
        break;
    case CARILLON_OPCODE_IDLE:
    case CARILLON_OPCODE_IDLE_RELEASE:
        keeps_tasks_but(0u);
        keeps_triggers();
        has_one_thread_more(NONE, behind, (WANTED == CARILLON_OPCODE_IDLE) ? (uint16_t)TIMED : (uint16_t)x, reference);
        goes_on(next, begin, resume, back, NONE);
        break;
    case CARILLON_OPCODE_FORK:
        keeps_tasks_but(0u);
        keeps_triggers();
        has_one_thread_more(NONE, i->y, TIMED, machine.now);
        goes_straight_on(next, begin, resume);
        break;
    case CARILLON_OPCODE_IF:
        assert((told.guards == 1u) && (told.of == x));
        keeps_tasks_but(0u);
        keeps_triggers();
        keeps_threads();
        if (answer) {
            goes_straight_on(next, begin, resume);
        } else {
            goes_on(next, begin, resume, i->y, back);
        }
        break;
    case CARILLON_OPCODE_JUMP:
        keeps_tasks_but(0u);
        keeps_triggers();
        keeps_threads();
        goes_on(next, begin, resume, i->y, back);
        break;
    case CARILLON_OPCODE_TERMINATE:
        ends_tasks(was_unfinished(x) ? (1u << x) : 0u);
        keeps_triggers();
        keeps_threads();
        goes_straight_on(next, begin, resume);
        break;
    default: /* return */
        keeps_tasks_but(0u);
        keeps_triggers();
        keeps_threads();
        goes_on(next, begin, resume, back, NONE);
        break;
    }
    assert(is_state() && is_address(resume));
    assert((machine.now == machine_before.now) && (machine.running == machine_before.running));
}

static uint16_t next = NONE;
static uint16_t resumes = NONE;
static const struct carillon_instruction *begins = code;

/* The checker looks into one case alone: that it is the one is proved. */
static uint32_t opcode(uint32_t value)
{
    assert(value == WANTED);
    return WANTED;
}

/* The first instruction that is fetched is the one of which something is proved; the next one is where it goes on. */
static bool is_over(const struct carillon_instruction **begin, const struct carillon_instruction *behind,
                    uint16_t resume, uint32_t from)
{
    assert(from == reference);
    fetches++;
    if (fetches == 1u) {
        assert(behind == &code[at + 1u]);
        *begin = &code[begun];
        return false;
    }
    next = (uint16_t)(address_of(behind) - 1u);
    resumes = resume;
    begins = *begin;
    assert((next < SIZE) && (behind == &code[next + 1u]));
    return true;
}

int main(void)
{
    at = (uint16_t)any(0u, SIZE - 1u);
    begun = (uint16_t)any(0u, at);
    back = (uint16_t)nondet_uint();
    assume(is_address(back));
    reference = nondet_uint();
    any_code(at);
    assume((code[at].word & 0xFFu) == WANTED);
    any_image();
    any_state();
    assume(machine.steps > 0u);
    interpret(at, reference, back);
    check(next, (next == NONE) ? (uint16_t)NONE : address_of(begins), resumes);
    THE_END;
}
