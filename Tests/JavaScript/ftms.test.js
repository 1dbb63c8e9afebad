import assert from "node:assert/strict";
import { test } from "node:test";
import {
  commands,
  decodeBike,
  decodeFeature,
  decodeHeartRate,
  decodeRange,
  decodeResponse,
  decodeRower,
  decodeStatus,
  Reading,
} from "../../public/js/workouts/recorder/ftms.js";
import { cases } from "./support/cases.js";

const view = (bytes) => new DataView(new Uint8Array(bytes).buffer);
const u16 = (value) => [value & 0xff, (value >> 8) & 0xff];
const u24 = (value) => [...u16(value), value >> 16];

const BIKE = [
  ...u16(0x1ffe),
  ...u16(3015),
  ...u16(2800),
  ...u16(171),
  ...u16(160),
  ...u24(70_000),
  ...u16(-3),
  ...u16(188),
  ...u16(-5),
  ...u16(163),
  ...u16(620),
  10,
  142,
  85,
  ...u16(1086),
  ...u16(714),
];
const BIKE_VALUES = {
  speed: 30.15,
  averageSpeed: 28,
  cadence: 85.5,
  averageCadence: 80,
  distance: 70_000,
  resistance: -3,
  power: 188,
  averagePower: -5,
  energy: 163,
  energyPerHour: 620,
  energyPerMinute: 10,
  heartRate: 142,
  metabolic: 8.5,
  elapsed: 1086,
  remaining: 714,
};
const ROWER = [
  ...u16(0x1ffe),
  53,
  ...u16(300),
  50,
  ...u24(4_000),
  ...u16(125),
  ...u16(130),
  ...u16(210),
  ...u16(-1),
  ...u16(7),
  ...u16(80),
  ...u16(700),
  11,
  151,
  103,
  ...u16(600),
  ...u16(0),
];
const ROWER_VALUES = {
  cadence: 26.5,
  strokes: 300,
  averageCadence: 25,
  distance: 4_000,
  pace: 125,
  averagePace: 130,
  power: 210,
  averagePower: -1,
  resistance: 7,
  energy: 80,
  energyPerHour: 700,
  energyPerMinute: 11,
  heartRate: 151,
  metabolic: 10.3,
  elapsed: 600,
  remaining: 0,
};

cases(
  "A bike's packet",
  {
    "every field": [BIKE, BIKE_VALUES],
    "speed alone": [[...u16(0), ...u16(1)], { speed: 0.01 }],
    "nothing but that more follows": [u16(1), {}],
    "more follows, so no speed": [[...u16(0x41), ...u16(200)], { power: 200 }],
    "negative power": [[...u16(0x40), ...u16(0), ...u16(-12)], { speed: 0, power: -12 }],
    "energy that is not available": [
      [...u16(0x100), ...u16(500), ...u16(0xffff), ...u16(0xffff), 0xff],
      { speed: 5 },
    ],
    "reserved flags and trailing bytes": [
      [...u16(0xe044), ...u16(3000), ...u16(160), ...u16(150), 1, 2, 3, 4],
      { speed: 30, cadence: 80, power: 150 },
    ],
  },
  (bytes, values) => {
    const more = (bytes[0] & 1) === 1;
    assert.deepEqual(decodeBike(view(bytes)), { values, more, short: false });
  },
);

cases(
  "A rower's packet",
  {
    "every field": [ROWER, ROWER_VALUES],
    "no pace at rest": [[...u16(0x09), ...u16(0xffff)], {}],
    "strokes alone": [[...u16(0), 40, ...u16(65_535)], { cadence: 20, strokes: 65_535 }],
  },
  (bytes, values) => assert.deepEqual(decodeRower(view(bytes)).values, values),
);

test("A packet without flags is undefined", () => {
  assert.equal(decodeBike(view([])), undefined);
  assert.equal(decodeBike(view([0])), undefined);
});

for (let length = 2; length < BIKE.length; length += 1) {
  test(`A packet that is cut after ${length} bytes gives the fields that are complete`, () => {
    const { values, short } = decodeBike(view(BIKE.slice(0, length)));
    assert.equal(short, true);
    const names = Object.keys(values);
    assert.ok(names.length < Object.keys(BIKE_VALUES).length);
    for (const name of names) assert.equal(values[name], BIKE_VALUES[name]);
  });
}

test("A reading that is split over packets is one", () => {
  const reading = new Reading();
  reading.take(decodeRower(view([...u16(0x0d), ...u24(4_000), ...u16(125)])), 0);
  reading.take(decodeRower(view([...u16(0x20), 52, ...u16(9), ...u16(180)])), 40);
  assert.deepEqual(reading.at(1_000), {
    distance: 4_000,
    pace: 125,
    cadence: 26,
    strokes: 9,
    power: 180,
  });
});

