// A timer's forms: sent in place, and queued while the server cannot be reached.
import { get, isUnreachable, parsePage, post, showError } from "../base/fetch.js";
import { markBusy, markReady } from "../base/forms.js";
import { refusedRows, remove } from "../base/outbox.js";
import { pageUser } from "../base/current-user.js";
import { swap } from "../base/swap.js";
import { KIND, queueEnd, queueStart, showQueuedTimer } from "./offline-timer.js";

// In ms: longer than an answer should take, and shorter than a user's patience.
const TIMEOUT = 20_000;

const waiting = () => document.querySelector("main [data-timer-waiting]");

export function start(form) {
  showQueued();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = event.submitter ?? form.querySelector("button[name=button]");
    const fields = new FormData(form);
    fields.set(button.name, button.value);
    markBusy(button);
    button.disabled = true;
    try {
      await send(form, fields);
    } catch (failure) {
      showError(failure);
    } finally {
      button.disabled = false;
      markReady(form);
    }
  });
}

/** Shows what waits, or once why it was refused. */
async function showQueued() {
  const place = waiting();
  await showQueuedTimer(place);
  if (!place?.hidden) return;
  for (const row of await refusedRows(KIND)) {
    place.textContent = row.reason;
    place.hidden = false;
    await remove(row);
  }
}

async function send(form, fields) {
  try {
    const signal = AbortSignal.timeout(TIMEOUT);
    const response = await post(form.getAttribute("action"), fields, { signal });
    await swap(await parsePage(response), response.url);
  } catch (failure) {
    if (failure.status === 422) {
      await swap(await parsePage(failure.response), location.href);
    } else if (isUnreachable(failure) && fields.get("button") !== "extend" && pageUser()) {
      await queue(fields);
    } else {
      throw failure;
    }
  }
}

async function queue(fields) {
  try {
    if (fields.get("button") === "end") {
      await queueEnd(fields.get("timer"));
    } else {
      fields.delete("csrf_token");
      await queueStart(Object.fromEntries(fields));
    }
    await showQueuedTimer(waiting());
  } catch {
    await showQueuedTimer(waiting(), "notKept");
  }
}

// Shows the result of what this or another tab has sent.
document.addEventListener("pairspot:outbox", async ({ detail }) => {
  if (detail.kind !== KIND || !waiting()) return;
  if (detail.change === "refused") await showQueued();
  if (detail.change !== "sent") return;
  try {
    const response = await get(location.href);
    await swap(await parsePage(response), response.url);
  } catch {
    // The next visit shows it.
  }
});
