/* SPDX-License-Identifier: Apache-2.0
 *
 * Where registers are for those who check the code: some of the mps2-an385, the ast1030-evb and the atmega128. */
#ifndef CARILLON_BOARD_H
#define CARILLON_BOARD_H

#define ASPEED_COUNTER(cell) (0x7E782000u + (0x10u * (cell)))
#define ASPEED_CONTROL(cell) (0x7E782030u)
#define CMSDK_BASE(cell) (0x40000000u + (0x1000u * (cell)))
#define DUALTIMER_BASE(cell) (0x40002000u + (0x20u * (cell)))

#define AVR16_CONTROL_A(cell) (((cell) <= 2u) ? 0x4Fu : 0x8Bu)
#define AVR16_CONTROL_B(cell) (((cell) <= 2u) ? 0x4Eu : 0x8Au)
#define AVR16_COUNT(cell) (((cell) <= 2u) ? 0x4Cu : 0x88u)
#define AVR16_LENGTH(cell) (((cell) <= 2u) ? 0x46u : 0x80u)
#define AVR16_MATCH(cell) (0x4Au - (2u * (cell)))
#define AVR16_SOURCE(cell) (12u + (cell))
#define AVR8_CONTROL_A(cell) (0x44u)
#define AVR8_CONTROL_B(cell) (0x45u)
#define AVR8_COUNT(cell) (0x46u)
#define AVR8_LENGTH(cell) (0x47u)
#define AVR8_MATCH(cell) (0x48u)
#define AVR8_SOURCE(cell) (15u)
#define AVR16_COUNT_OF(match) (((match) <= 0x78u) ? UINT32_C(0x4C) : UINT32_C(0x88))

#define CARILLON_SOURCE_ENABLE(source) (((source) <= 8u) ? 0x59u : 0x57u)
#define CARILLON_SOURCE_FLAG(source) (((source) <= 8u) ? 0x58u : 0x56u)
#define CARILLON_SOURCE_PLACE(source) ((source)-1u)
#define CARILLON_SOURCE_DIRECTION(source) (0x22u)
#define CARILLON_SOURCE_OUTPUT(source) (0x23u)
#define CARILLON_SOURCE_PIN(source) ((source)-1u)

#define CARILLON_STARTUP(store) store(0x55, 0x20)
#define CARILLON_CONSOLE_REGISTER uint32_t
#define CARILLON_CONSOLE_DATA 0x40004000u
#define CARILLON_CONSOLE_STATE 0x40004004u
#define CARILLON_CONSOLE_MASK 0x1u
#define CARILLON_CONSOLE_WAITS 0x1u
#define CARILLON_CONSOLE_READY 0x2u
#define CARILLON_CONSOLE_PREPARE(store) store(0x40004010, 0x10) store(0x40004008, 0x1)

#define RP2040ALARM_ALARM(cell) (0x40054010u + (4u * (cell)))

#endif
