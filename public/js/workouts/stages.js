// The stages of a training over time: which one it is, what it aims at, and whether that is met.

/** How far off still counts as on target: a part of the aim, and at least so much. */
const REACH = { power: [0.05, 5], cadence: [0.05, 4], resistance: [0, 0.5] };
/** How much the scale shows on either side of the aim. */
const SIDE = { power: 40, cadence: 20, resistance: 5 };

export const length = (stages) => stages.reduce((sum, stage) => sum + stage.seconds, 0);

/**
 * The stage at so many seconds of the training: `index`, `stage`, the `next` one, the seconds that
 * are `left` of it and `leftInAll`. Nothing after the last one.
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
      leftInAll: length(stages) - seconds,
    };
  }
  return undefined;
}

/** What a stage wants of the machine: a command's name and its value; nothing for its own way. */
export function wish(stage) {
  if (stage?.target !== "power" && stage?.target !== "resistance") return undefined;
  return { name: stage.target, value: stage.value };
}

/**
 * How a stage's aim is met by a reading: "on", "below", "above"; with the ends of the scale and of
 * the part that counts as met. Nothing without an aim.
 */
export function aim(stage, values) {
  if (!stage || !(stage.target in REACH)) return undefined;
  const value = values[stage.target];
  const [part, least] = REACH[stage.target];
  const reach = Math.max(stage.value * part, least);
  const from = Math.max(stage.value - SIDE[stage.target], 0);
  const to = stage.value + SIDE[stage.target];
  const found = { of: stage.target, target: stage.value, reach, from, to, value };
  if (value === undefined) return { ...found, state: "unknown" };
  const off = value - stage.value;
  return { ...found, state: off < -reach ? "below" : off > reach ? "above" : "on" };
}

/** How high each stage stands in the drawing, 0 to 1: how hard it is beside others of its kind. */
export function heights(stages) {
  return stages.map(({ target, value }) => {
    const most = Math.max(...stages.filter((one) => one.target === target).map((one) => one.value ?? 0));
    return value && most ? 0.25 + (0.75 * value) / most : 0.25;
  });
}
