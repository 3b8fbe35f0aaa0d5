// SPDX-License-Identifier: Apache-2.0
//! A task locks a resource that a higher one has, too.
#![no_std]
#![no_main]
use panic_halt as _;
use rtic_monotonics::systick::prelude::*;
systick_monotonic!(Mono, 1000);

#[rtic::app(device = board, peripherals = false, dispatchers = [Soft0, Soft1])]
mod app {
    use super::*;

    #[shared]
    struct Shared {
        bus: u32,
    }
    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Mono::start(cx.core.SYST, board::HZ);
        let _ = high::spawn();
        let _ = low::spawn();
        (Shared { bus: 0 }, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        board::idle()
    }

    #[task(priority = 2, shared = [bus])]
    async fn high(mut cx: high::Context) {
        cx.shared.bus.lock(|bus| *bus += 1);
    }

    #[task(priority = 1, shared = [bus])]
    async fn low(mut cx: low::Context) {
        let mut next = Mono::now();
        loop {
            next += 2u32.millis();
            Mono::delay_until(next).await;
            board::mark_sequence!("lock");
            cx.shared.bus.lock(|bus| {
                board::mark_sequence!("locked");
                *bus += 1;
                board::work(20);
                board::mark_sequence!("unlock");
            });
            board::mark_sequence!("unlocked");
        }
    }
}
