// A line over time, drawn from what was measured a second at a time.
const NAMESPACE = "http://www.w3.org/2000/svg";
const WIDTH = 600;
const HEIGHT = 240;
// More points than these nobody sees.
const MOST = 150;

/** The drawing of `values` (null where nothing was measured), or null when there is nothing. */
export function drawing(values, label) {
  const points = means(values ?? []);
  const known = points.filter((value) => value !== null);
  if (!known.length) return null;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  // A little air above and below; a level line stands in the middle.
  const margin = (high - low) * 0.08 || Math.max(1, Math.abs(high) * 0.1);
  const y = (value) =>
    Math.round(HEIGHT * (1 - (value - low + margin) / (high - low + 2 * margin)));
  const x = (place) => Math.round((place / Math.max(1, points.length - 1)) * WIDTH);
  const svg = element("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
    "aria-label": label,
  });
  svg.append(element("path", { class: "chart-line", d: pathOf(points, x, y) }));
  return svg;
}

/** The line, broken where nothing was measured. */
function pathOf(points, x, y) {
  let path = "";
  points.forEach((value, place) => {
    if (value === null) return;
    const isFirst = place === 0 || points[place - 1] === null;
    path += `${isFirst ? "M" : "L"}${x(place)} ${y(value)}`;
    // A point by itself is a line of no length: its round end can be seen.
    if (isFirst && (points[place + 1] ?? null) === null) path += "h0";
  });
  return path;
}

function means(values) {
  const count = Math.min(values.length, MOST);
  return Array.from({ length: count }, (_, place) => {
    const from = Math.floor((place * values.length) / count);
    const to = Math.floor(((place + 1) * values.length) / count);
    const part = values.slice(from, to).filter((value) => value !== null && value !== undefined);
    return part.length ? part.reduce((sum, value) => sum + value, 0) / part.length : null;
  });
}

function element(name, attributes) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
