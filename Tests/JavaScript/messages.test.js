import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { newPage, outboxEvents, serve } from "./support/browser.js";
import { cases } from "./support/cases.js";

const outbox = await import("../../public/js/base/outbox.js");
const { flush, startSync, unsentCounts } = await import("../../public/js/base/sync.js");
const { MESSAGE, messageSender } = await import("../../public/js/messages/queue.js");
const outgoing = await import("../../public/js/messages/outgoing.js");
const { clock } = await import("../../public/js/messages/recorder.js");
const { clientID, queueMessage, queuedMessages, sendMessages } = outgoing;

const ADDRESS = "/api/v1/conversations/talk/messages";

/** Answers as a server on which Ann is signed in, and records what is posted. */
function signedIn(answer = () => ({ status: 201 }), user = "ann") {
  return serve((path, options) =>
    path === "/csrf" ? { json: { token: "t", user } } : answer(path, options),
  );
}

const sent = (requests) =>
  requests.filter(({ method }) => method === "POST").map(({ body }) => body.get("text"));

const refusal = (status, code, fields) => ({
  status,
  json: { error: { code, message: "Not now", ...(fields && { fields }) } },
});

beforeEach(() => newPage({ user: "ann" }));

test("A message waits with its identifier, and is no form of the outbox", async (context) => {
  const events = outboxEvents(context);
  await queueMessage("talk", { text: "Hello", quoted: "q", client_id: "c" });
  const [row] = await outbox.waitingRows(MESSAGE);
  assert.equal(row.address, ADDRESS);
  assert.deepEqual(row.fields, { client_id: "c", text: "Hello", quoted_id: "q" });
  assert.deepEqual(events, [{ change: "queued", kind: MESSAGE }]);
  assert.deepEqual(await unsentCounts(), { taps: 0 });
  assert.equal(await messageSender.count(), 1);
  const requests = signedIn();
  assert.equal(await flush(), undefined);
  assert.deepEqual(sent(requests), []);
});

test("A voice note waits with its words, and is sent as a file", async () => {
  const voice = new File(["sound"], "voice.webm", { type: "audio/webm" });
  await queueMessage("talk", { text: "", voice, client_id: "c" });
  const requests = signedIn();
  assert.equal(await sendMessages(), undefined);
  const { body } = requests.find(({ method }) => method === "POST");
  assert.equal(body.get("client_id"), "c");
  assert.equal(body.get("voice").type, "audio/webm");
  assert.equal(await body.get("voice").text(), "sound");
});

test("The length of a recording is shown in minutes and seconds", () => {
  assert.deepEqual([0, 999, 7_000, 67_500, 120_000].map(clock), [
    "0:00",
    "0:00",
    "0:07",
    "1:07",
    "2:00",
  ]);
});

test("The same message is queued once", async () => {
  assert.equal(await queueMessage("talk", { text: "Hello", client_id: "c" }), true);
  assert.equal(await queueMessage("talk", { text: "Hello", client_id: "c" }), false);
  assert.equal(await messageSender.count(), 1);
});

test("Identifiers differ", () => {
  assert.match(clientID(), /^[0-9a-f]{32}$/);
  assert.notEqual(clientID(), clientID());
});

test("Messages are sent in their order, and then gone", async () => {
  const requests = signedIn();
  for (const text of ["one", "two", "three"]) await queueMessage("talk", { text });
  assert.equal(await sendMessages(), undefined);
  assert.deepEqual(sent(requests), ["one", "two", "three"]);
  const posts = requests.filter(({ method }) => method === "POST");
  assert.equal(posts[0].path, ADDRESS);
  assert.equal(posts[0].headers["X-CSRF-Token"], "t");
  assert.equal(new Set(posts.map(({ body }) => body.get("client_id"))).size, 3);
  assert.deepEqual(await outbox.rows(), []);
});

test("A clock that is set back doesn't change the order", async (context) => {
  const requests = signedIn();
  await queueMessage("talk", { text: "first" });
  context.mock.method(Date, "now", () => 1_000);
  await queueMessage("talk", { text: "second" });
  await sendMessages();
  assert.deepEqual(sent(requests), ["first", "second"]);
});

