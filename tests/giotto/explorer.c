/* SPDX-License-Identifier: Apache-2.0
 *
 * The verifier and the machine of microcode together (test_microcode_explored.py), with sanitizers.
 *
 *   explorer all SIZE EVERY     one of EVERY of all programs of SIZE instructions over a small alphabet
 *   explorer fuzz COUNT SEED    so many programs, changed from those that took new ways through the verifier
 *
 * A program that is accepted is carried out in all ways in which its surroundings may behave, up to a limit on states:
 * tasks end or do not, guards and triggers are true or are not, time goes on by one or by two.  What must not be ends
 * the process: no room, an endless instant, a replacement that does not begin, and whatever a sanitizer sees.  The code
 * lies in memory of its own, of its own length, as do the bytes that are verified. */
#include "kernel/microcode/machine.c"
#include "kernel/microcode/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASKS CARILLON_MICROCODE_TASKS
#define DRIVERS 3u
#define TICK 1000u
#define MOST 16u /* instructions of a program that is changed */
#define CONSULTED 24u

/* The surroundings answer from a tape of choices; a choice that is not on it yet is no, and is put on it. */
static uint8_t tape[CONSULTED];
static uint32_t on_tape, consulted, waits_beyond;

static bool choose(void)
{
    if (consulted == CONSULTED) {
        waits_beyond++;
        return false;
    }
    if (consulted == on_tape) {
        tape[on_tape++] = 0u;
    }
    return tape[consulted++] != 0u;
}

/* The next tape; false: there was none. */
static bool turn_tape(void)
{
    on_tape = consulted;
    while ((on_tape > 0u) && (tape[on_tape - 1u] != 0u)) {
        on_tape--;
    }
    if (on_tape > 0u) {
        tape[on_tape - 1u] = 1u;
    }
    return on_tape > 0u;
}

static void nothing(void)
{
}
/* A trigger is not enabled at the instant at which its `future` is carried out (SPEC). */
static bool armed_now[CARILLON_MICROCODE_BINDINGS + 1u];
static void arm_now(uint32_t place)
{
    armed_now[place] = true;
}
static bool is_enabled(uint32_t place)
{
    return !armed_now[place] && choose();
}
void carillon_microcode_forget(uint32_t place)
{
    memmove(&armed_now[place], &armed_now[place + 1u], (CARILLON_MICROCODE_BINDINGS - place) * sizeof(*armed_now));
}
static const uint16_t touches[DRIVERS][TASKS + 1u] = {{NONE}, {0u, NONE}, {1u, 0u, NONE}};
const struct carillon_microcode_driver carillon_microcode_drivers[DRIVERS] = {
    {nothing, touches[0]}, {nothing, touches[1]}, {nothing, touches[2]}};
bool (*const carillon_microcode_guards[1])(void) = {choose};
const struct carillon_microcode_trigger carillon_microcode_triggers[1] = {{arm_now, is_enabled}};

/* A program as bytes. */
#define HEADER 36u
#define TABLES 7u
static const uint8_t tables[TABLES] = "tables"; /* the verifier knows their sum alone */
static struct carillon_verify_image image = {
    TICK, 0u, {1u, TASKS, DRIVERS, 1u, 1u}, CARILLON_MICROCODE_BINDINGS, CARILLON_MICROCODE_THREADS};

static void put_bytes(uint8_t *at, uint32_t value, uint32_t bytes)
{
    for (uint32_t k = 0u; k < bytes; k++) {
        at[k] = (uint8_t)(value >> (8u * k));
    }
}

static void seal(uint8_t *bytes, uint32_t length)
{
    put_bytes(&bytes[8], length, 4u);
    put_bytes(&bytes[12], carillon_crc32(carillon_crc32(0u, bytes, 12u), &bytes[16], length - 16u), 4u);
}

static uint32_t bytes_of(uint8_t *bytes, const struct carillon_instruction *code, uint16_t size, uint16_t entry)
{
    const uint32_t length = HEADER + (8u * size) + TABLES;
    memcpy(bytes, "CMUC\1\0\44\0", 8u);
    put_bytes(&bytes[16], TICK, 4u);
    put_bytes(&bytes[20], entry, 2u);
    put_bytes(&bytes[22], size, 2u);
    for (uint32_t k = 0u; k < 5u; k++) {
        put_bytes(&bytes[24u + (2u * k)], image.counts[k], 2u);
    }
    put_bytes(&bytes[34], 0u, 2u);
    memcpy(&bytes[HEADER], code, 8u * size);
    memcpy(&bytes[HEADER + (8u * size)], tables, TABLES);
    seal(bytes, length);
    return length;
}

