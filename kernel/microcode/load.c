/* SPDX-License-Identifier: Apache-2.0
 *
 * The load of microcode.  The verifier leaves which instructions lead to each other: they have one `index`, and what
 * they lead to has a greater one.  A component's load is the greatest ratio of what is released on a way round to the
 * time that it takes.  While some way round has a greater ratio than the last one that was found, it is the next one
 * (W. Dinkelbach, "On nonlinear fractional programming", Management Science 13, 1967).
 *
 * 1. No sum is too great: a component releases less than WORK, and its times are less than TICKS.  Both bound each way
 *    round, as it passes an instruction once.  So work * ticks < 2^62, and a value is at most twice that.
 * 2. A value is what a way from the node on releases more than the ratio says, and 0 at least.  Values may exceed what
 *    all members release, or change in as many passes as there are members.  Then the edges by which they were reached
 *    go round, and what goes round has a greater ratio.
 * 3. A load is at most MOST nanoseconds of those for which all are counted.  A sum is cut off at twice that, which is
 *    above every limit. */
#include "kernel/microcode/load.h"

#include <stddef.h>

#define NONE CARILLON_MICROCODE_NONE
#define LAST 0xFFFEu              /* the index of the component that was complete first */
#define WORK (UINT64_C(1) << 38)  /* nanoseconds */
#define TICKS (UINT64_C(1) << 24) /* of a component, and the place of a ratio's work above its ticks */
#define MOST (UINT64_C(1) << 56)  /* nanoseconds for which all loads are counted */

/* The verifier's notes, as they are used here.  `stack` of a component's number is its first member, and `component`
 * leads to the next one.  `edge` is that by which a value was reached.  A value has 63 bits. */
#define REACHED 1u
#define RELEASES 2u /* the node, or what it leads to */

struct load {
    const struct carillon_instruction *code;
    struct carillon_verify_node *nodes;
    const uint8_t *given;
    uint64_t ticks; /* for which loads are counted: each component's ticks divide it */
    uint64_t work;  /* the present component's, in all */
    uint32_t tick_ns;
    uint16_t members;
    uint16_t first; /* member */
};

static uint64_t value_of(const struct carillon_verify_node *node)
{
    const uint32_t high = ((uint32_t)node->most[1] << 24) | ((uint32_t)node->most[0] << 16) | node->task;
    return ((uint64_t)high << 32) | node->lifetime;
}

static void set_value(struct carillon_verify_node *node, uint64_t value)
{
    node->lifetime = (uint32_t)value;
    node->task = (uint16_t)(value >> 32);
    node->most[0] = (uint8_t)(value >> 48);
    node->most[1] = (uint8_t)(value >> 56);
}

static uint32_t opcode_of(const struct carillon_instruction *i)
{
    return i->word & 0xFFu;
}

/* What an instruction releases, in nanoseconds; 0: nothing, or it is not known. */
static uint32_t work_of(const struct load *load, uint16_t address)
{
    const struct carillon_instruction *const i = &load->code[address];
    uint32_t work = 0u;
    if (opcode_of(i) == CARILLON_OPCODE_RELEASE) {
        const uint32_t given =
            (load->given != NULL) ? carillon_little_endian(&load->given[4u * (uint32_t)i->x], 4u) : 0u;
        work = (given > carillon_loader_times[i->x]) ? given : carillon_loader_times[i->x];
    }
    return work;
}

/* Where an edge leads, 0 to the next instruction and 1 to the address; NONE: there is no such edge. */
static uint16_t follow(const struct load *load, uint16_t address, uint32_t edge)
{
    const struct carillon_instruction *const i = &load->code[address];
    uint16_t target = NONE;
    switch (opcode_of(i)) {
    case CARILLON_OPCODE_RETURN:
        break;
    case CARILLON_OPCODE_JUMP:
        target = (edge == 1u) ? i->y : NONE;
        break;
    case CARILLON_OPCODE_FUTURE:
    case CARILLON_OPCODE_FUTURE_EVENT:
    case CARILLON_OPCODE_DISPATCH_TIME:
    case CARILLON_OPCODE_DISPATCH_RELEASE:
    case CARILLON_OPCODE_FORK:
    case CARILLON_OPCODE_IF:
        target = (edge == 1u) ? i->y : (uint16_t)(address + 1u);
        break;
    default:
        target = (edge == 1u) ? NONE : (uint16_t)(address + 1u);
        break;
    }
    return target;
}

/* Whether both edges are taken. */
static bool begins(const struct load *load, uint16_t address)
{
    const uint32_t opcode = opcode_of(&load->code[address]);
    return (opcode == CARILLON_OPCODE_FUTURE) || (opcode == CARILLON_OPCODE_FUTURE_EVENT) ||
           (opcode == CARILLON_OPCODE_FORK);
}

