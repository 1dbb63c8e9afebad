// What becomes of a workout that has ended: kept in this browser, then uploaded with all others that
// wait. One that the browser can't keep goes to the server at once.
import { permission } from "../base/authorized-fetch.js";
import { dropRide, finishRide, StorageFailure } from "./workout-store.js";
import { uploadPending } from "./uploads.js";
import { say } from "./recorder-words.js";

const MARKS = { "": "clock", warn: "warning", done: "check" };

/** Keeps and uploads it, and says in `place` how it goes. Gives whether it is safe somewhere. */
export async function finish(user, session, place) {
  const retry = place.querySelector("[data-do=retry]");
  retry.hidden = true;
  tell(place, say("waiting"));
  try {
    await finishRide(user, session);
  } catch (failure) {
    if (!(failure instanceof StorageFailure)) throw failure;
    const isThere = await send(user, session);
    // What may be kept of it from before would be offered once more.
    if (isThere) await dropRide(user, session.client_session_id).catch(() => {});
    if (isThere) tell(place, say("uploaded"), "done");
    else tell(place, say("saveFailed"), "warn");
    retry.hidden = isThere;
    return isThere;
  }
  upload(user, place);
  return true;
}

async function upload(user, place) {
  try {
    const progress = ({ done: many, total }) => tell(place, say("progress", many, total));
    const answer = await uploadPending(user, progress);
    if (answer?.stop?.why === "signed-out") {
      tell(place, say("signedOut"), "warn");
      place.querySelector("[data-sign-in]").hidden = false;
    } else if (answer?.failed) {
      tell(place, say("refused"), "warn");
    } else if (!answer || answer.left) {
      tell(place, say("later"));
    } else {
      tell(place, say("uploaded"), "done");
    }
  } catch {
    tell(place, say("later"));
  }
}

function tell(place, words, state = "") {
  const note = place.querySelector("[data-fate]");
  note.querySelector("span").textContent = words;
  note.dataset.fate = state;
  const mark = note.querySelector("use");
  mark.setAttribute("href", mark.getAttribute("href").replace(/#.*/, `#${MARKS[state]}`));
  note.classList.toggle("note-warn", state === "warn");
}

/** Sends it without having kept it, as `user` and nobody else; whether the server has it then. */
async function send(user, session) {
  try {
    const answer = await fetch("/api/v1/sessions", {
      method: "POST",
      credentials: "same-origin",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": await permission(user) },
      body: JSON.stringify(session),
    });
    if (answer.ok) return true;
    const { error } = await answer.json().catch(() => ({}));
    return error?.code === "duplicate_session";
  } catch {
    return false;
  }
}
