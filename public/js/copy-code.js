// A code that is shown once: copies or prints it.
import { showToast } from "./base/toasts.js";

export function start(row) {
  row.hidden = false;
  row.querySelector("[data-copy-button]").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(row.dataset.copy);
      showToast(row.dataset.copied);
    } catch {
      selectCode(document.querySelector("main .code, main input[readonly]"));
    }
  });
  row.querySelector("[data-print]")?.addEventListener("click", () => window.print());
}

/** Selects the code where the browser refuses to copy it. */
function selectCode(place) {
  if (!place) return;
  place.scrollIntoView({ block: "nearest" });
  if (place.matches("input")) {
    place.focus();
    place.select();
  } else {
    getSelection().selectAllChildren(place);
  }
}
