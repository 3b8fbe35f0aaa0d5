// SPDX-License-Identifier: Apache-2.0
//! A task that waits for its next period, above idle.
#![no_std]
#![no_main]
use panic_halt as _;
use rtic_monotonics::systick::prelude::*;
systick_monotonic!(Mono, 1000);

#[rtic::app(device = board, peripherals = false, dispatchers = [Soft0])]
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
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        board::idle()
    }

    #[task(priority = 1)]
    async fn high(_: high::Context) {
        let mut next = Mono::now();
        loop {
            next += 2u32.millis();
            board::mark!("block");
            Mono::delay_until(next).await;
            board::mark!("woken");
            board::work(20);
        }
    }
}
