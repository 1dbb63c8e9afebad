// Workouts in this browser: unfinished rides, and workouts that were recorded here or downloaded.
// Every row belongs to one user (an opaque key); other users of the browser neither see nor send
// it.
import { announce } from "../base/outbox.js";
import { StorageFailure, transact } from "../base/database.js";

export { StorageFailure };

/** The kind of changes in the event `pairspot:outbox` on the document. */
export const KIND = "workout";

// The states of a workout: waits to be sent, refused by the server, or on the server.
export const PENDING = "pending";
export const FAILED = "failed";
export const SYNCED = "synced";

const userRange = (user) => IDBKeyRange.bound([user], [user, []]);

// Unfinished rides.

/** The newest ride of a user that was never finished (see `saveRide`), or undefined. */
export async function unfinishedRide(user) {
  const rows = await transact("readonly", (all) =>
    all.objectStore("rides").getAll(userRange(user)),
  );
  return rows.sort((left, right) => right.keptAt - left.keptAt)[0]?.ride;
}

/**
 * Saves the current state of a ride. `ride` is what the recorder needs to continue; its `id`
 * becomes the `client_session_id` of the workout. Throws `StorageFailure`.
 */
export function saveRide(user, ride) {
  const row = { user, id: ride.id, ride, keptAt: Date.now() };
  return transact("readwrite", (all) => all.objectStore("rides").put(row));
}

/** Deletes a ride that the user chose not to save. */
export function deleteRide(user, id) {
  return transact("readwrite", (all) => all.objectStore("rides").delete([user, id]));
}

/**
 * Saves a finished workout (a session as in docs/api/README.md) until the server has it, and
 * deletes its ride, both or neither. Gives its row, with `state` "pending". Throws
 * `StorageFailure`; the ride is kept then.
 */
export async function finishRide(user, session) {
  const row = toRow(user, session, PENDING);
  await transact("readwrite", (all) => {
    putRow(all, row, session);
    all.objectStore("rides").delete([user, row.id]);
  });
  // Asks the browser not to evict the data when space is short.
  navigator.storage?.persist?.().catch(() => {});
  announce({ change: "queued", kind: KIND });
  return row;
}

// Workouts.

/** The number of workouts that wait to be sent, without those that the server refused. */
export function pendingCount(user) {
  return transact("readonly", (all) =>
    all.objectStore("workouts").index("state").count([user, PENDING]),
  );
}

/**
 * The workouts that the server does not have, oldest first: rows of `{id, state, at, session,
 * reason?, code?}`, where `state` is "pending" or "failed" and `session` has no samples.
 */
export async function unsyncedWorkouts(user) {
  const rows = await Promise.all([workoutsInState(user, PENDING), workoutsInState(user, FAILED)]);
  return rows.flat().sort(oldestFirst);
}

/** The rows in one state, oldest first. */
export async function workoutsInState(user, state) {
  const rows = await transact("readonly", (all) =>
    all.objectStore("workouts").index("state").getAll([user, state]),
  );
  return rows.sort(oldestFirst);
}

/** All rows of a user, oldest first. */
async function allWorkouts(user) {
  const rows = await transact("readonly", (all) =>
    all.objectStore("workouts").getAll(userRange(user)),
  );
  return rows.sort(oldestFirst);
}

/** A row by its `client_session_id` or by the server's id; or undefined. */
export async function findWorkout(user, id) {
  const row = await transact("readonly", (all) => all.objectStore("workouts").get([user, id]));
  return row ?? (await allWorkouts(user)).find(({ serverID }) => serverID === id);
}

/** A workout with all its measurements, as it is sent; undefined when it is not here. */
export async function loadSession(user, id) {
  let recording;
  const row = await transact("readonly", (all) => {
    const found = all.objectStore("recordings").get([user, id]);
    found.onsuccess = () => (recording = found.result);
    return all.objectStore("workouts").get([user, id]);
  });
  if (!row) return undefined;
  const session = { ...row.session, detail: { ...row.session.detail } };
  if (recording?.samples) session.detail.samples = recording.samples;
  if (recording?.raw) session.raw = recording.raw;
  return session;
}

/** Deletes a workout from this browser. */
export async function removeWorkout(user, id, change = "removed") {
  await transact("readwrite", (all) => {
    all.objectStore("workouts").delete([user, id]);
    all.objectStore("recordings").delete([user, id]);
  });
  announce({ change, kind: KIND });
}

/**
 * Changes rows in one transaction: `change(row)` gives the new row, or undefined to leave it. Rows
 * that were deleted meanwhile stay deleted.
 */
export function updateRows(user, ids, change) {
  return transact("readwrite", (all) => {
    const workouts = all.objectStore("workouts");
    for (const id of ids) {
      const found = workouts.get([user, id]);
      found.onsuccess = () => {
        const fresh = found.result && change(found.result);
        if (fresh) workouts.put(fresh);
      };
    }
  });
}

/**
 * Imports workouts of the server. One that waits here is done; one that is here already gets the
 * server's figures, which may have been corrected, and keeps its measurements.
 */
export function importSessions(user, sessions) {
  return transact("readwrite", (all) => {
    const workouts = all.objectStore("workouts");
    for (const session of sessions) {
      const id = session.client_session_id;
      const found = workouts.get([user, id]);
      const row = toRow(user, session, SYNCED);
      found.onsuccess = () => {
        if (found.result) workouts.put(asSynced({ ...found.result, ...row }, session));
        else putRow(all, asSynced(row, session), session);
      };
    }
  });
}

/**
 * Queues again all workouts from the server that are complete here: with measurements, or where
 * nothing was measured. Gives their number.
 */
export async function requeueSynced(user) {
  let count = 0;
  await transact("readwrite", (all) => {
    const workouts = all.objectStore("workouts");
    const recorded = all.objectStore("recordings").getAllKeys(userRange(user));
    const found = workouts.index("state").getAll([user, SYNCED]);
    // Requests of one transaction are answered in order.
    found.onsuccess = () => {
      const whole = new Set(recorded.result.map(([, id]) => id));
      for (const row of found.result) {
        const isWhole =
          whole.has(row.id) || Object.values(row.session.detail).every((figure) => figure === null);
        if (!isWhole) continue;
        const { serverID, receivedAt, ...rest } = row;
        const { id, received_at: at, ...session } = row.session;
        workouts.put({ ...rest, session, state: PENDING });
        count += 1;
      }
    };
  });
  return count;
}

/** Saves a workout of the server with all its measurements. */
export function saveRecording(user, session) {
  const row = asSynced(toRow(user, session, SYNCED), session);
  return transact("readwrite", (all) => putRow(all, row, session));
}

function asSynced({ reason, code, ...row }, { id, received_at: receivedAt }) {
  return { ...row, state: SYNCED, serverID: id ?? row.serverID, receivedAt };
}

function toRow(user, session, state) {
  const { raw, ...rest } = session;
  const { samples, ...detail } = rest.detail ?? {};
  const at = Date.parse(session.started_at);
  return { user, id: session.client_session_id, state, at, session: { ...rest, detail } };
}

function putRow(all, row, { raw, detail }) {
  all.objectStore("workouts").put(row);
  const samples = detail?.samples;
  if (!samples && !raw) return;
  all.objectStore("recordings").put({ user: row.user, id: row.id, samples, raw });
}

function oldestFirst(left, right) {
  return left.at - right.at || (left.id < right.id ? -1 : 1);
}
