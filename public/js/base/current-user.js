// The user of this browser, and values that pages save for those that open without a network. Only
// signing out clears them; an expired session clears nothing. A user is known by an opaque key.
import { transact } from "./database.js";

// Stands instead of a user's key for values of the browser itself.
const BROWSER = "";

/** The key of this page's user, if any. */
export function pageUser() {
  return document.body.dataset.user;
}

/** The user of this page; on an offline page the last user. */
export async function currentUser() {
  return pageUser() ?? (isShell() ? await loadValue(BROWSER, "last") : undefined);
}

/** Whether this is an offline page from the service worker, made for no user in particular. */
export function isShell() {
  return document.body.dataset.shell !== undefined;
}

export function saveValue(user, name, value) {
  return transact("readwrite", (all) => all.objectStore("told").put({ user, name, value }));
}

export async function loadValue(user, name) {
  const row = await transact("readonly", (all) => all.objectStore("told").get([user, name]));
  return row?.value;
}

/** The last user, whether still signed in or not. */
export function lastUser() {
  return loadValue(BROWSER, "last");
}

/** Saves who the user is, and the theme of the page. */
export async function rememberUser() {
  if (isShell()) return;
  const person = pageUser();
  if (person && person === (await loadValue(BROWSER, "left"))) return;
  await saveValue(BROWSER, "theme", document.documentElement.dataset.theme);
  if (person) await saveValue(BROWSER, "last", person);
}

export function lastTheme() {
  return loadValue(BROWSER, "theme");
}

/**
 * Notes that the user is signing out. The data is cleared when a later page shows that it is done.
 */
export function markSigningOut(person) {
  return saveValue(BROWSER, "leaving", person);
}

/** Forgets a sign-out that failed, so that it does not clear new data later. */
export async function cancelSignOut() {
  if (isShell()) await saveValue(BROWSER, "leaving", null);
}

/** Signs a user out while the server cannot be reached, and deletes all of their data at once. */
export async function signOutOffline(person) {
  await transact("readwrite", (all) => {
    all.objectStore("told").delete([BROWSER, "leaving"]);
    all.objectStore("told").put({ user: BROWSER, name: "left", value: person });
    deleteUserData(all, person);
  });
  await globalThis.caches?.delete(userCacheName(person));
}

/** Whether the user of this page signed out while the server could not be reached. */
export async function hasSignedOutOffline() {
  if (isShell()) return false;
  const person = await loadValue(BROWSER, "left");
  if (!person) return false;
  if (person === pageUser()) return true;
  // The session has ended in another way.
  await transact("readwrite", (all) => all.objectStore("told").delete([BROWSER, "left"]));
  return false;
}

/** Deletes the data of a user whose sign-out is done. */
export async function clearSignedOutUser() {
  if (isShell()) return;
  const person = await loadValue(BROWSER, "leaving");
  if (!person) return;
  await transact("readwrite", (all) => {
    all.objectStore("told").delete([BROWSER, "leaving"]);
    // Still signed in: the request failed, and nothing is deleted.
    if (person === pageUser()) return;
    deleteUserData(all, person);
  });
  if (person !== pageUser()) await globalThis.caches?.delete(userCacheName(person));
}

/** The name of the cache with the files of a user. */
export function userCacheName(person) {
  return `kept-${person}`;
}

/** Queues the news for the server that this device is no longer bound to the user. */
function queueUnbind(told, person) {
  const binding = told.get([person, "binding"]);
  binding.onsuccess = () => {
    const token = binding.result?.value.token;
    if (!token) return;
    const others = told.get([BROWSER, "unbind"]);
    others.onsuccess = () => {
      const value = [...(others.result?.value ?? []), token];
      told.put({ user: BROWSER, name: "unbind", value });
    };
  };
}

function deleteUserData(all, person) {
  const told = all.objectStore("told");
  queueUnbind(told, person);
  const everything = IDBKeyRange.bound([person], [person, []]);
  for (const name of ["told", "workouts", "recordings", "rides"]) {
    all.objectStore(name).delete(everything);
  }
  const last = told.get([BROWSER, "last"]);
  last.onsuccess = () => {
    if (last.result?.value === person) told.delete([BROWSER, "last"]);
  };
  const rows = all.objectStore("outbox").index("user").openKeyCursor(IDBKeyRange.only(person));
  rows.onsuccess = () => {
    if (!rows.result) return;
    all.objectStore("outbox").delete(rows.result.primaryKey);
    rows.result.continue();
  };
}
