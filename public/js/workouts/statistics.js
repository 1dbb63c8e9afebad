// What this browser's workouts add up to, and "app wins": with the whole history here, its figures
// replace the server's where they differ (docs/developer/workouts.md#batch-upload).
import { recall, remember } from "../base/current-user.js";
import { bodyOf } from "./api.js";
import { download, isWhole } from "./history.js";
import { inState, SYNCED } from "./workout-store.js";

const NAME = "statistics";
// The shortest workout that makes its day count for the streak, in s; the server has the same rule.
const SHORTEST_FOR_STREAK = 60;
const SUMS = {
  workout_total_energy: "total_energy",
  workout_total_distance: "total_distance",
  workout_total_duration: "duration",
};

/** The statistics as the server told them last, or undefined. */
export function statistics(user) {
  return recall(user, NAME);
}

export function keepStatistics(user, figures) {
  return remember(user, NAME, figures);
}

/** Statistics of rows of workouts at the moment `now` (ms), named as docs/api/README.md has them. */
export function statisticsOf(rows, now = Date.now()) {
  const figures = { workout_total_count: rows.length };
  for (const [name, part] of Object.entries(SUMS)) {
    // In thousandths, as the server adds them up: sums of fractions drift.
    const sum = rows.reduce((all, { session }) => all + Math.round((session[part] ?? 0) * 1000), 0);
    figures[name] = sum / 1000;
  }
  const counts = ({ session }) => session.duration >= SHORTEST_FOR_STREAK;
  const days = new Set(rows.filter(counts).map(({ at }) => dayOf(at)));
  const last = [...days].sort().at(-1) ?? null;
  figures.workout_streak = streak(days, now);
  figures.last_workout_date = last;
  return figures;
}

/** The day in this browser's zone, "YYYY-MM-DD". */
function dayOf(at) {
  const day = new Date(at);
  const two = (number) => `${number}`.padStart(2, "0");
  const year = `${day.getFullYear()}`.padStart(4, "0");
  return `${year}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** Days in a row that end today, or yesterday while today may still have one. */
function streak(days, now) {
  const day = new Date(now);
  // Noon: no change of clocks makes it another day.
  day.setHours(12, 0, 0, 0);
  if (!days.has(dayOf(day))) day.setDate(day.getDate() - 1);
  let count = 0;
  while (days.has(dayOf(day))) {
    count += 1;
    day.setDate(day.getDate() - 1);
  }
  return count;
}

/** What of our figures the server should take: all that differ; of streak and last day the larger
 * one holds anyway. */
export function differences(mine, theirs) {
  const wrong = {};
  for (const name of ["workout_total_count", ...Object.keys(SUMS)]) {
    if (Math.abs(mine[name] - (theirs[name] ?? 0)) > 0.0005) wrong[name] = mine[name];
  }
  if (mine.workout_streak > (theirs.workout_streak ?? 0)) {
    wrong.workout_streak = mine.workout_streak;
  }
  if ((mine.last_workout_date ?? "") > (theirs.last_workout_date ?? "")) {
    wrong.last_workout_date = mine.last_workout_date;
  }
  return wrong;
}

/**
 * After the last batch: compares, and has the server take this browser's figures where they differ.
 * Without the whole history here the server's are taken as they are. Throws `Stop`.
 */
export async function settleStatistics(user, theirs, call) {
  let figures = theirs;
  if ((await isWhole(user)) && differs(await mine(user), theirs)) {
    // Something may have come in, or gone, on another device: only who knows all may say.
    await download(user);
    const wrong = differences(await mine(user), theirs);
    if (Object.keys(wrong).length) {
      figures = await bodyOf(await call("PATCH", "/users/me/stats", wrong));
    }
  }
  await keepStatistics(user, figures);
}

const differs = (left, right) => Object.keys(differences(left, right)).length > 0;

async function mine(user) {
  return statisticsOf(await inState(user, SYNCED));
}
