// Workouts in this browser: the ride that goes on, and what was recorded or came from the server.
// Every row belongs to one person (an opaque key); nobody else on the same browser sees or sends it.
import { announce } from "../base/outbox.js";
import { StorageFailure, transact } from "../base/database.js";

export { StorageFailure };

/** What changed is told under this kind, by the event `pairspot:outbox` on the document. */
export const KIND = "workout";

// The states of a workout: waits to be sent, refused by the server, or there.
export const PENDING = "pending";
export const FAILED = "failed";
export const SYNCED = "synced";

const everything = (user) => IDBKeyRange.bound([user], [user, []]);

// The ride that goes on.

/** The newest ride of a person that was never finished (see `keepRide`), or undefined. */
export async function openRide(user) {
  const rows = await transact("readonly", (all) =>
    all.objectStore("rides").getAll(everything(user)));
  return rows.sort((left, right) => right.keptAt - left.keptAt)[0]?.ride;
}

/**
 * Keeps a ride as it is now, in the place of what was kept of it before. `ride` is what the
 * recorder needs to go on; its `id` is the `client_session_id` that the workout will have. Throws
 * `StorageFailure`.
 */
export function keepRide(user, ride) {
  const row = { user, id: ride.id, ride, keptAt: Date.now() };
  return transact("readwrite", (all) => all.objectStore("rides").put(row));
}

/** Forgets a ride that somebody chose not to save. */
export function dropRide(user, id) {
  return transact("readwrite", (all) => all.objectStore("rides").delete([user, id]));
}

/**
 * Keeps a finished workout (a session as docs/api/README.md has it) until the server has it, and
 * lets its ride go, both or neither. Gives its row, with `state` "pending". Throws
 * `StorageFailure`; the ride is still there then.
 */
export async function finishRide(user, session) {
  const row = rowOf(user, session, PENDING);
  await transact("readwrite", (all) => {
    put(all, row, session);
    all.objectStore("rides").delete([user, row.id]);
  });
  // Asks that a browser short of room doesn't throw this away.
  navigator.storage?.persist?.().catch(() => {});
  announce({ change: "queued", kind: KIND });
  return row;
}

// What is kept.

/** How many workouts of a person wait to be sent, those that the server refused left out. */
export function pendingCount(user) {
  return transact("readonly", (all) =>
    all.objectStore("workouts").index("state").count([user, PENDING]));
}

/**
 * The workouts of a person that the server doesn't have, oldest first: rows of `{id, state, at,
 * session, reason?, code?}`, where `state` is "pending" or "failed" and `session` has no samples.
 */
export async function pending(user) {
  const rows = await Promise.all([inState(user, PENDING), inState(user, FAILED)]);
  return rows.flat().sort(oldestFirst);
}

/** The rows in one state, oldest first. */
export async function inState(user, state) {
  const rows = await transact("readonly", (all) =>
    all.objectStore("workouts").index("state").getAll([user, state]));
  return rows.sort(oldestFirst);
}

/** All rows of a person, oldest first. */
export async function allOf(user) {
  const rows = await transact("readonly", (all) =>
    all.objectStore("workouts").getAll(everything(user)));
  return rows.sort(oldestFirst);
}

/** One row by its `client_session_id`, or by the id that the server gave it; or undefined. */
export async function find(user, id) {
  const row = await transact("readonly", (all) => all.objectStore("workouts").get([user, id]));
  return row ?? (await allOf(user)).find(({ serverID }) => serverID === id);
}

/** A workout with all its numbers, as it goes to the server; undefined when it isn't here. */
export async function sessionOf(user, id) {
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

/** Takes a workout out of this browser. */
export async function remove(user, id, change = "removed") {
  await transact("readwrite", (all) => {
    all.objectStore("workouts").delete([user, id]);
    all.objectStore("recordings").delete([user, id]);
  });
  announce({ change, kind: KIND });
}

/**
 * Changes rows in one step: `change(row)` gives the new one, or nothing to leave it. What was
 * deleted meanwhile stays deleted.
 */
export function revise(user, ids, change) {
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
 * Takes in workouts that the server has. One that waits here is done with; one that is here
 * already keeps its numbers.
 */
export function takeIn(user, sessions) {
  return transact("readwrite", (all) => {
    const workouts = all.objectStore("workouts");
    for (const session of sessions) {
      const id = session.client_session_id;
      const found = workouts.get([user, id]);
      found.onsuccess = () => {
        if (found.result) workouts.put(synced(found.result, session));
        else put(all, synced(rowOf(user, session, SYNCED), session), session);
      };
    }
  });
}

/**
 * Has everything wait again that the server had and that is here whole: with its numbers, or where
 * nothing was measured. Gives how many.
 */
export async function waitAgain(user) {
  let count = 0;
  await transact("readwrite", (all) => {
    const workouts = all.objectStore("workouts");
    const recorded = all.objectStore("recordings").getAllKeys(everything(user));
    const found = workouts.index("state").getAll([user, SYNCED]);
    // Requests of one transaction are answered in their order.
    found.onsuccess = () => {
      const whole = new Set(recorded.result.map(([, id]) => id));
      for (const row of found.result) {
        const isWhole = whole.has(row.id)
          || Object.values(row.session.detail).every((figure) => figure === null);
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

/** Keeps one workout of the server with all that was measured. */
export function keepRecording(user, session) {
  const row = synced(rowOf(user, session, SYNCED), session);
  return transact("readwrite", (all) => put(all, row, session));
}

function synced({ reason, code, ...row }, { id, received_at: receivedAt }) {
  return { ...row, state: SYNCED, serverID: id ?? row.serverID, receivedAt };
}

function rowOf(user, session, state) {
  const { raw, ...rest } = session;
  const { samples, ...detail } = rest.detail ?? {};
  const at = Date.parse(session.started_at);
  return { user, id: session.client_session_id, state, at, session: { ...rest, detail } };
}

function put(all, row, { raw, detail }) {
  all.objectStore("workouts").put(row);
  const samples = detail?.samples;
  if (!samples && !raw) return;
  all.objectStore("recordings").put({ user: row.user, id: row.id, samples, raw });
}

function oldestFirst(left, right) {
  return left.at - right.at || (left.id < right.id ? -1 : 1);
}
