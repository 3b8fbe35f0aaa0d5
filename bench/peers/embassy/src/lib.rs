// SPDX-License-Identifier: Apache-2.0
//! What the programs have in common: two levels, and an executor on each.
#![no_std]
use board::Interrupt;
use embassy_executor::{InterruptExecutor, SendSpawner};

pub static HIGH: InterruptExecutor = InterruptExecutor::new();
pub static LOW: InterruptExecutor = InterruptExecutor::new();

#[no_mangle]
extern "C" fn Soft0() {
    // SAFETY: it is called by this executor's interrupt alone.
    unsafe { HIGH.on_interrupt() }
}

#[no_mangle]
extern "C" fn Soft1() {
    // SAFETY: it is called by this executor's interrupt alone.
    unsafe { LOW.on_interrupt() }
}

fn started(executor: &'static InterruptExecutor, interrupt: Interrupt, priority: u8) -> SendSpawner {
    // SAFETY: no critical section depends on it: they disable all interrupts.
    unsafe { cortex_m::Peripherals::steal().NVIC.set_priority(interrupt, priority << (8 - board::NVIC_PRIO_BITS)) };
    executor.start(interrupt)
}

pub fn high() -> SendSpawner {
    started(&HIGH, Interrupt::Soft0, 14)
}

pub fn low() -> SendSpawner {
    started(&LOW, Interrupt::Soft1, 15)
}

/// Let SysTick interrupt a thousand times a second.
pub fn tick() {
    // SAFETY: nobody else has it.
    board::tick(unsafe { cortex_m::Peripherals::steal().SYST })
}
