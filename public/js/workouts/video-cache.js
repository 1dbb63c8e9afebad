// The switch that keeps a training's video in this browser, and its progress.
import { isShell, currentUser } from "../base/current-user.js";
import { formatText, text } from "../base/texts.js";
import { showError } from "../base/fetch.js";
import { showNotice } from "../base/notice.js";
import { SyncError } from "./api.js";
import { StorageFailure } from "./workout-store.js";
import { chooseVideo, chosenVideos, cachedVideos, syncVideos } from "./training-videos.js";
import { KIND, refreshTrainings } from "./trainings.js";

// The interval of checks whether another tab is done, in ms.
const RETRY_INTERVAL = 500;

/** @param box the switch of one training, with its id. */
export async function start(box) {
  const person = await currentUser().catch(() => undefined);
  // Without storage there is nothing to choose.
  if (!person || !globalThis.caches) return;
  const input = box.querySelector("input");
  const { id } = box.dataset;
  const show = async () => {
    const [chosen, kept] = [await chosenVideos(person), await cachedVideos(person)];
    input.checked = chosen.has(id);
    box.dataset.state = kept.has(id) ? "kept" : chosen.has(id) ? "waits" : "none";
    const words = { kept: "filmKept", waits: "filmWaits", none: "" }[box.dataset.state];
    box.querySelector("[data-film-state]").textContent = words && text(words);
  };
  try {
    await show();
  } catch {
    return;
  }
  box.hidden = false;
  input.addEventListener("change", async () => {
    try {
      await chooseVideo(person, id, input.checked);
      await show();
      await refreshTrainings(person).catch(ignoreSyncError);
      const say = ({ done, total }) => {
        box.querySelector("[data-film-state]").textContent = formatText("films", done, total);
      };
      // The start of the page, or another tab, may be downloading the earlier choice.
      while ((await syncVideos(person, say)) === null) await new Promise(waitABit);
    } catch (failure) {
      if (failure instanceof StorageFailure) showNotice(text(failure.isFull ? "full" : "notKept"));
      else if (!(failure instanceof SyncError)) throw failure;
      else if (failure.why === "unreachable" && !isShell()) showError({ status: 0 });
    }
    await show();
  });
  document.addEventListener("pairspot:outbox", ({ detail }) => {
    if (detail.kind === KIND) show();
  });
}

function waitABit(resolve) {
  setTimeout(resolve, RETRY_INTERVAL);
}

function ignoreSyncError(stop) {
  if (!(stop instanceof SyncError)) throw stop;
}
