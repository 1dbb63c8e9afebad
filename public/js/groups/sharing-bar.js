// The bar that shows whether the position is shared, and switches it.
import { showNotice } from "../base/notice.js";
import { showError } from "../base/fetch.js";
import { text } from "../base/texts.js";
import { showToast } from "../base/toasts.js";

// The API rounds moments to seconds; in ms.
const SAME = 2_000;

const isSame = (one, other) => Math.abs(one - other) < SAME;

const TITLES = {
  off: "unshared",
  looking: "looking",
  on: "shared",
  stopping: "stoppingTitle",
  elsewhere: "elsewhere",
  remains: "remains",
};

export class SharingBar {
  constructor(bar, sharing, words) {
    this.bar = bar;
    this.sharing = sharing;
    this.words = words;
    if (!bar) return;
    this.me = bar.closest("[data-group]")?.dataset.me;
    this.button = bar.querySelector("button");
    this.hasGeolocation = "geolocation" in navigator;
    bar.addEventListener("submit", (event) => this.switch(event));
    addEventListener("storage", () => this.handleStorage());
    setInterval(() => this.count(), 20_000);
    document.addEventListener("visibilitychange", () => this.noteAbsence());
    this.begin();
  }

  /** Begins with the state of the page. Only a browser that shared before goes on sharing. */
  begin() {
    const { sharing } = this;
    const until = Number(this.bar.dataset.until) || 0;
    const isShared = until > sharing.clock();
    if (isShared) this.elsewhere = { until };
    if (sharing.saved.isStopping) sharing.stop();
    else if (isShared && this.hasGeolocation && isSame(sharing.saved.until, until))
      sharing.resume(until);
    this.show();
    sharing.api.stopInOtherGroups(sharing.clock());
  }

  switch(event) {
    event.preventDefault();
    const { sharing } = this;
    const wants = (event.submitter ?? this.button).value;
    this.why = undefined;
    if (wants === "1") sharing.share();
    // Nothing is shared yet, unless from another device.
    else if (sharing.isLooking && !sharing.isBeginning && !this.elsewhere) sharing.cancel();
    else sharing.stop();
  }

  /** Handles an event of `LocationSharing`. */
  handle(what) {
    const { sharing } = this;
    if (!this.bar || what === "place") return;
    if (["sharing", "stopped", "ended"].includes(what)) this.elsewhere = undefined;
    if (what === "refused" || what === "signed-out") {
      if (sharing.remains || what === "signed-out") {
        this.elsewhere = { until: sharing.remains ?? this.elsewhere?.until, isMine: true };
      } else {
        // Answers the user's tap.
        showNotice(this.words.say("refused"));
      }
    }
    if (what === "failed") this.showFailure();
    const isEnding = what === "stopping" || what === "stopped";
    if (what !== "awake" && !(isEnding && this.why === "refused")) this.why = what;
    this.show();
  }

  showFailure() {
    const { failure } = this.sharing;
    if (failure.status) showError(failure);
    else showNotice(text("offline"));
  }

  /** Compares the server's record of the user: another device may have switched sharing. */
  compare(member) {
    if (!this.bar || !member || this.sharing.isChanging || this.agrees(member)) return;
    this.ask();
  }

  /** Reacts to another tab of this browser. */
  handleStorage() {
    const { sharing } = this;
    if (sharing.isStopping) sharing.retry();
    else if (sharing.saved.isStopping) sharing.stop();
    else if (sharing.until && !sharing.saved.until) this.ask();
  }

  agrees({ sharing, sharing_until: until }) {
    const known = this.sharing.until ?? this.elsewhere?.until;
    const isOn = Boolean(this.sharing.until ?? this.elsewhere);
    return isOn === sharing && (!sharing || !until || !known || isSame(known, Date.parse(until)));
  }

