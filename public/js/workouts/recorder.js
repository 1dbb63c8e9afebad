// The page on which a workout is recorded: what is shown when, and how its parts work together.
// Recording itself needs no network; see ride-session.js for how it goes on, and results.js for its end.
import { exclusively } from "../base/exclusive.js";
import { clock, day, moment } from "../base/format.js";
import { isShell, stay, user as personHere } from "../base/current-user.js";
import { busy, ready } from "../base/forms.js";
import { toast } from "../base/toasts.js";
import { Belt } from "./heart-rate-sensor.js";
import { bind } from "./binding.js";
import { Cockpit } from "./dashboard.js";
import { freshUUID } from "./device-id.js";
import { ask, missing, summary } from "./results.js";
import { inTime } from "./gatt.js";
import { resumeLast } from "./last-devices.js";
import { Machine } from "./ftms-device.js";
import { begin, recover, seconds, session } from "./recording.js";
import { Ride } from "./ride-session.js";
import { dropRide, openRide, StorageFailure } from "./workout-store.js";
import { finish } from "./save.js";
import { choices, connect, deviceRow, noBluetooth } from "./setup.js";
import { say } from "./recorder-words.js";

const LOCK = "pairspot-recording";
// How long the server may take to say whether this device may record, in ms: then it just does.
const PATIENCE = 5_000;
// How long the page waits for the trainings, in ms, before it shows the rest.
const SHOWN_IN = 800;
// A shorter workout, in s, is probably one that began by mistake.
const SHORT = 60;
// A ride that began longer ago, in ms, can be saved, but not gone on with: a week, less a day.
const LONGEST_SPAN = 6 * 86_400_000;

const askFirst = (event) => event.preventDefault();

export function start(root) {
  new Recorder(root).open();
}

class Recorder {
  machine = new Machine();
  belt = new Belt();
  #release;

  constructor(root) {
    this.root = root;
    this.find = (selector) => root.querySelector(selector);
    this.cockpit = new Cockpit(this.find(".cockpit"));
    this.#buttons();
  }

  async open() {
    for (const meta of document.querySelectorAll("meta[name=theme-color]")) {
      meta.content = "#0E0B0A";
    }
    this.note("offline", isShell());
    this.user = await this.#person();
    if (!this.user) {
      this.note("nobody");
      return;
    }
    await stay().catch(() => {});
    if (!(await this.#isFree())) {
      this.note("elsewhere");
      return;
    }
    this.ride = await openRide(this.user).catch((failure) => this.#notKept(failure));
    if (this.ride) this.#offer();
    else this.#setUp();
  }

  /** Who this browser belongs to; also in one that keeps nothing, as long as the server says. */
  async #person() {
    try {
      return await personHere();
    } catch {
      this.note("not-kept");
      return undefined;
    }
  }

  #notKept(failure) {
    if (!(failure instanceof StorageFailure)) throw failure;
    this.note("not-kept");
  }

  note(name, isShown = true) {
    this.find(`[data-note=${name}]`).hidden = !isShown;
  }

  view(name) {
    for (const part of this.root.querySelectorAll("[data-view]")) {
      part.hidden = part.dataset.view !== name;
    }
    document.body.classList.toggle("is-recording", name === "cockpit");
  }

