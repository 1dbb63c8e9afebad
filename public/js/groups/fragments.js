// Parts of the page that the server writes: taken anew from its page when something changed.
import { get, pageOf } from "../base/fetch.js";

/** Takes every [data-fragment] of this page anew. */
export async function refresh() {
  take(await pageOf(await get(location.pathname)));
}

/** Takes those of `page` that are not as they are here. */
export function take(page) {
  for (const part of document.querySelectorAll("[data-fragment]")) {
    const fresh = page.querySelector(`[data-fragment="${part.dataset.fragment}"]`);
    if (!fresh || same(part, fresh)) continue;
    // Somebody is typing there: what they wrote matters more.
    const field = part.contains(document.activeElement) && document.activeElement;
    if (field && field.matches("input:not([type=hidden]), textarea, select")) continue;
    const next = document.importNode(fresh, true);
    part.replaceWith(next);
    const again = field?.id && document.getElementById(field.id);
    again?.focus();
    next.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
  }
}

// The words of rows are filled in here, and each page has a token of its own.
function same(old, fresh) {
  const text = (part) => {
    const copy = part.cloneNode(true);
    copy.querySelectorAll("[name=csrf_token]").forEach((field) => field.remove());
    const own = "[data-distance], [data-direction], [data-from-leader], [data-age], [data-arrow]";
    copy.querySelectorAll(`${own}, time`).forEach((place) => place.remove());
    copy.querySelectorAll("[data-nowhere]").forEach((place) => place.removeAttribute("hidden"));
    copy.querySelectorAll("[data-person]").forEach((row) => row.classList.remove("stale"));
    const rows = [...copy.querySelectorAll("[data-person]")].map((row) => row.outerHTML).sort();
    copy.querySelectorAll("[data-person]").forEach((row) => row.remove());
    return copy.innerHTML.replace(/\s+/g, " ") + rows.join("");
  };
  return text(old) === text(fresh);
}
