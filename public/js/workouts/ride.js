// A workout that goes on: hears the devices, keeps it every five seconds, leads through the stages.
import { maySleep, stayAwake } from "./awake.js";
import { isPaused, LONGEST, pause, resume, seconds, take, tick } from "./recording.js";
import { keepRide } from "./rides.js";
import { stageAt, wish } from "./stages.js";
import { say } from "./recorder-words.js";

// In ms: how often the page looks at the clock, and how much a crash may cost.
const BEAT = 250;
const KEPT_EVERY = 5_000;
const KEPT_EVERY_IN_PAUSE = 20_000;
// How far picture and time may be apart, in s.
const DRIFT = 2;

export class Ride {
  #of;
  #timer;
  #keptAt = 0;
  #keeping = Promise.resolve();
  #isKeeping = false;
  // Whether the last try to keep it went well; the first one that doesn't is told.
  #isKept = true;
  #stage;
  #wasLost = false;
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
    const hide = () => document.visibilityState === "hidden" && this.#keep(Date.now());
    document.addEventListener("visibilitychange", hide, { signal });
    addEventListener("pagehide", () => this.#keep(Date.now()), { signal });
    this.#timer = setInterval(() => this.#beat(), BEAT);
    stayAwake();
    this.#play();
    const now = Date.now();
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

  /** Ends it: nothing is kept of it any more but what is kept now. */
  async stop() {
    if (this.#ended.signal.aborted) return;
    const now = Date.now();
    pause(this.#of.ride, now);
    this.#ended.abort();
    clearInterval(this.#timer);
    maySleep();
    this.#video.pause();
    await this.#keep(now);
    await this.#keeping;
    // A machine that is slow to answer is not waited for.
    const { machine, belt } = this.#of;
    machine.stop().catch(() => {}).finally(() => machine.disconnect());
    belt.disconnect();
  }

  // What is measured.

  values(now) {
    const { machine, belt } = this.#of;
    // A belt knows the heart better than grips on a handlebar.
    return { ...machine.values(now), ...belt.values(now) };
  }

  #hear() {
    const now = Date.now();
    take(this.#of.ride, now, this.values(now));
    this.#keepInTime(now);
  }

  #beat() {
    const { ride, cockpit, machine, belt } = this.#of;
    const now = Date.now();
    tick(ride, now);
    this.#lead(now);
    this.#follow(now);
    cockpit.paint(ride, now, this.values(now), { machine, belt });
    this.#keepInTime(now);
    if (!isPaused(ride) && seconds(ride, now) >= LONGEST) this.#pause();
  }

  // Keeping.

  #keepInTime(now) {
    const every = isPaused(this.#of.ride) ? KEPT_EVERY_IN_PAUSE : KEPT_EVERY;
    if (now - this.#keptAt >= every) this.#keep(now);
  }

  #keep(now) {
    if (this.#isKeeping) return this.#keeping;
    this.#isKeeping = true;
    this.#keptAt = now;
    this.#keeping = Promise.all([keepRide(this.#of.user, this.#of.ride), this.#of.renew?.()])
      .then(() => (this.#isKept = true))
      .catch(() => {
        if (this.#isKept) this.#of.cockpit.say(say("notKept"));
        this.#isKept = false;
      })
      .finally(() => (this.#isKeeping = false));
    return this.#keeping;
  }

  // The machine.

  /** Tells the machine something that it may refuse: the time goes on all the same. */
  #tell(what) {
    return what(this.#of.machine).catch(() => {});
  }

  #pause() {
    const now = Date.now();
    pause(this.#of.ride, now);
    this.#video.pause();
    this.#tell((machine) => machine.pause());
    this.#of.cockpit.say(say("paused"));
    this.#beat();
    this.#keep(now);
  }

  #resume() {
    const now = Date.now();
    resume(this.#of.ride, now);
    this.#of.cockpit.say("");
    if (this.#video.src) this.#video.play().catch(() => {});
    this.#tell((machine) => machine.start());
    this.#stage = undefined;
    this.#beat();
    this.#keep(now);
  }

  /** Somebody pressed a button at the machine itself. */
  #happened(event) {
    const paused = isPaused(this.#of.ride);
    if (["paused", "stopped", "safetyKey"].includes(event) && !paused) {
      this.#stoppedThere = true;
      this.#pause();
    } else if (event === "started" && paused && this.#stoppedThere) {
      this.#stoppedThere = false;
      this.#resume();
    }
  }

  #changed(device) {
    const { machine, ride, cockpit } = this.#of;
    if (device === machine && machine.state === "ready") {
      if (machine.kind) ride.device_type = machine.kind;
      if (!isPaused(ride)) this.#tell((bike) => bike.start());
      this.#stage = undefined;
    }
    if (device.state === "lost") {
      this.#wasLost = true;
      cockpit.say(say("lostRiding", device.name));
    } else if (device.state === "ready") {
      cockpit.say(this.#wasLost ? say("back") : "");
      this.#wasLost = false;
    }
  }

  // The training.

  /** Sets the machine as the stage wants it, once when that begins. */
  #lead(now) {
    const { ride, machine, cockpit } = this.#of;
    if (!ride.training || isPaused(ride)) return;
    const at = stageAt(ride.training.stages, seconds(ride, now));
    const index = at?.index ?? -1;
    if (index === this.#stage) return;
    this.#stage = index;
    const target = wish(at?.stage);
    if (!target) machine.free();
    else machine.set(target.name, target.value).catch(() => cockpit.say(say("notSet")));
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
