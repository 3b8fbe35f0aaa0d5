/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Runs an unmodified AVR image in libsimavr and records, cycle by cycle, when interrupt handlers are entered and left
 * and when watched functions are called and return.
 *
 * Arguments: device, last address of its external memory (0: none), processor's clock (Hz), image, map, file to write,
 * limit (cycles after the first start of a round), and (if any) the file of stimuli.  Behind all of them may stand a
 * fault, as emulators/fault.h says.  Or gdb=PORT behind the image: the processor waits for gdb there, and nothing is recorded.
 * The map's lines are "address kind value", as those of emulators/qemu/trace_plugin.c. The kinds are:
 * - V a vector's place in the table, and what its entry records; F a function to watch;
 * - B the function that starts cells and D its store that does; H the end of the run, by an interrupt that nobody serves
 *   if its value is 1;
 * - C and U the beginning and the end of a call that may end anywhere within;
 * - R, S and X where the context in r24 and r25 is resumed, suspends itself or ends;
 * - M a mark;
 * - E a source whose requests are expiries, and Y a stack and its bytes: for faults;
 * - Z memory that is saved when the run has ended, and its bytes: of the n-th line, beside the records in memory.n.
 *
 * The processor's stack says it all.  A function has returned where a return finds the stack pointer that the function
 * was entered with.  The simulator says when it takes an interrupt and when it returns from one.  What has begun in a
 * context that suspends itself, at the end of a slice the handler that ended it, is put aside until the context goes
 * on.
 *
 * Time is simavr's.  It does not charge the 4 cycles (5 with a program counter of 22 bits) that the processor takes
 * to enter an interrupt.  It does not charge the one more that external memory takes either.  It lets two
 * instructions pass after SEI and RETI where silicon lets one.  Nothing is added here.
 *
 * What this version of simavr does otherwise than silicon, and what is mended here:
 * 1. Any store to a timer's flag register forgets all requests of the timer.  Here it forgets those whose bits are 1.
 * 2. A request that stands when its source is enabled is never served.  Here it is.
 * 3. A match that follows the counter's overflow within the instruction that runs is lost.  Here it is not.
 * 4. In waveform mode 12 a timer counts to OCRnA.  Here it counts to ICRn, as the simulator has mode 14; and a match
 *    that is stored is in force at once, as the simulator has it in mode 0.  So is a length that is stored while the
 *    timer counts, and a counter that was stored while it stood still is where it begins.  A length that the counter
 *    has passed ends the run: on silicon the counter would go on through all 16 bits.
 * 5. The ATmega32U4's timers have no channel C.  Here they have (its data sheet, register summary and vectors).
 * 6. A low level at a line that has the mode of levels, as after reset, requests the line's interrupt for ever,
 *    whatever its mode is later.  Here it requests nothing while the interrupt is disabled, as that mode has no flag. */
#include <libgen.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simavr/avr_adc.h>
#include <simavr/avr_extint.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_timer.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <simavr/sim_gdb.h>
#include <simavr/sim_interrupts.h>

#include "fault.h"
#include "parent.h"
#include "stimuli.h"
#include "trace_records.h"

/* An image that has started nothing after so many cycles never will. */
#define NEVER_BEGUN UINT64_C(500000000)
#define DATA UINT32_C(0x800000) /* where symbols of variables begin */
#define DEEPEST 512u
#define SUPPLY 5000 /* millivolts, and the references of the converter */

/* What is at a place of the code. */
struct place {
    bool watched, begin, store, halt, mark, returns, reti, vector;
    char flow; /* C, U, R, S or X */
    uint32_t value;
};

struct call {
    uint32_t function;
    uint16_t sp;
};

/* How much has begun: the places in the arrays below that are in use. */
struct extent {
    uint32_t calls, regions, handlers;
};

/* A context: what had begun when it was resumed, and what it has put aside. */
struct context {
    uint32_t address;
    struct extent outer, own;
    struct call *calls;
    struct region *regions;
    uint32_t *handlers;
    uint16_t *frames;
};

static avr_t *avr;
static struct place *places;
static FILE *out;
static struct call calls[DEEPEST];
static uint32_t calling;
static struct region {
    uint32_t calling, handling;
} regions[DEEPEST];
static uint32_t region_count;
static uint32_t handlers[DEEPEST], handling;
static uint16_t frames[DEEPEST]; /* the stack pointer at each handler's entry */
static struct context contexts[256];
static uint32_t context_count;
static uint32_t list; /* that carillon_port_start was called with, until its first store */
static bool begun;
static uint64_t limit, length;
static struct stimuli stimuli;
static struct fault fault;
static avr_irq_t *input; /* of the console */

static avr_int_vector_t *vectors[64];
static uint32_t vector_count;
static avr_timer_t *timers[8];
static uint64_t bases[8];
static uint32_t timer_count;

/* A match register of 16 bits, and what the simulator does when its low byte is stored. */
struct match {
    avr_timer_t *timer;
    avr_io_write_t write;
    void *param;
};
static struct match matches[32];
static uint32_t match_count;

