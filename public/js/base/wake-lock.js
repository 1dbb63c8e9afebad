// Keeps the screen on while it is wanted: a dark phone sends nothing. Browsers let go of it whenever
// the page is hidden, so it is asked for anew when the page is seen again.
export class Awake {
  #told;
  #lock;
  #wanted;

  /** @param told called whenever `isOn` may have changed. */
  constructor(told = () => {}) {
    this.#told = told;
  }

  /** Whether the screen stays on. */
  get isOn() {
    return Boolean(this.#lock && !this.#lock.released);
  }

  begin() {
    this.end();
    this.#wanted = new AbortController();
    const { signal } = this.#wanted;
    document.addEventListener("visibilitychange", () => this.#take(signal), { signal });
    this.#take(signal);
  }

  end() {
    this.#wanted?.abort();
    this.#hold(undefined);
  }

  async #take(wanted) {
    if (document.visibilityState !== "visible") return;
    let lock;
    try {
      lock = await navigator.wakeLock?.request("screen");
    } catch {
      // A battery that is low: the screen goes dark, and all goes on as before.
    }
    if (!lock) return;
    if (wanted.aborted) {
      letGo(lock);
      return;
    }
    this.#hold(lock);
    lock.addEventListener("release", () => {
      if (this.#lock !== lock) return;
      this.#lock = undefined;
      this.#told();
      this.#take(wanted);
    });
    this.#told();
  }

  /** Never two. */
  #hold(lock) {
    const last = this.#lock;
    this.#lock = lock;
    letGo(last);
  }
}

function letGo(lock) {
  lock?.release().catch(() => {});
}
