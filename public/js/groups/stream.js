// Hears within a second that something changed, as long as a stream can be had; else asks every now
// and then. EventSource gives up for good after a 502, so each try is a new one, by our own timer.

// Pauses between tries, in ms: a restart is over in a second; then 10 s, doubling to 2 min.
const PAUSES = [1_000, 10_000, 20_000, 40_000, 80_000, 120_000];
// Nothing for so long, in ms, not even the server's sign of life every 25 s: the stream is dead.
const SILENCE = 60_000;

export class Stream {
  /**
   * @param address where the stream is.
   * @param changed called when something may have changed: news came, a stream began (what happened
   *   before it went unheard), or there is none and it is time to ask.
   * @param told called with "open" or "closed".
   */
  constructor(address, changed, told) {
    this.address = address;
    this.changed = changed;
    this.told = told;
    this.tries = 0;
    this.ended = false;
    addEventListener("online", () => this.again());
    addEventListener("pageshow", (event) => event.persisted && this.again());
    addEventListener("pagehide", () => this.close());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.wake();
    });
    this.open();
  }

  open() {
    this.close();
    if (this.ended) return;
    const source = new EventSource(this.address);
    this.source = source;
    source.onopen = () => {
      this.tries = 0;
      this.watch();
      this.told("open");
      this.changed();
    };
    source.addEventListener("group", () => {
      this.watch();
      this.changed();
    });
    source.addEventListener("ping", () => this.watch());
    source.onerror = () => this.lost(source);
  }

  /** The stream broke off, or never began. */
  lost(source) {
    if (source !== this.source) return;
    this.close();
    if (this.ended) return;
    this.told("closed");
    // Whether we may still listen, and what we missed.
    this.changed();
    const pause = PAUSES[Math.min(this.tries, PAUSES.length - 1)];
    this.tries += 1;
    // A little unevenly, so that a server that comes back isn't met by everybody at once.
    this.timer = setTimeout(() => this.open(), pause * (0.85 + Math.random() * 0.3));
  }

  watch() {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.lost(this.source), SILENCE);
  }

  /** Tries at once. */
  again() {
    this.tries = 0;
    this.open();
  }

  /** Somebody looks: what a sleeping phone missed is asked for, whatever its stream believes. */
  wake() {
    if (this.source?.readyState === EventSource.OPEN) this.changed();
    else this.again();
  }

  close() {
    clearTimeout(this.timer);
    clearTimeout(this.watchdog);
    this.source?.close();
    this.source = undefined;
  }

  /** There is nothing to listen to any more. */
  end() {
    this.ended = true;
    this.close();
  }
}