/* The other registers of such a timer: control register B, and the low byte of ICR. */
struct other {
    avr_timer_t *timer;
    avr_io_write_t write;
    void *param;
};
static struct other others[16];
static uint32_t other_count;

__attribute__((noreturn)) static void fail(const char *what)
{
    fprintf(stderr, "carillon: %s\n", what);
    fflush(stdout);
    _Exit(1);
}

/* A run with a fault ends in another way than other runs. */
__attribute__((noreturn)) static void end_with(enum fault_end how)
{
    if (fclose(out) != 0) {
        fail("cannot write the records");
    }
    fflush(stdout);
    _Exit((int)how);
}

/* The program has done what no program of this chip should, perhaps for its fault. */
__attribute__((noreturn)) static void stray(const char *what, enum fault_end how)
{
    if (fault.kind == FAULT_NONE) {
        fail(what);
    }
    end_with(how);
}

static void record(uint32_t kind, uint32_t value)
{
    static uint64_t records;
    const struct record_line line = {avr->cycle, kind, value};
    if (fwrite(&line, sizeof line, 1, out) != 1) {
        fail("cannot write the records");
    }
    records++;
    if (fault.kind != FAULT_NONE && records > fault.most) {
        end_with(FAULT_STORM);
    }
}

/* Memory to save, and the folder of the records. */
static struct {
    uint32_t address, bytes;
} saved[256];
static uint32_t saved_count;
static char *folder;

static void save_memory(void)
{
    for (uint32_t k = 0; k < saved_count; k++) {
        char name[4096];
        (void)snprintf(name, sizeof name, "%s/memory.%u", folder, k);
        FILE *const file = fopen(name, "wb");
        if (file == NULL || fwrite(&avr->data[saved[k].address], saved[k].bytes, 1, file) != 1 || fclose(file) != 0) {
            fail("cannot write the memory");
        }
    }
}

static void end_run(uint32_t why)
{
    record(RECORD_HALT, why);
    if (fclose(out) != 0) {
        fail("cannot write the records");
    }
    save_memory();
    fflush(stdout);
    _Exit(0);
}

/* A pin as PD2; NULL if the device has not that port. */
static avr_irq_t *pin_irq(const char *name)
{
    return avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(name[1]), IOPORT_IRQ_PIN0 + (name[2] - '0'));
}

static avr_extint_t *external_interrupts(void)
{
    for (avr_io_t *device = avr->io_port; device != NULL; device = device->next) {
        if (strcmp(device->kind, "extint") == 0) {
            return (avr_extint_t *)device;
        }
    }
    return NULL;
}

/* The level holds although the firmware writes to the port, whose pull-ups the simulator would let win. */
static void give_level(const char *name, uint32_t level)
{
    static uint8_t driven['Z' + 1], levels['Z' + 1];
    const uint8_t port = (uint8_t)name[1], bit = (uint8_t)(1u << (name[2] - '0'));
    driven[port] |= bit;
    levels[port] = (uint8_t)((levels[port] & ~bit) | (level != 0 ? bit : 0));
    avr_ioport_external_t external = {.name = port, .mask = driven[port], .value = levels[port]};
    avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(port), &external);
    avr_extint_t *const lines = external_interrupts();
    for (int line = 0; lines != NULL && line < EXTINT_COUNT; line++) { /* 6. */
        avr_int_vector_t *const vector = &lines->eint[line].vector;
        if ((lines->eint[line].port_ioctl & 0xFF) == port && 1u << lines->eint[line].port_pin == bit &&
            vector->enable.reg != 0 && !avr_regbit_get(avr, vector->enable) && lines->eint[line].isc[1].reg != 0 &&
            avr_regbit_get_array(avr, lines->eint[line].isc, 2) == 0) {
            const uint8_t strict = lines->eint[line].strict_lvl_trig;
            lines->eint[line].strict_lvl_trig = 0;
            avr_raise_irq(pin_irq(name), level);
            lines->eint[line].strict_lvl_trig = strict;
            avr_clear_interrupt(avr, vector);
            return;
        }
    }
    avr_raise_irq(pin_irq(name), level);
}

static void requested(avr_irq_t *irq, uint32_t value, void *source)
{
    (void)irq;
    if (value != 0) {
        record(RECORD_REQUEST, (uint32_t)(uintptr_t)source);
    }
}

static void watch_requests(uint32_t source)
{
    for (int i = 0; i < avr->interrupts.vector_count; i++) {
        avr_int_vector_t *const vector = avr->interrupts.vector[i];
        if (vector->vector == source) {
            avr_irq_register_notify(vector->irq + AVR_INT_IRQ_PENDING, requested, (void *)(uintptr_t)source);
        }
    }
}

static void request(uint32_t source)
{
    for (int i = 0; i < avr->interrupts.vector_count; i++) {
        if (avr->interrupts.vector[i]->vector == source) {
            avr_raise_interrupt(avr, avr->interrupts.vector[i]);
            return;
        }
    }
    fail("the simulator does not have the interrupt that a stimulus requests");
}

static uint16_t stack_pointer(void)
{
    return (uint16_t)(avr->data[R_SPL] | avr->data[R_SPH] << 8);
}

