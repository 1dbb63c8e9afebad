import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { newPage, outboxEvents, serve } from "./support/browser.js";
import { cases } from "./support/cases.js";

const user = await import("../../public/js/base/current-user.js");
const outbox = await import("../../public/js/base/outbox.js");
const { flush, unsentCounts } = await import("../../public/js/base/sync.js");
const checkIns = await import("../../public/js/offline-check-ins.js");

const form = (fields = {}) => ({
  kind: "note",
  address: "/notes",
  fields: { text: "a" },
  at: 1,
  ...fields,
});

/** Answers as a server on which `name` is signed in, and records what is posted. */
function signedIn(name, answer = () => ({})) {
  return serve((path, options) =>
    path === "/csrf" ? { json: { token: "t", user: name } } : answer(path, options),
  );
}

const posts = (requests) => requests.filter(({ method }) => method === "POST");

beforeEach(() => newPage({ user: "ann" }));

test("A queued form waits, and pages are told", async (context) => {
  const events = outboxEvents(context);
  assert.equal(await outbox.enqueue(form()), true);
  const [row] = await outbox.waitingRows();
  assert.deepEqual([row.user, row.address, row.fields.text], ["ann", "/notes", "a"]);
  assert.deepEqual(events, [{ change: "queued", kind: "note" }]);
});

test("Without a user nothing can be queued", async () => {
  newPage();
  await assert.rejects(outbox.enqueue(form()));
});

test("A row with `once` exists once per user", async () => {
  assert.equal(await outbox.enqueue(form({ once: "day" })), true);
  assert.equal(await outbox.enqueue(form({ once: "day" })), false);
  document.body.dataset.user = "ben";
  assert.equal(await outbox.enqueue(form({ once: "day" })), true);
});

test("Rows come oldest first, of one kind, and of one user", async () => {
  await outbox.enqueue(form({ at: 3 }));
  await outbox.enqueue(form({ at: 2, kind: "other" }));
  await outbox.enqueue(form({ at: 1 }));
  assert.deepEqual(
    (await outbox.waitingRows()).map(({ at }) => at),
    [1, 2, 3],
  );
  assert.deepEqual(
    (await outbox.waitingRows("note")).map(({ at }) => at),
    [1, 3],
  );
  document.body.dataset.user = "ben";
  assert.deepEqual(await outbox.waitingRows(), []);
});

test("A refused row keeps its reason, and the same can be queued again", async () => {
  await outbox.enqueue(form({ once: "day" }));
  const [row] = await outbox.waitingRows();
  await outbox.markRefused(row, "too old");
  assert.deepEqual(await outbox.waitingRows(), []);
  assert.equal((await outbox.refusedRows())[0].reason, "too old");
  assert.equal(await outbox.enqueue(form({ once: "day" })), true);
});

test("An offline page queues for the last user", async () => {
  await user.rememberUser();
  document.body.dataset = { shell: "" };
  assert.equal(await user.currentUser(), "ann");
  await outbox.enqueue(form());
  assert.equal((await outbox.rows("ann")).length, 1);
});

test("Sent rows are deleted, oldest first", async () => {
  const requests = signedIn("ann");
  await outbox.enqueue(form({ at: 2, address: "/second" }));
  await outbox.enqueue(form({ at: 1, address: "/first" }));
  assert.equal(await flush(), undefined);
  assert.deepEqual(
    posts(requests).map(({ path }) => path),
    ["/first", "/second"],
  );
  assert.equal(posts(requests)[0].body.get("csrf_token"), "t");
  assert.deepEqual(await outbox.rows(), []);
});

cases(
  "Sending stops, and the row stays",
  {
    "no network": [() => Promise.reject(new TypeError("failed")), "unreachable"],
    "the server is busy": [() => ({ status: 503 }), "later"],
    "the session has ended": [() => ({ status: 401 }), "signed-out"],
  },
  async (answer, why) => {
    newPage({ user: "ann" });
    signedIn("ann", answer);
    await outbox.enqueue(form());
    assert.equal(await flush(), why);
    assert.equal((await outbox.waitingRows()).length, 1);
  },
);

cases(
  "Nothing is sent in another user's session",
  {
    "another user": ["ben", "other"],
    "no user": [undefined, "signed-out"],
  },
  async (name, why) => {
    newPage({ user: "ann" });
    const requests = signedIn(name);
    await outbox.enqueue(form());
    assert.equal(await flush(), why);
    assert.deepEqual(posts(requests), []);
  },
);