/* Verify bytes from memory that ends with them, with no more notes than they say that there are instructions. */
static enum carillon_verify_result judge(const uint8_t *bytes, uint32_t length, struct carillon_verified *found)
{
    uint8_t *const own = malloc((length > 0u) ? length : 1u);
    memcpy(own, bytes, length);
    const uint32_t size = (length < 24u) ? MOST : carillon_little_endian(&bytes[22], 2u);
    const uint16_t room = (uint16_t)((size < MOST) ? size : MOST);
    struct carillon_verify_node *const nodes = malloc(sizeof(*nodes) * ((room > 0u) ? room : 1u));
    const enum carillon_verify_result result = carillon_verify(own, length, &image, nodes, room, found);
    free(nodes);
    free(own);
    return result;
}

/* The program that is carried out. */
static struct carillon_microcode program;
static struct carillon_verified promised;

static void fail(const char *why)
{
    printf("%s:\n", why);
    for (uint32_t k = 0u; k < program.size; k++) {
        const struct carillon_instruction *const i = &program.code[k];
        printf("%s%u: %u time %u x %u y %u\n", k == program.entry ? "entry " : "", k, i->word & 0xFFu, i->word >> 8,
               i->x, i->y);
    }
    exit(1);
}

void carillon_machine_fault(enum carillon_machine_fault fault, uint16_t task, uint16_t address)
{
    (void)task;
    (void)address;
    if (fault == CARILLON_MACHINE_FULL) {
        fail("no room");
    }
    if (fault == CARILLON_MACHINE_ENDLESS) {
        fail("an endless instant");
    }
}
void carillon_machine_terminated(uint16_t task)
{
    (void)task;
}

/* Longer than what a small program carries out at one instant. */
#define LONG 60u
static struct carillon_instruction long_code[LONG];
static const struct carillon_microcode long_program = {
    .code = long_code, .steps = LONG + 1u, .size = LONG, .scheduler = CARILLON_SCHEDULER_RM};

/* States. */
struct state {
    struct machine_state machine;
    struct waiting_trigger bindings[CARILLON_MICROCODE_BINDINGS + 1u];
    struct waiting_thread threads[CARILLON_MICROCODE_THREADS + 1u];
    struct task_state tasks[TASKS];
    uint64_t heap[TASKS + 2u];
    uint16_t places[TASKS];
    uint32_t fresh[GROUPS];
};
#define STATES 512u
static struct state states[STATES];
static uint32_t known, limit, unfinished_searches;
static uint64_t instants;

static uint32_t since(uint32_t time, uint32_t now)
{
    const uint32_t age = now - time; /* what is long ago is as what is a little longer ago */
    return ((age < UINT32_C(0x80000000)) && (age > 8u)) ? 8u : age;
}

/* The state, with times that are relative to now, and nothing where nothing waits. */
static void take(struct state *to)
{
    memset(to, 0, sizeof(*to));
    to->machine = machine;
    to->machine.now = 0u;
    to->machine.next = 0u - since(machine.next, machine.now);
    if ((to->machine.next > 8u) && (to->machine.next <= FAR)) { /* nothing waits for a time, which are all short */
        to->machine.next = FAR;
    }
    to->machine.steps = 0u;
    to->machine.last = 0u;
    for (uint32_t k = 0u; k < machine.bindings; k++) {
        to->bindings[k].future = bindings[k].future;
        to->bindings[k].time = is_of_time(&bindings[k]) ? (0u - since(bindings[k].time, machine.now)) : 0u;
    }
    for (uint32_t k = 0u; k < machine.threads; k++) {
        memcpy(&to->threads[k], &threads[k], sizeof(threads[k]));
        to->threads[k].reference = 0u - since(threads[k].reference, machine.now);
        to->threads[k].until = (threads[k].other == TIMED) ? (0u - since(threads[k].until, machine.now)) : 0u;
    }
    for (uint32_t k = 0u; k < TASKS; k++) {
        to->tasks[k].released = tasks[k].released; /* by periods, when that was does not matter */
    }
    memcpy(to->heap, heap, sizeof(*heap) * machine.heap);
    memcpy(to->places, places, sizeof(places));
    memcpy(to->fresh, fresh, sizeof(fresh));
}

