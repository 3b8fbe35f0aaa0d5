/* SPDX-License-Identifier: Apache-2.0
 *
 * The loader.  A frame is received and answered before the next one is looked at, so that there is one buffer for
 * frames.  A frame that is repeated, as its answer was lost, changes nothing.
 *
 * An upload is sealed with its target's challenge, which is used for one upload: a seal is good once. */
#include "kernel/microcode/loader.h"
#include "kernel/microcode/generator.h"
#include "kernel/microcode/load.h"
#include "kernel/microcode/log.h"
#include "kernel/microcode/recorder.h"

#include <stddef.h>

/* A number that no reset repeats, if the application has one. */
#ifdef CARILLON_LOADER_RESETS
uint32_t CARILLON_LOADER_RESETS(void);

static inline uint32_t resets(void)
{
    return CARILLON_LOADER_RESETS();
}
#else
static inline uint32_t resets(void)
{
    return 0u;
}
#endif

/* Frames: version, kind, number; what the kind says; CRC-32. */
#define HEAD 3u
#define SUM 4u
#define STATUS 1u
#define BEGIN 2u
#define DATA 3u
#define END 4u
#define RECORD 5u
#define LOG 6u
#define ANSWER 0x80u

#define JOINS 0x80u /* beside the scheduler: the program that runs goes on, as the first part of this one */
#define STOPS 0x40u /* in the place of a scheduler, without a program: the machine has nothing to do any more */

#define PREFIX 16u   /* what is sealed before a program: challenge, length, scheduler, three zeros */
#define DECISIONS 5u /* in a frame, at most */
#define ENTRIES 4u   /* of the log */

struct loaded_program {
    uint32_t bytes[(PREFIX + CARILLON_LOADER_BYTES + 3u) / 4u]; /* in words, so that instructions are aligned */
    struct carillon_microcode program;
    uint32_t checksum;
};

static struct loaded_program slots[2];

/* Frames and what is sealed are numbers in the memory of a little-endian processor, as instructions are.  What is not
 * sent before a frame keeps them at multiples of their sizes. */
struct question {
    uint8_t unsent[5];
    uint8_t version;
    uint8_t kind;
    uint8_t number;
    uint32_t value;
    uint8_t rest[CARILLON_LOADER_FRAME - HEAD - 4u];
};

struct answer {
    uint8_t unsent[7];
    uint8_t version;
    uint8_t kind;
    uint8_t number;
    uint8_t found;
    uint8_t state; /* OPEN and so on */
    uint8_t result;
    uint8_t reason;
    uint16_t address;  /* what the verifier refused */
    uint16_t begun;    /* uploads */
    uint16_t dropped;  /* frames with a wrong sum */
    uint32_t received; /* bytes of the program */
    uint64_t challenge;
    uint32_t checksum;
    uint32_t tick_ns;
    uint32_t interface;
    uint32_t room;
    uint8_t bindings;
    uint8_t threads;
    uint8_t scheduler;
    uint8_t is_full;
#if (CARILLON_MICROCODE_RECORD > 0u) || (CARILLON_LOADER_LOG > 0u)
    uint32_t ticks; /* or a struct logged begins here, which is shorter */
    struct carillon_decision decisions[DECISIONS];
#endif
    uint32_t sum; /* or earlier */
};
struct logged {
    uint32_t first; /* number of an entry */
    uint32_t count; /* of all that there have been */
    struct carillon_log_entry entries[ENTRIES];
};
#define OPEN 1u
#define WAITING 2u
#define CHECKS 4u /* the load */
#define STOPPED 8u
#define GENERATED 16u /* what runs has S code that the target has made */
#define UNABLE 32u    /* to make it */

static struct loader_state {
    const struct carillon_microcode *handed; /* the last program that the machine was given */
    struct loaded_program *slot;             /* of the upload */
    struct answer said;
    uint8_t generated; /* of the program that runs: GENERATED, UNABLE, or neither */
    bool open;
} loader = {.said = {.version = CARILLON_LOADER_VERSION, .room = CARILLON_LOADER_BYTES}};