/* Faults.
 *
 * 1. An expiry is a request of a source of the map, also of one whose interrupt is disabled.
 * 2. An interrupt that is late or lost: the simulator finds its source disabled when it asks, which is once.  Before
 *    the next instruction it is as it was, and its flag is clear.
 * 3. What has a time happens before the first instruction that begins at that time or later. */
static uint32_t expiries;
static bool injects, enables; /* what is requested meanwhile is no expiry */
static avr_int_vector_t *withheld;
static bool was_enabled;
static struct {
    uint32_t begin, end;
} stacks[256];
static uint32_t stack_count;

static void add_stack(uint32_t begin, uint32_t bytes)
{
    if (stack_count < sizeof stacks / sizeof stacks[0]) {
        stacks[stack_count].begin = begin;
        stacks[stack_count++].end = begin + bytes;
    }
}

/* The processor does not sleep for longer than this, nor falls asleep before what is due has happened.  The simulator
 * has one timer for each `why`. */
static avr_cycle_count_t look_again(avr_t *which, avr_cycle_count_t when, void *why)
{
    (void)when;
    const uint64_t due = (why == &fault) ? fault_due(&fault) : limit;
    return due <= which->cycle ? which->cycle + 1 : 0;
}

static void wake_in(uint64_t cycles, void *why)
{
    avr_cycle_timer_register(avr, cycles > 0 ? cycles : 1, look_again, why);
}

static void expired(avr_irq_t *irq, uint32_t value, void *own)
{
    (void)irq;
    avr_int_vector_t *const vector = own;
    if (value == 0 || enables) {
        return;
    }
    record(injects ? RECORD_REQUEST : RECORD_EXPIRY, vector->vector);
    expiries += injects ? 0 : 1;
    if (injects || !fault_of_expiry(&fault) || fault.has_struck || expiries != fault.at) {
        return;
    }
    fault.has_struck = true;
    fault.source = vector->vector;
    fault.comes = fault.kind != FAULT_LOST;
    fault.due = avr->cycle + (uint64_t)fault.amount;
    record(RECORD_FAULT, (uint32_t)fault.kind);
    if (fault.kind != FAULT_DOUBLED) {
        withheld = vector;
        was_enabled = avr_regbit_get(avr, vector->enable) != 0;
        avr_regbit_clear(avr, vector->enable);
    }
    if (fault.kind == FAULT_LATE) {
        wake_in((uint64_t)fault.amount, &fault);
    }
}

static void watch_expiries(uint32_t source)
{
    for (int i = 0; i < avr->interrupts.vector_count; i++) {
        avr_int_vector_t *const vector = avr->interrupts.vector[i];
        if (vector->vector == source) {
            avr_irq_register_notify(vector->irq + AVR_INT_IRQ_PENDING, expired, vector);
        }
    }
}

static void inject(uint32_t source)
{
    injects = true;
    request(source);
    injects = false;
}

static void flip(uint32_t address, uint32_t bit)
{
    uint8_t *const byte = address >= DATA ? &avr->data[address - DATA] : &avr->flash[address];
    *byte ^= (uint8_t)(1u << bit);
}

static void flip_stack(void)
{
    const uint32_t first = stack_pointer() + UINT32_C(1);
    uint32_t end = avr->ramend + UINT32_C(1);
    for (uint32_t k = 0; k < stack_count; k++) {
        if (first >= stacks[k].begin && first <= stacks[k].end) {
            end = stacks[k].end;
        }
    }
    if (first < end) {
        const uint64_t bit = (uint64_t)fault.amount % (8u * (end - first));
        flip(DATA + end - 1u - (uint32_t)(bit / 8u), (uint32_t)(bit % 8u));
    }
}

/* A timer is requested by its overflow, by a capture, and by its channels. */
static bool is_of(const avr_timer_t *timer, uint32_t source)
{
    bool found = timer->overflow.vector == source || timer->icr.vector == source;
    for (int channel = 0; channel < AVR_TIMER_COMP_COUNT; channel++) {
        found = found || timer->comp[channel].interrupt.vector == source;
    }
    return found;
}

static uint64_t cycles_of_tick(const avr_timer_t *timer)
{
    return timer->tov_cycles / (timer->tov_top + 1u);
}

/* The counter of the timer with a source goes back, and on if that is negative: at least by one. */
static void jump(uint32_t source, int64_t cycles)
{
    for (uint32_t i = 0; i < timer_count; i++) {
        avr_timer_t *const timer = timers[i];
        if (!is_of(timer, source) || timer->tov_cycles == 0) {
            continue;
        }
        const int64_t tick = (int64_t)cycles_of_tick(timer), turn = (int64_t)timer->tov_top + 1;
        const int64_t by = (cycles / tick != 0) ? cycles / tick : (cycles < 0) ? -1 : 1;
        const int64_t count = (int64_t)(avr->cycle - timer->tov_base) / tick;
        const uint32_t to = (uint32_t)((((count - by) % turn) + turn) % turn);
        const avr_io_addr_t low = timer->r_tcnt;
        if (timer->r_tcnth != 0) {
            avr->data[timer->r_tcnth] = (uint8_t)(to >> 8);
        }
        avr->data[low] = (uint8_t)to;
        avr->io[AVR_DATA_TO_IO(low)].w.c(avr, low, (uint8_t)to, avr->io[AVR_DATA_TO_IO(low)].w.param);
        bases[i] = timer->tov_base; /* no match before was lost */
    }
}

