// Puts the answer of a form into the page, as the browser would, without losing the scripts' place.
import { toast } from "./toasts.js";

const here = () => location.pathname + location.search;
let shown = here();

/** Shows `page` (a parsed document) as the page at `address`. */
export function swap(page, address) {
  if (!page.querySelector("main")) {
    location.assign(address);
    return;
  }
  document.title = page.title;
  document.body.className = page.body.className;
  const fresh = ["header.top", "main"].map((part) => replaced(part, page));
  if (address !== location.href) history.pushState(null, "", address);
  shown = here();
  for (const part of fresh) {
    part?.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
  }
  const said = page.querySelector("[data-toast] span");
  if (said) toast(said.textContent);
  const first = document.querySelector("main [autofocus], main [data-testid=error-summary]");
  if (first) first.focus();
  else scrollTo(0, 0);
}

function replaced(part, page) {
  const [old, next] = [document.querySelector(part), page.querySelector(part)];
  if (!old || !next) return null;
  const fresh = document.importNode(next, true);
  old.replaceWith(fresh);
  return fresh;
}

// What was swapped in is not in the history's memory: going back asks the server.
addEventListener("popstate", () => {
  if (here() !== shown) location.reload();
});
