// SPDX-License-Identifier: Apache-2.0
//
// Runs an image on the RP2040 of npm's rp2040js, one instruction at a time, and tells host.c of each.
//
// An instruction takes a cycle of the system clock, 8 ns, whatever it is and wherever it was fetched: time is a count of
// instructions.  An exception is entered, and left, between two instructions and in no time.  `wfi` and `wfe` do not wait.
//
// Where rp2040js is not what the datasheet says, and a schedule would notice, its parts are replaced here:
//
// - alarms of the timer, which it lets expire up to a microsecond early (Timer);
// - PWM slices, whose counters it rounds, and starts when their divider is written; it reads EN as 0 (Slice, Pwm);
// - SysTick, whose period it makes a cycle too short, and which it lets expire where its counter is cleared (Ppb);
// - RESETS and the tick of WATCHDOG, which it takes for done: what the chip would not do without them ends the run here
//   (Resets, Watchdog), and so does another system clock than 125 MHz;
// - the NVIC, where it takes what is pending for the level of a device's line: what software requests there stays
//   pending for ever, and what a device requests and withdraws is lost (Core, Ppb).
//
// There is no bootrom: what it does with the second stage, which is the first 256 bytes of flash, is done here (boot).
import { readFileSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { assemble } from './chip.mjs';
import { Clock } from './clock.mjs';
import { Stimuli } from './stimuli.mjs';

const [, , modules, device, rate, image, map, given, stored] = process.argv;
const debugged = map.startsWith('gdb='); // and its port in place of a map: nothing is traced, and host.c is not there
const part = (file) => import(`${pathToFileURL(modules)}/rp2040js/dist/esm/${file}.js`);
const { chip, unready } = await assemble(part, new Clock());

const FLASH = 0x10000000;
const RAM = 0x20000000;
const SECOND_STAGE = 0x20041f00; // where the bootrom copies it
const SECOND_STAGE_BYTES = 256;
const CYCLE_NS = 8;
const BAUD = 115200;

// Words for host.c, which describes them.
const EXECUTED = 0;
const OUTPUT = 1;
const MET = 2;
const ACCESSED = 3;
const WRONG = 0x100;
const END = 0x200;
const HAPPENED = 0x400;
const CHANGED = 0x800;
const words = new Uint32Array(1 << 16);
const bytes = Buffer.from(words.buffer);
const FULL = words.length - 64; // the most that one instruction needs
let count = 0;

function flush() {
  try {
    for (let sent = 0; sent < 4 * count; ) sent += writeSync(1, bytes, sent, 4 * count - sent);
  } catch (error) {
    process.exit(error.code === 'EPIPE' ? 0 : 1); // the run has ended
  }
  count = 0;
}

/** Ends the run, where it is now: the host says why when it gets there. */
function fail(why) {
  if (debugged) {
    console.error(`carillon: ${why}`);
    process.exit(1);
  }
  for (const byte of Buffer.from(`carillon: ${why}\n`)) {
    if (count >= FULL) flush();
    words[count++] = ((WRONG | byte) << 2) | OUTPUT;
  }
  words[count++] = (END << 2) | OUTPUT;
  flush();
  process.exit(1);
}

/** The bytes of the image go where they are programmed; those of variables are in flash, too, and copied at start. */
function load(name) {
  const file = readFileSync(name);
  const headers = file.readUInt32LE(28);
  const size = file.readUInt16LE(42);
  for (let k = 0; k < file.readUInt16LE(44); k++) {
    const at = headers + k * size;
    const [kind, start, , address, length] = [0, 4, 8, 12, 16].map((offset) => file.readUInt32LE(at + offset));
    if (kind !== 1 || length === 0) continue;
    if (address < FLASH || address + length > FLASH + chip.flash.length) {
      fail(`the image has bytes at 0x${address.toString(16)}, where no flash is`);
    }
    chip.flash.set(file.subarray(start, start + length), address - FLASH);
  }
}

/** The CRC that the bootrom computes (RP2040 datasheet, section 2.8.1.3.1). */
function checksum(data) {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  return crc >>> 0;
}

/** What the bootrom does after a reset, but for the SSI, which needs nothing here. */
function boot() {
  const stage = chip.flash.subarray(0, SECOND_STAGE_BYTES);
  const found = Buffer.from(stage).readUInt32LE(SECOND_STAGE_BYTES - 4);
  if (checksum(stage.subarray(0, SECOND_STAGE_BYTES - 4)) !== found) {
    fail('the first 256 bytes of flash are no second stage: the bootrom would not run them, as their checksum is wrong');
  }
  chip.sram.set(stage, SECOND_STAGE - RAM);
  chip.core.SP = SECOND_STAGE;
  chip.core.LR = 0;
  chip.core.PC = SECOND_STAGE;
}

/** The instructions whose accesses the plugin watches, by the map's kinds (emulators/qemu/trace_plugin.c). */
function accessing(name) {
  const found = new Set();
  for (const line of readFileSync(name, 'ascii').split('\n')) {
    const [address, kind, value] = line.split(' ');
    const at = parseInt(address, 16);
    if ('BRSX'.includes(kind)) found.add(at);
    if ('stng'.includes(kind)) for (let k = 0; k < parseInt(value, 16); k += 2) found.add(at + k);
  }
  return found;
}

/** Where the map says that the run begins. */
function beginning(name) {
  const line = readFileSync(name, 'ascii').split('\n').find((line) => line.split(' ')[1] === 'B');
  return line === undefined ? 0 : parseInt(line, 16);
}

if (device !== 'rp2040') fail(`the runner has no ${device}, but rp2040`);
if (Number(rate) * CYCLE_NS !== 1e9) fail(`an instruction takes ${CYCLE_NS} ns here, and there are not ${rate} in a second`);
const watched = debugged ? new Set() : accessing(map);
const begin = debugged ? 0 : beginning(map);
load(image);
boot();
const { core, clock } = chip;

const [uart] = chip.uart;
uart.onByte = (byte) => {
  const baud = chip.clocks.periFreq / (16 * uart.baudDivider);
  if (!uart.enabled || !uart.txEnabled || !(Math.abs(baud - BAUD) < BAUD / 50)) {
    fail(`UART0 does not send with ${BAUD} baud: it is not set up`);
  }
  if (debugged) writeSync(1, Uint8Array.of(byte));
  else words[count++] = (byte << 2) | OUTPUT;
};
const before = () => `in the instruction before 0x${core.PC.toString(16)}`;
chip.onBreak = () => fail(`a breakpoint, or an instruction that is undefined, ${before()}: a HardFault`);
/** Of the parts, the bus and the processor warn of what is a fault, and devices of registers that they do not have. */
function warn(who, text) {
  if (who === 'RP2040' || who === 'CortexM0Core') fail(`${text}, ${before()}: a HardFault`);
}
function error(who, text) {
  warn(who, text);
  fail(`${text}, ${before()}`);
}
chip.logger = { debug() {}, info() {}, warn, error };

// Words of instructions that have been met, by half of their addresses; of those that are watched, negated.
const ofFlash = new Int32Array(chip.flash.length / 2);
const ofRam = new Int32Array(chip.sram.length / 2);
let met = 0;
let begins = false; // what is executed next is where runs begin

function meet(address) {
  words[count++] = MET;
  words[count++] = address;
  words[count++] = chip.readUint16(address) | (chip.readUint16(address + 2) << 16);
  const word = (++met << 2) | EXECUTED;
  return watched.has(address) ? -word : word;
}

/** A record of what comes from outside, before the next instruction. */
function note(what, value) {
  if (count >= FULL) flush();
  words[count++] = (what << 2) | OUTPUT;
  words[count++] = value;
}
const stimuli = new Stimuli(chip, given, (row) => note(HAPPENED, row), (change) => note(CHANGED, change));

function accessed(store, address) {
  // The run begins where its list's first store has been executed; this is the load, and the instruction comes next.
  if (begins) stimuli.begin(address, clock.nanos + CYCLE_NS * Number(stored), CYCLE_NS);
  words[count++] = (store << 2) | ACCESSED;
  words[count++] = address;
}

/** The accesses of the instruction that comes next, of ARMv6-M (ARMv6-M manual, section A5.2.4 and A5.2.5). */
function access(address) {
  const code = chip.readUint16(address);
  const r = core.registers;
  const high = code >> 12;
  const [imm5, base] = [(code >> 6) & 31, r[(code >> 3) & 7]];
  const list = [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => code & (1 << bit)).length;
  const several = (store, first, number) => {
    for (let k = 0; k < number; k++) accessed(store, first + 4 * k);
  };
  if (code >> 11 === 0b01001) accessed(0, ((address + 4) & ~3) + 4 * (code & 255));
  else if (high === 5) accessed((code >> 9) % 8 < 3 ? 1 : 0, base + r[(code >> 6) & 7]);
  else if (high === 6) accessed(code & 0x800 ? 0 : 1, base + 4 * imm5);
  else if (high === 7) accessed(code & 0x800 ? 0 : 1, base + imm5);
  else if (high === 8) accessed(code & 0x800 ? 0 : 1, base + 2 * imm5);
  else if (high === 9) accessed(code & 0x800 ? 0 : 1, r[13] + 4 * (code & 255));
  else if (high === 12) several(code & 0x800 ? 0 : 1, r[(code >> 8) & 7], list);
  else if (code >> 9 === 0b1011010) several(1, r[13] - 4 * (list + ((code >> 8) & 1)), list + ((code >> 8) & 1));
  else if (code >> 9 === 0b1011110) several(0, r[13], list + ((code >> 8) & 1));
}

/** What is due before the next instruction. */
function enter() {
  if (clock.nanos >= stimuli.due) stimuli.happen(clock.nanos);
  while (core.interruptsUpdated) core.checkForInterrupts();
}

function step() {
  core.executeInstruction();
  clock.nanos += CYCLE_NS;
  if (clock.nanos >= clock.due) clock.expire();
}

/** Tells the host of each instruction, for ever. */
function trace() {
  for (;;) {
    enter();
    const address = core.registers[15] & ~1;
    let word;
    if (address >= FLASH && address < FLASH + chip.flash.length) {
      word = ofFlash[(address - FLASH) >> 1] ||= meet(address);
    } else if (address >= RAM && address < RAM + chip.sram.length) {
      word = ofRam[(address - RAM) >> 1] ||= meet(address);
    } else {
      fail(`code at 0x${(address >>> 0).toString(16)}, where no memory is`);
    }
    if (word > 0) {
      words[count++] = word;
    } else {
      words[count++] = -word;
      const why = address === begin ? unready() : null;
      if (why !== null) fail(why);
      begins = address === begin;
      access(address);
      begins = false;
    }
    step();
    if (count >= FULL) flush();
  }
}

if (debugged) (await import('./gdb.mjs')).serve(part, chip, Number(map.slice(4)), enter, step);
else trace();
