// Opens the story of a photo for writing where it is shown. The link leads to a page of its own.
import { get, parsePage } from "../base/fetch.js";

export function start(link) {
  link.addEventListener("click", async (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    try {
      const field = show(link.closest("[data-story-place]"), await parsePage(await get(link.href)));
      field.focus();
      field.setSelectionRange(field.value.length, field.value.length);
    } catch (failure) {
      if (!failure.shown) location.assign(link.href);
    }
  });
}

/** Puts the form of `page` into a place; gives its field. */
export function show(place, page) {
  const form = document.importNode(page.querySelector("[data-story-form]"), true);
  place.replaceChildren(form);
  place.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
  return form.querySelector("textarea");
}
