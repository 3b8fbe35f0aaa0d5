/* SPDX-License-Identifier: Apache-2.0
 *
 * The verifier of microcode.  What may follow what is a graph: its nodes are instructions, and each has two edges at
 * most.  All rules on loops and room are rules on the strongly connected components of some of these edges.  One
 * function finds the components, without recursion (D. Pearce, "A space-efficient algorithm for finding strongly
 * connected components", Information Processing Letters 116, 2016). */
#include "kernel/microcode/verify.h"

#include <stddef.h>

#define NONE CARILLON_MICROCODE_NONE
#define FOREVER 0xFFFFFFFFu
#define UNBOUNDED 255u

#define MAGIC 0x43554D43u /* CMUC */
#define VERSION 1u

/* The header of a program's bytes, in the memory of a little-endian processor, as instructions are. */
struct header {
    uint32_t magic;
    uint16_t version;
    uint16_t bytes; /* of the header */
    uint32_t length;
    uint32_t checksum;
    uint32_t tick_ns;
    uint16_t entry;
    uint16_t size;
    uint16_t counts[5];
    uint16_t labels;
};
#define SUMMED 16u /* the checksum is not that of itself */
/* A longer header has handlers as well, 2 bytes each, up to a word. */
#define WITH_HANDLERS(tasks) ((uint32_t)sizeof(struct header) + ((((2u * (tasks)) + 5u) / 4u) * 4u))

/* Sets of instructions. */
#define IS(opcode) (UINT32_C(1) << (CARILLON_OPCODE_##opcode))
#define BEGINS (IS(FUTURE) | IS(FUTURE_EVENT))
#define DISPATCHES (IS(DISPATCH) | IS(DISPATCH_TIME) | IS(DISPATCH_RELEASE))
#define WAITS (DISPATCHES | IS(IDLE) | IS(IDLE_RELEASE))
#define ADDRESSED (BEGINS | IS(DISPATCH_TIME) | IS(DISPATCH_RELEASE) | IS(FORK) | IS(IF) | IS(JUMP)) /* y is one */
#define ENDS (IS(JUMP) | IS(RETURN)) /* the next instruction does not follow */

/* What an operand is: nothing; a number of the table that has this place in `counts`; a time, or one that is not 0. */
#define NOTHING 0u
#define TASK 1u
#define DRIVER 2u
#define GUARD 3u
#define TRIGGER 4u
#define TIME 5u
#define WAIT 6u

#define OPERANDS(x, time) (uint8_t)((x) | ((time) << 4))
static const uint8_t operands[] = {
    OPERANDS(NOTHING, NOTHING), /* no instruction */
    OPERANDS(DRIVER, NOTHING),  /* call */
    OPERANDS(TASK, TIME),       /* release */
    OPERANDS(NOTHING, WAIT),    /* future */
    OPERANDS(TRIGGER, NOTHING), /* future of a trigger */
    OPERANDS(TASK, NOTHING),    /* dispatch */
    OPERANDS(TASK, WAIT),       /* dispatch, time */
    OPERANDS(TASK, TASK),       /* dispatch, release */
    OPERANDS(NOTHING, WAIT),    /* idle */
    OPERANDS(TASK, NOTHING),    /* idle release */
    OPERANDS(NOTHING, NOTHING), /* fork */
    OPERANDS(GUARD, NOTHING),   /* if */
    OPERANDS(NOTHING, NOTHING), /* jump */
    OPERANDS(NOTHING, NOTHING), /* return */
    OPERANDS(TASK, NOTHING)     /* terminate */
};

/* Which edges the graph has.
 *
 * ACTIVATION: those that the thread or block itself may take.  INSTANT: those, and the begin of a thread by `fork`,
 * which all may be taken at one instant.  The four behind it: those of INSTANT within one of its components, but not
 * - `fork`,
 * - what is only taken when a time of the thread has passed,
 * - what is only taken when the component's task is unfinished,
 * - what is only taken when that task has ended.
 * BINDINGS, THREADS: all of them, also the begin of a block by `future`. */
#define ACTIVATION 0u
#define INSTANT 1u
#define NO_FORK 2u
#define NO_TIME 3u
#define NO_RELEASE 4u
#define NO_END 5u
#define BINDINGS 6u
#define THREADS 7u

