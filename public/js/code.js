// A code that is shown once: copied or printed with one tap.
import { toast } from "./base/toasts.js";

export function start(row) {
  row.hidden = false;
  row.querySelector("[data-copy-button]").addEventListener("click", async () => {
    await navigator.clipboard.writeText(row.dataset.copy);
    toast(row.dataset.copied);
  });
  row.querySelector("[data-print]")?.addEventListener("click", () => window.print());
}
