/* SPDX-License-Identifier: Apache-2.0
 *
 * The virtual controller.
 *
 * Time is a count of ticks.  Running cells stand in a binary heap by their next expiry, so that an expiry costs the
 * logarithm of the number of cells.  A cell's counter is worked out only when it is read. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#endif
#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "carillon_port.h"
#include "cells/virtual/cell.h"
#include "emulators/fault.h"
#include "emulators/host/network.h"
#include "emulators/parent.h"
#include "emulators/stimuli.h"
#include "emulators/trace_records.h"

#define CELLS 256u
#define SOURCES 512u
#define WORDS (SOURCES / 32u)

struct cell {
    uint64_t expiry;                 /* ticks, while it runs */
    uint64_t left;                   /* ticks to its expiry, while it stands */
    uint32_t reload;                 /* units */
    uint64_t numerator, denominator; /* ticks per unit of the cell's clock */
    uint32_t prescaler;
    uint16_t source;
    uint16_t heap;   /* place in the heap plus 1, 0: stands still */
    uint64_t origin; /* when it was at its reload value, if it has a match */
    int has_match;
};

static struct {
    uint64_t now;
    uint64_t limit;
    struct cell cells[CELLS];
    uint16_t heap[CELLS];
    uint32_t running;
    uint32_t enabled[WORDS], pending[WORDS];
    uint8_t level[SOURCES];
    uint8_t active[SOURCES];
    uint32_t execution_level; /* of what runs; 0: the idle task */
    uint32_t masked;
    uint32_t masked_until_end;              /* like FAULTMASK: the return of a handler clears it */
    uint32_t mask;                          /* levels up to this one wait */
    uint32_t current;                       /* source of the handler that runs, 0: none */
    uint32_t preempted;                     /* and of the one that it has preempted */
    carillon_vector diverted;               /* where what the handler has preempted goes on; NULL: where it was */
    const struct carillon_context *context; /* of the task that runs, NULL: a basic one, or none */
    uint32_t candidates;                    /* pending and enabled sources, at least: 0 means none */
    const carillon_vector *vectors;
    FILE *trace;
    uint64_t recorded; /* until this tick, in a network */
    uintptr_t base;    /* of a node: where the image lies; records have the addresses that its file has */
    uint64_t expiries;
    uint64_t records;
    uintptr_t spender; /* the frame of the service in which time passes: the application's frames lie above */
    int has_begun;
} machine;

static struct stimuli stimuli; /* requests of sources alone */
static struct fault fault;

static void finish(int status) __attribute__((noreturn));

static void finish(int status)
{
    if (machine.trace != NULL && fclose(machine.trace) != 0) {
        perror("carillon: trace");
        status = 1;
    }
    fflush(stdout);
    if (carillon_network != NULL) {
        carillon_network->finish(carillon_node, status);
    }
    exit(status);
}

static void record(uint32_t kind, uint32_t value)
{
    if (machine.trace != NULL) {
        struct record_line line = {machine.now, kind, value};
        if (carillon_network != NULL &&
            machine.now >= machine.recorded) { /* the records end here, and the run goes on */
            line = (struct record_line){machine.recorded, RECORD_HALT, 0u};
        }
        if (fwrite(&line, sizeof line, 1u, machine.trace) != 1u) {
            perror("carillon: trace");
            machine.trace = NULL;
            finish(1);
        }
        machine.records++;
        if (fault.kind != FAULT_NONE && machine.records > fault.most) {
            finish(FAULT_STORM);
        }
        if (line.kind == (uint32_t)RECORD_HALT) {
            const int failed = fclose(machine.trace);
            machine.trace = NULL;
            if (failed != 0) {
                perror("carillon: trace");
                finish(1);
            }
        }
    }
}

/* What a record has of a place in the image. */
static uint32_t address(uintptr_t place)
{
    return (uint32_t)(place - machine.base);
}

/* The heap: heap[0] expires next; equal times in the order of cells, so that a run is the same every time. */
static int sooner(uint16_t a, uint16_t b)
{
    const uint64_t at = machine.cells[a].expiry, bt = machine.cells[b].expiry;
    return at < bt || (at == bt && a < b);
}

