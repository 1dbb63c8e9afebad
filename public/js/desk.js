// Deciding reports by keyboard: J and K go on and back, digits choose, Ctrl+Enter decides.
const isTyping = (element) => element.closest("textarea, input:not([type=radio]), select") !== null;

/** Listens for keys while a report is open. */
export function start(desk) {
  const form = desk.querySelector("form");
  const choices = form.querySelectorAll("[name=decision]");
  desk.querySelector("#taken")?.focus();
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
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
