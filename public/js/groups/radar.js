// The radar: the user in the middle, the others at the square root of their distance, so that near
// ones stand apart and far ones still fit. It needs no tiles. The lists below have all of it as
// text, so it is hidden from screen readers.
import { STALE, isolated, graphemes } from "./words.js";

const SPACE = "http://www.w3.org/2000/svg";
const RADIUS = 131;
// Distances of the outermost ring, in m; the others lie at an eighth and at a half of it.
const METRES = [400, 2_000, 8_000, 40_000, 200_000, 2_000_000, 20_040_000];
const FOOT = 0.3048;
const MILE = 1609.344;
const FEET = [1600 * FOOT, ...[2, 8, 40, 200, 2_000, 16_000].map((miles) => miles * MILE)];
// The share of positions that the outermost ring has to hold.
const MOST = 0.75;
// More faces than these would cover each other; the rest are dots.
const FACES = 14;
const LABELS = 6;
// Faces nearer than this, in the picture's units, cover each other.
const FACE = 24;
// Positions nearer to the middle than this are moved around it.
const BESIDE = 30;
// The farthest that labels may reach.
const EDGE = 158;

function svgElement(name, attributes, ...children) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/**
 * The place in the picture: x to the right and y down from the middle. What is out of range stands
 * on the rim.
 */
function positionOf(way, reach, heading) {
  const isFar = way.distance > reach;
  const out = RADIUS * Math.sqrt(Math.min(1, way.distance / reach));
  const angle = ((way.bearing - heading) * Math.PI) / 180;
  return { x: out * Math.sin(angle), y: -out * Math.cos(angle), isFar };
}

/** The ring that holds most positions: a few far ones do not push all others into the middle. */
function rangeOf(ways, units) {
  const rings = units === "feet" ? FEET : METRES;
  const far = ways.map((way) => way.distance).sort((a, b) => a - b);
  const most = far[Math.floor((far.length - 1) * MOST)] ?? 0;
  return rings.find((ring) => most <= ring) ?? rings.at(-1);
}

/** The places of all, which do not cover the user's own mark. */
function spotsOf(ways, reach, heading) {
  const spots = ways.map((way) => ({ ...positionOf(way, reach, heading), bearing: way.bearing }));
  const here = spots.filter(({ x, y }) => Math.hypot(x, y) < BESIDE);
  for (let ring = 1; here.length; ring += 1) spreadAround(here.splice(0, 6 * ring), ring, heading);
  return spots;
}

function spreadAround(spots, ring, heading) {
  const room = 360 / (6 * ring);
  const sorted = spots.sort((a, b) => a.bearing - b.bearing);
  const gap = (spot, index) => {
    const next = sorted[(index + 1) % sorted.length];
    return (next.bearing - spot.bearing + 360) % 360 || 360 * (sorted.length === 1);
  };
  const isFree = sorted.every((spot, index) => gap(spot, index) >= room);
  const first = sorted[0].bearing;
  for (const [index, spot] of sorted.entries()) {
    const bearing = isFree ? spot.bearing : first + (index * 360) / sorted.length;
    const angle = ((bearing - heading) * Math.PI) / 180;
    const out = BESIDE * ring + 2;
    Object.assign(spot, { x: out * Math.sin(angle), y: -out * Math.cos(angle) });
  }
}

export class Radar {
  constructor(svg, words, units) {
    this.svg = svg;
    this.words = words;
    this.units = units;
    this.heading = 0;
    this.people = [];
    this.points = [];
  }

  /** Turns the radar; what lies ahead is up. */
  turn(heading) {
    this.heading = heading;
    this.show(this.people, this.points);
  }

  /**
   * @param people {name, initials, distance, bearing, age} each, the nearest first.
   * @param points the waypoints: {name, distance, bearing, active} each.
   */
  show(people, points) {
    Object.assign(this, { people, points });
    const goal = points.find((point) => point.active);
    const reach = rangeOf(goal ? [...people, goal] : people, this.units);
    const spots = spotsOf(people, reach, this.heading);
    const faces = [];
    for (const [rank, spot] of spots.entries()) {
      const isCovered = faces.some(({ x, y }) => Math.hypot(x - spot.x, y - spot.y) < FACE);
      spot.isDot = rank >= FACES || isCovered;
      if (!spot.isDot) faces.push(spot);
    }
    const others = points.filter((point) => point !== goal);
    const spotOf = (point) => positionOf(point, reach, this.heading);
    const taken = [
      ...[{ x: 0, y: 0 }, ...faces].map((spot) => around(spot, 16)),
      ...others.map((point) => around(spotOf(point), 6)),
      ...(goal ? [around(spotOf(goal), 12)] : []),
    ];
    const marks = others.map((point) => this.point(point, reach));
    const aim = goal ? [this.point(goal, reach, taken)] : [];
    if (goal) {
      const { x, y } = spotOf(goal);
      marks.push(svgElement("path", { d: `M0 0L${x} ${y}`, class: "way" }));
    }
    let labels = 0;
    const drawn = people.map((person, rank) => {
      const mayHaveLabel = labels < LABELS && !spots[rank].isDot;
      const { element, hasLabel } = this.person(person, spots[rank], mayHaveLabel && taken);
      labels += hasLabel;
      return element;
    });
    // The nearest are drawn last, on top.
    const all = [...this.rings(reach), ...marks, ...drawn.reverse(), ...aim, this.me()];
    this.svg.replaceChildren(...all);
  }

