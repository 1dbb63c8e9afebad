// Registers the service worker of this page's version, and tells it the user's language, in which
// offline pages are shown.
import { isShell } from "./current-user.js";

// "/assets/<hash>/js/base/service-worker.js": the hash is the version of all assets.
const version = new URL(import.meta.url).pathname.split("/")[2];

export function registerServiceWorker() {
  const workers = navigator.serviceWorker;
  if (!workers) return;
  // The worker asks its pages which version they use before it deletes old ones.
  workers.addEventListener("message", ({ data, ports }) => {
    if (data === "version") ports[0]?.postMessage(version);
  });
  workers.startMessages();
  // An offline page may be older than the server's current version.
  if (isShell()) return;
  register(workers).catch(() => {
    // Storage is full or forbidden: the site works as before, with a network.
  });
}

/** The browser's push subscription, if there is one. */
export async function pushSubscription() {
  const registration = await navigator.serviceWorker?.getRegistration();
  return registration?.pushManager?.getSubscription();
}

/** Closes the notifications that are shown: a button of them would act for the next user. */
export async function closeNotifications() {
  try {
    const registration = await navigator.serviceWorker?.getRegistration();
    for (const notification of (await registration?.getNotifications()) ?? []) {
      notification.close();
    }
  } catch {
    // Without notifications there is nothing to close.
  }
}

async function register(workers) {
  if (document.readyState !== "complete") {
    await new Promise((done) => addEventListener("load", done, { once: true }));
  }
  await workers.register(`/sw.js?v=${version}`, { updateViaCache: "none" });
  const { active } = await workers.ready;
  active.postMessage({ language: document.documentElement.lang });
}
