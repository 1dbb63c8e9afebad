// Saves the switches of notifications as they are changed. A change that was not saved is undone.
import { parsePage, post, showError } from "../base/fetch.js";
import { showToastOf } from "../base/toasts.js";

export function start(form) {
  form.querySelector(".form-buttons").hidden = true;
  // One after the other: each request sends all switches, so the last change is sent last.
  let saved = Promise.resolve();
  form.addEventListener("change", (event) => {
    saved = saved.then(() => save(form, event.target));
  });
}

async function save(form, changed) {
  try {
    showToastOf(await parsePage(await post(form.action, new FormData(form))));
  } catch (failure) {
    changed.checked = !changed.checked;
    showError(failure);
  }
}
