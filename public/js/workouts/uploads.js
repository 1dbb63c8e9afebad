// Takes workouts to the server, oldest first, at most twenty at once
// (docs/developer/workouts.md#batch-upload). A workout is done with only when the server has said
// that it has it. One that the server refuses is kept with the reason and not sent again by itself;
// with trouble on the way all stay as they are.
import { exclusively } from "../base/exclusive.js";
import { announce } from "../base/outbox.js";
import { bodyOf, callsOf, errorOf, Stop } from "./api.js";
import { learnEpoch } from "./history.js";
import { FAILED, inState, KIND, PENDING, revise, sessionOf, SYNCED } from "./workout-store.js";
import { settleStatistics } from "./statistics.js";

const MOST = 20;
// A batch may have 8 MiB.
const MOST_BYTES = 7 << 20;

let running;
const watchers = new Set();

/**
 * Uploads what waits of a person. `progress({done, total})` is called as it goes on; other parts of
 * the page, and other tabs, hear it as `pairspot:outbox` with the change "progress".
 *
 * Gives `{sent, failed, left, stop}`, where `stop.why` says why some are left ("unreachable",
 * "later", "signed-out", "other"); null when another tab is at it.
 */
export async function uploadPending(user, progress) {
  if (progress) watchers.add(progress);
  try {
    running ??= exclusively("pairspot-workouts", (renew) => uploadAll(user, renew))
      .finally(() => (running = undefined));
    return await running;
  } finally {
    watchers.delete(progress);
  }
}

/** Puts a refused workout back among those that wait. */
export async function retry(user, id) {
  await revise(user, [id], (row) => (row.state === FAILED ? { ...row, state: PENDING } : undefined));
  announce({ change: "queued", kind: KIND });
}

async function uploadAll(user, renew) {
  const way = new Way(user, renew);
  const tried = new Set();
  try {
    for (;;) {
      // Read anew: one may have been finished while others were on their way.
      const rows = (await inState(user, PENDING)).filter(({ id }) => !tried.has(id));
      if (!rows.length) break;
      way.total = tried.size + rows.length;
      way.tell();
      if (!way.call) {
        way.call = await callsOf(user);
        await learnEpoch(user);
      }
      for (const { id } of rows) tried.add(id);
      await way.send(rows);
    }
  } catch (stop) {
    if (!(stop instanceof Stop)) throw stop;
    way.stop = stop;
  }
  const left = (await inState(user, PENDING)).length;
  if (!left && way.figures) await settle(user, way);
  return { sent: way.sent, failed: way.failed, left, stop: left ? way.stop : undefined };
}

/** The statistics can wait for the next time; the workouts are there. */
async function settle(user, { figures, call }) {
  try {
    await settleStatistics(user, figures, call);
  } catch (stop) {
    if (!(stop instanceof Stop)) throw stop;
  }
}

/** One way to the server with all that waits. */
class Way {
  sent = 0;
  failed = 0;
  done = 0;
  total = 0;

  constructor(user, renew) {
    this.user = user;
    this.renew = renew;
  }

  tell() {
    const { done, total } = this;
    for (const watcher of watchers) watcher({ done, total });
    announce({ change: "progress", kind: KIND, done, total });
  }

  /** Goes on after a batch that failed; a second one in a row ends it. */
  async send(rows) {
    let inARow = 0;
    for await (const batch of batches(this.user, rows)) {
      try {
        await this.renew();
        await this.take(batch);
        inARow = 0;
      } catch (stop) {
        if (!(stop instanceof Stop)) throw stop;
        this.stop = stop;
        inARow += 1;
        if (inARow > 1 || !["unreachable", "later"].includes(stop.why) || stop.pause) throw stop;
      }
    }
  }

  async take(batch) {
    const body = `{"sessions":[${batch.map(({ text }) => text).join(",")}]}`;
    const answer = await this.call("POST", "/sessions/batch_upload", body);
    if (!isRefusal(answer.status)) {
      await this.note(batch, await bodyOf(answer));
    } else if (batch.length > 1) {
      // Something in it is not to the server's liking: alone, each is judged by itself.
      for (const one of batch) await this.take([one]);
    } else {
      const { code, message } = await errorOf(answer);
      await this.settle(batch, [{ session_id: batch[0].id, error: code, message }]);
    }
  }

  async note(batch, { success_count: stored, duplicate_count: known, failed_sessions: failed,
    updated_stats: figures }) {
    // Nothing is done with that the server didn't account for.
    if (stored + known + failed?.length !== batch.length) throw new Stop("later");
    this.figures = figures;
    await this.settle(batch, failed);
  }

  async settle(batch, failed) {
    const reasons = new Map(failed.map((one) => [nameOf(one, batch), one]));
    const ids = batch.map(({ id }) => id);
    await revise(this.user, ids, (row) => {
      const { reason, code, ...rest } = row;
      const found = reasons.get(row.id);
      if (found) return { ...rest, state: FAILED, reason: found.message, code: found.error };
      return { ...rest, state: SYNCED };
    });
    this.failed += reasons.size;
    this.sent += ids.length - reasons.size;
    this.done += ids.length;
    this.tell();
    if (reasons.size < ids.length) announce({ change: "sent", kind: KIND });
    if (reasons.size) announce({ change: "refused", kind: KIND });
  }
}

/** A refused workout's own name, or its place in the batch when the server could read none. */
function nameOf({ session_id: name }, batch) {
  return batch.some(({ id }) => id === name) ? name : (batch[Number(name)]?.id ?? name);
}

/** Refused for good, as it is: sent again, it would be again. */
const isRefusal = (status) => [400, 413, 422].includes(status);

async function* batches(user, rows) {
  let batch = [];
  let bytes = 0;
  for (const { id } of rows) {
    const session = await sessionOf(user, id);
    // Deleted meanwhile.
    if (!session) continue;
    const text = JSON.stringify(session);
    if (batch.length === MOST || (batch.length && bytes + text.length > MOST_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push({ id, text });
    bytes += text.length;
  }
  if (batch.length) yield batch;
}
