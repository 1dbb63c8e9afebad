// Keeps the screen on while it is wanted. Browsers let go of it whenever the page is hidden.
let wanted = false;
let lock;

export function stayAwake() {
  wanted = true;
  take();
}

export function maySleep() {
  wanted = false;
  lock?.release().catch(() => {});
  lock = undefined;
}

async function take() {
  if (!wanted || lock || document.visibilityState !== "visible") return;
  try {
    const taken = await navigator.wakeLock?.request("screen");
    if (!taken) return;
    if (!wanted || lock) {
      await taken.release();
      return;
    }
    lock = taken;
    lock.addEventListener("release", () => {
      if (lock === taken) lock = undefined;
      take();
    });
  } catch {
    // A battery that is low: the screen goes dark, and all is recorded as before.
  }
}

document.addEventListener("visibilitychange", take);
