// SPDX-License-Identifier: Apache-2.0
//! A task works as long twice: within a tick, and across the next one, in which a lower task is due.
#![no_std]
#![no_main]
use embassy_time::{Duration, Ticker, Timer};
use panic_halt as _;

#[path = "../clock.rs"]
mod clock;

#[embassy_executor::task]
async fn high() {
    let mut ticker = Ticker::every(Duration::from_millis(3));
    loop {
        ticker.next().await;
        board::mark_sequence!("quiet_begin");
        board::work(9_000);
        board::mark_sequence!("quiet_end");
        board::work(20);
        board::mark_sequence!("window_begin");
        board::work(9_000);
        board::mark_sequence!("window_end");
    }
}

#[embassy_executor::task]
async fn low() {
    Timer::after(Duration::from_millis(1)).await;
    let mut ticker = Ticker::every(Duration::from_millis(3));
    loop {
        ticker.next().await;
        board::mark!("low");
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    embassy_peer::tick();
    embassy_peer::high().spawn(high().unwrap());
    embassy_peer::low().spawn(low().unwrap());
    board::idle()
}
