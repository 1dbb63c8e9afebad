// A group's code: how long it still works, and the ways to hand it on.
import { toast } from "../base/toasts.js";
import { Clock } from "./server-clock.js";

// The code for which this tab has asked the server anew.
const ASKED = "invite-asked";

export function start(sheet) {
  // The server's: a phone's own may be wrong.
  const clock = new Clock(Number(sheet.dataset.now) || Date.now());
  count(sheet, clock);
  const timer = setInterval(() => count(sheet, clock) || clearInterval(timer), 15000);
  const print = document.querySelector("[data-print]");
  if (print) {
    print.hidden = false;
    print.addEventListener("click", () => window.print());
  }
  share(document.querySelector("[data-share]"));
}

/** Shows the time that is left; false when it is over, and the page then says what to do. */
function count(sheet, clock) {
  const place = sheet.querySelector("[data-left]");
  if (!place) return false;
  const left = Date.parse(sheet.dataset.until) - clock.now();
  if (left <= 0) {
    if (isFirst(sheet.dataset.until)) location.reload();
    return false;
  }
  const minutes = Math.ceil(left / 60000);
  const words = minutes < 60 ? sheet.dataset.minutes : sheet.dataset.hours;
  place.textContent = words.replace("#", Math.floor(minutes / 60)).replace("%", minutes % 60);
  const ring = sheet.querySelector("[data-ring]");
  ring.setAttribute("stroke-dasharray", `${(left / 3600000).toFixed(2)} 24`);
  return true;
}

/** Whether the server wasn't asked about this code before: what it says then holds. */
function isFirst(until) {
  try {
    if (sessionStorage.getItem(ASKED) === until) return false;
    sessionStorage.setItem(ASKED, until);
    return true;
  } catch {
    return false;
  }
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
    try {
      await navigator.clipboard.writeText(url);
      toast(row.dataset.copied);
    } catch {
      mark(document.querySelector(".invite-link"));
    }
  });
}

/** The link in words, ready to be copied by hand where the browser doesn't let us. */
function mark(fold) {
  fold.open = true;
  getSelection().selectAllChildren(fold.querySelector("p"));
  fold.scrollIntoView({ block: "nearest" });
}
