import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { newPage, serve } from "./support/browser.js";
import { Part, setPage } from "./support/parts.js";

const { start } = await import("../../public/js/messages/conversation.js");

/** The stream of a page, opened by the test. */
globalThis.EventSource = class extends EventTarget {
  constructor() {
    super();
    globalThis.EventSource.last = this;
  }
  close() {}
};
globalThis.FormData = class {
  delete() {}
  getAll = () => [];
};
globalThis.scrollTo = () => {};
Object.assign(globalThis, { scrollY: 0, innerHeight: 0 });

/** Waits until nothing goes on. */
async function settle() {
  for (let round = 0; round < 20; round += 1) await new Promise((done) => setTimeout(done));
}

function messageForm() {
  const form = new Part({
    textarea: Object.assign(new Part(), { value: "" }),
    "[data-send]": new Part(),
    "[data-answering]": new Part({ b: new Part(), span: new Part() }),
    "[data-answering-end]": new Part(),
    "[data-recording]": Object.assign(new Part(), { hidden: true }),
    "[name=quoted]": new Part(),
  });
  const elements = { client_id: { value: "c" }, quoted: { value: "" } };
  return Object.assign(form, { elements, action: "/messages/talk", reset() {} });
}

function conversation(form, message) {
  const root = new Part({
    "[data-message-form]": form,
    "[data-message]": Object.assign(new Part(), { dataset: { message } }),
    "[data-waiting-messages]": Object.assign(new Part(), { replaceChildren() {} }),
    "[data-newer-messages]": new Part({ button: new Part() }),
    "[data-status]": new Part(),
  });
  const page = "/messages/talk";
  root.dataset = { id: "talk", version: "1", state: "open", live: "", page, list: "/messages" };
  return root;
}

/**
 * Opens the page of a conversation. The server's page has none of its messages. Gives how often that
 * page took its place, and how a form that was sent is answered.
 */
function open() {
  const form = messageForm();
  const root = conversation(form, "1");
  const next = messageForm();
  const fresh = conversation(next, "99");
  const page = new Part({ "[data-conversation]": fresh, "[data-message-form]": next });
  page.importNode = (part) => part;
  globalThis.DOMParser = class {
    parseFromString = () => page;
  };
  const state = { form, root, replaced: 0, messages: [99] };
  location.assign = () => (state.replaced += 1);
  serve((path, { method }) => {
    if (method === "POST") return new Promise((done) => (state.answer = () => done({})));
    if (path === root.dataset.page) return {};
    const { messages } = state;
    state.messages = [];
    return { json: { messages, writing: [], reads: [], people: [], state: "open", version: 2 } };
  });
  start(root);
  state.source = globalThis.EventSource.last;
  return state;
}

beforeEach(() => {
  newPage({ user: "ann" });
  setPage();
});

test("Another page takes the place of a conversation with a gap", async () => {
  const state = open();
  state.source.onopen();
  await settle();
  assert.equal(state.replaced, 1);
});

test("The form stays while it is being sent, and another page takes its place then", async () => {
  const state = open();
  state.form.dispatchEvent(new Event("submit", { cancelable: true }));
  state.source.onopen();
  await settle();
  assert.equal(state.replaced, 0);
  state.answer();
  await settle();
  assert.equal(state.replaced, 1);
});

test("The form stays while a voice note is recorded, until the next look", async () => {
  const state = open();
  const recording = state.form.querySelector("[data-recording]");
  recording.hidden = false;
  state.source.onopen();
  await settle();
  assert.equal(state.replaced, 0);
  recording.hidden = true;
  state.source.onopen();
  await settle();
  assert.equal(state.replaced, 1);
});

test("The answer to a form whose page is gone is not shown", async () => {
  const state = open();
  state.form.dispatchEvent(new Event("submit", { cancelable: true }));
  await settle();
  state.root.isConnected = false;
  document.dispatchEvent(new CustomEvent("pairspot:added", {}));
  state.answer();
  await settle();
  assert.equal(state.replaced, 0);
});
