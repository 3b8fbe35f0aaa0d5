// SPDX-License-Identifier: Apache-2.0
//
// A server for gdb: rp2040js's own, but for what starts and stops the processor, and for breakpoints, which it leaves to gdb
// to write into memory, where flash is none.
//
// Between instructions the processor stands, and time with it: it is a count of instructions.
const BATCH = 100_000; // instructions between two looks at what gdb says
const TRAP = 'S05';

/** Where gdb may read: elsewhere a read is a fault. */
function isMapped(chip, address) {
  const places = [[0x10000000, chip.flash.length], [0x20000000, chip.sram.length]];
  const region = address >>> 28;
  return places.some(([from, bytes]) => address >= from && address < from + bytes) || [4, 5, 0xd, 0xe].includes(region);
}

/**
 * Serves gdb at a port.  `enter` takes what interrupts are due, so that the program counter is where the next instruction is,
 * which `step` carries out.
 */
export async function serve(part, chip, port, enter, step) {
  const { GDBTCPServer } = await part('gdb/gdb-tcp-server');
  const { gdbMessage } = await part('gdb/gdb-utils');
  const { core } = chip;
  const breakpoints = new Set();
  let passed = -1; // where the processor has stopped: it goes on from there

  const at = () => (core.PC & ~1) >>> 0; // an exception's entry leaves bit 0 of the vector

  function go() {
    for (let k = 0; k < BATCH && target.executing; k++) {
      enter();
      if (breakpoints.has(at()) && at() !== passed) {
        target.stop();
        for (const connection of server.connections) connection.onBreakpoint();
        return;
      }
      passed = -1;
      step();
    }
    if (target.executing) setImmediate(go);
  }
  const target = {
    rp2040: chip,
    executing: false,
    execute() {
      target.executing = true;
      setImmediate(go);
    },
    stop() {
      target.executing = false;
      passed = at();
    },
  };

  class Server extends GDBTCPServer {
    processGDBMessage(command) {
      const [first, second] = command.slice(1).split(/[,:]/).map((text) => parseInt(text, 16));
      if (/^[Zz][01],/.test(command)) {
        breakpoints[command[0] === 'Z' ? 'add' : 'delete'](second);
        return gdbMessage('OK');
      }
      if (command.startsWith('vCont;s')) {
        enter();
        step();
        passed = at();
        return gdbMessage(TRAP);
      }
      if (command[0] === 'D') return gdbMessage('OK');
      if (command[0] === 'k') process.exit(0);
      if (!/^[mM]/.test(command)) return super.processGDBMessage(command);
      if (!(isMapped(chip, first) && isMapped(chip, first + (second || 1) - 1))) return gdbMessage('E01');
      const { logger } = chip; // what gdb reads is no fault of the firmware
      chip.logger = quiet;
      try {
        return super.processGDBMessage(command);
      } finally {
        chip.logger = logger;
      }
    }
  }
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const server = new Server(target, port);
  server.logger = quiet; // gdb says what is wrong
}
