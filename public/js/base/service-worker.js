// The service worker: registers the one that belongs to this page's files, and tells it which
// language the reader has, so that pages without a network speak it too.
import { isShell } from "./current-user.js";

// "/assets/<hash>/js/base/service-worker.js": the hash is the version of everything.
const version = new URL(import.meta.url).pathname.split("/")[2];

export function worker() {
  const workers = navigator.serviceWorker;
  if (!workers) return;
  // A worker asks its pages which files they still use before it lets go of old ones.
  workers.addEventListener("message", ({ data, ports }) => {
    if (data === "version") ports[0]?.postMessage(version);
  });
  workers.startMessages();
  // A page out of the worker's own store may be older than what the server has by now.
  if (isShell()) return;
  register(workers).catch(() => {
    // Storage is full or forbidden: all works as before, with a network.
  });
}

/** The browser's push subscription, if there is one. */
export async function subscription() {
  const registration = await navigator.serviceWorker?.getRegistration();
  return registration?.pushManager?.getSubscription();
}

async function register(workers) {
  if (document.readyState !== "complete") {
    await new Promise((done) => addEventListener("load", done, { once: true }));
  }
  await workers.register(`/sw.js?v=${version}`, { updateViaCache: "none" });
  const { active } = await workers.ready;
  active.postMessage({ language: document.documentElement.lang });
}
