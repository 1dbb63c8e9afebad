// The stream of news (server-sent events), with polling where there is none. EventSource gives up
// for good after a 502, so each try makes a new one.

// Pauses between tries, in ms: a restart takes a second; then 10 s, doubled up to 2 min.
const PAUSES = [1_000, 10_000, 20_000, 40_000, 80_000, 120_000];
// A stream that lasted this long, in ms, worked: the server ends streams regularly to check
// permissions, and the next one opens at once. One that broke earlier may break again.
const STEADY = 30_000;
// The time to open, in ms: some networks swallow even the try.
const OPENING = 10_000;
// Without any event for this time, in ms, the stream is dead: the server pings every 25 s.
const SILENCE = 60_000;
// Clients reconnect spread over this time, in ms.
const SPREAD = 300;

/**
 * The pause before the next try, in ms, with a random part, so that clients do not all come at once
 * after a restart.
 */
export function pauseAfter(tries) {
  return PAUSES[Math.min(tries, PAUSES.length - 1)] * (0.85 + Math.random() * 0.3);
}

export class Stream {
  /**
   * @param address of the stream.
   * @param name of the events that tell of news.
   * @param onChange called when something may have changed: with news, when a stream opens, and
   *   when there is none and it is time to poll.
   * @param onState called with "open", "closed" or "offline".
   */
  constructor(address, name, onChange, onState = () => {}) {
    this.address = address;
    this.name = name;
    this.onChange = onChange;
    this.onState = onState;
    this.tries = 0;
    this.ended = false;
    addEventListener("online", () => this.reconnect());
    addEventListener("offline", () => this.goOffline());
    addEventListener("pageshow", (event) => event.persisted && this.reconnect());
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
    this.restartWatchdog(OPENING);
    source.onopen = () => {
      this.openedAt = performance.now();
      this.restartWatchdog(SILENCE);
      this.onState("open");
      this.onChange();
    };
    source.addEventListener(this.name, () => {
      this.restartWatchdog(SILENCE);
      this.onChange();
    });
    source.addEventListener("ping", () => this.restartWatchdog(SILENCE));
    source.onerror = () => this.lost(source);
  }

  /** Handles a stream that broke or did not open. */
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
    this.onState("closed");
    // Finds out whether listening is still allowed, and what was missed.
    this.onChange();
    this.scheduleRetry();
  }

  /** Handles the phone's report that there is no network. It may be wrong, so tries go on. */
  goOffline() {
    if (this.ended) return;
    this.close();
    this.onState("offline");
    this.scheduleRetry();
  }

  scheduleRetry() {
    this.timer = setTimeout(() => this.open(), pauseAfter(this.tries));
    this.tries += 1;
  }

  /** Treats the stream as dead when nothing comes for `timeout` ms. */
  restartWatchdog(timeout) {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.lost(this.source), timeout);
  }

  /** Reconnects at once. */
  reconnect() {
    this.tries = 0;
    this.open();
  }

  /** Requests what a sleeping phone has missed, whatever the state of its stream. */
  wake() {
    if (this.source?.readyState === EventSource.OPEN) this.onChange();
    else this.reconnect();
  }

  close() {
    clearTimeout(this.timer);
    clearTimeout(this.watchdog);
    this.source?.close();
    this.source = this.openedAt = undefined;
  }

  /** Stops listening for good. */
  end() {
    this.ended = true;
    this.close();
  }
}
