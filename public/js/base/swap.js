// Puts the answer of a form into the page, as the browser would, without losing the scripts' place.
import { toast } from "./toasts.js";

const here = () => location.pathname + location.search;
let shown = here();

/** Shows `page` (a parsed document) as the page at `address`, once its stylesheets are there. */
export async function swap(page, address) {
  if (!page.querySelector("main")) {
    location.assign(address);
    return;
  }
  const outdated = await bringStylesheets(page);
  document.title = page.title;
  document.body.className = page.body.className;
  const fresh = ["header.top", "main"].map((part) => replaced(part, page));
  if (address !== location.href) history.pushState(null, "", address);
  shown = here();
  for (const part of fresh) {
    part?.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
  }
  for (const sheet of outdated) sheet.remove();
  const said = page.querySelector("[data-toast] span");
  if (said) toast(said.textContent);
  const first = document.querySelector("main [autofocus], main [data-testid=error-summary]");
  if (first) first.focus();
  else scrollTo(0, 0);
}

const stylesheets = (page) => [...page.querySelectorAll("head link[rel=stylesheet]")];

/** Loads the stylesheets that `page` has and this one lacks. Gives those that `page` doesn't have. */
async function bringStylesheets(page) {
  const [here, there] = [stylesheets(document), stylesheets(page)];
  const address = (sheet) => sheet.getAttribute("href");
  const among = (sheets, sheet) => sheets.some((other) => address(other) === address(sheet));
  const loads = there
    .filter((sheet) => !among(here, sheet))
    .map((sheet) => {
      const added = document.importNode(sheet);
      // A stylesheet that can't be had is no reason to keep the page back.
      const loaded = new Promise((resolve) => (added.onload = added.onerror = resolve));
      document.head.append(added);
      return loaded;
    });
  await Promise.all(loads);
  return here.filter((sheet) => !among(there, sheet));
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