static void strike(void)
{
    if (fault.has_struck) { /* late */
        fault.comes = false;
        inject(fault.source);
        return;
    }
    fault.has_struck = true;
    record(RECORD_FAULT, (uint32_t)fault.kind);
    switch (fault.kind) {
    case FAULT_SPURIOUS:
        inject(fault.what);
        break;
    case FAULT_JUMP:
        jump(fault.what, fault.amount);
        break;
    case FAULT_FLIP:
        flip(fault.what, (uint32_t)fault.amount);
        break;
    case FAULT_STACK:
        flip_stack();
        break;
    default:
        end_with(FAULT_REFUSED);
    }
}

/* Between two instructions. */
static void look_at_fault(void)
{
    if (withheld != NULL) {
        if (was_enabled) {
            avr_regbit_set(avr, withheld->enable);
        }
        avr_regbit_clear(avr, withheld->raised);
        withheld = NULL;
    }
    if (fault_due(&fault) <= avr->cycle) {
        strike();
    }
}

/* Stimuli that are due happen now. */
static void stimulate(void)
{
    for (; stimuli_due(&stimuli) <= avr->cycle; stimuli.next++) {
        const struct stimulus *const one = &stimuli.list[stimuli.next];
        if (one->row != NO_ROW) {
            record(RECORD_STIMULUS, one->row);
        }
        switch (one->kind) {
        case 'p':
            give_level(stimuli.pins[one->what], one->value);
            break;
        case 'a':
            avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0 + (int)one->what), one->value / 1000);
            break;
        case 'u':
            if (input != NULL) {
                avr_raise_irq(input, one->value);
            }
            break;
        default:
            request(one->value);
            break;
        }
    }
}

/* Called by the simulator one cycle before the next stimulus, and in its cycle.  A processor that sleeps wakes a cycle
 * after what the simulator waits for: so it is in time, and its interrupt is taken in the stimulus's own cycle. */
static avr_cycle_count_t stimulate_in_time(avr_t *which, avr_cycle_count_t when, void *unused)
{
    (void)which;
    (void)unused;
    stimulate();
    const uint64_t due = stimuli_due(&stimuli);
    return due == UINT64_MAX ? 0 : due - 1 > when ? due - 1 : due;
}

static void changed_level(avr_irq_t *irq, uint32_t value, void *name)
{
    (void)irq;
    record(RECORD_LEVEL, (uint32_t)((char(*)[sizeof stimuli.pins[0]])name - stimuli.pins) << 1 | (value & 1));
}

static void prepare_stimuli(void)
{
    for (uint32_t k = 0; k < stimuli.pin_count; k++) {
        avr_irq_t *const irq = pin_irq(stimuli.pins[k]);
        if (irq == NULL) {
            fail("the simulator does not have a pin that a stimulus names");
        }
        avr_irq_register_notify(irq, changed_level, stimuli.pins[k]);
    }
    stimulate();
}

static uint32_t first_argument(void)
{
    return DATA | avr->data[24] | (uint32_t)avr->data[25] << 8;
}

static void leave_calls(uint32_t left)
{
    while (calling > left) {
        calling--;
        record(RECORD_RETURN, calls[calling].function);
    }
}

static struct context *context_at(uint32_t address)
{
    for (uint32_t k = 0; k < context_count; k++) {
        if (contexts[k].address == address) {
            return &contexts[k];
        }
    }
    if (context_count == sizeof contexts / sizeof contexts[0]) {
        fail("too many tasks have stacks");
    }
    contexts[context_count].address = address;
    return &contexts[context_count++];
}

/* Copy `count` elements behind those of `to` that are in use. */
static void put_back(void *to, uint32_t *used, const void *from, uint32_t count, size_t size)
{
    if (count > DEEPEST - *used) {
        stray("calls or interrupts nest too deeply", FAULT_ASTRAY);
    }
    if (count != 0) {
        memcpy((char *)to + *used * size, from, count * size);
    }
    *used += count;
}

static void resume(struct context *context)
{
    context->outer = (struct extent){calling, region_count, handling};
    uint32_t same = handling;
    put_back(calls, &calling, context->calls, context->own.calls, sizeof *calls);
    put_back(regions, &region_count, context->regions, context->own.regions, sizeof *regions);
    put_back(frames, &same, context->frames, context->own.handlers, sizeof *frames);
    put_back(handlers, &handling, context->handlers, context->own.handlers, sizeof *handlers);
    context->own = (struct extent){0, 0, 0};
}

/* The elements from `first` on, in memory of their own; `used` are left. */
static void *taken(void *old, const void *from, uint32_t first, uint32_t used, size_t size)
{
    if (used == first) {
        return old;
    }
    void *const memory = realloc(old, (used - first) * size);
    if (memory == NULL) {
        fail("no memory for the contexts");
    }
    memcpy(memory, (const char *)from + first * size, (used - first) * size);
    return memory;
}

