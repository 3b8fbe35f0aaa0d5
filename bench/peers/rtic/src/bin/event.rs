// SPDX-License-Identifier: Apache-2.0
//! A task waits for a signal, which an interrupt sends.
#![no_std]
#![no_main]
use panic_halt as _;

#[rtic::app(device = board, peripherals = false, dispatchers = [Soft0])]
mod app {
    use rtic_sync::{make_signal, signal::*};

    #[shared]
    struct Shared {}
    #[local]
    struct Local {
        go: SignalWriter<'static, ()>,
    }

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        let (go, wait) = make_signal!(());
        let _ = high::spawn(wait);
        board::tick(cx.core.SYST);
        (Shared {}, Local { go })
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        board::idle()
    }

    #[task(binds = SysTick, priority = 2, local = [go])]
    fn alarm(cx: alarm::Context) {
        cx.local.go.write(());
    }

    #[task(priority = 1)]
    async fn high(_: high::Context, mut wait: SignalReader<'static, ()>) {
        loop {
            board::mark!("block");
            wait.wait().await;
            board::mark!("woken");
            board::work(20);
        }
    }
}
