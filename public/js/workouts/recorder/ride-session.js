// A running recording: collects readings, saves them every five seconds, and controls the machine
// through the stages.
import { ScreenWakeLock } from "../../base/wake-lock.js";
import { pause, resume, addReading, tick } from "./recording.js";
import { isPaused, MAX_SECONDS, movingSeconds } from "./riding-time.js";
import { saveRide } from "../workout-store.js";
import { stageAt, machineTarget } from "./stages.js";
import { phrase } from "./recorder-words.js";

// In ms: the interval of updates, and how much a crash may lose.
const UPDATE_INTERVAL = 250;
const SAVE_INTERVAL = 5_000;
const SAVE_INTERVAL_PAUSED = 20_000;
// A clock set back further than this, in ms, is corrected.
const SETBACK = 1_000;
// The largest difference between video and ride, in s.
const DRIFT = 2;

export class RideSession {
  #recorder;
  #timer;
  #wakeLock = new ScreenWakeLock();
  #savedAt = 0;
  #saving = Promise.resolve();
  #isSaving = false;
  // Whether the last save worked; the first failure is shown.
  #isSaved = true;
  // Whether this tab still has the recording.
  #ownsRecording = true;
  #message = "";
  #shift = 0;
  #stage;
  // Devices that were lost and are not back.
  #lost = new Set();
  #stoppedAtMachine = false;
  #ended = new AbortController();

  /** @param recorder has the ride, the devices, the dashboard and the user. */
  constructor(recorder) {
    this.#recorder = recorder;
  }

