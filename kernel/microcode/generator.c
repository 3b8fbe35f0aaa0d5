/* SPDX-License-Identifier: Apache-2.0
 *
 * S code of what the scheduler has decided.  See generator.h. */
#include "kernel/microcode/generator.h"

#include "kernel/microcode/recorder.h"

#include <stdbool.h>

#if CARILLON_MICROCODE_GENERATES > 0u
#define NONE CARILLON_MICROCODE_NONE
#define MOST_TICKS UINT32_C(0xFFFFFF) /* of an instruction */

/* What is written. */
struct text {
    struct carillon_instruction *code;
    uint32_t size;
    uint32_t room;
};

/* Without room, nothing is written, but counted. */
static void append(struct text *text, uint32_t word, uint16_t x, uint16_t y)
{
    if (text->size < text->room) {
        text->code[text->size] = (struct carillon_instruction){.word = word, .x = x, .y = y};
    }
    text->size++;
}

/* Of two decisions of a block, is the first one dispatched before the other? */
static bool is_before(const struct carillon_decision *one, const struct carillon_decision *other)
{
    return (one->order < other->order) || ((one->order == other->order) && (one->task < other->task));
}

/* Put the decision of its block that follows in its place; false: there is none.  Bounded by the record. */
static bool find_next(struct carillon_decision *found)
{
    const struct carillon_decision last = *found;
    bool is_found = false;
    struct carillon_decision it;
    for (uint32_t place = 0u; carillon_recorder_find(place, &it); place++) {
        if ((it.block == last.block) && is_before(&last, &it) && (!is_found || is_before(&it, found))) {
            *found = it;
            is_found = true;
        }
    }
    return is_found;
}

/* The fewest ticks from a block to the next one, and the first of its decisions. */
static uint32_t length_of(uint16_t block, struct carillon_decision *first)
{
    uint32_t length = MOST_TICKS;
    bool is_first = true;
    struct carillon_decision it;
    for (uint32_t place = 0u; carillon_recorder_find(place, &it); place++) {
        if (it.block == block) {
            const uint32_t own = carillon_recorder_length(place);
            length = (own < length) ? own : length;
            if (is_first || is_before(&it, first)) {
                *first = it;
            }
            is_first = false;
        }
    }
    return length;
}

/* Whether the block of the decision at a place has had none before. */
static bool is_new(uint32_t place, uint16_t block)
{
    struct carillon_decision it;
    uint32_t k = 0u;
    while ((k < place) && carillon_recorder_find(k, &it) && (it.block != block)) {
        k++;
    }
    return k == place;
}

/* The S code of a block.  Its last dispatch goes on at its end, with or without its task: the thread ends there. */
static void append_block(struct text *text, uint16_t block)
{
    struct carillon_decision it = {.block = block};
    const uint32_t length = length_of(block, &it);
    const uint32_t begin = text->size;
    do {
        append(text, (length << 8) | CARILLON_OPCODE_DISPATCH_TIME, it.task, 0u);
    } while (find_next(&it));
    const uint16_t end = (uint16_t)text->size;
    append(text, CARILLON_OPCODE_RETURN, 0u, 0u);
    for (uint32_t k = begin; (k < end) && (text->size <= text->room); k++) {
        text->code[k].y = end;
    }
}

uint16_t carillon_generate(const struct carillon_microcode *program, struct carillon_instruction *to, uint32_t room)
{
    struct text text = {.code = to, .size = program->size, .room = (room < NONE) ? room : NONE};
    bool has_room = program->size <= text.room;
    for (uint32_t k = 0u; has_room && (k < program->size); k++) {
        to[k] = program->code[k];
    }
    struct carillon_decision it;
    for (uint32_t place = 0u; has_room && carillon_recorder_find(place, &it); place++) {
        const bool returns = (it.block > 0u) && (it.block <= program->size) &&
                             ((program->code[it.block - 1u].word & 0xFFu) == CARILLON_OPCODE_RETURN);
        if (returns && is_new(place, it.block)) {
            const uint16_t begin = (uint16_t)text.size;
            append_block(&text, it.block);
            has_room = text.size <= text.room;
            to[it.block - 1u] = (struct carillon_instruction)CARILLON_INSTRUCTION(CARILLON_OPCODE_JUMP, 0u, 0u, begin);
        }
    }
    return (has_room && (text.size > program->size)) ? (uint16_t)text.size : 0u;
}
#endif