/* What is left out, of edges to the next instruction and of those to an address. */
static const uint16_t left_out[][2] = {{0u, BEGINS | IS(FORK)},                           /* ACTIVATION */
                                       {0u, BEGINS},                                      /* INSTANT */
                                       {0u, BEGINS | IS(FORK)},                           /* NO_FORK */
                                       {IS(IDLE), BEGINS | IS(DISPATCH_TIME)},            /* NO_TIME */
                                       {IS(IDLE_RELEASE), BEGINS | IS(DISPATCH_RELEASE)}, /* NO_RELEASE: of the task */
                                       {DISPATCHES, BEGINS},                              /* NO_END: of the task */
                                       {0u, 0u},
                                       {0u, 0u}};

/* A component has a loop without what the mode leaves out: 1 << mode.  The component releases tasks, or has no task: */
#define NO_TASK 1u

struct graph {
    const struct carillon_instruction *code;
    struct carillon_verify_node *nodes;
    uint16_t size;
    bool handles; /* it has handlers, so that a call may release tasks */
    uint32_t mode;
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
    uint32_t sum = ~before;
    for (uint32_t k = 0u; k < length; k++) {
        sum ^= bytes[k];
        for (uint32_t bit = 0u; bit < 8u; bit++) {
            sum = (sum >> 1) ^ (((sum & 1u) != 0u) ? 0xEDB88320u : 0u);
        }
    }
    return ~sum;
}

static inline uint32_t opcode_of(const struct carillon_instruction *i)
{
    return i->word & 0xFFu;
}

static inline bool is_in(const struct carillon_instruction *i, uint32_t set)
{
    return ((set >> opcode_of(i)) & 1u) != 0u;
}

static inline uint32_t time_of(const struct carillon_instruction *i)
{
    return i->word >> 8;
}

/* Instructions, one by one. */

static __attribute__((noinline)) bool is_operand(uint32_t value, uint32_t use, const uint16_t *counts)
{
    if (use >= TIME) {
        return (use == TIME) || (value > 0u);
    }
    return (use == NOTHING) ? (value == 0u) : (value < counts[use]);
}

static enum carillon_verify_result verify_instruction(const struct carillon_instruction *i, const uint16_t *counts,
                                                      uint16_t size)
{
    const uint32_t opcode = opcode_of(i);
    if ((opcode == 0u) || (opcode > CARILLON_OPCODE_TERMINATE)) {
        return CARILLON_VERIFY_OPCODE;
    }
    const uint32_t uses = operands[opcode];
    const bool addressed = is_in(i, ADDRESSED);
    if (!is_operand(i->x, uses & 0xFu, counts) || !is_operand(time_of(i), uses >> 4, counts) ||
        (!addressed && (i->y != 0u))) {
        return CARILLON_VERIFY_OPERAND;
    }
    return (addressed && (i->y >= size)) ? CARILLON_VERIFY_ADDRESS : CARILLON_VERIFY_OK;
}

/* Edges and components. */

/* Whether an edge is left out: of an instruction, to its address (1) or to the next one (0). */
static inline bool is_left_out(const struct carillon_instruction *i, uint32_t edge, uint32_t mode, uint32_t task)
{
    const bool of_task = ((mode == NO_RELEASE) || (mode == NO_END)) && !is_in(i, BEGINS);
    return is_in(i, left_out[mode][edge]) && (!of_task || (((edge == 1u) ? time_of(i) : i->x) == task));
}

/* Where an edge of a node leads: 0, to the next instruction; 1, to its address.  NONE: there is no such edge. */
static uint32_t follow(const struct graph *graph, uint32_t address, uint32_t edge)
{
    const struct carillon_instruction *const i = &graph->code[address];
    const struct carillon_verify_node *const node = &graph->nodes[address];
    const bool branch = edge == 1u;
    if ((branch ? !is_in(i, ADDRESSED) : is_in(i, ENDS)) || is_left_out(i, edge, graph->mode, node->task)) {
        return NONE;
    }
    const uint32_t target = branch ? i->y : (address + 1u);
    const bool apart =
        (graph->mode > INSTANT) && (graph->mode < BINDINGS) && (graph->nodes[target].component != node->component);
    return apart ? NONE : target;
}

/* The longest time from the begin of a thread to the end of a wait; FOREVER, if there is none, or if what begins at a
 * node begins something else. */
