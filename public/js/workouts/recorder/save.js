// Saves a finished workout in this browser and uploads it with all others that wait. Without
// storage it is sent at once.
import { csrfTokenFor } from "../../base/authorized-fetch.js";
import { deleteRide, finishRide, StorageFailure } from "../workout-store.js";
import { phrase } from "./recorder-words.js";

const ICONS = { "": "clock", warn: "warning", done: "check" };

/** Saves and uploads the workout, and shows the state in `place`. Gives whether it is safe. */
export async function saveWorkout(user, session, place) {
  const retry = place.querySelector("[data-do=retry]");
  retry.hidden = true;
  showStatus(place, phrase("waiting"));
  try {
    await finishRide(user, session);
  } catch (failure) {
    if (!(failure instanceof StorageFailure)) throw failure;
    const isThere = await sendDirectly(user, session);
    // Otherwise the unfinished ride would be offered again.
    if (isThere) await deleteRide(user, session.client_session_id).catch(() => {});
    if (isThere) showStatus(place, phrase("uploaded"), "done");
    else showStatus(place, phrase("saveFailed"), "warn");
    retry.hidden = isThere;
    return isThere;
  }
  upload(user, place);
  return true;
}

async function upload(user, place) {
  try {
    const { uploadPending } = await import("../uploads.js");
    const progress = ({ done: many, total }) => showStatus(place, phrase("progress", many, total));
    const answer = await uploadPending(user, progress);
    if (answer?.stop?.why === "signed-out") {
      showStatus(place, phrase("signedOut"), "warn");
      place.querySelector("[data-sign-in]").hidden = false;
    } else if (answer?.failed) {
      showStatus(place, phrase("refused"), "warn");
    } else if (!answer || answer.left) {
      showStatus(place, phrase("later"));
    } else {
      showStatus(place, phrase("uploaded"), "done");
    }
  } catch {
    showStatus(place, phrase("later"));
  }
}

function showStatus(place, words, state = "") {
  const note = place.querySelector("[data-fate]");
  note.querySelector("span").textContent = words;
  note.dataset.fate = state;
  const mark = note.querySelector("use");
  mark.setAttribute("href", mark.getAttribute("href").replace(/#.*/, `#${ICONS[state]}`));
  note.classList.toggle("note-warn", state === "warn");
}

/** Sends the workout without storing it, as `user`; gives whether the server has it. */
async function sendDirectly(user, session) {
  try {
    const answer = await fetch("/api/v1/sessions", {
      method: "POST",
      credentials: "same-origin",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": await csrfTokenFor(user) },
      body: JSON.stringify(session),
    });
    if (answer.ok) return true;
    const { error } = await answer.json().catch(() => ({}));
    return error?.code === "duplicate_session";
  } catch {
    return false;
  }
}