static void put_back(const struct state *from)
{
    machine = from->machine;
    memset(armed_now, 0, sizeof(armed_now));
    memcpy(bindings, from->bindings, sizeof(bindings));
    memcpy(threads, from->threads, sizeof(threads));
    memcpy(tasks, from->tasks, sizeof(tasks));
    memcpy(heap, from->heap, sizeof(heap));
    memcpy(places, from->places, sizeof(places));
    memcpy(fresh, from->fresh, sizeof(fresh));
}

static void note(void)
{
    if ((machine.bindings > promised.bindings) || (machine.threads > promised.threads)) {
        fail("more wait than the verifier says");
    }
    if ((machine.running != NONE) && !is_unfinished(machine.running)) {
        fail("a task runs that has ended");
    }
    if (known == limit) {
        unfinished_searches++;
        return;
    }
    take(&states[known]);
    uint32_t k = 0u;
    while ((k < known) && (memcmp(&states[k], &states[known], sizeof(struct state)) != 0)) {
        k++;
    }
    known += (k == known) ? 1u : 0u;
}

/* From a state: something happens, and an instant comes, with each answer that the surroundings can give.
 * `what`: so many ticks pass (0 to 2); or a task, 3 and more, ends. */
static void happen(uint32_t from, uint32_t what)
{
    on_tape = 0u;
    do {
        put_back(&states[from]);
        consulted = 0u;
        if (what >= 3u) {
            carillon_machine_end((uint16_t)(what - 3u));
        } else {
            carillon_machine_input();
        }
        (void)carillon_machine_instant(machine.now + ((what < 3u) ? what : 0u));
        instants++;
        note();
    } while (turn_tape());
}

/* Another program can begin, from whatever state. */
static void replace_from(uint32_t from)
{
    put_back(&states[from]);
    on_tape = 0u;
    consulted = 0u;
    carillon_machine_replace(&long_program);
    for (uint32_t turn = 0u; (turn < 64u) && (machine.program != &long_program); turn++) {
        for (uint16_t k = 0u; k < TASKS; k++) {
            if (is_unfinished(k)) {
                carillon_machine_end(k);
            }
        }
        (void)carillon_machine_instant(machine.now + 1u);
        consulted = 0u;
        on_tape = 0u;
    }
    if ((machine.program == &long_program) && ((machine.bindings != 0u) || (machine.threads != 0u))) {
        fail("what was replaced is not gone");
    }
}

static void explore(const struct carillon_instruction *code, uint32_t most)
{
    struct carillon_instruction *const own = malloc(sizeof(*own) * promised.size);
    memcpy(own, code, sizeof(*own) * promised.size);
    program = (struct carillon_microcode){.code = own,
                                          .steps = promised.steps + 1u,
                                          .size = promised.size,
                                          .entry = promised.entry,
                                          .scheduler = CARILLON_SCHEDULER_RM};
    known = 0u;
    limit = most;
    carillon_machine_start(&program, 0u);
    take(&states[known++]);
    for (uint32_t from = 0u; from < known; from++) {
        for (uint32_t what = 0u; what < (3u + TASKS); what++) {
            if ((what < 3u) || (states[from].tasks[what - 3u].released != 0u)) {
                happen(from, what);
            }
        }
        replace_from(from);
    }
    free(own);
}

static uint64_t drawn;
static uint32_t draw(uint32_t below)
{
    drawn ^= drawn << 13; /* G. Marsaglia, "Xorshift RNGs", 2003 */
    drawn ^= drawn >> 7;
    drawn ^= drawn << 17;
    return (uint32_t)((drawn >> 11) % below);
}

