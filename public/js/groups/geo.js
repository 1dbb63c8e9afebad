// Distances and directions on the globe, as in Sources/Groups/GreatCircle.swift: both are tested
// with the same figures (Tests/EndToEnd/support/great_circles.json).

/** The mean radius of the Earth in m (IUGG). */
const RADIUS = 6371008.8;
const FEET = 3.280839895;
const FEET_A_MILE = 5280;

const radians = (degrees) => (degrees * Math.PI) / 180;

/** The great-circle distance in m (haversine formula, exact for short distances too). */
export function distance(from, to) {
  const [a, b] = [radians(from.latitude), radians(to.latitude)];
  const north = Math.sin((b - a) / 2) ** 2;
  const east = Math.sin(radians(to.longitude - from.longitude) / 2) ** 2;
  return 2 * RADIUS * Math.asin(Math.min(1, Math.sqrt(north + Math.cos(a) * Math.cos(b) * east)));
}

/** The initial bearing in degrees from north, clockwise, 0 to 360. */
export function bearing(from, to) {
  const [a, b] = [radians(from.latitude), radians(to.latitude)];
  const turn = radians(to.longitude - from.longitude);
  const east = Math.sin(turn) * Math.cos(b);
  const north = Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(turn);
  return ((Math.atan2(east, north) * 180) / Math.PI + 360) % 360;
}

/** The nearest of the eight compass points: 0 is north, 1 north-east, 7 north-west. */
export const compassPoint = (degrees) => Math.round(degrees / 45) % 8;

/** A distance in m as a number and its unit: "m", "km", "ft" or "mi". */
export function inUnits(metres, units) {
  if (units === "feet") {
    const feet = metres * FEET;
    return feet < 995 ? [short(feet), "ft"] : [long(feet / FEET_A_MILE), "mi"];
  }
  return metres < 995 ? [short(metres), "m"] : [long(metres / 1000), "km"];
}

// Rounded, as positions are not more precise.
function short(value) {
  return value < 99.5 ? Math.round(value) : Math.round(value / 10) * 10;
}

function long(value) {
  return value < 9.95 ? value.toFixed(1) : grouped(Math.round(value));
}

const grouped = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