static void put(uint32_t place, uint16_t cell)
{
    machine.heap[place] = cell;
    machine.cells[cell].heap = (uint16_t)(place + 1u);
}

static void sift(uint32_t place)
{
    const uint16_t cell = machine.heap[place];
    while (place > 0u && sooner(cell, machine.heap[(place - 1u) / 2u])) {
        put(place, machine.heap[(place - 1u) / 2u]);
        place = (place - 1u) / 2u;
    }
    for (;;) {
        uint32_t child = 2u * place + 1u;
        if (child + 1u < machine.running && sooner(machine.heap[child + 1u], machine.heap[child])) {
            child++;
        }
        if (child >= machine.running || !sooner(machine.heap[child], cell)) {
            break;
        }
        put(place, machine.heap[child]);
        place = child;
    }
    put(place, cell);
}

static void run_cell(uint16_t cell, uint64_t expiry)
{
    machine.cells[cell].expiry = expiry;
    if (machine.cells[cell].heap == 0u) {
        put(machine.running, cell);
        machine.running++;
    }
    sift(machine.cells[cell].heap - 1u);
}

static void stop_cell(uint16_t cell)
{
    const uint32_t place = machine.cells[cell].heap;
    if (place != 0u) {
        machine.cells[cell].heap = 0u;
        machine.running--;
        if (place - 1u != machine.running) {
            put(place - 1u, machine.heap[machine.running]);
            sift(place - 1u);
        }
    }
}

/* A cell by its word (VIRTUAL_WORD), of which 0 names none: it stands, or goes on, with what it has left. */
static void pause_cell(uint32_t word)
{
    for (uint16_t cell = 0; cell < CELLS; cell++) {
        struct cell *const it = &machine.cells[cell];
        if (it->heap != 0u && (word == cell + 1u || (word == VIRTUAL_ALL(0u) && it->reload == 0u))) {
            it->left = it->expiry - machine.now;
            stop_cell(cell);
        }
    }
}

static void resume_cell(uint32_t word)
{
    if (word != 0u && machine.cells[word - 1u].heap == 0u) {
        run_cell((uint16_t)(word - 1u), machine.now + machine.cells[word - 1u].left);
    }
}

static uint64_t ticks(const struct cell *cell, uint32_t units)
{
    return (uint64_t)units * cell->prescaler * cell->numerator / cell->denominator;
}

/* When the counter of a running cell was at its reload value, and what it has counted since. */
static uint64_t origin(const struct cell *cell)
{
    return cell->has_match ? cell->origin : cell->expiry - ticks(cell, cell->reload);
}

static uint32_t counted(const struct cell *cell)
{
    /* Its first interval may be shorter than the others. */
    const uint64_t range = ticks(cell, cell->reload);
    const uint64_t since = (machine.now + range - origin(cell) % range) % range;
    return (uint32_t)(since * cell->denominator / cell->numerator / cell->prescaler);
}

/* Let a cell expire where its count is `value` next. */
static void match(uint16_t cell, uint32_t value)
{
    struct cell *const it = &machine.cells[cell];
    const uint32_t ahead = (value + it->reload - counted(it)) % it->reload;
    it->origin = origin(it);
    it->has_match = 1;
    run_cell(cell, machine.now + ticks(it, ahead == 0u ? it->reload : ahead));
}

static void pend(uint32_t source)
{
    machine.pending[source / 32u] |= UINT32_C(1) << (source % 32u);
    machine.candidates++;
}

