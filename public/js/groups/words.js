// Distances, directions and ages as text. The page carries the texts; "#" stands for the figure.
import { inUnits, compassPoint } from "./geo.js";

const WINDS = ["n", "ne", "e", "se", "s", "sw", "w", "nw"];

/** Positions older than this, in ms, are stale and shown in grey. */
export const STALE = 300_000;

// With a blur above this, in m, nearness is not certain.
const VAGUE = 50;

const fillIn = (words, figure) => (words ?? "").replace("#", () => figure);

/** Isolates a name, so that right-to-left text does not mix with the text around it. */
export const isolated = (name) => `\u2068${name}\u2069`;

/** The user-perceived characters of a name. */
export function graphemes(name) {
  if (!("Segmenter" in Intl)) return [...name];
  return Array.from(new Intl.Segmenter().segment(name), ({ segment }) => segment);
}

/**
 * Initials as the server makes them: one character of Chinese names, else the first letters of two
 * words.
 */
export function initials(name) {
  const words = name.split(/[ -]/).filter(Boolean);
  const first = graphemes(words[0] ?? "?")[0];
  if (first.codePointAt(0) >= 0x2e80 || words.length < 2) return first.toUpperCase();
  return (first + graphemes(words.at(-1))[0]).toUpperCase();
}

/** The texts in the page at `root`, as functions. */
export function wordsOf(root) {
  const { units } = root.dataset;
  const words = root.querySelector("[data-group-words]").dataset;
  return {
    /** "72 m", "1.2 mi". */
    distance(metres) {
      const [figure, unit] = inUnits(metres, units);
      return fillIn(words[unit], figure);
    },
    /** "north-east of you"; empty where the direction is unknown: {bearing, distance, blur}. */
    direction({ bearing, distance, blur }) {
      if (distance > blur) return words[WINDS[compassPoint(bearing)]];
      return blur <= VAGUE ? words.withYou : "";
    },
    /** "350 m, north-east of you". */
    way(way) {
      const direction = this.direction(way);
      return direction
        ? `${this.distance(way.distance)}, ${direction}`
        : this.distance(way.distance);
    },
    /** "Yuna: gather here". */
    call(kind, name) {
      const key = `call_${kind}`.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
      return fillIn(words[key], isolated(name ?? words.somebody));
    },
    /** "130 m from the leader". */
    fromLeader(metres) {
      return fillIn(words.fromLeader, this.distance(metres));
    },
    /** "to about 8 m". */
    about(metres) {
      return fillIn(words.about, this.distance(metres));
    },
    /** "now", "20 s ago", of an age in ms. */
    age(ms) {
      const seconds = Math.floor(ms / 1000);
      if (seconds < 15) return words.fresh;
      if (seconds < 60) return fillIn(words.seconds, Math.floor(seconds / 10) * 10);
      if (seconds < 3600) return fillIn(words.minutes, Math.floor(seconds / 60));
      return fillIn(words.hours, Math.floor(seconds / 3600));
    },
    /** "now", "2 min ago": from a minute on, as the server writes the ages of the log. */
    since(ms) {
      return this.age(ms < 60_000 ? 0 : ms);
    },
    /** "7 h 12 min left", "8 h left", of a time in ms. */
    left(ms) {
      // The server's clock is known to a second or two: 8 hours are not 8 h 1 min.
      const minutes = Math.max(1, Math.ceil((ms - 2_000) / 60_000));
      const hours = Math.floor(minutes / 60);
      if (!hours) return fillIn(words.left, fillIn(words.leftMinutes, minutes));
      const isWhole = minutes % 60 === 0;
      const long = fillIn(isWhole ? words.leftWhole : words.leftHours, hours);
      return fillIn(words.left, fillIn(long, minutes % 60));
    },
    say: (name, figure) => fillIn(words[name], figure),
  };
}
