// A check-in that waits on this phone: how it is kept, and what the page says about it. Both the
// page of the server and the one that opens without it use this.
import { day, localDay } from "./base/format.js";
import { queue, refused, remove, rows, waiting } from "./base/outbox.js";
import { lastUser, pageUser, user } from "./base/current-user.js";

export const KIND = "check-in";

// Whether the last try to send ended at a session that is over.
let isSignedOut = false;
document.addEventListener("pairspot:outbox", ({ detail }) => {
  if (detail.change === "stopped") isSignedOut = detail.why === "signed-out";
  if (detail.change === "sent") isSignedOut = false;
});

/** Keeps a tap of this moment; gives false when one of the same day waits already. */
export function keepTap(at, zone) {
  const fields = {
    button: "check-in",
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone ?? "",
    tapped_at: new Date(at).toISOString(),
  };
  const once = `${KIND} ${localDay(at, zone)}`;
  return queue({ kind: KIND, address: "/checkin", fields, at, once });
}

/** Whether a tap of this day waits. */
export async function waitsFor(day) {
  return (await waiting(KIND)).some((row) => row.once === `${KIND} ${day}`);
}

/** Says in the page what waits, what was refused, and what has to be done. */
export async function showTaps(place, urgent) {
  const notes = urgent ? [note(place, { words: place.dataset[urgent] })] : [];
  try {
    for (const row of await refused(KIND)) notes.push(refusal(place, row));
    const count = (await waiting(KIND)).length;
    const isStuck = count ? isSignedOut : !(await user()) && (await waitsForSomebody());
    const words = count > 1 ? place.dataset.savedMany.replace("#", count) : place.dataset.saved;
    if (isStuck) notes.push(note(place, { words: place.dataset.signedOut, signIn: true }));
    else if (count && !urgent) notes.push(note(place, { words }));
  } catch {
    // A browser that keeps nothing has nothing to show; a tap will say so.
  }
  place.replaceChildren(place.querySelector("template"), ...notes);
}

/** A session that ended leaves taps behind: their owner has to sign in, whoever that is. */
async function waitsForSomebody() {
  const last = pageUser() ? undefined : await lastUser();
  return last && (await rows(last)).some((row) => row.kind === KIND && row.state === "waiting");
}

function refusal(place, row) {
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
