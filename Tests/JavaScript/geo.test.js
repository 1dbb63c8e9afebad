import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { headingOf } from "../../public/js/groups/compass.js";
import { bearing, compassPoint, distance, inUnits } from "../../public/js/groups/geo.js";
import { isInvite } from "../../public/js/groups/scan-code.js";
import { initials, isolated, wordsOf } from "../../public/js/groups/words.js";
import { cases } from "./support/cases.js";

const circles = JSON.parse(
  readFileSync(new URL("../EndToEnd/support/great_circles.json", import.meta.url)),
);

for (const circle of circles) {
  test(`Distance and bearing: ${circle.case}`, () => {
    const { from, to } = circle;
    const tolerance = Math.max(0.01, circle.distance * 1e-6);
    assert.ok(Math.abs(distance(from, to) - circle.distance) < tolerance);
    const off = Math.abs(((bearing(from, to) - circle.bearing + 540) % 360) - 180);
    assert.ok(off < 0.01);
  });
}

test("Distances are rounded, as positions are not more precise", () => {
  const figures = [0, 3.4, 99.4, 99.6, 134, 994, 996, 9940, 9960, 12345678];
  const written = (units) => figures.map((metres) => inUnits(metres, units).join(" "));
  assert.deepEqual(written("metres"), [
    "0 m",
    "3 m",
    "99 m",
    "100 m",
    "130 m",
    "990 m",
    "1.0 km",
    "9.9 km",
    "10 km",
    "12,346 km",
  ]);
  assert.deepEqual(written("feet"), [
    "0 ft",
    "11 ft",
    "330 ft",
    "330 ft",
    "440 ft",
    "0.6 mi",
    "0.6 mi",
    "6.2 mi",
    "6.2 mi",
    "7,671 mi",
  ]);
});

cases(
  "The nearest compass point",
  {
    north: [0, 0],
    "almost north-east": [23, 1],
    east: [90, 2],
    "north again": [359, 0],
  },
  (degrees, point) => assert.equal(compassPoint(degrees), point),
);

cases(
  "The heading of a device",
  {
    "an iPhone": [{ webkitCompassHeading: 300 }, 0, 300],
    "an iPhone held sideways": [{ webkitCompassHeading: 300 }, 90, 30],
    "an absolute angle": [{ absolute: true, alpha: 90 }, 0, 270],
    "an absolute angle, held sideways": [{ absolute: true, alpha: 0 }, 90, 90],
    "a relative angle": [{ absolute: false, alpha: 90 }, 0, undefined],
    nothing: [{ absolute: true, alpha: null }, 0, undefined],
  },
  (event, angle, heading) => {
    globalThis.screen = { orientation: { angle } };
    assert.equal(headingOf(event), heading);
  },
);

cases(
  "A scanned text",
  {
    "a short code": ["ABC234", true],
    "a long code": ["abcdefghjkmnpqrstuvwxyz234", true],
    "a code with spaces around it": [" ABC234\n", true],
    "a code with letters that are not used": ["ABCDI0", false],
    "a code of another length": ["ABC2345", false],
    "a link": ["https://pairspot.test/join?code=ABC234", true],
    "a link with other parameters": ["https://pairspot.test/join/?a=1&code=ABC234", true],
    "a link without a code": ["https://pairspot.test/join", false],
    "another site's page": ["https://example.test/enjoin?code=1", false],
  },
  (text, isOne) => assert.equal(isInvite(text), isOne),
);

cases(
  "Initials",
  {
    "one name": ["Ann", "A"],
    "two names": ["ann lee", "AL"],
    "a hyphen": ["Mei-Lin", "ML"],
    "a Chinese name": ["陳美 玲", "陳"],
    empty: ["", "?"],
    "an accent of two code points": ["e\u0301va", "E\u0301"],
  },
  (name, letters) => assert.equal(initials(name), letters),
);

test("Names are isolated from the direction of other text", () => {
  assert.equal(isolated("Ann"), "\u2068Ann\u2069");
});

const page = {
  dataset: { units: "metres" },
  querySelector: () => ({
    dataset: {
      m: "# m",
      km: "# km",
      n: "north",
      ne: "north-east",
      withYou: "with you",
      fresh: "now",
      seconds: "# s ago",
      minutes: "# min ago",
      hours: "# h ago",
      left: "# left",
      leftHours: "# h #",
      leftWhole: "# h",
      leftMinutes: "# min",
      callNeedHelp: "# needs help",
      somebody: "a member",
    },
  }),
};

cases(
  "The age of a position",
  {
    fresh: [14_999, "now"],
    "rounded down to ten seconds": [59_999, "50 s ago"],
    minutes: [60_000, "1 min ago"],
    hours: [2 * 3600_000, "2 h ago"],
  },
  (ms, text) => assert.equal(wordsOf(page).age(ms), text),
);

cases(
  "The time left",
  {
    "never less than a minute": [500, "1 min left"],
    "minutes, rounded up": [90_000, "2 min left"],
    "a whole number of hours": [8 * 3600_000 + 1_500, "8 h left"],
    "hours and minutes": [90 * 60_000, "1 h 30 left"],
  },
  (ms, text) => assert.equal(wordsOf(page).left(ms), text),
);

test("No direction is given for positions that may be the same", () => {
  const words = wordsOf(page);
  assert.equal(words.way({ distance: 350, bearing: 40, blur: 10 }), "350 m, north-east");
  assert.equal(words.way({ distance: 8, bearing: 40, blur: 10 }), "8 m, with you");
  assert.equal(words.way({ distance: 80, bearing: 40, blur: 90 }), "80 m");
});

test("A call names its caller", () => {
  assert.equal(wordsOf(page).call("need_help", "Ann"), "\u2068Ann\u2069 needs help");
  assert.equal(wordsOf(page).call("need_help"), "\u2068a member\u2069 needs help");
});