static void suspend(struct context *context)
{
    const struct extent outer = context->outer;
    context->calls = taken(context->calls, calls, outer.calls, calling, sizeof *calls);
    context->regions = taken(context->regions, regions, outer.regions, region_count, sizeof *regions);
    context->frames = taken(context->frames, frames, outer.handlers, handling, sizeof *frames);
    context->handlers = taken(context->handlers, handlers, outer.handlers, handling, sizeof *handlers);
    context->own = (struct extent){calling - outer.calls, region_count - outer.regions, handling - outer.handlers};
    calling = outer.calls;
    region_count = outer.regions;
    handling = outer.handlers;
}

/* The instruction at `pc` is about to be executed. */
static void on_place(const struct place *place, uint32_t pc)
{
    const uint16_t sp = stack_pointer();
    if (place->halt && place->value != 0 && fault.kind != FAULT_NONE) {
        end_with(FAULT_UNEXPECTED);
    }
    if (place->halt) {
        end_run(pc);
    }
    if (place->mark) {
        record(RECORD_MARK, pc);
    }
    if (place->begin) {
        list = first_argument();
    }
    if (place->store && list != 0) { /* the cells of the first store begin now */
        record(RECORD_BEGIN, list);
        const bool waits = !stimuli.begun;
        stimuli_begin(&stimuli, list, avr->cycle);
        if (waits && stimuli_due(&stimuli) != UINT64_MAX) {
            const uint64_t from_now = stimuli_due(&stimuli) - avr->cycle;
            avr_cycle_timer_register(avr, from_now > 1 ? from_now - 1 : 1, stimulate_in_time, NULL);
        }
        list = 0;
        if (!begun) {
            begun = true;
            limit = avr->cycle + length;
            wake_in(length, &length);
        }
    }
    /* A loop may come back to a function's first instruction: that is no other call. */
    const bool again = calling != 0 && calls[calling - 1].function == pc && calls[calling - 1].sp == sp;
    if (place->watched && !again) {
        if (calling == DEEPEST) {
            stray("calls nest too deeply", FAULT_ASTRAY);
        }
        calls[calling++] = (struct call){pc, sp};
        record(RECORD_CALL, pc);
    }
    if (place->returns && calling != 0 && calls[calling - 1].sp == sp) {
        leave_calls(calling - 1);
    }
    switch (place->flow) {
    case 'C':
        if (region_count == DEEPEST) {
            stray("calls nest too deeply", FAULT_ASTRAY);
        }
        regions[region_count++] = (struct region){calling, handling};
        break;
    case 'U':
        if (region_count != 0) {
            leave_calls(regions[--region_count].calling);
            handling = regions[region_count].handling; /* a handler has ended the job that it has preempted */
        }
        break;
    case 'R':
        record(RECORD_RESUME, first_argument());
        resume(context_at(first_argument()));
        break;
    case 'S':
        record(RECORD_SUSPEND, first_argument());
        suspend(context_at(first_argument()));
        break;
    case 'X':
        record(RECORD_LEAVE, first_argument());
        leave_calls(context_at(first_argument())->outer.calls);
        break;
    default:
        break;
    }
}

static void enter(void)
{
    if (handling == DEEPEST) {
        stray("interrupts nest too deeply", FAULT_ASTRAY);
    }
    handlers[handling] = places[avr->pc / 2].vector ? places[avr->pc / 2].value : avr->pc;
    record(RECORD_ENTER, handlers[handling]);
    frames[handling] = stack_pointer();
    handling++;
    if (fault.kind == FAULT_DOUBLED && fault.comes && handlers[handling - 1] == fault.source) {
        fault.comes = false;
        inject(fault.source);
    }
}

static void leave(void)
{
    if (handling != 0) {
        handling--;
        record(RECORD_EXIT, handlers[handling]);
    }
}

/* 1. */
static void write_flags(avr_t *which, avr_io_addr_t address, uint8_t value, void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < vector_count; i++) {
        const avr_regbit_t flag = vectors[i]->raised;
        if (flag.reg == address && (value >> flag.bit & 1) != 0) {
            avr_clear_interrupt(which, vectors[i]);
        }
    }
}

/* 2. */
static void write_enable(avr_t *which, avr_io_addr_t address, uint8_t value, void *unused)
{
    (void)unused;
    which->data[address] = value;
    for (uint32_t i = 0; i < vector_count; i++) {
        avr_int_vector_t *const vector = vectors[i];
        if (vector->enable.reg == address && avr_regbit_get(which, vector->enable) &&
            avr_regbit_get(which, vector->raised) && !vector->pending) {
            enables = true;
            avr_raise_interrupt(which, vector);
            enables = false;
        }
    }
}

