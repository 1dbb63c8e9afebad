// Sentences in the reader's language, which the page carries for its scripts: those of every page,
// and with `data-texts` those of a room.
export function text(name) {
  for (const place of document.querySelectorAll("#texts, [data-texts]")) {
    if (name in place.dataset) return place.dataset[name];
  }
  return "";
}

/** A text in which each "#" stands for the next of `values`. */
export function filled(name, ...values) {
  return text(name).replace(/#/g, () => values.shift() ?? "");
}
