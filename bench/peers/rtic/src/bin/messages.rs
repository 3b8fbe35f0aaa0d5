// SPDX-License-Identifier: Apache-2.0
//! A task sends a message and receives it itself; then it sends one to a higher task, which waits.
#![no_std]
#![no_main]
use panic_halt as _;
use rtic_monotonics::systick::prelude::*;
systick_monotonic!(Mono, 1000);

#[rtic::app(device = board, peripherals = false, dispatchers = [Soft0, Soft1])]
mod app {
    use super::*;
    use core::hint::black_box;
    use rtic_sync::{channel::*, make_channel};

    #[shared]
    struct Shared {}
    #[local]
    struct Local {
        own: (Sender<'static, u32, 4>, Receiver<'static, u32, 4>),
        other: Sender<'static, u32, 4>,
    }

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        let own = make_channel!(u32, 4);
        let (other, receiver) = make_channel!(u32, 4);
        Mono::start(cx.core.SYST, board::HZ);
        let _ = high::spawn(receiver);
        let _ = low::spawn();
        (Shared {}, Local { own, other })
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        board::idle()
    }

    #[task(priority = 2)]
    async fn high(_: high::Context, mut receiver: Receiver<'static, u32, 4>) {
        loop {
            let message = receiver.recv().await;
            board::mark!("woken");
            board::work(20);
            let _ = black_box(message);
        }
    }

    #[task(priority = 1, local = [own, other])]
    async fn low(cx: low::Context) {
        let (sender, receiver) = cx.local.own;
        let mut next = Mono::now();
        loop {
            next += 1u32.millis();
            Mono::delay_until(next).await;
            board::mark_sequence!("send");
            let _ = sender.try_send(1);
            board::mark_sequence!("sent");
            board::work(20);
            board::mark_sequence!("receive");
            let message = receiver.try_recv();
            board::mark_sequence!("received");
            let _ = black_box(message);
            board::work(20);
            board::mark_sequence!("wake");
            let _ = cx.local.other.try_send(1);
        }
    }
}
