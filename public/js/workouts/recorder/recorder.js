// The page that records a workout: its views and their order. ride-session.js runs the recording.
import { isShell, cancelSignOut, currentUser } from "../../base/current-user.js";
import { markBusy, markReady } from "../../base/forms.js";
import { showToast } from "../../base/toasts.js";
import { showNotice } from "../../base/notice.js";
import { text } from "../../base/texts.js";
import { withTimeout } from "./timeout.js";
import { darkenBrowser } from "./browser-colour.js";
import { randomUUID } from "../device-id.js";
import { reconnectLastDevices } from "./last-devices.js";
import { showOffer } from "./offer.js";
import { RecordingLock } from "./recording-lock.js";
import { movingSeconds } from "./riding-time.js";
import { deleteRide, saveRide, unfinishedRide, StorageFailure } from "../workout-store.js";
import { showTrainings, connect, DeviceRow, bluetoothProblem } from "./setup.js";
import { phrase } from "./recorder-words.js";

// The longest wait for the trainings, in ms, before the rest is shown.
const TRAININGS_TIMEOUT = 800;
// A shorter workout, in s, was probably started by mistake.
const MIN_SECONDS = 60;

const askFirst = (event) => event.preventDefault();

export function start(root) {
  new Recorder(root).open();
}

class Recorder {
  lock = new RecordingLock();

  constructor(root) {
    this.root = root;
    this.find = (selector) => root.querySelector(selector);
    this.#buttons();
  }

