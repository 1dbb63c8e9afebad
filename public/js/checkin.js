// The check-in page: sends its form in place, and keeps the tap on this phone when the server can't
// be reached. Without scripts the form works as it stands.
import { freshToken, get, pageOf, post, tell } from "./base/fetch.js";
import { busy, ready } from "./base/forms.js";
import { pageUser, remember } from "./base/current-user.js";
import { notice } from "./base/notice.js";
import { swap } from "./base/swap.js";
import { text } from "./base/texts.js";
import { KIND, keepTap, showTaps } from "./offline-check-ins.js";

// In ms: longer than any answer should take, shorter than anybody waits with a thumb on a button.
const PATIENCE = 20_000;

/** Whoever is new here has no key yet under which a tap could be kept; the server makes them one. */
const isKnown = () => pageUser() !== undefined;
const state = () => document.querySelector("[data-checkin-state]");
const place = () => document.querySelector("[data-waiting-taps]");
const say = (urgent) => place() && showTaps(place(), urgent);

export function start(form) {
  tellShell();
  say();
  watchDetails(form);
  let passes = false;
  let sending = false;
  form.addEventListener("submit", async (event) => {
    if (passes) return;
    event.preventDefault();
    if (sending) return;
    sending = true;
    const button = event.submitter ?? form.querySelector("button[name=button]");
    busy(button);
    // Read before the button is off: a disabled one isn't sent.
    const fields = fieldsOf(form, button);
    button.disabled = true;
    try {
      if (isKnown()) {
        await send(form, fields, button.value === "check-in" ? Date.now() : null);
      } else {
        await freshToken();
        passes = true;
      }
    } catch (failure) {
      report(failure, button.value === "check-in");
    } finally {
      sending = false;
      button.disabled = false;
      ready(form);
    }
    // A page for somebody who is known from now on has another frame: the browser loads it whole.
    if (passes) form.requestSubmit(button);
    passes = false;
  });
}

/** Sends the form; a tap at the moment `at` that gets no answer is kept. */
async function send(form, fields, at) {
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    const response = await post(form.getAttribute("action"), fields, { signal });
    await swap(await pageOf(response), response.url);
    // The rings open once, for who has just tapped.
    if (at !== null) state()?.classList.add("is-fresh");
  } catch (failure) {
    if (failure.status === 422) {
      await swap(await pageOf(failure.response), location.href);
    } else if (at !== null && isUnreachable(failure)) {
      await keep(at);
    } else {
      throw failure;
    }
  }
}

async function keep(at) {
  try {
    const isNew = await keepTap(at, state()?.dataset.zone);
    await say(isNew ? undefined : "again");
  } catch {
    await say("notKept");
  }
}

/** No network, no server behind the front, or one that is being started again. */
function isUnreachable(failure) {
  return !failure.status || [502, 503, 504].includes(failure.status);
}

/** Says what went wrong in the words of this page, where it has any. */
function report(failure, isTap) {
  if (failure.shown) return;
  if (!failure.status) notice(text("unreachable"));
  else if (failure.status >= 500) notice(text("unavailable"));
  else if (isTap && failure.status !== 429) notice(text("tapFailed"));
  else tell(failure);
}

function fieldsOf(form, button) {
  const fields = new FormData(form);
  fields.set(button.name, button.value);
  return fields;
}

/** With name and address typed in, one tap saves them and checks in. */
function watchDetails(form) {
  const fields = [...form.querySelectorAll("#display_name, #contact_email")];
  const button = form.querySelector("[value=check-in]");
  const missing = form.querySelector("[data-checkin-missing]");
  if (!fields.length || !button || !missing) return;
  // An address as the server takes one: browsers know less of what people type.
  const look = () => {
    const isWhole = fields.every((field) => field.value.trim() && !field.validity.patternMismatch);
    button.disabled = !isWhole;
    missing.hidden = isWhole;
  };
  for (const field of fields) field.addEventListener("input", look);
  look();
}

/** What the page without a network has to know. */
async function tellShell() {
  const { day, zone, name, state: now } = state()?.dataset ?? {};
  if (!isKnown() || !now) return;
  try {
    await remember(pageUser(), KIND, { name, zone, day, state: now });
  } catch {
    // A browser that keeps nothing shows nothing without a network.
  }
}

const isUntouched = () =>
  [...document.querySelectorAll("main input")].every((field) => field.value === field.defaultValue);

// What was sent from here or from another tab shows at once, unless somebody is typing.
document.addEventListener("pairspot:outbox", async ({ detail }) => {
  if (detail.kind && detail.kind !== KIND) return;
  if (!document.querySelector("[data-checkin]")) return;
  await say();
  if (detail.change !== "sent" || !isUntouched()) return;
  try {
    const response = await get("/checkin");
    await swap(await pageOf(response), response.url);
  } catch {
    // The next visit shows it.
  }
});
