/* SPDX-License-Identifier: Apache-2.0
 *
 * The real-time clock of an STM32F4 (RM0090, section 26; RM0383, section 17; errata ES0206, 2.2 and 2.9).  It is a
 * calendar in decimal digits.  The two digits of the year stand for 2000 to 2099.  Alarms and interrupts are not used.
 *
 * SPEC, section "Real-time clocks", says what the functions promise.  All but carillon_rtc_start are called locked.
 *
 * 1. The calendar, its clock's choice and the LSE are in the backup domain, which a reset leaves as it is.  The LSI is
 * not: a reset stops it, so it is started anew where it is the choice.
 * 2. The clock can be chosen once, until the backup domain is reset.  So it is chosen when the calendar is set for the
 * first time: the LSE, if it is there by then, else the LSI.  A choice that stands is kept.
 * 3. A read of SSR keeps TR and DR, until DR is read.  If it comes just before the chip copies them, it may fail to
 * (ES0206, 2.9.2).  Then SSR is another one afterwards, and all are read once more.  SSR changes at most once in 2
 * cycles of the clock, so the second time is the last one.  DR is read last, for the next caller.
 * 4. INIT must not be set within two cycles of its end (2.9.4).  So RSF is waited for before it.
 * 5. Nobody set a calendar whose year is 0 (INITS) and whose day of the week is wrong.  The chip begins with a Monday,
 * and 2000-01-01 was a Saturday.  A calendar that has gone on beyond 2099 is told from one in 2000 in the same way:
 * 2100 begins with a Friday.
 * 6. Polls bound each wait.  One takes five cycles of the processor at least, and no STM32F4 has more than 180 MHz. */
#ifndef CARILLON_DEVICE_STM32_RTC_H
#define CARILLON_DEVICE_STM32_RTC_H

#include "carillon_port.h"

#define STM32_POLLS_OF_MS UINT32_C(36000)
#define STM32_SHORT (STM32_POLLS_OF_MS / 2u) /* more than 4 cycles of the slowest LSI, 17 kHz */

#define STM32_PWR_CR UINT32_C(0x40007000)
#define STM32_PWR_CR_DBP (UINT32_C(1) << 8)
#define STM32_RCC_APB1ENR UINT32_C(0x40023840)
#define STM32_RCC_APB1ENR_PWREN (UINT32_C(1) << 28)
#define STM32_RCC_BDCR UINT32_C(0x40023870)
#define STM32_RCC_BDCR_LSEON UINT32_C(1)
#define STM32_RCC_BDCR_LSERDY UINT32_C(2)
#define STM32_RCC_BDCR_RTCSEL (UINT32_C(3) << 8)
#define STM32_RCC_BDCR_LSE (UINT32_C(1) << 8)
#define STM32_RCC_BDCR_LSI (UINT32_C(2) << 8)
#define STM32_RCC_BDCR_RTCEN (UINT32_C(1) << 15)
#define STM32_RCC_CSR UINT32_C(0x40023874)
#define STM32_RCC_CSR_LSION UINT32_C(1)
#define STM32_RCC_CSR_LSIRDY UINT32_C(2)

#define STM32_RTC_TR (CARILLON_RTC_ADDRESS)
#define STM32_RTC_DR (CARILLON_RTC_ADDRESS + 0x04u)
#define STM32_RTC_CR (CARILLON_RTC_ADDRESS + 0x08u)
#define STM32_RTC_CR_BYPSHAD (UINT32_C(1) << 5)
#define STM32_RTC_CR_FMT (UINT32_C(1) << 6)
#define STM32_RTC_ISR (CARILLON_RTC_ADDRESS + 0x0Cu)
#define STM32_RTC_ISR_RSF (UINT32_C(1) << 5)
#define STM32_RTC_ISR_INITF (UINT32_C(1) << 6)
#define STM32_RTC_ISR_INIT (UINT32_C(1) << 7)
#define STM32_RTC_PRER (CARILLON_RTC_ADDRESS + 0x10u)
#define STM32_RTC_WPR (CARILLON_RTC_ADDRESS + 0x24u)
#define STM32_RTC_SSR (CARILLON_RTC_ADDRESS + 0x28u)

/* 128 * 256 = 32768 and 128 * 250 = 32000: the asynchronous half is that after reset. */
#define STM32_LSE_SYNCHRONOUS 255u
#define STM32_LSI_SYNCHRONOUS 249u
#define STM32_ASYNCHRONOUS (UINT32_C(127) << 16)

