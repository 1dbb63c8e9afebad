import assert from "node:assert/strict";
import { test } from "node:test";
import "./support/browser.js";
import { parseNumber } from "../../public/js/workouts/recorder/recorder-words.js";
import {
  barHeights,
  machineTarget,
  stageAt,
  targetStatus,
  totalSeconds,
} from "../../public/js/workouts/recorder/stages.js";
import { cases } from "./support/cases.js";

const WARM_UP = { seconds: 60, target: "free", value: null, text: "Warm up" };
const CLIMB = { seconds: 30, target: "power", value: 200, text: "Climb" };
const HILL = { seconds: 30, target: "resistance", value: 8, text: "" };
const STAGES = [WARM_UP, CLIMB, HILL];

cases(
  "The stage at a moment",
  {
    "the beginning": [0, 0, 60],
    "the end of the first": [59.5, 0, 0.5],
    "the second": [60, 1, 30],
    "late in the second": [89, 1, 1],
    "the third": [90, 2, 30],
    "the last second": [119, 2, 1],
  },
  (at, index, left) => {
    const found = stageAt(STAGES, at);
    assert.deepEqual([found.index, found.left, found.leftInAll], [index, left, 120 - at]);
    assert.equal(found.next, STAGES[index + 1]);
  },
);

test("There is no stage after the last one", () => {
  assert.equal(stageAt(STAGES, 120), undefined);
  assert.equal(totalSeconds(STAGES), 120);
});

cases(
  "A target is met within a twentieth",
  {
    exactly: [200, "on"],
    "just below": [190, "on"],
    below: [189, "below"],
    "just above": [210, "on"],
    above: [211, "above"],
    unmeasured: [undefined, "unknown"],
  },
  (power, state) => assert.equal(targetStatus(CLIMB, { power }).state, state),
);

test("The scale of a low target begins at zero", () => {
  const { from, to } = targetStatus({ target: "power", value: 30 }, { power: 30 });
  assert.deepEqual([from, to], [0, 70]);
});

test("A free stage has no target", () => {
  assert.equal(targetStatus(WARM_UP, { power: 100 }), undefined);
  assert.equal(machineTarget(WARM_UP), undefined);
});

test("Power and resistance are set at the machine, cadence is not", () => {
  assert.deepEqual(machineTarget(CLIMB), { name: "power", value: 200 });
  assert.deepEqual(machineTarget(HILL), { name: "resistance", value: 8 });
  assert.equal(machineTarget({ target: "cadence", value: 90 }), undefined);
});

test("Bars are as high as their target is to the largest of its kind", () => {
  const half = { target: "power", value: 100 };
  assert.deepEqual(barHeights([WARM_UP, half, CLIMB, HILL]), [0.25, 0.625, 1, 1]);
});

cases(
  "A typed number",
  {
    "a point": ["12.5", 12.5],
    "a comma": ["12,5", 12.5],
    spaces: [" 7 ", 7],
    "a grouped number": ["1 000", 1000],
    empty: ["", undefined],
    negative: ["-1", NaN],
    "two commas": ["12,5,1", NaN],
    "a letter": ["a", NaN],
    "an exponent": ["1e3", NaN],
  },
  (text, value) => assert.equal(parseNumber(text), value),
);
