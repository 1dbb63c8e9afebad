// The state that this browser saves about sharing a position with a group: until when it shares, or
// that the server must still be told to stop. It belongs to one user.
import { pageUser } from "../base/current-user.js";

const STOP = "stop";
// Used where nothing can be stored, as long as the page is open.
const memory = new Map();

const prefix = () => `group-sharing:${pageUser()}:`;

export class SharingState {
  /** @param address of the group in the API. */
  constructor(address) {
    this.address = address;
    this.key = prefix() + address;
  }

  /** Until when this browser shares, in ms of the server's clock; undefined if it does not. */
  get until() {
    return Number(this.value) || undefined;
  }

  /** Whether sharing was stopped and the server does not know yet. */
  get isStopping() {
    return this.value === STOP;
  }

  get value() {
    try {
      return memory.get(this.key) ?? localStorage.getItem(this.key);
    } catch {
      return undefined;
    }
  }

  share(until) {
    this.save(String(until));
  }

  stop() {
    this.save(STOP);
  }

  save(value) {
    memory.delete(this.key);
    try {
      localStorage.setItem(this.key, value);
    } catch {
      memory.set(this.key, value);
    }
  }

  clear() {
    memory.delete(this.key);
    try {
      localStorage.removeItem(this.key);
    } catch {
      // Nothing was stored.
    }
  }
}

/** All states of the current user; expired ones are deleted. `now` in ms of the server's clock. */
export function sharingStates(now) {
  try {
    const mine = Object.keys(localStorage)
      .filter((key) => key.startsWith(prefix()))
      .map((key) => new SharingState(key.slice(prefix().length)));
    for (const mark of mine) if (mark.until <= now) mark.clear();
    return mine.filter((mark) => mark.value);
  } catch {
    return [];
  }
}
