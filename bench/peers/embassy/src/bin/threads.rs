// SPDX-License-Identifier: Apache-2.0
//! Two tasks that delay: no more than what is needed.
#![no_std]
#![no_main]
use embassy_time::{Duration, Timer};
use panic_halt as _;

#[path = "../clock.rs"]
mod clock;

#[embassy_executor::task]
async fn first() {
    loop {
        Timer::after(Duration::from_millis(1)).await
    }
}

#[embassy_executor::task]
async fn second() {
    loop {
        Timer::after(Duration::from_millis(2)).await
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    embassy_peer::tick();
    if let Ok(task) = first() {
        embassy_peer::high().spawn(task);
    }
    if let Ok(task) = second() {
        embassy_peer::low().spawn(task);
    }
    loop {}
}
