// Sends a form with a large file, shows progress, and asks before the page is left meanwhile. With
// data-upload="at-once" it is sent when files are chosen or dropped; the button tries again. A file
// that is larger than its field takes (data-most) is not sent.
import { markBusy, markReady } from "./base/forms.js";
import { showError } from "./base/fetch.js";
import { sendForm } from "./base/send-form.js";

export function start(form) {
  const button = sendButton(form);
  const cancel = form.querySelector("[data-cancel]");
  const picker = form.querySelector("input[type=file]");
  const isTooLarge = () => "most" in picker.dataset && showTooLarge(picker);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.getAttribute("aria-busy") === "true") return;
    if (isTooLarge()) {
      picker.focus();
      return;
    }
    const sending = new AbortController();
    const { signal } = sending;
    cancel.onclick = () => sending.abort();
    const fields = new FormData(form);
    markBusy(button);
    showProgress(form, 0);
    addEventListener("beforeunload", preventUnload);
    const failure = await sendForm(form, fields, {
      signal,
      showsErrors: true,
      keepsFiles: form.dataset.upload !== "at-once",
      onProgress: (part) => showProgress(form, part),
      onAnswer: () => removeEventListener("beforeunload", preventUnload),
    }).catch((error) => error);
    removeEventListener("beforeunload", preventUnload);
    markReady(form);
    hide(form.querySelector("[data-progress]"), button);
    if (signal.aborted) button.focus();
    // The dialog comes last: it gives the focus back to where it was.
    if (failure) showError(failure);
  });
  picker.addEventListener("change", () => {
    if (isTooLarge()) return;
    if (form.dataset.upload === "at-once" && picker.files.length) form.requestSubmit();
  });
}

const sendButton = (form) => form.querySelector("button:not([type=button])");

function preventUnload(event) {
  event.preventDefault();
}

/** Hides a part of the form. The focus inside it goes to the button that sends the form. */
function hide(part, button) {
  const hasFocus = part.contains(document.activeElement);
  part.hidden = true;
  if (hasFocus) button.focus();
}

/** Shows whether a chosen file is larger than its field takes; pictures have their own limit. */
function showTooLarge(picker) {
  const isPicture = ({ type }) => type.startsWith("image/");
  const { most, mostPicture } = picker.dataset;
  const limit = (file) => Number(isPicture(file) ? mostPicture : most);
  const large = [...picker.files].find((file) => file.size > limit(file));
  const note = document.getElementById(`${picker.id}_large`);
  note.hidden = !large;
  if (large) {
    note.querySelector("[data-words]").textContent = isPicture(large)
      ? note.dataset.picture
      : note.dataset.film;
    picker.setAttribute("aria-invalid", "true");
    picker.setAttribute("aria-describedby", note.id);
  } else {
    picker.removeAttribute("aria-invalid");
    picker.setAttribute("aria-describedby", `${picker.id}_note`);
  }
  return Boolean(large);
}

function showProgress(form, part) {
  const place = form.querySelector("[data-progress]");
  const bar = place.querySelector("[role=progressbar]");
  const words = place.querySelector("[data-progress-words]");
  const percent = Math.floor(part * 100);
  place.hidden = false;
  bar.setAttribute("aria-valuenow", percent);
  bar.firstElementChild.style.width = `${percent}%`;
  // The server checks the file after it has arrived, and what it has then can't be cancelled.
  const { sending, checking } = words.dataset;
  words.textContent = part < 1 ? sending.replace("%", `${percent} %`) : checking;
  const cancel = form.querySelector("[data-cancel]");
  if (part < 1) cancel.hidden = false;
  else hide(cancel, sendButton(form));
}
