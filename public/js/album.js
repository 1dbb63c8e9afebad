// Adds photos to the album: asks about the chosen ones in a dialog, then sends one request each, so
// that each shows its progress. All requests carry the form's nonce: a photo that is sent twice is
// added once. Photos that could not be sent stay chosen.
import { markBusy, markReady } from "./base/forms.js";
import { fetchToken, showError } from "./base/fetch.js";
import { upload } from "./base/send-form.js";
import { swap } from "./base/swap.js";

// The number of tries while the server is busy.
const MAX_ATTEMPTS = 5;

export function start(form) {
  const picker = form.querySelector("input[type=file]");
  const button = form.querySelector("summary");
  const dialog = askInDialog(form, picker);
  let isSending = false;

  const send = async () => {
    if (isSending || !picker.files.length) return;
    isSending = true;
    dialog.close("add");
    markBusy(button);
    addEventListener("beforeunload", preventUnload);
    try {
      await sendAll(form, [...picker.files]);
    } catch (failure) {
      showError(failure);
    } finally {
      removeEventListener("beforeunload", preventUnload);
      isSending = false;
      markReady(form);
      showProgress(form, null);
    }
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
}

/** Moves the fields into a dialog, which is shown once photos are chosen. */
function askInDialog(form, picker) {
  const place = form.querySelector("[data-adding]");
  const title = form.querySelector("[data-picked]");
  const cancel = form.querySelector("[data-add-cancel]");
  const add = form.querySelector("[data-add]");
  const story = form.querySelector("textarea");
  const dialog = document.createElement("dialog");
  dialog.className = "dialog";
  title.id = "picked";
  dialog.setAttribute("aria-labelledby", title.id);
  title.hidden = false;
  cancel.hidden = false;
  dialog.append(form.querySelector("[data-sheet]"));
  form.append(dialog);
  place.open = false;
  const ask = () => {
    const count = picker.files.length;
    if (!count) return;
    title.textContent = (count === 1 ? title.dataset.one : title.dataset.many).replace("#", count);
    // A story is for one photo.
    story.disabled = story.closest(".field").hidden = count > 1;
    dialog.returnValue = "";
    if (!dialog.open) dialog.showModal();
    (story.hasAttribute("aria-invalid") ? story : add).focus();
  };
  const choose = (event) => {
    event.preventDefault();
    // Photos that could not be sent are still chosen.
    if (picker.files.length) ask();
    else picker.click();
  };
  place.querySelector("summary").addEventListener("click", choose);
  for (const link of form.querySelectorAll("#errors a")) link.addEventListener("click", choose);
  picker.addEventListener("change", ask);
  cancel.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    if (dialog.returnValue !== "add") picker.value = "";
  });
  if (story.hasAttribute("aria-invalid")) ask();
  return dialog;
}

const preventUnload = (event) => event.preventDefault();

async function sendAll(form, files) {
  const refused = [];
  const left = new Set(files);
  let summary = null;
  let last = null;
  try {
    for (const [index, file] of files.entries()) {
      const progress = (part) =>
        showProgress(form, { number: index + 1, total: files.length, part });
      progress(0);
      const { status, page } = await sendOne(form, file, progress);
      const reasons = page.querySelectorAll("[data-testid=refused]");
      if (status === 422 || status === 503) {
        refused.push(...reasons);
        summary = page.querySelector("#errors") ?? summary;
      }
      // A photo that is refused for what it is would be refused again; one beside a refused story
      // would not.
      if (status === 200 || (status === 422 && reasons.length)) left.delete(file);
      last = page;
      showGrid(page);
    }
  } finally {
    // Shows what was added so far, whatever happened to the rest.
    if (last) {
      showRefusals(last, refused, summary);
      await swap(last, form.action, new Map([["file", [...left]]]));
    }
  }
}

/** The form's fields, with one of its files. */
function fieldsOf(form, file) {
  const fields = new FormData(form);
  fields.delete("file");
  fields.append("file", file, file.name);
  return fields;
}

async function sendOne(form, file, progress) {
  for (let attempt = 1; ; attempt += 1) {
    const request = await upload(form, fieldsOf(form, file), progress);
    if (request.status === 403 && attempt === 1) {
      form.querySelector("[name=csrf_token]").value = await fetchToken();
    } else if (request.status === 503 && attempt < MAX_ATTEMPTS) {
      const seconds = Number(request.getResponseHeader("Retry-After")) || 5;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    } else {
      return resultOf(request);
    }
  }
}

function resultOf(request) {
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

/** Shows the photos that were added so far. */
function showGrid(page) {
  const fresh = page.querySelector(".album-grid");
  const old = document.querySelector(".album-grid");
  if (fresh && old) old.replaceWith(document.importNode(fresh, true));
}

/** Adds the refusals of earlier responses to the last page. */
function showRefusals(page, refused, summary) {
  const form = page.querySelector("[data-album]");
  for (const old of form.querySelectorAll("[data-testid=refused], #errors")) old.remove();
  const errors = [summary, ...refused].filter(Boolean).map((node) => page.importNode(node, true));
  form.prepend(...errors);
}

function showProgress(form, state) {
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
