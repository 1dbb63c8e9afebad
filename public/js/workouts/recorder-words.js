// The recorder's sentences and figures in the reader's language; the page carries the sentences.
import { number as written } from "../base/format.js";

const place = () => document.querySelector("[data-words]");

/** A sentence; each "#" in it is the next of `values`. */
export function say(name, ...values) {
  const words = place()?.dataset[`say${name[0].toUpperCase()}${name.slice(1)}`] ?? "";
  let next = 0;
  return words.replace(/#/g, () => String(values[next++] ?? ""));
}

/** A number with so many digits after the point; a dash for none. */
export function number(value, digits = 0) {
  return value === null || value === undefined ? "–" : written(value, digits);
}

/** A typed number, with a point or a comma. Nothing for an empty field, NaN for anything else. */
export function typed(text) {
  const plain = text.trim().replace(/[\s']/g, "").replace(",", ".");
  if (!plain) return undefined;
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : NaN;
}
