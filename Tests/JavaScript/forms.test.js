import assert from "node:assert/strict";
import { test } from "node:test";
import "./support/browser.js";
import { cases } from "./support/cases.js";
import { Part, setPage } from "./support/parts.js";

const { preventDoubleSubmits } = await import("../../public/js/base/forms.js");

preventDoubleSubmits();

const tick = () => new Promise((resolve) => setTimeout(resolve));

/** Sends a form as the browser does. Gives whether it goes to the server. */
function submit(form, submitter = null) {
  const event = new Event("submit", { cancelable: true });
  Object.defineProperty(event, "target", { value: form });
  Object.assign(event, { submitter });
  document.dispatchEvent(event);
  return !event.defaultPrevented;
}

function plainForm() {
  const form = Object.assign(new Part(), { method: "post", sent: 0 });
  form.requestSubmit = (button) => {
    if (submit(form, button)) form.sent += 1;
  };
  return form;
}

test("A form is sent once", () => {
  const form = plainForm();
  assert.deepEqual([submit(form), submit(form)], [true, false]);
});

cases(
  "Without a network a form stays on the page, unless the server answers",
  {
    "no answer": [() => Promise.reject(new TypeError("failed")), 0, 1],
    "a server on this machine": [() => Promise.resolve({}), 1, 0],
  },
  async (answer, times, notices) => {
    const shown = setPage();
    navigator.onLine = false;
    globalThis.fetch = answer;
    const form = plainForm();
    assert.deepEqual([submit(form), submit(form)], [false, false]);
    await tick();
    navigator.onLine = true;
    assert.deepEqual([form.sent, shown.length], [times, notices]);
  },
);
