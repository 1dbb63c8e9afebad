import assert from "node:assert/strict";
import { test } from "node:test";
import { Counter } from "../../public/js/workouts/recorder/counter.js";
import * as recording from "../../public/js/workouts/recorder/recording.js";
import { isResumable, isTooFast } from "../../public/js/workouts/recorder/riding-time.js";
import { cases } from "./support/cases.js";

const { addReading, pause, recoverRide, resume, startRide, tick, toSession } = recording;

const newRide = (options) => startRide("00000000-0000-4000-8000-000000000000", 0, options);

/** Adds readings, one a second. */
function addReadings(ride, values, { from = 1_000 } = {}) {
  for (const [place, reading] of values.entries()) addReading(ride, from + place * 1_000, reading);
}

function sessionOf(...values) {
  const ride = newRide();
  addReadings(ride, values);
  return toSession(ride);
}

const repeated = (count, value) =>
  Array.from({ length: count }, (_, place) => (typeof value === "function" ? value(place) : value));

cases(
  "A counter",
  {
    "starts at any value": [
      "distance",
      [
        [5_000, 0],
        [5_008, 1_000],
      ],
      [0, 8],
    ],
    "overflows at 24 bits": [
      "distance",
      [
        [(1 << 24) - 3, 0],
        [5, 1_000],
      ],
      [0, 8],
    ],
    "overflows at 16 bits": [
      "energy",
      [
        [65_535, 0],
        [1, 5_000],
      ],
      [0, 2],
    ],
    restarts: [
      "distance",
      [
        [5_000, 0],
        [6, 1_000],
        [14, 2_000],
      ],
      [0, 6, 8],
    ],
    "restarts after a long gap": [
      "distance",
      [
        [5_000, 0],
        [400, 60_000],
      ],
      [0, 400],
    ],
    "shows the work of someone else": [
      "distance",
      [
        [5_000, 0],
        [3_000, 1_000],
        [3_008, 2_000],
      ],
      [0, 0, 8],
    ],
    leaps: [
      "distance",
      [
        [5_000, 0],
        [9_000, 1_000],
        [9_008, 2_000],
      ],
      [0, 0, 8],
    ],
    "goes on in a gap": [
      "distance",
      [
        [5_000, 0],
        [5_500, 60_000],
      ],
      [0, 500],
    ],
  },
  (name, seen, added) => {
    const counter = new Counter(name, Counter.blank());
    assert.deepEqual(
      seen.map(([value, at]) => counter.take(value, at)),
      added,
    );
  },
);

test("Each second has a sample", () => {
  const { detail, duration } = sessionOf(...repeated(5, (n) => ({ power: 100 + n })));
  assert.deepEqual(detail.samples, { interval: 1, power: [100, 101, 102, 103, 104] });
  assert.equal(duration, 5);
  assert.deepEqual([detail.avg_power, detail.max_power, detail.avg_hr], [102, 104, null]);
});

test("A gap stays empty, but a machine that sends slowly leaves none", () => {
  const ride = newRide();
  for (const at of [1_000, 3_000, 5_000]) addReading(ride, at, { power: 100 });
  addReading(ride, 12_000, { power: 200 });
  const { power } = toSession(ride).detail.samples;
  assert.deepEqual(power, [...repeated(6, 100), ...repeated(5, null), 200]);
  assert.equal(toSession(ride).duration, 12);
});

test("A value that is not sent any more is not held", () => {
  const session = sessionOf({ power: 100, heartRate: 120 }, ...repeated(4, { heartRate: 121 }));
  assert.deepEqual(session.detail.samples.power, [100, null, null, null, null]);
  assert.deepEqual(session.detail.samples.heart_rate, [120, 121, 121, 121, 121]);
});

test("The time of a tab that slept counts", () => {
  const ride = newRide();
  tick(ride, 1_000);
  tick(ride, 3_600_000);
  assert.equal(toSession(ride).duration, 3_600);
  assert.equal(toSession(ride).paused, 0);
});

test("A pause is no moving time", () => {
  const ride = newRide();
  addReadings(ride, repeated(2, { power: 100 }));
  pause(ride, 2_500);
  tick(ride, 9_000);
  addReading(ride, 10_000, { power: 400 });
  resume(ride, 32_500);
  addReading(ride, 33_500, { power: 200 });
  const { duration, paused, detail } = toSession(ride);
  assert.deepEqual([duration, paused], [3.5, 30]);
  assert.equal(detail.samples.power.at(-1), 200);
  assert.equal(detail.max_power, 200);
});