#define STM32_FIRST UINT32_C(946684800) /* 2000-01-01 00:00:00 */
#define STM32_LAST UINT32_C(4102444799) /* 2099-12-31 23:59:59 */
#define STM32_DAY UINT32_C(86400)
/* Days are counted from 1996-03-01 on, so that a leap day ends a year. */
#define STM32_DAYS_BEFORE UINT32_C(1401)
#define STM32_DAYS_OF_4_YEARS UINT32_C(1461)

static inline uint32_t stm32_digits(uint32_t number)
{
    return ((number / 10u) << 4) | (number % 10u);
}

static inline uint32_t stm32_number(uint32_t digits)
{
    return ((digits >> 4) * 10u) + (digits & 0xFu);
}

/* 1 is Monday. */
static inline uint32_t stm32_weekday(uint32_t days)
{
    return ((days + 5u) % 7u) + 1u;
}

/* What TR and DR have at a second of 2000 to 2099. */
static inline uint32_t stm32_time_of(uint32_t seconds)
{
    const uint32_t second = seconds % STM32_DAY; /* 1970 began at midnight, too */
    return (stm32_digits(second / 3600u) << 16) | (stm32_digits((second / 60u) % 60u) << 8) |
           stm32_digits(second % 60u);
}

static inline uint32_t stm32_date_of(uint32_t seconds)
{
    const uint32_t days = (seconds - STM32_FIRST) / STM32_DAY;
    const uint32_t since = days + STM32_DAYS_BEFORE;
    const uint32_t years = ((4u * since) + 3u) / STM32_DAYS_OF_4_YEARS;
    const uint32_t day = since - ((years * STM32_DAYS_OF_4_YEARS) / 4u);
    const uint32_t month = ((5u * day) + 2u) / 153u; /* 0 is March: five months have 153 days */
    const uint32_t next = month / 10u;               /* 1 from January on */
    return (stm32_digits((years + next) - 4u) << 16) | (stm32_weekday(days) << 13) |
           (stm32_digits((month + 3u) - (12u * next)) << 8) | stm32_digits((day - (((153u * month) + 2u) / 5u)) + 1u);
}

/* The second of TR and DR; false: nobody has set them, or it is beyond 2099 (5.). */
static inline bool stm32_second_of(uint32_t time, uint32_t date, uint32_t *seconds)
{
    const uint32_t year = stm32_number(date >> 16);
    const uint32_t month = (stm32_number((date >> 8) & 0x1Fu) + 9u) % 12u;
    const uint32_t years = (year + 4u) - (month / 10u);
    const uint32_t before = ((years * STM32_DAYS_OF_4_YEARS) / 4u) + (((153u * month) + 2u) / 5u);
    const uint32_t days = ((before + stm32_number(date & 0x3Fu)) - 1u) - STM32_DAYS_BEFORE;
    const uint32_t minutes = (stm32_number((time >> 16) & 0x3Fu) * 60u) + stm32_number((time >> 8) & 0x7Fu);
    *seconds = STM32_FIRST + (days * STM32_DAY) + (minutes * 60u) + stm32_number(time & 0x7Fu);
    return (year != 0u) || (((date >> 13) & 7u) == stm32_weekday(days));
}

/* Whether a bit is set, after so many polls at most. */
static inline bool stm32_await(uint32_t address, uint32_t bit, uint32_t polls)
{
    uint32_t left = polls;
    while (((carillon_port_read(address) & bit) == 0u) && (left > 0u)) {
        left--;
    }
    return left > 0u;
}

/* Writes to the backup domain go through some cycles after DBP is set (ES0206, 2.2.9), so it is read back. */
static inline uint32_t stm32_open(void)
{
    const uint32_t before = carillon_port_read(STM32_PWR_CR);
    CARILLON_REGISTER(STM32_PWR_CR) = before | STM32_PWR_CR_DBP;
    (void)carillon_port_read(STM32_PWR_CR);
    return before;
}

static inline bool stm32_start_lsi(void)
{
    CARILLON_REGISTER(STM32_RCC_CSR) |= STM32_RCC_CSR_LSION;
    return stm32_await(STM32_RCC_CSR, STM32_RCC_CSR_LSIRDY, STM32_SHORT);
}

/* CARILLON_RTC_LSE_MS: how long the LSE is waited for, where it does not run yet; 0: the board has none. */
static inline void carillon_rtc_start(void)
{
    CARILLON_REGISTER(STM32_RCC_APB1ENR) |= STM32_RCC_APB1ENR_PWREN;
    (void)carillon_port_read(STM32_RCC_APB1ENR); /* an enabled device answers two cycles later */
    const uint32_t chosen = carillon_port_read(STM32_RCC_BDCR) & STM32_RCC_BDCR_RTCSEL;
    if (chosen == STM32_RCC_BDCR_LSI) {
        (void)stm32_start_lsi(); /* 1. */
    } else if ((chosen == 0u) && (CARILLON_RTC_LSE_MS > 0u)) {
        const uint32_t before = stm32_open();
        CARILLON_REGISTER(STM32_RCC_BDCR) |= STM32_RCC_BDCR_LSEON;
        (void)stm32_await(STM32_RCC_BDCR, STM32_RCC_BDCR_LSERDY, CARILLON_RTC_LSE_MS * STM32_POLLS_OF_MS);
        CARILLON_REGISTER(STM32_PWR_CR) = before;
    } else {
        /* it runs, or it waits for a date and the LSI */
    }
}

