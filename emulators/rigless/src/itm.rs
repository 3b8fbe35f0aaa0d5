// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//! The instrumentation trace macrocell and its pin (SWO), as a debugger has set them up: all stimulus ports are on.
//!
//! The crate's own takes every packet at once.  This one has a buffer, which the pin empties at its rate: a port takes a
//! word if at most one other waits, and what is written all the same is lost, which an overflow packet tells (ARMv7-M
//! Architecture Reference Manual, C1.7 and D4.2).  A synchronization packet comes first.  A port that is off reads as if it
//! were on, as that of ARMv8-M does, and tells nothing.
use std::fs::File;
use std::io::Write;
use std::sync::Mutex;

use rigless::cpu::armv7m::Window;
use rigless::emulator::{Access, AccessKind};

use crate::fail;

pub const ITM: Window = Window { base: 0xE000_0000, size: 0x1000 };
const PORTS: std::ops::Range<u64> = 0..0x400;
const TER: u64 = 0xE00;
const TPR: u64 = 0xE40;
const TCR: u64 = 0xE80;
const ENABLED: u64 = 1; // ITMENA
const WAITING: u64 = 5; // bytes of the longest packet
const SYNCHRONIZATION: [u8; 6] = [0, 0, 0, 0, 0, 0x80];
const OVERFLOW: u8 = 0x70;
const SECOND: u64 = 1_000_000_000; // in nanoseconds

struct Itm {
    file: File,
    byte: u64, // nanoseconds that the pin takes for one
    free: u64, // when it has sent all
    lost: bool,
    ports: u64, // TER
    privilege: u64,
    control: u64,
}

static OWN: Mutex<Option<Itm>> = Mutex::new(None);

/// Takes swo=FILE and swo_bytes=RATE, bytes a second, out of the options; whether there is a pin.
pub fn begin(options: &mut Vec<String>) -> bool {
    let mut taken = |key: &str| {
        let place = options.iter().position(|option| option.starts_with(key))?;
        Some(options.remove(place)[key.len()..].to_owned())
    };
    let (Some(name), Some(rate)) = (taken("swo="), taken("swo_bytes=")) else { return false };
    let Some(byte) = rate.parse().ok().and_then(|rate| SECOND.checked_div(rate)) else {
        fail("swo_bytes= is a number of bytes a second")
    };
    let file = File::create(name).unwrap_or_else(|error| fail(error));
    let mut itm = Itm { file, byte, free: 0, lost: false, ports: u64::from(u32::MAX), privilege: 0, control: ENABLED };
    itm.send(&SYNCHRONIZATION, 0);
    *OWN.lock().expect("one thread") = Some(itm);
    true
}

/// What an access finds here; None if it is none of these.
pub fn access(access: &Access) -> Option<u64> {
    if !(ITM.base..ITM.base + ITM.size).contains(&access.address) {
        return None;
    }
    OWN.lock().expect("one thread").as_mut().map(|itm| itm.access(access))
}

impl Itm {
    fn access(&mut self, access: &Access) -> u64 {
        let offset = access.address - ITM.base;
        let now = access.virtual_time.0;
        if access.kind != AccessKind::Write {
            return match offset {
                TER => self.ports,
                TPR => self.privilege,
                TCR => self.control,
                _ if PORTS.contains(&offset) => u64::from(self.takes(now)),
                _ => 0,
            };
        }
        match offset {
            TER => self.ports = access.value,
            TPR => self.privilege = access.value,
            TCR => self.control = access.value,
            _ if PORTS.contains(&offset) && self.is_on(offset / 4) => {
                let bytes = access.width.bits() as usize / 8;
                self.tell(offset / 4, &access.value.to_le_bytes()[..bytes], now);
            }
            _ => {}
        }
        access.value
    }

    fn is_on(&self, port: u64) -> bool {
        self.control & ENABLED != 0 && self.ports >> port & 1 != 0
    }

    fn takes(&self, now: u64) -> bool {
        self.free <= now + WAITING * self.byte
    }

    fn tell(&mut self, port: u64, payload: &[u8], now: u64) {
        if !self.takes(now) {
            self.lost = true;
            return;
        }
        if std::mem::take(&mut self.lost) {
            self.send(&[OVERFLOW], now);
        }
        let size = if payload.len() == 4 { 3 } else { payload.len() as u8 };
        self.send(&[&[(port as u8) << 3 | size], payload].concat(), now);
    }

    fn send(&mut self, bytes: &[u8], now: u64) {
        self.free = self.free.max(now) + self.byte * bytes.len() as u64;
        if self.file.write_all(bytes).is_err() {
            fail("cannot write what the macrocell tells");
        }
    }
}
