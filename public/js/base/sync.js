// Sends what is queued: when the network returns, when the page becomes visible, and by a timer,
// since a stopped server does not announce its return. A row is deleted only after the server's
// answer, and sent only while the server knows the browser as the row's user: the token belongs to
// that user's session.
import { announce, markRefused, remove, waitingRows } from "./outbox.js";
import { exclusively } from "./exclusive.js";
import { currentUser } from "./current-user.js";
import { retryAfter, csrfTokenFor, authorizedFetch, SyncError } from "./authorized-fetch.js";

// Pauses between tries, in ms; the last one is repeated.
const PAUSES = [5_000, 10_000, 20_000, 40_000, 60_000, 120_000, 300_000];

// Senders of one kind each. `hasWork()` says whether something waits; `send()` sends it unless
// another tab does, and gives the `SyncError` that stopped it; `count()` is the number of items of
// its `kind` that exist in this browser alone.
const senders = [
  {
    kind: "taps",
    count: async () => (await waitingRows()).length,
    hasWork: async () => (await waitingRows()).length > 0,
    send: () => exclusively("pairspot-outbox", sendOutbox),
  },
];

let timer;
let tries = 0;
let running;

/** Sends what waits, now and whenever there is a chance; `others` are further senders. */
export function startSync(others = []) {
  senders.push(...others);
  const restart = () => {
    tries = 0;
    flush();
  };
  addEventListener("online", restart);
  addEventListener("focus", restart);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") restart();
  });
  document.addEventListener("pairspot:outbox", ({ detail }) => {
    if (detail.change === "queued") schedule(PAUSES[0]);
  });
  restart();
}

/**
 * Sends what waits. Gives why it stopped: "unreachable", "later" (the server is busy or broken),
 * "signed-out" or "other" (another user is signed in); undefined when all was sent.
 */
export function flush() {
  running ??= syncOnce().finally(() => (running = undefined));
  return running;
}

/** Counts of what exists in this browser alone, by kind. */
export async function unsentCounts() {
  const found = {};
  for (const { kind, count } of senders) if (kind) found[kind] = await count();
  return found;
}

async function syncOnce() {
  clearTimeout(timer);
  timer = undefined;
  const stops = [];
  let left = false;
  for (const sender of senders) {
    try {
      if (!(await sender.hasWork())) continue;
      const stop = await sender.send();
      if (stop) stops.push(stop);
      left ||= await sender.hasWork();
    } catch {
      // Storage that fails now may work later; the user has been told when the row was queued.
      left = true;
    }
  }
  if (stops.length) announce({ change: "stopped", why: stops[0].why });
  const pause = Math.max(0, ...stops.map((stop) => stop.pause));
  if (left) schedule(Math.max(PAUSES[Math.min(tries, PAUSES.length - 1)], pause));
  tries += 1;
  return stops[0]?.why;
}

function schedule(pause) {
  clearTimeout(timer);
  // A random part, so that clients do not all come at once after a restart.
  timer = setTimeout(flush, pause * (0.85 + Math.random() * 0.3));
}

async function sendOutbox(renew) {
  const skipped = new Set();
  try {
    const person = await currentUser();
    let token = await csrfTokenFor(person);
    for (;;) {
      // Reads the rows each time: another tab may have added or sent some.
      const row = (await waitingRows()).find(({ id }) => !skipped.has(id));
      if (!row) return skipped.size ? new SyncError("later") : undefined;
      await renew();
      let answer = await sendRow(row, token);
      if (answer.status === 403) {
        token = await csrfTokenFor(person);
        answer = await sendRow(row, token);
      }
      if (!(await handleAnswer(row, answer))) skipped.add(row.id);
    }
  } catch (stop) {
    if (stop instanceof SyncError) return stop;
    throw stop;
  }
}

function sendRow(row, token) {
  const body = new URLSearchParams(row.fields);
  body.set("csrf_token", token);
  return authorizedFetch(row.address, { method: "POST", body });
}

/** Whether the row is done, sent or refused for good; false for one to send again. */
async function handleAnswer(row, answer) {
  const landed = new URL(answer.url);
  if (answer.status === 401 || (answer.redirected && landed.pathname === "/sign-in")) {
    throw new SyncError("signed-out");
  }
  // A redirect means success, even if the page it leads to cannot be loaded.
  if (answer.ok || answer.redirected) {
    await remove(row, "sent");
    return true;
  }
  if ([429, 502, 503, 504].includes(answer.status))
    throw new SyncError("later", retryAfter(answer));
  if (answer.status >= 500 || [403, 408, 425].includes(answer.status)) return false;
  await markRefused(row, await refusalReason(answer));
  return true;
}

/** The error text in the server's page. */
async function refusalReason(answer) {
  try {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.querySelector("[data-testid=error-summary] li, main h1");
    return found?.textContent.trim() ?? "";
  } catch {
    return "";
  }
}
