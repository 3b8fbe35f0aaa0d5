// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//! What emulators/qemu/trace_plugin.c uses of QEMU's plugin interface.
//!
//! The plugin uses a block and its instructions within the callback of their translation alone.
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;

type Data = *mut c_void;
type Block = Vec<Instruction>;
type OnTranslation = extern "C" fn(u64, &mut Block);
type OnExecution = extern "C" fn(c_uint, Data);
type OnAccess = extern "C" fn(c_uint, u32, u64, Data);
type AtExit = extern "C" fn(u64, Data);

/// An instruction, and whom to tell of it.
#[derive(Clone, Copy)]
pub struct Instruction {
    pub address: u64,
    halves: [u16; 2],
    size: usize,
    execution: Option<(OnExecution, Data)>,
    access: Option<(OnAccess, Data)>,
}

impl Instruction {
    pub fn new(address: u64, halves: [u16; 2], size: usize) -> Self {
        Self { address, halves, size, execution: None, access: None }
    }

    /// It is executed next.
    pub fn executed(&self) {
        if let Some((call, data)) = self.execution {
            call(0, data);
        }
    }

    /// It loads from an address, or stores there.
    pub fn accessed(&self, store: bool, address: u64) {
        if let Some((call, data)) = self.access {
            call(0, u32::from(store), address, data);
        }
    }
}

/// qemu_info_t.
#[repr(C)]
struct Info {
    target_name: *const c_char,
    version: [c_int; 2],
    system_emulation: bool,
    processors: [c_int; 2],
}

/// From this version of the interface on, the bytes of an instruction are copied.
const VERSION: c_int = 3;

static TRANSLATION: OnceLock<OnTranslation> = OnceLock::new();
static AT_EXIT: OnceLock<AtExit> = OnceLock::new();

unsafe extern "C" {
    fn qemu_plugin_install(id: u64, info: &Info, count: c_int, texts: *const *mut c_char) -> c_int;
}

/// Starts the plugin; false if it refuses its arguments.
pub fn install(arguments: &[String]) -> bool {
    let text = |argument: &String| CString::new(argument.as_str()).expect("an argument has no zero").into_raw();
    let texts: Vec<*mut c_char> = arguments.iter().map(text).collect();
    let (target_name, version) = (c"arm".as_ptr(), [VERSION; 2]);
    let info = Info { target_name, version, system_emulation: true, processors: [1, 1] };
    // SAFETY: there are so many texts, which nobody frees.
    unsafe { qemu_plugin_install(0, &info, texts.len() as c_int, texts.as_ptr()) == 0 }
}

/// Instructions that follow each other are met for the first time.
pub fn translated(block: &mut Block) {
    if let Some(call) = TRANSLATION.get() {
        call(0, block);
    }
}

/// The emulator ends, and not because the plugin has ended the run.
pub fn at_exit() {
    if let Some(call) = AT_EXIT.get() {
        call(0, null_mut());
    }
}

#[unsafe(no_mangle)]
extern "C" fn qemu_plugin_register_vcpu_tb_trans_cb(_: u64, call: OnTranslation) {
    let _ = TRANSLATION.set(call);
}

#[unsafe(no_mangle)]
extern "C" fn qemu_plugin_register_atexit_cb(_: u64, call: AtExit, _: Data) {
    let _ = AT_EXIT.set(call);
}

#[unsafe(no_mangle)]
extern "C" fn qemu_plugin_tb_n_insns(block: &Block) -> usize {
    block.len()
}

#[unsafe(no_mangle)]
extern "C" fn qemu_plugin_tb_get_insn(block: &mut Block, number: usize) -> &mut Instruction {
    &mut block[number]
}

#[unsafe(no_mangle)]
extern "C" fn qemu_plugin_insn_vaddr(it: &Instruction) -> u64 {
    it.address
}

#[unsafe(no_mangle)]
extern "C" fn qemu_plugin_insn_size(it: &Instruction) -> usize {
    it.size
}

/// # Safety
/// `to` has room for so many bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn qemu_plugin_insn_data(it: &Instruction, to: *mut u8, bytes: usize) -> usize {
    let bytes = bytes.min(it.size);
    let halves = it.halves.map(u16::to_le_bytes);
    // SAFETY: there is room, and no instruction is longer than its two halves.
    unsafe { to.copy_from_nonoverlapping(halves.as_ptr().cast(), bytes) };
    bytes
}

#[unsafe(no_mangle)]
extern "C" fn qemu_plugin_register_vcpu_insn_exec_cb(it: &mut Instruction, call: OnExecution, _: c_int, data: Data) {
    it.execution = Some((call, data));
}

#[unsafe(no_mangle)]
extern "C" fn qemu_plugin_register_vcpu_mem_cb(it: &mut Instruction, call: OnAccess, _: c_int, _: c_int, data: Data) {
    it.access = Some((call, data));
}

#[unsafe(no_mangle)]
extern "C" fn qemu_plugin_mem_is_store(info: u32) -> bool {
    info != 0
}
