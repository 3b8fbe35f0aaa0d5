/* SPDX-License-Identifier: Apache-2.0
 *
 * The verifier of microcode.  What may follow what is a graph: its nodes are instructions, and each has two edges at
 * most.  All rules on loops and room are rules on the strongly connected components of some of these edges.  One
 * function finds the components, without recursion (D. Pearce, "A space-efficient algorithm for finding strongly
 * connected components", Information Processing Letters 116, 2016). */
#include "kernel/microcode/verify.h"

#include <stddef.h>

#define NONE 0xFFFFu
#define FOREVER 0xFFFFFFFFu
#define UNBOUNDED 255u

#define HEADER 36u
#define MAGIC 0x43554D43u /* CMUC */
#define VERSION 1u

/* Opcodes. */
#define RELEASE 2u
#define FUTURE 3u
#define FUTURE_EVENT 4u
#define DISPATCH 5u
#define DISPATCH_TIME 6u
#define DISPATCH_RELEASE 7u
#define IDLE 8u
#define IDLE_RELEASE 9u
#define FORK 10u
#define TERMINATE 14u

/* What an operand is: nothing; a number of the table that has this place in `counts`; a time, or one that is not 0. */
#define NOTHING 0u
#define TASK 1u
#define DRIVER 2u
#define GUARD 3u
#define TRIGGER 4u
#define TIME 5u
#define WAIT 6u

struct form {
    uint8_t x;
    uint8_t time;
    bool addressed; /* y is an address */
    bool goes_on;   /* to the next instruction */
};
static const struct form forms[] = {
    {NOTHING, NOTHING, false, false}, /* no instruction */
    {DRIVER, NOTHING, false, true},   /* call */
    {TASK, TIME, false, true},        /* release */
    {NOTHING, WAIT, true, true},      /* future */
    {TRIGGER, NOTHING, true, true},   /* future of a trigger */
    {TASK, NOTHING, false, true},     /* dispatch */
    {TASK, WAIT, true, true},         /* dispatch, time */
    {TASK, TASK, true, true},         /* dispatch, release */
    {NOTHING, WAIT, false, true},     /* idle */
    {TASK, NOTHING, false, true},     /* idle release */
    {NOTHING, NOTHING, true, true},   /* fork */
    {GUARD, NOTHING, true, true},     /* if */
    {NOTHING, NOTHING, true, false},  /* jump */
    {NOTHING, NOTHING, false, false}, /* return */
    {TASK, NOTHING, false, true}      /* terminate */
};

struct instruction {
    uint32_t time;
    uint16_t x;
    uint16_t y;
    uint8_t opcode;
};

/* Which edges the graph has.
 *
 * ACTIVATION: those that the thread or block itself may take.  INSTANT: those, and the begin of a thread by `fork`,
 * which all may be taken at one instant.  The four behind it: those of INSTANT within one of its components, but not
 * - `fork`,
 * - what is only taken when a time of the thread has passed,
 * - what is only taken when the component's task is unfinished,
 * - what is only taken when that task has ended.
 * ALL: also the begin of a block by `future`. */
#define ACTIVATION 0u
#define INSTANT 1u
#define NO_FORK 2u
#define NO_TIME 3u
#define NO_RELEASE 4u
#define NO_END 5u
#define ALL 6u

/* A component has a loop without what the mode leaves out: 1 << mode.  The component releases tasks, or has no task: */
#define NO_TASK 1u

struct graph {
    const uint8_t *code;
    struct carillon_verify_node *nodes;
    uint16_t size;
    uint8_t mode;
};

uint32_t carillon_little_endian(const uint8_t *at, uint32_t bytes)
{
    uint32_t value = 0u;
    for (uint32_t k = bytes; k > 0u; k--) {
        value = (value << 8) | at[k - 1u];
    }
    return value;
}

uint32_t carillon_crc32(uint32_t before, const uint8_t *bytes, uint32_t length)
{
    static const uint32_t steps[16] = {0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu, 0x76DC4190u, 0x6B6B51F4u,
                                       0x4DB26158u, 0x5005713Cu, 0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu,
                                       0x9B64C2B0u, 0x86D3D2D4u, 0xA00AE278u, 0xBDBDF21Cu};
    uint32_t sum = ~before;
    for (uint32_t k = 0u; k < length; k++) {
        sum ^= bytes[k];
        sum = (sum >> 4) ^ steps[sum & 15u];
        sum = (sum >> 4) ^ steps[sum & 15u];
    }
    return ~sum;
}

