// Texts in the user's language, which the page carries in data attributes: those of every page, and
// in `data-texts` those of one feature.
export function text(name) {
  for (const place of document.querySelectorAll("#texts, [data-texts]")) {
    if (name in place.dataset) return place.dataset[name];
  }
  return "";
}

/** A text in which each "#" is replaced by the next of `values`. */
export function formatText(name, ...values) {
  return text(name).replace(/#/g, () => values.shift() ?? "");
}
