// The small forms of the live page: sent without leaving it, since a page that is loaded anew looks
// for its place anew too.
import { busy, ready } from "../base/forms.js";
import { pageOf, post, tell } from "../base/fetch.js";
import { toast } from "../base/toasts.js";

/** Sends the forms of `root` that ask for it; `took` gets the server's page, and whether it says what is
 * wrong. */
export function sendForms(root, took) {
  root.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches("[data-stays] form, form[data-stays]")) return;
    event.preventDefault();
    const button = event.submitter ?? form.querySelector("button");
    if (button.getAttribute("aria-busy") === "true") return;
    const fields = new FormData(form, button);
    if (button.dataset.busy) busy(button);
    try {
      const page = await pageOf(await post(form.action, fields));
      form.reset();
      await took(page);
      toast(page.querySelector("[data-toast] span")?.textContent);
    } catch (failure) {
      await refused(failure, took);
    } finally {
      ready(form);
    }
  });
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
