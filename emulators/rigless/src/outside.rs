// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//! What happens to the chip from outside, and what it does to its pins.
//!
//! The crate has the ports, the converters and the serial lines.  It has the registers of EXTI and SYSCFG, and nothing
//! behind them.  So the lines 0 to 15 of EXTI are here (RM0090, section 12.2): an edge of the pin that SYSCFG_EXTICR
//! chooses sets a bit of EXTI_PR, as a bit of EXTI_SWIER does, and what EXTI_IMR lets through goes to the NVIC.  Events
//! (EXTI_EMR), and the lines that have no pin, are not there.
use std::collections::VecDeque;

use rigless::chip::Timeline;
use rigless::chip::uart::Peer;
use rigless::device::Level;
use rigless::emulator::{Access, Host, InterruptLine};
use rigless::session::Session;
use rigless::soc::Layout;
use rigless::soc::stm32f427::Stm32f427;
use rigless::soc::stm32f427::generated::{exti, gpioa, syscfg};
use rigless::soc::stm32f427::peripherals::adc::Channel;
use rigless::soc::stm32f427::peripherals::gpio::Pin;
use rigless::time::VirtualNanos;

use crate::plugin::{self, Stimulus};
use crate::{Chip, fail};

/// Writes that may change the level of a pin, or a line of EXTI: to SYSCFG and EXTI, to the ports, and to RCC, which
/// resets ports.
const SYSCFG: std::ops::Range<u64> = 0x4001_3800..0x4001_3C00;
const EXTI: std::ops::Range<u64> = 0x4001_3C00..0x4001_4000;
const PORTS: std::ops::Range<u64> = 0x4002_0000..0x4002_2C00;
pub const RCC: std::ops::Range<u64> = 0x4002_3800..0x4002_3C00;

/// The data registers of the ports USART1, 2, 3 and 6, UART7, 8, 4 and 5, in the order of the crate.
const SERIAL: [u64; 8] =
    [0x4001_1004, 0x4000_4404, 0x4000_4804, 0x4001_1404, 0x4000_7804, 0x4000_7C04, 0x4000_4C04, 0x4000_5004];

/// The interrupts of EXTI's lines 0 to 15, and which lines each has (RM0090, table 62).
const INTERRUPTS: [(u16, u64); 7] = [(6, 0x1), (7, 0x2), (8, 0x4), (9, 0x8), (10, 0x10), (23, 0x3E0), (40, 0xFC00)];
const LINES: u64 = 0xFFFF;

/// Channels that all three converters have at the same pins; the others are at those of the first two.
const SHARED: [u32; 8] = [0, 1, 2, 3, 10, 11, 12, 13];

/// The far end of a serial line: bytes that are not received yet.
#[derive(Debug, Default)]
struct Sender {
    bytes: VecDeque<u8>,
}

impl rigless::snapshot::Store for Sender {}

impl Peer for Sender {
    fn receive(&mut self, _: u16, _: &mut Timeline<'_, '_>) {}

    fn transmit(&mut self, _: VirtualNanos) -> Option<u16> {
        self.bytes.pop_front().map(u16::from)
    }
}

/// A pin of a port.
#[derive(Clone, Copy, Debug)]
struct Place {
    port: usize,
    pin: Pin,
}

impl Place {
    /// `PA0`, say.
    fn named(name: &str) -> Option<Self> {
        let letter = name.strip_prefix('P')?.chars().next().filter(|letter| ('A'..='K').contains(letter))?;
        let pin = Pin::new(name.get(2..)?.parse().ok()?)?;
        Some(Self { port: letter as usize - 'A' as usize, pin })
    }

    fn is_high(self, mcu: &mut Stm32f427) -> bool {
        let (port, registers) = mcu.port(self.port);
        port.level(self.pin, registers) == Level::High
    }
}

