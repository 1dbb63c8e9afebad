// Keyboard control of reports. In the queue J and K move between reports. In an open report they
// open the next and the previous one, digits choose a decision, N focuses the note, Ctrl+Enter
// sends.
const isTyping = (element) => element.closest("textarea, input:not([type=radio]), select") !== null;
const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;

function navigateList(list) {
  const links = [...list.querySelectorAll("a")];
  document.addEventListener("keydown", (event) => {
    const step = { j: 1, k: -1 }[event.key.toLowerCase()];
    if (!step || hasModifier(event) || isTyping(event.target)) return;
    const place = links.indexOf(document.activeElement);
    links[Math.max(0, Math.min(links.length - 1, place + step))]?.focus();
  });
}

function handleDecisionKeys(root, form) {
  const choices = form.querySelectorAll("[name=decision]");
  root.querySelector("#taken")?.focus();
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
      return;
    }
    if (hasModifier(event) || isTyping(event.target)) return;
    const choice = choices[Number(event.key) - 1];
    if (choice) {
      choice.checked = true;
      choice.focus();
      event.preventDefault();
      return;
    }
    const link = { j: "[data-next]", k: "[data-before]" }[event.key.toLowerCase()];
    if (link) root.querySelector(link)?.click();
    if (event.key.toLowerCase() === "n") {
      form.querySelector("[name=note]").focus();
      event.preventDefault();
    }
  });
}

/** Handles keys while the queue, or a report, is open. */
export function start(root) {
  const form = root.querySelector("form");
  if (form) handleDecisionKeys(root, form);
  else navigateList(root);
}