/* 3.  From sleep an overflow is always seen in time, and the simulator's clock has run on since. */
static void find_lost_matches(bool awake)
{
    for (uint32_t i = 0; i < timer_count; i++) {
        avr_timer_t *const timer = timers[i];
        if (timer->tov_base == bases[i]) {
            continue;
        }
        bases[i] = timer->tov_base;
        const uint64_t late = avr->cycle - timer->tov_base;
        for (int channel = 0; awake && channel < AVR_TIMER_COMP_COUNT && late < timer->tov_cycles; channel++) {
            if (timer->comp[channel].comp_cycles != 0 && timer->comp[channel].comp_cycles < late) {
                avr_raise_interrupt(avr, &timer->comp[channel].interrupt);
            }
        }
    }
}

/* 4. */
static bool counts_to_icr(const avr_timer_t *timer)
{
    return avr_regbit_get_array(avr, (avr_regbit_t *)timer->wgm, 4) == 12;
}

static void write_match(avr_t *which, avr_io_addr_t address, uint8_t value, void *own)
{
    const struct match *const match = own;
    avr_timer_t *const timer = match->timer;
    const int kind = timer->wgm_op_mode_kind;
    const uint32_t size = timer->wgm_op_mode_size;
    if (counts_to_icr(timer)) {
        timer->wgm_op_mode_kind = avr_timer_wgm_normal;
        timer->wgm_op_mode_size = which->data[timer->r_icr] | (uint32_t)which->data[timer->r_icrh] << 8;
    }
    match->write(which, address, value, match->param);
    timer->wgm_op_mode_kind = kind;
    timer->wgm_op_mode_size = size;
}

static void add_match(avr_timer_t *timer, avr_io_addr_t address)
{
    if (address == 0 || match_count == sizeof matches / sizeof matches[0] ||
        avr->io[AVR_DATA_TO_IO(address)].w.c == NULL) {
        return;
    }
    struct match *const match = &matches[match_count++];
    *match = (struct match){timer, avr->io[AVR_DATA_TO_IO(address)].w.c, avr->io[AVR_DATA_TO_IO(address)].w.param};
    avr->io[AVR_DATA_TO_IO(address)].w.c = write_match;
    avr->io[AVR_DATA_TO_IO(address)].w.param = match;
}

/* The rest of the turn that a timer is in is worked out anew. */
static void go_on(avr_timer_t *timer)
{
    const avr_io_addr_t match = timer->comp[AVR_TIMER_COMPA].r_ocr;
    avr->io[AVR_DATA_TO_IO(match)].w.c(avr, match, avr->data[match], avr->io[AVR_DATA_TO_IO(match)].w.param);
}

static void write_length(avr_t *which, avr_io_addr_t address, uint8_t value, void *own)
{
    avr_timer_t *const timer = ((struct other *)own)->timer;
    which->data[address] = value;
    if (!counts_to_icr(timer) || timer->tov_cycles == 0) {
        return;
    }
    const uint32_t length = which->data[timer->r_icr] | (uint32_t)which->data[timer->r_icrh] << 8;
    if ((which->cycle - timer->tov_base) / cycles_of_tick(timer) > length) {
        stray("a timer gets a length that its counter has passed", FAULT_REFUSED);
    }
    go_on(timer);
}

static void write_control(avr_t *which, avr_io_addr_t address, uint8_t value, void *own)
{
    const struct other *const other = own;
    avr_timer_t *const timer = other->timer;
    const uint32_t count = which->data[timer->r_tcnt] | (uint32_t)which->data[timer->r_tcnth] << 8;
    const bool stood = timer->tov_cycles == 0;
    other->write(which, address, value, other->param);
    if (stood && timer->tov_cycles != 0 && count != 0 && counts_to_icr(timer)) {
        timer->tov_base = which->cycle - count * cycles_of_tick(timer);
        go_on(timer);
        for (uint32_t i = 0; i < timer_count; i++) { /* no match before was lost */
            bases[i] = (timers[i] == timer) ? timer->tov_base : bases[i];
        }
    }
}

static void add_other(avr_timer_t *timer, avr_io_addr_t address, avr_io_write_t write)
{
    if (address == 0 || other_count == sizeof others / sizeof others[0]) {
        fail("a timer lacks a register");
    }
    struct other *const other = &others[other_count++];
    *other = (struct other){timer, avr->io[AVR_DATA_TO_IO(address)].w.c, avr->io[AVR_DATA_TO_IO(address)].w.param};
    avr->io[AVR_DATA_TO_IO(address)].w.c = write;
    avr->io[AVR_DATA_TO_IO(address)].w.param = other;
}

/* 5.  As avr_timer_init has made channel A. */
struct channel {
    const char *device;
    char timer;
    uint8_t match, enable, flags, bit, vector;
};
static const struct channel missing[] = {
    {"atmega32u4", '1', 0x8C, 0x6F, 0x36, 3, 19},
    {"atmega32u4", '3', 0x9C, 0x71, 0x38, 3, 34},
};

