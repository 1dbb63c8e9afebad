// Every form shows that it is being sent, and cannot be sent twice.
const sent = new WeakSet();

// After this long, in milliseconds, somebody who stopped the page from loading may try again.
const PATIENCE = 30_000;

export function busyForms() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post") return;
    if (sent.has(form)) {
      event.preventDefault();
      return;
    }
    sent.add(form);
    busy(event.submitter);
    setTimeout(() => ready(form), PATIENCE);
  });
  // A page that comes back from the back-forward cache is ready to be used again.
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    for (const form of document.forms) ready(form);
  });
}

/** Shows that a button is working: it keeps its colour and width and says what it does. */
export function busy(button) {
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
export function ready(form) {
  sent.delete(form);
  for (const button of form.querySelectorAll("[aria-busy]")) {
    button.removeAttribute("aria-busy");
    button.style.minWidth = "";
    const kept = button.querySelector("template[data-kept]");
    if (kept) button.replaceChildren(kept.content);
  }
}
