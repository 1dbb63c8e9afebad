// A code that is shown once: copied or printed with one tap.
import { toast } from "./base/toasts.js";

export function start(row) {
  row.hidden = false;
  row.querySelector("[data-copy-button]").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(row.dataset.copy);
      toast(row.dataset.copied);
    } catch {
      mark(document.querySelector("main .code, main input[readonly]"));
    }
  });
  row.querySelector("[data-print]")?.addEventListener("click", () => window.print());
}

/** Ready to be copied by hand where the browser doesn't let us. */
function mark(place) {
  if (!place) return;
  place.scrollIntoView({ block: "nearest" });
  if (place.matches("input")) {
    place.focus();
    place.select();
  } else {
    getSelection().selectAllChildren(place);
  }
}
