// Shows the response to a form as the browser would, without reloading the scripts.
import { chooseFiles } from "./chosen-files.js";
import { showToastOf } from "./toasts.js";

const currentPath = () => location.pathname + location.search;
let shownPath = currentPath();

/**
 * Shows `page` (a parsed document) as the page at `address`, once its stylesheets have loaded. The
 * `files` are chosen in its fields, by their names.
 */
export async function swap(page, address, files = new Map()) {
  if (!page.querySelector("main")) {
    location.assign(address);
    return;
  }
  const outdated = await loadStylesheets(page);
  document.title = page.title;
  document.body.className = page.body.className;
  const fresh = [".tabs-more", "header.top", "main"].map((part) => replacePart(part, page));
  chooseFiles(document, files);
  if (address !== location.href) history.pushState(null, "", address);
  shownPath = currentPath();
  for (const part of fresh) {
    part?.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
  }
  for (const sheet of outdated) sheet.remove();
  showToastOf(page);
  const first = document.querySelector("main [autofocus], main [data-testid=error-summary]");
  if (first) first.focus();
  else scrollTo(0, 0);
}

const stylesheets = (page) => [...page.querySelectorAll("head link[rel=stylesheet]")];

/** Loads the stylesheets that only `page` has. Gives those that `page` does not have. */
async function loadStylesheets(page) {
  const [here, there] = [stylesheets(document), stylesheets(page)];
  const address = (sheet) => sheet.getAttribute("href");
  const among = (sheets, sheet) => sheets.some((other) => address(other) === address(sheet));
  const loads = there
    .filter((sheet) => !among(here, sheet))
    .map((sheet) => {
      const added = document.importNode(sheet);
      // A missing stylesheet does not hold the page back.
      const loaded = new Promise((resolve) => (added.onload = added.onerror = resolve));
      document.head.append(added);
      return loaded;
    });
  await Promise.all(loads);
  return here.filter((sheet) => !among(there, sheet));
}

function replacePart(part, page) {
  const [old, next] = [document.querySelector(part), page.querySelector(part)];
  if (!old || !next) return null;
  const fresh = document.importNode(next, true);
  old.replaceWith(fresh);
  return fresh;
}

// The history does not hold swapped pages: going back asks the server.
addEventListener("popstate", () => {
  if (currentPath() !== shownPath) location.reload();
});
