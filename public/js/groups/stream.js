// Hears within a second that something changed, as long as a stream can be had; else asks every now
// and then. EventSource gives up for good after a 502, so each try is a new one, by our own timer.

// Pauses between tries, in ms: a restart is over in a second; then 10 s, doubling to 2 min.
const PAUSES = [1_000, 10_000, 20_000, 40_000, 80_000, 120_000];
// A stream that lived for so long, in ms, was a good one: the server ends them now and then, to see
// anew who listens, and another one is had at once. What broke off sooner may do so again.
const STEADY = 30_000;
// So soon, in ms, it has begun, or never will: a network may swallow even the try.
const OPENING = 10_000;
// Nothing for so long, in ms, not even the server's sign of life every 25 s: the stream is dead.
const SILENCE = 60_000;
// Over so long, in ms, come back all those whose streams ended at once.
const SPREAD = 300;

/** How long to wait before the next try, in ms: a little unevenly, so that a server that comes back
 * isn't met by everybody at once. */
export function pauseAfter(tries) {
  return PAUSES[Math.min(tries, PAUSES.length - 1)] * (0.85 + Math.random() * 0.3);
}

export class Stream {
  /**
   * @param address where the stream is.
   * @param changed called when something may have changed: news came, a stream began (what happened
   *   before it went unheard), or there is none and it is time to ask.
   * @param told called with "open", "closed" or "offline".
   */
  constructor(address, changed, told) {
    this.address = address;
    this.changed = changed;
    this.told = told;
    this.tries = 0;
    this.ended = false;
    addEventListener("online", () => this.again());
    addEventListener("offline", () => this.cut());
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
    this.watch(OPENING);
    source.onopen = () => {
      this.openedAt = performance.now();
      this.watch(SILENCE);
      this.told("open");
      this.changed();
    };
    source.addEventListener("group", () => {
      this.watch(SILENCE);
      this.changed();
    });
    source.addEventListener("ping", () => this.watch(SILENCE));
    source.onerror = () => this.lost(source);
  }

  /** The stream broke off, or never began. */
  lost(source) {
    if (source !== this.source) return;
    const isSteady = this.openedAt && performance.now() - this.openedAt >= STEADY;
    this.close();
    if (this.ended) return;
    if (isSteady) {
      this.tries = 0;
      this.timer = setTimeout(() => this.open(), Math.random() * SPREAD);
      return;
    }
    this.told("closed");
    // Whether we may still listen, and what we missed.
    this.changed();
    this.later();
  }

  /** The phone says that there is no network. It may be wrong, so we go on trying. */
  cut() {
    if (this.ended) return;
    this.close();
    this.told("offline");
    this.later();
  }

  later() {
    this.timer = setTimeout(() => this.open(), pauseAfter(this.tries));
    this.tries += 1;
  }

  /** Takes it for dead when nothing comes for so many ms. */
  watch(patience) {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.lost(this.source), patience);
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
    this.source = this.openedAt = undefined;
  }

  /** There is nothing to listen to any more. */
  end() {
    this.ended = true;
    this.close();
  }
}