/* Call the handlers that are due, highest level first, equal levels in the order of their sources. */
static void deliver(void)
{
    while (machine.masked == 0u && machine.masked_until_end == 0u && machine.candidates != 0u) {
        uint32_t best = SOURCES;
        uint32_t best_level = machine.execution_level > machine.mask ? machine.execution_level : machine.mask;
        uint32_t seen = 0u;
        for (uint32_t word = 0; word < WORDS; word++) {
            uint32_t bits = machine.enabled[word] & machine.pending[word];
            while (bits != 0u) {
                const uint32_t source = 32u * word + (uint32_t)__builtin_ctz(bits);
                bits &= bits - 1u;
                seen++;
                if (machine.level[source] > best_level && machine.active[source] == 0u) {
                    best = source;
                    best_level = machine.level[source];
                }
            }
        }
        machine.candidates = seen;
        if (best == SOURCES) {
            return;
        }
        const uint32_t preempted = machine.execution_level, below = machine.current, before = machine.preempted;
        machine.candidates--;
        machine.pending[best / 32u] &= ~(UINT32_C(1) << (best % 32u));
        machine.active[best] = 1u;
        machine.execution_level = best_level;
        machine.current = best;
        machine.preempted = below;
        record(RECORD_ENTER, best);
        if (fault.kind == FAULT_DOUBLED && fault.comes && fault.source == best) {
            fault.comes = false;
            pend(best);
        }
        machine.vectors[best]();
        record(RECORD_EXIT, best);
        machine.execution_level = preempted;
        machine.current = below;
        machine.preempted = before;
        machine.masked_until_end = 0u;
        machine.active[best] = 0u;
        machine.candidates++; /* what the handler kept back is looked at again */
        if (machine.diverted != NULL) {
            const carillon_vector function = machine.diverted;
            machine.diverted = NULL;
            function();
        }
    }
}

/* A request by the program or from outside, which is recorded: cells have records of their own. */
static void request(uint32_t source)
{
    if (!carillon_port_is_pending((uint16_t)source)) {
        record(RECORD_REQUEST, source);
    }
    pend(source);
}

static void flip_stack(void);

/* The time is so many parts of itself from now on, or from then to now. */
static uint64_t drifted(uint64_t time)
{
    return time * (uint64_t)(FAULT_MILLION + fault.amount) / FAULT_MILLION;
}

/* A cell counts slower or faster from now on; what it has counted stays. */
static void drift(struct cell *cell)
{
    uint64_t one = cell->numerator, other = cell->denominator;
    while (other != 0u) {
        const uint64_t rest = one % other;
        one = other;
        other = rest;
    }
    cell->numerator = cell->numerator / one * (uint64_t)(FAULT_MILLION + fault.amount);
    cell->denominator = cell->denominator / one * FAULT_MILLION;
    cell->origin = machine.now - drifted(machine.now - cell->origin);
    if (cell->heap != 0u) {
        run_cell((uint16_t)fault.what, machine.now + drifted(cell->expiry - machine.now));
    }
}

/* Ticks from an expiry to the next.  A cell that drifts keeps what is less than a tick. */
static uint64_t period(uint16_t cell)
{
    const struct cell *const it = &machine.cells[cell];
    if (fault.kind != FAULT_DRIFT || !fault.has_struck || fault.what != cell) {
        return ticks(it, it->reload);
    }
    const uint64_t parts = (uint64_t)it->reload * it->prescaler * it->numerator + fault.remainder;
    fault.remainder = parts % it->denominator;
    return parts / it->denominator;
}

/* Tables may be constant. */
static inline void fault_flip(uintptr_t byte, uint32_t bit)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)mprotect((void *)(byte / page * page), page, PROT_READ | PROT_WRITE);
    *(volatile uint8_t *)byte ^= (uint8_t)(1u << bit);
}

/* The fault happens: what of it is due at this tick. */
static void strike(void)
{
    if (fault.has_struck) { /* late */
        fault.comes = false;
        pend(fault.source);
        return;
    }
    fault.has_struck = true;
    record(RECORD_FAULT, (uint32_t)fault.kind);
    switch (fault.kind) {
    case FAULT_SPURIOUS:
        pend(fault.what);
        break;
    case FAULT_JUMP: {
        struct cell *const cell = &machine.cells[fault.what];
        const int64_t left = (int64_t)(cell->expiry - machine.now) + fault.amount;
        if (cell->heap != 0u) {
            cell->origin += (uint64_t)fault.amount;
            run_cell((uint16_t)fault.what, machine.now + (uint64_t)(left > 0 ? left : 0));
        }
        break;
    }
    case FAULT_FLIP:
        fault_flip(fault.what, (uint32_t)fault.amount);
        break;
    case FAULT_STACK:
        flip_stack();
        break;
    case FAULT_DRIFT:
        drift(&machine.cells[fault.what]);
        break;
    default:
        break;
    }
}