/* The ticks that pass for certain on an edge. */
static uint32_t ticks_of(const struct load *load, uint16_t address, uint32_t edge)
{
    const struct carillon_instruction *const i = &load->code[address];
    return ((edge == 1u) && (opcode_of(i) == CARILLON_OPCODE_FUTURE)) ? (i->word >> 8) : 0u;
}

static bool is_inside(const struct load *load, uint16_t address, uint16_t target)
{
    return (target != NONE) && (load->nodes[target].index == load->nodes[address].index);
}

static uint64_t divisor(uint64_t one, uint64_t other)
{
    uint64_t greater = one;
    uint64_t less = other;
    while (less != 0u) {
        const uint64_t rest = greater % less;
        greater = less;
        less = rest;
    }
    return greater;
}

/* A node from which the edges by which values were reached go round a way whose ratio is greater than work : ticks;
 * NONE: there is none.  Bounded by the members, squared. */
static uint16_t find_greater(const struct load *load, uint64_t work, uint64_t ticks)
{
    struct carillon_verify_node *const nodes = load->nodes;
    uint16_t changed = load->first;
    for (uint16_t k = load->first; k != NONE; k = nodes[k].component) {
        set_value(&nodes[k], 0u);
    }
    for (uint32_t pass = 0u; (pass < load->members) && (changed != NONE); pass++) {
        changed = NONE;
        for (uint16_t k = load->first; k != NONE; k = nodes[k].component) {
            for (uint32_t edge = 0u; edge < 2u; edge++) {
                const uint16_t target = follow(load, k, edge);
                if (!is_inside(load, k, target)) {
                    continue;
                }
                const uint64_t more = (work_of(load, k) * ticks) + value_of(&nodes[target]);
                const uint64_t less = work * ticks_of(load, k, edge);
                if (more > (value_of(&nodes[k]) + less)) {
                    set_value(&nodes[k], more - less);
                    nodes[k].edge = (uint8_t)edge;
                    changed = k;
                }
            }
            if (value_of(&nodes[k]) > (load->work * ticks)) {
                return k;
            }
        }
    }
    return changed;
}

/* The load of the present component, which goes round: in the first member's value, as its work above its ticks. */
static enum carillon_verify_result settle_ratio(struct load *load)
{
    struct carillon_verify_node *const nodes = load->nodes;
    uint64_t work = 0u;
    uint64_t ticks = 1u;
    for (;;) { /* each ratio is greater than the one before */
        uint16_t at = find_greater(load, work, ticks);
        if (at == NONE) {
            break;
        }
        for (uint32_t k = 0u; k < load->members; k++) {
            at = follow(load, at, nodes[at].edge);
        }
        const uint16_t begin = at;
        work = 0u;
        ticks = 0u;
        do { /* bounded by the members */
            work += work_of(load, at);
            ticks += ticks_of(load, at, nodes[at].edge);
            at = follow(load, at, nodes[at].edge);
        } while (at != begin);
        if (ticks == 0u) {
            return CARILLON_VERIFY_UNCOUNTED;
        }
        if (work > (ticks * load->tick_ns)) {
            return CARILLON_VERIFY_LOAD;
        }
    }
    const uint64_t common = divisor(ticks, work);
    const uint64_t least = ticks / common;
    const uint64_t times = least / divisor(least, load->ticks);
    set_value(&nodes[load->first], ((work / common) * TICKS) + least);
    if (times > (MOST / load->ticks / load->tick_ns)) {
        return CARILLON_VERIFY_UNCOUNTED;
    }
    load->ticks *= times;
    return CARILLON_VERIFY_OK;
}

/* The members of a component, and whether it goes round. */
static bool begin_component(struct load *load, uint32_t component)
{
    bool cyclic = false;
    load->first = load->nodes[component].stack;
    load->members = 0u;
    load->work = 0u;
    for (uint16_t k = load->first; k != NONE; k = load->nodes[k].component) {
        load->members++;
        cyclic = cyclic || is_inside(load, k, follow(load, k, 0u)) || is_inside(load, k, follow(load, k, 1u));
    }
    return cyclic;
}

