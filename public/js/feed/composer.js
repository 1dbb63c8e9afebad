// The forms of new and edited posts: open on focus, show and order pictures, send with
// progress.
import { markBusy, markReady } from "../base/forms.js";
import { isUnreachable, showError } from "../base/fetch.js";
import { showNotice } from "../base/notice.js";
import { randomID } from "../base/outbox.js";
import { sendForm } from "../base/send-form.js";
import { text } from "../base/texts.js";
import { showToast } from "../base/toasts.js";
import { keepDraft, saveDraft } from "./draft.js";
import { queuePost } from "./queue.js";
import { hasTakenPictures } from "./refused.js";
import { reorder } from "./reorder.js";
import { shrinkImage } from "../shrink-image.js";

const MAX_PICTURES = 9;

// The pictures that the server did not take with a form that it refused, for the form that takes its
// place: each with its description and its place in the list.
let untaken = [];

export function start(form) {
  const words = form.querySelector("textarea");
  const picker = form.querySelector("input[type=file]");
  const list = form.querySelector("[data-drafts]");
  const files = new Map();
  // Identifiers of pictures that the server has, and the post's own that are taken away from it.
  const ids = new Map();
  const removed = [];

  const remove = (item) => {
    item.remove();
    if (ids.has(item) && !("uploaded" in item.dataset)) removed.push(item);
  };

  const open = () => form.classList.add("is-open");
  form.addEventListener("focusin", open);
  if ("numbered" in list.dataset) {
    const order = (row) => Number(row.querySelector("[name^=order_]").value);
    for (const row of [...list.children].sort((one, other) => order(one) - order(other))) {
      const item = pictureItem(form, row);
      if ("uploaded" in row.dataset) item.dataset.uploaded = "";
      ids.set(item, row.querySelector("[name^=image_id]").value);
      row.remove();
      list.append(item);
      if (row.querySelector(":checked")) remove(item);
    }
  }
  for (const { file, description, place } of untaken) {
    const item = draftItem(form, file);
    describe(item, description);
    files.set(item, file);
    list.insertBefore(item, list.children[place] ?? null);
  }
  untaken = [];
  numberFields(list);
  if (words.value || list.children.length) open();
  document.addEventListener("pointerdown", (event) => {
    if (form.contains(event.target) || words.value || list.children.length) return;
    form.classList.remove("is-open");
  });

  showRemaining(form, words);
  const keepsDraft = "keepsDraft" in form.dataset;
  if (keepsDraft) keepDraft(words, open);

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
    list.lastElementChild?.scrollIntoView({ block: "nearest", inline: "end" });
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
      remove(item);
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
    const button = form.querySelector("[data-send]");
    if (button.getAttribute("aria-busy") === "true") return;
    markBusy(button);
    let fields;
    // Gives whether the post waits in the outbox; otherwise its words are saved as a draft.
    const queue = async () => {
      if (!(await queueForm(form, fields))) {
        await saveDraft(words.value);
        return false;
      }
      files.clear();
      list.replaceChildren();
      words.value = "";
      words.dispatchEvent(new Event("input"));
      await saveDraft("");
      return true;
    };
    try {
      fields = await formFields(form, picker, list, { files, ids, removed });
      await sendForm(form, fields, {
        onProgress: fields.has("images") ? (part) => showProgress(form, part) : undefined,
        onAnswer: (isAccepted) => isAccepted && keepsDraft && saveDraft(""),
        // It is sent once the user has signed in again.
        onSignedOut: () => keepsDraft && queue(),
        onRefused: (page) => {
          if (!hasTakenPictures(page, fields)) untaken = chosenPictures(list, files);
        },
      });
    } catch (failure) {
      const isOffline = failure.status !== undefined && isUnreachable(failure);
      if (!isOffline || !keepsDraft) {
        showError(failure);
      } else if (await queue()) {
        // With the focus inside, the form would close under the next tap, which then misses.
        form.classList.remove("is-open");
        if (form.contains(document.activeElement)) document.activeElement.blur();
        showToast(text("queued"));
      } else {
        // Nothing is lost, so nothing needs an answer.
        showToast(text("offline"));
      }
    } finally {
      markReady(form);
      showProgress(form, null);
    }
  });
}

/** The fields in the form's own order, with the pictures at the end. */
async function formFields(form, picker, list, { files, ids, removed }) {
  picker.disabled = true;
  const fields = new FormData(form);
  picker.disabled = false;
  for (const [index, item] of [...list.children, ...removed].entries()) {
    const number = index + 1;
    if ("numbered" in list.dataset) {
      fields.append(`order_${number}`, number);
      if (files.has(item)) fields.append("image_number", number);
    }
    if (ids.has(item)) fields.append(`image_id_${number}`, ids.get(item));
    if (removed.includes(item)) fields.append(`remove_${number}`, "1");
    const file = files.get(item);
    if (!file) continue;
    const small = await shrinkImage(file);
    fields.append("images", small, small.name);
  }
  return fields;
}

/** The pictures of a list that the server does not have. */
function chosenPictures(list, files) {
  return [...list.children].flatMap((item, place) => {
    const file = files.get(item);
    return file ? { file, description: item.querySelector(".input").value, place } : [];
  });
}

/** Queues a post, if it has words or pictures and is short enough. Gives whether it is queued. */
async function queueForm(form, fields) {
  const words = fields.get("content").trim();
  const hasPictures = fields.has("images") || fields.has("kept");
  if ((!words && !hasPictures) || [...words].length > Number(form.dataset.limit)) return false;
  try {
    await queuePost([...fields]);
  } catch {
    // The browser stores nothing, or not so much.
    return false;
  }
  // What is written next is another post.
  form.elements.namedItem("nonce").value = randomID();
  return true;
}

function emptyItem(form) {
  const template = form.querySelector("[data-draft-template]");
  return template.content.firstElementChild.cloneNode(true);
}

/** The item for a picture that the server has, made from its row. */
function pictureItem(form, row) {
  const item = emptyItem(form);
  const [image, preview] = item.querySelectorAll("img");
  const shown = row.querySelector("img");
  image.src = preview.src = shown.src;
  image.alt = shown.alt;
  describe(item, row.querySelector("[name^=description]").value);
  return item;
}

function draftItem(form, file) {
  const item = emptyItem(form);
  const address = URL.createObjectURL(file);
  const [image, preview] = item.querySelectorAll("img");
  preview.onload = preview.onerror = () => URL.revokeObjectURL(address);
  image.src = preview.src = address;
  image.alt = file.name;
  return item;
}

function describe(item, description) {
  item.querySelector(".input").value = description;
  item.classList.toggle("is-described", description.trim() !== "");
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
