// Statistics of the workouts in this browser. With the complete history, they replace the server's
// where they differ (docs/developer/workouts.md#batch-upload).
import { loadValue, saveValue } from "../base/current-user.js";
import { jsonOf } from "./api.js";
import { downloadHistory, isComplete } from "./history.js";
import { workoutsInState, SYNCED } from "./workout-store.js";

const NAME = "statistics";
// The shortest workout that counts for the streak, in s; the same as the server's.
const SHORTEST_FOR_STREAK = 60;
const SUMS = {
  workout_total_energy: "total_energy",
  workout_total_distance: "total_distance",
  workout_total_duration: "duration",
};

/** The statistics that the server last sent, or undefined. */
export function savedStatistics(user) {
  return loadValue(user, NAME);
}

export function saveStatistics(user, figures) {
  return saveValue(user, NAME, figures);
}

/** Statistics of rows at the moment `now` (ms), named as in docs/api/README.md. */
export function computeStatistics(rows, now = Date.now()) {
  const figures = { workout_total_count: rows.length };
  for (const [name, part] of Object.entries(SUMS)) {
    // In thousandths, as on the server: sums of fractions drift.
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

/** The number of days in a row that end today, or yesterday while today has none yet. */
function streak(days, now) {
  const day = new Date(now);
  // Noon, so that a change of clocks does not change the day.
  day.setHours(12, 0, 0, 0);
  if (!days.has(dayOf(day))) day.setDate(day.getDate() - 1);
  let count = 0;
  while (days.has(dayOf(day))) {
    count += 1;
    day.setDate(day.getDate() - 1);
  }
  return count;
}

/**
 * The values that the server should take over: all that differ; of streak and last day only larger
 * ones.
 */
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
 * Compares the statistics after the last batch, and sends this browser's where they differ. Without
 * the complete history, the server's are saved as they are. Throws `SyncError`.
 */
export async function syncStatistics(user, theirs, call) {
  let figures = theirs;
  if ((await isComplete(user)) && differs(await localStatistics(user), theirs)) {
    // Another device may have added or deleted workouts: compares again with everything.
    await downloadHistory(user);
    const wrong = differences(await localStatistics(user), theirs);
    if (Object.keys(wrong).length) {
      figures = await jsonOf(await call("PATCH", "/users/me/stats", wrong));
    }
  }
  await saveStatistics(user, figures);
}

const differs = (left, right) => Object.keys(differences(left, right)).length > 0;

async function localStatistics(user) {
  return computeStatistics(await workoutsInState(user, SYNCED));
}
