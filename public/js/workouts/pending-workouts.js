// On the history: the workouts that the server doesn't have yet, above those that it has; how far
// they are, and what keeps them here.
import { pageOf } from "../base/fetch.js";
import { user } from "../base/current-user.js";
import { flush } from "../base/sync.js";
import { text } from "../base/texts.js";
import { toast } from "../base/toasts.js";
import { KIND, pending, PENDING } from "./workout-store.js";
import { rowOf } from "./workout-row.js";
import { trainings } from "./trainings.js";

// Why the last try ended, if it did.
let stopped;

export function start(place) {
  const list = place.querySelector("[data-waiting-list]");
  const note = place.querySelector("[data-waiting-note]");
  const warning = place.querySelector("[data-waiting-warning]");

  const show = async () => {
    try {
      const person = await user();
      const rows = person ? await pending(person) : [];
      const known = rows.some(({ session }) => session.training_id)
        ? await trainings(person).catch(() => []) : [];
      // The newest on top, as in the history below.
      list.replaceChildren(...rows.toReversed().map((row) => rowOf(row, known)));
      const count = rows.filter(({ state }) => state === PENDING).length;
      place.hidden = !rows.length;
      say(note, count);
      warning.hidden = !count || !(await mayBeEvicted());
      hideSent(rows);
    } catch {
      // A browser that keeps nothing has nothing that waits.
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
      toast(text("synced"));
      renew();
    }
    show();
  });
  place.addEventListener("click", ({ target }) => {
    if (target.closest("[data-waiting-again]")) flush();
  });
}

function say(note, count) {
  note.hidden = !count;
  const isSignedOut = stopped === "signed-out" || stopped === "other";
  const words = isSignedOut ? text("signedOut") : text(count === 1 ? "waitsOne" : "waits");
  note.querySelector("[data-text]").textContent = words.replace("#", count);
  note.querySelector("a").hidden = !isSignedOut;
  note.querySelector("button").hidden = isSignedOut || !stopped;
  note.classList.toggle("note-warn", isSignedOut);
}

/** Shows what the server has by now: one that has gone up must not seem to be gone. */
async function renew() {
  const here = document.querySelector("[data-history]");
  if (!here) return;
  try {
    const answer = await fetch(location.href, { credentials: "same-origin", cache: "no-store" });
    const fresh = answer.ok && (await pageOf(answer)).querySelector("[data-history]");
    if (!fresh) return;
    const next = document.importNode(fresh, true);
    here.replaceWith(next);
    next.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
  } catch {
    // The next visit shows it.
  }
}

/** Whether this browser may throw things away by itself: Safari does after seven idle days. */
async function mayBeEvicted() {
  if (await navigator.storage?.persisted?.().catch(() => false)) return false;
  return /^((?!chrome|chromium|android|crios|fxios).)*safari/i.test(navigator.userAgent);
}

/** One that has just gone up may stand in the server's list too. */
function hideSent(rows) {
  const here = new Set(rows.map(({ id }) => id));
  for (const row of document.querySelectorAll("[data-workouts] [data-client-session-id]")) {
    row.hidden = here.has(row.dataset.clientSessionId);
  }
}
