// The page of a moment: shows one after the other, by itself, by taps, keys and swipes. Holding,
// writing an answer and an open menu or dialog stop the time.
import { get, parsePage } from "../base/fetch.js";
import { onSwipe } from "../viewer/swipes.js";

const HOLD_MS = 250;
// A tap on this part of the width, from the left, goes back.
const BACK_PART = 0.33;

/** Whether the user wants no movement: then nothing is shown by itself. */
const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

class Viewer {
  constructor(place) {
    this.place = place;
    this.reasons = new Set();
    this.isMuted = true;
    this.begin();
    place.addEventListener("click", (event) => this.click(event));
    place.addEventListener("pointerdown", (event) => this.press(event));
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
      place.addEventListener(name, () => this.release());
    }
    place.addEventListener("contextmenu", (event) => {
      if (event.target.closest("[data-stage]") && this.isHeld) event.preventDefault();
    });
    place.addEventListener("focusin", () => this.check());
    place.addEventListener("focusout", () => this.check());
    place.addEventListener("toggle", () => this.check(), true);
    document.addEventListener("visibilitychange", () => this.check());
    document.addEventListener("close", () => this.check(), true);
    document.addEventListener("keydown", (event) => this.key(event), true);
    onSwipe(place, (way) => this.swiped(way));
  }

  get moment() {
    return this.place.querySelector("[data-moment]");
  }

  get film() {
    return this.place.querySelector("video");
  }

  /** Starts the time of the moment that is shown. */
  begin() {
    this.animation?.cancel();
    this.animation = null;
    this.stops("loading", false);
    const { moment, film } = this;
    const pause = moment.querySelector("[data-pause]");
    if (film) this.prepare(film);
    if (isStill()) return;
    moment.classList.add("is-playing");
    pause.hidden = false;
    this.mark(pause, this.reasons.has("button"));
    const bar = moment.querySelector(".is-current span");
    const duration = Number(moment.dataset.milliseconds);
    const frames = [{ transform: "scaleX(0)" }, { transform: "none" }];
    if (film) {
      film.addEventListener("timeupdate", () => {
        if (film.duration) bar.style.transform = `scaleX(${film.currentTime / film.duration})`;
      });
      film.addEventListener("ended", () => this.goOn());
    } else {
      this.waitFor(moment.querySelector("[data-stage] img"));
      this.animation = bar.animate(frames, { duration, fill: "forwards" });
      this.animation.onfinish = () => this.goOn();
    }
    this.check();
  }

  /** The time of a picture begins when it is there. */
  waitFor(picture) {
    this.stops("loading", !picture.complete);
    for (const name of ["load", "error"]) {
      picture.addEventListener(name, () => {
        this.stops("loading", false);
        this.check();
      });
    }
  }

  /** Gives a film the page's own buttons; it starts without sound. */
  prepare(film) {
    if (isStill()) return;
    film.controls = false;
    film.muted = this.isMuted;
    const sound = this.moment.querySelector("[data-sound]");
    if (!sound) return;
    sound.hidden = false;
    this.mark(sound, !this.isMuted);
  }

  mark(button, isOn) {
    button.setAttribute("aria-pressed", String(isOn));
  }

  /** Stops or goes on, by what the user is doing. */
  check() {
    const form = this.place.querySelector("[data-answer-form]");
    const text = form?.querySelector("textarea").value.trim();
    const isOpen = document.querySelector("details[data-menu][open], dialog[open]");
    this.stops("writing", Boolean(text || form?.matches(":focus-within")));
    this.stops("elsewhere", document.hidden || Boolean(isOpen));
    if (isStill()) return;
    const isRunning = this.reasons.size === 0;
    if (this.animation?.playState === "finished" || this.film?.ended) return;
    if (isRunning) {
      this.animation?.play();
      // A browser that does not start films by itself shows its buttons.
      this.film?.play().catch((failure) => {
        if (failure.name === "NotAllowedError" && this.film) this.film.controls = true;
      });
    } else {
      this.animation?.pause();
      this.film?.pause();
    }
  }

  /** Taps and swipes must not lose an answer that is being written; links and keys still go on. */
  get isWriting() {
    return this.reasons.has("writing");
  }

  stops(reason, isSo) {
    if (isSo) this.reasons.add(reason);
    else this.reasons.delete(reason);
  }

  /** The user has stopped it, or lets it go on. */
  toggle() {
    const button = this.moment.querySelector("[data-pause]");
    this.stops("button", !this.reasons.has("button"));
    this.mark(button, this.reasons.has("button"));
    this.check();
  }

  press(event) {
    if (!event.target.closest("[data-stage]") || event.button !== 0) return;
    this.wasHeld = false;
    this.hold = setTimeout(() => {
      this.isHeld = true;
      this.stops("hold", true);
      this.check();
    }, HOLD_MS);
  }

  release() {
    clearTimeout(this.hold);
    if (!this.isHeld) return;
    this.isHeld = false;
    // The click that follows is the end of the hold.
    this.wasHeld = true;
    this.stops("hold", false);
    this.check();
  }

  click(event) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (event.target.closest("[data-pause]")) return this.toggle();
    const sound = event.target.closest("[data-sound]");
    if (sound) return this.setSound(sound);
    const link = event.target.closest("[data-before], [data-after]");
    if (link) {
      event.preventDefault();
      return this.go("before" in link.dataset ? "before" : "after");
    }
    const stage = event.target.closest("[data-stage]");
    if (!stage || this.film?.controls || this.wasHeld || this.wasSwiped || this.isWriting) {
      this.wasHeld = this.wasSwiped = false;
      return undefined;
    }
    const box = stage.getBoundingClientRect();
    return this.go(event.clientX - box.left < box.width * BACK_PART ? "before" : "after");
  }

  setSound(button) {
    this.isMuted = !this.isMuted;
    if (this.film) this.film.muted = this.isMuted;
    this.mark(button, !this.isMuted);
  }

  swiped(way) {
    if (this.isWriting) return;
    this.wasSwiped = true;
    setTimeout(() => (this.wasSwiped = false), HOLD_MS);
    this.go(way);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.place.isConnected) return;
    // While a menu or dialog is open, the keys belong to it.
    if (document.querySelector("details[open], dialog[open]")) return;
    if (event.target.matches("input, textarea, video")) return;
    if (event.key === " " && !isStill() && !event.target.matches("button, a, summary")) {
      event.preventDefault();
      this.toggle();
    } else if (event.key === "Escape") {
      this.place.querySelector("[data-close]").click();
    } else if (event.key === "ArrowLeft") {
      this.go("before");
    } else if (event.key === "ArrowRight") {
      this.go("after");
    }
  }

  /** The time of a moment is over: the last one stays. */
  goOn() {
    if (this.moment.querySelector("[data-after]")) this.go("after");
  }

  /** Shows the moment before or after; after the last one, the feed. */
  async go(way) {
    if (this.isGoing) return;
    const link = this.moment.querySelector(`[data-${way}]`);
    if (!link) {
      if (way === "after") location.assign(this.moment.querySelector("[data-close]").href);
      return;
    }
    this.isGoing = true;
    this.animation?.pause();
    this.film?.pause();
    try {
      this.show(await parsePage(await get(link.href)), way);
    } catch (failure) {
      // The page itself says what is wrong, for example that the moment is over.
      if (!failure.shown) location.assign(link.href);
    } finally {
      this.isGoing = false;
    }
  }

  show(page, way) {
    const next = page.querySelector("[data-moment]");
    const hadFocus = this.moment.contains(document.activeElement);
    const fresh = document.importNode(next, true);
    this.moment.replaceWith(fresh);
    history.replaceState(null, "", fresh.dataset.address);
    document.title = page.title;
    const title = page.querySelector(".top-title");
    document.querySelector(".top-title").textContent = title.textContent;
    this.place.querySelector("[data-said]").textContent =
      `${title.textContent} ${fresh.querySelector("[data-place]").textContent}`;
    if (hadFocus)
      (fresh.querySelector(`[data-${way}]`) ?? fresh.querySelector("[data-close]")).focus();
    fresh.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
    this.begin();
  }
}

export function start(place) {
  new Viewer(place);
}
