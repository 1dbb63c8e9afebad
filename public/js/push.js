// Being told while PairSpot is closed: asked for only after a tap on "turn on" (feed.md, "Follow,
// notices").
import { freshToken, tell } from "./base/fetch.js";

const CALL = "/api/v1/push/subscriptions";

export function start(box) {
  const texts = box.querySelector("[data-push-texts]").dataset;
  const words = box.querySelector("[data-push-words]");
  const button = box.querySelector("[data-push-button]");
  let isOn = "on" in box.dataset;
  box.hidden = false;
  if (!("PushManager" in window) || !navigator.serviceWorker || !("Notification" in window)) {
    give(texts.impossible);
    return;
  }
  if (Notification.permission === "denied") {
    give(texts.refused);
    return;
  }
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await (isOn ? turnOff() : turnOn(box.dataset.key));
      isOn = !isOn;
      words.textContent = isOn ? texts.isOn : texts.ask;
      button.textContent = isOn ? texts.turnOff : texts.turnOn;
    } catch (failure) {
      if (Notification.permission === "denied") give(texts.refused);
      else if (failure.name === "AbortError" || failure.name === "NotAllowedError") give(texts.impossible);
      else tell(failure);
    } finally {
      button.disabled = false;
    }
  });

  function give(reason) {
    words.textContent = reason;
    button.hidden = true;
  }
}

async function turnOn(key) {
  // Asked first, while the tap still counts as one.
  if ((await Notification.requestPermission()) !== "granted") throw new DOMException("", "NotAllowedError");
  const worker = await navigator.serviceWorker.ready;
  const old = await worker.pushManager.getSubscription();
  // One of somebody who was here before, or of another key.
  await old?.unsubscribe();
  const subscription = await worker.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: key,
  });
  await send("POST", subscription);
}

async function turnOff() {
  const worker = await navigator.serviceWorker.ready;
  const subscription = await worker.pushManager.getSubscription();
  if (!subscription) return;
  await send("DELETE", { endpoint: subscription.endpoint });
  await subscription.unsubscribe();
}

async function send(method, body) {
  const answer = await fetch(CALL, {
    method,
    credentials: "same-origin",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": await freshToken() },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw Object.assign(new Error("push"), { status: answer.status });
}
