/* SPDX-License-Identifier: Apache-2.0
 *
 * The loader.  A frame is received and answered before the next one is looked at, so that there is one buffer for
 * frames.  A frame that is repeated, as its answer was lost, changes nothing.
 *
 * An upload is sealed with its target's challenge, which is used for one upload: a seal is good once. */
#include "kernel/microcode/loader.h"
#include "kernel/microcode/recorder.h"

#include <stddef.h>

#ifdef CARILLON_LOADER_RESETS
uint32_t CARILLON_LOADER_RESETS(void); /* the application's */
#endif

/* Frames: version, kind, number; what the kind says; CRC-32. */
#define HEAD 3u
#define SUM 4u
#define STATUS 1u
#define BEGIN 2u
#define DATA 3u
#define END 4u
#define RECORD 5u
#define ANSWER 0x80u

#define JOINS 0x80u /* beside the scheduler: the program that runs goes on, as the first part of this one */

#define PREFIX 16u /* what is sealed before a program: challenge, length, scheduler, three zeros */
#define STATUS_BYTES 42u
#define TICKS_BYTES 4u
#define DECISION_BYTES 8u
#define DECISIONS 5u /* in a frame, at most */

struct loaded_program {
    uint32_t bytes[(PREFIX + CARILLON_LOADER_BYTES + 3u) / 4u]; /* in words, so that instructions are aligned */
    struct carillon_microcode program;
    uint32_t checksum;
};

static struct loaded_program slots[2];

static struct loader_state {
    const struct carillon_microcode *handed; /* the last program that the machine was given */
    struct loaded_program *slot;             /* of the upload */
    uint64_t challenge;
    uint32_t received; /* bytes of the program */
    uint16_t begun;    /* uploads */
    uint16_t dropped;  /* frames with a wrong sum */
    uint16_t address;  /* what the verifier refused */
    uint8_t result;
    uint8_t reason;
    bool open;
} loader;

static struct frame_state {
    uint8_t bytes[CARILLON_LOADER_FRAME];
    uint8_t length;
    uint8_t left; /* bytes of the block that is decoded */
    bool zero;    /* the block ends with one, if another follows */
    bool wrong;
} taken;

static inline uint64_t turned(uint64_t value, uint32_t bits)
{
    const uint32_t rest = 64u - bits;
    return (value << bits) | (value >> rest);
}