  async start() {
    const { ride, machine, belt, dashboard } = this.#recorder;
    const { signal } = this.#ended;
    dashboard.open(ride);
    for (const device of [machine, belt]) {
      device.addEventListener("reading", () => this.#addReading(), { signal });
      device.addEventListener("state", () => this.#handleState(device), { signal });
    }
    machine.addEventListener("status", ({ detail }) => this.#handleStatus(detail.event), {
      signal,
    });
    const hide = () => document.visibilityState === "hidden" && this.#save(this.#now());
    document.addEventListener("visibilitychange", hide, { signal });
    addEventListener("pagehide", () => this.#save(this.#now()), { signal });
    this.#timer = setInterval(() => this.#update(), UPDATE_INTERVAL);
    this.#wakeLock.enable();
    this.#startVideo();
    const now = this.#now();
    resume(ride, now);
    this.#update();
    this.#command((bike) => bike.start());
    await this.#save(now);
  }

  toggle() {
    this.#stoppedAtMachine = false;
    if (isPaused(this.#recorder.ride)) this.#resume();
    else this.#pause();
  }

  /** Shows a message, after the warning that nothing can be saved. */
  say(words) {
    this.#message = words;
    this.#recorder.dashboard.say(
      [!this.#isSaved && phrase("notKept"), words].filter(Boolean).join(" "),
    );
  }

  /** Ends the ride after a last save. Gives false when another tab has it. */
  async stop() {
    if (this.#ended.signal.aborted) return this.#ownsRecording;
    const now = this.#now();
    pause(this.#recorder.ride, now);
    this.#stopListening();
    await this.#save(now);
    await this.#saving;
    // Does not wait for a machine that is slow to answer.
    const { machine, belt } = this.#recorder;
    machine
      .stop()
      .catch(() => {})
      .finally(() => machine.disconnect());
    belt.disconnect();
    return this.#ownsRecording;
  }

  /** Stops all listeners and timers. */
  #stopListening() {
    this.#ended.abort();
    clearInterval(this.#timer);
    this.#wakeLock.disable();
    this.#video.pause();
  }

  /** The ride's time, which does not go back when the clock is set back. */
  #now() {
    const now = Date.now() + this.#shift;
    const last = this.#recorder.ride.last_at;
    if (now < last - SETBACK) this.#shift += last - now;
    return Math.max(now, last);
  }

  values() {
    const { machine, belt } = this.#recorder;
    // Devices use the clock as it is.
    const now = Date.now();
    // A sensor on the chest is more precise than grips on a handlebar.
    return { ...machine.values(now), ...belt.values(now) };
  }

  #addReading() {
    const now = this.#now();
    addReading(this.#recorder.ride, now, this.values());
    this.#saveIfDue(now);
  }

  #update() {
    const { ride, dashboard, machine, belt } = this.#recorder;
    const now = this.#now();
    tick(ride, now);
    this.#applyStage(now);
    this.#syncVideo(now);
    dashboard.paint(ride, now, this.values(), { machine, belt });
    this.#saveIfDue(now);
    if (!isPaused(ride) && movingSeconds(ride, now) >= MAX_SECONDS) this.#pause();
  }

  // Saving.

  #saveIfDue(now) {
    const every = isPaused(this.#recorder.ride) ? SAVE_INTERVAL_PAUSED : SAVE_INTERVAL;
    // Absolute, as the clock may have been set back during a pause.
    if (Math.abs(now - this.#savedAt) >= every) this.#save(now);
  }

  #save(now) {
    if (this.#isSaving) return this.#saving;
    this.#isSaving = true;
    this.#savedAt = now;
    this.#saving = this.#write().finally(() => (this.#isSaving = false));
    return this.#saving;
  }

  async #write() {
    const { user, ride, lock } = this.#recorder;
    try {
      // Another tab may have taken over from one that slept: its data is newer.
      if ((await lock.renew?.()) === false) {
        this.#yieldRecording();
        return;
      }
      await saveRide(user, ride);
      this.#reportSaved(true);
    } catch {
      this.#reportSaved(false);
    }
  }

  #reportSaved(isKept) {
    if (isKept === this.#isSaved) return;
    this.#isSaved = isKept;
    this.#recorder.warnOnLeave(!isKept);
    this.say(this.#message);
  }

  #yieldRecording() {
    this.#ownsRecording = false;
    this.#stopListening();
    const { machine, belt } = this.#recorder;
    machine.disconnect();
    belt.disconnect();
    this.#recorder.warnOnLeave(false);
    this.#recorder.yieldRecording();
  }

  // The machine.

  /** Sends a command that the machine may refuse: the ride goes on. */
  #command(what) {
    return what(this.#recorder.machine).catch(() => {});
  }

  #pause(tells = true) {
    const now = this.#now();
    pause(this.#recorder.ride, now);
    this.#video.pause();
    if (tells) this.#command((machine) => machine.pause());
    this.say(phrase("paused"));
    this.#update();
    this.#save(now);
  }

  #resume(tells = true) {
    const now = this.#now();
    resume(this.#recorder.ride, now);
    this.say("");
    if (this.#video.src) this.#video.play().catch(() => {});
    if (tells) this.#command((machine) => machine.start());
    this.#stage = undefined;
    this.#update();
    this.#save(now);
  }

  /** Follows a button that was pressed at the machine, without sending a command. */
  #handleStatus(event) {
    const paused = isPaused(this.#recorder.ride);
    if (["paused", "stopped", "safetyKey"].includes(event) && !paused) {
      this.#stoppedAtMachine = true;
      this.#pause(false);
    } else if (event === "started" && paused && this.#stoppedAtMachine) {
      this.#stoppedAtMachine = false;
      this.#resume(false);
    }
  }

  #handleState(device) {
    const { machine, ride } = this.#recorder;
    if (device === machine && machine.state === "ready") {
      if (machine.kind) ride.device_type = machine.kind;
      if (!isPaused(ride)) this.#command((bike) => bike.start());
      this.#stage = undefined;
    }
    if (device.state === "lost") {
      this.#lost.add(device);
      this.say(phrase("lostRiding", device.name));
    } else if (device.state === "ready" && this.#lost.delete(device)) {
      const [other] = this.#lost;
      this.say(other ? phrase("lostRiding", other.name) : phrase("back"));
    }
  }

  // The training.

  /** Sets the machine's target once, at the beginning of a stage. */
  #applyStage(now) {
    const { ride, machine } = this.#recorder;
    if (!ride.training || isPaused(ride)) return;
    const at = stageAt(ride.training.stages, movingSeconds(ride, now));
    const index = at?.index ?? -1;
    if (index === this.#stage) return;
    this.#stage = index;
    const target = machineTarget(at?.stage);
    if (!target) machine.free();
    else machine.set(target.name, target.value).catch(() => this.say(phrase("notSet")));
  }

  get #video() {
    return this.#recorder.find("[data-video]");
  }

  /** Plays the video of the training, if there is one. */
  async #startVideo() {
    const film = this.#recorder.ride.training?.video_url;
    if (!film) return;
    try {
      const video = this.#video;
      // By its path, for which the service worker answers when the video is cached.
      video.src = new URL(film, location.origin).pathname;
      video.addEventListener("error", () => this.#showVideo(false), { once: true });
      this.#showVideo(true);
      await video.play();
    } catch {
      // The training works without its video.
    }
  }

  #showVideo(isShown) {
    this.#video.hidden = !isShown;
    this.#recorder.find(".dashboard").classList.toggle("has-video", isShown);
  }

  /** Moves the video to the time of the ride. */
  #syncVideo(now) {
    const video = this.#video;
    if (video.hidden || video.readyState < 1) return;
    const at = movingSeconds(this.#recorder.ride, now);
    if (at > video.duration) video.pause();
    else if (Math.abs(video.currentTime - at) > DRIFT) video.currentTime = at;
  }
}
