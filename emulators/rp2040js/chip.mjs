// SPDX-License-Identifier: Apache-2.0
// The RP2040 of rp2040js, with parts of our own where its are not exact.  Sections are those of the RP2040 datasheet.
const CYCLE_NS = 8;
const PWM = 0x40050; // where rp2040js has devices, by their addresses
const RESETS = 0x4000c;
const TIMER = 0x40054;
const WATCHDOG = 0x40058;

// Devices that are held in reset until firmware releases them, by their bits (section 2.14.3); the bootrom has released
// what the flash memory needs.
const HELD = {
  0: ['the ADC', 0x4004c],
  1: ['BUSCTRL', 0x40030],
  2: ['the DMA', 0x50000],
  3: ['I2C0', 0x40044],
  4: ['I2C1', 0x40048],
  5: ['IO_BANK0', 0x40014],
  8: ['PADS_BANK0', 0x4001c],
  10: ['PIO0', 0x50200],
  11: ['PIO1', 0x50300],
  12: ['PLL_SYS', 0x40028],
  13: ['PLL_USB', 0x4002c],
  14: ['the PWM', PWM],
  15: ['the RTC', 0x4005c],
  16: ['SPI0', 0x4003c],
  17: ['SPI1', 0x40040],
  18: ['SYSCFG', 0x40004],
  19: ['SYSINFO', 0x40000],
  20: ['TBMAN', 0x4006c],
  21: ['the TIMER', TIMER],
  22: ['UART0', 0x40034],
  23: ['UART1', 0x40038],
  24: ['the USB', 0x50110],
};

