// What happens when somebody comes to their workouts (docs/developer/workouts.md#offline-first):
// what waits is uploaded, the history brought here, trainings renewed, films fetched. All of it
// behind the page, which can be used meanwhile; after 10 s there is a way to put it off.
import { isShell, pageUser, recall } from "../base/current-user.js";
import { permission } from "../base/authorized-fetch.js";
import { filled, text } from "../base/texts.js";
import { toast } from "../base/toasts.js";
import { read, Stop } from "./api.js";
import { deviceID } from "./device-id.js";
import { catchUp, download, isWhole } from "./history.js";
import { pendingCount, StorageFailure } from "./workout-store.js";
import { keepStatistics } from "./statistics.js";
import { refreshTrainings, syncFilms } from "./trainings.js";
import { uploadPending } from "./uploads.js";

// In ms: when the way to put it off appears.
const PATIENCE = 10_000;
// In ms: how often the whole history is compared, for what was deleted elsewhere.
const WHOLE_AGAIN = 24 * 3600 * 1000;

export async function start(place) {
  const person = pageUser();
  if (isShell() || !person) return;
  const flow = new Flow(place, person);
  place.addEventListener("click", ({ target }) => {
    if (target.closest("[data-skip]")) flow.skip();
    if (target.closest("[data-again]")) flow.run();
  });
  await flow.run();
}

class Flow {
  constructor(place, person) {
    this.place = place;
    this.person = person;
  }

  async run() {
    this.aborting = new AbortController();
    this.say("");
    const timer = setTimeout(() => this.offer(), PATIENCE);
    this.place.classList.remove("note-warn");
    for (const part of this.place.querySelectorAll("a, button")) part.hidden = true;
    try {
      await this.work();
      this.place.hidden = true;
    } catch (failure) {
      this.tell(failure);
    } finally {
      clearTimeout(timer);
    }
  }

  async work() {
    await deviceID();
    await this.upload();
    await this.bringHistory();
    try {
      await refreshTrainings(this.person);
    } catch (stop) {
      if (!(stop instanceof Stop)) throw stop;
      // The old list still serves; a film of it can wait as well.
      if (stop.why !== "signed-out") return;
      throw stop;
    }
    await syncFilms(this.person, ({ done, total }) => this.say("films", done, total),
      this.aborting.signal);
  }

  async upload() {
    const count = await pendingCount(this.person);
    if (!count) return;
    this.say("progress", 0, count);
    const ended = await uploadPending(this.person,
      ({ done, total }) => this.say("progress", done, total));
    if (ended?.stop) {
      if (ended.stop.why === "signed-out") throw ended.stop;
      toast(text("nextTime"));
    }
  }

  /** After signing in all of it; later what is new. */
  async bringHistory() {
    if (!(await isWhole(this.person))) {
      this.say("history", 0);
      try {
        await download(this.person, ({ done }) => this.say("history", done));
      } catch (stop) {
        if (stop instanceof Stop && stop.why !== "signed-out") throw new NotWhole();
        throw stop;
      }
    } else {
      const { at } = await recall(this.person, "history");
      if (at + WHOLE_AGAIN < Date.now()) await quietly(download(this.person));
      else await quietly(catchUp(this.person));
    }
    await quietly(this.bringStatistics());
  }

  async bringStatistics() {
    const told = await read("/users/me/stats");
    // Somebody else may be signed in by now: theirs are not this person's.
    await permission(this.person);
    await keepStatistics(this.person, told);
  }

  say(name, ...values) {
    const words = name && filled(name, ...values);
    this.place.hidden = !words || this.aborting.signal.aborted;
    this.place.querySelector("[data-text]").textContent = words;
  }

  offer() {
    this.place.querySelector("[data-skip]").hidden = false;
  }

  skip() {
    this.aborting.abort();
    this.place.hidden = true;
  }

  tell(failure) {
    if (this.aborting.signal.aborted) return;
    this.place.classList.add("note-warn");
    if (failure instanceof NotWhole) {
      this.say("historyFailed");
      this.place.querySelector("[data-again]").hidden = false;
      this.offer();
    } else if (failure instanceof StorageFailure) {
      this.say(failure.isFull ? "full" : "notKept");
      this.offer();
    } else if (failure instanceof Stop) {
      // Without a network the page says so by itself; a session that is over is another matter.
      if (failure.why === "signed-out") this.say("signedOut");
      else this.place.hidden = true;
      this.place.querySelector("a").hidden = failure.why !== "signed-out";
    } else {
      this.place.hidden = true;
      throw failure;
    }
  }
}

/** The history could not be brought here: an empty one must not look like the truth. */
class NotWhole extends Error {}

async function quietly(work) {
  try {
    await work;
  } catch (stop) {
    if (!(stop instanceof Stop)) throw stop;
    if (stop.why === "signed-out") throw stop;
  }
}
