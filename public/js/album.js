// Adds photos to the album: one request a photo, so that each shows its progress and none waits for
// the others. All carry the form's nonce: a photo that is sent again makes no double.
import { busy, ready } from "./base/forms.js";
import { freshToken, tell } from "./base/fetch.js";
import { swap } from "./base/swap.js";

// How often a photo is sent again when the server has its hands full.
const TRIES = 5;

export function start(form) {
  const picker = form.querySelector("input[type=file]");
  const button = form.querySelector("[data-add]");
  let isSending = false;

  const send = async () => {
    if (isSending || !picker.files.length) return;
    isSending = true;
    busy(button);
    addEventListener("beforeunload", stay);
    try {
      await sendAll(form, [...picker.files]);
    } catch (failure) {
      tell(failure);
    } finally {
      removeEventListener("beforeunload", stay);
      isSending = false;
      ready(form);
      show(form, null);
      picker.value = "";
    }
  };

  // The button stands for the field: one press chooses, and what is chosen is added.
  picker.tabIndex = -1;
  picker.addEventListener("change", send);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (picker.files.length) send();
    else picker.click();
  });
}

const stay = (event) => event.preventDefault();

async function sendAll(form, files) {
  const refused = [];
  let summary = null;
  let last = null;
  try {
    for (const [index, file] of files.entries()) {
      const progress = (part) => show(form, { number: index + 1, total: files.length, part });
      progress(0);
      const { status, page } = await sendOne(form, file, progress);
      if (status === 422 || status === 503) {
        refused.push(...page.querySelectorAll("[data-testid=refused]"));
        summary = page.querySelector("#errors") ?? summary;
      }
      last = page;
      showGrid(page);
    }
  } finally {
    // What is in by then is shown, whatever became of the rest.
    if (last) {
      tellOf(last, refused, summary);
      await swap(last, form.action);
    }
  }
}

/** The form's own fields, with one of its files. */
function fieldsOf(form, file) {
  const fields = new FormData(form);
  fields.delete("file");
  fields.append("file", file, file.name);
  return fields;
}

async function sendOne(form, file, progress) {
  for (let attempt = 1; ; attempt += 1) {
    const request = await sent(form, fieldsOf(form, file), progress);
    if (request.status === 403 && attempt === 1) {
      form.querySelector("[name=csrf_token]").value = await freshToken();
    } else if (request.status === 503 && attempt < TRIES) {
      const seconds = Number(request.getResponseHeader("Retry-After")) || 5;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    } else {
      return answer(request);
    }
  }
}

function answer(request) {
  const { status, response: page } = request;
  if (![200, 422, 503].includes(status) || !page?.querySelector("[data-album]")) {
    if (new URL(request.responseURL || location.href).pathname === "/sign-in") {
      location.assign(request.responseURL);
      throw Object.assign(new Error("signed out"), { shown: true });
    }
    throw Object.assign(new Error("not sent"), { status });
  }
  return { status, page };
}

/** Sends by XMLHttpRequest, the one way that tells how far an upload is. */
function sent(form, fields, progress) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.onloadend = () => resolve(request);
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) progress(event.loaded / event.total);
    };
    request.open("POST", form.action);
    request.responseType = "document";
    request.send(fields);
  });
}

/** The photos so far: each is there as soon as it is in. */
function showGrid(page) {
  const fresh = page.querySelector(".album-grid");
  const old = document.querySelector(".album-grid");
  if (fresh && old) old.replaceWith(document.importNode(fresh, true));
}

/** Says on the last page what was refused on the pages before it. */
function tellOf(page, refused, summary) {
  const form = page.querySelector("[data-album]");
  for (const old of form.querySelectorAll("[data-testid=refused], #errors")) old.remove();
  const told = [summary, ...refused].filter(Boolean).map((node) => page.importNode(node, true));
  form.prepend(...told);
}

function show(form, state) {
  const card = form.querySelector("[data-progress]");
  if (!card) return;
  card.hidden = !state;
  if (!state) return;
  const percent = Math.round(state.part * 100);
  card.querySelector("[data-number]").textContent = state.number;
  card.querySelector("[data-total]").textContent = state.total;
  const bar = card.querySelector(".progress");
  bar.setAttribute("aria-valuenow", percent);
  bar.firstElementChild.style.width = `${percent}%`;
}