/* A cell's interrupt is requested. */
static void expire(uint32_t source)
{
    machine.expiries++;
    if (!fault_of_expiry(&fault) || machine.expiries != fault.at) {
        pend(source);
        return;
    }
    fault.has_struck = true;
    fault.source = source;
    fault.comes = fault.kind != FAULT_LOST;
    fault.due = machine.now + (uint64_t)fault.amount;
    record(RECORD_FAULT, (uint32_t)fault.kind);
    if (fault.kind == FAULT_DOUBLED) {
        pend(source);
    }
}

/* Let time pass to `until`, or to the next expiry if that comes before; returns the time that passed. */
static uint64_t advance(uint64_t until)
{
    const uint64_t from = machine.now;
    uint64_t next = machine.running != 0u ? machine.cells[machine.heap[0]].expiry : UINT64_MAX;
    next = next < until ? next : until;
    next = next < stimuli_due(&stimuli) ? next : stimuli_due(&stimuli);
    next = next < fault_due(&fault) ? next : fault_due(&fault);
    if (carillon_network != NULL) {
        switch (carillon_node_pass(&next)) {
        case NETWORK_MESSAGE:
#ifdef CARILLON_BUS_SOURCE
            request(CARILLON_BUS_SOURCE);
#endif
            break;
        case NETWORK_END:
            machine.now = next;
            record(RECORD_HALT, 0u);
            finish(0);
            break;
        default:
            break;
        }
    }
    if (machine.has_begun && next >= machine.limit) {
        machine.now = machine.limit;
        record(RECORD_HALT, 0u);
        finish(0);
    }
    if (next == UINT64_MAX) {
        fprintf(stderr, "carillon: nothing will ever happen: no cell runs\n");
        finish(FAULT_STILL);
    }
    machine.now = next;
    if (fault_due(&fault) <= next) {
        strike();
    }
    for (; stimuli_due(&stimuli) <= next; stimuli.next++) {
        record(RECORD_STIMULUS, stimuli.list[stimuli.next].row);
        request(stimuli.list[stimuli.next].value);
    }
    while (machine.running != 0u && machine.cells[machine.heap[0]].expiry == next) {
        const uint16_t cell = machine.heap[0];
        record(RECORD_EXPIRY, cell);
        expire(machine.cells[cell].source);
        if (machine.cells[cell].reload == 0u) {
            machine.cells[cell].left = 0u;
            stop_cell(cell);
            continue;
        }
        machine.cells[cell].expiry = next + period(cell);
        sift(0u);
    }
    return next - from;
}

void carillon_port_spend(uint32_t duration)
{
    uint64_t left = duration;
    deliver();
    while (left != 0u) {
        machine.spender = (uintptr_t)__builtin_frame_address(0);
        left -= advance(machine.now + left);
        deliver();
    }
}

void carillon_port_idle(void)
{
    machine.spender = (uintptr_t)__builtin_frame_address(0);
    (void)advance(UINT64_MAX);
    deliver();
}

void carillon_port_write(uint32_t address, uint32_t value)
{
    if (address >= VIRTUAL_COMPARE) {
        match((uint16_t)((address - VIRTUAL_COMPARE) / 8u), value);
    } else if (address >= VIRTUAL_CELLS) {
        const uint16_t cell = (uint16_t)((address - VIRTUAL_CELLS) / 16u);
        struct cell *const it = &machine.cells[cell];
        switch ((address - VIRTUAL_CELLS) % 16u) {
        case 0:
            it->left = ticks(it, value);
            if (it->heap != 0u) {
                run_cell(cell, machine.now + it->left);
            }
            break;
        case 4:
            it->reload = value;
            break;
        case 12:
            it->prescaler = value;
            break;
        default:
            stop_cell(cell);
            it->reload = 0u;
            it->left = 0u;
            it->has_match = 0;
            break;
        }
    } else if (address == VIRTUAL_PAUSE) {
        pause_cell(value);
    } else if (address == VIRTUAL_RESUME) {
        resume_cell(value);
    } else if (address == VIRTUAL_START_ALL) {
        for (uint16_t cell = 0; cell < CELLS; cell++) {
            if (machine.cells[cell].reload != 0u && machine.cells[cell].heap == 0u) {
                run_cell(cell, machine.now + ticks(&machine.cells[cell], machine.cells[cell].reload));
            }
        }
    } else {
        const uint32_t word = (address % 0x1000u) / 4u;
        switch (address - VIRTUAL_REQUEST - 4u * word) {
        case VIRTUAL_REQUEST_ENABLE:
            machine.enabled[word] |= value;
            machine.candidates++;
            deliver();
            break;
        case VIRTUAL_REQUEST_DISABLE:
            machine.enabled[word] &= ~value;
            break;
        case VIRTUAL_REQUEST_PEND:
            for (uint32_t bits = value; bits != 0u; bits &= bits - 1u) {
                request(32u * word + (uint32_t)__builtin_ctz(bits));
            }
            deliver();
            break;
        default:
            machine.pending[word] &= ~value;
            break;
        }
    }
}