test("A value that no packet renews ends after three seconds", () => {
  const reading = new Reading();
  reading.take(decodeRower(view([...u16(0x21), ...u16(180)])), 0);
  reading.take(decodeRower(view([...u16(0), 52, ...u16(9)])), 2_900);
  assert.equal(reading.at(3_000).power, 180);
  assert.deepEqual(reading.at(3_001), { cadence: 26, strokes: 9 });
});

cases(
  "A packet of a heart-rate sensor",
  {
    "one byte": [[0x00, 72], 72, []],
    "two bytes": [[0x01, 0x48, 0x00], 72, []],
    "with skin contact": [[0x06, 72], 72, []],
    "without skin contact": [[0x04, 72], undefined, []],
    "no rate": [[0x00, 0], undefined, []],
    "times between beats": [[0x10, 60, 0, 4, 0, 2], 60, [1, 0.5]],
    "energy, then one time and half of another": [[0x18, 60, 9, 0, 0, 4, 7], 60, [1]],
  },
  (bytes, heartRate, beats) => {
    const found = decodeHeartRate(view(bytes));
    assert.equal(found.heartRate, heartRate);
    assert.deepEqual(found.beats, beats);
  },
);

cases(
  "A heart-rate packet without a value is undefined",
  {
    empty: [[]],
    "flags alone": [[0x00]],
    "half of a value": [[0x01, 72]],
  },
  (bytes) => assert.equal(decodeHeartRate(view(bytes)), undefined),
);

test("Features and targets have names", () => {
  const found = decodeFeature(view([0x86, 0x44, 0, 0, 0x0c, 0x20, 0, 0]));
  assert.deepEqual(
    [...found.features],
    ["cadence", "distance", "resistance", "heartRate", "power"],
  );
  assert.deepEqual([...found.targets], ["resistance", "power", "simulation"]);
});

test("Features that are cut short are empty", () => {
  const { features, targets } = decodeFeature(view([1, 2]));
  assert.deepEqual([features.size, targets.size], [0, 0]);
});

cases(
  "The status of a machine",
  {
    stopped: [[0x02, 1], { event: "stopped" }],
    paused: [[0x02, 2], { event: "paused" }],
    "stopped, cut short": [[0x02], { event: "stopped" }],
    "safety key": [[0x03], { event: "safetyKey" }],
    started: [[0x04], { event: "started" }],
    resistance: [[0x07, 45], { event: "resistance", value: 4.5 }],
    "negative power": [[0x08, 0x06, 0xff], { event: "power", value: -250 }],
    "power, cut short": [[0x08, 1], { event: "power" }],
    "control lost": [[0xff], { event: "controlLost" }],
    unknown: [[0x77, 1], { event: "other" }],
    empty: [[], undefined],
  },
  (bytes, status) => assert.deepEqual(decodeStatus(view(bytes)), status),
);

cases(
  "The response to a command",
  {
    done: [[0x80, 0x05, 1], { code: 5, result: "done" }],
    invalid: [[0x80, 0x04, 3], { code: 4, result: "invalid" }],
    "not permitted": [[0x80, 0x00, 5], { code: 0, result: "notPermitted" }],
    "an unknown result": [[0x80, 0x00, 99], { code: 0, result: "failed" }],
    "cut short": [[0x80, 0x00], undefined],
    "no response": [[0x81, 0, 1], undefined],
  },
  (bytes, response) => assert.deepEqual(decodeResponse(view(bytes)), response),
);

cases(
  "A command",
  {
    control: ["control", [], [0]],
    start: ["start", [], [7]],
    stop: ["stop", [], [8, 1]],
    pause: ["pause", [], [8, 2]],
    power: ["power", [190], [5, 190, 0]],
    "power of two bytes": ["power", [300], [5, 0x2c, 1]],
    "negative power": ["power", [-1], [5, 0xff, 0xff]],
    "resistance in tenths": ["resistance", [4.5], [4, 45]],
    "too much resistance": ["resistance", [99], [4, 255]],
    "negative resistance": ["resistance", [-1], [4, 0]],
  },
  (name, values, bytes) => assert.deepEqual([...commands[name](...values)], bytes),
);

test("A range has the unit of its step", () => {
  const bytes = [...u16(10), ...u16(200), ...u16(5)];
  assert.deepEqual(decodeRange(view(bytes), 0.1), { least: 1, most: 20, step: 0.5 });
  assert.equal(decodeRange(view([1, 2, 3])), undefined);
});
