// A group's code: how long it still works, and the ways to hand it on.
import { toast } from "../base/toasts.js";

export function start(sheet) {
  count(sheet);
  const timer = setInterval(() => count(sheet) || clearInterval(timer), 15000);
  const print = document.querySelector("[data-print]");
  if (print) {
    print.hidden = false;
    print.addEventListener("click", () => window.print());
  }
  share(document.querySelector("[data-share]"));
}

/** Shows the time that is left; false when it is over, and the page then says what to do. */
function count(sheet) {
  const place = sheet.querySelector("[data-left]");
  if (!place) return false;
  const left = Date.parse(sheet.dataset.until) - Date.now();
  if (left <= 0) {
    location.reload();
    return false;
  }
  const minutes = Math.ceil(left / 60000);
  const words = minutes < 60 ? sheet.dataset.minutes : sheet.dataset.hours;
  place.textContent = words.replace("#", Math.floor(minutes / 60)).replace("%", minutes % 60);
  const ring = sheet.querySelector("[data-ring]");
  ring.setAttribute("stroke-dasharray", `${(left / 3600000).toFixed(2)} 24`);
  return true;
}

function share(row) {
  if (!row) return;
  const { link: url, name: title } = row.dataset;
  row.hidden = false;
  if (navigator.share) {
    const button = row.querySelector("[data-share-button]");
    button.hidden = false;
    // Who closes the list of ways has changed their mind.
    button.addEventListener("click", () => navigator.share({ title, url }).catch(() => {}));
  }
  const copy = row.querySelector("[data-copy-link]");
  if (!navigator.clipboard) copy.hidden = true;
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(url);
    toast(row.dataset.copied);
  });
}
