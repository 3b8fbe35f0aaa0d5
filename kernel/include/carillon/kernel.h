/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernel's parts and the generated code share beyond the contract. */
#ifndef CARILLON_KERNEL_H
#define CARILLON_KERNEL_H

#include "carillon/contract.h"
#include "carillon_port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bring the hardware into a mode's image and start its round.  Interrupts are locked. */
void carillon_mode_start(const struct carillon_mode *mode);

/* From the control cell's handler in `from`: stop it and start `to` where `from` ends. */
void carillon_mode_switch(const struct carillon_mode *from, const struct carillon_mode *to);

/* No cell of the mode expires any more, no source of it interrupts. */
void carillon_mode_stop(const struct carillon_mode *mode);

/* Is no task of the mode running or preempted? */
bool carillon_mode_is_idle(const struct carillon_mode *mode);

/* The handler of the control cell. */
void carillon_control(void);

/* Let the control cell of a mode interrupt from now on. */
void carillon_control_enable(const struct carillon_mode *mode);

/* A deadline of a task passed before it had ended (task: number in the schedule). */
void carillon_deadline_missed(uint16_t task);

#if CARILLON_MODES > 1
/* The mode whose round runs, and the one that is to follow. */
extern uint8_t carillon_mode;
extern uint8_t carillon_next_mode;
/* Lowered tasks that have not ended: the controller does not know them any more. */
extern uint8_t carillon_lowered_tasks;
#endif

#ifdef __cplusplus
}
#endif

#endif
