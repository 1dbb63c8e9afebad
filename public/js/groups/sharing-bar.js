// The bar that says whether my place is shared, and switches it.
import { notice } from "../base/notice.js";
import { tell } from "../base/fetch.js";
import { text } from "../base/texts.js";

// The API tells moments in whole seconds.
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

export class Sharing {
  constructor(bar, places, words) {
    this.bar = bar;
    this.places = places;
    this.words = words;
    if (!bar) return;
    this.me = bar.closest("[data-group]")?.dataset.me;
    this.button = bar.querySelector("button");
    this.hasPlaces = "geolocation" in navigator;
    bar.addEventListener("submit", (event) => this.switch(event));
    addEventListener("storage", () => this.overhear());
    setInterval(() => this.count(), 20_000);
    this.begin();
  }

  /** As the page says: a browser that didn't share goes on with nothing. */
  begin() {
    const { places } = this;
    const until = Number(this.bar.dataset.until) || 0;
    const isShared = until > places.clock();
    if (isShared) this.elsewhere = { until };
    if (places.mark.isStopping) places.stop();
    else if (isShared && this.hasPlaces && isSame(places.mark.until, until)) places.resume(until);
    this.show();
    places.stopLate();
  }

  switch(event) {
    event.preventDefault();
    const { places } = this;
    const wants = (event.submitter ?? this.button).value;
    this.why = undefined;
    if (wants === "1") places.share();
    // Nothing is shared yet, unless from another device.
    else if (places.isLooking && !places.isBeginning && !this.elsewhere) places.giveUp();
    else places.stop();
  }

  /** What `Places` tells: see there. */
  placed(what) {
    const { places } = this;
    if (!this.bar || what === "place") return;
    if (["sharing", "stopped", "ended"].includes(what)) this.elsewhere = undefined;
    if (what === "refused" || what === "barred") {
      if (places.remains || what === "barred") {
        this.elsewhere = { until: places.remains ?? this.elsewhere?.until, isMine: true };
      } else {
        // Asked for by a tap: so it is answered.
        notice(this.words.say("refused"));
      }
    }
    if (what === "failed") this.complain();
    const isEnding = what === "stopping" || what === "stopped";
    if (what !== "awake" && !(isEnding && this.why === "refused")) this.why = what;
    this.show();
  }

  complain() {
    const { failure } = this.places;
    if (failure.status) tell(failure);
    else notice(text("offline"));
  }

  /** My own record of the group, as the server has just told it: another device may have switched. */
  heard(member) {
    if (!this.bar || !member || this.places.isChanging || this.agrees(member)) return;
    this.ask();
  }

  /** Another tab of this browser has stopped, or begun. */
  overhear() {
    const { places } = this;
    if (places.isStopping) places.retry();
    else if (places.mark.isStopping) places.stop();
    else if (places.until && !places.mark.until) this.ask();
  }

  agrees({ sharing, sharing_until: until }) {
    const known = this.places.until ?? this.elsewhere?.until;
    const isOn = Boolean(this.places.until ?? this.elsewhere);
    return isOn === sharing && (!sharing || !until || !known || isSame(known, Date.parse(until)));
  }

  /** That may have been said before something was switched here: asks once more. */
  async ask() {
    const { address, turn } = this.places;
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
      const isNews = turn === this.places.turn && !this.places.isChanging;
      if (member && isNews && !this.agrees(member)) this.believe(member);
    } catch {
      // Whatever says so next is asked about again.
    } finally {
      this.isAsking = false;
    }
  }

  believe({ sharing, sharing_until: moment }) {
    const { places } = this;
    const until = moment ? Date.parse(moment) : undefined;
    if (sharing && places.until && isSame(places.mark.until, until)) {
      // Another tab of this browser has begun anew.
      places.until = until;
    } else {
      if (places.until) places.mark.clear();
      places.halt();
      this.elsewhere = sharing ? { until } : undefined;
    }
    this.why = undefined;
    this.show();
  }

  // MARK: Showing

  get state() {
    const { places, elsewhere } = this;
    if (places.isStopping) return "stopping";
    if (places.isLooking) return "looking";
    if (places.until) return "on";
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
    button.disabled = isOff && !this.hasPlaces;
    this.offer(this.hasPlaces && (state === "elsewhere" || state === "remains"));
    write(document.querySelector("[data-sharing-note]"), words.say(this.note(state)) ?? "");
    this.count();
  }

  /** A second button, for what another device does. */
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
    // The keyboard stays in the bar.
    if (document.activeElement === this.second) this.button.focus();
    this.second.remove();
    this.second = undefined;
  }

  /** The name of the sentence below the bar. */
  note(state) {
    const { places, why } = this;
    if (state === "on") {
      if (why === "unsent" || why === "lost") return why;
      return places.awake.isOn ? "hintAwake" : "hint";
    }
    if (state === "looking") return "unseen";
    if (state === "stopping") return why === "refused" ? why : places.tries ? "stopping" : "";
    if (why === "refused") return why;
    if (state === "remains") return "signedOut";
    if (state === "off" && why === "ended") return why;
    return this.hasPlaces ? "" : "noGeolocation";
  }

  count() {
    if (this.elsewhere?.until <= this.places.clock()) {
      this.elsewhere = undefined;
      this.show();
      return;
    }
    const until = this.places.until ?? this.elsewhere?.until;
    const left = until && this.state !== "looking" && this.state !== "stopping";
    write(
      this.bar.querySelector("[data-sharing-left]"),
      left ? this.words.left(until - this.places.clock()) : "",
    );
  }
}

/** Only what is new is written: a screen reader reads it again. */
function write(place, words) {
  if (place && place.textContent !== words) place.textContent = words;
}