/// EXTI, and the levels of pins.
#[derive(Debug, Default)]
pub struct Outside {
    pins: Vec<(Place, bool)>, // those that are recorded, and whether each is high
    inputs: u64,              // the levels of EXTI's lines
    pending: u64,             // EXTI_PR
    software: u64,            // EXTI_SWIER
    raised: u64,              // the interrupts that EXTI holds, by their places in INTERRUPTS
    resets: usize,            // of the chip
}

fn set<L: Layout>(mcu: &mut Stm32f427, instance: &'static str, register: L, value: u64) {
    use rigless::mcu::Mcu;
    let slot = mcu.bus().slot(instance).unwrap_or_else(|error| fail(error));
    mcu.bus_mut().slot_mut(slot).registers_mut().set(register, value);
}

fn get<L: Layout>(mcu: &Stm32f427, instance: &'static str, register: L) -> u64 {
    use rigless::mcu::Mcu;
    mcu.bus().registers(instance).map_or(0, |registers| registers.get(register))
}

impl Outside {
    /// With what there is from reset on.
    pub fn new(mcu: &mut Stm32f427) -> Self {
        let pins = plugin::pins().into_iter().map(|name| match Place::named(&name) {
            Some(place) => (place, false),
            None => fail(format_args!("the chip has no pin {name}")),
        });
        let mut outside = Self { pins: pins.collect(), ..Self::default() };
        for serial in &mut mcu.usart {
            serial.attach(Sender::default());
        }
        while let Some(stimulus) = plugin::stimulus() {
            outside.give(&stimulus, mcu, VirtualNanos(0));
        }
        outside.record(mcu);
        outside.inputs = inputs(mcu);
        outside
    }

    /// What is due happens.
    pub fn happen(&mut self, session: &mut Session<Chip>, host: &mut dyn Host, at: VirtualNanos) {
        while let Some(stimulus) = plugin::stimulus() {
            if stimulus.kind == b'i' {
                self.request(stimulus.value, session, host);
            } else {
                self.give(&stimulus, &mut session.board_mut().mcu, at);
                self.look(session, host);
            }
        }
    }

    /// The firmware has written.
    pub fn written(&mut self, access: &Access, session: &mut Session<Chip>, host: &mut dyn Host) {
        if EXTI.contains(&access.address) {
            self.set_exti(access, session);
        }
        if [SYSCFG, EXTI, PORTS, RCC].iter().any(|range| range.contains(&access.address)) {
            self.look(session, host);
        }
    }

    /// A bit that is written to EXTI_PR takes back one of EXTI_SWIER, too.
    fn set_exti(&mut self, access: &Access, session: &mut Session<Chip>) {
        let mcu = &mut session.board_mut().mcu;
        let offset = (access.address - EXTI.start) as u32;
        let is = |register: exti::Register| offset & !3 == register.spec().offset;
        if is(exti::Register::Pr) {
            let cleared = access.value << (8 * (offset & 3));
            self.pending &= !cleared;
            self.software &= !cleared;
        } else if is(exti::Register::Swier) {
            let asked = get(mcu, "EXTI", exti::Register::Swier);
            let new = asked & !self.software & LINES;
            self.pending |= new & get(mcu, "EXTI", exti::Register::Imr);
            self.software |= asked;
        }
    }

    /// One thing that is not an interrupt happens.
    fn give(&mut self, stimulus: &Stimulus, mcu: &mut Stm32f427, at: VirtualNanos) {
        match stimulus.kind {
            b'p' => {
                let (place, _) = self.pins[stimulus.what as usize];
                let level = Some(Level::from(stimulus.value != 0));
                mcu.drive_port(at, place.port, |port, registers, bus| port.drive(place.pin, level, registers, bus));
                self.record(mcu);
            }
            b'a' => {
                let Some(channel) = u8::try_from(stimulus.what).ok().and_then(Channel::new) else {
                    fail(format_args!("the converters have no channel {}", stimulus.what));
                };
                let converters = if SHARED.contains(&stimulus.what) { 3 } else { 2 };
                for converter in &mut mcu.adc[..converters] {
                    converter.set_input(channel, (stimulus.value + 500) / 1000);
                }
            }
            _ => {
                let line = SERIAL.iter().position(|&data| data == u64::from(stimulus.what));
                let sender = line.and_then(|nth| mcu.usart[nth].chip_mut::<Sender>());
                match sender {
                    Some(sender) => sender.bytes.push_back(stimulus.value as u8),
                    None => fail(format_args!("the chip has no serial port at 0x{:x}", stimulus.what)),
                }
            }
        }
    }

