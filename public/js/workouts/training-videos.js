// The videos of trainings that a user keeps for use without a network; the service worker serves them.
import { exclusively } from "../base/exclusive.js";
import { userCacheName, loadValue, saveValue } from "../base/current-user.js";
import { announce } from "../base/outbox.js";
import { StorageFailure } from "../base/database.js";
import { SyncError } from "./api.js";
import { KIND, storedTrainings } from "./trainings.js";

const CHOSEN = "films";

/** The ids of trainings whose videos the user wants to keep. */
export async function chosenVideos(user) {
  return new Set(await loadValue(user, CHOSEN));
}

/** Chooses or deselects a video; `syncVideos` downloads or deletes it. */
export async function chooseVideo(user, id, isChosen) {
  const chosen = await chosenVideos(user);
  if (isChosen) chosen.add(id);
  else chosen.delete(id);
  await saveValue(user, CHOSEN, [...chosen]);
}

/** The ids of trainings whose videos are cached completely. */
export async function cachedVideos(user) {
  const list = (await storedTrainings(user)) ?? [];
  const here = new Set(await cachedPaths(user));
  return new Set(list.filter((one) => here.has(localPath(one.video_url))).map(({ id }) => id));
}

/**
 * Downloads chosen videos and all covers, and deletes those that are not wanted any more.
 * `progress({done, total})` counts videos. Throws `SyncError` without a network, `StorageFailure`
 * without space; complete files stay. Null when another tab does it.
 */
export function syncVideos(user, progress = () => {}, signal = undefined) {
  return exclusively("pairspot-films", () => syncCache(user, progress, signal));
}

async function syncCache(user, progress, signal) {
  // Caches need HTTPS.
  if (!globalThis.caches) return;
  const list = (await storedTrainings(user)) ?? [];
  const chosen = await chosenVideos(user);
  const films = list.filter(({ id, video_url: film }) => film && chosen.has(id));
  const covers = list.map(({ cover_url: cover }) => localPath(cover)).filter(Boolean);
  const wanted = new Set([...covers, ...films.map(({ video_url: film }) => localPath(film))]);
  const here = new Set(await cachedPaths(user));
  const store = await caches.open(userCacheName(user));
  for (const path of here) if (!wanted.has(path)) await store.delete(path);
  for (const cover of covers) if (!here.has(cover)) await download(store, cover, null, signal);
  let done = films.filter(({ video_url: film }) => here.has(localPath(film))).length;
  const missing = films.filter(({ video_url: film }) => !here.has(localPath(film)));
  const total = films.length;
  if (missing.length) reportProgress(progress, done, total);
  for (const { video_url: film, video_size: bytes } of missing) {
    await download(store, localPath(film), bytes, signal);
    done += 1;
    reportProgress(progress, done, total);
  }
}

function reportProgress(progress, done, total) {
  progress({ done, total });
  announce({ change: "progress", kind: KIND, done, total });
}

/** Downloads a file into the cache, completely or not at all. */
async function download(store, path, bytes, signal) {
  await ensureSpace(bytes);
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", cache: "no-store", signal });
  } catch {
    throw new SyncError(signal?.aborted ? "skipped" : "unreachable");
  }
  // Deleted since the list was made: the next list does not have it.
  if (answer.status === 404) return;
  if (answer.status !== 200 || answer.redirected) throw new SyncError("later");
  try {
    await store.put(path, answer);
  } catch (error) {
    if (error?.name === "QuotaExceededError") throw new StorageFailure(error);
    throw new SyncError(signal?.aborted ? "skipped" : "unreachable");
  }
}

/** Throws at once if there is not enough space. */
async function ensureSpace(bytes) {
  const estimate = bytes && (await navigator.storage?.estimate?.());
  if (!estimate?.quota || estimate.quota - estimate.usage > bytes) return;
  throw new StorageFailure(new DOMException("no space", "QuotaExceededError"));
}

async function cachedPaths(user) {
  if (!globalThis.caches || !(await caches.has(userCacheName(user)))) return [];
  const store = await caches.open(userCacheName(user));
  return (await store.keys()).map(({ url }) => new URL(url).pathname);
}

/**
 * The path of a file. The API's addresses use the site's own host, which may differ from the
 * page's.
 */
export function localPath(address) {
  return address ? new URL(address, location.origin).pathname : undefined;
}
