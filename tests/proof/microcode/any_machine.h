/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine of microcode in its proofs: the kernel's own files, any state that is one, a program of SIZE
 * instructions, and an image that notes what it is told.  The verifier itself says which instruction it accepts.
 *
 * Where the interpreter has fetched an instruction, a proof looks: `is_over` stands for the empty assembly there. */
#ifndef ANY_MACHINE_H
#define ANY_MACHINE_H

#include "proof.h"

#ifndef TASKS
#define TASKS 3u
#endif
#ifndef SIZE
#define SIZE 4u
#endif
#define DRIVERS 2u
#define GUARDS 2u
#define TRIGGERS 2u
#define ROOM 2u
#define CARILLON_MICROCODE_TASKS TASKS
#define CARILLON_MICROCODE_BINDINGS ROOM
#define CARILLON_MICROCODE_THREADS ROOM

/* The verifier has functions of the same names. */
#define settle verifier_settle
#define is_in verifier_is_in
#include "kernel/microcode/verify.c"
#undef settle
#undef is_in
static const uint32_t ending = ENDS;
#undef ENDS

static uint32_t opcode(uint32_t value);
static bool is_over(const struct carillon_instruction **begin, const struct carillon_instruction *behind,
                    uint16_t resume, uint32_t reference);
#define __asm__(registers)                       \
    if (is_over(&begin, i, resume, reference)) { \
        return;                                  \
    }
/* clang-format off */
#define switch(value) switch (opcode(value))
/* clang-format on */
#include "kernel/microcode/machine.c"
#undef __asm__
#undef switch

static const uint16_t counts[5] = {0u, TASKS, DRIVERS, GUARDS, TRIGGERS};
static struct carillon_instruction code[SIZE];
static uint16_t handlers[TASKS + 1u];
static struct carillon_microcode program;

/* What the image has been told. */
static struct {
    uint32_t calls, guards, arms, forgotten, faults;
    uint32_t of; /* the driver, guard or trigger */
    uint32_t place;
    uint32_t terminated; /* bits of tasks */
    uint32_t late;       /* bits of tasks */
    enum carillon_machine_fault fault;
    uint16_t task;
    uint16_t address;
} told;
static bool answer;        /* of a guard */
static bool enabled[ROOM]; /* of triggers, at their places */

#define DRIVER_OF(n)               \
    static uint16_t touches##n[3]; \
    static void driver##n(void)    \
    {                              \
        told.calls++;              \
        told.of = n;               \
    }
DRIVER_OF(0)
DRIVER_OF(1)
const struct carillon_microcode_driver carillon_microcode_drivers[DRIVERS] = {{driver0, touches0}, {driver1, touches1}};
static const uint16_t *const touches[DRIVERS] = {touches0, touches1};

#define GUARD_OF(n)            \
    static bool guard##n(void) \
    {                          \
        told.guards++;         \
        told.of = n;           \
        return answer;         \
    }
GUARD_OF(0)
GUARD_OF(1)
bool (*const carillon_microcode_guards[GUARDS])(void) = {guard0, guard1};

static bool is_enabled(uint32_t place)
{
    assert(place < machine.bindings);
    return enabled[place];
}
#define TRIGGER_OF(n)                                                             \
    static void arm##n(uint32_t place)                                            \
    {                                                                             \
        assert(place <= ROOM); /* contract/microcode.h: the last one is none's */ \
        told.arms++;                                                              \
        told.of = n;                                                              \
        told.place = place;                                                       \
    }
TRIGGER_OF(0)
TRIGGER_OF(1)
const struct carillon_microcode_trigger carillon_microcode_triggers[TRIGGERS] = {{arm0, is_enabled},
                                                                                 {arm1, is_enabled}};

void carillon_microcode_forget(uint32_t place)
{
    told.forgotten++;
    told.place = place;
}
void carillon_machine_fault(enum carillon_machine_fault fault, uint16_t task, uint16_t address)
{
    told.faults++;
    told.fault = fault;
    told.task = task;
    told.address = address;
    if (fault == CARILLON_MACHINE_LATE) {
        assert(task < TASKS);
        told.late |= 1u << task;
    }
}
void carillon_machine_terminated(uint16_t task)
{
    assert(task < TASKS);
    told.terminated |= 1u << task;
}

/* Numbers, or NONE. */
static inline bool is_task(uint16_t task)
{
    return (task == NONE) || (task < TASKS);
}
static inline bool is_address(uint16_t address)
{
    return (address == NONE) || (address < SIZE);
}

/* Whether the verifier accepts an instruction of the code. */
static inline bool is_accepted(const struct carillon_instruction *i)
{
    return verify_instruction(i, counts, SIZE) == CARILLON_VERIFY_OK;
}

/* Whether a trigger that waits is one of the code, or leads to the program's begin. */
static inline bool is_begin(const struct carillon_instruction *i)
{
    const uint32_t address = distance(code, i);
    const bool is_there = (i == &machine.first) || ((address < SIZE) && (i == &code[address]));
    return is_there && verifier_is_in(i, BEGINS) && is_accepted(i);
}

static inline bool is_thread(const struct waiting_thread *waiting)
{
    return is_task(waiting->task) && (waiting->after < SIZE) && (waiting->address < SIZE) &&
           ((waiting->other == TIMED) || is_task(waiting->other));
}

