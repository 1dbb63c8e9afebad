// Deciding reports by keyboard. In the queue J and K go from one to the next; with one open they
// open the next and the one before, digits choose, N leads to the note, Ctrl+Enter decides.
const isTyping = (element) => element.closest("textarea, input:not([type=radio]), select") !== null;
const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;

function walk(list) {
  const links = [...list.querySelectorAll("a")];
  document.addEventListener("keydown", (event) => {
    const step = { j: 1, k: -1 }[event.key.toLowerCase()];
    if (!step || hasModifier(event) || isTyping(event.target)) return;
    const place = links.indexOf(document.activeElement);
    links[Math.max(0, Math.min(links.length - 1, place + step))]?.focus();
  });
}

function decide(desk, form) {
  const choices = form.querySelectorAll("[name=decision]");
  desk.querySelector("#taken")?.focus();
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
    if (link) desk.querySelector(link)?.click();
    if (event.key.toLowerCase() === "n") {
      form.querySelector("[name=note]").focus();
      event.preventDefault();
    }
  });
}

/** Listens for keys while the queue, or a report, is open. */
export function start(desk) {
  const form = desk.querySelector("form");
  if (form) decide(desk, form);
  else walk(desk);
}
