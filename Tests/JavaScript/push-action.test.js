import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const listeners = {};
const shown = [];
const opened = [];
const requests = [];
let answers = {};

globalThis.self = {
  addEventListener(type, listen) {
    listeners[type] = listen;
  },
  location: new URL("https://pairspot.test/sw.js"),
  registration: {
    async showNotification(title, options) {
      shown.push({ title, ...options });
    },
  },
  clients: {
    matchAll: async () => [],
    openWindow: async (address) => opened.push(new URL(address).pathname),
  },
};
globalThis.fetch = async (path, options = {}) => {
  requests.push({ path, ...options });
  if (!(path in answers)) throw new TypeError("no network");
  const [status, json] = answers[path];
  return new Response(JSON.stringify(json), { status });
};
await import("../../public/sw.js");

async function dispatch(type, event) {
  const work = [];
  listeners[type]({ ...event, waitUntil: (promise) => work.push(promise) });
  await Promise.all(work);
}

const push = (message) => dispatch("push", { data: { json: () => message } });
const click = (action = "") =>
  dispatch("notificationclick", { action, notification: { ...shown[0], close() {} } });

const REMINDER = {
  title: "PairSpot",
  body: "Please check in.",
  url: "/checkin",
  tag: "t",
  lang: "en",
  action: "I’m OK",
  done: "You’ve checked in for today.",
  user: "ann",
};

beforeEach(() => {
  for (const list of [shown, opened, requests]) list.length = 0;
  answers = { "/csrf": [200, { token: "t", user: "ann" }], "/api/v1/checkin": [201, {}] };
});

test("A push that asks for a check-in has a button, others have none", async () => {
  await push(REMINDER);
  await push({ ...REMINDER, action: "" });
  await push({});
  assert.deepEqual(
    shown.map(({ actions }) => actions),
    [[{ action: "check-in", title: "I’m OK" }], [], []],
  );
});

test("The button checks in with a fresh token, opens nothing and says that it worked", async () => {
  await push(REMINDER);
  await click("check-in");
  const [token, sent] = requests;
  assert.deepEqual([token.path, token.cache], ["/csrf", "no-store"]);
  assert.deepEqual([sent.path, sent.method], ["/api/v1/checkin", "POST"]);
  assert.equal(sent.headers["X-CSRF-Token"], "t");
  assert.equal(typeof JSON.parse(sent.body).time_zone, "string");
  assert.deepEqual(opened, []);
  const { title, body, tag, actions } = shown[1];
  assert.deepEqual([title, body, tag], ["PairSpot", "You’ve checked in for today.", "t"]);
  assert.equal(actions, undefined);
});

test("A second press on the same day is no failure", async () => {
  answers["/api/v1/checkin"] = [200, {}];
  await push(REMINDER);
  await click("check-in");
  assert.deepEqual([shown.length, opened.length], [2, 0]);
});

test("The page opens after a check-in that leaves a timer running", async () => {
  answers["/api/v1/checkin"] = [201, { timer: { id: "1" } }];
  await push(REMINDER);
  await click("check-in");
  assert.deepEqual(opened, ["/checkin"]);
  assert.equal(shown.length, 1);
});

for (const [name, wrong] of Object.entries({
  "the network is gone": { "/csrf": undefined },
  "the session has ended": { "/csrf": [200, { token: "t", user: null }] },
  "a contact is missing": { "/api/v1/checkin": [422, {}] },
  "the server is down": { "/csrf": [503, "x"], "/api/v1/checkin": [503, {}] },
})) {
  test(`The page opens when ${name}`, async () => {
    for (const [path, answer] of Object.entries(wrong)) {
      if (answer) answers[path] = answer;
      else delete answers[path];
    }
    await push(REMINDER);
    await click("check-in");
    assert.deepEqual(opened, ["/checkin"]);
    assert.equal(shown.length, 1);
  });
}

test("The button of one user does not check in another, nor does one without a user", async () => {
  answers["/csrf"] = [200, { token: "t", user: "ben" }];
  await push(REMINDER);
  await click("check-in");
  shown.length = 0;
  await push({ ...REMINDER, user: "" });
  await click("check-in");
  assert.deepEqual(
    requests.map(({ path }) => path),
    ["/csrf", "/csrf"],
  );
  assert.deepEqual(opened, ["/checkin", "/checkin"]);
});

test("A tap beside the button opens the page and checks in nothing", async () => {
  await push(REMINDER);
  await click();
  assert.deepEqual(opened, ["/checkin"]);
  assert.deepEqual(requests, []);
});

/** The browser replaces its subscription; gives how often the new one was given up. */
async function renew() {
  let count = 0;
  const newSubscription = {
    toJSON: () => ({ endpoint: "https://push.test/new", keys: { p256dh: "p", auth: "a" } }),
    unsubscribe: async () => (count += 1),
  };
  await dispatch("pushsubscriptionchange", { oldSubscription: null, newSubscription });
  return count;
}

test("A replaced subscription is registered as a renewal of the same sign-in", async () => {
  answers["/api/v1/push/subscriptions"] = [201, {}];
  assert.equal(await renew(), 0);
  const { headers, body } = requests.at(-1);
  assert.equal(headers["X-CSRF-Token"], "t");
  assert.deepEqual(JSON.parse(body), {
    endpoint: "https://push.test/new",
    keys: { p256dh: "p", auth: "a" },
    renewal: true,
  });
});

test("A replaced subscription of a user who has left is given up", async () => {
  // The server finds none of the user who is signed in by now.
  answers["/api/v1/push/subscriptions"] = [409, {}];
  assert.equal(await renew(), 1);
  answers["/csrf"] = [200, { token: "t", user: null }];
  requests.length = 0;
  assert.equal(await renew(), 1);
  assert.deepEqual(
    requests.map(({ path }) => path),
    ["/csrf"],
  );
});

test("A replaced subscription stays while the server is down", async () => {
  answers["/api/v1/push/subscriptions"] = [503, {}];
  assert.equal(await renew(), 0);
});
