// The history in this browser: downloaded after signing in and kept up to date, so that it can be
// read without a network.
import { loadValue, saveValue } from "../base/current-user.js";
import { announce } from "../base/outbox.js";
import { csrfTokenFor } from "../base/authorized-fetch.js";
import { getJSON, SyncError } from "./api.js";
import {
  workoutsInState,
  KIND,
  removeWorkout,
  SYNCED,
  importSessions,
  requeueSynced,
} from "./workout-store.js";

const NAME = "history";
const EPOCH = "epoch";
// The API's largest page.
const LIMIT = 200;

/** Whether the history was downloaded completely once; until then, an empty one means nothing. */
export async function isComplete(user) {
  return Boolean((await loadValue(user, NAME))?.whole);
}

/**
 * Downloads what is missing, and removes what was deleted elsewhere. `progress({done})` counts
 * workouts. Throws `SyncError`; what was downloaded stays.
 */
export async function downloadHistory(user, progress = () => {}) {
  // Workouts that are sent during the download may be missing on earlier pages.
  const before = (await workoutsInState(user, SYNCED)).map(({ id }) => id);
  const found = await downloadPages(user, {}, progress);
  // Workouts that were queued again after a restore were not deleted.
  const synced = new Set((await workoutsInState(user, SYNCED)).map(({ id }) => id));
  for (const id of before) if (!found.has(id) && synced.has(id)) await removeWorkout(user, id);
  await saveValue(user, NAME, { whole: true, at: Date.now() });
  announce({ change: "downloaded", kind: KIND });
}

/** Downloads what other devices have sent since the last time. Throws `SyncError`. */
export async function downloadNew(user) {
  const rows = await workoutsInState(user, SYNCED);
  const last = rows.reduce(
    (latest, { receivedAt }) => (Date.parse(receivedAt) > Date.parse(latest) ? receivedAt : latest),
    "1970-01-01T00:00:00Z",
  );
  const known = new Set(rows.filter(({ serverID }) => serverID).map(({ id }) => id));
  const found = await downloadPages(user, { since: last }, () => {});
  // The last known workout is sent again.
  const isNews = [...found].some((id) => !known.has(id));
  if (isNews) announce({ change: "downloaded", kind: KIND });
}

/**
 * Handles a new epoch, after which the server was restored from a backup: workouts that it may have
 * lost are queued again. Those that it has are imported by the pages that follow.
 */
async function applyEpoch(user, epoch) {
  const known = await loadValue(user, EPOCH);
  if (!epoch || known === epoch) return;
  const count = await requeueSynced(user);
  await saveValue(user, EPOCH, epoch);
  if (count) announce({ change: "queued", kind: KIND });
}

/**
 * Learns the epoch before anything is sent or saved for the first time, so that nothing is sent
 * twice and nothing deleted comes back. Gives whether it is known; sending does not wait for it.
 * Throws `SyncError` for another user.
 */
export async function fetchEpoch(user) {
  if (await loadValue(user, EPOCH)) return true;
  let epoch;
  try {
    ({ epoch } = await getJSON("/sessions?limit=1"));
  } catch (stop) {
    if (stop instanceof SyncError) return false;
    throw stop;
  }
  await csrfTokenFor(user);
  await applyEpoch(user, epoch);
  return Boolean(epoch);
}

/** Imports all pages; gives the `client_session_id`s of all workouts. */
async function downloadPages(user, query, progress) {
  const found = new Set();
  let cursor;
  do {
    const fields = new URLSearchParams({ ...query, limit: LIMIT });
    if (cursor) fields.set("cursor", cursor);
    const page = await getJSON(`/sessions?${fields}`);
    // Fails if another user has signed in meanwhile.
    await csrfTokenFor(user);
    await applyEpoch(user, page.epoch);
    await importSessions(user, page.sessions);
    for (const session of page.sessions) found.add(session.client_session_id);
    progress({ done: found.size });
    cursor = page.next_cursor;
  } while (cursor);
  return found;
}
