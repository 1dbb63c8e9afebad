import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "./support/browser.js";
import { cases } from "./support/cases.js";
import { Part, setPage } from "./support/parts.js";

const { startFirstMessage, watchPictures } = await import("../../public/js/messages/composer.js");

/** The latest request with a form, and the number of them. */
let request;
let count = 0;
globalThis.XMLHttpRequest = class {
  upload = {};
  open() {}
  send(fields) {
    Object.assign(this, { fields });
    request = this;
    count += 1;
  }
};
globalThis.FormData = class {
  fields = new Map();
  get = (name) => this.fields.get(name);
  set = (name, value) => this.fields.set(name, value);
  delete = (name) => this.fields.delete(name);
  getAll = () => ["A square"];
  append = (name, value) => this.fields.set(name, value);
};

const tick = () => new Promise((resolve) => setTimeout(resolve));

/** The form of a first message, with the pictures that are chosen in it. */
function messageForm(...files) {
  const picker = Object.assign(new Part(), { name: "pictures", files });
  const chosen = Object.assign(new Part({ input: [], "[data-clear]": new Part() }), {
    // Keeps the fields of the descriptions.
    replaceChildren: (...items) => {
      chosen.parts.input = items.slice(0, -1).map((item) => item.field);
    },
  });
  const form = new Part({
    "[data-send]": new Part(),
    "[data-chosen]": chosen,
    "input[type=file]": picker,
    "[aria-busy]": [],
  });
  form.setAttribute("action", "/couples/a/message");
  return Object.assign(form, { elements: { pictures: picker }, action: "/couples/a/message" });
}

test("A refused first message keeps its pictures and their descriptions", async () => {
  globalThis.DataTransfer = class {
    files = [];
    items = { add: (file) => this.files.push(file) };
  };
  globalThis.Image = Part;
  globalThis.scrollTo = () => {};
  URL.createObjectURL = () => "blob:";
  document.createElement = () =>
    Object.assign(new Part(), {
      append(...parts) {
        this.field = parts[1];
      },
    });

  const form = messageForm(new File(["picture"], "a.png"));
  startFirstMessage(form);
  form.dispatchEvent(new Event("submit", { cancelable: true }));
  await tick();
  assert.equal(request.fields.get("pictures").name, "a.png");

  const main = new Part();
  const next = messageForm();
  setPage({ main, 'input[type=file][name="pictures"]': next.elements.pictures });
  main.addEventListener("pairspot:added", () => watchPictures(next));
  const page = new Part({ main, 'form[action="/couples/a/message"]': new Part() });
  Object.assign(request, { status: 422, responseURL: location.href });
  request.response = Object.assign(page, { body: {} });
  request.onloadend();
  await tick();
  assert.deepEqual(
    next.elements.pictures.files.map(({ name }) => name),
    ["a.png"],
  );
  const [field] = next.parts["[data-chosen]"].parts.input;
  assert.equal(field.value, "A square");
});

/** Sends a first message, and answers with the page of a problem. */
async function refuse(status, parts) {
  const form = messageForm();
  startFirstMessage(form);
  count = 0;
  form.dispatchEvent(new Event("submit", { cancelable: true }));
  await tick();
  Object.assign(request, { status, responseURL: location.href, response: new Part(parts) });
  request.onloadend();
  await tick();
}

cases(
  "A first message that can't be sent any more says so, stays, and is uploaded once",
  { blocked: [403], "a hidden couple": [404], "a waiting request": [409] },
  async (status) => {
    const shown = setPage();
    await refuse(status, { "[data-refusal]": new Part() });
    const { firstElementChild } = document.getElementById("notice-template").content;
    const words = firstElementChild.querySelector("[data-text]").textContent;
    assert.deepEqual([shown.length, words, count], [1, "Can't be sent", 1]);
  },
);

test("A first message whose token is refused is sent again with a new one", async () => {
  setPage();
  serve(() => ({ json: { token: "new" } }));
  await refuse(403, {});
  while (count < 2) await tick();
  assert.equal(request.fields.get("csrf_token"), "new");
});
