// The text field of a story. It counts graphemes and stops typing at the limit. Longer texts that
// are inserted at once (pasted, dictated, suggested, composed) stay, and the field shows the
// excess and turns saving off. The server checks the length again.
const segmenter = Intl.Segmenter
  ? new Intl.Segmenter(undefined, { granularity: "grapheme" })
  : null;

// Without a segmenter the limit is not enforced here.
const pieces = (text) =>
  segmenter ? Array.from(segmenter.segment(text), ({ segment }) => segment) : [...text];

const count = (text) => pieces(text.normalize("NFC").trim()).length;

export function start(field) {
  const form = field.form;
  const place = form.querySelector("[data-story-count]");
  const ring = form.querySelector("[data-story-ring]");
  const full = form.querySelector("[data-story-full]");
  const save = form.querySelector("[data-story-save]");
  const most = segmenter ? Number(field.dataset.most) : Infinity;
  const { storyFull, storyOver } = full.dataset;

  const show = () => {
    const now = count(field.value);
    const over = now - most;
    place.textContent = now;
    place.parentElement.classList.toggle("is-over", over > 0);
    if (save) save.disabled = over > 0;
    ring.setAttribute(
      "stroke-dasharray",
      `${Math.min(now, field.dataset.most)} ${field.dataset.most}`,
    );
    if (over > 0) full.textContent = storyOver.replace("#", over);
    else if (over < 0 || full.textContent !== storyFull) full.textContent = "";
  };

  // Prevented before it happens, so that undo still works. A text that is too long may only get
  // shorter.
  field.addEventListener("beforeinput", (event) => {
    const isLine = event.inputType === "insertLineBreak";
    if (event.isComposing || !(isLine || event.inputType === "insertText")) return;
    const typed = isLine ? "\n" : (event.data ?? "");
    if (pieces(typed).length > 1) return;
    const head = field.value.slice(0, field.selectionStart);
    const tail = field.value.slice(field.selectionEnd);
    if (count(head + typed + tail) <= Math.max(most, count(field.value))) return;
    event.preventDefault();
    if (count(field.value) <= most) full.textContent = storyFull;
  });
  field.addEventListener("input", () => {
    show();
    hideError(field);
  });

  for (const button of form.querySelectorAll("[data-story-offer] button")) {
    button.addEventListener("click", (event) => {
      event.preventDefault();
      field.focus();
      field.select();
      // The only insertion that can be undone.
      if (!document.execCommand?.("insertText", false, button.value)) {
        field.value = button.value;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }
    });
  }
  show();
}

/** The error was about the text before. */
function hideError(field) {
  if (!field.hasAttribute("aria-invalid")) return;
  field.removeAttribute("aria-invalid");
  field.form.querySelector("#story_note").textContent = "";
  const summary = field.form.querySelector("#errors");
  if (summary?.querySelectorAll("li").length === 1) summary.hidden = true;
}
