// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//! QEMU's tracing plugin, by plugin.c.
use std::ffi::{CStr, CString, c_char, c_int, c_void};

/// An instruction that the plugin has been told of.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    first: u16,
    /// Where the next one in memory begins.
    pub end: u64,
    known: *const c_void,
}

/// Something that happens to the chip from outside; emulators/stimuli.h says what it has.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Stimulus {
    at: i64,
    row: u32,
    pub what: u32,
    pub value: u32,
    pub kind: u8,
}

unsafe extern "C" {
    fn plugin_install(count: c_int, arguments: *const *mut c_char) -> bool;
    fn plugin_meet(address: u64, bytes: *const u8, size: usize) -> *const c_void;
    fn plugin_executed(known: *const c_void);
    fn plugin_accessed(known: *const c_void, store: bool, address: u64);
    fn plugin_pin(number: usize) -> *const c_char;
    fn plugin_begins() -> bool;
    fn plugin_wait() -> u64;
    fn plugin_stimulus() -> *const Stimulus;
    fn plugin_level(number: u32, high: bool);
    fn plugin_clock(hz: u32);
    fn plugin_waits();
    fn plugin_starts(instructions: u32);
}

/// Starts the plugin; false if it refuses its arguments.
pub fn install(arguments: &[String]) -> bool {
    let text = |argument: &String| CString::new(argument.as_str()).expect("an argument has no zero").into_raw();
    let texts: Vec<*mut c_char> = arguments.iter().map(text).collect();
    // SAFETY: there are so many texts, which nobody frees.
    unsafe { plugin_install(texts.len() as c_int, texts.as_ptr()) }
}

/// The pins whose levels are recorded.
pub fn pins() -> Vec<String> {
    // SAFETY: it is null, or a text that stays in memory.
    let pin =
        |number| unsafe { plugin_pin(number).as_ref().map(|text| CStr::from_ptr(text).to_string_lossy().into_owned()) };
    (0..).map_while(pin).collect()
}

/// Whether the run has begun since this was asked last.
pub fn begins() -> bool {
    // SAFETY: here and below, it asks for nothing.
    unsafe { plugin_begins() }
}

/// How many instructions are executed before the next stimulus; None if that is not known, or there is none.
pub fn wait() -> Option<u64> {
    Some(unsafe { plugin_wait() }).filter(|&instructions| instructions != u64::MAX)
}

/// The next stimulus, if it is due; it is recorded.
pub fn stimulus() -> Option<Stimulus> {
    // SAFETY: it is null, or stays in memory.
    unsafe { plugin_stimulus().as_ref().copied() }
}

/// A pin has another level from here on.
pub fn level(number: usize, high: bool) {
    unsafe { plugin_level(number as u32, high) };
}

/// The store was made that lets another timer start the cells, if it is one of a start list.
pub fn waits() {
    unsafe { plugin_waits() };
}

/// The cells that wait, or that this store starts, begin so many instructions later.
pub fn starts(instructions: u32) {
    unsafe { plugin_starts(instructions) };
}

/// A clock has so many hertz from here on.
pub fn clock(hz: u64) {
    unsafe { plugin_clock(hz as u32) };
}

impl Instruction {
    /// Met for the first time.  Those that IT makes conditional are met after it, in their order.
    pub fn meet(address: u64, halves: [u16; 2], size: usize) -> Self {
        let bytes = halves.map(u16::to_le_bytes);
        // SAFETY: no instruction is longer than its two halves.
        let known = unsafe { plugin_meet(address, bytes.as_ptr().cast(), size) };
        Self { first: halves[0], end: address + size as u64, known }
    }

    /// It is executed next.
    pub fn executed(&self) {
        // SAFETY: what is known stays in memory, here and below.
        unsafe { plugin_executed(self.known) };
    }

    /// It loads from an address, or stores there.
    pub fn accessed(&self, store: bool, address: u64) {
        unsafe { plugin_accessed(self.known, store, address) };
    }

    /// Whether an exception may be due behind it, where `pc` is then: it is MSR or CPS, or it went elsewhere and is no
    /// branch of 16 bits to a fixed place.
    pub fn lets_in(&self, pc: u64) -> bool {
        let first = self.first;
        let fixed = (0xD000..0xDE00).contains(&first) || first >> 11 == 0b11100 || first & 0xF500 == 0xB100;
        first & 0xFFE0 == 0xF380 || first & 0xFFE0 == 0xB660 || (pc != self.end && !fixed)
    }
}