static struct instruction fetch(const uint8_t *code, uint16_t address)
{
    const uint8_t *const at = &code[(size_t)address * 8u];
    const struct instruction found = {.opcode = at[0],
                                      .time = carillon_little_endian(&at[1], 3u),
                                      .x = (uint16_t)carillon_little_endian(&at[4], 2u),
                                      .y = (uint16_t)carillon_little_endian(&at[6], 2u)};
    return found;
}

/* Instructions, one by one. */

static bool is_operand(uint32_t value, uint8_t use, const uint16_t *counts)
{
    if (use == NOTHING) {
        return value == 0u;
    }
    if (use >= TIME) {
        return (use == TIME) || (value > 0u);
    }
    return value < counts[use];
}

static enum carillon_verify_result verify_instruction(struct instruction i, const uint16_t *counts, uint16_t size)
{
    if ((i.opcode == 0u) || (i.opcode > TERMINATE)) {
        return CARILLON_VERIFY_OPCODE;
    }
    const struct form *const form = &forms[i.opcode];
    if (!is_operand(i.x, form->x, counts) || !is_operand(i.time, form->time, counts) ||
        (!form->addressed && (i.y != 0u))) {
        return CARILLON_VERIFY_OPERAND;
    }
    return (form->addressed && (i.y >= size)) ? CARILLON_VERIFY_ADDRESS : CARILLON_VERIFY_OK;
}

/* Edges and components. */

/* Whether an edge is left out: of an instruction, `branch` (to its address) or not. */
static bool is_left_out(struct instruction i, bool branch, uint8_t mode, uint16_t task)
{
    const bool begins = (i.opcode == FUTURE) || (i.opcode == FUTURE_EVENT);
    const bool forks = i.opcode == FORK;
    switch (mode) {
    case ACTIVATION:
        return branch && (begins || forks);
    case INSTANT:
        return branch && begins;
    case NO_FORK:
        return branch && (begins || forks);
    case NO_TIME:
        return (branch && (begins || (i.opcode == DISPATCH_TIME))) || (!branch && (i.opcode == IDLE));
    case NO_RELEASE:
        return branch ? (begins || ((i.opcode == DISPATCH_RELEASE) && (i.time == task)))
                      : ((i.opcode == IDLE_RELEASE) && (i.x == task));
    case NO_END:
        return branch ? begins : ((i.opcode >= DISPATCH) && (i.opcode <= DISPATCH_RELEASE) && (i.x == task));
    default:
        return false;
    }
}

/* Where an edge of a node leads: 0, to the next instruction; 1, to its address.  NONE: there is no such edge. */
static uint16_t follow(const struct graph *graph, uint16_t address, uint8_t edge)
{
    const struct instruction i = fetch(graph->code, address);
    const struct carillon_verify_node *const node = &graph->nodes[address];
    const bool branch = edge == 1u;
    if (!(branch ? forms[i.opcode].addressed : forms[i.opcode].goes_on) ||
        is_left_out(i, branch, graph->mode, node->task)) {
        return NONE;
    }
    const uint16_t target = branch ? i.y : (uint16_t)(address + 1u);
    const bool apart =
        (graph->mode > INSTANT) && (graph->mode < ALL) && (graph->nodes[target].component != node->component);
    return apart ? (uint16_t)NONE : target;
}

/* The longest time from the begin of a thread to the end of a wait; FOREVER, if there is none, or if what begins at a
 * node begins something else. */
static void settle_lifetime(const struct graph *graph, uint16_t address, bool cyclic)
{
    const struct instruction i = fetch(graph->code, address);
    struct carillon_verify_node *const node = &graph->nodes[address];
    node->lifetime = 0u;
    if ((i.opcode == IDLE) || (i.opcode == DISPATCH_TIME)) {
        node->lifetime = i.time;
    } else if ((i.opcode >= FUTURE) && (i.opcode <= FORK)) {
        node->lifetime = FOREVER;
    } else {
        /* takes no time */
    }
    for (uint8_t edge = 0u; edge < 2u; edge++) {
        const uint16_t target = follow(graph, address, edge);
        if (cyclic) {
            node->lifetime = FOREVER;
        } else if ((target != NONE) && (graph->nodes[target].lifetime > node->lifetime)) {
            node->lifetime = graph->nodes[target].lifetime;
        } else {
            /* it is not longer */
        }
    }
}

/* The members of a component get the address of one of them, and the task of the first instruction among them that
 * waits for the release of one. */
