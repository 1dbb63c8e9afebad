// A line chart of values that were measured every second.
const NAMESPACE = "http://www.w3.org/2000/svg";
const WIDTH = 600;
const HEIGHT = 240;
// More points would not be visible.
const MAX_POINTS = 150;

/** The chart of `values` (null where nothing was measured), or null without values. */
export function lineChart(values, label) {
  const points = averages(values ?? []);
  const known = points.filter((value) => value !== null);
  if (!known.length) return null;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  // With a margin above and below; a constant line is in the middle.
  const margin = (high - low) * 0.08 || Math.max(1, Math.abs(high) * 0.1);
  const y = (value) =>
    Math.round(HEIGHT * (1 - (value - low + margin) / (high - low + 2 * margin)));
  const x = (place) => Math.round((place / Math.max(1, points.length - 1)) * WIDTH);
  const svg = svgElement("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": label,
  });
  svg.append(svgElement("path", { class: "chart-line", d: pathOf(points, x, y) }));
  return svg;
}

/** The path, with gaps where nothing was measured. */
function pathOf(points, x, y) {
  let path = "";
  points.forEach((value, place) => {
    if (value === null) return;
    const isFirst = place === 0 || points[place - 1] === null;
    path += `${isFirst ? "M" : "L"}${x(place)} ${y(value)}`;
    // A single point is a line without length: its round end is visible.
    if (isFirst && (points[place + 1] ?? null) === null) path += "h0";
  });
  return path;
}

function averages(values) {
  const count = Math.min(values.length, MAX_POINTS);
  return Array.from({ length: count }, (_, place) => {
    const from = Math.floor((place * values.length) / count);
    const to = Math.floor(((place + 1) * values.length) / count);
    const part = values.slice(from, to).filter((value) => value !== null && value !== undefined);
    return part.length ? part.reduce((sum, value) => sum + value, 0) / part.length : null;
  });
}

function svgElement(name, attributes) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
