// Sends the small forms of the live page without leaving it: a new page would have to find its
// position again.
import { markBusy, markReady } from "../base/forms.js";
import { get, parsePage, post, showError } from "../base/fetch.js";
import { openDialog } from "../confirm.js";
import { showToastOf } from "../base/toasts.js";

// The same call within this time, in ms, is a double tap.
const DOUBLE_TAP = 1_000;

// "I'm OK" appears where "Need help" was pressed, and the other way round.
const placeOf = (kind) => (kind === "is_ok" ? "need_help" : kind);

const sending = new WeakSet();

/**
 * Sends the forms of `root` that are marked for it. `took` gets the server's page, and whether it
 * answers with errors.
 */
export function sendForms(root, onPage) {
  const called = {};
  root.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches("[data-stays] form, form[data-stays]")) return;
    event.preventDefault();
    if (sending.has(form)) return;
    const button = event.submitter ?? form.querySelector("button:enabled");
    const isCall = button.name === "kind";
    const isAgain =
      called.kind === placeOf(button.value) && performance.now() - called.at < DOUBLE_TAP;
    if (isCall && isAgain) return;
    sending.add(form);
    try {
      if (button.formMethod === "get") await openConfirmation(form, button);
      else if ((await send(form, button, onPage)) && isCall) {
        Object.assign(called, { kind: placeOf(button.value), at: performance.now() });
      }
    } finally {
      sending.delete(form);
    }
  });
}

/** Gives whether it was sent. */
async function send(form, button, onPage) {
  const fields = new FormData(form, button);
  if (button.dataset.busy) markBusy(button);
  try {
    const page = await parsePage(await post(form.action, fields));
    // Restores the form, so that it does not count as changed.
    markReady(form);
    form.reset();
    await onPage(page);
    showToastOf(page);
    return true;
  } catch (failure) {
    markReady(form);
    await showRefusal(failure, onPage);
    return false;
  }
}

/** Shows the confirmation as a dialog, with the note that was typed. */
async function openConfirmation(form, button) {
  const address = new URL(button.formAction);
  const note = form.elements.note?.value.trim();
  if (note) address.searchParams.set("note", note);
  try {
    const page = await parsePage(await get(address));
    openDialog(document.importNode(page.querySelector("[data-dialog-content]"), true));
  } catch (failure) {
    if (!failure.shown) location.assign(address);
  }
}

/** Shows the errors in the server's page. */
async function showRefusal(failure, onPage) {
  const isAnswer = [409, 422].includes(failure.status);
  const page = isAnswer ? await parsePage(failure.response) : undefined;
  if (!page?.querySelector("[data-fragment]")) {
    showError(failure);
    return;
  }
  await onPage(page, true);
  const field = document.querySelector("[data-stays] [aria-invalid=true]");
  (field ?? document.querySelector("[data-testid=error-summary]"))?.focus();
}