/* What is carried out after a shutdown: it ends at once, and releases nothing. */
static const struct carillon_instruction stopped_code[] = {CARILLON_INSTRUCTION(CARILLON_OPCODE_RETURN, 0u, 0u, 0u)};
static const struct carillon_microcode stopped = {.code = stopped_code, .handlers = NULL, .steps = 2u, .size = 1u};

/* The verifier's notes, and how many of them it uses at most. */
#define NOTES (CARILLON_LOADER_BYTES / 8u)
static struct carillon_verify_node *notes(void)
{
    static struct carillon_verify_node nodes[NOTES];
    return nodes;
}
static uint16_t noted(void)
{
    const uint32_t most = NOTES;
    return (most < CARILLON_VERIFY_MOST) ? (uint16_t)most : (uint16_t)CARILLON_VERIFY_MOST;
}

static struct frame_state {
    struct question asked;
    uint8_t length;
    uint8_t left; /* bytes of the block that is decoded */
    bool zero;    /* the block ends with one, if another follows */
    bool wrong;
} taken;

/* By 1 to 31 bits. */
static uint64_t turned(uint64_t value, uint32_t bits)
{
    const uint32_t low = (uint32_t)value;
    const uint32_t high = (uint32_t)(value >> 32);
    const uint32_t rest = 32u - bits;
    const uint32_t upper = (high << bits) | (low >> rest);
    return ((uint64_t)upper << 32) | ((low << bits) | (high >> rest));
}

/* Half a round: the other half is the same with the first and the third word exchanged, as they are left here. */
static void mix_half(uint64_t *v, uint32_t first, uint32_t second)
{
    const uint64_t one = v[0] + v[1];
    const uint64_t other = v[2] + v[3];
    v[1] = turned(v[1], first) ^ one;
    v[3] = turned(v[3], second) ^ other;
    v[0] = other;
    v[2] = (one << 32) | (one >> 32);
}

static void mix(uint64_t *v, uint32_t rounds)
{
    for (uint32_t k = 0u; k < rounds; k++) {
        mix_half(v, 13u, 16u);
        mix_half(v, 17u, 21u);
    }
}

static uint64_t word_of(const uint8_t *at, uint32_t bytes)
{
    const uint32_t low = (bytes < 4u) ? bytes : 4u;
    const uint64_t high = carillon_little_endian(&at[low], bytes - low);
    return (high << 32) | carillon_little_endian(at, low);
}

