// Photos that are selected in the album: says how many, and offers what can be done with them.
import { markReady } from "../base/forms.js";

// A download leaves the page as it is; after this time in ms the form can be sent again.
const READY_AFTER = 1000;

export function start(form) {
  const note = form.querySelector("[data-selection-note]");
  const buttons = form.querySelectorAll("button[name=action]");
  const most = Number(form.dataset.most);
  const show = () => {
    const count = form.querySelectorAll("[name=photo]:checked").length;
    const { none, some, many } = note.dataset;
    note.textContent = (count > most ? many : count ? some : none).replace("#", count);
    for (const button of buttons) button.disabled = count < 1 || count > most;
  };
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => {
    if (event.submitter?.value === "download") setTimeout(() => markReady(form), READY_AFTER);
  });
  // The browser restores ticks after going back.
  addEventListener("pageshow", show);
  show();
}
