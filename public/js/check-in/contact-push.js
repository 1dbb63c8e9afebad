// Notifications for an emergency contact, on the page behind their link. A code is sent to the
// browser, and the contact types it in on this page.
import { parsePage, post, showError } from "../base/fetch.js";
import { markBusy, markReady } from "../base/forms.js";
import { swap } from "../base/swap.js";

export function start(box) {
  if (!("PushManager" in window) || !navigator.serviceWorker || !("Notification" in window)) return;
  const form = box.querySelector("form");
  const button = form.querySelector("button");
  box.hidden = false;
  if (Notification.permission === "denied") showRefused();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    markBusy(button);
    button.disabled = true;
    try {
      // Asked first: browsers allow the question only right after a tap.
      if ((await Notification.requestPermission()) === "granted") await turnOn();
      else if (Notification.permission === "denied") showRefused();
    } catch (failure) {
      if (failure.name === "NotAllowedError") showRefused();
      // The browser's push service cannot be reached.
      else showError(failure.name === "AbortError" ? { status: 0 } : failure);
    } finally {
      button.disabled = false;
      markReady(form);
    }
  });

  function showRefused() {
    box.querySelector("[data-push-words]").textContent = form.dataset.refused;
    button.hidden = true;
  }

  async function turnOn() {
    const { endpoint, keys } = (await subscription(box.dataset.key)).toJSON();
    const fields = new FormData(form);
    fields.set("button", "push");
    fields.set("endpoint", endpoint);
    fields.set("p256dh", keys.p256dh);
    fields.set("auth", keys.auth);
    const response = await post(form.getAttribute("action"), fields);
    await swap(await parsePage(response), response.url);
  }
}

/** The browser's subscription: the one there is, which a member's account may use too, or a new one. */
async function subscription(key) {
  const { pushManager } = await navigator.serviceWorker.ready;
  const there = await pushManager.getSubscription();
  if (there && text(there.options.applicationServerKey) === key) return there;
  await there?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

/** Bytes in base64url. */
function text(bytes) {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
