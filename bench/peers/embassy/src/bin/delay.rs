// SPDX-License-Identifier: Apache-2.0
//! A task that waits for its next period, above what never waits.
#![no_std]
#![no_main]
use embassy_time::{Duration, Ticker};
use panic_halt as _;

#[path = "../clock.rs"]
mod clock;

#[embassy_executor::task]
async fn high() {
    let mut ticker = Ticker::every(Duration::from_millis(2));
    loop {
        board::mark!("block");
        ticker.next().await;
        board::mark!("woken");
        board::work(20);
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    embassy_peer::tick();
    embassy_peer::high().spawn(high().unwrap());
    board::idle()
}
