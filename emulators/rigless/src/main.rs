// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//! Runs an image on an STM32F4 of the crate `rigless`, and QEMU's tracing plugin with it.
//!
//! The crate's processor is wrapped in one that carries out one instruction at a time ([`stepper`]).  The plugin is told of
//! each as QEMU tells it of those that it translates and executes ([`plugin`]).
//!
//! Of an instruction's time the crate knows one thing: how many there are in a second, RATE, whatever clock the firmware
//! sets up.
mod calendar;
mod itm;
mod outside;
mod plugin;
mod stepper;

use std::io::{Write, stdout};
use std::net::TcpListener;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::Path;
use std::process::exit;
use std::sync::Arc;

use rigless::cpu::armv7m::windows;
use rigless::device::Level;
use rigless::emulator::{AccessKind, Driver, Host, Settled, Start, Stop, run};
use rigless::image::Image;
use rigless::machine::{Board, Target, armv7m};
use rigless::mcu::{Mcu, Operate};
use rigless::session::Session;
use rigless::soc::stm32f427::Stm32f427;
use rigless::soc::stm32f427::peripherals::rcc::Apb;
use rigless::time::{NO_DEADLINE, VirtualNanos};

use calendar::Part;
use outside::{Outside, RCC};

const NAME: &str = "stm32f427";

/// The microcontroller, its crystals and a supply.
#[derive(Debug)]
struct Chip {
    mcu: Part,
    rate: NonZeroU64,
    pin: bool, // SWO is there
}

impl rigless::snapshot::Store for Chip {}

impl Board for Chip {
    fn name(&self) -> &'static str {
        NAME
    }

    fn target_names(&self) -> Vec<&'static str> {
        vec![NAME]
    }

    fn mcu(&mut self, target: usize) -> Option<&mut dyn Mcu> {
        (target == 0).then_some(&mut self.mcu)
    }

    fn targets(&mut self) -> Vec<Target<'_>> {
        let lines = u32::from(Operate::cpu(&self.mcu).interrupt_lines);
        let core = armv7m::Core {
            variant: armv7m::Variant::M4,
            clock_hz: self.rate, // of SysTick, which the crate leaves at that
            interrupt_lines: NonZeroU32::new(lines).expect("a part with interrupts"),
            priority_bits: 4,
            refclk_divider: NonZeroU32::new(8).expect("8 is not 0"),
            instructions_per_second: self.rate,
            boot: "flash",
        };
        let mut own = windows(Mcu::bus(&self.mcu));
        own.extend(self.pin.then_some(itm::ITM));
        let mut spec = core.spec_with_parts(&own, armv7m::Fpu::FpV4Sp, armv7m::MpuRegions::Eight);
        let make = spec.processor;
        spec.processor = Arc::new(move |endian| Ok(Box::new(stepper::Stepper::new(make(endian)?))));
        vec![Target::new(NAME, &mut self.mcu, spec)]
    }
}

/// The timers that have TIM2 as an internal trigger, and as which (RM0090, tables 93 and 97): TIM3 to TIM5, TIM1 and TIM8, as
/// the crate counts them.  The crate has both ends, and leaves the wires to a board.
const GENERAL: [(usize, u8); 3] = [(1, 1), (2, 1), (3, 0)];
const ADVANCED: [(usize, u8); 2] = [(0, 1), (1, 1)];
const TIM2: usize = 0;
const TIM2_SMCR: u64 = 0x4000_0008;
const MASTERS: usize = 4; // of TIM2, as its internal triggers: TIM1, TIM8, TIM3 and TIM4
const SECOND: u128 = 1_000_000_000; // in nanoseconds
const CONSOLES: [u64; 2] = [0x4000_4404, 0x4000_4804]; // the data registers of USART2 and USART3

/// A clock that RCC makes.
#[derive(Clone, Copy)]
struct Clock {
    hz: u64,
    since: VirtualNanos, // when it has begun
}

impl Clock {
    /// When its first edge from an instant on comes.
    fn edge(&self, at: VirtualNanos) -> VirtualNanos {
        let hz = u128::from(self.hz.max(1));
        let edges = (u128::from(at.0 - self.since.0) * hz).div_ceil(SECOND);
        VirtualNanos(self.since.0 + (edges * SECOND).div_ceil(hz) as u64)
    }
}

