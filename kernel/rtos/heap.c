/* SPDX-License-Identifier: Apache-2.0
 *
 * The heap from which objects are made that a program for another kernel makes as it runs.
 *
 * It is a chain of pieces, in the order of their addresses, of which each is free or taken.  The first that suffices is
 * taken, and free ones that adjoin become one.  A search is locked, and bounded by the number of pieces. */
#include "kernel/rtos/wait.h"

#include <string.h>

#if CARILLON_RTOS_HEAP > 0

/* What stands before each piece.  Sizes are in units of eight bytes, with this head. */
struct piece {
    uint32_t size;
    uint32_t taken;
};
#define UNITS (CARILLON_RTOS_HEAP / 8u)

static struct piece heap[UNITS + 1u]; /* behind the last piece: one of no size */

/* The first call makes one free piece of all. */
static void begin(void)
{
    if (heap[0].size == 0u) {
        heap[0].size = UNITS;
    }
}

/* A free piece becomes one with those behind it that are free. */
static void join(struct piece *piece)
{
    struct piece *behind = &piece[piece->size];
    while ((behind->size != 0u) && (behind->taken == 0u)) {
        piece->size += behind->size;
        behind = &piece[piece->size];
    }
}

void *carillon_rtos_allocate(uint32_t bytes)
{
    if ((bytes == 0u) || (bytes > CARILLON_RTOS_HEAP)) {
        return NULL;
    }
    const uint32_t wanted = ((bytes + 7u) / 8u) + 1u;
    void *found = NULL;
    const uint32_t saved = carillon_osek_lock();
    begin();
    for (struct piece *piece = heap; (piece->size != 0u) && (found == NULL); piece = &piece[piece->size]) {
        if (piece->taken == 0u) {
            join(piece);
            if (piece->size >= wanted) {
                if (piece->size > wanted) {
                    piece[wanted].size = piece->size - wanted;
                    piece[wanted].taken = 0u;
                    piece->size = wanted;
                }
                piece->taken = 1u;
                found = &piece[1];
            }
        }
    }
    carillon_osek_unlock(saved);
    return found;
}

void carillon_rtos_free(void *memory)
{
    if (memory != NULL) {
        struct piece *const piece = &((struct piece *)memory)[-1];
        const uint32_t saved = carillon_osek_lock();
        piece->taken = 0u;
        carillon_osek_unlock(saved);
    }
}

uint32_t carillon_rtos_free_bytes(void)
{
    uint32_t units = 0u;
    const uint32_t saved = carillon_osek_lock();
    begin();
    for (const struct piece *piece = heap; piece->size != 0u; piece = &piece[piece->size]) {
        units += (piece->taken == 0u) ? piece->size : 0u;
    }
    carillon_osek_unlock(saved);
    return 8u * units;
}

void *carillon_rtos_place(const struct carillon_rtos_place *place, uint32_t bytes, uint8_t kind)
{
    if (carillon_rtos_in_isr() || ((place->memory != NULL) && (place->bytes < bytes)) ||
        ((place->memory == NULL) && (place->bytes != 0u))) {
        return NULL;
    }
    struct carillon_rtos_object *const object = (place->memory != NULL) ? place->memory : carillon_rtos_allocate(bytes);
    if (object != NULL) {
        (void)memset(object, 0, bytes);
        object->name = place->name;
        object->in_heap = (place->memory == NULL) ? 1u : 0u;
        object->kind = kind;
    }
    return object;
}

void *carillon_rtos_store(const struct carillon_rtos_place *place, uint32_t bytes, uint8_t *in_heap)
{
    *in_heap = (place->store == NULL) ? 1u : 0u;
    if (place->store == NULL) {
        return carillon_rtos_allocate(bytes);
    }
    return (place->store_bytes >= bytes) ? place->store : NULL;
}

#endif
