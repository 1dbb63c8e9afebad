// The form for a new post: opens on focus, shows and orders pictures, sends with progress.
import { markBusy, markReady } from "./base/forms.js";
import { fetchToken, showError } from "./base/fetch.js";
import { loadValue, pageUser, saveValue } from "./base/current-user.js";
import { showNotice } from "./base/notice.js";
import { swap } from "./base/swap.js";
import { text } from "./base/texts.js";
import { reorder } from "./reorder.js";
import { shrinkImage } from "./shrink-image.js";

const MAX_PICTURES = 9;

// The saved words of a post that was not sent.
const DRAFT = "post-draft";
// How long the user pauses before the words are saved, in ms.
const PAUSE = 500;
let saving;

export function start(form) {
  const words = form.querySelector("textarea");
  const picker = form.querySelector("input[type=file]");
  const list = form.querySelector("[data-drafts]");
  const files = new Map();

  const open = () => form.classList.add("is-open");
  form.addEventListener("focusin", open);
  if (words.value || list.children.length) open();
  document.addEventListener("pointerdown", (event) => {
    if (form.contains(event.target) || words.value || list.children.length) return;
    form.classList.remove("is-open");
  });

  showRemaining(form, words);
  keepDraft(words, open);

  picker.addEventListener("change", () => {
    open();
    const room = Math.max(0, MAX_PICTURES - list.children.length);
    if (picker.files.length > room) showNotice(text("tooMany"));
    for (const file of [...picker.files].slice(0, room)) {
      const item = draftItem(form, file);
      files.set(item, file);
      list.append(item);
    }
    picker.value = "";
    numberFields(list);
  });

  list.addEventListener("click", (event) => {
    const item = event.target.closest("li");
    const sheet = item?.querySelector("dialog");
    if (event.target === sheet) sheet.close();
    const button = event.target.closest("button");
    if (!button || !item) return;
    if ("open" in button.dataset) {
      sheet.showModal();
      sheet.querySelector("input").focus();
    } else if ("done" in button.dataset) {
      sheet.close();
    } else if ("remove" in button.dataset) {
      const next = item.nextElementSibling ?? item.previousElementSibling;
      files.delete(item);
      item.remove();
      (next?.querySelector("[data-remove]") ?? words).focus();
    } else {
      move(item, "earlier" in button.dataset);
    }
    numberFields(list);
  });
  // Enter in a sheet closes it, and does not send the post.
  list.addEventListener("keydown", (event) => {
    const sheet = event.target.closest("input") && event.target.closest("dialog");
    // Enter also ends the composition of an input method.
    if (event.key !== "Enter" || event.isComposing || !sheet) return;
    event.preventDefault();
    sheet.close();
  });
  list.addEventListener("input", (event) => {
    const item = event.target.closest("li");
    item?.classList.toggle("is-described", event.target.value.trim() !== "");
  });
  reorder(list, ".draft-thumb", () => numberFields(list));

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector(".composer-tools .button");
    if (button.getAttribute("aria-busy") === "true") return;
    markBusy(button);
    try {
      await send(form, await formFields(form, picker, list, files), true);
    } catch (failure) {
      showError(failure);
    } finally {
      markReady(form);
      showProgress(form, null);
    }
  });
}

/** The fields in the form's own order, with the pictures at the end. */
async function formFields(form, picker, list, files) {
  picker.disabled = true;
  const fields = new FormData(form);
  picker.disabled = false;
  for (const item of list.children) {
    const file = files.get(item);
    if (!file) continue;
    const small = await shrinkImage(file);
    fields.append("images", small, small.name);
  }
  return fields;
}

/** Saves the words while they are typed, and restores those of the last visit. */
async function keepDraft(words, open) {
  const person = pageUser();
  if (!person) return;
  words.addEventListener("input", () => {
    clearTimeout(saving);
    saving = setTimeout(() => saveDraft(words.value), PAUSE);
  });
  const saved = words.value ? undefined : await loadValue(person, DRAFT).catch(() => undefined);
  if (!saved || words.value) return;
  words.value = saved;
  words.dispatchEvent(new Event("input"));
  open();
}

function saveDraft(words) {
  clearTimeout(saving);
  const person = pageUser();
  // Without storage there is no draft.
  return person && saveValue(person, DRAFT, words || null).catch(() => {});
}

function draftItem(form, file) {
  const template = form.querySelector("[data-draft-template]");
  const item = template.content.firstElementChild.cloneNode(true);
  const address = URL.createObjectURL(file);
  const [image, preview] = item.querySelectorAll("img");
  preview.onload = preview.onerror = () => URL.revokeObjectURL(address);
  image.src = preview.src = address;
  image.alt = file.name;
  return item;
}

/** Saved pictures come first, as they do when the form is sent. */
function move(item, earlier) {
  const other = earlier ? item.previousElementSibling : item.nextElementSibling;
  if (!other || "kept" in other.dataset) return;
  // Moves the other one: an open dialog of this one would be closed by moving it.
  if (earlier) item.after(other);
  else item.before(other);
}

function numberFields(list) {
  [...list.children].forEach((item, index) => {
    const field = item.querySelector(".input");
    const name = `description_${index + 1}`;
    field.name = name;
    field.id = name;
    item.querySelector(".label").htmlFor = name;
  });
}

function showRemaining(form, words) {
  const place = form.querySelector("[data-left]");
  const limit = Number(form.dataset.limit);
  const show = () => {
    const left = limit - [...words.value].length;
    place.hidden = left > 200;
    place.querySelector("b").textContent = left;
    place.classList.toggle("is-over", left < 0);
  };
  words.addEventListener("input", show);
  show();
}

function showProgress(form, part) {
  const bar = form.querySelector("[data-progress]");
  bar.hidden = part === null;
  const percent = Math.round((part ?? 0) * 100);
  bar.setAttribute("aria-valuenow", percent);
  bar.firstElementChild.style.width = `${percent}%`;
}

/** Uploads by XMLHttpRequest, which reports progress. */
async function send(form, fields, mayRetry) {
  const request = new XMLHttpRequest();
  const done = new Promise((resolve) => {
    request.onloadend = () => resolve(request.status);
  });
  if (fields.getAll("images").length) {
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) showProgress(form, event.loaded / event.total);
    };
  }
  request.open("POST", form.action);
  request.responseType = "document";
  request.send(fields);
  const status = await done;
  if (status === 403 && mayRetry) {
    fields.set("csrf_token", await fetchToken());
    return send(form, fields, false);
  }
  const page = request.response;
  if ((status === 200 || status === 422) && page) {
    if (new URL(request.responseURL).pathname === "/sign-in") location.assign(request.responseURL);
    else {
      if (status === 200) await saveDraft("");
      await swap(page, status === 422 ? location.href : request.responseURL);
    }
    return;
  }
  throw Object.assign(new Error("not sent"), { status });
}