/// The board: its timers' triggers, where the firmware's output goes, and what happens to the chip from outside.
struct Wires {
    masters: [(Level, u64); MASTERS], // the level of each one's trigger output, and its pulses so far
    trigger: Level,
    outside: Outside,
    awaited: bool,      // the next stimulus is
    clocks: [Clock; 3], // the processor's and those of each bus's timers
}

impl Wires {
    /// Tells of the clocks that RCC makes, if they have changed.
    fn look(&mut self, session: &mut Session<Chip>, now: VirtualNanos) {
        let (rcc, registers) = session.board_mut().mcu.clocks();
        let [one, two] = [Apb::One, Apb::Two].map(|bus| rcc.timer_clock(registers, bus));
        let rates = [rcc.hclk(registers), one, two];
        if self.clocks.map(|clock| clock.hz) != rates {
            rates.into_iter().for_each(plugin::clock);
        }
        for (clock, hz) in self.clocks.iter_mut().zip(rates) {
            if clock.hz != hz {
                *clock = Clock { hz, since: now };
            }
        }
    }

    /// When the next stimulus is due, `executed` instructions after reset; NO_DEADLINE if that is not known, or never.
    fn due(&mut self, executed: u64, rate: NonZeroU64) -> VirtualNanos {
        let wait = plugin::wait();
        self.awaited = wait.is_some();
        wait.map_or(NO_DEADLINE, |wait| {
            let nanos = (u128::from(executed) + u128::from(wait)) * 1_000_000_000;
            u64::try_from(nanos.div_ceil(rate.get().into())).map_or(NO_DEADLINE, VirtualNanos)
        })
    }
}

fn say(bytes: &[u8]) {
    let mut out = stdout();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        fail("cannot write the output");
    }
}

impl Wires {
    /// Asks the run to reach the next stimulus, if when it comes was not known before.
    fn await_stimulus(&mut self, session: &mut Session<Chip>, executed: u64) {
        if !self.awaited {
            let rate = session.board().rate;
            let due = self.due(executed, rate);
            session.run_until(due);
        }
    }

    /// What TIM1, TIM8, TIM3 and TIM4 trigger goes to TIM2.  A pulse is an edge that is over at once.
    fn trigger_starter(&mut self, mcu: &mut Part, at: VirtualNanos) {
        let [one, eight] = [0, 1].map(|nth| mcu.advanced[nth].trigger_output());
        let outputs = [one, eight, mcu.tim[1].trigger_output(), mcu.tim[2].trigger_output()];
        for (input, (output, was)) in (0u8..).zip(outputs.into_iter().zip(&mut self.masters)) {
            if output == *was {
                continue;
            }
            let levels: &[Level] = if output.1 > was.1 { &[Level::High, Level::Low] } else { &[output.0] };
            *was = output;
            for &level in levels {
                mcu.drive_timer(at, TIM2, |timer, registers, bus| {
                    timer.drive_internal_trigger(input, level, registers, bus);
                });
            }
        }
    }

    /// The level of TIM2's trigger output goes to the others.  `stored`: it may have changed between edges of clocks.
    fn trigger_cells(&mut self, session: &mut Session<Chip>, now: VirtualNanos, stored: bool) {
        let rate = u128::from(session.board().rate.get());
        let mcu = &mut session.board_mut().mcu;
        self.trigger_starter(mcu, now);
        let (level, _) = mcu.tim[TIM2].trigger_output();
        if level == self.trigger {
            return;
        }
        self.trigger = level;
        // All timers see it at an edge of the slowest, which is one of each.  From there on the run counts.
        let slowest = self.clocks.iter().min_by_key(|clock| clock.hz).expect("there are clocks");
        let at = if stored { slowest.edge(now) } else { now };
        if level == Level::High {
            let [now, seen] = [now, at].map(|time| (u128::from(time.0) * rate + SECOND / 2) / SECOND);
            plugin::starts((seen - now) as u32);
        }
        for (nth, input) in GENERAL {
            mcu.drive_timer(at, nth, |timer, registers, bus| {
                timer.drive_internal_trigger(input, level, registers, bus);
            });
        }
        for (nth, input) in ADVANCED {
            mcu.drive_advanced_timer(at, nth, |timer, registers, bus| {
                timer.drive_internal_trigger(input, level, registers, bus);
            });
        }
    }
}

