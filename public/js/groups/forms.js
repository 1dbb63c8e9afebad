// The small forms of the live page: sent without leaving it, since a page that is loaded anew looks
// for its place anew too.
import { busy, ready } from "../base/forms.js";
import { get, pageOf, post, tell } from "../base/fetch.js";
import { open } from "../confirm.js";
import { toast } from "../base/toasts.js";

// The same call so soon after it went out, in ms, was a finger that tapped twice.
const TWICE = 1_000;

const sending = new WeakSet();

/** Sends the forms of `root` that ask for it; `took` gets the server's page, and whether it says what is
 * wrong. */
export function sendForms(root, took) {
  const called = {};
  root.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches("[data-stays] form, form[data-stays]")) return;
    event.preventDefault();
    if (sending.has(form)) return;
    const button = event.submitter ?? form.querySelector("button:enabled");
    const isCall = button.name === "kind";
    const isAgain = called.kind === button.value && performance.now() - called.at < TWICE;
    if (isCall && isAgain) return;
    sending.add(form);
    try {
      if (button.formMethod === "get") await ask(form, button);
      else if ((await send(form, button, took)) && isCall) {
        Object.assign(called, { kind: button.value, at: performance.now() });
      }
    } finally {
      sending.delete(form);
    }
  });
}

/** Whether it was sent. */
async function send(form, button, took) {
  const fields = new FormData(form, button);
  if (button.dataset.busy) busy(button);
  try {
    const page = await pageOf(await post(form.action, fields));
    // As it was, so that nothing takes it for another one.
    ready(form);
    form.reset();
    await took(page);
    toast(page.querySelector("[data-toast] span")?.textContent);
    return true;
  } catch (failure) {
    ready(form);
    await refused(failure, took);
    return false;
  }
}

/** What asks first is shown here, and gets the words that were typed. */
async function ask(form, button) {
  const address = new URL(button.formAction);
  const note = form.elements.note?.value.trim();
  if (note) address.searchParams.set("note", note);
  try {
    const page = await pageOf(await get(address));
    open(document.importNode(page.querySelector("[data-dialog-content]"), true));
  } catch (failure) {
    if (!failure.shown) location.assign(address);
  }
}

/** What was wrong with it stands in the server's page. */
async function refused(failure, took) {
  const isAnswer = [409, 422].includes(failure.status);
  const page = isAnswer ? await pageOf(failure.response) : undefined;
  if (!page?.querySelector("[data-fragment]")) {
    tell(failure);
    return;
  }
  await took(page, true);
  const field = document.querySelector("[data-stays] [aria-invalid=true]");
  (field ?? document.querySelector("[data-testid=error-summary]"))?.focus();
}
