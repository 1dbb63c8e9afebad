// Distances, directions and ages in the reader's language. The words stand in the page: a "#" in
// them is the figure's place.
import { measured, wind } from "./geo.js";

const WINDS = ["n", "ne", "e", "se", "s", "sw", "w", "nw"];

/** Past this, in ms, a place is stale: greyed in every view. */
export const STALE = 300_000;

const put = (words, figure) => (words ?? "").replace("#", figure);

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
    /** "north-east of you". */
    direction: (degrees) => words[WINDS[wind(degrees)]],
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
      const minutes = Math.max(1, Math.ceil(ms / 60_000));
      const long = put(words.leftHours, Math.floor(minutes / 60));
      return put(words.left, minutes < 60 ? put(words.leftMinutes, minutes) : put(long, minutes % 60));
    },
    say: (name, figure) => put(words[name], figure),
  };
}
