// The composing box: opens on focus, shows and orders pictures, sends with progress.
import { busy, ready } from "./base/forms.js";
import { freshToken, tell } from "./base/fetch.js";
import { notice } from "./base/notice.js";
import { swap } from "./base/swap.js";
import { text } from "./base/texts.js";
import { shrunk } from "./shrink-image.js";

const MOST = 9;

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

  counting(form, words);

  picker.addEventListener("change", () => {
    open();
    const room = Math.max(0, MOST - list.children.length);
    if (picker.files.length > room) notice(text("tooMany"));
    for (const file of [...picker.files].slice(0, room)) {
      const item = draft(form, file);
      files.set(item, file);
      list.append(item);
    }
    picker.value = "";
    number(list);
  });

  list.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    const item = button?.closest("li");
    if (!item) return;
    if ("remove" in button.dataset) {
      const next = item.nextElementSibling ?? item.previousElementSibling;
      files.delete(item);
      item.remove();
      (next?.querySelector("[data-remove]") ?? words).focus();
    } else {
      move(item, "earlier" in button.dataset);
      button.focus();
    }
    number(list);
  });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector(".composer-tools .button");
    if (button.getAttribute("aria-busy") === "true") return;
    busy(button);
    try {
      await send(form, await filled(form, picker, list, files), true);
    } catch (failure) {
      tell(failure);
    } finally {
      ready(form);
      progress(form, null);
    }
  });
}

/** The same fields in the same order as the form sends by itself, with the pictures at the end. */
async function filled(form, picker, list, files) {
  picker.disabled = true;
  const fields = new FormData(form);
  picker.disabled = false;
  for (const item of list.children) {
    const file = files.get(item);
    if (!file) continue;
    const small = await shrunk(file);
    fields.append("images", small, small.name);
  }
  return fields;
}

function draft(form, file) {
  const shape = form.querySelector("[data-draft-shape]");
  const item = shape.content.firstElementChild.cloneNode(true);
  const image = item.querySelector("img");
  const address = URL.createObjectURL(file);
  image.onload = image.onerror = () => URL.revokeObjectURL(address);
  image.src = address;
  image.alt = file.name;
  return item;
}

/** Kept pictures come first, as they do when the form is sent. */
function move(item, earlier) {
  const other = earlier ? item.previousElementSibling : item.nextElementSibling;
  if (!other || "kept" in other.dataset) return;
  if (earlier) other.before(item);
  else other.after(item);
}

function number(list) {
  [...list.children].forEach((item, index) => {
    const field = item.querySelector(".input");
    const name = `description_${index + 1}`;
    field.name = name;
    field.id = name;
    item.querySelector(".label").htmlFor = name;
  });
}

function counting(form, words) {
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

function progress(form, part) {
  const bar = form.querySelector("[data-progress]");
  bar.hidden = part === null;
  const percent = Math.round((part ?? 0) * 100);
  bar.setAttribute("aria-valuenow", percent);
  bar.firstElementChild.style.width = `${percent}%`;
}

/** Sends by XMLHttpRequest, the one way that tells how far an upload is. */
async function send(form, fields, again) {
  const request = new XMLHttpRequest();
  const done = new Promise((resolve) => {
    request.onloadend = () => resolve(request.status);
  });
  if (fields.getAll("images").length) {
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) progress(form, event.loaded / event.total);
    };
  }
  request.open("POST", form.action);
  request.responseType = "document";
  request.send(fields);
  const status = await done;
  if (status === 403 && again) {
    fields.set("csrf_token", await freshToken());
    return send(form, fields, false);
  }
  const page = request.response;
  if ((status === 200 || status === 422) && page) {
    if (new URL(request.responseURL).pathname === "/sign-in") location.assign(request.responseURL);
    else await swap(page, status === 422 ? location.href : request.responseURL);
    return;
  }
  throw Object.assign(new Error("not sent"), { status });
}
