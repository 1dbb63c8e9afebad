// My place: where I am, and sending it while I share it. At most every 5 s, and only after 10 m or
// 30 s; after a break only the newest goes out, with the moment of its fix. A browser hands out no
// place while its page is hidden or the phone locked, and the page says so.
import { distance } from "./geo.js";
import { freshToken } from "../base/fetch.js";

const SOONEST = 5_000;
const LATEST = 30_000;
const FAR = 10;
// Pauses after a send that did not go through, in ms; the last one stays.
const PAUSES = [5_000, 10_000, 20_000, 40_000];

export class Places {
  /**
   * @param address of the group in the API.
   * @param clock gives the server's time in ms.
   * @param told called with "place" (there is a newer one), "sharing", "stopped", "stopping" (the
   *   server can't be told yet), "ended" (by the server), "refused" (the browser's user said no),
   *   "unsent" or "sent".
   */
  constructor(address, clock, told) {
    this.address = address;
    this.clock = clock;
    this.told = told;
    this.tries = 0;
    addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "visible" || !this.until) return;
      this.keepAwake();
      this.look();
      this.retry();
    });
  }

  /** Where I am: {latitude, longitude, accuracy, at}, or nothing. */
  get place() {
    return this.fix;
  }

  /** Shares from now on. Throws when the server can't be told, or says no. */
  async share() {
    clearTimeout(this.timer);
    this.timer = undefined;
    const answer = await this.put("sharing", { on: true });
    this.go(Date.parse((await answer.json()).until));
  }

  /** Goes on sharing until a moment of the server's clock, in ms. */
  go(until) {
    this.until = until;
    this.told("sharing");
    this.keepAwake();
    this.watching ??= navigator.geolocation.watchPosition(
      (position) => this.take(position),
      (error) => this.miss(error),
      { enableHighAccuracy: true, maximumAge: 5_000, timeout: 30_000 },
    );
    clearInterval(this.ticking);
    this.ticking = setInterval(() => this.tick(), 1_000);
  }

  /** Stops at once, and has the server forget the place as soon as it can be told. */
  async stop() {
    this.halt();
    this.told("stopped");
    await this.forget();
  }

  async forget() {
    try {
      await this.put("sharing", { on: false });
      this.told("stopped");
    } catch (failure) {
      if (failure.status) throw failure;
      this.told("stopping");
      this.timer = setTimeout(() => this.forget().catch(() => {}), PAUSES[0]);
    }
  }

  halt() {
    if (this.watching !== undefined) navigator.geolocation.clearWatch(this.watching);
    clearInterval(this.ticking);
    clearTimeout(this.timer);
    this.lock?.release().catch(() => {});
    this.watching = this.until = this.lock = this.fix = this.sent = this.timer = undefined;
  }

  take({ coords, timestamp }) {
    // A fix is as old as the phone says; the moment is the server's.
    const at = this.clock() - Math.max(0, Date.now() - timestamp);
    const { latitude, longitude, accuracy } = coords;
    this.fix = { latitude, longitude, accuracy, at };
    this.told("place");
    this.tick();
  }

  miss(error) {
    if (error.code !== error.PERMISSION_DENIED) return;
    this.told("refused");
    this.stop().catch(() => {});
  }

  /** Who stands still moves no watch: every half minute the place is asked for. */
  look() {
    this.lookedAt = Date.now();
    navigator.geolocation.getCurrentPosition(
      (position) => this.until && this.take(position),
      () => {},
      { enableHighAccuracy: true, maximumAge: 10_000, timeout: 20_000 },
    );
  }

  tick() {
    if (!this.until) return;
    if (this.clock() >= this.until) {
      this.halt();
      this.told("ended");
      return;
    }
    if (this.isDue()) this.send();
    const isStill = Date.now() - Math.max(this.sentAt ?? 0, this.lookedAt ?? 0) >= LATEST;
    if (isStill && document.visibilityState === "visible") this.look();
  }

  isDue() {
    if (!this.fix || this.sending || this.timer) return false;
    if (!this.sent) return true;
    const waited = Date.now() - this.sentAt;
    if (this.fix.at === this.sent.at || waited < SOONEST) return false;
    return waited >= LATEST || distance(this.sent, this.fix) >= FAR;
  }

  async send() {
    const fix = this.fix;
    this.sending = true;
    try {
      const { at, ...place } = fix;
      await this.put("location", { ...place, at: new Date(at).toISOString() });
      this.sent = fix;
      this.sentAt = Date.now();
      this.tries = 0;
      this.told("sent");
    } catch (failure) {
      this.failed(failure);
    } finally {
      this.sending = false;
    }
  }

  failed({ status }) {
    if (!this.until) return;
    if ([401, 403, 404, 409, 410].includes(status)) {
      this.halt();
      this.told("ended");
      return;
    }
    this.told("unsent");
    // What is sent then is the newest place of that moment.
    const pause = PAUSES[Math.min(this.tries, PAUSES.length - 1)];
    this.tries += 1;
    this.timer = setTimeout(() => this.retry(), pause);
  }

  retry() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.tick();
  }

  async put(what, body) {
    const send = async () => {
      this.token ??= await freshToken();
      return fetch(`${this.address}/${what}`, {
        method: "PUT",
        credentials: "same-origin",
        headers: { "Content-Type": "application/json", "X-CSRF-Token": this.token },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(20_000),
      });
    };
    let answer = await send();
    if (answer.status === 403) {
      this.token = undefined;
      answer = await send();
    }
    if (!answer.ok) throw Object.assign(new Error("not sent"), { status: answer.status });
    return answer;
  }

  /** A dark phone sends nothing. */
  async keepAwake() {
    try {
      this.lock = await navigator.wakeLock?.request("screen");
    } catch {
      // A phone that saves power says no.
    }
  }
}
