// The lock that lets one tab record at a time.
import { exclusively } from "../../base/exclusive.js";

const LOCK = "pairspot-recording";

export class RecordingLock {
  /** Keeps the lock; gives false when another tab has it by now. Undefined while none is held. */
  renew;
  #release;

  /** Whether no tab records. A browser without storage has nothing that two tabs could spoil. */
  isFree() {
    return exclusively(LOCK, async () => true).catch(() => true);
  }

  /** Takes the lock until `release`; gives false when another tab has it. */
  async acquire() {
    if (this.#release) return true;
    return new Promise((resolve) => {
      const hold = (renew) => {
        this.renew = renew;
        resolve(true);
        return new Promise((release) => (this.#release = release));
      };
      exclusively(LOCK, hold)
        .then(() => resolve(false))
        .catch(() => resolve(true));
    });
  }

  release() {
    this.#release?.();
    this.#release = undefined;
  }
}
