// Follows a couple in place; the server's page has the new state.
import { parsePage, post, showError } from "./base/fetch.js";
import { markReady } from "./base/forms.js";
import { showToastOf } from "./base/toasts.js";

export function start(form) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    try {
      const page = await parsePage(await post(form.action, new FormData(form)));
      if (!replacePart("[data-follow]", page)) return location.reload();
      replacePart("[data-follow-counts]", page);
      showToastOf(page);
      document.querySelector("[data-follow] button").focus();
    } catch (failure) {
      markReady(form);
      showError(failure);
    }
  });
}

function replacePart(part, page) {
  const [old, next] = [document.querySelector(part), page.querySelector(part)];
  if (!old || !next) return false;
  const fresh = document.importNode(next, true);
  old.replaceWith(fresh);
  fresh.parentElement.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
  return true;
}
