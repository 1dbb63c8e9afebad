// Synchronisation when the user opens the workouts (docs/developer/workouts.md#offline-first):
// uploads what waits, downloads the history, refreshes trainings, caches videos. The page can be
// used meanwhile; after 10 s the user can skip it.
import { isShell, pageUser, loadValue } from "../base/current-user.js";
import { csrfTokenFor } from "../base/authorized-fetch.js";
import { formatText, text } from "../base/texts.js";
import { showToast } from "../base/toasts.js";
import { getJSON, SyncError } from "./api.js";
import { deviceID } from "./device-id.js";
import { downloadNew, downloadHistory, isComplete } from "./history.js";
import { pendingCount, StorageFailure } from "./workout-store.js";
import { saveStatistics } from "./statistics.js";
import { syncVideos } from "./training-videos.js";
import { refreshTrainings } from "./trainings.js";

// The time until the user can skip it, in ms.
const SKIP_AFTER = 10_000;
// The time until the download of the history is shown, in ms.
const SHOW_AFTER = 1_000;
// The interval, in ms, of complete downloads, which find what was deleted elsewhere.
const COMPARE_INTERVAL = 24 * 3600 * 1000;

export async function start(place) {
  const person = pageUser();
  if (isShell() || !person) return;
  const flow = new StartFlow(place, person);
  place.addEventListener("click", ({ target }) => {
    if (target.closest("[data-skip]")) flow.skip();
    if (target.closest("[data-again]")) flow.run();
  });
  // The page and its pictures come first.
  if (document.readyState !== "complete") {
    await new Promise((done) => addEventListener("load", done, { once: true }));
  }
  await flow.run();
}

class StartFlow {
  constructor(place, person) {
    this.place = place;
    this.person = person;
  }

  async run() {
    this.aborting = new AbortController();
    this.showProgress("");
    const timer = setTimeout(() => this.offerSkip(), SKIP_AFTER);
    this.place.classList.remove("note-warn");
    for (const part of this.place.querySelectorAll("a, button")) part.hidden = true;
    try {
      await this.work();
      this.place.hidden = true;
    } catch (failure) {
      this.showFailure(failure);
    } finally {
      clearTimeout(timer);
    }
  }

  async work() {
    await deviceID();
    await this.upload();
    await this.updateHistory();
    try {
      await refreshTrainings(this.person);
    } catch (stop) {
      if (!(stop instanceof SyncError)) throw stop;
      // The old list still works; its videos can wait.
      if (stop.why !== "signed-out") return;
      throw stop;
    }
    await syncVideos(
      this.person,
      ({ done, total }) => this.showProgress("films", done, total),
      this.aborting.signal,
    );
  }

  async upload() {
    const count = await pendingCount(this.person);
    if (!count) return;
    this.showProgress("progress", 0, count);
    const { uploadPending } = await import("./uploads.js");
    const ended = await uploadPending(this.person, ({ done, total }) =>
      this.showProgress("progress", done, total),
    );
    if (ended?.stop) {
      if (ended.stop.why === "signed-out") throw ended.stop;
      showToast(text("nextTime"));
    }
  }

  /** Downloads everything after signing in, later only what is new. */
  async updateHistory() {
    if (!(await isComplete(this.person))) {
      let count = 0;
      let isLong = false;
      const show = () => isLong && this.showProgress("history", count || "");
      const timer = setTimeout(() => {
        isLong = true;
        show();
      }, SHOW_AFTER);
      try {
        await downloadHistory(this.person, ({ done }) => {
          count = done;
          show();
        });
      } catch (stop) {
        if (stop instanceof SyncError && stop.why !== "signed-out") throw new IncompleteHistory();
        throw stop;
      } finally {
        clearTimeout(timer);
      }
    } else {
      const { at } = await loadValue(this.person, "history");
      if (at + COMPARE_INTERVAL < Date.now())
        await ignoreNetworkErrors(downloadHistory(this.person));
      else await ignoreNetworkErrors(downloadNew(this.person));
    }
    await ignoreNetworkErrors(this.updateStatistics());
  }

  async updateStatistics() {
    const statistics = await getJSON("/users/me/stats");
    // Fails if another user has signed in meanwhile.
    await csrfTokenFor(this.person);
    await saveStatistics(this.person, statistics);
  }

  showProgress(name, ...values) {
    const words = name && formatText(name, ...values);
    this.place.hidden = !words || this.aborting.signal.aborted;
    this.place.querySelector("[data-text]").textContent = words;
  }

  offerSkip() {
    this.place.querySelector("[data-skip]").hidden = false;
  }

  skip() {
    this.aborting.abort();
    this.place.hidden = true;
  }

  showFailure(failure) {
    if (this.aborting.signal.aborted) return;
    this.place.classList.add("note-warn");
    if (failure instanceof IncompleteHistory) {
      this.showProgress("historyFailed");
      this.place.querySelector("[data-again]").hidden = false;
      this.offerSkip();
    } else if (failure instanceof StorageFailure) {
      this.showProgress(failure.isFull ? "full" : "notKept");
      this.offerSkip();
    } else if (failure instanceof SyncError) {
      // The page shows by itself that it is offline; an expired session is shown here.
      if (failure.why === "signed-out") this.showProgress("signedOut");
      else this.place.hidden = true;
      this.place.querySelector("a").hidden = failure.why !== "signed-out";
    } else {
      this.place.hidden = true;
      throw failure;
    }
  }
}

/** The history was not downloaded completely, so an empty one must not be shown as such. */
class IncompleteHistory extends Error {}

async function ignoreNetworkErrors(work) {
  try {
    await work;
  } catch (stop) {
    if (!(stop instanceof SyncError)) throw stop;
    if (stop.why === "signed-out") throw stop;
  }
}
