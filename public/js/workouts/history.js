// The history in this browser: what the server has is brought here after signing in, and kept up to
// date, so that it can be looked at without a network.
import { recall, remember } from "../base/current-user.js";
import { announce } from "../base/outbox.js";
import { permission } from "../base/authorized-fetch.js";
import { read, Stop } from "./api.js";
import { inState, KIND, remove, SYNCED, takeIn, waitAgain } from "./workout-store.js";

const NAME = "history";
const EPOCH = "epoch";
// The most that a page of the API has.
const LIMIT = 200;

/** Whether all that the server has was here once; until then an empty history says nothing. */
export async function isWhole(user) {
  return Boolean((await recall(user, NAME))?.whole);
}

/**
 * Brings everything that is not here yet, and lets go of what was deleted elsewhere.
 * `progress({done})` counts what was looked at. Throws `Stop`; what had come stays.
 */
export async function download(user, progress = () => {}) {
  // What is sent while this goes on may not be on the pages that came before it.
  const before = (await inState(user, SYNCED)).map(({ id }) => id);
  const found = await walk(user, {}, progress);
  // What waits again since the server came back from a backup was not deleted.
  const synced = new Set((await inState(user, SYNCED)).map(({ id }) => id));
  for (const id of before) if (!found.has(id) && synced.has(id)) await remove(user, id);
  await remember(user, NAME, { whole: true, at: Date.now() });
  announce({ change: "downloaded", kind: KIND });
}

/** Brings what came in elsewhere since the last time. Throws `Stop`. */
export async function catchUp(user) {
  const rows = await inState(user, SYNCED);
  const last = rows.reduce((latest, { receivedAt }) =>
    Date.parse(receivedAt) > Date.parse(latest) ? receivedAt : latest, "1970-01-01T00:00:00Z");
  const known = new Set(rows.filter(({ serverID }) => serverID).map(({ id }) => id));
  const found = await walk(user, { since: last }, () => {});
  // The last one of before comes again.
  const isNews = [...found].some((id) => !known.has(id));
  if (isNews) announce({ change: "downloaded", kind: KIND });
}

/**
 * With another epoch the server has come back from a backup: what was brought to it since is not
 * there, and is brought again. What it has after all is taken in again by the pages that follow.
 * What was sent while none was known may have gone to that server of before.
 */
async function heed(user, epoch) {
  const known = await recall(user, EPOCH);
  if (!epoch || known === epoch) return;
  const count = await waitAgain(user);
  await remember(user, EPOCH, epoch);
  if (count) announce({ change: "queued", kind: KIND });
}

/**
 * Learns the epoch before anything is sent or kept for the first time, so that nothing has to be
 * brought twice, and nothing is brought back that was deleted meanwhile. Gives whether it is known:
 * what is sent doesn't wait for it when it can't be learned. Throws `Stop` for another person.
 */
export async function learnEpoch(user) {
  if (await recall(user, EPOCH)) return true;
  let epoch;
  try {
    ({ epoch } = await read("/sessions?limit=1"));
  } catch (stop) {
    if (stop instanceof Stop) return false;
    throw stop;
  }
  await permission(user);
  await heed(user, epoch);
  return Boolean(epoch);
}

/** Takes in page after page; gives the `client_session_id`s of all. */
async function walk(user, query, progress) {
  const found = new Set();
  let cursor;
  do {
    const fields = new URLSearchParams({ ...query, limit: LIMIT });
    if (cursor) fields.set("cursor", cursor);
    const page = await read(`/sessions?${fields}`);
    // Somebody else may have signed in meanwhile: their workouts are not this person's.
    await permission(user);
    await heed(user, page.epoch);
    await takeIn(user, page.sessions);
    for (const session of page.sessions) found.add(session.client_session_id);
    progress({ done: found.size });
    cursor = page.next_cursor;
  } while (cursor);
  return found;
}