  rings(reach) {
    const rings = [1, 1 / 2, 1 / 8].map((part) => {
      const radius = RADIUS * Math.sqrt(part);
      return svgElement("circle", { r: radius, class: part < 0.2 ? "ring ring-near" : "ring" });
    });
    const figures = [1, 1 / 2, 1 / 8].map((part) => {
      const radius = RADIUS * Math.sqrt(part);
      const place = { x: radius * Math.sin(0.4), y: radius * Math.cos(0.4) + 4 };
      return svgElement(
        "text",
        { ...place, class: "ring-name" },
        this.words.distance(reach * part),
      );
    });
    const winds = [0, 90, 180, 270].map((degrees) =>
      svgElement("path", {
        d: `M0 ${-RADIUS - 8}V${-RADIUS}`,
        transform: `rotate(${degrees - this.heading})`,
        class: "wind",
      }),
    );
    const angle = (-this.heading * Math.PI) / 180;
    const [x, y] = [(RADIUS - 13) * Math.sin(angle), -(RADIUS - 13) * Math.cos(angle) + 4];
    const north = svgElement("text", { x, y, class: "north" }, this.words.say("northLetter"));
    return [...rings, ...winds, ...figures, north];
  }

  me() {
    const arrow = svgElement("path", { d: "M0-8L5 7 0 4-5 7Z", class: "me-arrow" });
    return svgElement("g", {}, svgElement("circle", { r: 14, class: "me" }), arrow);
  }

  person(person, spot, taken) {
    const { x, y } = spot;
    const isStale = person.age > STALE;
    const element = svgElement("g", { class: isStale ? "person stale" : "person" });
    if (spot.isDot) {
      element.append(svgElement("circle", { cx: x, cy: y, r: 4, class: "dot" }));
      return { element, hasLabel: false };
    }
    if (spot.isFar) element.append(this.outward(person));
    element.append(
      svgElement("circle", { cx: x, cy: y, r: 15, class: "face" }),
      svgElement("text", { x, y: y + 4, class: "initials" }, person.initials),
    );
    const lines = [[cut(person.name), this.words.distance(person.distance)]];
    if (person.age >= 60_000) lines.push([this.words.age(person.age)]);
    const label = taken ? this.label(x, y, 15, lines, taken) : [];
    element.append(...label);
    return { element, hasLabel: label.length > 0 };
  }

  /** An arrow beyond the rim, for what is out of range. */
  outward({ bearing }) {
    const [foot, tip] = [-RADIUS - 16, -RADIUS - 25];
    return svgElement("path", {
      d: `M-6 ${foot}L0 ${tip} 6 ${foot}Z`,
      transform: `rotate(${bearing - this.heading})`,
      class: "far",
    });
  }

  /** The active waypoint has a label and an arrow; the others are small marks. */
  point(point, reach, taken) {
    const { x, y, isFar } = positionOf(point, reach, this.heading);
    const group = svgElement("g", { class: point.active ? "point" : "point point-other" });
    if (point.active && isFar) group.append(this.outward(point));
    const size = point.active ? 18 : 9;
    group.append(
      svgElement("rect", {
        x: -size / 2,
        y: -size / 2,
        width: size,
        height: size,
        rx: size / 4.5,
        transform: `translate(${x} ${y}) rotate(45)`,
      }),
    );
    const lines = [[cut(point.name), this.words.distance(point.distance)]];
    if (taken) group.append(...this.label(x, y, 13, lines, taken));
    return group;
  }

  /** Labels under a mark, or where there is space; none if there is no space in the picture. */
  label(x, y, off, lines, taken) {
    const width = Math.max(...lines.map((words) => widthOf(words.join(" ")))) + 14;
    const height = lines.length * 17;
    const middle = Math.min(Math.max(x - width / 2, -EDGE), EDGE - width);
    const boxes = [
      [middle, y + off + 2],
      [middle, y - off - height - 2],
      [x + off + 3, y - height / 2],
      [x - off - 3 - width, y - height / 2],
    ].map(([left, top]) => ({ x: left, y: top, width, height }));
    const box = boxes.find(
      (each) => isInside(each) && !taken.some((other) => overlap(each, other)),
    );
    if (!box) return [];
    taken.push(box);
    return lines.flatMap((words, row) => {
      const [name, ...rest] = words;
      const top = box.y + row * 17;
      const text = svgElement("text", { x: box.x + width / 2, y: top + 12, class: "label" });
      if (rest.length)
        text.append(svgElement("tspan", { class: "label-name" }, isolated(name)), ` ${rest}`);
      else text.append(name);
      const pill = {
        x: box.x,
        y: top,
        width,
        height: 16,
        rx: 8,
        class: row ? "pill pill-age" : "pill",
      };
      return [svgElement("rect", pill), text];
    });
  }
}

const around = ({ x, y }, off) => ({ x: x - off, y: y - off, width: 2 * off, height: 2 * off });

const isInside = ({ x, y, width, height }) =>
  x >= -EDGE && y >= -EDGE && x + width <= EDGE && y + height <= EDGE;

const overlap = (a, b) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

// Chinese characters are twice as wide as Latin ones.
const widthOf = (words) =>
  [...words].reduce((sum, letter) => sum + (letter.codePointAt(0) > 0x2e7f ? 11 : 6.2), 0);

function cut(name) {
  const letters = graphemes(name);
  return letters.length > 12 ? `${letters.slice(0, 11).join("")}…` : name;
}