uint32_t carillon_port_read(uint32_t address)
{
    if (address >= VIRTUAL_COMPARE) {
        const struct cell *const up = &machine.cells[(address - VIRTUAL_COMPARE) / 8u];
        return up->heap == 0u ? 0u : counted(up);
    }
    const struct cell *const cell = &machine.cells[(address - VIRTUAL_CELLS) / 16u];
    if ((address - VIRTUAL_CELLS) % 16u == 4u) {
        return cell->reload;
    }
    const uint64_t left = (cell->heap == 0u) ? cell->left : (cell->expiry - machine.now);
    return (uint32_t)(left * cell->denominator / cell->numerator / cell->prescaler);
}

void carillon_port_pend(uint32_t source)
{
    request(source);
    deliver();
}

void carillon_port_request(uint32_t source)
{
    carillon_port_pend(source);
}

uint32_t carillon_port_current(void)
{
    return machine.current;
}

uint32_t carillon_port_mask(void)
{
    return machine.mask;
}

uint32_t carillon_port_raise(uint32_t level)
{
    const uint32_t saved = machine.mask;
    machine.mask = level > saved ? level : saved;
    return saved;
}

void carillon_port_restore(uint32_t mask)
{
    machine.mask = mask;
    machine.candidates++;
    deliver();
}

void carillon_port_mask_until_end(void)
{
    machine.masked_until_end = 1u;
}

void carillon_port_unmask(void)
{
    machine.masked_until_end = 0u;
    machine.candidates++;
    deliver();
}

uint32_t carillon_port_lock(void)
{
    const uint32_t saved = machine.masked;
    machine.masked = 1u;
    return saved;
}

void carillon_port_unlock(uint32_t saved)
{
    machine.masked = saved;
    machine.candidates++;
    deliver();
}

void carillon_port_set_level(uint16_t source, uint16_t level)
{
    machine.level[source] = (uint8_t)level;
}

void carillon_port_set_vectors(const void *vectors)
{
    machine.vectors = (const carillon_vector *)vectors;
}

bool carillon_port_is_active(uint16_t source)
{
    return machine.active[source] != 0u;
}

static void store(const struct carillon_store *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        carillon_port_write(list[i].address, list[i].value);
    }
}

bool carillon_port_is_pending(uint16_t source)
{
    return (machine.pending[source / 32u] & CARILLON_SOURCE_BIT(source)) != 0u;
}

void carillon_port_start(const struct carillon_store *list, uint32_t count)
{
    if (!machine.has_begun) {
        machine.has_begun = 1;
        machine.limit = machine.limit == UINT64_MAX ? UINT64_MAX : machine.limit + machine.now;
    }
    stimuli_begin(&stimuli, address((uintptr_t)list), machine.now);
    record(RECORD_BEGIN, address((uintptr_t)list));
    store(list, count);
}
void carillon_port_start_at(uint32_t counter, uint32_t target, const struct carillon_store *before,
                            uint32_t before_count, const struct carillon_store *list, uint32_t count)
{
    const struct cell *const cell = &machine.cells[(counter - VIRTUAL_CELLS) / 16u];
    const uint64_t due = cell->expiry - ticks(cell, target);
    while (machine.now < due) {
        (void)advance(due);
    }
    store(before, before_count);
    carillon_port_start(list, count);
}

