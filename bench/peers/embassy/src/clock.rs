// SPDX-License-Identifier: Apache-2.0
//! SysTick as Embassy's time driver: Embassy has none for this chip.  A tick is a millisecond.
use core::cell::{Cell, RefCell};
use core::task::Waker;
use critical_section::{with, CriticalSection, Mutex};
use embassy_time_driver::{time_driver_impl, Driver};
use embassy_time_queue_utils::Queue;

struct SysTickDriver {
    now: Mutex<Cell<u64>>,
    next: Mutex<Cell<u64>>,
    queue: Mutex<RefCell<Queue>>,
}

time_driver_impl!(static DRIVER: SysTickDriver = SysTickDriver {
    now: Mutex::new(Cell::new(0)),
    next: Mutex::new(Cell::new(u64::MAX)),
    queue: Mutex::new(RefCell::new(Queue::new())),
});

impl SysTickDriver {
    fn wake_due(&self, section: CriticalSection, now: u64) {
        let next = self.queue.borrow_ref_mut(section).next_expiration(now);
        self.next.borrow(section).set(next);
    }
}

impl Driver for SysTickDriver {
    fn now(&self) -> u64 {
        with(|section| self.now.borrow(section).get())
    }

    fn schedule_wake(&self, at: u64, waker: &Waker) {
        with(|section| {
            let earlier = self.queue.borrow_ref_mut(section).schedule_wake(at, waker);
            if earlier {
                self.wake_due(section, self.now.borrow(section).get());
            }
        })
    }
}

#[cortex_m_rt::exception]
fn SysTick() {
    with(|section| {
        let now = DRIVER.now.borrow(section).get() + 1;
        DRIVER.now.borrow(section).set(now);
        if now >= DRIVER.next.borrow(section).get() {
            DRIVER.wake_due(section, now);
        }
    })
}
