// The workouts that the server does not have yet, above the history, and why they wait.
import { parsePage } from "../base/fetch.js";
import { currentUser } from "../base/current-user.js";
import { flush } from "../base/sync.js";
import { text } from "../base/texts.js";
import { showToast } from "../base/toasts.js";
import { KIND, unsyncedWorkouts, PENDING } from "./workout-store.js";

// Why the last try stopped, if it did.
let stopped;

export function start(place) {
  const list = place.querySelector("[data-waiting-list]");
  const note = place.querySelector("[data-waiting-note]");
  const warning = place.querySelector("[data-waiting-warning]");

  const show = async () => {
    try {
      const person = await currentUser();
      const rows = person ? await unsyncedWorkouts(person) : [];
      list.replaceChildren(...(rows.length ? await elements(person, rows) : []));
      const count = rows.filter(({ state }) => state === PENDING).length;
      place.hidden = !rows.length;
      showNote(note, count);
      warning.hidden = !count || !(await mayBeEvicted());
      hideSent(rows);
    } catch {
      // Without storage nothing waits.
      place.hidden = true;
    }
  };

  show();
  document.addEventListener("pairspot:outbox", ({ detail }) => {
    if (detail.change === "stopped") {
      stopped = detail.why;
      show();
      return;
    }
    if (detail.kind !== KIND || detail.change === "progress") return;
    if (detail.change === "sent") {
      stopped = undefined;
      showToast(text("synced"));
      refreshHistory();
    }
    show();
  });
  place.addEventListener("click", ({ target }) => {
    if (target.closest("[data-waiting-again]")) flush();
  });
}

/** The elements of workouts, the newest on top as in the history below. Loaded when there are any. */
async function elements(person, rows) {
  const { workoutRow } = await import("./workout-row.js");
  const { loadTrainings } = await import("./trainings.js");
  const known = rows.some(({ session }) => session.training_id)
    ? await loadTrainings(person).catch(() => [])
    : [];
  return rows.toReversed().map((row) => workoutRow(row, known));
}

function showNote(note, count) {
  note.hidden = !count;
  const isSignedOut = stopped === "signed-out" || stopped === "other";
  const words = isSignedOut ? text("signedOut") : text(count === 1 ? "waitsOne" : "waits");
  note.querySelector("[data-text]").textContent = words.replace("#", count);
  note.querySelector("a").hidden = !isSignedOut;
  note.querySelector("button").hidden = isSignedOut || !stopped;
  note.classList.toggle("note-warn", isSignedOut);
}

/** Reloads the server's history, so that a workout that was sent does not seem to be lost. */
async function refreshHistory() {
  const here = document.querySelector("[data-history]");
  if (!here) return;
  try {
    const answer = await fetch(location.href, { credentials: "same-origin", cache: "no-store" });
    const fresh = answer.ok && (await parsePage(answer)).querySelector("[data-history]");
    if (!fresh) return;
    const next = document.importNode(fresh, true);
    here.replaceWith(next);
    next.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
  } catch {
    // The next visit shows it.
  }
}

/** Whether the browser may evict data: Safari does so after seven days without a visit. */
async function mayBeEvicted() {
  if (await navigator.storage?.persisted?.().catch(() => false)) return false;
  return /^((?!chrome|chromium|android|crios|fxios).)*safari/i.test(navigator.userAgent);
}

/** Hides rows of the server's list that are shown as waiting. */
function hideSent(rows) {
  const here = new Set(rows.map(({ id }) => id));
  for (const row of document.querySelectorAll("[data-workouts] [data-client-session-id]")) {
    row.hidden = here.has(row.dataset.clientSessionId);
  }
}