static void settle_component(const struct graph *graph, uint16_t from, uint16_t to)
{
    struct carillon_verify_node *const nodes = graph->nodes;
    const uint16_t name = nodes[from].stack;
    uint16_t first = NONE;
    uint16_t task = NONE;
    nodes[name].flags = 0u;
    for (uint16_t k = from; k < to; k++) {
        const uint16_t address = nodes[k].stack;
        const struct instruction i = fetch(graph->code, address);
        const bool waits = (i.opcode == IDLE_RELEASE) || (i.opcode == DISPATCH_RELEASE);
        if (waits && (address < first)) {
            first = address;
            task = (i.opcode == IDLE_RELEASE) ? i.x : (uint16_t)i.time;
        }
        if (i.opcode == RELEASE) {
            nodes[name].flags = NO_TASK;
        }
    }
    if (task == NONE) {
        nodes[name].flags = NO_TASK;
    }
    for (uint16_t k = from; k < to; k++) {
        nodes[nodes[k].stack].component = name;
        nodes[nodes[k].stack].task = task;
    }
}

/* How many triggers, or threads, wait at one time, of all that a node is and begins.  What has begun something else
 * goes on beside it, so that both count; in a loop, such a sum has no bound. */
struct bound {
    uint8_t most;
    bool doubled;
};

static uint8_t sum(uint8_t one, uint8_t other)
{
    return (one < (UNBOUNDED - other)) ? (uint8_t)(one + other) : (uint8_t)UNBOUNDED;
}

static void settle_bound(const struct graph *graph, uint16_t address, bool of_threads, struct bound *bound)
{
    const struct carillon_verify_node *const nodes = graph->nodes;
    const struct instruction i = fetch(graph->code, address);
    const bool timed = i.opcode == FUTURE;
    const bool begins = timed || (i.opcode == FUTURE_EVENT) || (i.opcode == FORK);
    const bool waits = (i.opcode >= DISPATCH) && (i.opcode <= IDLE_RELEASE);
    uint8_t values[2] = {0u, 0u};
    bool inside[2] = {false, false};
    for (uint8_t edge = 0u; edge < 2u; edge++) {
        const uint16_t target = follow(graph, address, edge);
        if (target != NONE) {
            inside[edge] = nodes[target].index == nodes[address].index;
            if (!inside[edge]) {
                values[edge] = of_threads ? nodes[target].threads : nodes[target].bindings;
            }
        }
    }
    uint8_t own = 0u;
    if (begins) {
        const bool held = (i.opcode == FORK) == of_threads;
        values[1] = (held && (values[1] == 0u)) ? 1u : values[1];
    } else {
        own = (of_threads && waits) ? 1u : 0u;
    }
    /* A thread may have ended when the part that it has put off begins.  Then it is not counted beside that part, but
     * with the part's trigger. */
    const bool ends = of_threads && timed && (nodes[address + 1u].lifetime <= i.time);
    if (begins && !ends) {
        own = sum(values[0], values[1]);
        if ((inside[0] && (values[1] > 0u)) || (inside[1] && (values[0] > 0u))) {
            own = UNBOUNDED;
        }
        bound->doubled = bound->doubled || (inside[0] && inside[1]);
    }
    for (uint8_t edge = 0u; edge < 2u; edge++) {
        own = (values[edge] > own) ? values[edge] : own;
    }
    bound->most = (own > bound->most) ? own : bound->most;
}

static uint8_t bound_of(const struct graph *graph, uint16_t from, uint16_t to, bool of_threads)
{
    struct bound bound = {0u, false};
    for (uint16_t k = from; k < to; k++) {
        settle_bound(graph, graph->nodes[k].stack, of_threads, &bound);
    }
    return (bound.doubled && (bound.most > 0u)) ? (uint8_t)UNBOUNDED : bound.most;
}

static void settle(const struct graph *graph, uint16_t from, uint16_t to)
{
    struct carillon_verify_node *const nodes = graph->nodes;
    const uint16_t any = nodes[from].stack;
    const bool cyclic = (to > (from + 1u)) || (follow(graph, any, 0u) == any) || (follow(graph, any, 1u) == any);
    switch (graph->mode) {
    case ACTIVATION:
        for (uint16_t k = from; k < to; k++) {
            settle_lifetime(graph, nodes[k].stack, cyclic);
        }
        break;
    case INSTANT:
        settle_component(graph, from, to);
        break;
    case ALL: {
        const uint8_t bindings = bound_of(graph, from, to, false);
        const uint8_t threads = bound_of(graph, from, to, true);
        for (uint16_t k = from; k < to; k++) {
            nodes[nodes[k].stack].bindings = bindings;
            nodes[nodes[k].stack].threads = threads;
        }
        break;
    }
    default:
        if (cyclic) {
            nodes[nodes[any].component].flags |= (uint8_t)(1u << graph->mode);
        }
        break;
    }
}

