// SPDX-License-Identifier: Apache-2.0
//! The board `ast1030-evb`: SysTick, and interrupts that no device raises.  And marks, as `bench/services/mark.h` has them.
#![no_std]
use cortex_m::peripheral::{syst::SystClkSource, SYST};
use cortex_m_rt as _;

/// SysTick's clock.
pub const HZ: u32 = 200_000_000;
/// As many as Carillon takes on this board.
pub const NVIC_PRIO_BITS: u8 = 4;

#[derive(Clone, Copy)]
#[repr(u16)]
pub enum Interrupt {
    Soft0,
    Soft1,
    Soft2,
    Soft3,
}

pub use Interrupt as interrupt; // RTIC's name for it

// SAFETY: the numbers are those of the vectors below.
unsafe impl cortex_m::interrupt::InterruptNumber for Interrupt {
    fn number(self) -> u16 {
        self as u16
    }
}

extern "C" {
    fn Soft0();
    fn Soft1();
    fn Soft2();
    fn Soft3();
}

#[link_section = ".vector_table.interrupts"]
#[no_mangle]
pub static __INTERRUPTS: [unsafe extern "C" fn(); 4] = [Soft0, Soft1, Soft2, Soft3];

/// A place that the emulator's tracing records; no instruction.
#[macro_export]
macro_rules! mark {
    ($name:literal) => {
        // SAFETY: there is no instruction.
        unsafe { core::arch::asm!(concat!(".global bench_", $name, "\nbench_", $name, ":")) }
    };
}

/// A mark over which no register keeps its value, but for those that Rust keeps for itself.
#[macro_export]
macro_rules! mark_sequence {
    ($name:literal) => {
        // SAFETY: there is no instruction.
        unsafe {
            core::arch::asm!(concat!(".global bench_", $name, "\nbench_", $name, ":"),
                out("r0") _, out("r1") _, out("r2") _, out("r3") _, out("r4") _, out("r5") _,
                out("r8") _, out("r9") _, out("r10") _, out("r11") _, out("r12") _, out("lr") _)
        }
    };
}

/// Execute so many instructions, two a turn.
#[inline(never)]
pub fn work(instructions: u32) {
    // SAFETY: only the register changes.
    unsafe {
        core::arch::asm!("2:", "subs {0}, #1", "bne 2b", inout(reg) instructions / 2 => _, options(nomem, nostack));
    }
}

/// Let SysTick interrupt a thousand times a second.
pub fn tick(mut timer: SYST) {
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(HZ / 1_000 - 1);
    timer.clear_current();
    timer.enable_interrupt();
    timer.enable_counter();
}

/// What is preempted.  The run is as long as is asked from its beginning on, which the emulator sees by a load.
pub fn idle() -> ! {
    // SAFETY: address 0 has the vector table.
    unsafe {
        core::arch::asm!(".global bench_begin", "bench_begin:", "ldr {0}, [{0}]", inout(reg) 0 => _, options(nostack))
    }
    loop {}
}
