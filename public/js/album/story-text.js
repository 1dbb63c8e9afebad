// The field for a story: counts what people call characters and stops at the most. The server
// counts once more, and decides.
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
  // A text that came longer than it may be can get shorter, but no longer.
  let before = count(field.value);

  const show = () => {
    const now = count(field.value);
    place.textContent = now;
    ring.setAttribute("stroke-dasharray", `${now} ${field.dataset.most}`);
    if (now < most) full.textContent = "";
    return now;
  };
  const stopped = () => (full.textContent = full.dataset.storyFull);
  const settle = () => {
    if (count(field.value) > Math.max(most, before)) {
      cut(field, Math.max(most, before));
      stopped();
    }
    before = show();
  };

  // Plain typing is stopped before it happens, so that undoing still works.
  field.addEventListener("beforeinput", (event) => {
    const isLine = event.inputType === "insertLineBreak";
    if (event.isComposing || !(isLine || event.inputType === "insertText")) return;
    const head = field.value.slice(0, field.selectionStart);
    const tail = field.value.slice(field.selectionEnd);
    const typed = isLine ? "\n" : (event.data ?? "");
    if (count(head + typed + tail) <= Math.max(most, before)) return;
    event.preventDefault();
    stopped();
  });
  // While somebody composes (Chinese, Japanese, Korean), nothing is taken away from them.
  field.addEventListener("input", (event) => (event.isComposing ? show() : settle()));
  field.addEventListener("compositionend", settle);

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

/** Takes from what stands before the caret, where something was just put in, until it fits. */
function cut(field, limit) {
  const head = pieces(field.value.slice(0, field.selectionEnd));
  const tail = field.value.slice(field.selectionEnd);
  const kept = (length) => head.slice(0, length).join("");
  let [fits, tooMany] = [0, head.length];
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (count(kept(middle) + tail) <= limit) fits = middle;
    else tooMany = middle;
  }
  field.value = kept(fits) + tail;
  const caret = kept(fits).length;
  field.setSelectionRange(caret, caret);
}