test("A clock that is set back takes no time away", () => {
  const ride = newRide();
  addReadings(ride, repeated(2, { power: 100 }));
  tick(ride, -50_000);
  assert.equal(toSession(ride).duration, 2);
});

test("A clock that is set back takes no distance away", () => {
  const ride = newRide();
  addReadings(ride, repeated(61, { speed: 36, power: 200 }));
  addReading(ride, -50_000, { speed: 36, power: 200 });
  const { total_distance: distance, total_energy: energy } = toSession(ride);
  assert.deepEqual([distance, energy], [600, 12]);
});

test("What a machine counts during a pause does not count", () => {
  const ride = newRide();
  addReading(ride, 1_000, { distance: 100 });
  addReading(ride, 2_000, { distance: 108 });
  pause(ride, 2_000);
  addReading(ride, 3_000, { distance: 120 });
  addReading(ride, 9_000, { distance: 150 });
  resume(ride, 10_000);
  addReading(ride, 11_000, { distance: 158 });
  assert.equal(toSession(ride).total_distance, 16);
});

test("Without counters, speed and power give distance and energy", () => {
  const session = sessionOf(...repeated(61, { speed: 36, power: 200 }));
  assert.deepEqual([session.total_distance, session.total_energy], [600, 12]);
});

test("A counter counts more than speed", () => {
  const readings = repeated(11, (n) => ({ speed: 36, distance: 1_000 + 8 * n }));
  assert.equal(sessionOf(...readings).total_distance, 80);
});

test("A rower's pace is its speed", () => {
  assert.equal(sessionOf(...repeated(5, { pace: 120, power: 200 })).detail.avg_speed, 15);
});

cases(
  "An impossible value counts as not measured",
  {
    power: [{ power: 5_000 }],
    "a low heart rate": [{ heartRate: 12 }],
    "a high heart rate": [{ heartRate: 255 }],
    speed: [{ speed: 2_000 }],
  },
  (values) => {
    const { detail } = sessionOf(values, values);
    assert.equal(detail.samples, undefined);
    assert.deepEqual([detail.max_power, detail.max_hr], [null, null]);
  },
);

test("Negative power counts as none", () => {
  assert.deepEqual(sessionOf({ power: -4 }, { power: 10 }).detail.samples.power, [0, 10]);
});

test("A workout ends after a day", () => {
  const ride = newRide();
  tick(ride, 90_000_000);
  addReading(ride, 90_001_000, { power: 1 });
  const { duration, detail } = toSession(ride);
  assert.equal(duration, 86_400);
  assert.ok(detail.samples.power.length <= 86_400);
});

test("The time while the page was closed is a pause", () => {
  const ride = newRide();
  addReadings(
    ride,
    repeated(6, (n) => ({ power: 100, distance: 10 * n })),
  );
  recoverRide(ride);
  resume(ride, 600_000);
  addReading(ride, 601_000, { power: 100, distance: 3 });
  addReading(ride, 602_000, { power: 100, distance: 13 });
  const { duration, paused, total_distance: distance } = toSession(ride);
  assert.deepEqual([duration, paused, distance], [8, 594, 60]);
});

test("Less than a second is no workout", () => {
  const ride = newRide();
  tick(ride, 900);
  assert.equal(toSession(ride), null);
});

test("Typed values replace what no device measured", () => {
  const ride = newRide();
  tick(ride, 60_000);
  const session = toSession(ride, { distance: 12_300, energy: 200, avg_hr: 130, device: "rower" });
  assert.deepEqual([session.total_distance, session.total_energy], [12_300, 200]);
  assert.deepEqual([session.device_type, session.detail.avg_hr], ["rower", 130]);
});

test("A session names its training and machine", () => {
  const ride = newRide({ training: { id: "t", name: "Hills" }, machine: "bike" });
  tick(ride, 2_000);
  const { training_id: training, device_type: machine } = toSession(ride);
  assert.deepEqual([training, machine], ["t", "bike"]);
});

const started = { started_at: 0 };
const days = (count) => count * 86_400_000;

cases(
  "A ride that was left can be continued",
  {
    "for six days": [started, days(6), true],
    "not later": [started, days(6) + 1, false],
    "not after it was ended": [{ ...started, ended: true }, 1, false],
  },
  (ride, now, isIt) => assert.equal(isResumable(ride, now), isIt),
);

cases(
  "A distance is too far",
  {
    "for 9 s": [5_000, 9_000, true],
    "not at 100 km/h": [100_000, 3_600_000, false],
    "not if it is none": [0, 1_000, false],
  },
  (metres, time, isIt) => assert.equal(isTooFast(metres, time), isIt),
);
