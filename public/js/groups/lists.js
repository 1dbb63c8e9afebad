// The lists of members and waypoints: distance and direction from the user and from the leader, and
// the age of each position. The server renders the rows; this module fills in the figures.
import { bearing, distance } from "./geo.js";
import { STALE } from "./words.js";

/** A member's position with the moment of its fix in ms, or undefined. */
export function locationOf({ location, last_location_update: at }) {
  return location ? { ...location, at: Date.parse(at) } : undefined;
}

/**
 * Distance and bearing between two positions. Within `blur`, in m, which sums up their accuracy,
 * the direction is unknown.
 */
export const relativePosition = (from, to) => ({
  distance: distance(from, to),
  bearing: bearing(from, to),
  blur: Math.hypot(from.accuracy ?? 0, to.accuracy ?? 0),
});

/**
 * Fills in the rows. `ways` holds {way, fromLeader, age, accuracy, isOver} by id, as far as known.
 */
export function fillRows(root, attribute, ways, words, heading) {
  for (const row of root.querySelectorAll(`[${attribute}]`)) {
    const known = ways.get(row.getAttribute(attribute)) ?? {};
    setText(row, "[data-distance]", known.way ? words.distance(known.way.distance) : "");
    // The server's text for members without a position.
    const nowhere = row.querySelector("[data-nowhere]");
    nowhere?.toggleAttribute("hidden", known.age !== undefined);
    setText(row, "[data-direction]", nowhere && known.isOver ? "" : directionOf(known, words));
    setText(
      row,
      "[data-from-leader]",
      known.fromLeader === undefined ? "" : words.fromLeader(known.fromLeader),
    );
    setText(row, "[data-accuracy]", known.accuracy == null ? "" : words.about(known.accuracy));
    setText(row, "[data-age]", known.age === undefined ? "" : words.age(known.age));
    row.classList.toggle("stale", known.age > STALE);
    const link = row.querySelector("[data-open-map]");
    link?.toggleAttribute("hidden", !known.place || known.isMe);
    if (link && known.place) link.href = mapLink(known.place);
    const arrow = row.querySelector("[data-arrow]");
    if (!arrow) continue;
    const isClear = known.way && known.way.distance > known.way.blur;
    arrow.toggleAttribute("hidden", !isClear);
    if (isClear) arrow.dataset.bearing = known.way.bearing;
  }
  turnArrows(root, heading);
}

const mapLink = ({ latitude, longitude }) =>
  `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`;

/** Turns the arrows against the top of the phone. */
export function turnArrows(root, heading) {
  for (const arrow of root.querySelectorAll("[data-arrow]:not([hidden])")) {
    const before = Number(arrow.dataset.turn ?? 0);
    // The shorter way around: from 359° to 1° is 2°.
    const rest = (arrow.dataset.bearing - heading - before) % 360;
    const after = Math.round(before + ((rest + 540) % 360) - 180);
    if (after === before && arrow.dataset.turn) continue;
    arrow.dataset.turn = after;
    arrow.style.transform = `rotate(${after}deg)`;
  }
}

function directionOf(known, words) {
  if (known.way) return words.direction(known.way);
  // The server's text may still have a direction for a member who stopped sharing.
  if (known.isOver) return words.say("hidden");
  return known.age === undefined || known.isMe ? "" : words.say("unknownWay");
}

function setText(row, selector, words) {
  const place = row.querySelector(selector);
  // Sets only what has changed, so that screen readers do not read it again.
  if (place && place.textContent !== words) place.textContent = words;
}

/** Sorts the nearest first; members without a position follow in the server's order. */
export function sortByDistance(list, ways) {
  if (!list) return;
  const far = (row) => ways.get(row.dataset.userId)?.way?.distance ?? Infinity;
  const rows = [...list.querySelectorAll(":scope > [data-user-id]")];
  const sorted = rows.toSorted((a, b) => (far(a) === far(b) ? 0 : far(a) - far(b)));
  // Moving rows takes the focus out of them, so they stay while one has it.
  if (list.contains(document.activeElement)) return;
  if (sorted.some((row, index) => row !== rows[index])) list.append(...sorted);
}
