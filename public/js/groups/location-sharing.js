// Shares the position of this device with a group: at most every 5 s, and only after 10 m or 30 s.
// After an interruption only the newest position is sent, with the moment of its fix.
//
// Pauses are measured by the monotonic clock; moments are times of the server.
import { distance } from "./geo.js";
import { PositionWatch } from "./position-watch.js";
import { GONE, SharingAPI, SIGNED_OUT } from "./sharing-api.js";
import { SharingState } from "./sharing-state.js";
import { ScreenWakeLock } from "../base/wake-lock.js";

// The shortest and the longest time between two updates, in ms, and the least way between, in m.
const MIN_INTERVAL = 5_000;
const MAX_INTERVAL = 30_000;
const MIN_DISTANCE = 10;
// After this time, in ms, the position that others see is outdated.
const OUTDATED = 60_000;
// Pauses after a failed request, in ms; the last one is repeated.
const PAUSES = [5_000, 10_000, 20_000, 40_000];
const PERMISSION_DENIED = 1;
// Browsers report a denied permission also to a page that is being closed, which stops nothing.
// Only a page that still exists after this time, in ms, was denied it.
const CLOSING = 2_000;

const isVisible = () => document.visibilityState === "visible";

export class LocationSharing {
  /**
   * @param address of the group in the API.
   * @param clock gives the server's time in ms.
   * @param onChange called with what happened:
   *   "place" (there is a newer position), "looking" (waits for the first position; the server
   *   knows nothing yet), "failed" (the server refused to begin, see `failure`), "sharing",
   *   "awake" (the screen's wake lock has changed), "lost" (there is no recent position),
   *   "unsent", "sent", "stopping", "unstopped" (the server could not be told yet), "stopped",
   *   "ended" (by the server), "refused" (no permission for positions), "signed-out".
   */
  constructor(address, clock, onChange) {
    this.address = address;
    this.clock = clock;
    this.onChange = onChange;
    this.api = new SharingAPI(address);
    this.saved = new SharingState(address);
    this.wakeLock = new ScreenWakeLock(() => this.onChange("awake"));
    this.watch = new PositionWatch(
      clock,
      () => this.handlePosition(),
      (error) => this.miss(error),
    );
    // Changes with each beginning and end, so that answers to earlier requests are ignored.
    this.session = 0;
    this.reset();
    addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => {
      if (!isVisible()) return;
      if (this.until) this.watch.request();
      this.retry();
    });
  }

  /** The position of this device: {latitude, longitude, accuracy, at}, or undefined. */
  get position() {
    return this.watch.position;
  }

  /** Whether the server's record of this user is about to change. */
  get isChanging() {
    return this.isLooking || this.isStopping;
  }

  // MARK: Beginning and ending

  /** Begins with the first position: without permission the server is told nothing. */
  share() {
    if (this.isStopping) return;
    this.reset();
    this.isLooking = true;
    this.onChange("looking");
    this.watch.start();
  }

  /** Tells the server to begin, after the first position. */
  async begin() {
    const { session } = this;
    this.isBeginning = true;
    try {
      const answer = await this.api.switch(true);
      const { until } = await answer.json();
      if (session === this.session) this.run(Date.parse(until));
    } catch (failure) {
      if (session !== this.session) return;
      this.reset();
      this.failure = failure;
      this.onChange("failed");
    }
  }

  /** Continues what this browser shared before the page was loaded; `until` in the server's ms. */
  resume(until) {
    this.reset();
    this.isResumed = true;
    this.run(until);
  }

  run(until) {
    this.until = until;
    this.isLooking = this.isBeginning = false;
    this.saved.share(until);
    this.onChange("sharing");
    this.wakeLock.enable();
    this.watch.start();
    this.ticking = setInterval(() => this.tick(), 1_000);
    this.tick();
  }

  /** Stops at once, and has the server delete the position as soon as it can be reached. */
  stop() {
    const { until } = this;
    this.reset();
    this.remains = until;
    this.saved.stop();
    this.isStopping = true;
    this.onChange("stopping");
    return this.endOnServer();
  }

  /** Stops waiting for the first position. The server was told nothing. */
  cancel() {
    this.reset();
    this.onChange("stopped");
  }

  async endOnServer() {
    clearTimeout(this.ending);
    if (this.isEnding) return;
    const { session } = this;
    this.isEnding = true;
    try {
      if (this.saved.isStopping) {
        await this.api.switch(false);
        this.finish("stopped", session);
      } else {
        // Another tab has told the server, or has begun again: the saved state is that tab's.
        this.reset();
        this.onChange("stopped");
      }
    } catch ({ status }) {
      if (session !== this.session) return;
      if (GONE.includes(status)) this.finish("ended", session);
      else if (SIGNED_OUT.includes(status)) {
        // Told after the next sign-in: the saved state stays.
        this.isStopping = false;
        this.onChange("signed-out");
      } else {
        this.ending = setTimeout(() => this.endOnServer(), this.nextPause());
        this.onChange("unstopped");
      }
    } finally {
      if (session === this.session) this.isEnding = false;
    }
  }

  /** Ends sharing after the server has deleted the position. */
  finish(event, session) {
    if (session !== this.session) return;
    this.reset();
    this.saved.clear();
    this.onChange(event);
  }

  /** Sends nothing any more, without telling the server: others go on seeing the last position. */
  leave(event) {
    const { until } = this;
    this.reset();
    this.remains = until;
    this.onChange(event);
  }

  reset() {
    this.session += 1;
    clearInterval(this.ticking);
    clearTimeout(this.waiting);
    clearTimeout(this.ending);
    clearTimeout(this.refusing);
    this.watch.stop();
    this.wakeLock.disable();
    this.until = this.remains = this.sent = undefined;
    this.waiting = this.refusing = this.failure = undefined;
    this.isLooking = this.isBeginning = this.isStopping = this.isEnding = false;
    this.isResumed = this.isSending = false;
    this.sentAt = -Infinity;
    this.tries = 0;
  }

  // MARK: Positions

  handlePosition() {
    this.onChange("place");
    if (this.isLooking && !this.isBeginning) this.begin();
    else this.tick();
  }

  miss({ code }) {
    if (code !== PERMISSION_DENIED) {
      // Some browsers report an error also while the user does not move.
      const { position } = this;
      if (!position || this.clock() - position.at > OUTDATED) this.onChange("lost");
    } else if (this.until || this.isBeginning) {
      this.refusing ??= setTimeout(() => this.refuse(), CLOSING);
    } else {
      this.refuse();
    }
  }

  /** Ends sharing because the browser gives no permission for positions. */
  refuse() {
    if (this.isResumed) {
      // Another device may share the position: this one does not stop that.
      this.saved.clear();
      this.leave("refused");
    } else if (this.until || this.isBeginning) {
      this.onChange("refused");
      this.stop();
    } else {
      this.reset();
      this.onChange("refused");
    }
  }

  // MARK: Sending

  tick() {
    if (!this.until) return;
    if (this.clock() >= this.until) {
      this.finish("ended", this.session);
      return;
    }
    if (this.isDue()) this.send();
    const waited = performance.now() - Math.max(this.sentAt, this.watch.requestedAt);
    if (waited >= MAX_INTERVAL && isVisible()) this.watch.request();
  }

  isDue() {
    const { position } = this;
    if (!position || this.isSending || this.waiting || this.refusing || !isVisible()) return false;
    if (!this.sent) return true;
    const waited = performance.now() - this.sentAt;
    if (position.at === this.sent.at || waited < MIN_INTERVAL) return false;
    return waited >= MAX_INTERVAL || distance(this.sent, position) >= MIN_DISTANCE;
  }

  async send() {
    const { position, session } = this;
    this.isSending = true;
    try {
      await this.api.sendPosition(position);
      if (session !== this.session) return;
      this.sent = position;
      this.sentAt = performance.now();
      this.tries = 0;
      this.onChange("sent");
    } catch (failure) {
      if (session === this.session) this.handleFailure(failure);
    } finally {
      if (session === this.session) this.isSending = false;
    }
  }

  handleFailure({ status }) {
    if (GONE.includes(status)) {
      this.finish("ended", this.session);
    } else if (SIGNED_OUT.includes(status)) {
      this.leave("signed-out");
    } else {
      // The retry sends the position that is newest by then.
      this.waiting = setTimeout(() => this.retry(), this.nextPause());
      this.onChange("unsent");
    }
  }

  nextPause() {
    this.tries += 1;
    return PAUSES[Math.min(this.tries, PAUSES.length) - 1];
  }

  /** Tries at once what waits for its next try. */
  retry() {
    clearTimeout(this.waiting);
    this.waiting = undefined;
    if (this.isStopping) this.endOnServer();
    else if (this.saved.isStopping && !this.isLooking) this.stop();
    else this.tick();
  }
}
