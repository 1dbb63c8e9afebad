// Push notifications; the permission is requested only when the user turns them on
// (docs/developer/notifications.md).
import { callAPI, showError } from "./base/fetch.js";
import { pushSubscription } from "./base/service-worker.js";

const ENDPOINT = "/api/v1/push/subscriptions";

export async function start(box) {
  const texts = box.querySelector("[data-push-texts]").dataset;
  const words = box.querySelector("[data-push-words]");
  const button = box.querySelector("[data-push-button]");
  box.querySelector("[data-push-dismiss]")?.addEventListener("click", () => dismiss(box));
  if (!("PushManager" in window) || !navigator.serviceWorker || !("Notification" in window)) {
    const isPhone = navigator.standalone === false;
    box.querySelector("[data-push-ios]").hidden = !isPhone;
    showUnavailable(isPhone ? texts.ios : texts.impossible);
    return;
  }
  if (Notification.permission === "denied") {
    showUnavailable(texts.refused);
    return;
  }
  // The browser may have dropped a subscription that the server still has.
  let isOn = "on" in box.dataset && Notification.permission === "granted" && (await isSubscribed());
  showState();
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      if (isOn) {
        await turnOff();
        isOn = false;
      } else {
        isOn = await turnOn(box.dataset.key);
      }
      if (!isOn && Notification.permission === "denied") showUnavailable(texts.refused);
      else showState();
    } catch (failure) {
      if (failure.name === "NotAllowedError") showUnavailable(texts.refused);
      // The browser's push service cannot be reached.
      else showError(failure.name === "AbortError" ? { status: 0 } : failure);
    } finally {
      button.disabled = false;
    }
  });

  function showState() {
    words.textContent = isOn ? texts.isOn : texts.ask;
    button.textContent = isOn ? texts.turnOff : texts.turnOn;
    box.classList.add("is-ready");
  }

  function showUnavailable(reason) {
    words.textContent = reason;
    button.hidden = true;
    box.classList.add("is-ready");
  }
}

/** Removes the offer; the cookie keeps the server from showing it again in this browser. */
function dismiss(box) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `push-dismissed=1; Max-Age=31536000; Path=/; SameSite=Lax${secure}`;
  box.remove();
}

async function isSubscribed() {
  try {
    return Boolean(await pushSubscription());
  } catch {
    return false;
  }
}

/** Gives whether push is on. A dismissed question may be asked again. */
async function turnOn(key) {
  // Asked first: browsers allow the question only right after a tap.
  if ((await Notification.requestPermission()) !== "granted") return false;
  const worker = await navigator.serviceWorker.ready;
  const old = await worker.pushManager.getSubscription();
  // A subscription of an earlier user, or for an earlier key.
  await old?.unsubscribe();
  const made = await worker.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: key,
  });
  await callAPI("POST", ENDPOINT, made);
  return true;
}

async function turnOff() {
  const old = await pushSubscription();
  if (!old) return;
  await callAPI("DELETE", ENDPOINT, { endpoint: old.endpoint });
  await old.unsubscribe();
}
