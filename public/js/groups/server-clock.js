// The server's time. The phone's clock may be wrong, or be set meanwhile.

// The server's times are whole seconds, and answers take time to arrive; in ms.
const MAX_DELAY = 3_000;

export class ServerClock {
  /** @param now the server's time in ms, as the page states it. */
  constructor(now) {
    // Stated when the page was sent, not when its scripts ran.
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
    // One of them may stop while the phone sleeps, the other may be set back: the later one counts.
    return this.base + Math.max(performance.now() - this.at, Date.now() - this.wall);
  }

  /** Takes the time from an answer of the server, if it differs. */
  synchronize(answer) {
    const said = Date.parse(answer.headers.get("Date"));
    const ahead = this.now() - said;
    if (ahead < 0 || ahead > MAX_DELAY) this.set(said);
  }
}
