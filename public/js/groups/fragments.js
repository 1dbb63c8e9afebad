// Parts of the page that the server writes: taken anew from its page when something changed.
import { get, pageOf } from "../base/fetch.js";

// What the scripts write themselves.
const FIGURES = `[data-distance], [data-direction], [data-from-leader], [data-age], [data-accuracy],
  [data-arrow], time`;

// How long the server may take, in ms.
const PATIENCE = 20_000;

/** Takes every [data-fragment] of this page anew; throws when the page can't be had. */
export async function refresh() {
  const signal = AbortSignal.timeout(PATIENCE);
  const page = await pageOf(await get(location.pathname, { signal }));
  if (!page.querySelector("[data-fragment]")) throw new Error("another page");
  take(page);
}

/** Takes those of `page` that are not as they are here; `isAnswer` where it answers what was typed. */
export function take(page, isAnswer = false) {
  for (const part of document.querySelectorAll("[data-fragment]")) {
    const fresh = page.querySelector(`[data-fragment="${part.dataset.fragment}"]`);
    if (!fresh || same(part, fresh)) continue;
    // Somebody is writing there: that matters more.
    const field = part.contains(document.activeElement) && document.activeElement;
    if (!isAnswer && isWritten(part, field)) continue;
    const fold = fresh.querySelector("details");
    if (fold && !isAnswer) fold.open = part.querySelector("details")?.open ?? false;
    const next = document.importNode(fresh, true);
    part.replaceWith(next);
    if (field) counterpart(field, next)?.focus();
    next.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
  }
}

/** What stands in `next` where `field` stood in what it replaces: the keyboard stays where it was. */
function counterpart(field, next) {
  const named = (each) => each.name === field.name && each.value === field.value;
  const isIt = field.id ? (each) => each.id === field.id : named;
  return [...next.querySelectorAll(field.localName)].find(isIt) ?? next.querySelector("summary, button");
}

function isWritten(part, field) {
  const fields = [...part.querySelectorAll("input:not([type=hidden]), textarea")];
  return fields.some((each) => each === field || each.value !== each.defaultValue);
}

// The words of rows are filled in here, and each page has a token of its own.
function same(old, fresh) {
  const text = (part) => {
    const copy = part.cloneNode(true);
    copy.querySelectorAll("[name=csrf_token]").forEach((field) => field.remove());
    copy.querySelectorAll(FIGURES).forEach((place) => place.remove());
    copy.querySelectorAll("details").forEach((fold) => fold.removeAttribute("open"));
    copy.querySelectorAll("[data-nowhere]").forEach((place) => place.removeAttribute("hidden"));
    copy.querySelectorAll("[data-user-id]").forEach((row) => row.classList.remove("stale"));
    const rows = [...copy.querySelectorAll("[data-user-id]")].map((row) => row.outerHTML).sort();
    copy.querySelectorAll("[data-user-id]").forEach((row) => row.remove());
    return copy.innerHTML.replace(/\s+/g, " ") + rows.join("");
  };
  return text(old) === text(fresh);
}
