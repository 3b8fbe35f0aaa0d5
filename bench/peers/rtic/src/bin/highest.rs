// SPDX-License-Identifier: Apache-2.0
//! A task, and a hundred of lower priority, which are all due in the same tick.
#![no_std]
#![no_main]
use panic_halt as _;
use rtic_monotonics::systick::prelude::*;
systick_monotonic!(Mono, 1000);

/// From when all count, though they have begun one after the other.
const FIRST: Instant = Instant::from_ticks(20);
type Instant = fugit::MonotonicTimerInstant<u32, 1000>;

macro_rules! tasks {
    ($($low:ident)*) => {
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
                $(let _ = $low::spawn();)*
                (Shared {}, Local {})
            }

            #[idle]
            fn idle(_: idle::Context) -> ! {
                board::idle()
            }

            #[task(priority = 2)]
            async fn high(_: high::Context) {
                let mut next = FIRST;
                loop {
                    next += 20u32.millis();
                    Mono::delay_until(next).await;
                    board::mark!("woken");
                    board::work(20);
                }
            }

            $(#[task(priority = 1)]
            async fn $low(_: $low::Context) {
                let mut next = FIRST;
                loop {
                    next += 20u32.millis();
                    Mono::delay_until(next).await;
                }
            })*
        }
    };
}

tasks! {
    l00 l01 l02 l03 l04 l05 l06 l07 l08 l09
    l10 l11 l12 l13 l14 l15 l16 l17 l18 l19
    l20 l21 l22 l23 l24 l25 l26 l27 l28 l29
    l30 l31 l32 l33 l34 l35 l36 l37 l38 l39
    l40 l41 l42 l43 l44 l45 l46 l47 l48 l49
    l50 l51 l52 l53 l54 l55 l56 l57 l58 l59
    l60 l61 l62 l63 l64 l65 l66 l67 l68 l69
    l70 l71 l72 l73 l74 l75 l76 l77 l78 l79
    l80 l81 l82 l83 l84 l85 l86 l87 l88 l89
    l90 l91 l92 l93 l94 l95 l96 l97 l98 l99
}
