// Trainings in this browser: the list from here first, renewed when the server has another one; and
// the films that a person keeps, so that they play without a network (the service worker answers).
import { exclusively } from "../base/exclusive.js";
import { keptFiles, recall, remember } from "../base/current-user.js";
import { announce } from "../base/outbox.js";
import { reach } from "../base/authorized-fetch.js";
import { StorageFailure } from "../base/database.js";
import { bodyOf, Stop } from "./api.js";

const LIST = "trainings";
const CHOSEN = "films";
export const KIND = "training";

/** The trainings as they were last seen here (docs/api/workouts.md); with none yet it asks for them,
 * and throws `Stop` when there is no answer. */
export async function trainings(user) {
  return (await recall(user, LIST))?.trainings ?? (await refreshTrainings(user));
}

/** One training by its id, if it is known here. */
export async function training(user, id) {
  return (await recall(user, LIST))?.trainings.find((one) => one.id === id);
}

/** Asks whether there are others; gives those that hold now. Throws `Stop`; the old ones stay. */
export async function refreshTrainings(user) {
  const known = await recall(user, LIST);
  const headers = { Accept: "application/json" };
  if (known?.etag) headers["If-None-Match"] = known.etag;
  const answer = await reach("/api/v1/trainings", { headers });
  if (answer.status === 304 && known) return known.trainings;
  const { trainings: list } = await bodyOf(answer);
  await remember(user, LIST, { trainings: list, etag: answer.headers.get("ETag") });
  announce({ change: "refreshed", kind: KIND });
  return list;
}

// Films.

/** The ids of trainings whose films a person wants to have here. */
export async function chosenFilms(user) {
  return new Set(await recall(user, CHOSEN));
}

/** Chooses a training's film, or no longer; `syncFilms` brings or removes it. */
export async function chooseFilm(user, id, isChosen) {
  const chosen = await chosenFilms(user);
  if (isChosen) chosen.add(id);
  else chosen.delete(id);
  await remember(user, CHOSEN, [...chosen]);
}

/** The ids of trainings whose films are whole in this browser. */
export async function keptFilms(user) {
  const list = (await recall(user, LIST))?.trainings ?? [];
  const here = new Set(await addresses(user));
  return new Set(list.filter((one) => here.has(pathOf(one.video_url))).map(({ id }) => id));
}

/**
 * Brings new films and lets go of those that were removed, or are not wanted any more; covers of
 * all trainings come along. `progress({done, total})` counts films. Throws `Stop` without a
 * network, `StorageFailure` without room; what is whole stays. Null when another tab is at it.
 */
export function syncFilms(user, progress = () => {}, signal = undefined) {
  return exclusively("pairspot-films", () => sync(user, progress, signal));
}

async function sync(user, progress, signal) {
  // Without https there is nowhere to keep files.
  if (!globalThis.caches) return;
  const list = (await recall(user, LIST))?.trainings ?? [];
  const chosen = await chosenFilms(user);
  const films = list.filter(({ id, video_url: film }) => film && chosen.has(id));
  const covers = list.map(({ cover_url: cover }) => pathOf(cover)).filter(Boolean);
  const wanted = new Set([...covers, ...films.map(({ video_url: film }) => pathOf(film))]);
  const here = new Set(await addresses(user));
  const store = await caches.open(keptFiles(user));
  for (const path of here) if (!wanted.has(path)) await store.delete(path);
  for (const cover of covers) if (!here.has(cover)) await bring(store, cover, null, signal);
  let done = films.filter(({ video_url: film }) => here.has(pathOf(film))).length;
  const missing = films.filter(({ video_url: film }) => !here.has(pathOf(film)));
  const total = films.length;
  if (missing.length) tell(progress, done, total);
  for (const { video_url: film, video_size: bytes } of missing) {
    await bring(store, pathOf(film), bytes, signal);
    done += 1;
    tell(progress, done, total);
  }
}

function tell(progress, done, total) {
  progress({ done, total });
  announce({ change: "progress", kind: KIND, done, total });
}

/** Puts a whole file into the cache; one that broke off is not kept. */
async function bring(store, path, bytes, signal) {
  await room(bytes);
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", cache: "no-store", signal });
  } catch {
    throw new Stop(signal?.aborted ? "skipped" : "unreachable");
  }
  // Gone since the list was made: the next list doesn't have it.
  if (answer.status === 404) return;
  if (answer.status !== 200 || answer.redirected) throw new Stop("later");
  try {
    await store.put(path, answer);
  } catch (error) {
    if (error?.name === "QuotaExceededError") throw new StorageFailure(error);
    throw new Stop(signal?.aborted ? "skipped" : "unreachable");
  }
}

/** Says at once that there is no room, rather than after half an hour. */
async function room(bytes) {
  const estimate = bytes && (await navigator.storage?.estimate?.());
  if (!estimate?.quota || estimate.quota - estimate.usage > bytes) return;
  throw new StorageFailure(new DOMException("no room", "QuotaExceededError"));
}

async function addresses(user) {
  if (!globalThis.caches || !(await caches.has(keptFiles(user)))) return [];
  const store = await caches.open(keptFiles(user));
  return (await store.keys()).map(({ url }) => new URL(url).pathname);
}

/** The API names files by the site's own address, which need not be the one of this page. */
export function pathOf(address) {
  return address ? new URL(address, location.origin).pathname : undefined;
}
