import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import "./support/browser.js";
import { cases } from "./support/cases.js";
import { Part, setPage } from "./support/parts.js";

const { sendForm } = await import("../../public/js/base/send-form.js");
const { start } = await import("../../public/js/upload.js");

/** The request of a form, answered by the test. */
class Request {
  upload = {};
  open() {}
  send() {
    Request.last = this;
  }
  abort() {
    this.answer(0);
  }
  answer(status, response = null, responseURL = location.href) {
    Object.assign(this, { status, response, responseURL });
    this.onloadend();
  }
  sendPart(loaded) {
    this.upload.onprogress({ lengthComputable: true, loaded, total: 1 });
  }
}

const tick = () => new Promise((resolve) => setTimeout(resolve));

/** A form that is being sent, with the focus on "Cancel". */
function sending(kind = "") {
  const [button, cancel, picker] = [new Part(), new Part(), new Part()];
  Object.assign(picker, { name: "file", files: [new File(["film"], "film.mp4")] });
  const bar = Object.assign(new Part(), { firstElementChild: new Part() });
  const words = new Part();
  Object.assign(words.dataset, { sending: "%", checking: "Checking" });
  const progress = new Part({
    "[role=progressbar]": bar,
    "[data-progress-words]": words,
    "[data-cancel]": cancel,
  });
  const form = new Part({
    "button:not([type=button])": button,
    "[data-cancel]": cancel,
    "[data-progress]": progress,
    "input[type=file]": picker,
    "[aria-busy]": button,
  });
  form.action = "/moments";
  form.setAttribute("action", form.action);
  form.dataset.upload = kind;
  start(form);
  form.dispatchEvent(new Event("submit", { cancelable: true }));
  cancel.focus();
  return { form, button, cancel, progress, request: Request.last };
}

beforeEach(() => {
  globalThis.XMLHttpRequest = Request;
  globalThis.FormData = class {};
  globalThis.DataTransfer = class {
    files = [];
    items = { add: (file) => this.files.push(file) };
  };
  globalThis.history = { pushState() {} };
  globalThis.scrollTo = () => {};
  setPage();
});

test("The focus on “Cancel” goes to the send button once the server checks the file", () => {
  const { button, cancel, progress, request } = sending();
  request.sendPart(0.5);
  assert.equal(document.activeElement, cancel);
  assert.equal(cancel.hidden, false);
  request.sendPart(1);
  assert.equal(cancel.hidden, true);
  assert.equal(progress.hidden, false);
  assert.equal(document.activeElement, button);
});

test("Once an upload has failed, the focus is on the send button before the dialog opens", async () => {
  const { button, progress, request } = sending();
  const shown = setPage();
  request.answer(0);
  await tick();
  assert.equal(progress.hidden, true);
  assert.deepEqual(shown, [button]);
  assert.equal(button.getAttribute("aria-busy"), null);
});

test("A cancelled upload leaves the focus on the send button, and shows no dialog", async () => {
  const { button, cancel, progress } = sending();
  const shown = setPage();
  // Some browsers don't focus a button that is clicked.
  document.activeElement = document.body;
  cancel.onclick();
  await tick();
  assert.equal(progress.hidden, true);
  assert.equal(document.activeElement, button);
  assert.deepEqual(shown, []);
});

test("The focus elsewhere stays where it is", async () => {
  const { request } = sending();
  const field = new Part();
  field.focus();
  request.sendPart(1);
  request.answer(0);
  await tick();
  assert.equal(document.activeElement, field);
});

cases(
  "The page of an answer has the chosen files before its scripts start",
  {
    "a refused form": ["", 422, ["film.mp4"]],
    "an accepted form": ["", 200, []],
    "a form that is sent when files are chosen": ["at-once", 422, []],
  },
  async (kind, status, expected) => {
    const { request } = sending(kind);
    const main = new Part();
    const field = Object.assign(new Part(), { files: [] });
    setPage({ main, 'input[type=file][name="file"]': field });
    let found;
    main.addEventListener("pairspot:added", () => {
      found = field.files.map(({ name }) => name);
    });
    const parts = { main, 'form[action="/moments"]': new Part() };
    request.answer(status, Object.assign(new Part(parts), { body: {} }));
    await tick();
    assert.deepEqual(found, expected);
  },
);

test("A page without the form does not take its place", async () => {
  const { button, request } = sending();
  const shown = setPage({ main: new Part() });
  request.answer(422, Object.assign(new Part({ main: new Part() }), { body: {} }));
  await tick();
  assert.equal(shown.length, 1);
  assert.equal(button.getAttribute("aria-busy"), null);
});

test("What a form holds is saved before the page for signing in is opened", async () => {
  const steps = [];
  location.assign = (address) => steps.push(new URL(address).pathname);
  const sent = sendForm(new Part(), new FormData(), {
    onAnswer: (isAccepted) => steps.push(isAccepted),
    onSignedOut: () => tick().then(() => steps.push("saved")),
  });
  Request.last.answer(200, new Part(), "https://pairspot.test/sign-in?next=%2F");
  await sent;
  delete location.assign;
  assert.deepEqual(steps, [false, "saved", "/sign-in"]);
});
