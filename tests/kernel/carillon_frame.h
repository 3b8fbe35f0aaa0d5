/* SPDX-License-Identifier: Apache-2.0
 *
 * The cell of time frames, for what checks the kernel without the tool. */
#ifndef CARILLON_FRAME_DEVICE_H
#define CARILLON_FRAME_DEVICE_H

#define CARILLON_FRAME_COUNTER 0x40003000u
#define CARILLON_FRAME_SOURCE 5u
#define CARILLON_FRAME_TURN UINT32_C(16777216)

#endif
