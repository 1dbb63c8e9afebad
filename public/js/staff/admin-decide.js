// The form of a decision: its button names the chosen act, and a chosen reply fills the note.

/** Starts the form; without scripts the button is always on, and the server asks for what is missing. */
export function start(form) {
  const button = form.querySelector("button[data-act]");
  const unchosen = button.textContent;
  const nameAct = () => {
    const choice = form.querySelector("[name=decision]:checked");
    button.textContent = choice?.dataset.act ?? unchosen;
    button.classList.toggle("button-danger", choice !== null && "danger" in choice.dataset);
    button.disabled = choice === null;
  };
  form.addEventListener("change", (event) => {
    if (event.target.name === "decision") nameAct();
  });
  nameAct();

  const reply = form.querySelector("[name=reply]");
  const note = form.querySelector("[name=note]");
  reply.addEventListener("change", () => {
    const texts = [...reply.options].filter((option) => option.value).map((option) => option.text);
    const kept = texts.includes(note.value) ? "" : note.value;
    const text = reply.value ? reply.selectedOptions[0].text : "";
    note.value = [kept, text].filter(Boolean).join("\n");
    note.dispatchEvent(new Event("input", { bubbles: true }));
  });
}