static void settle_lifetime(const struct graph *graph, uint32_t address, bool cyclic)
{
    const struct carillon_instruction *const i = &graph->code[address];
    struct carillon_verify_node *const node = &graph->nodes[address];
    node->lifetime = 0u;
    if (is_in(i, IS(IDLE) | IS(DISPATCH_TIME))) {
        node->lifetime = time_of(i);
    } else if (is_in(i, BEGINS | WAITS | IS(FORK))) {
        node->lifetime = FOREVER;
    } else {
        /* takes no time */
    }
    for (uint32_t edge = 0u; edge < 2u; edge++) {
        const uint32_t target = follow(graph, address, edge);
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
static void settle_component(const struct graph *graph, uint32_t from, uint32_t to)
{
    struct carillon_verify_node *const nodes = graph->nodes;
    const uint16_t name = nodes[from].stack;
    uint32_t first = NONE;
    uint16_t task = NONE;
    nodes[name].flags = 0u;
    for (uint32_t k = from; k < to; k++) {
        const uint32_t address = nodes[k].stack;
        const struct carillon_instruction *const i = &graph->code[address];
        if (is_in(i, IS(IDLE_RELEASE) | IS(DISPATCH_RELEASE)) && (address < first)) {
            first = address;
            task = (opcode_of(i) == CARILLON_OPCODE_IDLE_RELEASE) ? i->x : (uint16_t)time_of(i);
        }
        if (is_in(i, graph->handles ? (IS(RELEASE) | IS(CALL)) : IS(RELEASE))) {
            nodes[name].flags = NO_TASK;
        }
    }
    if (task == NONE) {
        nodes[name].flags = NO_TASK;
    }
    for (uint32_t k = from; k < to; k++) {
        nodes[nodes[k].stack].component = name;
        nodes[nodes[k].stack].task = task;
    }
}

/* How many triggers, or threads, wait at one time, of all that a node is and begins.  What has begun something else
 * goes on beside it, so that both count; in a loop, such a sum has no bound. */
static uint8_t sum(uint8_t one, uint8_t other)
{
    return (one < (UNBOUNDED - other)) ? (uint8_t)(one + other) : (uint8_t)UNBOUNDED;
}

static uint8_t bound_of(const struct graph *graph, uint32_t from, uint32_t to)
{
    const struct carillon_verify_node *const nodes = graph->nodes;
    const uint32_t kind = (uint32_t)graph->mode - BINDINGS;
    uint8_t most = 0u;
    bool doubled = false;
    for (uint32_t k = from; k < to; k++) {
        const uint32_t address = nodes[k].stack;
        const struct carillon_instruction *const i = &graph->code[address];
        const bool begins = is_in(i, BEGINS | IS(FORK));
        uint8_t values[2] = {0u, 0u};
        bool inside[2] = {false, false};
        for (uint32_t edge = 0u; edge < 2u; edge++) {
            const uint32_t target = follow(graph, address, edge);
            if (target != NONE) {
                inside[edge] = nodes[target].index == nodes[address].index;
                values[edge] = inside[edge] ? 0u : nodes[target].most[kind];
            }
        }
        uint8_t own = ((kind != 0u) && is_in(i, WAITS)) ? 1u : 0u;
        if (is_in(i, (kind != 0u) ? IS(FORK) : BEGINS) && (values[1] == 0u)) {
            values[1] = 1u;
        }
        /* A thread may have ended when the part that it has put off begins.  Then it is not counted beside that part,
         * but with the part's trigger. */
        const bool ends = (kind != 0u) && is_in(i, IS(FUTURE)) && (nodes[address + 1u].lifetime <= time_of(i));
        if (begins && !ends) {
            own = sum(values[0], values[1]);
            if ((inside[0] && (values[1] > 0u)) || (inside[1] && (values[0] > 0u))) {
                own = UNBOUNDED;
            }
            doubled = doubled || (inside[0] && inside[1]);
        }
        for (uint32_t edge = 0u; edge < 2u; edge++) {
            own = (values[edge] > own) ? values[edge] : own;
        }
        most = (own > most) ? own : most;
    }
    return (doubled && (most > 0u)) ? (uint8_t)UNBOUNDED : most;
}

static void settle(const struct graph *graph, uint32_t from, uint32_t to)
{
    struct carillon_verify_node *const nodes = graph->nodes;
    const uint16_t any = nodes[from].stack;
    const bool cyclic = (to > (from + 1u)) || (follow(graph, any, 0u) == any) || (follow(graph, any, 1u) == any);
    switch (graph->mode) {
    case ACTIVATION:
        for (uint32_t k = from; k < to; k++) {
            settle_lifetime(graph, nodes[k].stack, cyclic);
        }
        break;
    case INSTANT:
        settle_component(graph, from, to);
        break;
    case BINDINGS:
    case THREADS: {
        const uint8_t most = bound_of(graph, from, to);
        for (uint32_t k = from; k < to; k++) {
            nodes[nodes[k].stack].most[graph->mode - BINDINGS] = most;
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
static void settle_all(struct graph *graph, uint32_t mode)
{
    struct carillon_verify_node *const nodes = graph->nodes;
    const uint32_t size = graph->size;
    uint32_t next = 1u;
    uint32_t complete = 0xFFFEu;
    uint32_t top = size;
    graph->mode = mode;
    for (uint32_t k = 0u; k < size; k++) {
        nodes[k].index = 0u;
    }
    for (uint32_t root = 0u; root < size; root++) {
        uint32_t depth = 0u;
        uint32_t enter = (nodes[root].index == 0u) ? root : NONE;
        while ((enter != NONE) || (depth > 0u)) { /* bounded by nodes and edges */
            if (enter != NONE) {
                nodes[enter].index = (uint16_t)next;
                nodes[enter].edge = 0u;
                nodes[depth].stack = (uint16_t)enter;
                next++;
                depth++;
                enter = NONE;
            }
            const uint32_t address = nodes[depth - 1u].stack;
            struct carillon_verify_node *const node = &nodes[address];
            if ((node->edge & 3u) < 2u) {
                const uint32_t target = follow(graph, address, node->edge & 3u);
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
            const uint32_t last = top;
            top--;
            nodes[top].stack = (uint16_t)address;
            if ((node->edge & 4u) == 0u) {
                uint32_t behind = last;
                const uint32_t least = node->index;
                while ((behind < size) && (nodes[nodes[behind].stack].index >= least)) {
                    behind++;
                }
                for (uint32_t k = top; k < behind; k++) {
                    nodes[nodes[k].stack].index = (uint16_t)complete;
                }
                settle(graph, top, behind);
                next -= behind - top;
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
    for (uint32_t k = 0u; k < graph->size; k++) {
        const struct carillon_verify_node *const node = &graph->nodes[k];
        if ((node->component == k) && ((node->flags & endless) != 0u) &&
            (!one_thread || ((node->flags & unreleased) != 0u))) {
            *address = (uint16_t)k;
            return true;
        }
    }
    return false;
}

/* The most instructions of an instant.  Each of at most `acting` blocks and threads passes an instruction once.  In a
 * loop in which a time passes, it does so twice.  In a loop that waits for a release, it does so once more for each
 * release.  Each of these instructions may have a handler, in which each instruction is passed once at most, so that
 * there may be `size` times as many releases and instructions. */
static uint32_t most_steps(const struct graph *graph, uint32_t acting)
{
    const uint32_t size = graph->size;
    uint32_t releases = 0u;
    for (uint32_t k = 0u; k < size; k++) {
        releases += is_in(&graph->code[k], IS(RELEASE)) ? 1u : 0u;
    }
    uint64_t most = (uint64_t)acting * size * (3u + ((uint64_t)releases * acting));
    if (graph->handles) {
        most = ((most >> 16) != 0u) ? FOREVER : (most * UINT64_C(3) * ((uint64_t)size + 1u) * ((uint64_t)size + 1u));
    }
    return (most < FOREVER) ? (uint32_t)most : FOREVER;
}

static enum carillon_verify_result verify_flow(struct graph *graph, const struct carillon_verify_image *image,
                                               struct carillon_verified *found)
{
    for (uint32_t mode = ACTIVATION; mode <= THREADS; mode++) {
        settle_all(graph, mode);
    }
    const struct carillon_verify_node *const entry = &graph->nodes[found->entry];
    const uint8_t bindings = entry->most[0];
    const uint8_t threads = entry->most[1];
    found->bindings = (bindings > 0u) ? bindings : 1u;
    found->threads = (threads > 0u) ? sum(threads, found->bindings) : 0u;
    /* A handler ends at the instant at which it begins: the time to its end is 0, as it neither waits nor begins what
     * does, and has no loop. */
    for (uint32_t k = 0u; graph->handles && (k <= image->counts[1]); k++) {
        const uint16_t handler = found->handlers[k];
        if ((handler != NONE) && ((handler >= graph->size) || (graph->nodes[handler].lifetime != 0u))) {
            found->address = handler;
            return CARILLON_VERIFY_HANDLER;
        }
    }
    if (has_endless_loop(graph, threads <= 1u, &found->address)) {
        return CARILLON_VERIFY_LOOP;
    }
    found->address = found->entry;
    if (found->bindings > image->bindings) {
        return CARILLON_VERIFY_BINDINGS;
    }
    if (found->threads > image->threads) {
        return CARILLON_VERIFY_THREADS;
    }
    found->steps = most_steps(graph, (uint32_t)found->threads + (2u * (uint32_t)found->bindings));
    return CARILLON_VERIFY_OK;
}

static enum carillon_verify_result verify_header(const uint8_t *bytes, uint32_t length,
                                                 const struct carillon_verify_image *image, uint16_t room,
                                                 struct carillon_verified *found)
{
    const void *const begin = bytes;
    const struct header *const header = begin;
    if (length < sizeof(*header)) {
        return CARILLON_VERIFY_LENGTH;
    }
    const bool handles = header->bytes != sizeof(*header);
    const uint32_t first = handles ? WITH_HANDLERS(image->counts[1]) : sizeof(*header);
    if ((header->magic != MAGIC) || (header->version != VERSION) || (header->bytes != first)) {
        return CARILLON_VERIFY_FORMAT;
    }
    if (header->length != length) {
        return CARILLON_VERIFY_LENGTH;
    }
    const uint32_t sum = carillon_crc32(0u, bytes, SUMMED - 4u);
    if (header->checksum != carillon_crc32(sum, &bytes[SUMMED], length - SUMMED)) {
        return CARILLON_VERIFY_CHECKSUM;
    }
    if (header->tick_ns != image->tick_ns) {
        return CARILLON_VERIFY_TICK;
    }
    found->entry = header->entry;
    found->size = header->size;
    if ((found->size == 0u) || (found->size > room) || (found->size > CARILLON_VERIFY_MOST)) {
        return CARILLON_VERIFY_ROOM;
    }
    const uint32_t tables = first + ((uint32_t)sizeof(struct carillon_instruction) * found->size);
    if (length < tables) {
        return CARILLON_VERIFY_LENGTH;
    }
    for (uint32_t k = 0u; k < 5u; k++) {
        if (header->counts[k] != image->counts[k]) {
            return CARILLON_VERIFY_TABLES;
        }
    }
    if (header->labels != 0u) {
        return CARILLON_VERIFY_LABELS;
    }
    if (carillon_crc32(0u, &bytes[tables], length - tables) != image->interface) {
        return CARILLON_VERIFY_TABLES;
    }
    const void *const code = &bytes[first];
    const void *const handlers = &bytes[sizeof(*header)];
    found->code = code;
    found->handlers = handles ? handlers : NULL;
    return (found->entry < found->size) ? CARILLON_VERIFY_OK : CARILLON_VERIFY_ADDRESS;
}

enum carillon_verify_result carillon_verify(const uint8_t *bytes, uint32_t length,
                                            const struct carillon_verify_image *image,
                                            struct carillon_verify_node *nodes, uint16_t room,
                                            struct carillon_verified *found)
{
    enum carillon_verify_result result = CARILLON_VERIFY_OK;
    if (bytes != NULL) {
        result = verify_header(bytes, length, image, room, found);
    }
    for (uint32_t k = 0u; (result == CARILLON_VERIFY_OK) && (k < found->size); k++) {
        found->address = (uint16_t)k;
        result = verify_instruction(&found->code[k], image->counts, found->size);
    }
    if (result != CARILLON_VERIFY_OK) {
        /* the address is that of the instruction, if it was one */
    } else if (!is_in(&found->code[found->address], ENDS)) {
        result = CARILLON_VERIFY_END;
    } else {
        struct graph graph = {
            .code = found->code, .nodes = nodes, .size = found->size, .handles = found->handlers != NULL};
        result = verify_flow(&graph, image, found);
    }
    return result;
}
