// SPDX-License-Identifier: Apache-2.0
//! A task works as long twice: within a tick, and across the next one, in which a lower task is due.
#![no_std]
#![no_main]
use panic_halt as _;
use rtic_monotonics::systick::prelude::*;
systick_monotonic!(Mono, 1000);

#[rtic::app(device = board, peripherals = false, dispatchers = [Soft0, Soft1])]
mod app {
    use super::*;

    #[shared]
    struct Shared {}
    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Mono::start(cx.core.SYST, board::HZ);
        let _ = high::spawn();
        let _ = low::spawn();
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        board::idle()
    }

    #[task(priority = 2)]
    async fn high(_: high::Context) {
        let mut next = Mono::now();
        loop {
            next += 3u32.millis();
            Mono::delay_until(next).await;
            board::mark_sequence!("quiet_begin");
            board::work(9_000);
            board::mark_sequence!("quiet_end");
            board::work(20);
            board::mark_sequence!("window_begin");
            board::work(9_000);
            board::mark_sequence!("window_end");
        }
    }

    #[task(priority = 1)]
    async fn low(_: low::Context) {
        let mut next = Mono::now() + 1u32.millis();
        loop {
            next += 3u32.millis();
            Mono::delay_until(next).await;
            board::mark!("low");
        }
    }
}