static inline bool carillon_rtc_has(uint32_t seconds)
{
    return (seconds >= STM32_FIRST) && (seconds <= STM32_LAST);
}

static inline bool carillon_rtc_read(uint32_t *seconds)
{
    if (((carillon_port_read(STM32_RCC_BDCR) & STM32_RCC_BDCR_RTCEN) == 0u) ||
        !stm32_await(STM32_RTC_ISR, STM32_RTC_ISR_RSF, STM32_SHORT)) {
        return false;
    }
    uint32_t part = carillon_port_read(STM32_RTC_SSR);
    uint32_t again;
    uint32_t time;
    uint32_t date;
    do { /* bounded: 3. */
        again = part;
        time = carillon_port_read(STM32_RTC_TR);
        date = carillon_port_read(STM32_RTC_DR);
        part = carillon_port_read(STM32_RTC_SSR);
    } while (part != again);
    (void)carillon_port_read(STM32_RTC_DR);
    uint32_t told = 0u;
    if (!stm32_second_of(time, date, &told)) {
        return false;
    }
    *seconds = told;
    return true;
}

/* The clock is chosen (2.), and runs. */
static inline bool stm32_choose(void)
{
    const uint32_t now = carillon_port_read(STM32_RCC_BDCR);
    uint32_t chosen = now & STM32_RCC_BDCR_RTCSEL;
    if (chosen == 0u) {
        chosen = ((now & STM32_RCC_BDCR_LSERDY) != 0u) ? STM32_RCC_BDCR_LSE : STM32_RCC_BDCR_LSI;
    }
    if ((chosen == STM32_RCC_BDCR_LSI) && !stm32_start_lsi()) {
        return false;
    }
    CARILLON_REGISTER(STM32_RCC_BDCR) = now | chosen | STM32_RCC_BDCR_RTCEN;
    return stm32_await(STM32_RTC_ISR, STM32_RTC_ISR_RSF, STM32_SHORT); /* 4. */
}

/* Of the LSE and the LSI the halves are known; whoever chose the HSE has set them. */
static inline void stm32_divide(void)
{
    const uint32_t chosen = carillon_port_read(STM32_RCC_BDCR) & STM32_RCC_BDCR_RTCSEL;
    if (chosen != STM32_RCC_BDCR_RTCSEL) {
        uint32_t half = STM32_LSI_SYNCHRONOUS;
        if (chosen == STM32_RCC_BDCR_LSE) {
            half = STM32_LSE_SYNCHRONOUS;
        }
        CARILLON_REGISTER(STM32_RTC_PRER) = half;
        CARILLON_REGISTER(STM32_RTC_PRER) = STM32_ASYNCHRONOUS | half; /* two stores, the synchronous half first */
    }
}

/* Flags of ISR are cleared by a 0, so that all others are written as 1. */
static inline bool carillon_rtc_write(uint32_t seconds)
{
    const uint32_t before = stm32_open();
    CARILLON_REGISTER(STM32_RTC_WPR) = 0xCAu;
    CARILLON_REGISTER(STM32_RTC_WPR) = 0x53u;
    bool sets = stm32_choose();
    if (sets) {
        CARILLON_REGISTER(STM32_RTC_ISR) = UINT32_MAX;
        sets = stm32_await(STM32_RTC_ISR, STM32_RTC_ISR_INITF, STM32_SHORT);
        if (sets) {
            stm32_divide();
            CARILLON_REGISTER(STM32_RTC_CR) &= ~(STM32_RTC_CR_BYPSHAD | STM32_RTC_CR_FMT);
            CARILLON_REGISTER(STM32_RTC_TR) = stm32_time_of(seconds);
            CARILLON_REGISTER(STM32_RTC_DR) = stm32_date_of(seconds);
        }
        CARILLON_REGISTER(STM32_RTC_ISR) = ~STM32_RTC_ISR_INIT;
    }
    CARILLON_REGISTER(STM32_RTC_WPR) = 0xFFu;
    CARILLON_REGISTER(STM32_PWR_CR) = before;
    return sets;
}

#endif