  /** Whether no other tab records. */
  async #isFree() {
    // A browser that keeps nothing has nothing that two tabs could spoil.
    return exclusively(LOCK, async () => true).catch(() => true);
  }

  /** Takes recording for this tab until it has ended; gives false when another one has it. */
  async #take() {
    if (this.#release) return true;
    const isTaken = await new Promise((resolve) => {
      const hold = (renew) => {
        this.renew = renew;
        resolve(true);
        return new Promise((release) => (this.#release = release));
      };
      exclusively(LOCK, hold).then(() => resolve(false)).catch(() => resolve(true));
    });
    if (isTaken) this.note("elsewhere", false);
    else this.giveWay();
    return isTaken;
  }

  /** Leaves recording to the tab that has it by now. */
  giveWay() {
    this.#release?.();
    this.#release = undefined;
    this.note("elsewhere");
    this.view("elsewhere");
  }

  /** Whether leaving the page would lose what was recorded: then the browser asks first. */
  risk(isAtRisk) {
    if (isAtRisk) addEventListener("beforeunload", askFirst);
    else removeEventListener("beforeunload", askFirst);
  }

  /**
   * Takes the ride that was offered, as it is kept by now. Gives false when another tab has ended
   * it meanwhile, or went on with it and this would be `itsEnd`: then it is offered anew.
   */
  async #takeOffered(itsEnd) {
    if (!(await this.#take())) return false;
    const offered = this.ride;
    const now = await openRide(this.user).catch(() => offered);
    if (now?.id !== offered.id) {
      this.#setUp();
      return false;
    }
    recover(now);
    this.ride = now;
    if (!itsEnd || now.last_at === offered.last_at) return true;
    this.#offer();
    return false;
  }

  #buttons() {
    const does = {
      "go-on": () => this.#goOn(),
      "save-it": async () => (await this.#takeOffered(true)) && this.#end(),
      discard: async () => (await this.#takeOffered(true)) && this.#discard(),
      pause: () => this.running?.toggle(),
      end: () => this.#askEnd(),
      retry: () => this.#save(),
    };
    this.root.addEventListener("click", ({ target }) => {
      does[target.closest("[data-do]")?.dataset.do]?.();
    });
    this.find("[data-link]").addEventListener("click", async () => {
      const isThere = await connect(this.machine);
      if (isThere !== undefined) this.running?.say(isThere ? "" : say("unreachable"));
    });
    this.find("form[data-view=setup]").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#begin(this.find("[data-start]"));
    });
  }

  // Before it begins.

  #offer() {
    recover(this.ride);
    const { started_at: at, last_at: last } = this.ride;
    const words = say("offer", moment(at), clock(seconds(this.ride, last)));
    this.find("[data-offer]").textContent = words;
    // The server takes none that is longer from beginning to end.
    this.find("[data-do=go-on]").hidden = Date.now() - at > LONGEST_SPAN;
    this.view("offer");
  }

  async #setUp() {
    const form = this.find("form[data-view=setup]");
    if (!this.chosen) {
      this.chosen = choices(form, this.user);
      this.#showDevices(form);
      // A list that comes a little later would push away what somebody is about to press.
      await inTime(this.chosen.shown, SHOWN_IN).catch(() => {});
    }
    this.view("setup");
  }

  #showDevices(form) {
    const problem = noBluetooth();
    if (problem) {
      this.note(problem);
      this.find("[data-start]").textContent = say("startWatch");
      return;
    }
    this.find("[data-devices]").hidden = false;
    deviceRow(form, "machine", this.machine, this.user);
    deviceRow(form, "belt", this.belt, this.user);
    const label = () => {
      const isWatch = this.machine.state === "off";
      this.find("[data-start]").textContent = say(isWatch ? "startWatch" : "start");
    };
    this.machine.addEventListener("state", label);
    label();
  }

  async #begin(button) {
    if (this.starting) return;
    this.starting = true;
    busy(button);
    try {
      if (!(await this.#mayRecord()) || !(await this.#take())) return;
      const training = this.chosen.choice();
      this.ride = begin(freshUUID(), Date.now(), { training, machine: this.machine.kind });
      await this.#run();
    } finally {
      this.starting = false;
      ready(button.form);
    }
  }

  /** Whether this is the device on which this person records. Who can't ask, records. */
  async #mayRecord() {
    if (isShell() || !navigator.onLine) return true;
    const answer = await inTime(bind(this.user), PATIENCE).catch(() => ({ state: "unknown" }));
    if (answer.state !== "other") return true;
    const dialog = this.find("[data-ask=bound]");
    const name = answer.name ?? say("boundUnnamed");
    const since = answer.since ? day(Date.parse(answer.since)) : "–";
    dialog.querySelector("[data-text]").textContent = say("bound", name, since);
    dialog.showModal();
    return false;
  }

  // While it runs.

  async #goOn() {
    if (!(await this.#takeOffered())) return;
    if (!noBluetooth()) {
      resumeLast(this.user, { machine: this.machine, belt: this.belt });
    }
    await this.#run();
  }

  async #run() {
    this.view("cockpit");
    this.running = new Ride(this);
    await this.running.start();
  }

  // When it ends.

  async #choice(name) {
    const dialog = this.find(`[data-ask=${name}]`);
    dialog.returnValue = "";
    dialog.showModal();
    await new Promise((done) => dialog.addEventListener("close", done, { once: true }));
    return dialog.returnValue;
  }

  async #askEnd() {
    const choice = await this.#choice("end");
    if (choice === "end") await this.#end();
    if (choice === "discard") await this.#discard();
  }

  async #discard() {
    if ((await this.#choice("discard")) === "discard") await this.#drop();
  }

  async #drop() {
    if ((await this.running?.stop()) === false) return;
    await dropRide(this.user, this.ride.id).catch(() => {});
    this.risk(false);
    location.assign("/workouts/record");
  }

  async #end() {
    const length = seconds(this.ride, this.ride.last_at);
    if (length >= 1 && length < SHORT) {
      const choice = await this.#choice("short");
      if (choice === "discard") await this.#drop();
      if (choice !== "keep") return;
    }
    if ((await this.running?.stop()) === false) return;
    if (!session(this.ride)) {
      this.risk(false);
      await dropRide(this.user, this.ride.id).catch(() => {});
      this.#release?.();
      this.#release = undefined;
      this.#setUp();
      toast(say("tooShort"));
      return;
    }
    const names = missing(this.ride);
    let typed = {};
    if (names.length) {
      this.view("figures");
      typed = await ask(this.find("form[data-view=figures]"), this.ride, names);
    }
    this.session = session(this.ride, typed);
    this.view("summary");
    summary(this.find("[data-view=summary]"), this.session);
    this.find("[data-view=summary] h2").focus();
    await this.#save();
  }

  async #save() {
    const isKept = await finish(this.user, this.session, this.find("[data-view=summary]"));
    this.risk(!isKept);
    if (isKept) this.#release?.();
  }
}
