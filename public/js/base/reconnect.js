// For pages that stand in while the server can't be reached: goes on as soon as it can.
// `navigator.onLine` only knows of cables and radios, so the server itself is asked.
const PAUSES = [4_000, 8_000, 15_000, 30_000, 60_000];
// In ms; a page that needs longer would only lead back here.
const PATIENCE = 7_000;

/** Calls `go` once the page at this address is to be had. */
export function whenBack(go) {
  let timer;
  let tries = 0;
  let asking = false;
  const ask = async () => {
    if (asking) return;
    asking = true;
    clearTimeout(timer);
    if (await isThere()) {
      go();
      return;
    }
    asking = false;
    timer = setTimeout(ask, PAUSES[Math.min(tries, PAUSES.length - 1)]);
    tries += 1;
  };
  addEventListener("online", ask);
  addEventListener("focus", ask);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") ask();
  });
  timer = setTimeout(ask, PAUSES[0]);
}

async function isThere() {
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    const answer = await fetch(location.href, { method: "HEAD", cache: "no-store", signal });
    return answer.status < 500;
  } catch {
    return false;
  }
}
