// The server's time. A phone's own clock may be wrong, or be set anew meanwhile.

// The server says its time in whole seconds, and its answer is on its way for a while: in ms.
const LATE = 3_000;

export class Clock {
  /** @param now the server's time in ms, as the page says it. */
  constructor(now) {
    // It said so when the page began to come, not when its scripts did.
    const [page] = performance.getEntriesByType("navigation");
    this.set(now + performance.now() - (page?.responseStart || performance.now()));
  }

  set(now) {
    this.base = now;
    this.at = performance.now();
    this.wall = Date.now();
  }

  /** The server's time in ms. */
  now() {
    // One of them stands still while the phone sleeps, the other may be set back: nothing is ever
    // taken for newer than it is.
    return this.base + Math.max(performance.now() - this.at, Date.now() - this.wall);
  }

  /** Takes the time from an answer of the server, where it differs from what we think. */
  hear(answer) {
    const said = Date.parse(answer.headers.get("Date"));
    const ahead = this.now() - said;
    if (ahead < 0 || ahead > LATE) this.set(said);
  }
}