  /** Asks once more: the record may be older than a switch on this device. */
  async ask() {
    const { address, session } = this.sharing;
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      const answer = await fetch(address, {
        credentials: "same-origin",
        cache: "no-store",
        headers: { Accept: "application/json" },
        signal: AbortSignal.timeout(20_000),
      });
      const { members } = answer.ok ? await answer.json() : {};
      const member = members?.find((each) => each.user_id === this.me);
      const isNews = session === this.sharing.session && !this.sharing.isChanging;
      if (member && isNews && !this.agrees(member)) this.accept(member);
    } catch {
      // The next difference asks again.
    } finally {
      this.isAsking = false;
    }
  }

  accept({ sharing: isShared, sharing_until: moment }) {
    const { sharing } = this;
    const until = moment ? Date.parse(moment) : undefined;
    if (isShared && sharing.until && isSame(sharing.saved.until, until)) {
      // Another tab of this browser has begun again.
      sharing.until = until;
    } else {
      if (sharing.until) sharing.saved.clear();
      sharing.reset();
      this.elsewhere = isShared ? { until } : undefined;
    }
    this.why = undefined;
    this.show();
  }

  /** Tells the user who returns for how long the group saw no new position. */
  noteAbsence() {
    const now = Date.now();
    if (document.visibilityState !== "visible") {
      this.leftAt = now;
      return;
    }
    const minutes = Math.floor((now - this.leftAt) / 60_000);
    if (minutes >= 1 && this.sharing.until) showToast(this.words.say("wasHidden", minutes));
  }

  // MARK: Showing

  get state() {
    const { sharing, elsewhere } = this;
    if (sharing.isStopping) return "stopping";
    if (sharing.isLooking) return "looking";
    if (sharing.until) return "on";
    if (!elsewhere) return "off";
    return elsewhere.isMine ? "remains" : "elsewhere";
  }

  show() {
    const { bar, button, state, words } = this;
    bar.classList.toggle("is-on", state === "on");
    write(bar.querySelector("[data-sharing-title]"), words.say(TITLES[state]));
    const isOff = state === "off";
    write(button, words.say(isOff ? "share" : "stop"));
    button.value = isOff ? "1" : "0";
    button.classList.toggle("button-outline", !isOff);
    button.disabled = isOff && !this.hasGeolocation;
    this.offer(this.hasGeolocation && (state === "elsewhere" || state === "remains"));
    write(document.querySelector("[data-sharing-note]"), words.say(this.note(state)) ?? "");
    this.count();
  }

  /** A second button, for when another device shares. */
  offer(isOffered) {
    if (isOffered === Boolean(this.second)) return;
    if (isOffered) {
      this.second = this.button.cloneNode();
      this.second.value = "1";
      this.second.disabled = false;
      this.second.textContent = this.words.say("shareHere");
      this.button.before(this.second);
      return;
    }
    // The focus stays in the bar.
    if (document.activeElement === this.second) this.button.focus();
    this.second.remove();
    this.second = undefined;
  }

  /** The name of the text below the bar. */
  note(state) {
    const { sharing, why } = this;
    if (state === "on") {
      if (why === "unsent" || why === "lost") return why;
      return sharing.wakeLock.isOn ? "hintAwake" : "hint";
    }
    if (state === "looking") return "unseen";
    if (state === "stopping") return why === "refused" ? why : sharing.tries ? "stopping" : "";
    if (why === "refused") return why;
    if (state === "remains") return "signedOut";
    if (state === "off" && why === "ended") return why;
    return this.hasGeolocation ? "" : "noGeolocation";
  }

  count() {
    if (this.elsewhere?.until <= this.sharing.clock()) {
      this.elsewhere = undefined;
      this.show();
      return;
    }
    const until = this.sharing.until ?? this.elsewhere?.until;
    const left = until && this.state !== "looking" && this.state !== "stopping";
    write(
      this.bar.querySelector("[data-sharing-left]"),
      left ? this.words.left(until - this.sharing.clock()) : "",
    );
  }
}

/** Writes only what has changed, so that screen readers do not read it again. */
function write(place, words) {
  if (place && place.textContent !== words) place.textContent = words;
}
