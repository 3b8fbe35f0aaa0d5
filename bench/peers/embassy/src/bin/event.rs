// SPDX-License-Identifier: Apache-2.0
//! A task waits for a signal, which an interrupt sends.
#![no_std]
#![no_main]
use embassy_sync::{blocking_mutex::raw::CriticalSectionRawMutex, signal::Signal};
use panic_halt as _;

static GO: Signal<CriticalSectionRawMutex, ()> = Signal::new();

#[cortex_m_rt::exception]
fn SysTick() {
    GO.signal(());
}

#[embassy_executor::task]
async fn high() {
    loop {
        board::mark!("block");
        GO.wait().await;
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