static void add_missing_channels(avr_timer_t *timer)
{
    for (uint32_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        const struct channel *const channel = &missing[i];
        avr_timer_comp_t *const comp = &timer->comp[AVR_TIMER_COMPC];
        if (strcmp(avr->mmcu, channel->device) != 0 || timer->name != channel->timer || comp->r_ocr != 0) {
            continue;
        }
        comp->timer = timer;
        comp->r_ocr = channel->match;
        comp->r_ocrh = (avr_io_addr_t)(channel->match + 1);
        comp->interrupt.vector = channel->vector;
        comp->interrupt.enable = (avr_regbit_t)AVR_IO_REGBIT(channel->enable, channel->bit);
        comp->interrupt.raised = (avr_regbit_t)AVR_IO_REGBIT(channel->flags, channel->bit);
        avr_register_vector(avr, &comp->interrupt);
        avr_register_io_write(avr, comp->r_ocr, avr->io[AVR_DATA_TO_IO(timer->comp[AVR_TIMER_COMPA].r_ocr)].w.c, comp);
    }
}

static void add_vector(avr_int_vector_t *vector)
{
    if (vector->vector == 0 || vector->raised.reg == 0) {
        return;
    }
    if (vector_count == sizeof vectors / sizeof vectors[0]) {
        fail("the device has too many vectors");
    }
    vectors[vector_count++] = vector;
    avr->io[AVR_DATA_TO_IO(vector->raised.reg)].w.c = write_flags;
    avr->io[AVR_DATA_TO_IO(vector->enable.reg)].w.c = write_enable;
}

static void mend(void)
{
    for (avr_io_t *device = avr->io_port; device != NULL; device = device->next) {
        if (strcmp(device->kind, "timer") == 0 && timer_count < sizeof timers / sizeof timers[0]) {
            avr_timer_t *const timer = (avr_timer_t *)device;
            timers[timer_count++] = timer;
            add_missing_channels(timer);
            if (timer->wgm_op[12].kind == avr_timer_wgm_ctc && timer->wgm_op[12].top == avr_timer_wgm_reg_icr) {
                timer->wgm_op[12] = timer->wgm_op[14];
                for (int channel = 0; channel < AVR_TIMER_COMP_COUNT; channel++) {
                    add_match(timer, timer->comp[channel].r_ocr);
                }
                add_other(timer, timer->r_icr, write_length);
                add_other(timer, timer->cs[0].reg, write_control);
            }
            add_vector(&timer->overflow);
            add_vector(&timer->icr);
            for (int channel = 0; channel < AVR_TIMER_COMP_COUNT; channel++) {
                add_vector(&timer->comp[channel].interrupt);
            }
        } else if (strcmp(device->kind, "extint") == 0) {
            avr_extint_t *const lines = (avr_extint_t *)device;
            for (int line = 0; line < EXTINT_COUNT; line++) {
                add_vector(&lines->eint[line].vector);
            }
        }
    }
}

/* The simulator counts the cycles, and one; nobody waits for real time.  What comes in the very next cycle is not late.
 */
static void no_sleep(avr_t *which, avr_cycle_count_t cycles)
{
    if (cycles == 1 && stimuli_due(&stimuli) == which->cycle + 1) {
        which->cycle--;
    }
}

static void say(avr_t *which, const int level, const char *format, va_list arguments)
{
    (void)which;
    if (strstr(format, "run out of nested stack") != NULL) { /* it forgets what it has interrupted */
        stray("interrupts nest too deeply", FAULT_ASTRAY);
    }
    if (level == LOG_ERROR) {
        vfprintf(stderr, format, arguments);
    }
}

static void output(avr_irq_t *irq, uint32_t value, void *unused)
{
    (void)irq;
    (void)unused;
    (void)fputc((int)value, stdout);
}

/* The console is USART0, or USART1 of a device that has no other. */
static void connect_output(void)
{
    for (char name = '0'; name <= '1'; name++) {
        avr_irq_t *const irq = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ(name), UART_IRQ_OUTPUT);
        if (irq == NULL) {
            continue;
        }
        uint32_t flags = 0;
        avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS(name), &flags);
        flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
        avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS(name), &flags);
        avr_irq_register_notify(irq, output, NULL);
        input = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ(name), UART_IRQ_INPUT);
        return;
    }
}

static void read_map(const char *path)
{
    const uint32_t words = avr->flashend / 2 + 1;
    places = calloc(words, sizeof *places);
    FILE *const map = fopen(path, "r");
    if (places == NULL || map == NULL) {
        fail("cannot read the map");
    }
    for (uint32_t word = 0; word < words; word++) {
        const uint32_t code = (uint32_t)(avr->flash[2 * word] | avr->flash[2 * word + 1] << 8);
        places[word].reti = code == 0x9518;
        places[word].returns = code == 0x9508 || places[word].reti;
    }
    unsigned address, value;
    char kind;
    while (fscanf(map, "%x %c %x", &address, &kind, &value) == 3) {
        if (kind == 'Z' && saved_count < sizeof saved / sizeof saved[0]) {
            saved[saved_count].address = address - DATA;
            saved[saved_count++].bytes = value;
        }
        if (kind == 'Y') {
            add_stack(address - DATA, value);
        }
        if (kind == 'Z' || kind == 'Y' || address / 2 >= words) {
            continue;
        }
        struct place *const place = &places[address / 2];
        switch (kind) {
        case 'V':
            place->vector = true;
            place->value = value;
            break;
        case 'Q':
            watch_requests(value);
            break;
        case 'F':
            place->watched = true;
            break;
        case 'B':
            place->begin = true;
            break;
        case 'D':
            place->store = true;
            break;
        case 'H':
            place->halt = true;
            place->value = value;
            break;
        case 'E':
            watch_expiries(value);
            break;

        case 'M':
            place->mark = true;
            break;
        default:
            place->flow = kind;
            break;
        }
    }
    fclose(map);
}

