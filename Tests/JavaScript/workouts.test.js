import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { newPage, serve } from "./support/browser.js";
import { cases } from "./support/cases.js";

const store = await import("../../public/js/workouts/workout-store.js");
const { computeStatistics, differences } = await import("../../public/js/workouts/statistics.js");
const { uploadPending, retryUpload } = await import("../../public/js/workouts/uploads.js");
const { toCSV } = await import("../../public/js/workouts/csv-file.js");

const at = (days, hour = 12) => {
  const day = new Date();
  day.setHours(hour, 0, 0, 0);
  day.setDate(day.getDate() - days);
  return day;
};

const session = (id, days = 0, fields = {}) => ({
  client_session_id: id,
  started_at: at(days).toISOString(),
  ended_at: at(days).toISOString(),
  duration: 60,
  paused: 0,
  total_energy: 10,
  total_distance: 100,
  device_type: "bike",
  detail: { avg_power: 150, samples: { interval: 1, power: [150, 150] } },
  ...fields,
});

/** A server that takes workouts but for those that `refused` names; records the ids of batches. */
function uploadServer({ refused = [], status } = {}) {
  const batches = [];
  serve((path, { method, body }) => {
    if (path === "/csrf") return { json: { token: "t", user: "ann" } };
    if (method !== "POST") return { json: { epoch: "e", sessions: [] } };
    const { sessions } = JSON.parse(body);
    const ids = sessions.map(({ client_session_id: id }) => id);
    batches.push(ids);
    if (status?.(ids)) return { status: status(ids), json: { error: { code: "invalid" } } };
    const failed = ids.filter((id) => refused.includes(id));
    return {
      json: {
        success_count: ids.length - failed.length,
        duplicate_count: 0,
        failed_sessions: failed.map((id) => ({ session_id: id, error: "bad", message: "No" })),
        updated_stats: {},
      },
    };
  });
  return batches;
}

beforeEach(() => newPage({ user: "ann" }));

test("A finished workout waits, and its ride is deleted", async () => {
  await store.saveRide("ann", { id: "a" });
  assert.equal((await store.unfinishedRide("ann")).id, "a");
  const row = await store.finishRide("ann", session("a"));
  assert.equal(row.state, store.PENDING);
  assert.equal(await store.unfinishedRide("ann"), undefined);
  assert.equal(await store.pendingCount("ann"), 1);
  assert.equal(await store.pendingCount("ben"), 0);
});

test("Samples are stored apart from the row, and sent with it", async () => {
  const row = await store.finishRide("ann", session("a"));
  assert.equal(row.session.detail.samples, undefined);
  assert.deepEqual(await store.loadSession("ann", "a"), session("a"));
});

test("A workout of the server replaces the one that waits and keeps its samples", async () => {
  await store.finishRide("ann", session("a"));
  const { detail: _, ...known } = session("a");
  const summary = { ...known, detail: {}, id: "server-a", received_at: "2026-01-01T00:00:00Z" };
  await store.importSessions("ann", [summary]);
  const row = await store.findWorkout("ann", "server-a");
  assert.deepEqual([row.id, row.state], ["a", store.SYNCED]);
  assert.deepEqual((await store.loadSession("ann", "a")).detail.samples.power, [150, 150]);
});

test("Figures that were corrected on the server replace those of this browser", async () => {
  await store.saveRecording("ann", { ...session("a"), id: "1" });
  const corrected = { ...session("a"), duration: 77, detail: { avg_power: 5 }, id: "1" };
  await store.importSessions("ann", [corrected]);
  const loaded = await store.loadSession("ann", "a");
  assert.deepEqual([loaded.duration, loaded.detail.avg_power], [77, 5]);
  assert.deepEqual(loaded.detail.samples.power, [150, 150]);
});

test("After a restore only complete workouts are queued again", async () => {
  await store.saveRecording("ann", { ...session("whole"), id: "1" });
  await store.importSessions("ann", [{ ...session("part"), detail: { avg_power: 1 }, id: "2" }]);
  await store.importSessions("ann", [{ ...session("bare"), detail: { avg_power: null }, id: "3" }]);
  assert.equal(await store.requeueSynced("ann"), 2);
  const waiting = await store.workoutsInState("ann", store.PENDING);
  assert.deepEqual(waiting.map(({ id }) => id).sort(), ["bare", "whole"]);
  assert.equal(waiting[0].serverID, undefined);
});

test("Uploads go oldest first, twenty at a time", async () => {
  const ids = Array.from({ length: 25 }, (_, place) => `w${place}`);
  for (const [place, id] of ids.entries()) await store.finishRide("ann", session(id, 25 - place));
  const batches = uploadServer();
  const result = await uploadPending("ann");
  assert.deepEqual([result.sent, result.failed, result.left], [25, 0, 0]);
  assert.deepEqual(batches, [ids.slice(0, 20), ids.slice(20)]);
});

