// SPDX-License-Identifier: Apache-2.0
// What happens to the RP2040 from outside: emulators/stimuli.h describes the file.
import { readFileSync } from 'node:fs';

const NO_ROW = 0xffffffff;
const HIGH = 1; // the states of rp2040js's pins that tell a level
const LOW = 0;
const PULLED_UP = 3;
const REFERENCE = 3_300_000; // microvolts
const MOST = 4095;

export class Stimuli {
  /** When the next one happens, in nanoseconds since reset. */
  due = Infinity;
  #lists = [];
  #pins = [];
  #rows = [];
  #next = 0;
  #begun = false;
  #levels = [];

  /** `happened` is told the rows, and `changed` the pins, with their levels in bit 0. */
  constructor(chip, name, happened, changed) {
    this.chip = chip;
    this.happened = happened;
    this.changed = changed;
    for (const line of name ? readFileSync(name, 'ascii').split('\n') : []) {
      const [what, ...parts] = line.split(' ');
      if (what === 'B') this.#lists.push(parts.map((text) => parseInt(text, 16)));
      if (what === 'P') this.#pins.push(chip.gpio[Number(parts[0].slice('GPIO'.length))]);
      if (what === 'S') {
        const [at, row, , which, value] = parts.map(Number);
        this.#rows.push({ at, row, kind: parts[2], which, value });
      }
    }
    this.#pins.forEach((pin, number) => {
      this.#levels[number] = 0;
      pin.addListener(() => this.#look(number));
    });
    if (this.#rows.length && this.#rows[0].at < 0) this.due = 0;
  }

  /** The run begins at so many nanoseconds, if the list is one with which it does; units of its time have `unit`. */
  begin(list, nanos, unit) {
    if (this.#begun || (this.#lists.length && !this.#lists.some(([first, end]) => list >= first && list < end))) return;
    this.#begun = true;
    for (const row of this.#rows) row.nanos = nanos + row.at * unit;
    this.#wait();
  }

  #wait() {
    const next = this.#rows[this.#next];
    this.due = next === undefined ? Infinity : next.at < 0 ? 0 : this.#begun ? next.nanos : Infinity;
  }

  #look(number) {
    const pin = this.#pins[number];
    const level = pin.value === HIGH || (pin.value !== LOW && (pin.rawInputValue || pin.value === PULLED_UP)) ? 1 : 0;
    if (level !== this.#levels[number]) this.changed((number << 1) | level);
    this.#levels[number] = level;
  }

  /** What is due happens. */
  happen(now) {
    while (this.due <= now) {
      const { row, kind, which, value } = this.#rows[this.#next++];
      if (row !== NO_ROW) this.happened(row);
      if (kind === 'p') this.#give(which, value !== 0);
      else if (kind === 'a') this.chip.adc.channelValues[which] = Math.min(MOST, Math.round((value / REFERENCE) * MOST));
      else if (kind === 'u') this.chip.uart[0].feedByte(value);
      else this.#request(value - 16);
      this.#wait();
    }
  }

  #give(number, high) {
    const pin = this.#pins[number];
    if (pin.rawInputValue === high) return; // rp2040js would see an edge
    pin.setInputValue(high);
    this.#look(number);
  }

  #request(interrupt) {
    const { core } = this.chip;
    core.pendingInterrupts |= 1 << interrupt;
    core.interruptsUpdated = true;
  }
}
