// The story of a photo: what the server asks before it overwrites the file, and the preview, are
// shown as dialogs; everything else as the page that it is.
import { open } from "../confirm.js";
import { pageOf, post, tell } from "../base/fetch.js";
import { busy, ready } from "../base/forms.js";
import { swap } from "../base/swap.js";

export function start(form) {
  let sending = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (sending) return;
    sending = true;
    const button = event.submitter ?? form.querySelector("[data-story-save]");
    const fields = new FormData(form);
    if (button.name) fields.set(button.name, button.value);
    busy(button);
    try {
      await send(form, fields);
    } catch (failure) {
      tell(failure);
    } finally {
      sending = false;
      ready(form);
    }
  });
}

async function send(form, fields) {
  try {
    const response = await post(form.getAttribute("action"), fields);
    const page = await pageOf(response);
    const content = page.querySelector("[data-dialog-content]");
    if (content) open(document.importNode(content, true));
    else await swap(page, response.redirected ? response.url : location.href);
  } catch (failure) {
    const page = failure.response && !failure.shown ? await pageOf(failure.response) : null;
    if (!page?.querySelector("[data-story-form]")) throw failure;
    await swap(page, location.href);
  }
}
