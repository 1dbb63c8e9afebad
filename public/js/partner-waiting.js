// Moves on by itself when the partner is in.
import { pageOf } from "./base/fetch.js";

const PAUSE = 5000;

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
        const fresh = response.ok && (await pageOf(response)).querySelector("[data-waiting]");
        if (fresh && fresh.dataset.state !== place.dataset.state) {
          location.reload();
          return;
        }
      } catch {
        // Offline or restarting: the next round asks again.
      }
    }
    setTimeout(check, PAUSE);
  };
  setTimeout(check, PAUSE);
}
