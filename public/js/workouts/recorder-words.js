// The recorder's sentences and figures in the reader's language; the page carries the sentences.
const place = () => document.querySelector("[data-words]");

/** A sentence; each "#" in it is the next of `values`. */
export function say(name, ...values) {
  const words = place()?.dataset[`say${name[0].toUpperCase()}${name.slice(1)}`] ?? "";
  let next = 0;
  return words.replace(/#/g, () => String(values[next++] ?? ""));
}

const language = () => document.documentElement.lang || "en";

/** A number with so many digits after the point; a dash for none. */
export function number(value, digits = 0) {
  if (value === null || value === undefined) return "–";
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(language(), options).format(value);
}

/** "18:06", "1:02:03". */
export function clock(seconds) {
  const whole = Math.max(Math.floor(seconds), 0);
  const two = (value) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = two(whole % 60);
  return hours ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** A day and a time as people say it; `at` in ms or as ISO. */
export function moment(at, options = { dateStyle: "medium", timeStyle: "short" }) {
  return new Intl.DateTimeFormat(language(), options).format(new Date(at));
}

/** A typed number, with a point or a comma. Nothing for an empty field, NaN for anything else. */
export function typed(text) {
  const plain = text.trim().replace(/[\s']/g, "").replace(",", ".");
  if (!plain) return undefined;
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : NaN;
}
