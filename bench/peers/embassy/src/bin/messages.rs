// SPDX-License-Identifier: Apache-2.0
//! A task sends a message and receives it itself; then it sends one to a higher task, which waits.
#![no_std]
#![no_main]
use core::hint::black_box;
use embassy_sync::{blocking_mutex::raw::CriticalSectionRawMutex, channel::Channel};
use embassy_time::{Duration, Ticker};
use panic_halt as _;

#[path = "../clock.rs"]
mod clock;

static OWN: Channel<CriticalSectionRawMutex, u32, 4> = Channel::new();
static OTHER: Channel<CriticalSectionRawMutex, u32, 4> = Channel::new();

#[embassy_executor::task]
async fn high() {
    loop {
        let message = OTHER.receive().await;
        board::mark!("woken");
        board::work(20);
        black_box(message);
    }
}

#[embassy_executor::task]
async fn low() {
    let mut ticker = Ticker::every(Duration::from_millis(1));
    loop {
        ticker.next().await;
        board::mark_sequence!("send");
        let _ = OWN.try_send(1);
        board::mark_sequence!("sent");
        board::work(20);
        board::mark_sequence!("receive");
        let message = OWN.try_receive();
        board::mark_sequence!("received");
        let _ = black_box(message);
        board::work(20);
        board::mark_sequence!("wake");
        let _ = OTHER.try_send(1);
        if black_box(false) {
            OWN.send(OWN.receive().await).await; // the compiler cannot know that nobody waits
        }
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    embassy_peer::tick();
    embassy_peer::high().spawn(high().unwrap());
    embassy_peer::low().spawn(low().unwrap());
    board::idle()
}
