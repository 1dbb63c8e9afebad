// Being told while PairSpot is closed: asked for only after a tap on "turn on"
// (docs/developer/notifications.md).
import { call, tell } from "./base/fetch.js";
import { subscription } from "./base/service-worker.js";

const CALL = "/api/v1/push/subscriptions";

export async function start(box) {
  const texts = box.querySelector("[data-push-texts]").dataset;
  const words = box.querySelector("[data-push-words]");
  const button = box.querySelector("[data-push-button]");
  if (!("PushManager" in window) || !navigator.serviceWorker || !("Notification" in window)) {
    give(texts.impossible);
    return;
  }
  if (Notification.permission === "denied") {
    give(texts.refused);
    return;
  }
  // What the server knows is not all: the browser may have let go of it since.
  let isOn = "on" in box.dataset && Notification.permission === "granted" && (await isThere());
  say();
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      if (isOn) {
        await turnOff();
        isOn = false;
      } else {
        isOn = await turnOn(box.dataset.key);
      }
      if (!isOn && Notification.permission === "denied") give(texts.refused);
      else say();
    } catch (failure) {
      if (failure.name === "NotAllowedError") give(texts.refused);
      // The browser's own push service can't be reached.
      else tell(failure.name === "AbortError" ? { status: 0 } : failure);
    } finally {
      button.disabled = false;
    }
  });

  function say() {
    words.textContent = isOn ? texts.isOn : texts.ask;
    button.textContent = isOn ? texts.turnOff : texts.turnOn;
    box.classList.add("is-ready");
  }

  function give(reason) {
    words.textContent = reason;
    button.hidden = true;
    box.classList.add("is-ready");
  }
}

async function isThere() {
  try {
    return Boolean(await subscription());
  } catch {
    return false;
  }
}

/** Gives whether it is on: a question that was waved away may be asked again. */
async function turnOn(key) {
  // Asked first, while the tap still counts as one.
  if ((await Notification.requestPermission()) !== "granted") return false;
  const worker = await navigator.serviceWorker.ready;
  const old = await worker.pushManager.getSubscription();
  // One of somebody who was here before, or of another key.
  await old?.unsubscribe();
  const made = await worker.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: key,
  });
  await call("POST", CALL, made);
  return true;
}

async function turnOff() {
  const old = await subscription();
  if (!old) return;
  await call("DELETE", CALL, { endpoint: old.endpoint });
  await old.unsubscribe();
}
