// Takes what waits to the server: when the network comes back, when somebody looks, and by a timer,
// since a server that was stopped tells nobody that it is back. A row goes only after the server's
// answer, and only for the person whom the server knows at that moment: the token that goes along
// belongs to their session, so nobody else's ever carries it.
import { announce, refuse, remove, waiting } from "./outbox.js";
import { exclusively } from "./exclusive.js";
import { user } from "./current-user.js";
import { pauseOf, permission, reach, Stop } from "./authorized-fetch.js";

// Pauses between tries, in ms; the last one stays.
const PAUSES = [5_000, 10_000, 20_000, 40_000, 60_000, 120_000, 300_000];

// Each takes one kind of things: `waits()` says whether there are any, `send()` takes them unless
// another tab does, and gives the `Stop` that kept it from taking all. `count()` is how many of its
// `kind` would be lost with this browser.
const couriers = [
  {
    kind: "taps",
    count: async () => (await waiting()).length,
    waits: async () => (await waiting()).length > 0,
    send: () => exclusively("pairspot-outbox", deliver),
  },
];

let timer;
let tries = 0;
let running;

/** Begins to send whatever waits, now and whenever there is a chance; with couriers of others. */
export function keepSending(others = []) {
  couriers.push(...others);
  const afresh = () => {
    tries = 0;
    flush();
  };
  addEventListener("online", afresh);
  addEventListener("focus", afresh);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") afresh();
  });
  document.addEventListener("pairspot:outbox", ({ detail }) => {
    if (detail.change === "queued") plan(PAUSES[0]);
  });
  afresh();
}

/**
 * Sends what waits. Gives why it stopped before all was sent: "unreachable", "later" (the server
 * is busy or broken), "signed-out", "other" (somebody else is signed in by now); or nothing.
 */
export function flush() {
  running ??= once().finally(() => (running = undefined));
  return running;
}

/** How many of each kind are kept here alone. */
export async function counts() {
  const found = {};
  for (const { kind, count } of couriers) if (kind) found[kind] = await count();
  return found;
}

async function once() {
  clearTimeout(timer);
  timer = undefined;
  const stops = [];
  let left = false;
  for (const courier of couriers) {
    try {
      if (!(await courier.waits())) continue;
      const stop = await courier.send();
      if (stop) stops.push(stop);
      left ||= await courier.waits();
    } catch {
      // Storage that fails now may work later; whoever queued has been told already.
      left = true;
    }
  }
  if (stops.length) announce({ change: "stopped", why: stops[0].why });
  const pause = Math.max(0, ...stops.map((stop) => stop.pause));
  if (left) plan(Math.max(PAUSES[Math.min(tries, PAUSES.length - 1)], pause));
  tries += 1;
  return stops[0]?.why;
}

function plan(pause) {
  clearTimeout(timer);
  // A little unevenly, so that a server that comes back isn't met by everybody at once.
  timer = setTimeout(flush, pause * (0.85 + Math.random() * 0.3));
}

async function deliver(renew) {
  const skipped = new Set();
  try {
    const person = await user();
    let token = await permission(person);
    for (;;) {
      // Read anew each time: another tab may have added one, or taken the last.
      const row = (await waiting()).find(({ id }) => !skipped.has(id));
      if (!row) return skipped.size ? new Stop("later") : undefined;
      await renew();
      let answer = await send(row, token);
      if (answer.status === 403) {
        token = await permission(person);
        answer = await send(row, token);
      }
      if (!(await settled(row, answer))) skipped.add(row.id);
    }
  } catch (stop) {
    if (stop instanceof Stop) return stop;
    throw stop;
  }
}

function send(row, token) {
  const body = new URLSearchParams(row.fields);
  body.set("csrf_token", token);
  return reach(row.address, { method: "POST", body });
}

/** Whether the row is done with, sent or refused for good; false for one to try again. */
async function settled(row, answer) {
  const landed = new URL(answer.url);
  if (answer.status === 401 || (answer.redirected && landed.pathname === "/sign-in")) {
    throw new Stop("signed-out");
  }
  // A redirect is the server's "done", even if the page that it leads to is not to be had.
  if (answer.ok || answer.redirected) {
    await remove(row, "sent");
    return true;
  }
  if ([429, 502, 503, 504].includes(answer.status)) throw new Stop("later", pauseOf(answer));
  if (answer.status >= 500 || [403, 408, 425].includes(answer.status)) return false;
  await refuse(row, await reasonIn(answer));
  return true;
}

/** The server's own words, which its page carries in the summary of errors. */
async function reasonIn(answer) {
  try {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.querySelector("[data-testid=error-summary] li, main h1");
    return found?.textContent.trim() ?? "";
  } catch {
    return "";
  }
}
