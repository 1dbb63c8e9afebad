// The story of a photo: shows the server's questions and the preview as dialogs, and anything else
// as a page, or where the form is.
import { openDialog } from "../confirm.js";
import { parsePage, post, showError } from "../base/fetch.js";
import { markBusy, markReady } from "../base/forms.js";
import { swap } from "../base/swap.js";
import { show } from "./story-place.js";

// Whether the user has answered a question: the words are on their way.
let isAnswered = false;
// The forms of the questions.
const questions = new WeakSet();

// The window hears of it last: without a network a form is not sent, and the words are still here.
addEventListener("submit", (event) => {
  if (questions.has(event.target) && !event.defaultPrevented) isAnswered = true;
});

export function start(form) {
  let sending = false;
  const words = form.querySelector("textarea");
  addEventListener("beforeunload", (event) => {
    const isUnsaved = form.isConnected && words && words.value !== words.defaultValue;
    if (isUnsaved && !sending && !isAnswered) event.preventDefault();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (sending) return;
    sending = true;
    const button = event.submitter ?? form.querySelector("[data-story-save]");
    const fields = new FormData(form);
    if (button.name) fields.set(button.name, button.value);
    markBusy(button);
    try {
      await send(form, fields);
    } catch (failure) {
      showError(failure);
    } finally {
      sending = false;
      markReady(form);
    }
  });
}

async function send(form, fields) {
  try {
    const response = await post(form.getAttribute("action"), fields);
    const page = await parsePage(response);
    const content = page.querySelector("[data-dialog-content]");
    if (content) ask(document.importNode(content, true));
    else await swap(page, response.redirected ? response.url : location.href);
  } catch (failure) {
    const page = failure.response && !failure.shown ? await parsePage(failure.response) : null;
    if (!page?.querySelector("[data-story-form]")) throw failure;
    const place = form.closest("[data-story-place]");
    if (place) show(place, page).focus();
    else await swap(page, location.href);
  }
}

function ask(content) {
  questions.add(content.querySelector("form"));
  openDialog(content);
}
