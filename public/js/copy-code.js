// Codes that are shown once: copies, downloads or prints them.
import { showToast } from "./base/toasts.js";

export function start(row) {
  row.hidden = false;
  const codes = () => row.dataset.copy || document.querySelector("main .codes").textContent.trim();
  row.querySelector("[data-copy-button]").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(codes());
      showToast(row.dataset.copied);
    } catch {
      selectCode(document.querySelector("main .code, main .codes, main input[readonly]"));
    }
  });
  const download = row.querySelector("[data-download]");
  download?.addEventListener("click", () => save(download.dataset.download, codes()));
  row.querySelector("[data-print]")?.addEventListener("click", () => window.print());
}

function save(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`${text}\n`], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
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
