// SPDX-License-Identifier: Apache-2.0
//! Two tasks that delay: no more than what is needed.
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
        let _ = first::spawn();
        let _ = second::spawn();
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        loop {}
    }

    #[task(priority = 2)]
    async fn first(_: first::Context) {
        loop {
            Mono::delay(1u32.millis()).await
        }
    }

    #[task(priority = 1)]
    async fn second(_: second::Context) {
        loop {
            Mono::delay(2u32.millis()).await
        }
    }
}
