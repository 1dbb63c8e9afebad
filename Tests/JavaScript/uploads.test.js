import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import "./support/browser.js";
import { Part, setPage } from "./support/parts.js";

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
  answer(status, response = null) {
    Object.assign(this, { status, response, responseURL: location.href });
    this.onloadend();
  }
  sendPart(loaded) {
    this.upload.onprogress({ lengthComputable: true, loaded, total: 1 });
  }
}

const tick = () => new Promise((resolve) => setTimeout(resolve));

/** A form that is being sent, with the focus on "Cancel". */
function sending() {
  const [button, cancel, picker] = [new Part(), new Part(), new Part()];
  picker.files = [new File(["film"], "film.mp4")];
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
  start(form);
  form.dispatchEvent(new Event("submit", { cancelable: true }));
  cancel.focus();
  return { form, button, cancel, progress, request: Request.last };
}

beforeEach(() => {
  globalThis.XMLHttpRequest = Request;
  globalThis.FormData = class {};
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