/* What is true of the machine whenever it is called, and between two instructions. */
static inline bool is_state(void)
{
    bool is = (machine.code == code) && (machine.program == &program);
    is = is && (machine.bindings <= ROOM) && (machine.threads <= ROOM) && (machine.heap <= TASKS);
    is = is && is_task(machine.running) && (machine.last <= SIZE);
    for (uint32_t k = 0u; k < ROOM; k++) {
        is = is && ((k >= machine.bindings) || is_begin(bindings[k].future));
        is = is && ((k >= machine.threads) || is_thread(&threads[k]));
        is = is && (machine.events || (k >= machine.bindings) || is_of_time(&bindings[k]));
    }
    is = is && ((fresh[0] >> TASKS) == 0u);
    for (uint32_t k = 0u; k < TASKS; k++) {
        const uint16_t place = places[k];
        const bool is_fresh = (fresh[0] & (1u << k)) != 0u;
        is = is && (place <= machine.heap) && ((place == NOWHERE) || ((uint16_t)heap[place - 1u] == k));
        is =
            is && (is_unfinished((uint16_t)k) == (is_fresh || (place != NOWHERE))) && !(is_fresh && (place != NOWHERE));
        is = is && ((tasks[k].released == 0u) || ((tasks[k].released & 0xFFu) == CARILLON_OPCODE_RELEASE));
        is = is && ((k >= machine.heap) || (((uint16_t)heap[k] < TASKS) && (places[(uint16_t)heap[k]] == (k + 1u))));
    }
    return is;
}

static struct machine_state machine_before;
static struct waiting_trigger bindings_before[ROOM + 1u];
static struct waiting_thread threads_before[ROOM + 1u];
static struct task_state tasks_before[TASKS];
static uint16_t places_before[TASKS];
static uint32_t fresh_before;

extern uint64_t nondet_entry(void);

/* Any code: the verifier accepts the instruction at an address, and each that waits; the last one ends. */
static inline void any_code(uint32_t address)
{
    for (uint32_t k = 0u; k < SIZE; k++) {
        code[k].word = nondet_uint();
        code[k].x = (uint16_t)nondet_uint();
        code[k].y = (uint16_t)nondet_uint();
    }
    assume(is_accepted(&code[address]));
    assume(verifier_is_in(&code[SIZE - 1u], ending));
    for (uint32_t k = 0u; k <= TASKS; k++) {
        handlers[k] = (uint16_t)nondet_uint();
        assume(is_address(handlers[k]));
    }
    program.code = code;
    program.handlers = any_bool() ? handlers : NULL;
    program.steps = nondet_uint();
    program.size = SIZE;
    program.entry = (uint16_t)any(0u, SIZE - 1u);
    program.scheduler = (uint8_t)any(CARILLON_SCHEDULER_NONE, CARILLON_SCHEDULER_RM);
}

static inline void any_state(void)
{
    machine.first =
        (struct carillon_instruction)CARILLON_INSTRUCTION(CARILLON_OPCODE_FUTURE, 1u, 0u, any(0u, SIZE - 1u));
    machine.program = &program;
    machine.code = code;
    machine.now = nondet_uint();
    machine.next = nondet_uint();
    machine.steps = nondet_uint();
    machine.bindings = (uint16_t)any(0u, ROOM);
    machine.threads = (uint16_t)any(0u, ROOM);
    machine.heap = (uint16_t)any(0u, TASKS);
    machine.running = (uint16_t)nondet_uint();
    machine.last = (uint16_t)nondet_uint();
    machine.stirred = any_bool();
    machine.events = any_bool();
    machine.endless = any_bool();
    machine.patient = any_bool();
    for (uint32_t k = 0u; k <= ROOM; k++) {
        bindings[k].time = nondet_uint();
        bindings[k].future = any_bool() ? &machine.first : &code[any(0u, SIZE - 1u)];
        threads[k].reference = nondet_uint();
        threads[k].until = nondet_uint();
        threads[k].task = (uint16_t)nondet_uint();
        threads[k].after = (uint16_t)nondet_uint();
        threads[k].address = (uint16_t)nondet_uint();
        threads[k].other = (uint16_t)nondet_uint();
    }
    for (uint32_t k = 0u; k < TASKS; k++) {
        tasks[k].released = nondet_uint();
        tasks[k].begin = nondet_uint();
        places[k] = (uint16_t)nondet_uint();
        heap[k] = nondet_entry();
    }
    fresh[0] = nondet_uint();
    assume(is_state());
    machine_before = machine;
    fresh_before = fresh[0];
    for (uint32_t k = 0u; k <= ROOM; k++) {
        bindings_before[k] = bindings[k];
        threads_before[k] = threads[k];
    }
    for (uint32_t k = 0u; k < TASKS; k++) {
        tasks_before[k] = tasks[k];
        places_before[k] = places[k];
    }
}

static inline void any_touched(uint16_t *of)
{
    for (uint32_t k = 0u; k < 2u; k++) {
        of[k] = (uint16_t)nondet_uint();
        assume(is_task(of[k]));
    }
    of[2] = NONE;
}
static inline void any_image(void)
{
    any_touched(touches0);
    any_touched(touches1);
    answer = any_bool();
    for (uint32_t k = 0u; k < ROOM; k++) {
        enabled[k] = any_bool();
    }
}

/* Whether so much stays as it was. */
static inline bool is_same_trigger(const struct waiting_trigger *one, const struct waiting_trigger *other)
{
    return (one->time == other->time) && (one->future == other->future);
}
static inline bool is_same_thread(const struct waiting_thread *one, const struct waiting_thread *other)
{
    return (one->reference == other->reference) && (one->until == other->until) && (one->task == other->task) &&
           (one->after == other->after) && (one->address == other->address) && (one->other == other->other);
}
static inline bool is_same_task(uint32_t task)
{
    return (tasks[task].released == tasks_before[task].released) && (tasks[task].begin == tasks_before[task].begin) &&
           (((fresh[0] ^ fresh_before) & (1u << task)) == 0u) &&
           ((places[task] == NOWHERE) == (places_before[task] == NOWHERE));
}

#endif
