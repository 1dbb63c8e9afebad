// The field for a story: counts what people call characters. Typing stops at the most; what is put
// in at once (pasted, dictated, suggested, composed) stays whole, and the field says how much of it
// is too many. The server counts once more, and decides.
const segmenter = Intl.Segmenter ? new Intl.Segmenter(undefined, { granularity: "grapheme" }) : null;

// A browser that can't tell characters apart only counts.
const pieces = (text) =>
  segmenter ? Array.from(segmenter.segment(text), ({ segment }) => segment) : [...text];

const count = (text) => pieces(text.normalize("NFC").trim()).length;

export function start(field) {
  const form = field.form;
  const place = form.querySelector("[data-story-count]");
  const ring = form.querySelector("[data-story-ring]");
  const full = form.querySelector("[data-story-full]");
  const most = segmenter ? Number(field.dataset.most) : Infinity;
  const { storyFull, storyOver } = full.dataset;

  const show = () => {
    const now = count(field.value);
    const over = now - most;
    place.textContent = now;
    place.parentElement.classList.toggle("is-over", over > 0);
    ring.setAttribute("stroke-dasharray", `${Math.min(now, field.dataset.most)} ${field.dataset.most}`);
    if (over > 0) full.textContent = storyOver.replace("#", over);
    else if (over < 0 || full.textContent !== storyFull) full.textContent = "";
  };

  // Stopped before it happens, so that undoing still works. A text that is too long already can get
  // shorter, but no longer.
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
  field.addEventListener("input", show);

  for (const button of form.querySelectorAll("[data-story-offer] button")) {
    button.addEventListener("click", (event) => {
      event.preventDefault();
      field.focus();
      field.select();
      // The one way that can be undone.
      if (!document.execCommand?.("insertText", false, button.value)) {
        field.value = button.value;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }
    });
  }
  show();
}