void carillon_port_align(const struct carillon_shift *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        carillon_port_write(list[i].counter, carillon_port_read(list[i].counter) + list[i].units);
    }
}

void carillon_port_shift(const struct carillon_shift *list, uint32_t count, uint32_t by)
{
    for (uint32_t i = 0; i < count; i++) {
        carillon_port_write(list[i].counter, carillon_port_read(list[i].counter) + list[i].units + by);
    }
}

/* The handler that runs ends its exception and goes on as a function at the level `least`, or at that of what it
 * preempted if that is higher.  The level of what it preempted is the highest one among the active sources below its
 * own. */
static void run_at(carillon_vector function, uint32_t least)
{
    const uint32_t raised = machine.execution_level, current = machine.current;
    uint32_t handler = SOURCES;
    uint32_t lowered = 0u;
    machine.current = 0u;
    for (uint32_t source = 0; source < SOURCES; source++) {
        if (machine.active[source] == 1u) {
            if (machine.level[source] == raised && handler == SOURCES) {
                handler = source;
            } else if (machine.level[source] > lowered) {
                lowered = machine.level[source];
                machine.current = source;
            }
        }
    }
    if (handler == SOURCES) {
        (void)fprintf(stderr, "carillon: a task was lowered that no interrupt started\n");
        finish(FAULT_REFUSED);
    }
    machine.active[handler] = 0u; /* its exception has ended; it may be taken again */
    machine.execution_level = lowered > least ? lowered : least;
    machine.candidates++;
    record(RECORD_CALL, address((uintptr_t)function));
    deliver();
    function();
    record(RECORD_RETURN, address((uintptr_t)function));
    machine.active[handler] = 1u; /* it goes on, and may lower itself again */
    machine.execution_level = raised;
    machine.current = current;
}

void carillon_port_note(uint32_t function)
{
    record(RECORD_CALL, function - (uint32_t)machine.base);
}

void carillon_port_run_recorded(carillon_vector function)
{
    record(RECORD_CALL, address((uintptr_t)function));
    function();
    record(RECORD_RETURN, address((uintptr_t)function));
}

void carillon_port_run_lowered(carillon_vector function)
{
    run_at(function, CARILLON_BELOW_TASKS); /* interrupts below all tasks stay below */
}

void carillon_port_run_base(carillon_vector function)
{
    run_at(function, 0u);
}

#if CARILLON_OSEK
void carillon_osek_end(void) __attribute__((noreturn));

static jmp_buf *frame; /* of the innermost call */

void carillon_port_call_as(carillon_vector recorded, carillon_vector function)
{
    jmp_buf here;
    jmp_buf *const outer = frame;
    frame = &here;
    record(RECORD_CALL, address((uintptr_t)recorded));
    if (setjmp(here) == 0) {
        function();
    }
    record(RECORD_RETURN, address((uintptr_t)recorded));
    frame = outer;
}

void carillon_port_call(carillon_vector function)
{
    carillon_port_call_as(function, function);
}

void carillon_port_unwind(void)
{
    longjmp(*frame, 1);
}

/* Contexts of the host's library, each with a stack that suffices for it, kept for the next job of the same task. */
#define CONTEXTS 256u
#define HOST_STACK (256u * 1024u)

struct host_context {
    struct carillon_context *owner;
    ucontext_t own, resumer;
    ucontext_t *below; /* its resumer, or that of the context whose place it has taken */
    carillon_vector function;
    uint8_t stack[HOST_STACK];
};
static struct host_context contexts[CONTEXTS];

/* The one of a task's context, or a new one. */
static struct host_context *context_of(struct carillon_context *context)
{
    uint32_t i = 0u;
    while (contexts[i].owner != NULL && contexts[i].owner != context) {
        i++;
    }
    contexts[i].owner = context;
    return &contexts[i];
}

static struct host_context *resumed; /* last */

static void begin_context(void)
{
    resumed->function();
    carillon_osek_end();
}

