import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { newPage, serve } from "./support/browser.js";
import { cases } from "./support/cases.js";
import { Part, setPage } from "./support/parts.js";

const { loadValue } = await import("../../public/js/base/current-user.js");
const { setUpSignOut } = await import("../../public/js/base/sign-out.js");

setUpSignOut();

/** Waits until `check` gives true; the test fails if it never does. */
async function until(check) {
  for (let round = 0; round < 200 && !(await check()); round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.ok(await check());
}

/** Sends a form of this kind as the browser does. Its `sent` is how often the server gets it. */
function submit(kind) {
  const matches = (selectors) => selectors.includes(kind);
  const form = Object.assign(new Part(), { matches, sent: 0 });
  form.requestSubmit = () => {
    const event = new Event("submit", { cancelable: true });
    Object.defineProperty(event, "target", { value: form });
    document.dispatchEvent(event);
    if (!event.defaultPrevented) form.sent += 1;
  };
  form.requestSubmit();
  return form;
}

/** A value of the browser itself: "leaving" is the user whose data a later page clears. */
const browserValue = (name) => loadValue("", name);

beforeEach(() => newPage({ user: "ann" }));

test("Without a network an account is not deleted, and its data is not cleared later", async () => {
  const shown = setPage();
  globalThis.fetch = () => Promise.reject(new TypeError("failed"));
  const form = submit("[data-leaving]");
  await until(() => shown.length === 1);
  assert.equal(form.sent, 0);
  assert.equal(await browserValue("leaving"), undefined);
});

cases(
  "With a network a form that ends the session is noted and sent once",
  { deletion: ["[data-leaving]"], "sign-out": ["[data-sign-out]"] },
  async (kind) => {
    setPage();
    serve(() => ({}));
    const form = submit(kind);
    await until(() => form.sent === 1);
    assert.equal(await browserValue("leaving"), "ann");
  },
);

test("Without a network signing out clears the data at once, and is noted", async () => {
  setPage();
  globalThis.fetch = () => Promise.reject(new TypeError("failed"));
  const form = submit("[data-sign-out]");
  await until(async () => (await browserValue("left")) === "ann");
  assert.equal(form.sent, 0);
});