/* All programs of a size. */
static uint32_t alphabet(struct carillon_instruction *to, uint16_t size, bool last)
{
    uint32_t count = 0u;
#define ADD(opcode, time, with, where) \
    to[count++] = (struct carillon_instruction)CARILLON_INSTRUCTION(opcode, time, with, where)
    for (uint16_t y = 0u; y < size; y++) {
        ADD(CARILLON_OPCODE_JUMP, 0u, 0u, y);
    }
    ADD(CARILLON_OPCODE_RETURN, 0u, 0u, 0u);
    if (last) {
        return count;
    }
    for (uint16_t y = 0u; y < size; y++) {
        ADD(CARILLON_OPCODE_FUTURE, 1u, 0u, y);
        ADD(CARILLON_OPCODE_FUTURE, 3u, 0u, y);
        ADD(CARILLON_OPCODE_FUTURE_EVENT, 0u, 0u, y);
        ADD(CARILLON_OPCODE_FORK, 0u, 0u, y);
        ADD(CARILLON_OPCODE_IF, 0u, 0u, y);
        ADD(CARILLON_OPCODE_DISPATCH_TIME, 1u, 0u, y);
        ADD(CARILLON_OPCODE_DISPATCH_TIME, 2u, 1u, y);
        ADD(CARILLON_OPCODE_DISPATCH_RELEASE, 0u, 0u, y);
        ADD(CARILLON_OPCODE_DISPATCH_RELEASE, 1u, 0u, y);
        ADD(CARILLON_OPCODE_DISPATCH_RELEASE, 0u, 1u, y);
    }
    for (uint16_t x = 0u; x < TASKS; x++) {
        ADD(CARILLON_OPCODE_CALL, 0u, (uint16_t)(x + 1u), 0u);
        ADD(CARILLON_OPCODE_RELEASE, 2u, x, 0u);
        ADD(CARILLON_OPCODE_DISPATCH, 0u, x, 0u);
        ADD(CARILLON_OPCODE_IDLE_RELEASE, 0u, x, 0u);
        ADD(CARILLON_OPCODE_TERMINATE, 0u, x, 0u);
        ADD(CARILLON_OPCODE_IDLE, x + 1u, 0u, 0u);
    }
    return count;
}

static void all(uint16_t size, uint32_t every)
{
    struct carillon_instruction any[128];
    struct carillon_instruction ends[16];
    struct carillon_instruction code[8];
    const uint64_t anys = alphabet(any, size, false);
    uint64_t programs = alphabet(ends, size, true);
    const uint64_t endings = programs;
    for (uint16_t k = 1u; k < size; k++) {
        programs *= anys;
    }
    uint64_t accepted = 0u;
    uint64_t looked_at = 0u;
    drawn = UINT64_C(88172645463325253);
    for (uint64_t number = 0u; number < programs; number += 1u + draw((2u * every) - 1u)) {
        looked_at++;
        uint64_t left = number / endings;
        for (uint16_t k = 0u; (k + 1u) < size; k++) {
            code[k] = any[left % anys];
            left /= anys;
        }
        code[size - 1u] = ends[number % endings];
        uint8_t bytes[HEADER + (8u * 8u) + TABLES];
        const uint32_t length = bytes_of(bytes, code, size, 0u);
        if (judge(bytes, length, &promised) == CARILLON_VERIFY_OK) {
            accepted++;
            explore(code, STATES - 1u);
        }
    }
    printf("%llu programs, %llu accepted, %llu instants, %u searches that met the limit\n",
           (unsigned long long)looked_at, (unsigned long long)accepted, (unsigned long long)instants,
           unfinished_searches);
}

/* Coverage: pairs of places that the verifier comes by, one after the other, and how often. */
#define WAYS 0x10000u
static uint8_t ways[WAYS];
static uint8_t seen[WAYS];
static uintptr_t before;
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    const uintptr_t here = (uintptr_t)__builtin_return_address(0);
    const uint32_t way = (uint32_t)((here ^ (before << 3)) % WAYS);
    ways[way] = (ways[way] < 255u) ? (uint8_t)(ways[way] + 1u) : 255u;
    before = here;
}

static bool is_new(void)
{
    bool found = false;
    for (uint32_t k = 0u; k < WAYS; k++) {
        if (ways[k] != 0u) {
            uint8_t often = 1u;
            for (uint8_t left = ways[k]; left > 1u; left >>= 1) {
                often = (uint8_t)(often << 1);
            }
            found = found || ((seen[k] & often) == 0u);
            seen[k] |= often;
        }
    }
    return found;
}

struct genome {
    struct carillon_instruction code[MOST];
    uint16_t size;
    uint16_t entry;
};
#define CORPUS 4096u
static struct genome corpus[CORPUS];

static struct carillon_instruction fresh_instruction(uint16_t size)
{
    static const uint32_t times[] = {0u, 1u, 2u, 3u, 5u};
    const uint32_t opcode = (draw(40u) == 0u) ? draw(256u) : (1u + draw(14u));
    const bool operand = (opcode < 3u) || ((opcode > 3u) && (opcode < 8u)) || (opcode == 9u) || (opcode >= 11u);
    const bool address = ((opcode > 2u) && (opcode < 8u) && (opcode != 5u)) || ((opcode > 9u) && (opcode < 13u));
    struct carillon_instruction made = CARILLON_INSTRUCTION(opcode, 0u, 0u, 0u);
    made.word |= ((draw(3u) != 0u) && (opcode > 1u) && (opcode < 9u) && (opcode != 4u) && (opcode != 5u))
                     ? (times[draw(5u)] << 8)
                     : 0u;
    made.x = (operand && (opcode < 12u)) ? (uint16_t)draw(TASKS) : 0u;
    made.y = address ? (uint16_t)draw(size + ((draw(30u) == 0u) ? 1u : 0u)) : 0u;
    return made;
}