test("A refused form is kept and the next one is sent", async () => {
  globalThis.DOMParser = class {
    parseFromString() {
      return { querySelector: () => ({ textContent: " Too old " }) };
    }
  };
  signedIn("ann", (path) => (path === "/first" ? { status: 422 } : {}));
  await outbox.enqueue(form({ at: 1, address: "/first" }));
  await outbox.enqueue(form({ at: 2, address: "/second" }));
  assert.equal(await flush(), undefined);
  const [row] = await outbox.rows();
  assert.deepEqual([row.address, row.state, row.reason], ["/first", "refused", "Too old"]);
});

test("A row that meets a server error is skipped this time", async () => {
  signedIn("ann", (path) => (path === "/first" ? { status: 500 } : {}));
  await outbox.enqueue(form({ at: 1, address: "/first" }));
  await outbox.enqueue(form({ at: 2, address: "/second" }));
  assert.equal(await flush(), "later");
  assert.deepEqual(
    (await outbox.waitingRows()).map(({ address }) => address),
    ["/first"],
  );
});

test("A stale token is replaced once", async () => {
  let isFirst = true;
  const requests = signedIn("ann", () => {
    const status = isFirst ? 403 : 200;
    isFirst = false;
    return { status };
  });
  await outbox.enqueue(form());
  assert.equal(await flush(), undefined);
  assert.equal(posts(requests).length, 2);
});

test("A check-in is queued once a day", async () => {
  const at = Date.parse("2026-11-21T15:30:00Z");
  assert.equal(await checkIns.queueCheckIn(at, "UTC"), true);
  assert.equal(await checkIns.queueCheckIn(at + 60_000, "UTC"), false);
  assert.equal(await checkIns.isQueued("2026-11-21"), true);
  // An hour later it is another day in Taipei.
  assert.equal(await checkIns.queueCheckIn(at + 3600_000, "Asia/Taipei"), true);
  assert.equal(await checkIns.isQueued("2026-11-22"), true);
  const [row] = await outbox.waitingRows();
  assert.equal(row.fields.tapped_at, "2026-11-21T15:30:00.000Z");
  assert.deepEqual(await unsentCounts(), { taps: 2 });
});

test("Where hours are counted, a check-in is queued once an hour", async () => {
  const at = Date.parse("2026-11-21T15:10:00Z");
  assert.equal(await checkIns.queueCheckIn(at, "UTC", true), true);
  assert.equal(await checkIns.queueCheckIn(at + 60_000, "UTC", true), false);
  assert.equal(await checkIns.queueCheckIn(at + 3600_000, "UTC", true), true);
  assert.equal(await checkIns.isQueued("2026-11-21"), true);
  assert.equal(await checkIns.isQueued("2026-11-22"), false);
});

test("Signing out deletes the user's data when a later page shows that it is done", async () => {
  await user.rememberUser();
  await user.saveValue("ann", "binding", { token: "secret" });
  await outbox.enqueue(form());
  await user.markSigningOut("ann");
  await user.clearSignedOutUser();
  assert.equal((await outbox.rows("ann")).length, 1, "still signed in");
  await user.markSigningOut("ann");
  document.body.dataset = {};
  await user.clearSignedOutUser();
  assert.deepEqual(await outbox.rows("ann"), []);
  assert.equal(await user.lastUser(), undefined);
  assert.deepEqual(await user.loadValue("", "unbind"), ["secret"]);
});

test("A form that is queued cancels a sign-out that failed", async () => {
  await user.markSigningOut("ann");
  document.body.dataset = { user: "ann", shell: "" };
  await outbox.enqueue(form());
  document.body.dataset = {};
  await user.clearSignedOutUser();
  assert.equal((await outbox.rows("ann")).length, 1);
});

test("Signing out offline deletes at once, and is finished when the server answers", async () => {
  await outbox.enqueue(form());
  await user.signOutOffline("ann");
  assert.deepEqual(await outbox.rows("ann"), []);
  assert.equal(await user.hasSignedOutOffline(), true);
  document.body.dataset.user = "ben";
  assert.equal(await user.hasSignedOutOffline(), false);
});
