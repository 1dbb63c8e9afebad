// The check-in page: sends its form in place, and queues a check-in while the server cannot be
// reached.
import { fetchToken, get, isUnreachable, parsePage, post, showError } from "./base/fetch.js";
import { markBusy, markReady } from "./base/forms.js";
import { pageUser, saveValue } from "./base/current-user.js";
import { showNotice } from "./base/notice.js";
import { swap } from "./base/swap.js";
import { text } from "./base/texts.js";
import { KIND, queueCheckIn, showQueuedCheckIns } from "./offline-check-ins.js";
import { shownTimer } from "./check-in/offline-timer.js";

// In ms: longer than an answer should take, and shorter than a user's patience.
const TIMEOUT = 20_000;

/** Whether the user has a key. A new visitor has none until the server makes a guest account. */
const isKnown = () => pageUser() !== undefined;
const state = () => document.querySelector("[data-checkin-state]");
const repeats = () => "repeats" in (state()?.dataset ?? {});
const queuedList = () => document.querySelector("[data-waiting-taps]");
const showQueued = (urgent) => queuedList() && showQueuedCheckIns(queuedList(), urgent);

export function start(form) {
  saveForShell();
  showQueued();
  watchDetails(form);
  let passes = false;
  let sending = false;
  form.addEventListener("submit", async (event) => {
    if (passes) return;
    event.preventDefault();
    if (sending) return;
    sending = true;
    const button = event.submitter ?? form.querySelector("button[name=button]");
    markBusy(button);
    // Read before the button is disabled: disabled buttons are not submitted.
    const fields = fieldsOf(form, button);
    button.disabled = true;
    try {
      if (isKnown()) {
        await send(form, fields, button.value === "check-in" ? Date.now() : null);
      } else {
        await fetchToken();
        passes = true;
      }
    } catch (failure) {
      reportFailure(failure, button.value === "check-in");
    } finally {
      sending = false;
      button.disabled = false;
      markReady(form);
    }
    // The first check-in makes a guest, whose page has another frame: the browser loads it as a
    // whole.
    if (passes) form.requestSubmit(button);
    passes = false;
  });
}

/** Sends the form. A check-in at the moment `at` is queued if the server cannot be reached. */
async function send(form, fields, at) {
  try {
    const signal = AbortSignal.timeout(TIMEOUT);
    const response = await post(form.getAttribute("action"), fields, { signal });
    await swap(await parsePage(response), response.url);
    // The animation plays once, right after the check-in.
    if (at !== null) state()?.classList.add("is-fresh");
  } catch (failure) {
    if (failure.status === 422) {
      await swap(await parsePage(failure.response), location.href);
    } else if (at !== null && isUnreachable(failure)) {
      await queueOffline(at);
    } else {
      throw failure;
    }
  }
}

async function queueOffline(at) {
  try {
    const isNew = await queueCheckIn(at, state()?.dataset.zone, repeats());
    await showQueued(isNew ? undefined : "again");
  } catch {
    await showQueued("notKept");
  }
}

/** Shows the error in a text of this page, where there is one. */
function reportFailure(failure, isTap) {
  if (failure.shown) return;
  if (!failure.status) showNotice(text("unreachable"));
  else if (failure.status >= 500) showNotice(text("unavailable"));
  else if (isTap && failure.status !== 429) showNotice(text("tapFailed"));
  else showError(failure);
}

function fieldsOf(form, button) {
  const fields = new FormData(form);
  fields.set(button.name, button.value);
  return fields;
}

/** Enables the button once name and address are filled in: it saves them and checks in. */
function watchDetails(form) {
  const fields = [...form.querySelectorAll("#display_name, #contact_email")];
  const button = form.querySelector("[value=check-in]");
  const missing = form.querySelector("[data-checkin-missing]");
  if (!fields.length || !button || !missing) return;
  // The server's pattern for addresses; the browser's own check is weaker.
  const isWrong = (field) => field.validity.patternMismatch;
  const look = () => {
    const isFilled = fields.every((field) => field.value.trim());
    button.disabled = !isFilled || fields.some(isWrong);
    missing.hidden = isFilled;
  };
  for (const field of fields) field.addEventListener("input", look);
  look();
  const email = form.querySelector("#contact_email");
  const error = form.querySelector("#contact_email_invalid");
  if (!email || !error) return;
  const mark = (wrong) => {
    error.hidden = !wrong;
    email.setAttribute("aria-invalid", String(wrong));
    email.setAttribute("aria-describedby", wrong ? error.id : "contact_email_note");
  };
  // Once the field is left, not while the address is typed.
  email.addEventListener("change", () => mark(isWrong(email)));
  email.addEventListener("input", () => {
    if (!isWrong(email)) mark(false);
  });
}

/** Saves what the offline page needs to know. */
async function saveForShell() {
  const { day, zone, name, state: now } = state()?.dataset ?? {};
  if (!isKnown() || !now) return;
  try {
    const known = { name, zone, day, state: now, repeats: repeats(), timer: shownTimer() };
    await saveValue(pageUser(), KIND, known);
  } catch {
    // Without storage there is no offline page.
  }
}

const isUntouched = () =>
  [...document.querySelectorAll("main input")].every((field) => field.value === field.defaultValue);

// Shows what this or another tab has sent, unless the user is typing.
document.addEventListener("pairspot:outbox", async ({ detail }) => {
  if (detail.kind && detail.kind !== KIND) return;
  if (!document.querySelector("[data-checkin]")) return;
  await showQueued();
  if (detail.change !== "sent" || !isUntouched()) return;
  try {
    const response = await get("/checkin");
    await swap(await parsePage(response), response.url);
  } catch {
    // The next visit shows it.
  }
});
