// My place: where I am, and sending it while I share it. At most every 5 s, and only after 10 m or
// 30 s; after a break only the newest goes out, with the moment of its fix. A browser hands out no
// place while its page is hidden or the phone locked, and the page says so.
//
// Pauses are counted by a clock that nobody can set; moments are the server's.
import { distance } from "./geo.js";
import { Mark, marks } from "./sharing-state.js";
import { Awake } from "../base/wake-lock.js";
import { pageUser } from "../base/current-user.js";
import { permission } from "../base/authorized-fetch.js";

const SOONEST = 5_000;
const LATEST = 30_000;
const FAR = 10;
// Past this, in ms, others see where I was.
const OLD = 60_000;
// Pauses after a request that did not go through, in ms; the last one stays.
const PAUSES = [5_000, 10_000, 20_000, 40_000];
// Answers after which nothing of me is with the group any more…
const OVER = [404, 409, 410];
// …and those to who isn't signed in here any more: all may still be there.
const BARRED = [401, 403];
const DENIED = 1;
// A page that is closed is told the same as one whose permission is taken away, and to close it
// stops nothing: only one that is still there so long afterwards, in ms, has been refused.
const CLOSING = 2_000;

const isSeen = () => document.visibilityState === "visible";

export class Places {
  /**
   * @param address of the group in the API.
   * @param clock gives the server's time in ms.
   * @param told called with "place" (there is a newer one), "looking" (for the first one: the server
   *   knows nothing yet), "failed" (it couldn't be told to begin: see `failure`), "sharing", "awake"
   *   (whether the screen stays on has changed), "lost" (no place is to be had), "unsent", "sent",
   *   "stopping", "unstopped" (the server can't be told yet), "stopped", "ended" (by the server),
   *   "refused" (the browser's user said no), "barred" (signed out here).
   */
  constructor(address, clock, told) {
    this.address = address;
    this.clock = clock;
    this.told = told;
    this.mark = new Mark(address);
    this.awake = new Awake(() => this.told("awake"));
    // One more with each beginning and end: what was asked for before then is of no concern.
    this.turn = 0;
    this.halt();
    addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => {
      if (!isSeen()) return;
      if (this.until) this.look();
      this.retry();
    });
  }

  /** Where I am: {latitude, longitude, accuracy, at}, or nothing. */
  get place() {
    return this.fix;
  }

  /** Whether what the server says of me is about to change. */
  get isChanging() {
    return this.isLooking || this.isStopping;
  }

  // MARK: Beginning and ending

  /** Shares as soon as there is a place: who says no to the browser has told the server nothing. */
  share() {
    if (this.isStopping) return;
    this.halt();
    this.isLooking = true;
    this.told("looking");
    this.watch();
  }

  /** There is a first place. */
  async begin() {
    const { turn } = this;
    this.isBeginning = true;
    try {
      const answer = await this.switch(true);
      const { until } = await answer.json();
      if (turn === this.turn) this.go(Date.parse(until));
    } catch (failure) {
      if (turn !== this.turn) return;
      this.halt();
      this.failure = failure;
      this.told("failed");
    }
  }

  /** Goes on where this browser left off, until a moment of the server's clock, in ms. */
  resume(until) {
    this.halt();
    this.isResumed = true;
    this.go(until);
  }

  go(until) {
    this.until = until;
    this.isLooking = this.isBeginning = false;
    this.mark.share(until);
    this.told("sharing");
    this.awake.begin();
    this.watch();
    this.ticking = setInterval(() => this.tick(), 1_000);
    this.tick();
  }

  /** Stops at once, and has the server forget the place as soon as it can be told. */
  stop() {
    const { until } = this;
    this.halt();
    this.remains = until;
    this.mark.stop();
    this.isStopping = true;
    this.told("stopping");
    return this.forget();
  }

  /** Looks no further for a first place, of which the server knows nothing. */
  giveUp() {
    this.halt();
    this.told("stopped");
  }

  async forget() {
    clearTimeout(this.forgetting);
    if (this.isForgetting) return;
    const { turn } = this;
    this.isForgetting = true;
    try {
      if (this.mark.isStopping) {
        await this.switch(false);
        this.over("stopped", turn);
      } else {
        // Another tab has told the server, or has begun anew since: what is kept is that tab's.
        this.halt();
        this.told("stopped");
      }
    } catch ({ status }) {
      if (turn !== this.turn) return;
      if (OVER.includes(status)) this.over("ended", turn);
      else if (BARRED.includes(status)) {
        // Told when they are back: the mark stays.
        this.isStopping = false;
        this.told("barred");
      } else {
        this.forgetting = setTimeout(() => this.forget(), this.pause());
        this.told("unstopped");
      }
    } finally {
      if (turn === this.turn) this.isForgetting = false;
    }
  }

  /** The server has forgotten me. */
  over(what, turn) {
    if (turn !== this.turn) return;
    this.halt();
    this.mark.clear();
    this.told(what);
  }

  /** Sends nothing any more, and tells the server nothing of it: it goes on showing the last place. */
  leave(what) {
    const { until } = this;
    this.halt();
    this.remains = until;
    this.told(what);
  }

  /** What was stopped while the server couldn't be told, in other groups too. */
  async stopLate() {
    for (const mark of marks(this.clock())) {
      if (!mark.isStopping || mark.address === this.address) continue;
      try {
        await this.put("sharing", { on: false }, mark.address);
        mark.clear();
      } catch ({ status }) {
        if (OVER.includes(status)) mark.clear();
      }
    }
  }

  halt() {
    this.turn += 1;
    if (this.watching !== undefined) navigator.geolocation.clearWatch(this.watching);
    clearInterval(this.ticking);
    clearTimeout(this.waiting);
    clearTimeout(this.forgetting);
    clearTimeout(this.refusing);
    this.awake.end();
    this.watching = this.until = this.remains = this.fix = this.sent = undefined;
    this.waiting = this.refusing = this.failure = undefined;
    this.isLooking = this.isBeginning = this.isStopping = this.isForgetting = false;
    this.isResumed = this.isSending = false;
    this.sentAt = this.lookedAt = -Infinity;
    this.tries = 0;
  }

  // MARK: Where I am

  watch() {
    this.watching ??= navigator.geolocation.watchPosition(
      (position) => this.take(position),
      (error) => this.miss(error),
      { enableHighAccuracy: true, maximumAge: 5_000, timeout: 30_000 },
    );
  }

  take({ coords, timestamp }) {
    // A fix is as old as the phone says; the moment is the server's.
    const at = this.clock() - Math.max(0, Date.now() - timestamp);
    const { latitude, longitude, accuracy } = coords;
    this.fix = { latitude, longitude, accuracy, at };
    this.told("place");
    if (this.isLooking && !this.isBeginning) this.begin();
    else this.tick();
  }

  miss({ code }) {
    if (code !== DENIED) {
      // Where nobody moves, some browsers complain as well.
      if (!this.fix || this.clock() - this.fix.at > OLD) this.told("lost");
    } else if (this.until || this.isBeginning) {
      this.refusing ??= setTimeout(() => this.refuse(), CLOSING);
    } else {
      this.refuse();
    }
  }

  /** The browser's user lets it know no place. */
  refuse() {
    if (this.isResumed) {
      // What another device shares is not this one's to stop.
      this.mark.clear();
      this.leave("refused");
    } else if (this.until || this.isBeginning) {
      this.told("refused");
      this.stop();
    } else {
      this.halt();
      this.told("refused");
    }
  }

  /** Who stands still moves no watch: every half minute the place is asked for. */
  look() {
    const { turn } = this;
    this.lookedAt = performance.now();
    navigator.geolocation.getCurrentPosition(
      (position) => turn === this.turn && this.take(position),
      () => {},
      { enableHighAccuracy: true, maximumAge: 10_000, timeout: 20_000 },
    );
  }

  // MARK: Sending

  tick() {
    if (!this.until) return;
    if (this.clock() >= this.until) {
      this.over("ended", this.turn);
      return;
    }
    if (this.isDue()) this.send();
    const waited = performance.now() - Math.max(this.sentAt, this.lookedAt);
    if (waited >= LATEST && isSeen()) this.look();
  }

  isDue() {
    if (!this.fix || this.isSending || this.waiting || this.refusing || !isSeen()) return false;
    if (!this.sent) return true;
    const waited = performance.now() - this.sentAt;
    if (this.fix.at === this.sent.at || waited < SOONEST) return false;
    return waited >= LATEST || distance(this.sent, this.fix) >= FAR;
  }

  async send() {
    const { fix, turn } = this;
    this.isSending = true;
    try {
      const { at, ...place } = fix;
      await this.put("location", { ...place, at: new Date(at).toISOString() });
      if (turn !== this.turn) return;
      this.sent = fix;
      this.sentAt = performance.now();
      this.tries = 0;
      this.told("sent");
    } catch (failure) {
      if (turn === this.turn) this.failed(failure);
    } finally {
      if (turn === this.turn) this.isSending = false;
    }
  }

  failed({ status }) {
    if (OVER.includes(status)) {
      this.over("ended", this.turn);
    } else if (BARRED.includes(status)) {
      this.leave("barred");
    } else {
      // What is sent then is the newest place of that moment.
      this.waiting = setTimeout(() => this.retry(), this.pause());
      this.told("unsent");
    }
  }

  pause() {
    this.tries += 1;
    return PAUSES[Math.min(this.tries, PAUSES.length) - 1];
  }

  /** Tries at once what waits. */
  retry() {
    clearTimeout(this.waiting);
    this.waiting = undefined;
    if (this.isStopping) this.forget();
    else if (this.mark.isStopping && !this.isLooking) this.stop();
    else this.tick();
  }

  /** One after the other: what was asked for last holds. */
  switch(isOn) {
    const ask = () => this.put("sharing", { on: isOn });
    this.switching = this.switching ? this.switching.then(ask, ask) : ask();
    return this.switching;
  }

  /** Throws what has a `status`, or none where the server couldn't be asked. */
  async put(what, body, address = this.address) {
    const send = async () => {
      // Nothing of mine goes out under the name of who has signed in since.
      this.token ??= await permission(pageUser());
      return fetch(`${address}/${what}`, {
        method: "PUT",
        credentials: "same-origin",
        headers: { "Content-Type": "application/json", "X-CSRF-Token": this.token },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(20_000),
      });
    };
    let answer;
    try {
      answer = await send();
      if (answer.status === 403) {
        this.token = undefined;
        answer = await send();
      }
    } catch ({ why }) {
      const isBarred = why === "signed-out" || why === "other";
      throw Object.assign(new Error("not sent"), isBarred && { status: 401 });
    }
    if (!answer.ok) throw Object.assign(new Error("not sent"), { status: answer.status });
    return answer;
  }
}
