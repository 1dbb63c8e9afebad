// Check-ins that wait in the outbox, and the notes about them on the check-in page and its offline
// version.
import { day, localDay, time } from "./base/format.js";
import { enqueue, refusedRows, remove, rows, waitingRows } from "./base/outbox.js";
import { lastUser, pageUser, currentUser } from "./base/current-user.js";

export const KIND = "check-in";

// Whether the last try to send found an expired session.
let isSignedOut = false;
document.addEventListener("pairspot:outbox", ({ detail }) => {
  if (detail.change === "stopped") isSignedOut = detail.why === "signed-out";
  if (detail.change === "sent") isSignedOut = false;
});

/**
 * Queues a check-in of this moment; gives false when one of the same day is queued already, or of the
 * same hour for a user who must check in several times a day.
 */
export function queueCheckIn(at, zone, repeats) {
  const fields = {
    button: "check-in",
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone ?? "",
    tapped_at: new Date(at).toISOString(),
  };
  const hour = repeats ? ` ${time(at, zone).slice(0, 2)}` : "";
  const once = `${KIND} ${localDay(at, zone)}${hour}`;
  return enqueue({ kind: KIND, address: "/checkin", fields, at, once });
}

/** Whether a check-in of this day is queued. */
export async function isQueued(date) {
  return (await waitingRows(KIND)).some((row) => row.once?.startsWith(`${KIND} ${date}`));
}

/** Shows what waits, what was refused, and what the user has to do. */
export async function showQueuedCheckIns(place, urgent) {
  const notes = urgent ? [note(place, { words: place.dataset[urgent] })] : [];
  try {
    for (const row of await refusedRows(KIND)) notes.push(refusalNote(place, row));
    const count = (await waitingRows(KIND)).length;
    const isStuck = count ? isSignedOut : !(await currentUser()) && (await lastUserHasQueued());
    const words = count > 1 ? place.dataset.savedMany.replace("#", count) : place.dataset.saved;
    if (isStuck) notes.push(note(place, { words: place.dataset.signedOut, signIn: true }));
    else if (count && !urgent) notes.push(note(place, { words }));
  } catch {
    // Without storage there is nothing to show; a check-in will say so.
  }
  place.replaceChildren(place.querySelector("template"), ...notes);
}

/** Whether the last user has a queued check-in, after their session has expired. */
async function lastUserHasQueued() {
  const last = pageUser() ? undefined : await lastUser();
  return last && (await rows(last)).some((row) => row.kind === KIND && row.state === "waiting");
}

function refusalNote(place, row) {
  const words = place.dataset.refused.replace("#", day(row.at));
  const shown = note(place, { words: `${words} ${row.reason ?? ""}`.trim(), warns: true });
  const button = shown.querySelector("button");
  button.hidden = false;
  button.addEventListener("click", () => remove(row));
  return shown;
}

function note(place, { words, signIn, warns }) {
  const shown = place.querySelector("template").content.firstElementChild.cloneNode(true);
  shown.querySelector("[data-text]").textContent = words;
  shown.querySelector("a").hidden = !signIn;
  shown.classList.toggle("note-warn", Boolean(warns));
  return shown;
}
