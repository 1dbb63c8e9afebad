// Following in place: the page that answers says how things stand.
import { pageOf, post, tell } from "./base/fetch.js";
import { ready } from "./base/forms.js";
import { toast } from "./base/toasts.js";

export function start(form) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    try {
      const page = await pageOf(await post(form.action, new FormData(form)));
      if (!replaced("[data-follow]", page)) return location.reload();
      replaced("[data-follow-counts]", page);
      toast(page.querySelector("[data-toast] span")?.textContent);
      document.querySelector("[data-follow] button").focus();
    } catch (failure) {
      ready(form);
      tell(failure);
    }
  });
}

function replaced(part, page) {
  const [old, next] = [document.querySelector(part), page.querySelector(part)];
  if (!old || !next) return false;
  const fresh = document.importNode(next, true);
  old.replaceWith(fresh);
  fresh.parentElement.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
  return true;
}
