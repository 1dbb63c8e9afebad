// A workout that goes on: hears the devices, keeps it every five seconds, leads through the stages.
import { Awake } from "../base/wake-lock.js";
import { isPaused, LONGEST, pause, resume, seconds, take, tick } from "./recording.js";
import { keepRide } from "./workout-store.js";
import { stageAt, wish } from "./stages.js";
import { say } from "./recorder-words.js";

// In ms: how often the page looks at the clock, and how much a crash may cost.
const BEAT = 250;
const KEPT_EVERY = 5_000;
const KEPT_EVERY_IN_PAUSE = 20_000;
// How far a clock may go back, in ms, before the ride no longer waits for it.
const SETBACK = 1_000;
// How far picture and time may be apart, in s.
const DRIFT = 2;

export class Ride {
  #of;
  #timer;
  #awake = new Awake();
  #keptAt = 0;
  #keeping = Promise.resolve();
  #isKeeping = false;
  // Whether the last try to keep it went well; the first one that doesn't is told.
  #isKept = true;
  // Whether recording is this tab's still.
  #isOurs = true;
  #said = "";
  #shift = 0;
  #stage;
  // The devices that were lost and are not back.
  #lost = new Set();
  #stoppedThere = false;
  #ended = new AbortController();

  /** `of` is the recorder: its ride, devices, cockpit, and the person. */
  constructor(of) {
    this.#of = of;
  }

