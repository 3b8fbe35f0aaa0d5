// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//! A processor that carries out one instruction of another at a time, and tells the plugin of it.
//!
//! 1. An exception is taken in a stretch of no instructions, so that it is known which instruction comes next.  One may be
//!    due after an access to a device or to a register of the processor's own, and after an instruction that changes
//!    masks, returns from a handler or faults.
//! 2. The instruction is a stretch of its own.  Interrupts are held off in it, as in a debugger's step.  So an instruction
//!    that faults ends it, a branch to itself takes time as any other one, and wfi does not wait.
//! 3. Accesses to memory are routed to the bus, so that they are seen, and answered there.
//! 4. The bus makes no stretch longer.  After an access to a device, or to a register of the processor's own, the caller
//!    has to look for what is due.
//! 5. The driver is asked when it wants to be called, after an access to a device alone.  So where the run begins, which is
//!    where stimuli become due, there is one, as a debugger's: a read of RCC_CR, which changes nothing.
use rigless::emulator::{
    Access, AccessKind, BitAlias, CoreBus, DataModel, Error, Exit, HaltReason, HostCall, Processor, Queued,
};
use rigless::soc::{Endian, Width};
use rigless::time::VirtualNanos;

use crate::fail;
use crate::itm;
use crate::plugin::{self, Instruction};

const PAGE: u64 = 4096;
const RCC_CR: u64 = 0x4002_3800;

/// Addresses that memory answers.
#[derive(Debug)]
struct Memory {
    start: u64,
    length: u64,
    host: *mut u8,
    writable: bool,
}

/// Where so many bytes are.
fn find(memory: &[Memory], address: u64, bytes: u64) -> Option<(*mut u8, bool)> {
    let found = memory.iter().find(|m| address >= m.start && address + bytes <= m.start + m.length)?;
    Some((found.host.wrapping_add((address - found.start) as usize), found.writable))
}

/// The bus of a stretch.
struct Bus<'a> {
    bus: &'a mut dyn CoreBus,
    memory: &'a [Memory],
    instruction: Option<&'a Instruction>,
    of_memory: bool, // an access was
    other: bool,     // something else happens
}

impl CoreBus for Bus<'_> {
    fn access(&mut self, access: Access, from_code: bool) -> Option<u64> {
        let store = access.kind == AccessKind::Write;
        if let Some(instruction) = self.instruction.filter(|_| from_code) {
            instruction.accessed(store, access.address);
            if plugin::begins() {
                let mut probe = access; // 5.
                (probe.kind, probe.address, probe.width, probe.program_counter) =
                    (AccessKind::Read, RCC_CR, Width::W32, None);
                self.other = true;
                self.bus.access(probe, false);
            }
        }
        if let Some(value) = itm::access(&access) {
            self.of_memory = true;
            return Some(value);
        }
        let bytes = access.width.bits() as usize / 8;
        let mut value = access.value.to_le_bytes();
        match find(self.memory, access.address, bytes as u64) {
            // SAFETY: here and below, so many bytes are there, eight at most, and nothing else uses them meanwhile.
            Some((host, true)) if store => unsafe { host.copy_from_nonoverlapping(value.as_ptr(), bytes) },
            Some((host, _)) if !store => unsafe { host.copy_to_nonoverlapping(value.as_mut_ptr(), bytes) },
            _ => {
                self.other = true;
                return self.bus.access(access, from_code);
            }
        }
        self.of_memory = true;
        Some(u64::from_le_bytes(value))
    }
    fn time(&self, instructions: u64) -> VirtualNanos {
        self.bus.time(instructions)
    }
    fn stops_before(&mut self, access: &Access) -> bool {
        self.bus.stops_before(access)
    }
    fn queued(&mut self) -> Vec<Queued> {
        if self.other { self.bus.queued() } else { Vec::new() }
    }
}

/// The instructions of a page that have been met.
type Page = Option<Vec<Option<Instruction>>>;

fn met(pages: &[Page], address: u64) -> Option<&Instruction> {
    pages[(address / PAGE) as usize].as_ref()?[(address % PAGE / 2) as usize].as_ref()
}

#[derive(Debug)]
pub struct Stepper {
    inner: Box<dyn Processor>,
    memory: Vec<Memory>,
    pages: Vec<Page>,
    held: bool, // a debugger's step holds interrupts off
}

// SAFETY: the memory stays where it is while the processor is used, and one thread at a time uses both.
unsafe impl Send for Stepper {}

impl Stepper {
    pub fn new(inner: Box<dyn Processor>) -> Self {
        Self { inner, memory: Vec::new(), pages: vec![None; (1 << 32) / PAGE as usize], held: false }
    }

    fn half(&self, address: u64) -> Option<u16> {
        let (host, _) = find(&self.memory, address, 2)?;
        // SAFETY: both bytes are there, and nothing writes them meanwhile.
        Some(unsafe { host.cast::<u16>().read_unaligned() })
    }

