// The start and the end of a timer, queued while the server cannot be reached. The server counts a
// timer from the moment when it learns of it.
import { enqueue, waitingRows } from "../base/outbox.js";

export const KIND = "timer";
const ADDRESS = "/checkin/timer";

/** Queues the end of a timer. */
export function queueEnd(timer) {
  const fields = { button: "end", timer };
  return enqueue({
    kind: KIND,
    address: ADDRESS,
    fields,
    at: Date.now(),
    once: `timer end ${timer}`,
  });
}

/** Queues the start of a timer with the fields of its form. */
export function queueStart(fields) {
  return enqueue({ kind: KIND, address: ADDRESS, fields, at: Date.now(), once: "timer start" });
}

/** The timer that the page shows, as the offline page needs it. */
export function shownTimer() {
  const card = document.querySelector("[data-timer-card]");
  if (!card) return undefined;
  return { id: card.dataset.id, words: card.querySelector("[data-timer-words]").textContent };
}

/** Shows what waits; `problem` names the text of an error. */
export async function showQueuedTimer(place, problem) {
  if (!place) return;
  let words = problem && place.dataset[problem];
  try {
    const rows = await waitingRows(KIND);
    if (!words && rows.length) words = place.dataset[rows.at(-1).fields.button];
  } catch {
    // Without storage nothing waits.
  }
  place.textContent = words ?? "";
  place.hidden = !words;
}
