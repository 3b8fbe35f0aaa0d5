// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//! The chip with its real-time clock.
//!
//! Of the backup domain the crate has the registers, what DBP of PWR_CR lets through, RCC_BDCR and its reset.  The
//! calendar is here (RM0090, section 26).  Alarms, the wake-up timer, time stamps, tampering, the calibration and
//! SHIFTR are not there.
//!
//! 1. The keys 0xCA and 0x53, one after another in WPR, let writes through, and any other value shuts them out.
//!    RTC_ISR's flags, TAFCR and the backup registers need no keys (26.3.5).
//! 2. INIT is asked for, and INITF is there two cycles of RTCCLK later.  TR, DR and PRER take a write only then, and
//!    the calendar stands.  It goes on four cycles after INIT is cleared.
//! 3. PRER takes its two halves by two writes: the synchronous one by the first.
//! 4. What is read are shadows.  They are valid while RSF is set: two cycles after a reset, after INIT, and after
//!    software has cleared RSF.  Until then they have what they had, and after a reset 0 and 0x2101 (26.3.6).
//! 5. A read of SSR keeps TR and DR as they are, and a read of TR keeps DR, until DR is read.
//! 6. A reset of the system clears INIT, INITF, RSF and the shadows alone.  It does not change what WPR lets through.
//! 7. INITS is set while the year is not 0.  Each fourth year is a leap year, and 0 follows 99.
//! 8. Without a crystal the LSE never gets ready; the crate would say so.
use std::ops::{Deref, DerefMut};

use rigless::device::{Device, DeviceContext, ErasedDevice, Level, RegisterFile, RequestChange, ResetCause};
use rigless::mcu::Mcu;
use rigless::soc::stm32f427::Stm32f427;
use rigless::soc::stm32f427::generated::{rcc, rtc::Register};
use rigless::soc::stm32f427::peripherals::rtc::BACKUP_DOMAIN_RESET;
use rigless::soc::{Bus, Layout};
use rigless::time::VirtualNanos;

use crate::fail;

const SECOND: u128 = 1_000_000_000;
const INITS: u64 = 1 << 4;
const RSF: u64 = 1 << 5;
const INITF: u64 = 1 << 6;
const INIT: u64 = 1 << 7;
const FLAGS: u64 = 0x3F00; // of ISR, which need no keys
const TR: u64 = 0x007F_7F7F;
const DR: u64 = 0x00FF_FF3F;
const FIRST_DAY: u64 = 0x2101;
const SYNCHRONOUS: u64 = 0x7FFF;
const PRESCALERS: u64 = 0x007F_00FF;
const ENTERS: u64 = 2; // cycles from INIT to INITF, and from there on to shadows that are valid
const GOES_ON: u64 = 4; // cycles from the end of INIT to the calendar's first

/// SSR, TR and DR.
#[derive(Clone, Copy, Debug)]
struct Shown {
    part: u64,
    time: u64,
    date: u64,
}

const NOTHING: Shown = Shown { part: 0, time: 0, date: FIRST_DAY };

/// The calendar and its registers.
#[derive(Debug)]
pub struct Calendar {
    hz: u64,             // of RTCCLK; 0: it stands
    rate: u64,           // as RCC has it now
    since: VirtualNanos, // when it was looked at last
    rest: u128,          // of a cycle that had passed by then, in parts of SECOND
    cycles: u64,         // that have passed
    divided: u64,        // those of them since the second began
    time: u64,           // as in TR
    date: u64,           // as in DR
    prescalers: u64,     // as in PRER
    half: Option<u64>,   // the first of two writes to PRER
    key: bool,           // the first key was written last
    open: bool,          // writes go through
    enters: Option<u64>, // the cycle of INITF, if INIT is set
    goes_on: u64,        // the cycle from which the calendar counts
    valid: u64,          // the cycle of RSF
    shown: Shown,        // what is read before
    kept_time: Option<u64>,
    kept_date: Option<u64>,
    written: Vec<u64>, // every register as it was let through last
}

impl Calendar {
    fn new() -> Self {
        Self {
            hz: 0,
            rate: 0,
            since: VirtualNanos(0),
            rest: 0,
            cycles: 0,
            divided: 0,
            time: 0,
            date: FIRST_DAY,
            prescalers: PRESCALERS,
            half: None,
            key: false,
            open: false,
            enters: None,
            goes_on: 0,
            valid: ENTERS,
            shown: NOTHING,
            kept_time: None,
            kept_date: None,
            written: Register::REGISTERS.iter().map(|register| register.reset).collect(),
        }
    }

