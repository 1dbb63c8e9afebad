// Uploads workouts, oldest first, at most twenty at once (docs/developer/workouts.md#batch-upload).
// A workout counts as sent only after the server's answer. Refused workouts are kept with the
// reason and not sent again by themselves; after network errors all stay as they are.
import { exclusively } from "../base/exclusive.js";
import { announce } from "../base/outbox.js";
import { jsonOf, apiFor, errorOf, SyncError } from "./api.js";
import { fetchEpoch } from "./history.js";
import {
  FAILED,
  workoutsInState,
  KIND,
  PENDING,
  updateRows,
  loadSession,
  SYNCED,
} from "./workout-store.js";
import { syncStatistics } from "./statistics.js";

const MAX_BATCH = 20;
// The server takes batches of 8 MiB.
const MAX_BATCH_BYTES = 7 << 20;

let running;
const watchers = new Set();

/**
 * Uploads the waiting workouts of a user. `progress({done, total})` is called on the way; other
 * parts of the page and other tabs get `pairspot:outbox` events with the change "progress".
 *
 * Gives `{sent, failed, left, stop}`, where `stop.why` says why some are left ("unreachable",
 * "later", "signed-out", "other"); null when another tab does it.
 */
export async function uploadPending(user, progress) {
  if (progress) watchers.add(progress);
  try {
    running ??= exclusively("pairspot-workouts", (renew) => uploadAll(user, renew)).finally(
      () => (running = undefined),
    );
    return await running;
  } finally {
    watchers.delete(progress);
  }
}

/** Queues a refused workout again. */
export async function retryUpload(user, id) {
  await updateRows(user, [id], (row) =>
    row.state === FAILED ? { ...row, state: PENDING } : undefined,
  );
  announce({ change: "queued", kind: KIND });
}

async function uploadAll(user, renew) {
  const upload = new Upload(user, renew);
  const tried = new Set();
  try {
    for (;;) {
      // Reads again: a workout may have been finished meanwhile.
      const rows = (await workoutsInState(user, PENDING)).filter(({ id }) => !tried.has(id));
      if (!rows.length) break;
      upload.total = tried.size + rows.length;
      upload.reportProgress();
      if (!upload.call) {
        upload.call = await apiFor(user);
        await fetchEpoch(user);
      }
      for (const { id } of rows) tried.add(id);
      await upload.send(rows);
    }
  } catch (stop) {
    if (!(stop instanceof SyncError)) throw stop;
    upload.stop = stop;
  }
  const left = (await workoutsInState(user, PENDING)).length;
  if (!left && upload.figures) await updateStatistics(user, upload);
  return { sent: upload.sent, failed: upload.failed, left, stop: left ? upload.stop : undefined };
}

/** Updates the statistics. They can wait for the next time, as the workouts are uploaded. */
async function updateStatistics(user, { figures, call }) {
  try {
    await syncStatistics(user, figures, call);
  } catch (stop) {
    if (!(stop instanceof SyncError)) throw stop;
  }
}

/** One upload of everything that waits. */
class Upload {
  sent = 0;
  failed = 0;
  done = 0;
  total = 0;

  constructor(user, renew) {
    this.user = user;
    this.renew = renew;
  }

  reportProgress() {
    const { done, total } = this;
    for (const watcher of watchers) watcher({ done, total });
    announce({ change: "progress", kind: KIND, done, total });
  }

  /** Continues after a batch that failed; the second failure in a row ends the upload. */
  async send(rows) {
    let failuresInARow = 0;
    for await (const batch of batches(this.user, rows)) {
      try {
        await this.renew();
        await this.sendBatch(batch);
        failuresInARow = 0;
      } catch (stop) {
        if (!(stop instanceof SyncError)) throw stop;
        this.stop = stop;
        failuresInARow += 1;
        if (failuresInARow > 1 || !["unreachable", "later"].includes(stop.why) || stop.pause)
          throw stop;
      }
    }
  }

  async sendBatch(batch) {
    const body = `{"sessions":[${batch.map(({ text }) => text).join(",")}]}`;
    const answer = await this.call("POST", "/sessions/batch_upload", body);
    if (!isRefusal(answer.status)) {
      await this.recordAnswer(batch, await jsonOf(answer));
    } else if (batch.length > 1) {
      // One of the workouts is invalid: sends each alone.
      for (const one of batch) await this.sendBatch([one]);
    } else {
      const { code, message } = await errorOf(answer);
      await this.recordOutcome(batch, [{ session_id: batch[0].id, error: code, message }]);
    }
  }

  async recordAnswer(
    batch,
    {
      success_count: stored,
      duplicate_count: known,
      failed_sessions: failed,
      updated_stats: figures,
    },
  ) {
    // The server must account for every workout.
    if (stored + known + failed?.length !== batch.length) throw new SyncError("later");
    this.figures = figures;
    await this.recordOutcome(batch, failed);
  }

  async recordOutcome(batch, failed) {
    const reasons = new Map(failed.map((one) => [sessionIDOf(one, batch), one]));
    const ids = batch.map(({ id }) => id);
    await updateRows(this.user, ids, (row) => {
      const { reason, code, ...rest } = row;
      const found = reasons.get(row.id);
      if (found) return { ...rest, state: FAILED, reason: found.message, code: found.error };
      return { ...rest, state: SYNCED };
    });
    this.failed += reasons.size;
    this.sent += ids.length - reasons.size;
    this.done += ids.length;
    this.reportProgress();
    if (reasons.size < ids.length) announce({ change: "sent", kind: KIND });
    if (reasons.size) announce({ change: "refused", kind: KIND });
  }
}

/** The id of a refused workout, or its place in the batch when the server could not read one. */
function sessionIDOf({ session_id: name }, batch) {
  return batch.some(({ id }) => id === name) ? name : (batch[Number(name)]?.id ?? name);
}

/** Whether the request would be refused again. */
const isRefusal = (status) => [400, 413, 422].includes(status);

async function* batches(user, rows) {
  let batch = [];
  let bytes = 0;
  for (const { id } of rows) {
    const session = await loadSession(user, id);
    // Deleted meanwhile.
    if (!session) continue;
    const text = JSON.stringify(session);
    if (batch.length === MAX_BATCH || (batch.length && bytes + text.length > MAX_BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push({ id, text });
    bytes += text.length;
  }
  if (batch.length) yield batch;
}
