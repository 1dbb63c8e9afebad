// What a machine counts up (m, kcal), as it is added to a workout: machines start at any figure,
// come to the end of their bytes and begin anew, or begin anew after a lost connection.
import { MODULUS } from "./ftms.js";

// The most that anybody adds in a second, and what a machine may send at once.
const PACE = { distance: 30, energy: 1 };
const SLACK = { distance: 50, energy: 5 };

/** Works on a plain object that can be kept: `last`, the figure seen last, and `at`, when (ms). */
export class Counter {
  static blank() {
    return { last: null, at: 0 };
  }

  constructor(name, kept) {
    this.name = name;
    this.kept = kept;
  }

  /** What a new figure adds. */
  take(value, now) {
    const { last, at } = this.kept;
    this.skip(value, now);
    if (last === null) return 0;
    const most = (PACE[this.name] * Math.max(now - at, 0)) / 1000 + SLACK[this.name];
    if (value >= last) return value - last <= most ? value - last : 0;
    // At its end: so many steps up to where it begins anew, and from there.
    const round = value + MODULUS[this.name] - last;
    if (round <= most) return round;
    // Begun anew: all that it shows came since, unless it shows more than anybody can have done.
    return value <= most ? value : 0;
  }

  /** Notes a figure that adds nothing. */
  skip(value, now) {
    if (value === undefined) return;
    this.kept.last = value;
    this.kept.at = now;
  }
}