/* What a component releases, and its load. */
static enum carillon_verify_result settle_component(struct load *load, bool cyclic, uint16_t *address)
{
    struct carillon_verify_node *const nodes = load->nodes;
    uint64_t ticks = 0u;
    bool releases = false;
    for (uint16_t k = load->first; k != NONE; k = nodes[k].component) {
        *address = k;
        const uint32_t work = work_of(load, k);
        const bool own = opcode_of(&load->code[k]) == CARILLON_OPCODE_RELEASE;
        if (own && (work == 0u)) {
            return CARILLON_VERIFY_UNTIMED;
        }
        load->work += work;
        releases = releases || own;
        for (uint32_t edge = 0u; edge < 2u; edge++) {
            const uint16_t target = follow(load, k, edge);
            ticks += ticks_of(load, k, edge);
            if ((target != NONE) && !is_inside(load, k, target) && ((nodes[target].flags & RELEASES) != 0u)) {
                releases = true;
                if (cyclic && begins(load, k)) {
                    return CARILLON_VERIFY_UNCOUNTED; /* each way round begins it */
                }
            }
        }
    }
    for (uint16_t k = load->first; releases && (k != NONE); k = nodes[k].component) {
        nodes[k].flags |= RELEASES;
    }
    enum carillon_verify_result result = CARILLON_VERIFY_OK;
    if (cyclic) {
        result = ((load->work < WORK) && (ticks < TICKS)) ? settle_ratio(load) : CARILLON_VERIFY_UNCOUNTED;
    }
    return result;
}

/* The load of a component and all that it leads to, in nanoseconds of `ticks` ticks. */
static void sum_up(const struct load *load, bool cyclic)
{
    struct carillon_verify_node *const nodes = load->nodes;
    uint64_t value = 0u;
    if (cyclic) {
        const uint64_t ratio = value_of(&nodes[load->first]);
        value = (ratio / TICKS) * (load->ticks / (ratio % TICKS));
    }
    for (uint16_t k = load->first; k != NONE; k = nodes[k].component) {
        uint64_t least = 0u; /* of both edges, if both are taken */
        for (uint32_t edge = 0u; edge < 2u; edge++) {
            const uint16_t target = follow(load, k, edge);
            if ((target != NONE) && !is_inside(load, k, target)) {
                const uint64_t more = value_of(&nodes[target]) + (begins(load, k) ? least : 0u);
                least = value_of(&nodes[target]);
                value = (more > value) ? more : value;
            }
        }
    }
    const uint64_t cut = (value < (2u * MOST)) ? value : (2u * MOST);
    for (uint16_t k = load->first; k != NONE; k = nodes[k].component) {
        set_value(&nodes[k], cut);
    }
}

/* List the members of the components, and note which the entry leads to.  Returns how many components there are. */
static uint32_t list_members(const struct load *load, uint16_t size, uint16_t entry)
{
    struct carillon_verify_node *const nodes = load->nodes;
    uint32_t count = 0u;
    for (uint16_t k = 0u; k < size; k++) {
        nodes[k].stack = NONE;
        nodes[k].flags = 0u;
        nodes[k].edge = 0u;
    }
    for (uint16_t k = 0u; k < size; k++) {
        const uint32_t component = LAST - nodes[k].index;
        nodes[k].component = nodes[component].stack;
        nodes[component].stack = k;
        if (component >= count) {
            count = component + 1u;
        }
    }
    nodes[entry].flags = REACHED;
    for (uint32_t component = count; component > 0u; component--) {
        uint8_t reached = 0u;
        for (uint16_t k = nodes[component - 1u].stack; k != NONE; k = nodes[k].component) {
            reached |= nodes[k].flags;
        }
        for (uint16_t k = nodes[component - 1u].stack; k != NONE; k = nodes[k].component) {
            nodes[k].flags = reached;
            for (uint32_t edge = 0u; edge < 2u; edge++) {
                const uint16_t target = follow(load, k, edge);
                if (target != NONE) {
                    nodes[target].flags |= reached;
                }
            }
        }
    }
    return count;
}

enum carillon_verify_result carillon_load_verify(const struct carillon_verify_image *image, const uint8_t *given,
                                                 struct carillon_verify_node *nodes, struct carillon_verified *found)
{
    struct load load = {.code = found->code, .nodes = nodes, .given = given, .ticks = 1u, .tick_ns = image->tick_ns};
    const uint32_t count = list_members(&load, found->size, found->entry);
    enum carillon_verify_result result = CARILLON_VERIFY_OK;
    for (uint32_t k = 0u; (k < count) && (result == CARILLON_VERIFY_OK); k++) {
        const bool cyclic = begin_component(&load, k);
        if ((nodes[load.first].flags & REACHED) != 0u) {
            result = settle_component(&load, cyclic, &found->address);
        }
    }
    if (result != CARILLON_VERIFY_OK) {
        return result;
    }
    for (uint32_t k = 0u; k < count; k++) {
        const bool cyclic = begin_component(&load, k);
        if ((nodes[load.first].flags & REACHED) != 0u) {
            sum_up(&load, cyclic);
        }
    }
    found->address = found->entry;
    const uint64_t most = load.ticks * load.tick_ns * CARILLON_LOADER_LOAD;
    return ((value_of(&nodes[found->entry]) * 100u) <= most) ? CARILLON_VERIFY_OK : CARILLON_VERIFY_LOAD;
}
