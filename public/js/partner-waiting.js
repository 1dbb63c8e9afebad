// Reloads the page of a waiting user when the partner has joined.
import { parsePage } from "./base/fetch.js";

const POLL_INTERVAL = 5000;

export function start(place) {
  const typing = () => [...place.querySelectorAll("input[type=email]")].some((f) => f.value);
  const check = async () => {
    if (document.visibilityState === "visible" && !typing()) {
      try {
        const response = await fetch(location.pathname, { credentials: "same-origin" });
        if (response.redirected) {
          location.replace(response.url);
          return;
        }
        const fresh = response.ok && (await parsePage(response)).querySelector("[data-waiting]");
        if (fresh && fresh.dataset.state !== place.dataset.state) {
          location.reload();
          return;
        }
      } catch {
        // Offline or restarting: the next check follows.
      }
    }
    setTimeout(check, POLL_INTERVAL);
  };
  setTimeout(check, POLL_INTERVAL);
}