/* Settle all components, those that others lead to first.
 *
 * `stack` holds two stacks: from its begin, the path to the node that is looked at; from its end, nodes whose component
 * is not complete.  A node is in one of them at most, so that they never meet.  While a node is open, its `index` is
 * the least of those it leads to; a component that is complete has an index above all of them. */
static void settle_all(struct graph *graph, uint8_t mode)
{
    struct carillon_verify_node *const nodes = graph->nodes;
    const uint16_t size = graph->size;
    uint16_t next = 1u;
    uint16_t complete = 0xFFFEu;
    uint16_t top = size;
    graph->mode = mode;
    for (uint16_t k = 0u; k < size; k++) {
        nodes[k].index = 0u;
    }
    for (uint16_t root = 0u; root < size; root++) {
        uint16_t depth = 0u;
        uint16_t enter = (nodes[root].index == 0u) ? root : (uint16_t)NONE;
        while ((enter != NONE) || (depth > 0u)) { /* bounded by nodes and edges */
            if (enter != NONE) {
                nodes[enter].index = next;
                nodes[enter].edge = 0u;
                nodes[depth].stack = enter;
                next++;
                depth++;
                enter = NONE;
            }
            const uint16_t address = nodes[depth - 1u].stack;
            struct carillon_verify_node *const node = &nodes[address];
            if ((node->edge & 3u) < 2u) {
                const uint16_t target = follow(graph, address, node->edge & 3u);
                if ((target != NONE) && (nodes[target].index == 0u)) {
                    enter = target;
                } else {
                    if ((target != NONE) && (nodes[target].index < node->index)) {
                        node->index = nodes[target].index;
                        node->edge |= 4u; /* not the first of its component */
                    }
                    node->edge++;
                }
                continue;
            }
            depth--;
            const uint16_t last = top;
            top--;
            nodes[top].stack = address;
            if ((node->edge & 4u) == 0u) {
                uint16_t behind = last;
                const uint16_t least = node->index;
                while ((behind < size) && (nodes[nodes[behind].stack].index >= least)) {
                    behind++;
                }
                for (uint16_t k = top; k < behind; k++) {
                    nodes[nodes[k].stack].index = complete;
                }
                settle(graph, top, behind);
                next = (uint16_t)(next - (behind - top));
                complete--;
                top = behind;
            }
        }
    }
}

/* Whether some component that loops at an instant is endless.  It is not if each of its loops has a `fork` and a time
 * that passes.  Nor is it if each loop waits for the release and for the end of one task, which the loop does not
 * release itself.  With more than one thread, a `dispatch` may be dropped, which does not wait. */
static bool has_endless_loop(const struct graph *graph, bool one_thread, uint16_t *address)
{
    const uint8_t endless = (uint8_t)((1u << NO_FORK) | (1u << NO_TIME));
    const uint8_t unreleased = (uint8_t)((1u << NO_RELEASE) | (1u << NO_END) | NO_TASK);
    for (uint16_t k = 0u; k < graph->size; k++) {
        const struct carillon_verify_node *const node = &graph->nodes[k];
        if ((node->component == k) && ((node->flags & endless) != 0u) &&
            (!one_thread || ((node->flags & unreleased) != 0u))) {
            *address = k;
            return true;
        }
    }
    return false;
}

/* The most instructions of an instant.  Each of at most `acting` blocks and threads passes an instruction once.  In a
 * loop in which a time passes, it does so twice.  In a loop that waits for a release, it does so once more for each
 * release. */
static uint32_t most_steps(const struct graph *graph, uint32_t acting)
{
    uint32_t releases = 0u;
    for (uint16_t k = 0u; k < graph->size; k++) {
        releases += (fetch(graph->code, k).opcode == RELEASE) ? 1u : 0u;
    }
    const uint64_t most = (uint64_t)acting * graph->size * (3u + ((uint64_t)releases * acting));
    return (most < 0xFFFFFFFFu) ? (uint32_t)most : 0xFFFFFFFFu;
}