void carillon_port_context(struct carillon_context *context, uint64_t *stack, uint32_t words, carillon_vector function)
{
    (void)words;
    struct host_context *volatile const host = context_of(context); /* getcontext may return twice, says the compiler */
    (void)getcontext(&host->own);
    host->own.uc_stack.ss_sp = host->stack;
    host->own.uc_stack.ss_size = sizeof host->stack;
    host->function = function;
    makecontext(&host->own, begin_context, 0);
    context->sp = stack;
}

void carillon_port_resume(struct carillon_context *context)
{
    struct host_context *const host = context_of(context);
    record(RECORD_RESUME, address((uintptr_t)context));
    resumed = host;
    const struct carillon_context *const below = machine.context;
    machine.context = context;
    host->below = &host->resumer;
    (void)swapcontext(&host->resumer, &host->own);
    machine.context = below;
}

void carillon_port_suspend(struct carillon_context *context)
{
    struct host_context *const host = context_of(context);
    record(RECORD_SUSPEND, address((uintptr_t)context));
    (void)swapcontext(&host->own, host->below);
}

void carillon_port_exchange(struct carillon_context *context, struct carillon_context *other)
{
    struct host_context *const from = context_of(context);
    struct host_context *const to = context_of(other);
    record(RECORD_SUSPEND, address((uintptr_t)context));
    record(RECORD_RESUME, address((uintptr_t)other));
    resumed = to;
    to->below = from->below;
    machine.context = other;
    (void)swapcontext(&from->own, &to->own);
}

void carillon_port_leave(struct carillon_context *context)
{
    record(RECORD_LEAVE, address((uintptr_t)context));
    (void)setcontext(context_of(context)->below);
    abort();
}

bool carillon_port_is_in(const void *frame, uint32_t source, const uint64_t *stack, uint32_t words,
                         const struct carillon_context *context)
{
    (void)frame;
    (void)stack;
    (void)words;
    return machine.context == context && machine.preempted == source && machine.masked == 0u;
}

bool carillon_port_is_on(const uint64_t *stack, uint32_t words, const struct carillon_context *context)
{
    (void)stack;
    (void)words;
    return machine.context == context;
}

void carillon_port_slice_vector(void)
{
    carillon_slice_vector(NULL);
}

void carillon_port_turn_vector(void)
{
    carillon_slice_over(NULL);
}

/* The handler's exception has ended, and the preempted one goes on with the function. */
void carillon_port_run_preempted(carillon_vector function, uint32_t source)
{
    const uint32_t raised = machine.execution_level, current = machine.current, preempted = machine.preempted;
    machine.active[current] = 0u;
    machine.execution_level = machine.level[source];
    machine.current = source;
    machine.preempted = 0u;
    machine.candidates++;
    deliver();
    function();
    machine.execution_level = raised;
    machine.current = current;
    machine.preempted = preempted;
}

void carillon_port_budget_vector(void)
{
    carillon_budget_vector(NULL);
}

void carillon_port_round_budget_vector(void)
{
    carillon_round_budget_vector(NULL);
}

uint32_t carillon_port_preempted(const void *frame)
{
    (void)frame;
    return machine.preempted;
}

void carillon_port_divert(const void *frame, carillon_vector function)
{
    (void)frame;
    machine.diverted = function;
}

__attribute__((weak)) void carillon_budget_vector(const void *frame)
{
    (void)frame;
}

__attribute__((weak)) void carillon_round_budget_vector(const void *frame)
{
    (void)frame;
}

__attribute__((weak)) void carillon_slice_vector(const void *frame)
{
    (void)frame;
}

__attribute__((weak)) void carillon_slice_over(const void *frame)
{
    (void)frame;
}
#endif

void carillon_port_halt(void)
{
    record(RECORD_HALT, 1u); /* by itself */
    finish(0);
    abort();
}

void carillon_port_unexpected(void)
{
    fprintf(stderr, "carillon: an interrupt that nobody uses\n");
    finish(FAULT_UNEXPECTED);
}

uint64_t carillon_host_ticks(void)
{
    return machine.now;
}

static void begin_cells(void)
{
    static const struct {
        uint16_t source;
        uint32_t numerator, denominator;
    } cells[] = {CARILLON_VIRTUAL_CELLS};
    for (uint16_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        machine.cells[i].source = cells[i].source;
        machine.cells[i].numerator = cells[i].numerator;
        machine.cells[i].denominator = cells[i].denominator;
    }
}

