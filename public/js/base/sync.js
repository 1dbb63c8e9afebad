// Sends what is queued: when the network returns, when the page becomes visible, and by a timer,
// since a stopped server does not announce its return. A row is deleted only after the server's
// answer, and sent only while the server knows the browser as the row's user: the token belongs to
// that user's session.
import { announce, markRefused, remove, waitingRows } from "./outbox.js";
import { exclusively } from "./exclusive.js";
import { currentUser } from "./current-user.js";
import {
  retryAfter,
  csrfTokenFor,
  authorizedFetch,
  FILES_TIMEOUT,
  SyncError,
} from "./authorized-fetch.js";

// Pauses between tries, in ms; the last one is repeated.
const PAUSES = [5_000, 10_000, 20_000, 40_000, 60_000, 120_000, 300_000];

/**
 * A sender of one kind, with its own tries and timer: pictures may take minutes, and a check-in does
 * not wait for them. `hasWork()` says whether something waits; `send()` sends it unless another tab
 * does, and gives the `SyncError` that stopped it; `count()` is the number of items of its `kind` that
 * exist in this browser alone.
 */
class Sender {
  #work;
  #running;
  #timer;
  #tries = 0;

  constructor(work) {
    this.#work = work;
  }

  get kind() {
    return this.#work.kind;
  }

  count() {
    return this.#work.count();
  }

  /** Sends what waits, at first with short pauses between tries. */
  restart() {
    this.#tries = 0;
    return this.flush();
  }

  /** Sends what waits. Gives why it stopped; undefined when all was sent. */
  flush() {
    this.#running ??= this.#sendOnce().finally(() => (this.#running = undefined));
    return this.#running;
  }

  schedule(pause) {
    clearTimeout(this.#timer);
    // A random part, so that clients do not all come at once after a restart.
    this.#timer = setTimeout(() => this.flush(), pause * (0.85 + Math.random() * 0.3));
  }

  async #sendOnce() {
    clearTimeout(this.#timer);
    let stop;
    let isLeft = true;
    try {
      if (!(await this.#work.hasWork())) return undefined;
      stop = await this.#work.send();
      // Asked afterwards: more may have been queued meanwhile.
      isLeft = await this.#work.hasWork();
    } catch {
      // Storage that fails now may work later; the user has been told when the row was queued.
    }
    if (stop) announce({ change: "stopped", why: stop.why });
    const pause = PAUSES[Math.min(this.#tries, PAUSES.length - 1)];
    if (isLeft) this.schedule(Math.max(pause, stop?.pause ?? 0));
    this.#tries += 1;
    return stop?.why;
  }
}

/** Rows that have no sender of their own. */
const waitingForms = async () => (await waitingRows()).filter(({ sender }) => !sender);

const senders = [
  new Sender({
    kind: "taps",
    count: async () => (await waitingForms()).length,
    hasWork: async () => (await waitingForms()).length > 0,
    send: () => sendForms("pairspot-outbox", waitingForms),
  }),
];

/** Sends what waits, now and whenever there is a chance; `others` are further senders. */
export function startSync(others = []) {
  senders.push(...others.map((work) => new Sender(work)));
  const restart = () => {
    for (const sender of senders) sender.restart();
  };
  addEventListener("online", restart);
  addEventListener("focus", restart);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") restart();
  });
  document.addEventListener("pairspot:outbox", ({ detail }) => {
    if (detail.change === "queued") for (const sender of senders) sender.schedule(PAUSES[0]);
  });
  restart();
}

/**
 * Sends what waits, of one kind or of all. Gives why it stopped: "unreachable", "later" (the server is
 * busy or broken), "signed-out" or "other" (another user is signed in); undefined when all was sent.
 */
export async function flush(kind) {
  const wanted = senders.filter((sender) => !kind || sender.kind === kind);
  const stops = await Promise.all(wanted.map((sender) => sender.flush()));
  return stops.find(Boolean);
}

/** Counts of what exists in this browser alone, by kind. */
export async function unsentCounts() {
  const found = {};
  for (const sender of senders) if (sender.kind) found[sender.kind] = await sender.count();
  return found;
}

/**
 * Sends the rows that `find()` gives as forms, unless another tab does; `name` names this work, and
 * `lease` is as for `exclusively`. Gives the `SyncError` that stopped it.
 */
export function sendForms(name, find, lease) {
  return exclusively(name, (renew) => sendAll(find, renew), lease);
}

async function sendAll(find, renew) {
  const skipped = new Set();
  try {
    const person = await currentUser();
    let token = await csrfTokenFor(person);
    for (;;) {
      // Reads the rows each time: another tab may have added or sent some.
      const row = (await find()).find(({ id }) => !skipped.has(id));
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
  const hasFiles = Array.isArray(row.fields);
  const body = hasFiles ? new FormData() : new URLSearchParams(row.fields);
  if (hasFiles) for (const [name, value] of row.fields) body.append(name, value);
  body.set("csrf_token", token);
  return authorizedFetch(
    row.address,
    { method: "POST", body },
    hasFiles ? FILES_TIMEOUT : undefined,
  );
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
