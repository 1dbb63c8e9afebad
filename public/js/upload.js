// Sends a form with a large file, shows progress, and asks before the page is left meanwhile. With
// data-upload="at-once" it is sent when files are chosen or dropped; the button tries again.
import { markBusy, markReady } from "./base/forms.js";
import { showError } from "./base/fetch.js";
import { sendForm } from "./base/send-form.js";

export function start(form) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    if (button.getAttribute("aria-busy") === "true") return;
    const fields = new FormData(form);
    markBusy(button);
    addEventListener("beforeunload", preventUnload);
    try {
      await sendForm(form, fields, {
        onProgress: (part) => showProgress(form, part),
        onAnswer: () => removeEventListener("beforeunload", preventUnload),
      });
    } catch (failure) {
      showError(failure);
    } finally {
      removeEventListener("beforeunload", preventUnload);
      markReady(form);
      form.querySelector("[data-progress]").hidden = true;
    }
  });
  if (form.dataset.upload !== "at-once") return;
  const picker = form.querySelector("input[type=file]");
  picker.addEventListener("change", () => {
    if (picker.files.length) form.requestSubmit();
  });
}

function preventUnload(event) {
  event.preventDefault();
}

function showProgress(form, part) {
  const place = form.querySelector("[data-progress]");
  const bar = place.querySelector("[role=progressbar]");
  const words = place.querySelector("[data-progress-words]");
  const percent = Math.floor(part * 100);
  place.hidden = false;
  bar.setAttribute("aria-valuenow", percent);
  bar.firstElementChild.style.width = `${percent}%`;
  // The server checks the file after it has arrived.
  const { sending, checking } = words.dataset;
  words.textContent = part < 1 ? sending.replace("%", `${percent} %`) : checking;
}
