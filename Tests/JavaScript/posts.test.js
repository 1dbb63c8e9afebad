import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { newPage, serve } from "./support/browser.js";
import { cases } from "./support/cases.js";
import { Part } from "./support/parts.js";

const outbox = await import("../../public/js/base/outbox.js");
const { flush, startSync, unsentCounts } = await import("../../public/js/base/sync.js");
const { POST, postSender, queuePost } = await import("../../public/js/feed/queue.js");
const { hasTakenPictures } = await import("../../public/js/feed/refused.js");

const fields = (content, nonce = "n") => [
  ["csrf_token", "old"],
  ["nonce", nonce],
  ["content", content],
  ["description_1", "One"],
  ["description_1", "Two"],
];

/** Answers as a server on which Ann is signed in, and records what is posted. */
function signedIn(answer = () => ({})) {
  return serve((path, options) =>
    path === "/csrf" ? { json: { token: "t", user: "ann" } } : answer(path, options),
  );
}

const posts = (requests) => requests.filter(({ method }) => method === "POST");

beforeEach(() => newPage({ user: "ann" }));

newPage({});
startSync([postSender]);

test("A post waits apart from check-ins, and is sent as the form it was", async () => {
  const requests = signedIn();
  assert.equal(await queuePost(fields("Hello")), true);
  assert.deepEqual(await unsentCounts(), { taps: 0, posts: 1 });
  assert.equal(await flush(), undefined);
  const [{ path, body }, ...others] = posts(requests);
  assert.deepEqual([path, others.length], ["/posts", 0]);
  assert.deepEqual(
    [body.get("csrf_token"), body.get("nonce"), body.get("content")],
    ["t", "n", "Hello"],
  );
  assert.deepEqual(body.getAll("description_1"), ["One", "Two"]);
  assert.deepEqual(await outbox.rows(), []);
});

test("The same form is queued once", async () => {
  assert.equal(await queuePost(fields("Hello")), true);
  assert.equal(await queuePost(fields("Hello")), false);
  assert.equal(await queuePost(fields("Hello", "other")), true);
  assert.equal(await postSender.count(), 2);
});

test("A check-in does not wait for the pictures of a post", async () => {
  let answer;
  const requests = signedIn((path) =>
    path === "/posts" ? new Promise((resolve) => (answer = resolve)) : {},
  );
  await queuePost(fields("Hello"));
  const all = flush();
  while (!answer) await new Promise((resolve) => setTimeout(resolve));
  await outbox.enqueue({ kind: "check-in", address: "/checkin", fields: {}, at: 1 });
  assert.equal(await flush("taps"), undefined);
  assert.deepEqual(
    posts(requests).map(({ path }) => path),
    ["/posts", "/checkin"],
  );
  assert.deepEqual(await unsentCounts(), { taps: 0, posts: 1 });
  answer({});
  assert.equal(await all, undefined);
  assert.deepEqual(await outbox.rows(), []);
});

test("A post whose answer was lost is sent again with its nonce", async () => {
  let isLost = true;
  const requests = signedIn(() => {
    if (!isLost) return {};
    isLost = false;
    throw new TypeError("the answer was lost");
  });
  await queuePost(fields("once"));
  assert.equal((await postSender.send()).why, "unreachable");
  assert.equal(await postSender.send(), undefined);
  assert.deepEqual(
    posts(requests).map(({ body }) => body.get("nonce")),
    ["n", "n"],
  );
});

test("A refused post is kept with its fields and the reason", async () => {
  globalThis.DOMParser = class {
    parseFromString() {
      return { querySelector: () => ({ textContent: "Too large" }) };
    }
  };
  signedIn(() => ({ status: 422 }));
  await queuePost(fields("Hello"));
  assert.equal(await postSender.send(), undefined);
  const [row] = await outbox.refusedRows(POST);
  assert.deepEqual([row.reason, row.fields.length], ["Too large", 5]);
});

const PICTURES = "[data-kept] [name=kept], [data-uploaded] [name^=image_id]";

cases(
  "The server has looked at the pictures of a form that it refused",
  {
    "none is on its page": [{}, [], false],
    "one of before is": [{ [PICTURES]: [{ value: "old" }] }, ["old"], false],
    "one of before and a new one are": [
      { [PICTURES]: [{ value: "old" }, { value: "new" }] },
      ["old"],
      true,
    ],
    "a picture that is not valid is named": [
      { "[data-composer] [data-failed]": new Part() },
      [],
      true,
    ],
  },
  (parts, before, expected) => {
    const sent = new FormData();
    for (const id of before) sent.append("kept", id);
    assert.equal(hasTakenPictures(new Part(parts), sent), expected);
  },
);