  async start() {
    const { ride, machine, belt, cockpit } = this.#of;
    const { signal } = this.#ended;
    cockpit.open(ride);
    for (const device of [machine, belt]) {
      device.addEventListener("reading", () => this.#hear(), { signal });
      device.addEventListener("state", () => this.#changed(device), { signal });
    }
    machine.addEventListener("status", ({ detail }) => this.#happened(detail.event), { signal });
    const hide = () => document.visibilityState === "hidden" && this.#keep(this.#now());
    document.addEventListener("visibilitychange", hide, { signal });
    addEventListener("pagehide", () => this.#keep(this.#now()), { signal });
    this.#timer = setInterval(() => this.#beat(), BEAT);
    this.#awake.begin();
    this.#play();
    const now = this.#now();
    resume(ride, now);
    this.#beat();
    this.#tell((bike) => bike.start());
    await this.#keep(now);
  }

  toggle() {
    this.#stoppedThere = false;
    if (isPaused(this.#of.ride)) this.#resume();
    else this.#pause();
  }

  /** Says something that happened; that nothing is kept stays said in front of it. */
  say(words) {
    this.#said = words;
    this.#of.cockpit.say([!this.#isKept && say("notKept"), words].filter(Boolean).join(" "));
  }

  /**
   * Ends it: nothing is kept of it any more but what is kept now. Gives false when another tab has
   * it.
   */
  async stop() {
    if (this.#ended.signal.aborted) return this.#isOurs;
    const now = this.#now();
    pause(this.#of.ride, now);
    this.#rest();
    await this.#keep(now);
    await this.#keeping;
    // A machine that is slow to answer is not waited for.
    const { machine, belt } = this.#of;
    machine.stop().catch(() => {}).finally(() => machine.disconnect());
    belt.disconnect();
    return this.#isOurs;
  }

  /** Neither hears nor looks at the clock any more. */
  #rest() {
    this.#ended.abort();
    clearInterval(this.#timer);
    this.#awake.end();
    this.#video.pause();
  }

  /** The ride's time, which goes on from where it was when the clock is set back. */
  #now() {
    const now = Date.now() + this.#shift;
    const last = this.#of.ride.last_at;
    if (now < last - SETBACK) this.#shift += last - now;
    return Math.max(now, last);
  }

  // What is measured.

  values() {
    const { machine, belt } = this.#of;
    // Devices note when they spoke by the clock as it is.
    const now = Date.now();
    // A belt knows the heart better than grips on a handlebar.
    return { ...machine.values(now), ...belt.values(now) };
  }

  #hear() {
    const now = this.#now();
    take(this.#of.ride, now, this.values());
    this.#keepInTime(now);
  }

  #beat() {
    const { ride, cockpit, machine, belt } = this.#of;
    const now = this.#now();
    tick(ride, now);
    this.#lead(now);
    this.#follow(now);
    cockpit.paint(ride, now, this.values(), { machine, belt });
    this.#keepInTime(now);
    if (!isPaused(ride) && seconds(ride, now) >= LONGEST) this.#pause();
  }

  // Keeping.

  #keepInTime(now) {
    const every = isPaused(this.#of.ride) ? KEPT_EVERY_IN_PAUSE : KEPT_EVERY;
    // Set back in a pause, the clock would have to come to that moment once more.
    if (Math.abs(now - this.#keptAt) >= every) this.#keep(now);
  }

  #keep(now) {
    if (this.#isKeeping) return this.#keeping;
    this.#isKeeping = true;
    this.#keptAt = now;
    this.#keeping = this.#put().finally(() => (this.#isKeeping = false));
    return this.#keeping;
  }

  async #put() {
    const { user, ride, renew } = this.#of;
    try {
      // A tab that slept for long may find that another one has taken over: what that one keeps
      // is newer.
      if ((await renew?.()) === false) {
        this.#giveWay();
        return;
      }
      await keepRide(user, ride);
      this.#tellKept(true);
    } catch {
      this.#tellKept(false);
    }
  }

  #tellKept(isKept) {
    if (isKept === this.#isKept) return;
    this.#isKept = isKept;
    this.#of.risk(!isKept);
    this.say(this.#said);
  }

  #giveWay() {
    this.#isOurs = false;
    this.#rest();
    const { machine, belt } = this.#of;
    machine.disconnect();
    belt.disconnect();
    this.#of.risk(false);
    this.#of.giveWay();
  }

  // The machine.

  /** Tells the machine something that it may refuse: the time goes on all the same. */
  #tell(what) {
    return what(this.#of.machine).catch(() => {});
  }

  #pause(tells = true) {
    const now = this.#now();
    pause(this.#of.ride, now);
    this.#video.pause();
    if (tells) this.#tell((machine) => machine.pause());
    this.say(say("paused"));
    this.#beat();
    this.#keep(now);
  }

  #resume(tells = true) {
    const now = this.#now();
    resume(this.#of.ride, now);
    this.say("");
    if (this.#video.src) this.#video.play().catch(() => {});
    if (tells) this.#tell((machine) => machine.start());
    this.#stage = undefined;
    this.#beat();
    this.#keep(now);
  }

  /** Somebody pressed a button at the machine itself, which needs no telling of it. */
  #happened(event) {
    const paused = isPaused(this.#of.ride);
    if (["paused", "stopped", "safetyKey"].includes(event) && !paused) {
      this.#stoppedThere = true;
      this.#pause(false);
    } else if (event === "started" && paused && this.#stoppedThere) {
      this.#stoppedThere = false;
      this.#resume(false);
    }
  }

  #changed(device) {
    const { machine, ride } = this.#of;
    if (device === machine && machine.state === "ready") {
      if (machine.kind) ride.device_type = machine.kind;
      if (!isPaused(ride)) this.#tell((bike) => bike.start());
      this.#stage = undefined;
    }
    if (device.state === "lost") {
      this.#lost.add(device);
      this.say(say("lostRiding", device.name));
    } else if (device.state === "ready" && this.#lost.delete(device)) {
      const [other] = this.#lost;
      this.say(other ? say("lostRiding", other.name) : say("back"));
    }
  }

  // The training.

  /** Sets the machine as the stage wants it, once when that begins. */
  #lead(now) {
    const { ride, machine } = this.#of;
    if (!ride.training || isPaused(ride)) return;
    const at = stageAt(ride.training.stages, seconds(ride, now));
    const index = at?.index ?? -1;
    if (index === this.#stage) return;
    this.#stage = index;
    const target = wish(at?.stage);
    if (!target) machine.free();
    else machine.set(target.name, target.value).catch(() => this.say(say("notSet")));
  }

  get #video() {
    return this.#of.find("[data-video]");
  }

  /** Shows the film of the training, where it has one. */
  async #play() {
    const film = this.#of.ride.training?.video_url;
    if (!film) return;
    try {
      const video = this.#video;
      // By its path: the service worker has it when the person keeps it for later.
      video.src = new URL(film, location.origin).pathname;
      video.addEventListener("error", () => this.#showFilm(false), { once: true });
      this.#showFilm(true);
      await video.play();
    } catch {
      // Without its picture a training is still one.
    }
  }

  #showFilm(isShown) {
    this.#video.hidden = !isShown;
    this.#of.find(".cockpit").classList.toggle("has-video", isShown);
  }

  /** Where the picture is behind or ahead of the time, it is moved. */
  #follow(now) {
    const video = this.#video;
    if (video.hidden || video.readyState < 1) return;
    const at = seconds(this.#of.ride, now);
    if (at > video.duration) video.pause();
    else if (Math.abs(video.currentTime - at) > DRIFT) video.currentTime = at;
  }
}
