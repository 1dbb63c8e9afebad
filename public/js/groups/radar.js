// The radar: me in the middle, the others as far out as the square root of their distance, so that
// near ones stand apart and far ones still fit. It needs no tiles. All of it stands in words in the
// lists below, so it is hidden from who can't see it.
import { STALE } from "./words.js";

const SPACE = "http://www.w3.org/2000/svg";
const RADIUS = 131;
// How far the outermost ring is, in m: the others lie at an eighth and at a half of that.
const METRES = [400, 2_000, 8_000, 40_000, 200_000, 2_000_000, 20_040_000];
const FOOT = 0.3048;
const MILE = 1609.344;
const FEET = [1600 * FOOT, ...[2, 8, 40, 200, 2_000, 16_000].map((miles) => miles * MILE)];
// More than these would hide each other; the rest are dots.
const LABELS = 14;

function draw(name, attributes, ...children) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Where something stands: x to the right and y down from the middle. */
export function place(way, reach, heading) {
  const out = RADIUS * Math.sqrt(Math.min(1, way.distance / reach));
  const angle = ((way.bearing - heading) * Math.PI) / 180;
  return { x: out * Math.sin(angle), y: -out * Math.cos(angle) };
}

/** The ring that all of them lie within. */
export function reachOf(ways, units) {
  const rings = units === "feet" ? FEET : METRES;
  const farthest = Math.max(0, ...ways.map((way) => way.distance));
  return rings.find((ring) => farthest <= ring) ?? rings.at(-1);
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

  /** Turns with the phone: what lies ahead is up. */
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
    const reach = reachOf([...people, ...points], this.units);
    const taken = [{ x: -17, y: -17, width: 34, height: 34 }];
    this.svg.replaceChildren(
      ...this.rings(reach),
      ...points.map((point) => this.point(point, reach, taken)),
      ...people.map((person, rank) => this.person(person, reach, rank, taken)),
      this.me(),
    );
  }

  rings(reach) {
    const rings = [1, 1 / 2, 1 / 8].map((part) => {
      const radius = RADIUS * Math.sqrt(part);
      return draw("circle", { r: radius, class: part < 0.2 ? "ring ring-near" : "ring" });
    });
    const figures = [1, 1 / 2, 1 / 8].map((part) => {
      const radius = RADIUS * Math.sqrt(part);
      const [x, y] = [radius * Math.sin(0.4), radius * Math.cos(0.4)];
      return draw("text", { x, y: y + 4, class: "ring-name" }, this.words.distance(reach * part));
    });
    const winds = [0, 90, 180, 270].map((degrees) =>
      draw("path", {
        d: `M0 ${-RADIUS - 8}V${-RADIUS}`,
        transform: `rotate(${degrees - this.heading})`,
        class: "wind",
      }),
    );
    const angle = (-this.heading * Math.PI) / 180;
    const [x, y] = [(RADIUS - 13) * Math.sin(angle), -(RADIUS - 13) * Math.cos(angle) + 4];
    const north = draw("text", { x, y, class: "north" }, this.words.say("northLetter"));
    return [...rings, ...winds, ...figures, north];
  }

  me() {
    const arrow = draw("path", { d: "M0-8L5 7 0 4-5 7Z", class: "me-arrow" });
    return draw("g", {}, draw("circle", { r: 14, class: "me" }), arrow);
  }

  person(person, reach, rank, taken) {
    const { x, y } = place(person, reach, this.heading);
    const isStale = person.age > STALE;
    const group = draw("g", { class: isStale ? "person stale" : "person" });
    if (rank >= LABELS) {
      group.append(draw("circle", { cx: x, cy: y, r: 4, class: "dot" }));
      return group;
    }
    group.append(
      draw("circle", { cx: x, cy: y, r: 15, class: "face" }),
      draw("text", { x, y: y + 4, class: "initials" }, person.initials),
    );
    const lines = [[cut(person.name), this.words.distance(person.distance)]];
    if (person.age >= 60_000) lines.push([this.words.age(person.age)]);
    group.append(...this.label(x, y, 15, lines, taken));
    return group;
  }

  point(point, reach, taken) {
    const { x, y } = place(point, reach, this.heading);
    const group = draw("g", { class: point.active ? "point" : "point point-other" });
    if (point.active) group.append(draw("path", { d: `M0 0L${x} ${y}`, class: "way" }));
    group.append(
      draw("rect", {
        x: -9, y: -9, width: 18, height: 18, rx: 4, transform: `translate(${x} ${y}) rotate(45)`,
      }),
    );
    const lines = [[cut(point.name), this.words.distance(point.distance)]];
    group.append(...this.label(x, y, 13, lines, taken));
    return group;
  }

  /** Pills under a mark, or over it where others or I am in the way; never out of the picture. */
  label(x, y, off, lines, taken) {
    const width = Math.max(...lines.map((words) => widthOf(words.join(" ")))) + 14;
    const height = lines.length * 17;
    const left = Math.min(Math.max(x - width / 2, -158), 158 - width);
    const tops = [y + off + 2, y - off - height - 2];
    const isFree = (top) => !taken.some((other) => meet({ x: left, y: top, width, height }, other));
    const top = tops.find((each) => isFree(each) && each + height < 160 && each > -160) ?? tops[0];
    taken.push({ x: left, y: top, width, height });
    return lines.flatMap((words, row) => {
      const [name, ...rest] = words;
      const text = draw("text", { x: left + width / 2, y: top + row * 17 + 12, class: "label" });
      if (rest.length) text.append(draw("tspan", { class: "label-name" }, name), ` ${rest}`);
      else text.append(name);
      const pill = {
        x: left, y: top + row * 17, width, height: 16, rx: 8, class: row ? "pill pill-age" : "pill",
      };
      return [draw("rect", pill), text];
    });
  }
}

const meet = (a, b) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

// Chinese characters are twice as wide as Latin ones.
const widthOf = (words) =>
  [...words].reduce((sum, letter) => sum + (letter.codePointAt(0) > 0x2e7f ? 11 : 6.2), 0);

function cut(name) {
  const letters = [...name];
  return letters.length > 12 ? `${letters.slice(0, 11).join("")}…` : name;
}
