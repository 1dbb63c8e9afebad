// The live page of a group: hears of changes, knows where I am, and shows who is where.
import { notice } from "../base/notice.js";
import { Calls } from "./calls.js";
import { Clock } from "./server-clock.js";
import { Gone, Group } from "./group.js";
import { Places } from "./location-sharing.js";
import { Sharing } from "./sharing-bar.js";
import { Stream, pauseAfter } from "./stream.js";
import { View } from "./live-view.js";
import { followCompass, mayHaveCompass } from "./compass.js";
import { refresh, take } from "./fragments.js";
import { sendForms } from "./forms.js";
import { wordsOf } from "./words.js";

// Ages grow even when nothing happens.
const TICK = 5_000;
// So many sentences stand where they are read out.
const SPOKEN = 5;

export function start(root) {
  new LivePage(root);
}

class LivePage {
  constructor(root) {
    const { id, me, version, now } = root.dataset;
    const address = `/api/v1/groups/${id}`;
    this.root = root;
    this.tries = 0;
    this.clock = new Clock(Number(now));
    this.words = wordsOf(root);
    this.group = new Group(address, Number(version), this.clock);
    this.view = new View(root, this.group, this.clock, this.words, () => this.places?.place);
    const shape = root.querySelector("[data-call-shape]");
    this.calls = new Calls(root.querySelector("[data-calls]"), shape, { ...this, me });
    this.places = new Places(address, () => this.clock.now(), (what) => this.placed(what));
    this.sharing = new Sharing(root.querySelector("[data-group-sharing]"), this.places, this.words);
    this.stream = new Stream(`${address}/events`, () => this.catchUp(), (state) => this.told(state));
    this.ticking = setInterval(() => this.show(), TICK);
    addEventListener("online", () => this.catchUp());
    sendForms(root, (page, isAnswer) => this.rewritten(() => take(page, isAnswer)));
    root.querySelector("[data-say]").addEventListener("click", () => this.say());
    this.offerCompass();
    this.offerMap();
    // A stream may be long in coming.
    this.catchUp();
  }

  // MARK: Hearing

  /** Asks for what is new, and shows it; asks again by itself when that fails. */
  async catchUp() {
    clearTimeout(this.retrying);
    const attempt = this.group.catchUp();
    try {
      await attempt;
      this.hear();
      if (this.isStale) await this.reshape();
      this.tries = 0;
      this.isUnreachable = false;
      this.told();
    } catch (failure) {
      if (failure instanceof Gone) {
        this.end();
        return;
      }
      this.isUnreachable = true;
      this.told();
      // Calls in between share an attempt, which fails once.
      if (this.failed === attempt) return;
      this.failed = attempt;
      clearTimeout(this.retrying);
      this.retrying = setTimeout(() => this.catchUp(), pauseAfter(this.tries));
      this.tries += 1;
    }
  }

  /** Takes what the last answer said, once. */
  hear() {
    const { group } = this;
    if (group.answers === this.heard) return;
    this.heard = group.answers;
    this.isStale ||= group.hasNewShape;
    this.calls.hear(group.events);
    const own = group.members.find((member) => member.user_id === this.root.dataset.me);
    if (own) this.sharing.heard?.(own);
    this.show();
  }

  /** More than places changed: the server writes it in words. What comes meanwhile waits its turn. */
  async reshape() {
    if (this.isReshaping) return;
    this.isReshaping = true;
    try {
      while (this.isStale) {
        this.isStale = false;
        await this.rewritten(refresh);
      }
    } catch (failure) {
      this.isStale = true;
      throw failure;
    } finally {
      this.isReshaping = false;
    }
  }

  /** Shows what the server wrote anew, and says what is new in the log. */
  async rewritten(write) {
    const entries = () => [...this.root.querySelectorAll("[data-log-entry]")];
    const before = new Set(entries().map(keyOf));
    await write();
    this.show();
    // The log has the newest first; it is read in the order in which things happened.
    const fresh = entries().filter((entry) => !before.has(keyOf(entry))).reverse();
    const unsaid = fresh.filter((entry) => !this.calls.hasAlarm(Number(keyOf(entry))));
    this.speak(unsaid.map((entry) => entry.firstElementChild.textContent.trim()));
  }

  /** Says whether we are live. */
  told(state) {
    if (state) this.state = state;
    // Whatever the phone says: an answer came.
    else if (!this.isUnreachable && this.state === "offline") this.state = "closed";
    const isCut = this.isUnreachable || this.state === "offline";
    const name = isCut ? "unreachable" : { open: "live", closed: "polling" }[this.state];
    const place = this.root.querySelector("[data-connection]");
    if (!name || place.dataset.state === name) return;
    place.dataset.state = name;
    place.textContent = this.words.say(name);
  }

  placed(what) {
    this.sharing?.placed(what);
    if (what === "place" || what === "stopped" || what === "ended") this.show();
  }

  // MARK: Showing

  show() {
    this.view.show();
    this.calls.show(this.view.people);
  }

  /** Says who is where, to who asked for it. */
  say() {
    const sentences = this.view.sentences().slice(0, SPOKEN);
    this.speak(sentences.length ? sentences : [this.words.say("nobodyNear")]);
  }

  speak(sentences) {
    const place = this.root.querySelector("[data-spoken]");
    for (const sentence of sentences) {
      const line = document.createElement("p");
      line.textContent = sentence;
      place.append(line);
    }
    while (place.childElementCount > SPOKEN) place.firstElementChild.remove();
  }

  // MARK: What a device may have

  offerCompass() {
    const button = this.root.querySelector("[data-compass]");
    button.hidden = !mayHaveCompass();
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        await followCompass((heading) => this.view.turn(heading));
        button.hidden = true;
      } catch (failure) {
        notice(this.words.say(failure.message));
      } finally {
        button.disabled = false;
      }
    });
  }

  async offerMap() {
    const place = this.root.querySelector("[data-map]");
    if (!place?.dataset.tiles) return;
    try {
      const { showMap } = await import("./map.js");
      this.view.map = await showMap(place, this.words);
      this.show();
    } catch {
      // The radar needs no tiles, and the list no picture at all.
      place.hidden = true;
    }
  }

  /** Closed, or not ours any more: the server's page says which. */
  end() {
    clearInterval(this.ticking);
    clearTimeout(this.retrying);
    this.stream?.end();
    this.places.halt();
    location.reload();
  }
}

const keyOf = (entry) => entry.dataset.logEntry;