int __real_main(void);
int __wrap_main(int argc, char **argv);

extern const char __ehdr_start[] __attribute__((visibility("hidden"))); /* the linker's: where the image begins */

/* In a network the image is no program: network.c calls this, on a stack that it gives. */
void carillon_node_run(const struct network *network, void *node, uint32_t number, const char *trace, uint64_t until)
{
    carillon_network = network;
    carillon_node = node;
    carillon_node_number = number;
    machine.limit = UINT64_MAX;
    machine.recorded = until;
    machine.base = (uintptr_t)__ehdr_start;
    machine.trace = fopen(trace, "wb");
    if (machine.trace == NULL) {
        perror(trace);
        finish(2);
    }
    begin_cells();
    (void)__real_main();
    finish(0);
}

/* A run with a fault has its stack at a place that is the same in every run. */
#define MAIN_STACK (UINT32_C(1) << 20)
#define MAIN_STACK_AT UINT64_C(0x100000000000)
static uint8_t *main_stack;
static ucontext_t main_context, start_context;

static void flip_stack(void)
{
    uintptr_t begin = (uintptr_t)main_stack + MAIN_STACK;
#if CARILLON_OSEK
    if (machine.context != NULL) {
        begin = (uintptr_t)context_of((struct carillon_context *)machine.context)->stack + HOST_STACK;
    }
#endif
    const uint64_t live = begin - machine.spender;
    const uint64_t bit = (uint64_t)fault.amount % (8u * live);
    fault_flip(begin - 1u - bit / 8u, (uint32_t)(bit % 8u));
}

static void run_main(void)
{
    (void)__real_main();
    finish(0);
}

/* The program begins here: the linker gives this in the place of the application's main (--wrap=main), and that in the
 * place of __real_main, whatever language it is written in.
 *
 * APP [--ticks N] [--trace FILE] [--stimuli FILE] [--count] [--fault KIND AT WHAT AMOUNT RECORDS SECONDS]: run the
 * application for N ticks from its first start. */
int __wrap_main(int argc, char **argv)
{
    int count = 0;
    machine.limit = UINT64_MAX;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--ticks") == 0 && i + 1 < argc) {
            machine.limit = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--trace") == 0 && i + 1 < argc) {
            end_with_parent();
            machine.trace = fopen(argv[++i], "wb");
            if (machine.trace == NULL) {
                perror(argv[i]);
                return 2;
            }
        } else if (strcmp(argv[i], "--stimuli") == 0 && i + 1 < argc) {
            if (!stimuli_read(&stimuli, argv[++i])) {
                fprintf(stderr, "carillon: cannot read the stimuli\n");
                return 2;
            }
        } else if (strcmp(argv[i], "--fault") == 0 && i + 6 < argc) {
            if (!fault_read(&fault, &argv[i + 1])) {
                fprintf(stderr, "carillon: no fault: %s\n", argv[i + 1]);
                return 2;
            }
            i += 6;
        } else if (strcmp(argv[i], "--count") == 0) {
            count = 1;
        } else {
            fprintf(stderr, "usage: %s [--ticks N] [--trace FILE] [--stimuli FILE] [--count] [--fault ...]\n", argv[0]);
            return 2;
        }
    }
    begin_cells();
    if (count) {
        /* Printed at the end whichever way the run ends. */
        extern void carillon_host_report(void);
        atexit(carillon_host_report);
    }
    if (fault.kind != FAULT_NONE) {
        main_stack =
            mmap((void *)MAIN_STACK_AT, MAIN_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (main_stack == MAP_FAILED) {
            perror("carillon: stack");
            return 2;
        }
        (void)getcontext(&main_context);
        main_context.uc_stack.ss_sp = main_stack;
        main_context.uc_stack.ss_size = MAIN_STACK;
        makecontext(&main_context, run_main, 0);
        (void)swapcontext(&start_context, &main_context);
    }
    run_main();
    return 0;
}

void carillon_host_report(void);
void carillon_host_report(void)
{
    printf("expiries %" PRIu64 "\n", machine.expiries);
}
