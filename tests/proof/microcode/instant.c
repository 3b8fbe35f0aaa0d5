/* SPDX-License-Identifier: Apache-2.0
 *
 * One thing of an instant (algorithm 1), from any state: which of all that waits goes on, where, and that it waits no
 * more.  What the interpreter does from there is proved of its instructions (step.c). */
#include "any_machine.h"

enum kind { AFTER_TASK, AT_TRIGGER, AT_TIMEOUT, SHARED, NO_MORE };

static bool goes;
static uint16_t from;
static uint16_t back;
static uint32_t of; /* the reference time */

static uint32_t opcode(uint32_t value)
{
    return value;
}

/* The interpreter has fetched its first instruction. */
static bool is_over(const struct carillon_instruction **begin, const struct carillon_instruction *behind,
                    uint16_t resume, uint32_t reference)
{
    assert(!goes);
    goes = true;
    from = (uint16_t)(address_of(behind) - 1u);
    assert((from < SIZE) && (*begin == &code[from]));
    back = resume;
    of = reference;
    return true;
}

static bool has_ended(const struct waiting_thread *waiting)
{
    return (waiting->task != NONE) && !is_unfinished(waiting->task);
}
static bool is_due(uint32_t place)
{
    return is_of_time(&bindings[place]) ? is_reached(bindings[place].time) : enabled[place];
}
static bool is_out(const struct waiting_thread *waiting)
{
    return (waiting->other == TIMED) ? is_reached(waiting->until)
                                     : ((waiting->other != NONE) && is_unfinished(waiting->other));
}

/* What goes on, in the order of algorithm 1, and which of its kind: the first that came.  There is room for two. */
static enum kind wanted(uint16_t *place)
{
    const bool one = machine.threads > 0u;
    const bool two = machine.threads > 1u;
    enum kind kind = NO_MORE;
    *place = 0u;
    if ((one && has_ended(&threads[0])) || (two && has_ended(&threads[1]))) {
        *place = has_ended(&threads[0]) ? 0u : 1u;
        kind = AFTER_TASK;
    } else if (((machine.bindings > 0u) && is_due(0u)) || ((machine.bindings > 1u) && is_due(1u))) {
        *place = is_due(0u) ? 0u : 1u;
        kind = AT_TRIGGER;
    } else if ((one && is_out(&threads[0])) || (two && is_out(&threads[1]))) {
        *place = is_out(&threads[0]) ? 0u : 1u;
        kind = AT_TIMEOUT;
    } else if (two && (threads[0].task != NONE) && (threads[1].task != NONE) && (threads[0].task != threads[1].task)) {
        *place = 1u;
        kind = SHARED;
    } else {
        /* nothing is to be done */
    }
    return kind;
}

static void loses_thread(uint16_t place)
{
    assert(machine.threads == machine_before.threads - 1u);
    const uint32_t k = any(0u, ROOM - 1u);
    assert((k >= machine.threads) || is_same_thread(&threads[k], &threads_before[(k < place) ? k : (k + 1u)]));
    assert(machine.bindings == machine_before.bindings);
}

static void check(uint16_t place)
{
    const struct waiting_thread *const thread = &threads_before[place];
    const struct carillon_instruction *const future = bindings_before[place].future;
    const uint32_t k = any(0u, ROOM - 1u);
    uint16_t handler = NONE;
    assert(goes == (KIND != NO_MORE));
    switch (KIND) {
    case AFTER_TASK:
        assert((from == thread->after) && (of == thread->reference) && (back == NONE));
        loses_thread(place);
        break;
    case AT_TRIGGER:
        assert((from == future->y) && (of == machine.now) && (back == NONE));
        assert(machine.bindings == machine_before.bindings - 1u);
        assert((k >= machine.bindings) || is_same_trigger(&bindings[k], &bindings_before[(k < place) ? k : (k + 1u)]));
        assert(told.forgotten == (machine.events ? 1u : 0u));
        assert(!machine.events || (told.place == place));
        assert(machine.threads == machine_before.threads);
        break;
    case AT_TIMEOUT:
        assert((from == thread->address) && (of == thread->reference) && (back == NONE));
        loses_thread(place);
        break;
    case SHARED:
        handler = (program.handlers == NULL) ? (uint16_t)NONE : handlers[0];
        assert((told.faults == 1u) && (told.fault == CARILLON_MACHINE_SHARED));
        assert((told.task == thread->task) && (told.address == thread->after) && (of == thread->reference));
        assert(from == ((handler == NONE) ? thread->after : handler));
        assert(back == ((handler == NONE) ? (uint16_t)NONE : thread->after));
        loses_thread(place);
        break;
    default:
        assert((machine.bindings == machine_before.bindings) && (machine.threads == machine_before.threads));
        break;
    }
    assert((told.faults == 0u) || (KIND == SHARED));
    assert(is_state());
}

int main(void)
{
    any_code(any(0u, SIZE - 1u));
    any_image();
    any_state();
    uint16_t place;
    assume(wanted(&place) == KIND);
    for (uint32_t k = 0u; k < ROOM; k++) { /* what is due is noticed: step.c has the times that the machine looks at */
        const bool is_timed = (k < machine.bindings) && is_of_time(&bindings[k]);
        assume(!is_timed || !is_reached(bindings[k].time) || is_reached(machine.next));
    }
    const bool went = go_on();
    assert(went == goes);
    check(place);
    THE_END;
}
