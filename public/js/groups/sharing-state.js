// What this browser keeps of sharing a place with a group: that it is the one that shares, and until
// when; or that the server has still to be told to stop. It is one person's, and outlives the page.
import { pageUser } from "../base/current-user.js";

const STOP = "stop";
// Where nothing can be kept, the page itself knows as long as it is open.
const unkept = new Map();

const prefix = () => `group-sharing:${pageUser()}:`;

export class Mark {
  /** @param address of the group in the API. */
  constructor(address) {
    this.address = address;
    this.key = prefix() + address;
  }

  /** Until when this browser shares, in ms of the server's clock; nothing if it doesn't. */
  get until() {
    return Number(this.value) || undefined;
  }

  /** Whether somebody has stopped, and the server doesn't know yet. */
  get isStopping() {
    return this.value === STOP;
  }

  get value() {
    try {
      return unkept.get(this.key) ?? localStorage.getItem(this.key);
    } catch {
      return undefined;
    }
  }

  share(until) {
    this.keep(String(until));
  }

  stop() {
    this.keep(STOP);
  }

  keep(value) {
    unkept.delete(this.key);
    try {
      localStorage.setItem(this.key, value);
    } catch {
      unkept.set(this.key, value);
    }
  }

  clear() {
    unkept.delete(this.key);
    try {
      localStorage.removeItem(this.key);
    } catch {
      // Nothing was kept.
    }
  }
}

/** All that is kept for who is here; what is over goes. `now` in ms of the server's clock. */
export function marks(now) {
  try {
    const mine = Object.keys(localStorage)
      .filter((key) => key.startsWith(prefix()))
      .map((key) => new Mark(key.slice(prefix().length)));
    for (const mark of mine) if (mark.until <= now) mark.clear();
    return mine.filter((mark) => mark.value);
  } catch {
    return [];
  }
}
