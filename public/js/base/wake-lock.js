// Keeps the screen on: a phone with a dark screen sends nothing. Browsers release the lock when the
// page is hidden, so it is requested again when the page becomes visible.
export class ScreenWakeLock {
  #onChange;
  #lock;
  #session;

  /** @param onChange called whenever `isOn` may have changed. */
  constructor(onChange = () => {}) {
    this.#onChange = onChange;
  }

  /** Whether the screen stays on. */
  get isOn() {
    return Boolean(this.#lock && !this.#lock.released);
  }

  enable() {
    this.disable();
    this.#session = new AbortController();
    const { signal } = this.#session;
    document.addEventListener("visibilitychange", () => this.#acquire(signal), { signal });
    this.#acquire(signal);
  }

  disable() {
    this.#session?.abort();
    this.#replace(undefined);
  }

  async #acquire(wanted) {
    if (document.visibilityState !== "visible") return;
    let lock;
    try {
      lock = await navigator.wakeLock?.request("screen");
    } catch {
      // Refused, for example with a low battery: the screen turns dark, the rest goes on.
    }
    if (!lock) return;
    if (wanted.aborted) {
      releaseLock(lock);
      return;
    }
    this.#replace(lock);
    lock.addEventListener("release", () => {
      if (this.#lock !== lock) return;
      this.#lock = undefined;
      this.#onChange();
      this.#acquire(wanted);
    });
    this.#onChange();
  }

  /** Replaces the lock, so that there are never two. */
  #replace(lock) {
    const last = this.#lock;
    this.#lock = lock;
    releaseLock(last);
  }
}

function releaseLock(lock) {
  lock?.release().catch(() => {});
}
