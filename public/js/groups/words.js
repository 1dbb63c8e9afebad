// Distances, directions and ages in the reader's language. The words stand in the page: a "#" in
// them is the figure's place.
import { measured, wind } from "./geo.js";

const WINDS = ["n", "ne", "e", "se", "s", "sw", "w", "nw"];

/** Past this, in ms, a place is stale: greyed in every view. */
export const STALE = 300_000;

// Worse than this, in m, two places may be one and the people far apart all the same.
const VAGUE = 50;

const put = (words, figure) => (words ?? "").replace("#", () => figure);

/** Keeps a name that is written from right to left from mixing with what stands beside it. */
export const isolated = (name) => `\u2068${name}\u2069`;

/** The letters of a name as people count them. */
export function lettersOf(name) {
  if (!("Segmenter" in Intl)) return [...name];
  return Array.from(new Intl.Segmenter().segment(name), ({ segment }) => segment);
}

/** As the server makes them: one character for Chinese names, the first letters of two words else. */
export function initials(name) {
  const words = name.split(/[ -]/).filter(Boolean);
  const first = lettersOf(words[0] ?? "?")[0];
  if (first.codePointAt(0) >= 0x2e80 || words.length < 2) return first.toUpperCase();
  return (first + lettersOf(words.at(-1))[0]).toUpperCase();
}

/** What the page at `root` carries as words, as functions. */
export function wordsOf(root) {
  const { units } = root.dataset;
  const words = root.querySelector("[data-group-words]").dataset;
  return {
    /** "72 m", "1.2 mi". */
    distance(metres) {
      const [figure, unit] = measured(metres, units);
      return put(words[unit], figure);
    },
    /** "north-east of you", or nothing where that isn't known: {bearing, distance, blur}. */
    direction({ bearing, distance, blur }) {
      if (distance > blur) return words[WINDS[wind(bearing)]];
      return blur <= VAGUE ? words.withYou : "";
    },
    /** "350 m, north-east of you". */
    way(way) {
      const direction = this.direction(way);
      return direction ? `${this.distance(way.distance)}, ${direction}` : this.distance(way.distance);
    },
    /** "Yuna: gather here". */
    call(kind, name) {
      const key = `call_${kind}`.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
      return put(words[key], isolated(name ?? words.somebody));
    },
    /** "130 m from the leader". */
    fromLeader(metres) {
      return put(words.fromLeader, this.distance(metres));
    },
    /** "to about 8 m". */
    about(metres) {
      return put(words.about, this.distance(metres));
    },
    /** "now", "20 s ago": of an age in ms. */
    age(ms) {
      const seconds = Math.floor(ms / 1000);
      if (seconds < 15) return words.fresh;
      if (seconds < 60) return put(words.seconds, Math.floor(seconds / 10) * 10);
      if (seconds < 3600) return put(words.minutes, Math.floor(seconds / 60));
      return put(words.hours, Math.floor(seconds / 3600));
    },
    /** "7 h 12 min left": of a time in ms. */
    left(ms) {
      // The server's clock is known to a second or two: 8 hours aren't 8 h 1 min.
      const minutes = Math.max(1, Math.ceil((ms - 2_000) / 60_000));
      const long = put(words.leftHours, Math.floor(minutes / 60));
      return put(words.left, minutes < 60 ? put(words.leftMinutes, minutes) : put(long, minutes % 60));
    },
    say: (name, figure) => put(words[name], figure),
  };
}
