/* SPDX-License-Identifier: Apache-2.0
 *
 * A real-time clock, for checks of the kernel's code with one (scripts/check-c.sh). */
#ifndef CARILLON_RTC_DEVICE_H
#define CARILLON_RTC_DEVICE_H

#include "mock_timer.h"

#define CARILLON_RTC_ADDRESS 0x101000u
#define CARILLON_REGISTER(address) (*mock_register(address))

#ifdef CARILLON_RTC_LSE_MS
#include "devices/stm32/rtc.h"
#else
#include "devices/goldfish/rtc.h"
#endif

#endif
