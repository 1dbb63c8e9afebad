// The stages of a training over time, and how well their targets are met.

/** The tolerance of a target: a share of it, and at least an absolute value. */
const TOLERANCE = { power: [0.05, 5], cadence: [0.05, 4], resistance: [0, 0.5] };
/** The range of the scale on either side of the target. */
const SCALE_MARGIN = { power: 40, cadence: 20, resistance: 5 };

export const totalSeconds = (stages) => stages.reduce((sum, stage) => sum + stage.seconds, 0);

/**
 * The stage after `seconds` of the training: `index`, `stage`, the `next` one, the seconds `left`
 * of it and `leftInAll`. Undefined after the last one.
 */
export function stageAt(stages, seconds) {
  let end = 0;
  for (const [index, stage] of stages.entries()) {
    end += stage.seconds;
    if (seconds >= end) continue;
    return {
      index,
      stage,
      next: stages[index + 1],
      left: end - seconds,
      leftInAll: totalSeconds(stages) - seconds,
    };
  }
  return undefined;
}

/** The target that a stage sets at the machine: name and value; undefined if it sets none. */
export function machineTarget(stage) {
  if (stage?.target !== "power" && stage?.target !== "resistance") return undefined;
  return { name: stage.target, value: stage.value };
}

/**
 * Compares a reading with the target of a stage: `state` is "on", "below", "above" or "unknown";
 * with the range of the scale and the tolerance. Undefined without a target.
 */
export function targetStatus(stage, values) {
  if (!stage || !(stage.target in TOLERANCE)) return undefined;
  const value = values[stage.target];
  const [part, least] = TOLERANCE[stage.target];
  const tolerance = Math.max(stage.value * part, least);
  const from = Math.max(stage.value - SCALE_MARGIN[stage.target], 0);
  const to = stage.value + SCALE_MARGIN[stage.target];
  const found = { of: stage.target, target: stage.value, tolerance, from, to, value };
  if (value === undefined) return { ...found, state: "unknown" };
  const off = value - stage.value;
  return { ...found, state: off < -tolerance ? "below" : off > tolerance ? "above" : "on" };
}

/** The heights of the bars, 0 to 1, relative to the largest target of the same kind. */
export function barHeights(stages) {
  return stages.map(({ target, value }) => {
    const most = Math.max(
      ...stages.filter((one) => one.target === target).map((one) => one.value ?? 0),
    );
    return value && most ? 0.25 + (0.75 * value) / most : 0.25;
  });
}