    /// An instruction is met for the first time, and with IT those that it makes conditional; None where no memory is.
    fn meet(&mut self, mut address: u64) -> Option<()> {
        let first = self.half(address)?;
        let is_it = first & 0xFF00 == 0xBF00 && first & 0xF != 0;
        let count = if is_it { 5 - (first & 0xF).trailing_zeros() } else { 1 };
        for _ in 0..count {
            let first = self.half(address)?;
            let wide = first >> 11 >= 0b11101;
            let second = if wide { self.half(address + 2)? } else { 0 };
            let it = Instruction::meet(address, [first, second], if wide { 4 } else { 2 });
            let page = self.pages[(address / PAGE) as usize].get_or_insert_with(|| vec![None; PAGE as usize / 2]);
            page[(address % PAGE / 2) as usize] = Some(it);
            address = it.end;
        }
        Some(())
    }

    /// Tells the plugin of the instruction that comes next, and carries it out.  Also answers whether an exception may be
    /// due then.
    fn step(&mut self, bus: &mut dyn CoreBus) -> (Exit, u64, bool) {
        let pc = self.inner.pc();
        if met(&self.pages, pc).is_none() {
            self.meet(pc);
        }
        let instruction = met(&self.pages, pc);
        if let Some(it) = instruction {
            it.executed();
        }
        let mut bus = Bus { bus, memory: &self.memory, instruction, of_memory: false, other: false };
        let (exit, count) = self.inner.run(1, &mut bus); // 2.
        let exit = if exit == Exit::Returned && bus.of_memory && !bus.other { Exit::Budget } else { exit };
        (exit, count, instruction.is_none_or(|it| it.lets_in(self.inner.pc())))
    }
}

/// What the processor that is stepped does itself.
macro_rules! forward {
    ($($name:ident(&self $(, $argument:ident: $type:ty)*) -> $result:ty;)*) => {
        $(fn $name(&self $(, $argument: $type)*) -> $result { self.inner.$name($($argument),*) })*
    };
    ($($name:ident(&mut self $(, $argument:ident: $type:ty)*) -> $result:ty;)*) => {
        $(fn $name(&mut self $(, $argument: $type)*) -> $result { self.inner.$name($($argument),*) })*
    };
}

impl Processor for Stepper {
    fn run(&mut self, budget: u32, bus: &mut dyn CoreBus) -> (Exit, u64) {
        let mut executed = 0;
        let mut due = true;
        loop {
            if due {
                self.inner.hold_interrupts(self.held);
                let mut bus = Bus { bus, memory: &self.memory, instruction: None, of_memory: false, other: true };
                let (exit, _) = self.inner.run(0, &mut bus); // 1.
                self.inner.hold_interrupts(true);
                if exit == Exit::Lockup {
                    fail("the processor has locked up: a fault in the handler of a fault");
                }
                if exit != Exit::Budget {
                    return (exit, executed);
                }
            }
            if executed == u64::from(budget) {
                return (Exit::Budget, executed);
            }
            let (exit, count, due_then) = self.step(bus);
            executed += count;
            due = due_then;
            if exit != Exit::Budget {
                return (exit, executed);
            }
        }
    }

    unsafe fn map(&mut self, start: u64, length: u64, host: *mut u8, writable: bool) {
        // SAFETY: the caller promises what this asks for.
        unsafe { self.inner.map(start, length, host, writable) };
        for page in (start..start + length).step_by(self.inner.page_size() as usize) {
            self.inner.ask(Queued::Route(page)); // 3.
        }
        self.memory.push(Memory { start, length, host, writable });
    }

    forward! {
        retired(&self) -> u64;
        maps(&self, start: u64, length: u64) -> bool;
        page_size(&self) -> u64;
        next_event(&self) -> Option<VirtualNanos>;
        waiting(&self) -> bool;
        pc(&self) -> u64;
        data_model(&self) -> DataModel;
        byte_order(&self, address: u64) -> Endian;
        save(&self) -> Vec<u8>;
        host_call(&self, read: &mut dyn FnMut(u64, Width) -> Option<u64>) -> Option<HostCall>;
        gdb_register(&self, number: usize) -> Option<Vec<u8>>;
        target_xml(&self) -> &'static str;
        bit_alias(&self, address: u64, width: Width) -> Option<BitAlias>;
        own_ranges(&self) -> Vec<std::ops::Range<u64>>;
    }
    forward! {
        ask(&mut self, queued: Queued) -> ();
        boot(&mut self, table: u64, read: &dyn Fn(u64, Width) -> Option<u64>) -> ();
        reset(&mut self) -> ();
        take_reset_request(&mut self) -> bool;
        on_event(&mut self, now: VirtualNanos) -> ();
        load(&mut self, bytes: &[u8]) -> Result<(), Error>;
        answer_host_call(&mut self, answer: Option<u64>) -> ();
        add_breakpoint(&mut self, address: u64) -> bool;
        remove_breakpoint(&mut self, address: u64) -> ();
        pass_breakpoint(&mut self, address: u64) -> ();
        attach_debugger(&mut self, attached: bool) -> ();
        set_gdb_register(&mut self, number: usize, bytes: &[u8]) -> bool;
        debugger_access(&mut self, write: Option<u64>, address: u64, width: Width, now: VirtualNanos) -> Option<u64>;
        monitor_command(&mut self, command: &str) -> Option<String>;
        debugger_halted(&mut self, why: HaltReason) -> bool;
    }

    fn hold_interrupts(&mut self, held: bool) {
        self.held = held;
    }
}