impl Driver<Chip> for Wires {
    /// Triggers go from timer to timer, and what the consoles send is this program's output.
    fn on_settled(&mut self, session: &mut Session<Chip>, host: &mut dyn Host, settled: Settled) {
        let access = match settled {
            Settled::Access { access, .. } => access,
            Settled::Stop(stop) => {
                self.trigger_cells(session, stop.at, false);
                self.await_stimulus(session, stop.instruction_count); // they count from the cells' start
                return;
            }
            _ => return,
        };
        self.await_stimulus(session, access.instruction_count);
        if RCC.contains(&access.address) {
            self.look(session, access.virtual_time);
        }
        if access.kind != AccessKind::Write {
            return;
        }
        if RCC.contains(&access.address) {
            session.board_mut().mcu.look(access.virtual_time);
        }
        self.outside.written(&access, session, host);
        if CONSOLES.contains(&access.address) {
            say(&[access.value as u8]);
        }
        if access.address == TIM2_SMCR && access.value & 7 == 6 {
            plugin::waits(); // in trigger mode TIM2 itself is started by another timer
        }
        self.trigger_cells(session, access.virtual_time, true);
    }

    /// A stimulus is due, or is one instruction later.
    fn on_stop(&mut self, session: &mut Session<Chip>, stop: Stop, host: &mut dyn Host) -> Option<VirtualNanos> {
        self.outside.happen(session, host, stop.at);
        let rate = session.board().rate;
        Some(self.due(stop.instruction_count, rate))
    }

    fn on_console(&mut self, _: VirtualNanos, _: u64, bytes: &[u8]) {
        say(bytes);
    }
}

/// There is no trace: say why.
fn fail(why: impl std::fmt::Display) -> ! {
    eprintln!("carillon: {why}");
    exit(1);
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let usage = "usage: carillon-rigless DEVICE CRYSTAL [lse=CRYSTAL] RATE IMAGE map=FILE out=FILE ... [stimuli=FILE]\n       \
                 [swo=FILE swo_bytes=RATE]\n       \
                 carillon-rigless DEVICE CRYSTAL [lse=CRYSTAL] RATE IMAGE gdb=PORT";
    let [_, device, crystal, others @ ..] = arguments.as_slice() else { fail(usage) };
    let (slow, others) = match others {
        [first, others @ ..] if first.starts_with("lse=") => (&first[4..], others),
        _ => ("0", others),
    };
    let [rate, image, options @ ..] = others else { fail(usage) };
    let (Ok(crystal), Ok(slow), Ok(rate)) = (crystal.parse(), slow.parse(), rate.parse()) else {
        fail("the crystals' frequencies and the instructions in a second are numbers");
    };
    if device != NAME {
        fail(format_args!("the runner has no {device}, but {NAME}"));
    }
    let image = Image::read(Path::new(image), None).unwrap_or_else(|error| fail(error));
    let mut mcu = Stm32f427::new().unwrap_or_else(|error| fail(error));
    mcu.rcc.attach_crystals(crystal, slow);
    mcu.set_supply(3300);
    let mut options = options.to_vec();
    let pin = itm::begin(&mut options);
    // A debugger says how far the processor goes, and nothing is traced.
    let listener = match options.as_slice() {
        [only] if only.starts_with("gdb=") => {
            Some(TcpListener::bind(format!("127.0.0.1:{}", &only[4..])).unwrap_or_else(|error| fail(error)))
        }
        _ => None,
    };
    if listener.is_none() && !plugin::install(&options) {
        exit(1); // it has said why
    }
    let outside = Outside::new(&mut mcu);
    let chip = Box::new(Chip { mcu: Part::new(mcu), rate, pin });
    let session = Session::new(chip, 0, NO_DEADLINE).unwrap_or_else(|error| fail(error));
    let images = [image];
    let mut start = Start::new(&images);
    start.semihosting = true;
    start.debugger = listener.as_ref();
    start.wait_for_debugger = true;
    let clocks = [Clock { hz: 0, since: VirtualNanos(0) }; 3];
    let wires = Wires { masters: [(Level::Low, 0); MASTERS], trigger: Level::Low, outside, awaited: false, clocks };
    match run(session, &start, wires) {
        Ok(_) if listener.is_some() => {} // the debugger has ended it
        Ok(_) => fail("the emulator ended before the run did"),
        Err(error) => fail(error),
    }
}