static enum carillon_verify_result verify_flow(struct graph *graph, const struct carillon_verify_image *image,
                                               struct carillon_verified *found)
{
    for (uint8_t mode = ACTIVATION; mode <= ALL; mode++) {
        settle_all(graph, mode);
    }
    const struct carillon_verify_node *const entry = &graph->nodes[found->entry];
    const bool one_thread = entry->threads <= 1u;
    found->bindings = (entry->bindings > 0u) ? entry->bindings : 1u;
    found->threads = (entry->threads > 0u) ? sum(entry->threads, found->bindings) : 0u;
    if (has_endless_loop(graph, one_thread, &found->address)) {
        return CARILLON_VERIFY_LOOP;
    }
    found->address = found->entry;
    if ((found->bindings == UNBOUNDED) || (found->bindings > image->bindings)) {
        return CARILLON_VERIFY_BINDINGS;
    }
    if ((found->threads == UNBOUNDED) || (found->threads > image->threads)) {
        return CARILLON_VERIFY_THREADS;
    }
    found->steps = most_steps(graph, (uint32_t)found->threads + (2u * (uint32_t)found->bindings));
    return CARILLON_VERIFY_OK;
}

static enum carillon_verify_result verify_header(const uint8_t *bytes, uint32_t length,
                                                 const struct carillon_verify_image *image, uint16_t room,
                                                 struct carillon_verified *found)
{
    if (length < HEADER) {
        return CARILLON_VERIFY_LENGTH;
    }
    if ((carillon_little_endian(bytes, 4u) != MAGIC) || (carillon_little_endian(&bytes[4], 2u) != VERSION) ||
        (carillon_little_endian(&bytes[6], 2u) != HEADER)) {
        return CARILLON_VERIFY_FORMAT;
    }
    if (carillon_little_endian(&bytes[8], 4u) != length) {
        return CARILLON_VERIFY_LENGTH;
    }
    const uint32_t begin = carillon_crc32(0u, bytes, 12u);
    if (carillon_little_endian(&bytes[12], 4u) != carillon_crc32(begin, &bytes[16], length - 16u)) {
        return CARILLON_VERIFY_CHECKSUM;
    }
    if (carillon_little_endian(&bytes[16], 4u) != image->tick_ns) {
        return CARILLON_VERIFY_TICK;
    }
    found->entry = (uint16_t)carillon_little_endian(&bytes[20], 2u);
    found->size = (uint16_t)carillon_little_endian(&bytes[22], 2u);
    if ((found->size == 0u) || (found->size > room) || (found->size > CARILLON_VERIFY_MOST)) {
        return CARILLON_VERIFY_ROOM;
    }
    const uint32_t tables = HEADER + (8u * (uint32_t)found->size);
    if (length < tables) {
        return CARILLON_VERIFY_LENGTH;
    }
    for (uint32_t k = 0u; k < 5u; k++) {
        if (carillon_little_endian(&bytes[24u + (2u * k)], 2u) != image->counts[k]) {
            return CARILLON_VERIFY_TABLES;
        }
    }
    if (carillon_little_endian(&bytes[34], 2u) != 0u) {
        return CARILLON_VERIFY_LABELS;
    }
    if (carillon_crc32(0u, &bytes[tables], length - tables) != image->interface) {
        return CARILLON_VERIFY_TABLES;
    }
    found->code = &bytes[HEADER];
    return (found->entry < found->size) ? CARILLON_VERIFY_OK : CARILLON_VERIFY_ADDRESS;
}

enum carillon_verify_result carillon_verify(const uint8_t *bytes, uint32_t length,
                                            const struct carillon_verify_image *image,
                                            struct carillon_verify_node *nodes, uint16_t room,
                                            struct carillon_verified *found)
{
    *found = (struct carillon_verified){.code = NULL};
    enum carillon_verify_result result = verify_header(bytes, length, image, room, found);
    for (uint16_t k = 0u; (result == CARILLON_VERIFY_OK) && (k < found->size); k++) {
        found->address = k;
        const struct instruction i = fetch(found->code, k);
        result = verify_instruction(i, image->counts, found->size);
        if ((result == CARILLON_VERIFY_OK) && ((k + 1u) == found->size) && forms[i.opcode].goes_on) {
            result = CARILLON_VERIFY_END;
        }
    }
    if (result == CARILLON_VERIFY_OK) {
        struct graph graph = {.code = found->code, .nodes = nodes, .size = found->size};
        result = verify_flow(&graph, image, found);
    }
    return result;
}