/** `part` imports a module of rp2040js. */
export async function assemble(part, clock) {
  const { RP2040 } = await part('rp2040');
  const { CortexM0Core } = await part('cortex-m0-core');
  const { BasePeripheral } = await part('peripherals/peripheral');
  const { RPTimer } = await part('peripherals/timer');
  const { RPPPB } = await part('peripherals/ppb');
  const { RPWatchdog } = await part('peripherals/watchdog');
  const { DREQChannel } = await part('peripherals/dma');
  const { IRQ } = await part('irq');

  /**
   * A device's line and whether its interrupt is pending are two things (ARMv6-M manual, section B3.4).
   *
   * An edge makes it pending, and it stays so until its handler is entered or software clears it.  Where the handler ends
   * and the line is high, it is pending again.
   */
  class Core extends CortexM0Core {
    lines = 0;

    setInterrupt(irq, high) {
      const bit = 1 << irq;
      if (high && !(this.lines & bit)) {
        this.pendingInterrupts |= bit;
        this.interruptsUpdated = true;
      }
      this.lines = high ? this.lines | bit : this.lines & ~bit;
    }

    checkForInterrupts() {
      this.waiting = false; // it never waits
      const entered = super.checkForInterrupts();
      if (entered && this.IPSR >= 16) this.pendingInterrupts &= ~(1 << (this.IPSR - 16));
      return entered;
    }

    exceptionReturn(value) {
      const left = this.IPSR;
      super.exceptionReturn(value);
      if (left >= 16) this.pendingInterrupts |= this.lines & (1 << (left - 16));
    }

    /** Registers of the processor's own have words alone (ARMv6-M manual, section B3.4), which rp2040js does not mind. */
    writeUint8(address, value) {
      if (address >>> 28 === 0xe) this.rp2040.ppb.error('a byte is stored to a register that takes words');
      super.writeUint8(address, value);
    }

    writeUint16(address, value) {
      if (address >>> 28 === 0xe) this.rp2040.ppb.error('a half word is stored to a register that takes words');
      super.writeUint16(address, value);
    }

    /** Software clears what is pending; a line that is high keeps it so, unless the handler runs. */
    clear(mask) {
      const active = this.IPSR >= 16 ? 1 << (this.IPSR - 16) : 0;
      this.pendingInterrupts &= ~(mask & ~(this.lines & ~active));
    }
  }

  /** The NVIC's register that clears, and SysTick (ARMv6-M manual, section B3.3): RVR + 1 cycles from zero to zero. */
  class Ppb extends RPPPB {
    constructor(chip, name) {
      super(chip, name);
      this.systickTimer.enable = false;
    }

    /** The state of SysTick; the constructor that this class inherits writes to its registers. */
    get tick() {
      return (this.made ??= {
        alarm: this.rp2040.clock.createAlarm(() => this.zero()),
        control: 0,
        reload: 0xffffff,
        counted: false,
        left: 0, // cycles to the next zero, while it stands still
        zero: 0, // when that is, while it counts
      });
    }

    get cycle() {
      return this.tick.control & 4 ? CYCLE_NS : 1000; // of the processor, or of the reference clock
    }

    get remaining() {
      const { tick } = this;
      return tick.control & 1 ? Math.ceil((tick.zero - this.rp2040.clock.nanos) / this.cycle) : tick.left;
    }

    /** So many cycles to the next zero, from now, or from so many nanoseconds later. */
    go(left, later = 0) {
      const { tick } = this;
      tick.left = left;
      tick.zero = this.rp2040.clock.nanos + later + left * this.cycle;
      if (tick.control & 1 && tick.reload) tick.alarm.schedule(later + left * this.cycle);
      else tick.alarm.cancel();
    }

    zero() {
      const { core } = this.rp2040;
      this.tick.counted = true;
      if (this.tick.control & 2) core.pendingSystick = core.interruptsUpdated = true;
      this.go(this.tick.reload + 1);
    }

    readUint32(offset) {
      const { tick } = this;
      if (offset === 0x10) {
        const value = tick.control | (tick.counted ? 1 << 16 : 0);
        tick.counted = false;
        return value;
      }
      if (offset === 0x14) return tick.reload;
      if (offset === 0x18) return this.remaining > tick.reload ? 0 : this.remaining;
      return super.readUint32(offset);
    }

    /** A store has been carried out at the end of its instruction: the counter counts from the next one on. */
    writeUint32(offset, value) {
      const { tick } = this;
      if (offset === 0x10) {
        const left = this.remaining;
        const starts = ~tick.control & value & 1;
        tick.control = value & 7;
        this.go(left, starts ? CYCLE_NS : 0);
      } else if (offset === 0x14) {
        const isZero = this.remaining > tick.reload;
        tick.reload = value & 0xffffff;
        if (isZero) this.go(tick.reload + 1, CYCLE_NS);
      } else if (offset === 0x18) {
        tick.counted = false;
        this.go(tick.reload + 1, CYCLE_NS);
      } else if (offset === 0x280) {
        this.rp2040.core.clear(value);
      } else {
        super.writeUint32(offset, value);
      }
    }
  }

  /** The timer, of a microsecond: an alarm expires when the count becomes what it was set to (section 4.6.3). */
  class Timer extends RPTimer {
    writeUint32(offset, value) {
      if (offset < 0x08 || offset === 0x30) this.error('the TIMER is to be set, or to pause, which the runner cannot do');
      if (offset < 0x10 || offset > 0x1c) {
        super.writeUint32(offset, value);
        return;
      }
      const alarm = this.alarms[(offset - 0x10) / 4];
      const { nanos } = this.clock;
      const micros = (value - Math.floor(nanos / 1000)) >>> 0; // 0: it is that already, and the alarm expires now
      alarm.armed = true;
      alarm.targetMicros = value >>> 0;
      alarm.clockAlarm.schedule(Math.max(micros * 1000 - (nanos % 1000), 0));
    }
  }

  /**
   * A slice of the PWM that counts freely (section 4.5.2); its pins are not modelled.
   *
   * Its place is counted in sixteenths of a cycle since the counter was 0, of which a count has `divider`.  So a count may
   * take a cycle more than another one, as in the chip, and all periods together are exact.
   */
  class Slice {
    timer = {}; // where rp2040js says the system clock's frequency: that clock is counted, whatever it says

    constructor(pwm, index) {
      this.pwm = pwm;
      this.index = index;
      this.clock = pwm.rp2040.clock;
      this.alarm = this.clock.createAlarm(() => this.wrap());
      this.reset();
    }

    reset() {
      this.alarm.cancel();
      this.control = 0;
      this.divider = 16;
      this.top = this.nextTop = 0xffff;
      this.compare = 0;
      this.place = 0;
      this.since = 0; // when it was there
      this.end = 0; // the place where it wraps
    }

    get on() {
      return this.control & 1;
    }

    /** A store has been carried out at the end of its instruction: the counter counts from the next one on. */
    switch(on) {
      this.now();
      if (on && !this.on) this.place -= 16;
      this.control = (this.control & ~1) | on;
      this.next();
    }

    now() {
      const { nanos } = this.clock;
      if (this.on) this.place += ((nanos - this.since) / CYCLE_NS) * 16;
      this.since = nanos;
    }

    /** A new top is taken over when the counter wraps, or at once where it stands still. */
    next() {
      if (!this.on) {
        this.top = this.nextTop;
        this.alarm.cancel();
        return;
      }
      const { top, divider } = this;
      this.end = (this.control & 2 ? Math.max(2 * top, 1) : top + 1) * divider;
      if (this.place >= this.end) this.end = 0x10000 * divider; // it was set beyond its top
      this.alarm.schedule(Math.ceil((this.end - this.place) / 16) * CYCLE_NS);
    }

    wrap() {
      this.now();
      this.place -= this.end;
      this.top = this.nextTop;
      this.pwm.wrapped(this.index);
      this.next();
    }

    get count() {
      const count = Math.floor(this.place / this.divider);
      return this.control & 2 && count > this.top ? 2 * this.top - count : count;
    }

    read(offset) {
      this.now();
      return [this.control, this.divider & 0xfff, this.count & 0xffff, this.compare, this.nextTop][offset / 4];
    }

    write(offset, value) {
      this.now();
      if (offset === 0x00) {
        if (value & 0x30) this.pwm.error('a PWM slice is to count what a pin does, which the runner has not');
        this.control = value & 0x3f;
        const step = (value & 0x80 ? 1 : 0) - (value & 0x40 ? 1 : 0); // PH_ADV, PH_RET
        if (this.on) this.place = Math.max(this.place + step * this.divider, 0);
      } else if (offset === 0x04) {
        const count = this.place / this.divider;
        this.divider = value & 0xff0 ? value & 0xfff : 0x1000 | (value & 0xf); // an integer part of 0 is 256
        this.place = Math.floor(count * this.divider);
      } else if (offset === 0x08) {
        this.place = (value & 0xffff) * this.divider;
      } else if (offset === 0x0c) {
        this.compare = value;
      } else {
        this.nextTop = value & 0xffff;
      }
      this.next();
    }
  }

  class Pwm extends BasePeripheral {
    gpioValue = 0;
    gpioDirection = 0;
    raw = 0;
    enabled = 0;
    forced = 0;
    channels = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => new Slice(this, index));

    reset() {
      for (const slice of this.channels) slice.reset();
      this.raw = this.enabled = this.forced = 0;
    }

    gpioOnInput() {}

    get status() {
      return (this.raw & this.enabled) | this.forced;
    }

    check() {
      this.rp2040.setInterrupt(IRQ.PWM_WRAP, this.status !== 0);
    }

    wrapped(index) {
      this.raw |= 1 << index;
      this.check();
      this.rp2040.dma.setDREQ(DREQChannel.DREQ_PWM_WRAP0 + index);
    }

    readUint32(offset) {
      if (offset < 0xa0) return this.channels[Math.floor(offset / 0x14)].read(offset % 0x14);
      if (offset === 0xa0) return this.channels.reduce((all, slice) => all | (slice.on << slice.index), 0);
      return [this.raw, this.enabled, this.forced, this.status][(offset - 0xa4) / 4] ?? super.readUint32(offset);
    }

    /** Slices that one store starts, or stops, do so in the same cycle. */
    writeUint32(offset, value) {
      if (offset < 0xa0) this.channels[Math.floor(offset / 0x14)].write(offset % 0x14, value);
      else if (offset === 0xa0) for (const slice of this.channels) slice.switch((value >> slice.index) & 1);
      else if (offset === 0xa4) this.raw &= ~this.rawWriteValue; // what was stored, of an alias too
      else if (offset === 0xa8) this.enabled = value & 0xff;
      else if (offset === 0xac) this.forced = value & 0xff;
      this.check();
    }
  }

  /** The watchdog, whose tick the timer counts: it has to be set up (section 4.7.2). */
  class Watchdog extends RPWatchdog {
    tickEnable = false;
    cycles = 0;

    writeUint32(offset, value) {
      if (offset === 0x2c) this.cycles = value & 0x1ff;
      super.writeUint32(offset, value);
    }
  }

  /** What is there of a device that is in reset. */
  class InReset extends BasePeripheral {
    readUint32() {
      this.error(`${this.name} is used while it is held in reset`);
      return 0;
    }

    writeUint32() {
      this.readUint32();
    }
  }

  /** rp2040js has no device in reset, ever. */
  class Resets extends BasePeripheral {
    held = 0;
    watched = 0;
    devices = Object.entries(HELD).map(([bit, [name, place]]) => {
      return { mask: 1 << bit, place, present: this.rp2040.peripherals[place], absent: new InReset(this.rp2040, name) };
    });

    hold(mask) {
      this.held = mask;
      for (const { mask, place, present, absent } of this.devices) {
        this.rp2040.peripherals[place] = this.held & mask ? absent : present;
      }
      if (this.held & (1 << 14)) this.rp2040.pwm.reset();
    }

    readUint32(offset) {
      return [this.held, this.watched, ~this.held & 0x1ffffff][offset / 4] ?? super.readUint32(offset);
    }

    writeUint32(offset, value) {
      if (offset === 0) this.hold(value & 0x1ffffff);
      else if (offset === 4) this.watched = value & 0x1ffffff;
      else super.writeUint32(offset, value);
    }
  }

  const chip = new RP2040(clock);
  chip.core = new Core(chip);
  chip.ppb = new Ppb(chip, 'PPB');
  chip.pwm = chip.peripherals[PWM] = new Pwm(chip, 'PWM_BASE');
  chip.peripherals[TIMER] = new Timer(chip, 'TIMER_BASE');
  const watchdog = (chip.peripherals[WATCHDOG] = new Watchdog(chip, 'WATCHDOG_BASE'));
  const resets = (chip.peripherals[RESETS] = new Resets(chip, 'RESETS_BASE'));
  resets.hold(Object.keys(HELD).reduce((all, bit) => all | (1 << bit), 0));

  /** Why time does not pass as a run takes for granted; null if it does. */
  const unready = () => {
    if (chip.clocks.sysFreq !== 1e9 / CYCLE_NS) {
      const hz = chip.clocks.sysFreq;
      return `the system clock has ${hz} Hz, and an instruction takes ${CYCLE_NS} ns here: it is to have 125 MHz`;
    }
    const tick = watchdog.tickEnable ? chip.clocks.refFreq / watchdog.cycles : 0;
    if (chip.peripherals[TIMER] instanceof Timer && tick !== 1e6) {
      return `the TIMER counts ${Math.round(tick)} times a second, and is to count microseconds: set WATCHDOG_TICK`;
    }
    return null;
  };
  return { chip, unready };
}
