// SPDX-License-Identifier: Apache-2.0
//! A task, and a hundred of lower priority, which are all due in the same tick.
#![no_std]
#![no_main]
use embassy_time::{Duration, Ticker};
use panic_halt as _;

#[path = "../clock.rs"]
mod clock;

#[embassy_executor::task]
async fn high() {
    let mut ticker = Ticker::every(Duration::from_millis(20));
    loop {
        ticker.next().await;
        board::mark!("woken");
        board::work(20);
    }
}

#[embassy_executor::task(pool_size = 100)]
async fn low() {
    let mut ticker = Ticker::every(Duration::from_millis(20));
    loop {
        ticker.next().await
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let (above, below) = (embassy_peer::high(), embassy_peer::low());
    above.spawn(high().unwrap());
    for _ in 0..100 {
        below.spawn(low().unwrap());
    }
    embassy_peer::tick();
    board::idle()
}