    /// What has passed is counted; from here on RTCCLK has the rate that RCC says.
    fn look(&mut self, now: VirtualNanos) {
        let passed = u128::from(now.0.saturating_sub(self.since.0)) * u128::from(self.hz) + self.rest;
        let before = self.cycles;
        self.cycles += (passed / SECOND) as u64;
        (self.rest, self.since) = (passed % SECOND, now);
        if self.rate != self.hz {
            (self.hz, self.rest) = (self.rate, 0);
        }
        let until = self.enters.map_or(self.cycles, |enters| self.cycles.min(enters));
        self.divided += until.saturating_sub(before.max(self.goes_on));
        while self.divided >= self.second() {
            self.divided -= self.second();
            self.step();
        }
    }

    fn asynchronous(&self) -> u64 {
        (self.prescalers >> 16) + 1
    }

    /// Cycles in a second of the calendar.
    fn second(&self) -> u64 {
        self.asynchronous() * ((self.prescalers & SYNCHRONOUS) + 1)
    }

    /// A second passes.
    fn step(&mut self) {
        let [second, minute, hour] = [0, 8, 16].map(|bit| two(self.time >> bit & 0x7F));
        let passed = (hour * 60 + minute) * 60 + second + 1;
        self.time = bcd(passed % 60) | bcd(passed / 60 % 60) << 8 | bcd(passed / 3600 % 24) << 16;
        if passed == 24 * 3600 {
            self.next_day();
        }
    }

    fn next_day(&mut self) {
        let (mut day, mut month, mut year) = (two(self.date & 0x3F), two(self.date >> 8 & 0x1F), two(self.date >> 16));
        let days = match month {
            2 => 28 + u64::from(year % 4 == 0),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        day += 1;
        if day > days {
            (day, month) = (1, month + 1);
        }
        if month > 12 {
            (month, year) = (1, (year + 1) % 100);
        }
        let weekday = (self.date >> 13 & 7) % 7 + 1;
        self.date = bcd(year) << 16 | weekday << 13 | bcd(month) << 8 | bcd(day);
    }

    fn is_initialising(&self) -> bool {
        self.enters.is_some_and(|enters| self.cycles >= enters)
    }

    fn is_valid(&self) -> bool {
        self.enters.is_none() && self.cycles >= self.valid
    }

    /// The shadows.
    fn shadow(&self) -> Shown {
        if !self.is_valid() {
            return self.shown;
        }
        let part = (self.prescalers & SYNCHRONOUS).saturating_sub(self.divided / self.asynchronous());
        Shown { part, time: self.time, date: self.date }
    }

    /// From here on the shadows are not valid, for so many cycles.
    fn invalidate(&mut self, shown: Shown) {
        self.shown = shown;
        self.valid = self.cycles + ENTERS;
    }

    fn isr(&self) -> u64 {
        let bit = |is: bool, bit| if is { bit } else { 0 };
        self.written[Register::Isr.index()] & (FLAGS | 7)
            | bit(self.date >> 16 != 0, INITS)
            | bit(self.is_valid(), RSF)
            | bit(self.is_initialising(), INITF)
            | bit(self.enters.is_some(), INIT)
    }

    fn set_isr(&mut self, value: u64) {
        self.written[Register::Isr.index()] &= value | !FLAGS;
        if !self.open {
            return;
        }
        if value & RSF == 0 && self.is_valid() {
            self.invalidate(self.shadow());
        }
        match (self.enters, value & INIT != 0) {
            (None, true) => {
                self.shown = self.shadow();
                (self.enters, self.half) = (Some(self.cycles + ENTERS), None);
            }
            (Some(_), false) => {
                if self.is_initialising() {
                    self.goes_on = self.cycles + GOES_ON;
                }
                self.enters = None;
                self.invalidate(self.shown);
            }
            _ => {}
        }
    }

    fn set_prescalers(&mut self, value: u64) {
        match self.half.take() {
            None => self.half = Some(value),
            Some(first) => {
                self.prescalers = value & PRESCALERS & !SYNCHRONOUS | first & SYNCHRONOUS;
                self.divided = 0;
            }
        }
    }

    /// The system has been reset.
    fn reset(&mut self) {
        if self.is_initialising() {
            self.goes_on = self.cycles + GOES_ON;
        }
        (self.enters, self.kept_time, self.kept_date) = (None, None, None);
        self.invalidate(NOTHING);
    }
}

/// The number that two digits have, and the digits of a number.
fn two(digits: u64) -> u64 {
    (digits >> 4) * 10 + (digits & 0xF)
}

fn bcd(number: u64) -> u64 {
    number / 10 << 4 | number % 10
}

impl Device for Calendar {
    type Register = Register;