/* Nothing is traced: gdb says how far the processor goes, for ever. */
__attribute__((noreturn)) static void debug(int port)
{
    avr->gdb_port = port;
    if (avr_gdb_init(avr) != 0) {
        fail("no port for gdb");
    }
    avr->sleep = no_sleep; /* its own waits for real time */
    avr->state = cpu_Stopped;
    for (;;) {
        const bool awake = avr->state == cpu_Running || avr->state == cpu_Step;
        const int state = avr_run(avr);
        if (state == cpu_Crashed || state == cpu_Done) {
            if (state == cpu_Done) {
                stray("the processor sleeps with interrupts off", FAULT_ASLEEP);
            }
            stray("the processor crashed", FAULT_ASTRAY);
        }
        find_lost_matches(awake && state == cpu_Running);
    }
}

int main(int argc, char **argv)
{
    const bool with_fault = argc > 7 && strcmp(argv[argc - 7], "--fault") == 0;
    argc -= with_fault ? 7 : 0;
    const bool debugged = argc == 6 && strncmp(argv[5], "gdb=", 4) == 0;
    if (argc != 8 && argc != 9 && !debugged) {
        fprintf(stderr,
                "usage: %s DEVICE MEMORY HZ IMAGE MAP FILE LIMIT [STIMULI] [--fault ...], or gdb=PORT behind IMAGE\n",
                argv[0]);
        return 2;
    }
    end_with_parent();
    if (with_fault && !fault_read(&fault, &argv[argc + 1])) {
        fail("no such fault");
    }
    avr_global_logger_set(say);
    elf_firmware_t firmware = {0};
    const char *const map = debugged ? "/dev/null" : argv[5], *const records = debugged ? "/dev/null" : argv[6];
    out = fopen(records, "wb");
    folder = dirname(strdup(records));
    if (out == NULL || elf_read_firmware(argv[4], &firmware) != 0) {
        fprintf(stderr, "carillon: cannot read %s or write %s\n", argv[4], records);
        return 1;
    }
    (void)snprintf(firmware.mmcu, sizeof firmware.mmcu, "%s", argv[1]);
    firmware.frequency = (uint32_t)strtoul(argv[3], NULL, 10);
    avr = avr_make_mcu_by_name(firmware.mmcu);
    if (avr == NULL) {
        fprintf(stderr, "carillon: simavr has no %s\n", argv[1]);
        return 1;
    }
    const uint32_t memory = (uint32_t)strtoul(argv[2], NULL, 10);
    if (memory != 0) {
        avr->ramend = (uint16_t)memory; /* avr_init allocates it */
    }
    avr_init(avr);
    avr_load_firmware(avr, &firmware);
    avr->sleep = no_sleep;
    avr->vcc = avr->avcc = avr->aref = SUPPLY;
    length = debugged ? UINT64_MAX : strtoull(argv[7], NULL, 10);
    limit = NEVER_BEGUN;
    read_map(map);
    connect_output();
    mend();
    if (argc == 9 && !stimuli_read(&stimuli, argv[8])) {
        fail("cannot read the stimuli");
    }
    prepare_stimuli();
    if (fault_due(&fault) != UINT64_MAX) {
        wake_in(fault_due(&fault), &fault);
    }
    if (debugged) {
        debug(atoi(argv[5] + 4));
    }
    for (;;) {
        const bool awake = avr->state == cpu_Running;
        if (awake) {
            const struct place *const place = &places[avr->pc / 2];
            if (place->watched || place->begin || place->store || place->halt || place->mark || place->returns ||
                place->flow != 0) {
                on_place(place, avr->pc);
            }
        }
        if (avr->cycle >= limit) {
            end_run(0);
        }
        /* An interrupt may be taken in the step that returns from another: what runs tells both, how many do not.  A
         * task that is compiled as a handler ends with RETI where a handler has called it, too. simavr takes that for
         * the end of the handler, which it is only if the stack is as at the handler's entry. */
        const uint8_t running = avr->interrupts.running_ptr;
        const bool reti = awake && places[avr->pc / 2].reti;
        const bool returned = reti && handling != 0 && stack_pointer() == frames[handling - 1];
        const int state = avr_run(avr);
        if (state == cpu_Crashed || state == cpu_Done) {
            if (state == cpu_Done) {
                stray("the processor sleeps with interrupts off", FAULT_ASLEEP);
            }
            stray("the processor crashed", FAULT_ASTRAY);
        }
        find_lost_matches(awake && state == cpu_Running);
        look_at_fault();
        if (returned) {
            leave();
        }
        if (avr->interrupts.running_ptr > ((reti && running != 0) ? running - 1 : running)) {
            enter();
        }
    }
}
