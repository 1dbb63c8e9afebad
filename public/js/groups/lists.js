// The lists in words: how far everybody and every waypoint is from me and from the leader, in which
// direction, and how old each place is. The server writes their rows; here they get their figures.
import { bearing, distance } from "./geo.js";
import { STALE } from "./words.js";

/** A member's place with the moment of its fix in ms, or nothing. */
export function placeOf({ location, last_location_update: at }) {
  return location ? { ...location, at: Date.parse(at) } : undefined;
}

/** How to get from one place to another. */
export const way = (from, to) => ({ distance: distance(from, to), bearing: bearing(from, to) });

/** Writes what is known of each row; `ways` holds, by id, {way, fromLeader, age, accuracy} as far as known. */
export function fill(root, attribute, ways, words, heading) {
  for (const row of root.querySelectorAll(`[${attribute}]`)) {
    const known = ways.get(row.getAttribute(attribute)) ?? {};
    set(row, "[data-distance]", known.way ? words.distance(known.way.distance) : "");
    set(row, "[data-direction]", directionOf(known, words));
    // What the server says of who shares no place.
    row.querySelector("[data-nowhere]")?.toggleAttribute("hidden", known.age !== undefined);
    set(row, "[data-from-leader]", known.fromLeader === undefined ? "" : words.fromLeader(known.fromLeader));
    set(row, "[data-accuracy]", known.accuracy == null ? "" : words.about(known.accuracy));
    set(row, "[data-age]", known.age === undefined ? "" : words.age(known.age));
    row.classList.toggle("stale", known.age > STALE);
    const arrow = row.querySelector("[data-arrow]");
    if (!arrow) continue;
    arrow.toggleAttribute("hidden", !known.way);
    if (known.way) arrow.style.transform = `rotate(${Math.round(known.way.bearing - heading)}deg)`;
  }
}

function directionOf(known, words) {
  if (known.way) return words.direction(known.way.bearing);
  return known.age === undefined || known.isMe ? "" : words.say("unknownWay");
}

function set(row, selector, words) {
  const place = row.querySelector(selector);
  // Only what changed, so that nothing reads it out anew.
  if (place && place.textContent !== words) place.textContent = words;
}

/** The nearest first; who shares no place, in the server's order, after them. */
export function sort(list, ways) {
  if (!list) return;
  const far = (row) => ways.get(row.dataset.person)?.way?.distance ?? Infinity;
  const rows = [...list.querySelectorAll(":scope > [data-person]")];
  const sorted = rows.toSorted((a, b) => (far(a) === far(b) ? 0 : far(a) - far(b)));
  // Moving rows takes the focus out of them: then, and without need, they stay.
  if (list.contains(document.activeElement)) return;
  if (sorted.some((row, index) => row !== rows[index])) list.append(...sorted);
}
