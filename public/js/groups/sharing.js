// The bar that says whether my place is shared, and switches it.
import { notice } from "../base/notice.js";
import { tell } from "../base/fetch.js";
import { text } from "../base/texts.js";

export class Sharing {
  constructor(bar, places, words) {
    this.bar = bar;
    this.places = places;
    this.words = words;
    if (!bar) return;
    if (!("geolocation" in navigator)) {
      this.say("noGeolocation");
      return;
    }
    bar.addEventListener("submit", (event) => this.switch(event));
    const until = Number(bar.dataset.until);
    if (until > places.clock()) {
      places.go(until);
      this.show("sharing");
    }
    setInterval(() => this.count(), 20_000);
  }

  async switch(event) {
    event.preventDefault();
    const button = this.bar.querySelector("button");
    if (button.disabled) return;
    button.disabled = true;
    try {
      if (this.places.until) await this.places.stop();
      else await this.places.share();
    } catch (failure) {
      if (failure.status) tell(failure);
      else notice(text("offline"));
    } finally {
      button.disabled = false;
    }
  }

  placed(what) {
    if (what === "refused") notice(this.words.say("refused"));
    if (what === "unsent") this.say("unsent");
    if (what === "sent") this.say("hint");
    if (what !== "place") this.show(what);
    if (what === "stopping") this.say(what);
  }

  show(what) {
    const { bar, places } = this;
    if (!bar) return;
    const isOn = Boolean(places.until);
    bar.classList.toggle("is-on", isOn);
    const button = bar.querySelector("button");
    button.textContent = this.words.say(isOn ? "stop" : "share");
    button.value = isOn ? "0" : "1";
    bar.querySelector("[data-sharing-title]").textContent = this.words.say(isOn ? "shared" : "unshared");
    if (what === "sharing") this.say("hint");
    if (!isOn) this.say(what === "ended" ? "ended" : "");
    this.count();
  }

  count() {
    const { until } = this.places;
    const place = this.bar?.querySelector("[data-sharing-left]");
    if (place) place.textContent = until ? this.words.left(until - this.places.clock()) : "";
  }

  /** A sentence below the bar: while it is on, that a hidden page sends nothing. */
  say(name) {
    const place = document.querySelector("[data-sharing-note]");
    const words = name ? this.words.say(name) : "";
    place.hidden = !words;
    if (place.textContent !== words) place.textContent = words;
  }
}
