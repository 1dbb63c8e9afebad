// Trainings in this browser: the stored list, refreshed from the server.
import { loadValue, saveValue } from "../base/current-user.js";
import { announce } from "../base/outbox.js";
import { authorizedFetch } from "../base/authorized-fetch.js";
import { jsonOf } from "./api.js";

const LIST = "trainings";
export const KIND = "training";

/** The stored trainings (docs/api/workouts.md), or undefined. */
export async function storedTrainings(user) {
  return (await loadValue(user, LIST))?.trainings;
}

/** The stored trainings. Without any it requests them, and throws `SyncError` without an answer. */
export async function loadTrainings(user) {
  return (await storedTrainings(user)) ?? (await refreshTrainings(user));
}

/** Requests the trainings; gives the current ones. Throws `SyncError`; the stored ones stay. */
export async function refreshTrainings(user) {
  const known = await loadValue(user, LIST);
  const headers = { Accept: "application/json" };
  if (known?.etag) headers["If-None-Match"] = known.etag;
  const answer = await authorizedFetch("/api/v1/trainings", { headers });
  if (answer.status === 304 && known) return known.trainings;
  const { trainings: list } = await jsonOf(answer);
  await saveValue(user, LIST, { trainings: list, etag: answer.headers.get("ETag") });
  announce({ change: "refreshed", kind: KIND });
  return list;
}