static void change(struct genome *it, uint32_t others)
{
    const uint16_t at = (uint16_t)draw(it->size);
    switch (draw(6u)) {
    case 0u: /* one less */
        if (it->size > 1u) {
            it->size--;
            memmove(&it->code[at], &it->code[at + 1u], (size_t)(it->size - at) * 8u);
        }
        break;
    case 1u: /* one more */
        if (it->size < MOST) {
            memmove(&it->code[at + 1u], &it->code[at], (size_t)(it->size - at) * 8u);
            it->size++;
            it->code[at] = fresh_instruction(it->size);
        }
        break;
    case 2u:
        it->code[at].y = (uint16_t)draw(it->size);
        break;
    case 3u: { /* what another one has */
        const struct genome *const other = &corpus[draw(others)];
        for (uint32_t k = at; (k < it->size) && (k < other->size); k++) {
            it->code[k] = other->code[k];
        }
        break;
    }
    case 4u:
        it->entry = (uint16_t)draw(it->size);
        break;
    default:
        it->code[at] = fresh_instruction(it->size);
        break;
    }
    if (it->entry >= it->size) {
        it->entry = 0u;
    }
}

static void fuzz(uint32_t count, uint64_t seed)
{
    uint32_t kept = 1u;
    uint32_t accepted = 0u;
    uint32_t results[CARILLON_VERIFY_THREADS + 1u] = {0u};
    drawn = (seed * 2u) + UINT64_C(88172645463325253);
    corpus[0] = (struct genome){.size = 1u, .code = {CARILLON_INSTRUCTION(CARILLON_OPCODE_RETURN, 0u, 0u, 0u)}};
    for (uint32_t k = 0u; k < count; k++) {
        struct genome it = corpus[(draw(2u) == 0u) ? draw(kept) : (kept - 1u - draw((kept < 64u) ? kept : 64u))];
        for (uint32_t changes = 1u + draw(4u); changes > 0u; changes--) {
            change(&it, kept);
        }
        uint8_t bytes[HEADER + (8u * MOST) + TABLES];
        uint32_t length = bytes_of(bytes, it.code, it.size, it.entry);
        const bool raw = draw(8u) == 0u; /* not only the code is changed, or it is cut */
        if (raw) {
            length -= (draw(2u) == 0u) ? draw(length) : 0u;
            for (uint32_t changes = draw(3u); (length > 0u) && (changes > 0u); changes--) {
                bytes[draw(length)] = (uint8_t)draw(256u);
            }
            if ((length >= 16u) && (draw(4u) != 0u)) {
                seal(bytes, length);
            }
        }
        memset(ways, 0, sizeof(ways));
        before = 0u;
        const enum carillon_verify_result result = judge(bytes, length, &promised);
        results[result]++;
        if (result == CARILLON_VERIFY_OK) {
            accepted++;
            struct carillon_instruction code[MOST];
            memcpy(code, &bytes[HEADER], sizeof(*code) * promised.size);
            explore(code, 24u);
        }
        if (!raw && is_new() && (kept < CORPUS)) {
            corpus[kept++] = it;
        }
    }
    uint32_t reached = 0u;
    for (uint32_t k = 0u; k < WAYS; k++) {
        reached += (seen[k] != 0u) ? 1u : 0u;
    }
    printf("%u programs, %u accepted, %llu instants, %u kept, %u ways\n", count, accepted, (unsigned long long)instants,
           kept, reached);
    for (uint32_t k = 0u; k <= CARILLON_VERIFY_THREADS; k++) {
        printf("%u ", results[k]);
    }
    printf("\n");
}

int main(int count, char **words)
{
    if (count != 4) {
        return 2;
    }
    image.interface = carillon_crc32(0u, tables, TABLES);
    for (uint32_t k = 0u; k < LONG; k++) {
        long_code[k].word = (k < (LONG - 1u)) ? CARILLON_OPCODE_CALL : CARILLON_OPCODE_RETURN;
    }
    if (strcmp(words[1], "all") == 0) {
        all((uint16_t)strtoul(words[2], NULL, 10), (uint32_t)strtoul(words[3], NULL, 10));
    } else {
        fuzz((uint32_t)strtoul(words[2], NULL, 10), strtoull(words[3], NULL, 10));
    }
    return 0;
}
