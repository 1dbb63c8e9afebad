// The live page of a group: listens for changes, and shows where the members are.
import { showNotice } from "../base/notice.js";
import { Calls } from "./calls.js";
import { ServerClock } from "./server-clock.js";
import { GroupGone, Group } from "./group.js";
import { LocationSharing } from "./location-sharing.js";
import { SharingBar } from "./sharing-bar.js";
import { Stream, pauseAfter } from "../base/stream.js";
import { LiveView } from "./live-view.js";
import { followCompass, mayHaveCompass } from "./compass.js";
import { refreshFragments, applyFragments } from "./fragments.js";
import { coordinates } from "./current-position.js";
import { sendForms } from "./forms.js";
import { wordsOf } from "./words.js";

// Ages change even when nothing happens; in ms.
const TICK = 5_000;
// The number of sentences in the live region.
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
    this.clock = new ServerClock(Number(now));
    this.words = wordsOf(root);
    this.group = new Group(address, Number(version), this.clock);
    this.view = new LiveView(
      root,
      this.group,
      this.clock,
      this.words,
      () => this.sharing?.position,
    );
    const template = root.querySelector("[data-call-template]");
    this.calls = new Calls(root.querySelector("[data-calls]"), template, { ...this, me });
    this.sharing = new LocationSharing(
      address,
      () => this.clock.now(),
      (what) => this.handleSharing(what),
    );
    this.bar = new SharingBar(root.querySelector("[data-group-sharing]"), this.sharing, this.words);
    this.stream = new Stream(
      `${address}/events`,
      "group",
      () => this.catchUp(),
      (state) => this.showConnection(state),
    );
    this.ticking = setInterval(() => this.show(), TICK);
    addEventListener("online", () => this.catchUp());
    sendForms(root, (page, isAnswer) => this.updateAndSpeak(() => applyFragments(page, isAnswer)));
    root.querySelector("[data-say]").addEventListener("click", () => this.speakPositions());
    this.offerCompass();
    this.offerMap();
    // The stream may take long to connect.
    this.catchUp();
  }

  // MARK: News

  /** Requests what is new and shows it; retries after a failure. */
  async catchUp() {
    clearTimeout(this.retrying);
    const attempt = this.group.catchUp();
    try {
      await attempt;
      this.receive();
      if (this.isStale) await this.refreshPage();
      this.tries = 0;
      this.isUnreachable = false;
      this.showConnection();
    } catch (failure) {
      if (failure instanceof GroupGone) {
        this.end();
        return;
      }
      this.isUnreachable = true;
      this.showConnection();
      // Calls during a request share it, so it fails once.
      if (this.failed === attempt) return;
      this.failed = attempt;
      clearTimeout(this.retrying);
      this.retrying = setTimeout(() => this.catchUp(), pauseAfter(this.tries));
      this.tries += 1;
    }
  }

  /** Handles the last answer, once. */
  receive() {
    const { group } = this;
    if (group.answers === this.received) return;
    this.received = group.answers;
    this.isStale ||= group.hasNewShape;
    this.calls.receive(group.events);
    const own = group.members.find((member) => member.user_id === this.root.dataset.me);
    if (own) this.bar.compare?.(own);
    this.show();
  }

  /**
   * Loads the server's parts of the page when more than positions has changed. Later changes wait.
   */
  async refreshPage() {
    if (this.isReshaping) return;
    this.isReshaping = true;
    try {
      while (this.isStale) {
        this.isStale = false;
        await this.updateAndSpeak(refreshFragments);
      }
    } catch (failure) {
      this.isStale = true;
      throw failure;
    } finally {
      this.isReshaping = false;
    }
  }

  /** Replaces parts of the page, and reads out new entries of the log. */
  async updateAndSpeak(write) {
    const entries = () => [...this.root.querySelectorAll("[data-log-entry]")];
    const before = new Set(entries().map(keyOf));
    await write();
    this.show();
    // The log has the newest entry first; it is read out in order of time.
    const fresh = entries()
      .filter((entry) => !before.has(keyOf(entry)))
      .reverse();
    // The own actions are told by the notice of the answer.
    const unsaid = fresh.filter(
      (entry) => !("own" in entry.dataset) && !this.calls.hasAlarm(Number(keyOf(entry))),
    );
    this.speak(unsaid.map((entry) => entry.firstElementChild.textContent.trim()));
  }

  /** Shows the state of the connection. */
  showConnection(state) {
    if (state) this.state = state;
    // An answer has arrived, whatever the phone reports.
    else if (!this.isUnreachable && this.state === "offline") this.state = "closed";
    const isCut = this.isUnreachable || this.state === "offline";
    const name = isCut ? "unreachable" : { open: "live", closed: "polling" }[this.state];
    const place = this.root.querySelector("[data-connection]");
    if (!name || place.dataset.state === name) return;
    place.dataset.state = name;
    place.textContent = this.words.say(name);
  }

  handleSharing(what) {
    this.bar?.handle(what);
    if (what === "place" || what === "stopped" || what === "ended") this.show();
  }

  // MARK: Showing

  show() {
    this.view.show();
    this.calls.show(this.view.people);
  }

  /** Reads out where the members are. */
  speakPositions() {
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

  // MARK: Features of the device

  offerCompass() {
    const button = this.root.querySelector("[data-compass]");
    button.hidden = !mayHaveCompass();
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        await followCompass((heading) => this.view.turn(heading));
        button.hidden = true;
      } catch (failure) {
        showNotice(this.words.say(failure.message));
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
      this.view.map = await showMap(place, this.words, (spot) => this.fillPlace(spot));
      this.show();
    } catch {
      // Without the map there are the radar and the lists.
      place.hidden = true;
    }
  }

  /** Fills a place of the map into the form of a waypoint, which only the leader has. */
  fillPlace(spot) {
    const form = this.root.querySelector("[data-group-waypoint]");
    if (!form) return;
    form.elements.place.value = coordinates(spot);
    form.closest("details").open = true;
    form.elements.name.focus();
  }

  /**
   * Ends the page: the group is closed, or the user is no longer a member. The server's page says
   * which.
   */
  end() {
    clearInterval(this.ticking);
    clearTimeout(this.retrying);
    this.stream?.end();
    this.sharing.reset();
    location.reload();
  }
}

const keyOf = (entry) => entry.dataset.logEntry;
