// A group's invite code: the time left, and ways to share it.
import { showToast } from "../base/toasts.js";
import { ServerClock } from "./server-clock.js";

// The code for which this tab has reloaded the page.
const ASKED = "invite-asked";

export function start(sheet) {
  // Uses the server's time: the phone's clock may be wrong.
  const clock = new ServerClock(Number(sheet.dataset.now) || Date.now());
  showTimeLeft(sheet, clock);
  const timer = setInterval(() => showTimeLeft(sheet, clock) || clearInterval(timer), 15000);
  const print = document.querySelector("[data-print]");
  if (print) {
    print.hidden = false;
    print.addEventListener("click", () => window.print());
  }
  offerSharing(document.querySelector("[data-share]"));
}

/** Shows the time left; gives false when it is over and the page says what to do. */
function showTimeLeft(sheet, clock) {
  const place = sheet.querySelector("[data-left]");
  if (!place) return false;
  const left = Date.parse(sheet.dataset.until) - clock.now();
  if (left <= 0) {
    if (isFirstReload(sheet.dataset.until)) location.reload();
    return false;
  }
  const minutes = Math.ceil(left / 60000);
  const words = minutes < 60 ? sheet.dataset.minutes : sheet.dataset.hours;
  place.textContent = words.replace("#", Math.floor(minutes / 60)).replace("%", minutes % 60);
  const ring = sheet.querySelector("[data-ring]");
  ring.setAttribute("stroke-dasharray", `${(left / 3600000).toFixed(2)} 24`);
  return true;
}

/** Whether the page was not reloaded for this code before. */
function isFirstReload(until) {
  try {
    if (sessionStorage.getItem(ASKED) === until) return false;
    sessionStorage.setItem(ASKED, until);
    return true;
  } catch {
    return false;
  }
}

function offerSharing(row) {
  if (!row) return;
  const { link: url, name: title } = row.dataset;
  row.hidden = false;
  const copy = row.querySelector("[data-copy-link]");
  if (navigator.share) {
    const button = row.querySelector("[data-share-button]");
    button.hidden = false;
    // The user has closed the list of apps.
    button.addEventListener("click", () => navigator.share({ title, url }).catch(() => {}));
  } else {
    // Then it is the main action.
    copy.classList.remove("button-outline");
  }
  if (!navigator.clipboard) copy.hidden = true;
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(url);
      showToast(row.dataset.copied);
    } catch {
      selectLink(document.querySelector(".invite-link"));
    }
  });
}

/** Selects the link where the browser refuses to copy it. */
function selectLink(fold) {
  fold.open = true;
  getSelection().selectAllChildren(fold.querySelector("p"));
  fold.scrollIntoView({ block: "nearest" });
}