  /** Loads what runs and saves a recording; gives whether it is there. */
  async #load() {
    const parts = await import("./running.js").catch(() => showNotice(text("offline")));
    if (!parts) return false;
    this.dashboard ??= new parts.Dashboard(this.find(".dashboard"));
    this.#addDevices(parts);
    this.parts = parts;
    return true;
  }

  /** Loads the devices before one is connected. */
  async loadDevices() {
    const devices = await import("./devices.js");
    this.#addDevices(devices);
  }

  #addDevices({ FTMSDevice, HeartRateSensor }) {
    if (this.machine) return;
    this.machine = new FTMSDevice();
    this.belt = new HeartRateSensor();
    this.machine.addEventListener("state", () => this.#labelStart());
    for (const row of this.rows ?? []) row.follow();
  }

  async open() {
    this.note("offline", isShell());
    this.user = await this.#person();
    if (!this.user) {
      this.note("nobody");
      return;
    }
    await cancelSignOut().catch(() => {});
    if (!(await this.lock.isFree())) {
      this.note("elsewhere");
      return;
    }
    this.ride = await unfinishedRide(this.user).catch((failure) => this.#notKept(failure));
    if (this.ride) this.#offerRide();
    else this.#setUp();
  }

  /** The user of this browser, also without storage as long as the page names one. */
  async #person() {
    try {
      return await currentUser();
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
    document.body.classList.toggle("is-recording", name === "dashboard");
    darkenBrowser(name === "dashboard");
  }

  /** Takes recording for this tab until it has ended; gives false when another one has it. */
  async #lock() {
    const isLocked = await this.lock.acquire();
    if (isLocked) this.note("elsewhere", false);
    else this.yieldRecording();
    return isLocked;
  }

  /** Leaves recording to the tab that has taken it over. */
  yieldRecording() {
    this.lock.release();
    this.note("elsewhere");
    this.view("elsewhere");
  }

  /** Asks before the page is left, while that would lose the recording. */
  warnOnLeave(isAtRisk) {
    if (isAtRisk) addEventListener("beforeunload", askFirst);
    else removeEventListener("beforeunload", askFirst);
  }

  /**
   * Locks recording and loads the offered ride as it is stored now. Gives false when another tab
   * has ended it meanwhile, or has continued it and this would end it (`itsEnd`): then it is
   * offered again.
   */
  async #lockOffered(itsEnd) {
    if (!(await this.#load()) || !(await this.#lock())) return false;
    const offered = this.ride;
    const now = await unfinishedRide(this.user).catch(() => offered);
    if (now?.id !== offered.id) {
      this.#setUp();
      return false;
    }
    this.parts.recoverRide(now);
    this.ride = now;
    if (!itsEnd || now.last_at === offered.last_at) return true;
    this.#offerRide();
    return false;
  }

  #buttons() {
    const does = {
      "go-on": () => this.#continueRide(),
      "save-it": async () => (await this.#lockOffered(true)) && this.#end(),
      discard: async () => (await this.#lockOffered(true)) && this.#discard(),
      pause: () => this.running?.toggle(),
      end: () => this.#askEnd(),
      retry: () => this.#save(),
    };
    this.root.addEventListener("click", ({ target }) => {
      does[target.closest("[data-do]")?.dataset.do]?.();
    });
    this.find("[data-link]").addEventListener("click", async () => {
      const isThere = await connect(this.machine);
      if (isThere !== undefined) this.running?.say(isThere ? "" : phrase("unreachable"));
    });
    this.find("form[data-view=setup]").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#begin(this.find("[data-start]"));
    });
  }

  #offerRide() {
    showOffer(this.find("[data-view=offer]"), this.ride);
    this.view("offer");
  }

  async #setUp() {
    const form = this.find("form[data-view=setup]");
    if (!this.chosen) {
      this.chosen = showTrainings(form, this.user);
      this.#labelStart();
      this.#showDevices(form);
      // A list that appears later would move what the user is about to press.
      await withTimeout(this.chosen.shown, TRAININGS_TIMEOUT).catch(() => {});
    }
    this.view("setup");
  }

  #showDevices(form) {
    const problem = bluetoothProblem();
    if (problem) {
      this.note(problem);
      return;
    }
    this.find("[data-devices]").hidden = false;
    this.rows = ["machine", "belt"].map((kind) => new DeviceRow(form, kind, this));
  }

  #labelStart() {
    const isWatch = (this.machine?.state ?? "off") === "off";
    this.find("[data-start]").textContent = phrase(isWatch ? "startWatch" : "start");
  }

  async #begin(button) {
    if (this.starting) return;
    this.starting = true;
    markBusy(button);
    try {
      if (!(await this.#load())) return;
      const mayRecord = await this.parts.mayRecord(this.user, this.find("[data-ask=bound]"));
      if (!mayRecord || !(await this.#lock())) return;
      const training = this.chosen.choice();
      const { kind } = this.machine;
      this.ride = this.parts.startRide(randomUUID(), Date.now(), { training, machine: kind });
      await this.#run();
    } finally {
      this.starting = false;
      markReady(button.form);
    }
  }

  async #continueRide() {
    if (!(await this.#lockOffered())) return;
    if (!bluetoothProblem()) {
      reconnectLastDevices(this.user, { machine: this.machine, belt: this.belt });
    }
    await this.#run();
  }

  async #run() {
    this.view("dashboard");
    this.running = new this.parts.RideSession(this);
    await this.running.start();
  }

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
    if ((await this.#choice("discard")) === "discard") await this.#deleteRide();
  }

  async #deleteRide() {
    if ((await this.running?.stop()) === false) return;
    await deleteRide(this.user, this.ride.id).catch(() => {});
    this.warnOnLeave(false);
    location.assign("/workouts/record");
  }

  async #end() {
    const length = movingSeconds(this.ride, this.ride.last_at);
    if (length >= 1 && length < MIN_SECONDS) {
      const choice = await this.#choice("short");
      if (choice === "discard") await this.#deleteRide();
      if (choice !== "keep") return;
    }
    if ((await this.running?.stop()) === false) return;
    if (!this.parts.toSession(this.ride)) {
      this.warnOnLeave(false);
      await deleteRide(this.user, this.ride.id).catch(() => {});
      this.lock.release();
      this.#setUp();
      showToast(phrase("tooShort"));
      return;
    }
    const names = this.parts.unmeasured(this.ride);
    let typed = {};
    if (names.length) {
      // If the page is left now, the ride is offered to be saved only.
      await saveRide(this.user, { ...this.ride, ended: true }).catch(() => {});
      this.view("figures");
      typed = await this.parts.askForValues(this.find("form[data-view=figures]"), this.ride, names);
    }
    this.session = this.parts.toSession(this.ride, typed);
    this.view("summary");
    this.parts.showSummary(this.find("[data-view=summary]"), this.session);
    this.find("[data-view=summary] h2").focus();
    await this.#save();
  }

  async #save() {
    const place = this.find("[data-view=summary]");
    const isKept = await this.parts.saveWorkout(this.user, this.session, place);
    this.warnOnLeave(!isKept);
    if (isKept) this.lock.release();
  }
}
