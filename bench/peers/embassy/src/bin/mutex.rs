// SPDX-License-Identifier: Apache-2.0
//! A task locks a mutex for which nobody waits; then it locks it again, and a higher task waits for it meanwhile.
#![no_std]
#![no_main]
use embassy_sync::{blocking_mutex::raw::CriticalSectionRawMutex, mutex::Mutex};
use embassy_time::{Duration, Ticker, Timer};
use panic_halt as _;

#[path = "../clock.rs"]
mod clock;

static BUS: Mutex<CriticalSectionRawMutex, u32> = Mutex::new(0);

#[embassy_executor::task]
async fn high() {
    Timer::after(Duration::from_millis(2)).await; // Low locks the mutex at 4
    let mut ticker = Ticker::every(Duration::from_millis(4));
    loop {
        ticker.next().await;
        let bus = BUS.lock().await;
        board::mark!("handed");
        drop(bus);
    }
}

#[embassy_executor::task]
async fn low() {
    let mut ticker = Ticker::every(Duration::from_millis(4));
    loop {
        ticker.next().await;
        board::mark_sequence!("lock");
        let bus = BUS.lock().await;
        board::mark_sequence!("locked");
        board::work(20);
        board::mark_sequence!("unlock");
        drop(bus);
        board::mark_sequence!("unlocked");
        let bus = BUS.lock().await;
        Timer::after(Duration::from_millis(3)).await;
        board::mark_sequence!("hand");
        drop(bus);
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    embassy_peer::tick();
    embassy_peer::high().spawn(high().unwrap());
    embassy_peer::low().spawn(low().unwrap());
    board::idle()
}