test("A refused workout is kept with the reason, and not sent again by itself", async () => {
  await store.finishRide("ann", session("good"));
  await store.finishRide("ann", session("bad"));
  const batches = uploadServer({ refused: ["bad"] });
  const { sent, failed, left } = await uploadPending("ann");
  assert.deepEqual([sent, failed, left], [1, 1, 0]);
  const row = await store.findWorkout("ann", "bad");
  assert.deepEqual([row.state, row.reason, row.code], [store.FAILED, "No", "bad"]);
  await uploadPending("ann");
  assert.equal(batches.length, 1);
  await retryUpload("ann", "bad");
  await uploadPending("ann");
  assert.deepEqual(batches.at(-1), ["bad"]);
});

test("An invalid batch is sent one by one", async () => {
  await store.finishRide("ann", session("a", 2));
  await store.finishRide("ann", session("b", 1));
  const batches = uploadServer({ status: (ids) => (ids.includes("b") ? 422 : undefined) });
  const { sent, failed } = await uploadPending("ann");
  assert.deepEqual(batches, [["a", "b"], ["a"], ["b"]]);
  assert.deepEqual([sent, failed], [1, 1]);
});

test("Nothing counts as sent that the server does not account for", async () => {
  await store.finishRide("ann", session("a"));
  serve((path) =>
    path === "/csrf"
      ? { json: { token: "t", user: "ann" } }
      : { json: { success_count: 0, duplicate_count: 0, failed_sessions: [] } },
  );
  const { left, stop } = await uploadPending("ann");
  assert.deepEqual([left, stop.why], [1, "later"]);
});

cases(
  "An upload stops, and the workout stays",
  {
    "no network": [() => Promise.reject(new TypeError()), "unreachable"],
    "another user": [() => ({ json: { token: "t", user: "ben" } }), "other"],
    "no session": [() => ({ json: { token: "t" } }), "signed-out"],
  },
  async (answer, why) => {
    newPage({ user: "ann" });
    await store.finishRide("ann", session("a"));
    serve(answer);
    const { left, stop } = await uploadPending("ann");
    assert.deepEqual([left, stop.why], [1, why]);
  },
);

const row = (days, fields = {}) => ({
  at: at(days).getTime(),
  session: session("x", days, fields),
});

test("Statistics sum up in thousandths", () => {
  const rows = [row(0, { total_energy: 0.1 }), row(0, { total_energy: 0.2 })];
  const { workout_total_energy: energy, workout_total_count: count } = computeStatistics(rows);
  assert.deepEqual([energy, count], [0.3, 2]);
});

cases(
  "The streak",
  {
    "no workout": [[], 0],
    "today and before": [[0, 1, 2], 3],
    "not yet today": [[1, 2], 2],
    "a gap": [[0, 2, 3], 1],
    "the day before yesterday": [[2], 0],
    "twice on one day": [[0, 0], 1],
  },
  (days, streak) => {
    assert.equal(computeStatistics(days.map((day) => row(day))).workout_streak, streak);
  },
);

test("Workouts of less than a minute do not count for the streak", () => {
  const figures = computeStatistics([row(0, { duration: 59.9 })]);
  assert.deepEqual([figures.workout_streak, figures.last_workout_date], [0, null]);
});

test("The server takes sums that differ, but a streak and last day only if larger", () => {
  const own = computeStatistics([row(0), row(1)]);
  assert.deepEqual(differences(own, own), {});
  const theirs = {
    ...own,
    workout_total_distance: 5,
    workout_streak: 9,
    last_workout_date: "2020-01-01",
  };
  assert.deepEqual(differences(own, theirs), {
    workout_total_distance: 200,
    last_workout_date: own.last_workout_date,
  });
});

test("A CSV file has the facts, then a row for each second", () => {
  const lines = toCSV(
    session("a", 0, {
      detail: {
        avg_power: 150,
        max_power: null,
        samples: { power: [150, null], speed: [20.5, 21] },
      },
    }),
  ).split("\r\n");
  assert.ok(lines.includes("device_type,bike"));
  assert.ok(lines.includes("avg_power_w,150"));
  assert.ok(!lines.some((line) => line.startsWith("max_power_w")));
  assert.deepEqual(lines.slice(-4), [
    "second,power_w,heart_rate_bpm,cadence_rpm,speed_kmh,distance_m",
    "0,150,,,20.5,",
    "1,,,,21,",
    "",
  ]);
});

test("A CSV file without samples has no table", () => {
  assert.ok(!toCSV(session("a", 0, { detail: {} })).includes("second,"));
});
