// Texts and numbers of the recorder; the page carries the texts.
import { number as written } from "../../base/format.js";
import { inMiles } from "../units.js";

const place = () => document.querySelector("[data-words]");

/** A text, in the person's units; each "#" is replaced by the next of `values`. */
export function phrase(name, ...values) {
  const key = `say${name[0].toUpperCase()}${name.slice(1)}`;
  const said = place()?.dataset ?? {};
  const words = (inMiles && said[`${key}Miles`]) || (said[key] ?? "");
  let next = 0;
  return words.replace(/#/g, () => String(values[next++] ?? ""));
}

/** A number with a fixed number of decimals; a dash for none. */
export function formatNumber(value, digits = 0) {
  return value === null || value === undefined ? "–" : written(value, digits);
}

/**
 * A number that was typed with a point or a comma. Undefined for an empty field, NaN for anything
 * else.
 */
export function parseNumber(text) {
  const plain = text.trim().replace(/[\s']/g, "").replace(",", ".");
  if (!plain) return undefined;
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : NaN;
}