    fn read(&mut self, register: Register, _: &mut RegisterFile, context: &mut DeviceContext<'_>) -> Option<u64> {
        self.look(context.now());
        let shadow = self.shadow();
        match register {
            Register::Ssr => {
                self.kept_time.get_or_insert(shadow.time);
                self.kept_date.get_or_insert(shadow.date);
                Some(shadow.part)
            }
            Register::Tr => {
                self.kept_date.get_or_insert(shadow.date);
                Some(self.kept_time.unwrap_or(shadow.time))
            }
            Register::Dr => {
                self.kept_time = None;
                Some(self.kept_date.take().unwrap_or(shadow.date))
            }
            Register::Isr => Some(self.isr()),
            Register::Prer => Some(self.prescalers),
            _ => None,
        }
    }

    fn write(&mut self, register: Register, value: u64, registers: &mut RegisterFile, context: &mut DeviceContext<'_>) {
        self.look(context.now());
        let free = register == Register::Tafcr || register.index() >= Register::Bkp0r.index();
        match register {
            Register::Wpr => {
                self.open = self.key && value & 0xFF == 0x53;
                self.key = value & 0xFF == 0xCA;
            }
            Register::Isr => self.set_isr(value),
            Register::Tr if self.open && self.is_initialising() => {
                (self.time, self.divided) = (value & TR, 0);
            }
            Register::Dr if self.open && self.is_initialising() => self.date = value & DR,
            Register::Prer if self.open && self.is_initialising() => self.set_prescalers(value),
            Register::Tr | Register::Dr | Register::Prer => {}
            _ if self.open || free => self.written[register.index()] = registers.get(register),
            _ => {}
        }
        registers.set(register, self.written[register.index()]);
    }

    fn on_request(&mut self, change: RequestChange, registers: &mut RegisterFile, context: &mut DeviceContext<'_>) {
        if change.instance == "RCC" && change.request == BACKUP_DOMAIN_RESET && change.level == Level::High {
            *self = Self { since: context.now(), ..Self::new() };
            registers.reset();
        }
    }
}

/// The crate's chip, and its real-time clock.
#[derive(Debug)]
pub struct Part {
    chip: Stm32f427,
    calendar: Calendar,
    slot: usize,
    rcc: usize,
}

impl Part {
    pub fn new(chip: Stm32f427) -> Self {
        let slot = |name| chip.bus().slot(name).unwrap_or_else(|error| fail(error));
        let (slot, rcc) = (slot("RTC"), slot("RCC"));
        Self { chip, calendar: Calendar::new(), slot, rcc }
    }

    /// The rate of RTCCLK may be another one from here on.
    pub fn look(&mut self, now: VirtualNanos) {
        let (clocks, registers) = self.chip.clocks();
        self.calendar.rate = clocks.rtc_clock(registers);
        self.calendar.look(now);
    }
}

impl Deref for Part {
    type Target = Stm32f427;
    fn deref(&self) -> &Stm32f427 {
        &self.chip
    }
}

impl DerefMut for Part {
    fn deref_mut(&mut self) -> &mut Stm32f427 {
        &mut self.chip
    }
}

impl Mcu for Part {
    fn bus(&self) -> &Bus {
        self.chip.bus()
    }
    fn bus_mut(&mut self) -> &mut Bus {
        self.chip.bus_mut()
    }
    fn reset(&mut self, at: VirtualNanos, cause: ResetCause) {
        self.look(at);
        self.chip.reset(at, cause);
        self.look(at);
        self.calendar.reset();
    }
    fn poll(&mut self, now: VirtualNanos) {
        self.chip.poll(now);
    }
    fn split(&mut self, slot: usize) -> (&mut Bus, Option<&mut dyn ErasedDevice>) {
        let (clocks, registers) = self.chip.clocks();
        if slot == self.rcc && clocks.crystals().1 == 0 {
            registers.restore(rcc::Register::Bdcr, rcc::bdcr::LSERDY.mask(), 0); // 8.
        }
        if slot != self.slot {
            return self.chip.split(slot);
        }
        self.calendar.rate = clocks.rtc_clock(registers);
        (self.chip.bus_mut(), Some(&mut self.calendar))
    }
}
