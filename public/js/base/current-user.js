// What pages tell those that open without a network: who was here last, and what they need to know.
// Signing out is the only thing that clears it; an expired session clears nothing.
import { transact } from "./database.js";

// Under this instead of a person's key stands what belongs to the browser itself.
const BROWSER = "";

/** The person whom this page was made for: an opaque key, or nothing. */
export function pageUser() {
  return document.body.dataset.user;
}

/** The person of this page; on a page made for nobody, who was here last. */
export async function user() {
  return pageUser() ?? (isShell() ? await recall(BROWSER, "last") : undefined);
}

/** Whether this page was made for nobody and comes from the service worker. */
export function isShell() {
  return document.body.dataset.shell !== undefined;
}

export function remember(user, name, value) {
  return transact("readwrite", (all) => all.objectStore("told").put({ user, name, value }));
}

export async function recall(user, name) {
  const row = await transact("readonly", (all) => all.objectStore("told").get([user, name]));
  return row?.value;
}

/** Who was here last, whether signed in still or not. */
export function lastUser() {
  return recall(BROWSER, "last");
}

/** Notes who is here, and how they like pages to look. */
export async function meet() {
  if (isShell()) return;
  const person = pageUser();
  if (person && person === (await recall(BROWSER, "left"))) return;
  await remember(BROWSER, "theme", document.documentElement.dataset.theme);
  if (person) await remember(BROWSER, "last", person);
}

export function lastTheme() {
  return recall(BROWSER, "theme");
}

/** Notes that the person of this page is signing out. It is done only when a page shows it. */
export function leaving(person) {
  return remember(BROWSER, "leaving", person);
}

/** Who goes on without the server has not left: a sign-out that failed must not clear it later. */
export async function stay() {
  if (isShell()) await remember(BROWSER, "leaving", null);
}

/** Signs somebody out of this browser while the server can't hear it: all of theirs goes at once. */
export async function leaveAlone(person) {
  await transact("readwrite", (all) => {
    all.objectStore("told").delete([BROWSER, "leaving"]);
    all.objectStore("told").put({ user: BROWSER, name: "left", value: person });
    forget(all, person);
  });
  await globalThis.caches?.delete(keptFiles(person));
}

/** Whether the person of this page has left while the server didn't hear it. */
export async function hasLeft() {
  if (isShell()) return false;
  const person = await recall(BROWSER, "left");
  if (!person) return false;
  if (person === pageUser()) return true;
  // Their session has ended some other way.
  await transact("readwrite", (all) => all.objectStore("told").delete([BROWSER, "left"]));
  return false;
}

/** Clears what is kept of somebody who has signed out by now. */
export async function settle() {
  if (isShell()) return;
  const person = await recall(BROWSER, "leaving");
  if (!person) return;
  await transact("readwrite", (all) => {
    all.objectStore("told").delete([BROWSER, "leaving"]);
    // Still signed in: the request didn't go through, and nothing is lost.
    if (person === pageUser()) return;
    forget(all, person);
  });
  if (person !== pageUser()) await globalThis.caches?.delete(keptFiles(person));
}

/** The name of the cache with the files that a person keeps. */
export function keptFiles(person) {
  return `kept-${person}`;
}

/** The device on which this person recorded is free again: the server hears it when it can. */
function letGo(told, person) {
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

function forget(all, person) {
  const told = all.objectStore("told");
  letGo(told, person);
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