    fn request(&self, source: u32, session: &mut Session<Chip>, host: &mut dyn Host) {
        let number = source.checked_sub(16).and_then(|number| u16::try_from(number).ok());
        let Some(line) = number.and_then(InterruptLine::new) else {
            fail(format_args!("the chip has no interrupt with source {source}"));
        };
        let held = INTERRUPTS.iter().position(|&(interrupt, _)| Some(interrupt) == number);
        if held.is_none_or(|place| self.raised >> place & 1 == 0) {
            session.pulse(line, host);
        }
    }

    /// Records what has become of the levels of pins.
    fn record(&mut self, mcu: &mut Stm32f427) {
        for (number, (place, was)) in self.pins.iter_mut().enumerate() {
            let high = place.is_high(mcu);
            if high != *was {
                plugin::level(number, high);
                *was = high;
            }
        }
    }

    /// Looks for edges, and tells the NVIC of them.
    fn look(&mut self, session: &mut Session<Chip>, host: &mut dyn Host) {
        let resets = session.resets().len();
        let mcu = &mut session.board_mut().mcu;
        self.record(mcu);
        let inputs = inputs(mcu);
        if resets != self.resets {
            self.resets = resets;
            self.inputs = inputs;
            (self.pending, self.software, self.raised) = (0, 0, 0);
        }
        let (rising, falling) = (get(mcu, "EXTI", exti::Register::Rtsr), get(mcu, "EXTI", exti::Register::Ftsr));
        self.pending |= (inputs & !self.inputs & rising) | (!inputs & self.inputs & falling);
        self.inputs = inputs;
        set(mcu, "EXTI", exti::Register::Pr, self.pending);
        set(mcu, "EXTI", exti::Register::Swier, self.software);
        let through = self.pending & get(mcu, "EXTI", exti::Register::Imr);
        for (place, (number, lines)) in INTERRUPTS.into_iter().enumerate() {
            let raise = through & lines != 0;
            if raise != (self.raised >> place & 1 != 0) {
                self.raised ^= 1 << place;
                let line = InterruptLine::new(number).expect("the NVIC has it");
                host.set_interrupt(line, Level::from(raise));
            }
        }
    }
}

/// The levels of EXTI's lines 0 to 15.
fn inputs(mcu: &mut Stm32f427) -> u64 {
    const CHOICES: [syscfg::Register; 4] =
        [syscfg::Register::Exticr1, syscfg::Register::Exticr2, syscfg::Register::Exticr3, syscfg::Register::Exticr4];
    (0..16u8).fold(0, |levels, number| {
        let chosen = get(mcu, "SYSCFG", CHOICES[usize::from(number / 4)]) >> (4 * (number % 4)) & 0xF;
        let place = Place { port: chosen as usize, pin: Pin::new(number).expect("16 pins") };
        levels | u64::from(place.port < mcu.gpio.len() && is_read(place, mcu) && place.is_high(mcu)) << number
    })
}

/// Whether the pin's input is on: it is off in analog mode, and reads 0.
fn is_read(place: Place, mcu: &mut Stm32f427) -> bool {
    let (_, registers) = mcu.port(place.port);
    registers.get(gpioa::Register::Moder) >> (2 * place.pin.bit()) & 3 != 3
}
