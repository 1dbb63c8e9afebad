// The lists in words: how far everybody and every waypoint is from me and from the leader, in which
// direction, and how old each place is. The server writes their rows; here they get their figures.
import { bearing, distance } from "./geo.js";
import { STALE } from "./words.js";

/** A member's place with the moment of its fix in ms, or nothing. */
export function placeOf({ location, last_location_update: at }) {
  return location ? { ...location, at: Date.parse(at) } : undefined;
}

/** How to get from one place to another. Nearer than the blur, in m, no direction is known: so far
 * may both places together be from where they seem to be. */
export const way = (from, to) => ({
  distance: distance(from, to),
  bearing: bearing(from, to),
  blur: Math.hypot(from.accuracy ?? 0, to.accuracy ?? 0),
});

/** Writes what is known of each row; `ways` holds, by id, {way, fromLeader, age, accuracy, isOver}
 * as far as known. */
export function fill(root, attribute, ways, words, heading) {
  for (const row of root.querySelectorAll(`[${attribute}]`)) {
    const known = ways.get(row.getAttribute(attribute)) ?? {};
    set(row, "[data-distance]", known.way ? words.distance(known.way.distance) : "");
    // What the server says of who shares no place.
    const nowhere = row.querySelector("[data-nowhere]");
    nowhere?.toggleAttribute("hidden", known.age !== undefined);
    set(row, "[data-direction]", nowhere && known.isOver ? "" : directionOf(known, words));
    set(row, "[data-from-leader]", known.fromLeader === undefined ? "" : words.fromLeader(known.fromLeader));
    set(row, "[data-accuracy]", known.accuracy == null ? "" : words.about(known.accuracy));
    set(row, "[data-age]", known.age === undefined ? "" : words.age(known.age));
    row.classList.toggle("stale", known.age > STALE);
    const arrow = row.querySelector("[data-arrow]");
    if (!arrow) continue;
    const isClear = known.way && known.way.distance > known.way.blur;
    arrow.toggleAttribute("hidden", !isClear);
    if (isClear) arrow.dataset.bearing = known.way.bearing;
  }
  turn(root, heading);
}

/** Turns the arrows to where things lie from the top of the phone. */
export function turn(root, heading) {
  for (const arrow of root.querySelectorAll("[data-arrow]:not([hidden])")) {
    const before = Number(arrow.dataset.turn ?? 0);
    // The short way around: from 359° to 1° are 2°.
    const rest = (arrow.dataset.bearing - heading - before) % 360;
    const after = Math.round(before + ((rest + 540) % 360) - 180);
    if (after === before && arrow.dataset.turn) continue;
    arrow.dataset.turn = after;
    arrow.style.transform = `rotate(${after}deg)`;
  }
}

function directionOf(known, words) {
  if (known.way) return words.direction(known.way);
  // The server wrote a direction for who shares no place any more.
  if (known.isOver) return words.say("hidden");
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
  const far = (row) => ways.get(row.dataset.userId)?.way?.distance ?? Infinity;
  const rows = [...list.querySelectorAll(":scope > [data-user-id]")];
  const sorted = rows.toSorted((a, b) => (far(a) === far(b) ? 0 : far(a) - far(b)));
  // Moving rows takes the focus out of them: then, and without need, they stay.
  if (list.contains(document.activeElement)) return;
  if (sorted.some((row, index) => row !== rows[index])) list.append(...sorted);
}
