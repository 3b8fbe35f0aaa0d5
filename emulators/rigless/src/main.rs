// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//! Runs an image on an STM32F4 of the crate `rigless`, and QEMU's tracing plugin with it.
//!
//! The crate's processor is wrapped in one that carries out one instruction at a time ([`stepper`]).  The plugin is told of
//! each as QEMU tells it of those that it translates and executes ([`plugin`]).
//!
//! Of an instruction's time the crate knows one thing: how many there are in a second, RATE, whatever clock the firmware
//! sets up.
mod plugin;
mod stepper;

use std::io::{Write, stdout};
use std::num::{NonZeroU32, NonZeroU64};
use std::path::Path;
use std::process::exit;
use std::sync::Arc;

use rigless::cpu::armv7m::windows;
use rigless::emulator::{Driver, Host, Start, Stop, run};
use rigless::image::Image;
use rigless::machine::{Board, Target, armv7m};
use rigless::mcu::{Mcu, Operate};
use rigless::session::Session;
use rigless::soc::stm32f427::Stm32f427;
use rigless::time::{NO_DEADLINE, VirtualNanos};

const NAME: &str = "stm32f427";

/// The microcontroller, its crystal and a supply.
#[derive(Debug)]
struct Chip {
    mcu: Stm32f427,
    rate: NonZeroU64,
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
        let own = windows(Mcu::bus(&self.mcu));
        let mut spec = core.spec_with_parts(&own, armv7m::Fpu::FpV4Sp, armv7m::MpuRegions::Eight);
        let make = spec.processor;
        spec.processor = Arc::new(move |endian| Ok(Box::new(stepper::Stepper::new(make(endian)?))));
        vec![Target::new(NAME, &mut self.mcu, spec)]
    }
}

/// What the firmware writes to its console goes to this program's output.
struct Console;

impl Driver<Chip> for Console {
    fn on_stop(&mut self, _: &mut Session<Chip>, _: Stop, _: &mut dyn Host) -> Option<VirtualNanos> {
        None
    }

    fn on_console(&mut self, _: VirtualNanos, _: u64, bytes: &[u8]) {
        let mut out = stdout();
        if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
            fail("cannot write the output");
        }
    }
}

/// There is no trace: say why.
fn fail(why: impl std::fmt::Display) -> ! {
    eprintln!("carillon: {why}");
    exit(1);
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, device, crystal, rate, image, options @ ..] = arguments.as_slice() else {
        fail("usage: carillon-rigless DEVICE CRYSTAL RATE IMAGE map=FILE out=FILE ...");
    };
    let (Ok(crystal), Ok(rate)) = (crystal.parse(), rate.parse()) else {
        fail("the crystal's frequency and the instructions in a second are numbers");
    };
    if device != NAME {
        fail(format_args!("the runner has no {device}, but {NAME}"));
    }
    let image = Image::read(Path::new(image), None).unwrap_or_else(|error| fail(error));
    let mut mcu = Stm32f427::new().unwrap_or_else(|error| fail(error));
    mcu.rcc.attach_crystals(crystal, 0);
    mcu.set_supply(3300);
    if !plugin::install(options) {
        exit(1); // it has said why
    }
    let chip = Box::new(Chip { mcu, rate });
    let session = Session::new(chip, 0, NO_DEADLINE).unwrap_or_else(|error| fail(error));
    let images = [image];
    let mut start = Start::new(&images);
    start.semihosting = true;
    match run(session, &start, Console) {
        Ok(_) => fail("the emulator ended before the run did"),
        Err(error) => fail(error),
    }
}
