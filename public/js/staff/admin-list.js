// Keyboard control of reports. J and K open the next and the previous one, digits choose a decision,
// N focuses the note, Ctrl+Enter sends. Where no report is open beside the queue, J and K move
// between its links.
const isTyping = (element) => element.closest("textarea, input:not([type=radio]), select") !== null;
const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;

function moveInList(step) {
  const links = [...document.querySelectorAll(".admin-list a")];
  const place = links.indexOf(document.activeElement);
  links[Math.max(0, Math.min(links.length - 1, place + step))]?.focus();
}

/** Handles keys while the queue, or a report, is open; `root` is the place of the report. */
export function start(root) {
  const form = root.querySelector("[data-decide]");
  const isOpen = () => root.offsetParent !== null;
  root.querySelector("#taken")?.focus();
  document.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    if (form && isOpen() && key === "enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
      return;
    }
    if (hasModifier(event) || isTyping(event.target)) return;
    const step = { j: 1, k: -1 }[key];
    if (step && isOpen()) root.querySelector(step > 0 ? "[data-next]" : "[data-before]")?.click();
    else if (step) moveInList(step);
    if (!form || !isOpen()) return;
    const choice = form.querySelectorAll("[name=decision]")[Number(key) - 1];
    if (choice) choice.click();
    (choice ?? (key === "n" ? form.querySelector("[name=note]") : null))?.focus();
    if (choice || key === "n") event.preventDefault();
  });
}