test("A repeated sending has the same identifier", async () => {
  let isLost = true;
  const requests = signedIn(() => {
    if (!isLost) return { status: 201 };
    isLost = false;
    throw new TypeError("the answer was lost");
  });
  await queueMessage("talk", { text: "once" });
  assert.equal((await sendMessages()).why, "unreachable");
  assert.equal(await sendMessages(), undefined);
  const ids = requests.filter(({ body }) => body).map(({ body }) => body.get("client_id"));
  assert.equal(ids.length, 2);
  assert.equal(ids[0], ids[1]);
});

test("Later messages wait behind one that fails; other conversations don't", async () => {
  const requests = signedIn((path) => ({ status: path === ADDRESS ? 500 : 201 }));
  await queueMessage("talk", { text: "one" });
  await queueMessage("talk", { text: "two" });
  await queueMessage("other", { text: "three" });
  assert.equal((await sendMessages()).why, "later");
  assert.deepEqual(sent(requests), ["one", "three"]);
  assert.deepEqual(
    (await queuedMessages("talk")).map(({ fields }) => fields.text),
    ["one", "two"],
  );
});

cases(
  "Sending stops, and the message stays",
  {
    "no network": [() => Promise.reject(new TypeError("failed")), "unreachable"],
    "the server is busy": [() => ({ status: 503 }), "later"],
    "too many messages": [() => ({ status: 429, headers: { "Retry-After": "60" } }), "later"],
    "the session has ended": [() => ({ status: 401 }), "signed-out"],
  },
  async (answer, why) => {
    newPage({ user: "ann" });
    signedIn(answer);
    await queueMessage("talk", { text: "Hello" });
    assert.equal((await sendMessages()).why, why);
    assert.equal((await outbox.waitingRows(MESSAGE)).length, 1);
  },
);

test("Nothing is sent in another user's session", async () => {
  const requests = signedIn(undefined, "ben");
  await queueMessage("talk", { text: "Hello" });
  assert.equal((await sendMessages()).why, "other");
  assert.deepEqual(sent(requests), []);
});

test("A refused message keeps the server's reason, and waits again when the user asks", async () => {
  signedIn((_, { body }) =>
    body.get("text") === "link" ? refusal(422, "validation_error", { text: "No links" }) : {},
  );
  await queueMessage("talk", { text: "link" });
  await queueMessage("talk", { text: "next" });
  assert.equal(await sendMessages(), undefined);
  const [row] = await outbox.rows();
  assert.deepEqual([row.fields.text, row.state, row.reason], ["link", "refused", "No links"]);
  await outbox.requeue(row);
  const [again] = await outbox.waitingRows(MESSAGE);
  assert.equal(again.reason, undefined);
});

test("A conversation that is closed refuses with its message; an old token is replaced", async () => {
  signedIn(() => refusal(403, "forbidden"));
  await queueMessage("talk", { text: "Hello" });
  assert.equal(await sendMessages(), undefined);
  assert.deepEqual(
    (await outbox.refusedRows(MESSAGE)).map(({ reason }) => reason),
    ["Not now"],
  );

  newPage({ user: "ann" });
  let isFirst = true;
  const requests = signedIn(() => {
    const answer = isFirst ? refusal(403, "csrf") : { status: 201 };
    isFirst = false;
    return answer;
  });
  await queueMessage("talk", { text: "Hello" });
  assert.equal(await sendMessages(), undefined);
  assert.deepEqual(sent(requests), ["Hello", "Hello"]);
  assert.deepEqual(await outbox.rows(), []);
});

test("Signing out asks about messages, and every page sends them", async () => {
  document.visibilityState = "visible";
  const requests = signedIn();
  await queueMessage("talk", { text: "Hello" });
  startSync([messageSender]);
  assert.deepEqual(Object.keys(await unsentCounts()), ["taps", "messages"]);
  await flush();
  assert.deepEqual(sent(requests), ["Hello"]);
});
