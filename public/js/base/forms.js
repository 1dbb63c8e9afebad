// Prevents sending a form twice or without a network, and shows that it is being sent.
import { isReachable } from "./fetch.js";
import { showNotice } from "./notice.js";
import { text } from "./texts.js";

const sent = new WeakSet();
// Forms that were sent without a network, while the server answered: it is on this machine.
const reaching = new WeakSet();

// Time in ms until a form can be sent again, for users who stopped the page from loading.
const RESUBMIT_AFTER = 30_000;

export function preventDoubleSubmits() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post") return;
    if (sent.has(form)) {
      event.preventDefault();
      return;
    }
    if (!navigator.onLine && !reaching.delete(form)) {
      // The browser would show its own page, and lose what is written in the form.
      event.preventDefault();
      sendIfReachable(form, event.submitter);
      return;
    }
    sent.add(form);
    markBusy(event.submitter);
    setTimeout(() => markReady(form), RESUBMIT_AFTER);
  });
  // A page from the back-forward cache is ready for use again.
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    for (const form of document.forms) markReady(form);
  });
}

async function sendIfReachable(form, button) {
  sent.add(form);
  const isThere = await isReachable();
  sent.delete(form);
  if (isThere) {
    reaching.add(form);
    form.requestSubmit(button);
  } else {
    showNotice(text("offline"));
  }
}

/** Shows that a button is working: it keeps its colour and width and shows its busy text. */
export function markBusy(button) {
  const words = button?.dataset.busy;
  if (!button || button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  if (words === undefined) return;
  button.style.minWidth = `${button.offsetWidth}px`;
  const kept = document.createElement("template");
  kept.content.append(...button.childNodes);
  kept.dataset.kept = "";
  const mark = document.createElement("span");
  mark.className = "busy";
  mark.setAttribute("aria-hidden", "true");
  mark.append(document.createElement("i"), document.createElement("i"));
  button.append(mark, words, kept);
}

/** Makes a form usable again after it was sent. */
export function markReady(form) {
  sent.delete(form);
  for (const button of form.querySelectorAll("[aria-busy]")) {
    button.removeAttribute("aria-busy");
    button.style.minWidth = "";
    const kept = button.querySelector("template[data-kept]");
    if (kept) button.replaceChildren(kept.content);
  }
}
