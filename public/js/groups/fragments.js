// Fragments: parts of the page that the server renders, replaced when something has changed.
import { get, parsePage } from "../base/fetch.js";

// Elements that scripts fill in.
const SCRIPTED = `[data-distance], [data-direction], [data-from-leader], [data-age], [data-accuracy],
  [data-arrow], [data-open-map], time`;

// Timeout of the request, in ms.
const TIMEOUT = 20_000;

/** Replaces every [data-fragment] that has changed; throws when the page cannot be loaded. */
export async function refreshFragments() {
  const signal = AbortSignal.timeout(TIMEOUT);
  const page = await parsePage(await get(location.pathname, { signal }));
  if (!page.querySelector("[data-fragment]")) throw new Error("another page");
  applyFragments(page);
}

/** Replaces the fragments that differ in `page`; `isAnswer` for the response to a form. */
export function applyFragments(page, isAnswer = false) {
  for (const part of document.querySelectorAll("[data-fragment]")) {
    const fresh = page.querySelector(`[data-fragment="${part.dataset.fragment}"]`);
    if (!fresh || isSame(part, fresh)) continue;
    // The user is typing there, which matters more.
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

/** The field in `next` at the place of `field`, so that it can keep the focus. */
function counterpart(field, next) {
  const named = (each) => each.name === field.name && each.value === field.value;
  const isIt = field.id ? (each) => each.id === field.id : named;
  return (
    [...next.querySelectorAll(field.localName)].find(isIt) ?? next.querySelector("summary, button")
  );
}

function isWritten(part, field) {
  const fields = [...part.querySelectorAll("input:not([type=hidden]), textarea")];
  return fields.some((each) => each === field || each.value !== each.defaultValue);
}

// Ignores what scripts fill in, and the CSRF token, which differs in each page.
function isSame(old, fresh) {
  const text = (part) => {
    const copy = part.cloneNode(true);
    copy.querySelectorAll("[name=csrf_token]").forEach((field) => field.remove());
    copy.querySelectorAll(SCRIPTED).forEach((place) => place.remove());
    copy.querySelectorAll("details").forEach((fold) => fold.removeAttribute("open"));
    copy.querySelectorAll("[data-nowhere]").forEach((place) => place.removeAttribute("hidden"));
    copy.querySelectorAll("[data-user-id]").forEach((row) => row.classList.remove("stale"));
    const rows = [...copy.querySelectorAll("[data-user-id]")].map((row) => row.outerHTML).sort();
    copy.querySelectorAll("[data-user-id]").forEach((row) => row.remove());
    return copy.innerHTML.replace(/\s+/g, " ") + rows.join("");
  };
  return old.hidden === fresh.hidden && text(old) === text(fresh);
}
