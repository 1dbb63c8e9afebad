// Sentences in the reader's language, which the page carries for its scripts.
export function text(name) {
  return document.getElementById("texts")?.dataset[name] ?? "";
}
