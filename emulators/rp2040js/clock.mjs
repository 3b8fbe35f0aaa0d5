// SPDX-License-Identifier: Apache-2.0
/** The chip's time, in nanoseconds since reset, and the alarms that rp2040js's devices set. */
export class Clock {
  nanos = 0;
  /** When the next alarm is due. */
  due = Infinity;
  #set = []; // alarms in the order of their times, and of being set

  get micros() {
    return this.nanos / 1000;
  }

  createAlarm(callback) {
    const alarm = {
      at: 0,
      callback,
      schedule: (nanos) => {
        this.#remove(alarm);
        alarm.at = this.nanos + nanos;
        const behind = this.#set.findIndex((other) => other.at > alarm.at);
        this.#set.splice(behind < 0 ? this.#set.length : behind, 0, alarm);
        this.due = this.#set[0].at;
      },
      cancel: () => this.#remove(alarm),
    };
    return alarm;
  }

  #remove(alarm) {
    const place = this.#set.indexOf(alarm);
    if (place >= 0) this.#set.splice(place, 1);
    this.due = this.#set.length ? this.#set[0].at : Infinity;
  }

  /** Calls those that are due, each at its own time. */
  expire() {
    const now = this.nanos;
    while (this.due <= now) {
      const [next] = this.#set;
      this.#remove(next);
      this.nanos = next.at;
      next.callback();
    }
    this.nanos = now;
  }
}
