import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "./support/browser.js";
import { Part, setPage } from "./support/parts.js";

/** What listens on the window. */
const page = new EventTarget();
globalThis.addEventListener = (...parts) => page.addEventListener(...parts);
globalThis.FormData = class {
  [Symbol.iterator] = () => [].values();
};

const { start } = await import("../../public/js/album/story.js");

const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

/** Whether the browser warns of unsaved words. */
function warns() {
  const event = new Event("beforeunload", { cancelable: true });
  page.dispatchEvent(event);
  return event.defaultPrevented;
}

/** Answers a question: the window hears of it after what may have prevented it. */
function answer(form, isPrevented) {
  const event = new Event("submit", { cancelable: true });
  Object.defineProperty(event, "target", { value: form });
  if (isPrevented) event.preventDefault();
  page.dispatchEvent(event);
}

test("The warning of unsaved words ends with an answer that is on its way", async () => {
  const question = new Part();
  const content = Object.assign(new Part({ form: question, ".dialog-title": new Part() }), {
    classList: { remove() {} },
  });
  globalThis.DOMParser = class {
    parseFromString = () => new Part({ "[data-dialog-content]": content });
  };
  setPage();
  document.createElement = () => Object.assign(new Part(), { append() {}, showModal() {} });
  serve(() => ({}));
  const words = Object.assign(new Part(), { value: "New", defaultValue: "Old" });
  const form = new Part({ textarea: words, "[data-story-save]": new Part() });
  form.isConnected = true;
  start(form);
  form.dispatchEvent(new Event("submit", { cancelable: true }));
  await settle();
  assert.equal(warns(), true);
  answer(question, true);
  assert.equal(warns(), true);
  answer(question, false);
  assert.equal(warns(), false);
});
