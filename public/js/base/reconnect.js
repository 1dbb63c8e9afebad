// Waits until the server can be reached again, for offline pages. `navigator.onLine` knows only
// whether there is a network, so the server itself is asked.
const PAUSES = [4_000, 8_000, 15_000, 30_000, 60_000];
// In ms; a page that takes longer would only lead back to the offline page.
const TIMEOUT = 7_000;

/** Calls `go` once the page at this address can be reached. */
export function onReconnect(go) {
  let timer;
  let tries = 0;
  let isChecking = false;
  const check = async () => {
    if (isChecking) return;
    isChecking = true;
    clearTimeout(timer);
    if (await isReachable()) {
      go();
      return;
    }
    isChecking = false;
    timer = setTimeout(check, PAUSES[Math.min(tries, PAUSES.length - 1)]);
    tries += 1;
  };
  addEventListener("online", check);
  addEventListener("focus", check);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") check();
  });
  timer = setTimeout(check, PAUSES[0]);
}

async function isReachable() {
  try {
    const signal = AbortSignal.timeout(TIMEOUT);
    const answer = await fetch(location.href, { method: "HEAD", cache: "no-store", signal });
    return answer.status < 500;
  } catch {
    return false;
  }
}
