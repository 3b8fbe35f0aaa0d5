/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
 *
 * What happens to a chip from outside: the file that tool/carillon/run/stimuli.py writes, one thing a line, in the
 * order of time.
 *
 * - "B begin end": the run begins where a start list in [begin, end) is carried out; without a B, with any list.
 * - "P name": a pin whose levels are recorded; numbered from 0.
 * - "S time row kind what value": at so many units after the beginning, or (-1) from reset on.  Kind p gives the pin
 *   of number `what` a level, a gives a converter's channel microvolts, u sends a byte, i requests a source.  The row
 *   is recorded, unless it is NO_ROW.  Of several serial lines the byte goes to that whose data register is at the
 *   address `what`. */
#ifndef STIMULI_H
#define STIMULI_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Records beside those of trace_records.h. */
enum stimulus_record {
    RECORD_STIMULUS = 32, /* a stimulus happens; its row */
    RECORD_LEVEL          /* a pin has another level, bit 0; the bits above are its number */
};

#define NO_ROW UINT32_C(0xFFFFFFFF)
#define STIMULI_PINS 64u
#define STIMULI_LISTS 64u

struct stimulus {
    int64_t at;
    uint32_t row, what, value;
    char kind;
};

struct stimuli {
    struct stimulus *list;
    size_t count, next;
    uint64_t origin; /* when the run began, if it has */
    bool begun;
    char pins[STIMULI_PINS][12];
    uint32_t pin_count;
    struct {
        uint32_t begin, end;
    } lists[STIMULI_LISTS];
    uint32_t list_count;
};

/* Whether the file can be read. */
static inline bool stimuli_read(struct stimuli *stimuli, const char *path)
{
    FILE *const file = fopen(path, "r");
    size_t space = 0;
    char line[128];
    if (file == NULL) {
        return false;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == 'B' && stimuli->list_count < STIMULI_LISTS &&
            sscanf(line, "B %" SCNx32 " %" SCNx32, &stimuli->lists[stimuli->list_count].begin,
                   &stimuli->lists[stimuli->list_count].end) == 2) {
            stimuli->list_count++;
        } else if (line[0] == 'P' && stimuli->pin_count < STIMULI_PINS &&
                   sscanf(line, "P %11s", stimuli->pins[stimuli->pin_count]) == 1) {
            stimuli->pin_count++;
        } else {
            struct stimulus one;
            if (stimuli->count == space) {
                space = space == 0 ? 256 : 2 * space;
                stimuli->list = realloc(stimuli->list, space * sizeof *stimuli->list);
            }
            if (stimuli->list == NULL || sscanf(line, "S %" SCNd64 " %" SCNu32 " %c %" SCNu32 " %" SCNu32, &one.at,
                                                &one.row, &one.kind, &one.what, &one.value) != 5) {
                (void)fclose(file);
                return false;
            }
            stimuli->list[stimuli->count++] = one;
        }
    }
    (void)fclose(file);
    return true;
}

/* A start list is carried out: the run may begin. */
static inline void stimuli_begin(struct stimuli *stimuli, uint32_t list, uint64_t now)
{
    bool counts = stimuli->list_count == 0;
    for (uint32_t k = 0; k < stimuli->list_count; k++) {
        counts = counts || (list >= stimuli->lists[k].begin && list < stimuli->lists[k].end);
    }
    if (counts && !stimuli->begun) {
        stimuli->begun = true;
        stimuli->origin = now;
    }
}

/* When the next one happens; UINT64_MAX if that is not known, or never. */
static inline uint64_t stimuli_due(const struct stimuli *stimuli)
{
    if (stimuli->next == stimuli->count) {
        return UINT64_MAX;
    }
    const int64_t at = stimuli->list[stimuli->next].at;
    return at < 0 ? 0 : stimuli->begun ? stimuli->origin + (uint64_t)at : UINT64_MAX;
}

#endif
