// Cumulative counters of machines (m, kcal). They start at any value, overflow, and may restart at
// zero, also after a lost connection.
import { MODULUS } from "./ftms.js";

// The largest plausible increase per second, and in one step.
const MAX_RATE = { distance: 30, energy: 1 };
const SLACK = { distance: 50, energy: 5 };

/**
 * Works on a plain object that can be stored: `last`, the last value, and `at`, its moment (ms).
 */
export class Counter {
  static blank() {
    return { last: null, at: 0 };
  }

  constructor(name, kept) {
    this.name = name;
    this.kept = kept;
  }

  /** Gives the amount that a new value adds. */
  take(value, now) {
    const { last, at } = this.kept;
    this.skip(value, now);
    if (last === null) return 0;
    const most = (MAX_RATE[this.name] * Math.max(now - at, 0)) / 1000 + SLACK[this.name];
    if (value >= last) return value - last <= most ? value - last : 0;
    // Overflow: the steps up to the modulus, and from zero on.
    const round = value + MODULUS[this.name] - last;
    if (round <= most) return round;
    // Restarted: all of the value is new, unless that is implausible.
    return value <= most ? value : 0;
  }

  /** Takes a value without adding it. */
  skip(value, now) {
    if (value === undefined) return;
    this.kept.last = value;
    this.kept.at = now;
  }
}