uint64_t carillon_siphash(const uint8_t *key, const uint8_t *bytes, uint32_t length)
{
    const uint64_t k0 = word_of(key, 8u);
    const uint64_t k1 = word_of(&key[8], 8u);
    uint64_t v[4] = {k0 ^ UINT64_C(0x736F6D6570736575), k1 ^ UINT64_C(0x646F72616E646F6D),
                     k0 ^ UINT64_C(0x6C7967656E657261), k1 ^ UINT64_C(0x7465646279746573)};
    for (uint32_t at = 0u; at <= length; at += 8u) { /* the last word has the length */
        const uint32_t left = length - at;
        const uint64_t word =
            (left < 8u) ? (word_of(&bytes[at], left) | ((uint64_t)length << 56)) : word_of(&bytes[at], 8u);
        v[3] ^= word;
        mix(v, 2u);
        v[0] ^= word;
    }
    v[2] ^= 0xFFu;
    mix(v, 4u);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Send a frame: each block is its length and bytes that are not 0, and stands for them and a 0.  Bounded by a taken. */
static void send(const uint8_t *bytes, uint32_t length)
{
    carillon_loader_put(0u); /* ends what else was printed */
    uint32_t from = 0u;
    while (from <= length) {
        uint32_t to = from;
        while ((to < length) && (bytes[to] != 0u)) {
            to++;
        }
        carillon_loader_put((uint8_t)(to - from + 1u));
        for (uint32_t k = from; k < to; k++) {
            carillon_loader_put(bytes[k]);
        }
        from = to + 1u;
    }
    carillon_loader_put(0u);
}

/* Whether a program was accepted and has not begun. */
static bool is_waiting(void)
{
    return (loader.handed != NULL) && (carillon_loader_running() != loader.handed);
}

/* What the scheduler has decided, from a place in the record on.  Returns the bytes of the answer. */
#if CARILLON_MICROCODE_RECORD > 0u
static inline uint32_t tell_decisions(struct answer *said, uint32_t place)
{
    uint32_t bytes = sizeof(said->ticks);
    said->ticks = carillon_recorder_ticks();
    for (uint32_t k = 0u; (k < DECISIONS) && carillon_recorder_find(place + k, &said->decisions[k]); k++) {
        bytes += sizeof(said->decisions[k]);
    }
    return bytes;
}
#else
static inline uint32_t tell_decisions(struct answer *said, uint32_t place)
{
    (void)said;
    (void)place;
    return 0u;
}
#endif

/* What the machine has done, from an entry on.  Returns the bytes of the answer. */
#if CARILLON_LOADER_LOG > 0u
static inline uint32_t tell_log(uint32_t first, uint8_t *to)
{
    struct logged log = {.first = first};
    const uint32_t found = carillon_log_read(&log.first, log.entries, ENTRIES);
    const uint32_t bytes = (uint32_t)offsetof(struct logged, entries) + (found * (uint32_t)sizeof(log.entries[0]));
    const uint8_t *const from = (const uint8_t *)&log;
    log.count = carillon_log_count();
    for (uint32_t k = 0u; k < bytes; k++) {
        to[k] = from[k];
    }
    return bytes;
}
#else
static inline uint32_t tell_log(uint32_t first, uint8_t *to)
{
    (void)first;
    (void)to;
    return 0u;
}
#endif

/* An answer to what was asked. */
static void answer(enum carillon_loader_answer found)
{
    const struct carillon_microcode *const running = carillon_loader_running();
    struct answer *const said = &loader.said;
    uint32_t behind = (uint32_t)offsetof(struct answer, is_full) + 1u;
    said->checksum = carillon_loader_first;
    for (uint32_t k = 0u; k < 2u; k++) {
        said->checksum = (running == &slots[k].program) ? slots[k].checksum : said->checksum;
    }
    if ((CARILLON_LOADER_STOPS > 0u) && (running == &stopped)) {
        said->checksum = 0u;
    }
    said->kind = taken.asked.kind | ANSWER;
    said->number = taken.asked.number;
    said->found = (uint8_t)found;
    said->state = (loader.open ? OPEN : 0u) | (is_waiting() ? WAITING : 0u) |
                  ((CARILLON_LOADER_LOAD > 0u) ? CHECKS : 0u) |
                  (((CARILLON_LOADER_STOPS > 0u) && (running == &stopped)) ? STOPPED : 0u) |
                  ((CARILLON_MICROCODE_GENERATES > 0u) ? loader.generated : 0u);
    said->tick_ns = carillon_loader_image.tick_ns;
    said->interface = carillon_loader_image.interface;
    said->bindings = carillon_loader_image.bindings;
    said->threads = carillon_loader_image.threads;
    said->scheduler = running->scheduler;
    if (CARILLON_MICROCODE_RECORD > 0u) {
        said->is_full = carillon_recorder_is_full() ? 1u : 0u;
        if ((taken.asked.kind == RECORD) && (found == CARILLON_LOADER_OK)) {
            behind += tell_decisions(said, taken.asked.value & 0xFFFFu);
        }
    }
    uint8_t *const bytes = (uint8_t *)said;
    if ((CARILLON_LOADER_LOG > 0u) && (taken.asked.kind == LOG) && (found == CARILLON_LOADER_OK)) {
        behind += tell_log(taken.asked.value, &bytes[behind]);
    }
    const uint32_t first = sizeof(said->unsent);
    uint32_t sum = carillon_crc32(0u, &bytes[first], behind - first);
    for (uint32_t k = 0u; k < SUM; k++) {
        bytes[behind + k] = (uint8_t)sum;
        sum >>= 8;
    }
    send(&bytes[first], behind + SUM - first);
}

/* Where neither what runs nor what is to run lies. */
static struct loaded_program *free_slot(void)
{
    return (carillon_loader_running() == &slots[0].program) ? &slots[1] : &slots[0];
}

/* A new challenge. */
static enum carillon_loader_answer begin(void)
{
    if (is_waiting()) {
        return CARILLON_LOADER_BUSY;
    }
    loader.said.begun++;
    loader.slot = free_slot();
    loader.said.received = 0u;
    loader.open = true;
    const uint64_t last = loader.said.challenge;
    const uint32_t drawn[5] = {carillon_loader_chance(), loader.said.begun, (uint32_t)last, (uint32_t)(last >> 32),
                               resets()};
    loader.said.challenge = carillon_siphash(carillon_loader_key, (const uint8_t *)drawn, sizeof(drawn));
    return CARILLON_LOADER_OK;
}

static enum carillon_loader_answer take(uint32_t count)
{
    if (!loader.open) {
        return CARILLON_LOADER_CLOSED;
    }
    const uint32_t place = taken.asked.value;
    const uint32_t received = loader.said.received;
    if ((place > received) || (count > (CARILLON_LOADER_BYTES - place))) {
        return CARILLON_LOADER_PLACE;
    }
    if (place == received) { /* else it is repeated */
        uint8_t *const to = &((uint8_t *)loader.slot->bytes)[PREFIX + place];
        for (uint32_t k = 0u; k < count; k++) {
            to[k] = taken.asked.rest[k];
        }
        loader.said.received = received + count;
    }
    return CARILLON_LOADER_OK;
}

static bool are_same(const void *one, const void *other, uint32_t bytes)
{
    const uint8_t *const first = one;
    const uint8_t *const second = other;
    uint32_t k = 0u;
    while ((k < bytes) && (first[k] == second[k])) {
        k++;
    }
    return k == bytes;
}

/* Whether a program begins with the code of the one that runs, as carillon_machine_join wants it.  From its entry on,
 * it must have a `future` that leads to the entry of that program, and another `future`. */
static bool is_continued(const struct carillon_microcode *running, const struct carillon_microcode *program)
{
    const uint32_t entry = program->entry;
    const struct carillon_instruction *const begin = &program->code[entry];
    const bool handles = running->handlers != NULL;
    return (running->size <= entry) && ((entry + 1u) < program->size) &&
           are_same(running->code, program->code, running->size * (uint32_t)sizeof(*begin)) &&
           (handles == (program->handlers != NULL)) &&
           (!handles ||
            are_same(running->handlers, program->handlers, 2u * (1u + (uint32_t)carillon_loader_image.counts[1]))) &&
           ((begin[0].word & 0xFFu) == CARILLON_OPCODE_FUTURE) && ((begin[1].word & 0xFFu) == CARILLON_OPCODE_FUTURE) &&
           (begin[0].y == running->entry);
}

/* With another program, nothing was generated. */
static void hand_over(const struct carillon_microcode *program, uint16_t begin)
{
    loader.handed = program;
    if (CARILLON_MICROCODE_GENERATES > 0u) {
        loader.generated = 0u;
    }
    carillon_loader_replace(program, begin);
}

static enum carillon_loader_result judge(void)
{
    const uint32_t length = taken.asked.value;
    const uint8_t how = taken.asked.rest[0];
    const struct carillon_microcode *const running = carillon_loader_running();
    const bool joins = (how & JOINS) != 0u;
    const uint8_t scheduler = (uint8_t)(how & ~JOINS);
    struct loaded_program *const slot = loader.slot;
    const uint8_t *const all = (const uint8_t *)slot->bytes;
    if (length != loader.said.received) {
        return CARILLON_LOADER_INCOMPLETE;
    }
    slot->bytes[0] = (uint32_t)loader.said.challenge;
    slot->bytes[1] = (uint32_t)(loader.said.challenge >> 32);
    slot->bytes[2] = length;
    slot->bytes[3] = how;
    if (carillon_siphash(carillon_loader_key, all, PREFIX + length) != word_of(&taken.asked.rest[1], 8u)) {
        return CARILLON_LOADER_SEAL;
    }
    if ((CARILLON_LOADER_STOPS > 0u) && (how == STOPS) && (length == 0u)) {
        hand_over(&stopped, CARILLON_MICROCODE_NONE);
        return CARILLON_LOADER_ACCEPTED;
    }
    if ((scheduler > CARILLON_SCHEDULER_RM) || (joins && (scheduler != running->scheduler))) {
        return CARILLON_LOADER_SCHEDULER;
    }
    struct carillon_verified found; /* the three are one word, which a header that is refused leaves as it is */
    found.address = 0u;
    found.bindings = 0u;
    found.threads = 0u;
    const uint32_t own = carillon_load_length(&all[PREFIX], length, carillon_loader_image.counts[1]);
    enum carillon_verify_result reason =
        carillon_verify(&all[PREFIX], own, &carillon_loader_image, notes(), noted(), &found);
    if ((CARILLON_LOADER_LOAD > 0u) && (reason == CARILLON_VERIFY_OK)) {
        const uint8_t *const times = (own < length) ? &all[PREFIX + own] : NULL;
        reason = carillon_load_verify(&carillon_loader_image, times, notes(), &found);
    }
    loader.said.reason = (uint8_t)reason;
    loader.said.address = found.address;
    if (reason != CARILLON_VERIFY_OK) {
        return CARILLON_LOADER_REFUSED;
    }
    slot->checksum = slot->bytes[(PREFIX + 12u) / 4u];
    slot->program = (struct carillon_microcode){.code = found.code,
                                                .handlers = found.handlers,
                                                .steps = (found.steps < UINT32_MAX) ? (found.steps + 1u) : UINT32_MAX,
                                                .size = found.size,
                                                .entry = found.entry,
                                                .scheduler = scheduler};
    uint16_t begin = CARILLON_MICROCODE_NONE;
    if (joins) {
        if (!is_continued(running, &slot->program)) {
            return CARILLON_LOADER_OTHER;
        }
        begin = (uint16_t)(slot->program.entry + 1u);
    }
    hand_over(&slot->program, begin);
    return CARILLON_LOADER_ACCEPTED;
}

static enum carillon_loader_answer conclude(void)
{
    if (!loader.open) {
        return CARILLON_LOADER_CLOSED;
    }
    loader.open = false; /* whatever comes of it, the challenge is used */
    loader.said.reason = (uint8_t)CARILLON_VERIFY_OK;
    loader.said.address = 0u;
    loader.said.result = (uint8_t)judge();
    return CARILLON_LOADER_OK;
}

/* `count` is how many bytes there are behind the frame's number. */
static void carry_out(uint32_t count)
{
    const uint8_t kind = taken.asked.kind;
    enum carillon_loader_answer found = CARILLON_LOADER_UNKNOWN;
    if (taken.asked.version != CARILLON_LOADER_VERSION) {
        found = CARILLON_LOADER_VERSIONS;
    } else if ((kind == STATUS) && (count == 0u)) {
        found = CARILLON_LOADER_OK;
    } else if ((kind == BEGIN) && (count == 0u)) {
        found = begin();
    } else if ((kind == DATA) && (count > 4u)) {
        found = take(count - 4u);
    } else if ((kind == END) && (count == 13u)) {
        found = conclude();
    } else if ((CARILLON_MICROCODE_RECORD > 0u) && (kind == RECORD) && (count == 2u)) {
        found = CARILLON_LOADER_OK;
    } else if ((CARILLON_LOADER_LOG > 0u) && (kind == LOG) && (count == 4u)) {
        found = CARILLON_LOADER_OK;
    } else {
        /* there is no such frame */
    }
    answer(found);
}

static uint8_t *frame(void)
{
    return &((uint8_t *)&taken.asked)[sizeof(taken.asked.unsent)];
}

static void append(uint8_t byte)
{
    if (taken.length < CARILLON_LOADER_FRAME) {
        frame()[taken.length] = byte;
        taken.length++;
    } else {
        taken.wrong = true;
    }
}

void carillon_loader_byte(uint8_t byte)
{
    if (byte == 0u) {
        const uint8_t length = taken.length;
        const bool whole = !taken.wrong && (taken.left == 0u) && (length >= (HEAD + SUM));
        if (whole &&
            (carillon_crc32(0u, frame(), length - SUM) == carillon_little_endian(&frame()[length - SUM], SUM))) {
            carry_out(length - HEAD - SUM);
        } else if (taken.wrong || taken.zero || (length > 0u)) {
            loader.said.dropped++;
        } else {
            /* nothing between two zeros */
        }
        taken.length = 0u;
        taken.left = 0u;
        taken.zero = false;
        taken.wrong = false;
    } else if (taken.left == 0u) {
        if (taken.zero) {
            append(0u);
        }
        taken.left = (uint8_t)(byte - 1u);
        taken.zero = byte < 0xFFu;
    } else {
        append(byte);
        taken.left--;
    }
}

#if CARILLON_MICROCODE_GENERATES > 0u
/* Handlers behind the code; NULL if the program has none. */
static const uint16_t *copy_handlers(const uint16_t *handlers, struct carillon_instruction *behind)
{
    void *const place = behind;
    uint16_t *const to = place;
    for (uint32_t k = 0u; (handlers != NULL) && (k <= carillon_loader_image.counts[1]); k++) {
        to[k] = handlers[k];
    }
    return (handlers != NULL) ? to : NULL;
}

/* Make S code of what the scheduler of the program that runs has decided.  It is verified as what is received.  No more
 * than one trigger may wait at a time, and one thread, beside one that ends as the next one begins.  So no two threads
 * dispatch tasks at one time. */
static bool generate(const struct carillon_microcode *running)
{
    struct loaded_program *const slot = free_slot();
    void *const place = slot->bytes;
    struct carillon_instruction *const code = place;
    const uint32_t behind =
        (running->handlers != NULL) ? ((2u * ((uint32_t)carillon_loader_image.counts[1] + 1u)) + 7u) / 8u : 0u;
    const uint32_t room = (noted() > behind) ? (noted() - behind) : 0u;
    struct carillon_verified found = {.code = code, .entry = running->entry};
    found.size = carillon_recorder_is_full() ? 0u : carillon_generate(running, code, room);
    found.handlers = copy_handlers(running->handlers, &code[found.size]);
    if ((found.size == 0u) ||
        (carillon_verify(NULL, 0u, &carillon_loader_image, notes(), noted(), &found) != CARILLON_VERIFY_OK) ||
        (found.bindings > 1u) || (found.threads > 2u)) {
        return false;
    }
    slot->checksum = carillon_loader_first; /* it has the name of what it was made of */
    for (uint32_t k = 0u; k < 2u; k++) {
        slot->checksum = (running == &slots[k].program) ? slots[k].checksum : slot->checksum;
    }
    slot->program = *running;
    slot->program.code = code;
    slot->program.handlers = found.handlers;
    slot->program.size = found.size;
    slot->program.steps = (found.steps < UINT32_MAX) ? (found.steps + 1u) : UINT32_MAX;
    loader.handed = &slot->program;
    carillon_loader_continue(loader.handed);
    return true;
}

void carillon_loader_idle(void)
{
    if (!loader.open && !is_waiting() && (loader.generated == 0u) &&
        (carillon_recorder_calm() >= CARILLON_MICROCODE_GENERATES)) {
        loader.generated = generate(carillon_loader_running()) ? GENERATED : UNABLE;
    }
}
#endif