static void mix(uint64_t *v, uint32_t rounds)
{
    for (uint32_t k = 0u; k < rounds; k++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = turned(v[1], 13u) ^ v[0];
        v[3] = turned(v[3], 16u) ^ v[2];
        v[0] = turned(v[0], 32u);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = turned(v[1], 17u) ^ v[2];
        v[3] = turned(v[3], 21u) ^ v[0];
        v[2] = turned(v[2], 32u);
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

/* Write so many bytes of a number; returns where the next are written. */
static uint8_t *put_number(uint8_t *to, uint64_t value, uint32_t bytes)
{
    uint64_t left = value;
    for (uint32_t k = 0u; k < bytes; k++) {
        to[k] = (uint8_t)left;
        left >>= 8;
    }
    return &to[bytes];
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

#if CARILLON_MICROCODE_RECORD > 0u
/* Write when the last decision was made, and decisions from a place on, as many as a frame has room for; returns where
 * the next bytes are written. */
static uint8_t *put_decisions(uint8_t *to, uint32_t place)
{
    uint8_t *behind = put_number(to, carillon_recorder_ticks(), 4u);
    struct carillon_decision found;
    for (uint32_t k = 0u; (k < DECISIONS) && carillon_recorder_find(place + k, &found); k++) {
        behind = put_number(put_number(put_number(behind, found.order, 4u), found.block, 2u), found.task, 2u);
    }
    return behind;
}
#endif

/* `said` is what the frame says, for one that is carried out. */
static void answer(uint8_t kind, uint8_t number, enum carillon_loader_answer found, const uint8_t *said)
{
    const struct carillon_microcode *const running = carillon_loader_running();
    uint32_t checksum = carillon_loader_first;
    for (uint32_t k = 0u; k < 2u; k++) {
        checksum = (running == &slots[k].program) ? slots[k].checksum : checksum;
    }
    uint8_t bytes[HEAD + STATUS_BYTES + TICKS_BYTES + (DECISIONS * DECISION_BYTES) + SUM];
    uint8_t *to = put_number(bytes, CARILLON_LOADER_VERSION, 1u);
    to = put_number(to, (uint64_t)kind | ANSWER, 1u);
    to = put_number(to, number, 1u);
    to = put_number(to, (uint64_t)found, 1u);
    to = put_number(to, (loader.open ? 1u : 0u) | (is_waiting() ? 2u : 0u), 1u);
    to = put_number(to, loader.result, 1u);
    to = put_number(to, loader.reason, 1u);
    to = put_number(to, loader.address, 2u);
    to = put_number(to, loader.begun, 2u);
    to = put_number(to, loader.dropped, 2u);
    to = put_number(to, loader.received, 4u);
    to = put_number(to, loader.challenge, 8u);
    to = put_number(to, checksum, 4u);
    to = put_number(to, carillon_loader_image.tick_ns, 4u);
    to = put_number(to, carillon_loader_image.interface, 4u);
    to = put_number(to, CARILLON_LOADER_BYTES, 4u);
    to = put_number(to, carillon_loader_image.bindings, 1u);
    to = put_number(to, carillon_loader_image.threads, 1u);
    to = put_number(to, running->scheduler, 1u);
#if CARILLON_MICROCODE_RECORD > 0u
    to = put_number(to, carillon_recorder_is_full() ? 1u : 0u, 1u);
    if ((kind == RECORD) && (found == CARILLON_LOADER_OK)) {
        to = put_decisions(to, carillon_little_endian(said, 2u));
    }
#else
    (void)said;
    to = put_number(to, 0u, 1u);
#endif
    const uint32_t length = (uint32_t)((uintptr_t)to - (uintptr_t)bytes);
    (void)put_number(to, carillon_crc32(0u, bytes, length), SUM);
    send(bytes, length + SUM);
}

/* A number that no reset repeats, if the application has one. */
static inline uint32_t resets(void)
{
#ifdef CARILLON_LOADER_RESETS
    return CARILLON_LOADER_RESETS();
#else
    return 0u;
#endif
}

/* A new challenge.  The bytes go to where neither what runs nor what is to run lies. */
static enum carillon_loader_answer begin(void)
{
    if (is_waiting()) {
        return CARILLON_LOADER_BUSY;
    }
    uint8_t drawn[20];
    loader.begun++;
    loader.slot = (carillon_loader_running() == &slots[0].program) ? &slots[1] : &slots[0];
    loader.received = 0u;
    loader.open = true;
    uint8_t *const rest =
        put_number(put_number(put_number(drawn, carillon_loader_chance(), 4u), loader.begun, 4u), loader.challenge, 8u);
    (void)put_number(rest, resets(), 4u);
    loader.challenge = carillon_siphash(carillon_loader_key, drawn, sizeof(drawn));
    return CARILLON_LOADER_OK;
}

static uint8_t *program_bytes(struct loaded_program *slot)
{
    return &((uint8_t *)slot->bytes)[PREFIX];
}

static enum carillon_loader_answer take(const uint8_t *bytes, uint32_t length)
{
    if (!loader.open) {
        return CARILLON_LOADER_CLOSED;
    }
    const uint32_t place = carillon_little_endian(bytes, 4u);
    const uint32_t count = length - 4u;
    if ((place > loader.received) || (count > (CARILLON_LOADER_BYTES - place))) {
        return CARILLON_LOADER_PLACE;
    }
    if (place == loader.received) { /* else it is repeated */
        uint8_t *const to = &program_bytes(loader.slot)[place];
        for (uint32_t k = 0u; k < count; k++) {
            to[k] = bytes[4u + k];
        }
        loader.received += count;
    }
    return CARILLON_LOADER_OK;
}

/* Whether a program begins with the code of the one that runs, as carillon_machine_join wants it.  From its entry on,
 * it must have a `future` that leads to the entry of that program, and another `future`. */
static bool is_continued(const struct carillon_microcode *running, const struct carillon_microcode *program)
{
    const uint32_t entry = program->entry;
    bool same = (running->size <= entry) && ((entry + 1u) < program->size);
    for (uint32_t k = 0u; same && (k < running->size); k++) {
        const struct carillon_instruction *const one = &running->code[k];
        const struct carillon_instruction *const other = &program->code[k];
        same = (one->word == other->word) && (one->x == other->x) && (one->y == other->y);
    }
    for (uint32_t k = entry; same && (k < (entry + 2u)); k++) {
        same = (program->code[k].word & 0xFFu) == CARILLON_OPCODE_FUTURE;
    }
    return same && (program->code[entry].y == running->entry);
}

static enum carillon_loader_result judge(uint32_t length, uint8_t how, uint64_t seal)
{
    const struct carillon_microcode *const running = carillon_loader_running();
    const bool joins = (how & JOINS) != 0u;
    const uint8_t scheduler = (uint8_t)(how & ~JOINS);
    struct loaded_program *const slot = loader.slot;
    uint8_t *const all = (uint8_t *)slot->bytes;
    if (length != loader.received) {
        return CARILLON_LOADER_INCOMPLETE;
    }
    (void)put_number(put_number(put_number(all, loader.challenge, 8u), length, 4u), how, 4u);
    if (carillon_siphash(carillon_loader_key, all, PREFIX + length) != seal) {
        return CARILLON_LOADER_SEAL;
    }
    if ((scheduler > CARILLON_SCHEDULER_RM) || (joins && (scheduler != running->scheduler))) {
        return CARILLON_LOADER_SCHEDULER;
    }
    static struct carillon_verify_node nodes[CARILLON_LOADER_BYTES / 8u];
    const uint32_t noted = sizeof(nodes) / sizeof(nodes[0]);
    const uint16_t room = (noted < CARILLON_VERIFY_MOST) ? (uint16_t)noted : (uint16_t)CARILLON_VERIFY_MOST;
    struct carillon_verified found;
    const enum carillon_verify_result reason =
        carillon_verify(&all[PREFIX], length, &carillon_loader_image, nodes, room, &found);
    loader.reason = (uint8_t)reason;
    loader.address = found.address;
    if (reason != CARILLON_VERIFY_OK) {
        return CARILLON_LOADER_REFUSED;
    }
    const void *const code = found.code; /* at a word: the prefix and the header are words */
    slot->checksum = carillon_little_endian(&all[PREFIX + 12u], 4u);
    slot->program = (struct carillon_microcode){.code = code,
                                                .steps = (found.steps < UINT32_MAX) ? (found.steps + 1u) : UINT32_MAX,
                                                .size = found.size,
                                                .entry = found.entry,
                                                .shared = CARILLON_MICROCODE_NONE,
                                                .scheduler = scheduler};
    uint16_t begin = CARILLON_MICROCODE_NONE;
    if (joins) {
        if (!is_continued(running, &slot->program)) {
            return CARILLON_LOADER_OTHER;
        }
        begin = (uint16_t)(slot->program.entry + 1u);
        slot->program.late = running->late;
        slot->program.shared = running->shared;
    }
    loader.handed = &slot->program;
    carillon_loader_replace(loader.handed, begin);
    return CARILLON_LOADER_ACCEPTED;
}

static enum carillon_loader_answer conclude(const uint8_t *bytes)
{
    if (!loader.open) {
        return CARILLON_LOADER_CLOSED;
    }
    loader.open = false; /* whatever comes of it, the challenge is used */
    loader.reason = (uint8_t)CARILLON_VERIFY_OK;
    loader.address = 0u;
    loader.result = (uint8_t)judge(carillon_little_endian(bytes, 4u), bytes[4], word_of(&bytes[5], 8u));
    return CARILLON_LOADER_OK;
}

static void carry_out(const uint8_t *bytes, uint32_t length)
{
    const uint8_t kind = bytes[1];
    const uint8_t *const said = &bytes[HEAD];
    const uint32_t count = length - HEAD;
    enum carillon_loader_answer found = CARILLON_LOADER_UNKNOWN;
    if (bytes[0] != CARILLON_LOADER_VERSION) {
        found = CARILLON_LOADER_VERSIONS;
    } else if ((kind == STATUS) && (count == 0u)) {
        found = CARILLON_LOADER_OK;
    } else if ((kind == BEGIN) && (count == 0u)) {
        found = begin();
    } else if ((kind == DATA) && (count > 4u)) {
        found = take(said, count);
    } else if ((kind == END) && (count == 13u)) {
        found = conclude(said);
#if CARILLON_MICROCODE_RECORD > 0u
    } else if ((kind == RECORD) && (count == 2u)) {
        found = CARILLON_LOADER_OK;
#endif
    } else {
        /* there is no such frame */
    }
    answer(kind, bytes[2], found, said);
}

static void append(uint8_t byte)
{
    if (taken.length < CARILLON_LOADER_FRAME) {
        taken.bytes[taken.length] = byte;
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
        if (whole && (carillon_crc32(0u, taken.bytes, length - SUM) ==
                      carillon_little_endian(&taken.bytes[length - SUM], SUM))) {
            carry_out(taken.bytes, length - SUM);
        } else if (taken.wrong || taken.zero || (length > 0u)) {
            loader.dropped++;
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
