// Service worker. It keeps the assets of one version (styles, scripts, icons) and a few offline
// pages, and answers with them when the server cannot be reached. Pages that were made for a user
// are never kept.
//
// The server lists what to keep in /shells.json, with the version, a hash of all assets. Pages
// register the worker with their version in the address, so a new version is noticed at once. It
// takes over without waiting; pages of the old version still find their assets, which are deleted
// when no open page names that version.
const LIST = "/shells.json";
const PREFIX = "files-";
// Written last: a cache without it is incomplete and is not used.
const WHOLE = "/whole";
const READER = "reader";
// Time in ms for a page to answer which version it has.
const ANSWER_TIME = 3000;
const UNREACHABLE = [502, 503, 504];

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));

async function install() {
  const list = await (await fetchFresh(LIST)).json();
  const store = await caches.open(PREFIX + list.version);
  if (!(await store.match(WHOLE))) {
    await store.addAll(list.files);
    const pages = list.shells.flatMap((shell) => Object.values(shell.pages));
    for (const page of new Set(pages)) await store.put(page, await fetchShell(page, list.version));
  }
  list.since = Date.now();
  await store.put(WHOLE, new Response(JSON.stringify(list)));
  await self.skipWaiting();
}

/** Fetches a page without cookies; throws when it belongs to another version than the assets. */
async function fetchShell(address, version) {
  const page = await fetchFresh(address);
  const words = await page.clone().text();
  if (!words.includes(`/assets/${version}/`)) throw new Error(`${address} is of another version`);
  return page;
}

async function fetchFresh(address) {
  const answer = await fetch(address, { cache: "no-store", credentials: "omit" });
  if (!answer.ok || answer.redirected) throw new Error(`${address}: ${answer.status}`);
  return answer;
}

async function activate() {
  await self.clients.claim();
  // Preloading requests the page while this worker is still starting.
  await self.registration.navigationPreload?.enable();
  await deleteOldVersions();
}

// Messages of pages.

self.addEventListener("message", (event) => {
  const { language } = event.data ?? {};
  if (typeof language !== "string") return;
  event.waitUntil(
    (async () => {
      const reader = await caches.open(READER);
      await reader.put("/language", new Response(language));
      // Claims pages that were loading while this worker took over.
      await self.clients.claim();
      await deleteOldVersions();
    })(),
  );
});

/** Deletes versions that no open page uses. If a page does not answer, all of them stay. */
async function deleteOldVersions() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
  const current = await currentList();
  if (names.length < 2 || !current) return;
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const used = await Promise.all(pages.map(versionOf));
  if (used.includes(null)) return;
  const kept = new Set([current.version, ...used]);
  const old = names.filter((name) => !kept.has(name.slice(PREFIX.length)));
  await Promise.all(old.map((name) => caches.delete(name)));
}

function versionOf(page) {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    setTimeout(() => resolve(null), ANSWER_TIME);
    page.postMessage("version", [port2]);
  });
}

let known = null;

/** The list of the newest complete version. */
async function currentList() {
  // A worker serves one version; the next version has a worker of its own.
  if (known) return known;
  let newest = null;
  for (const name of await caches.keys()) {
    if (!name.startsWith(PREFIX)) continue;
    const whole = await (await caches.open(name)).match(WHOLE);
    const list = await whole?.json();
    if (list && list.since > (newest?.since ?? 0)) newest = list;
  }
  known = newest;
  return newest;
}

// Requests of pages.

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    if (request.destination === "document") event.respondWith(answerPage(event, address.pathname));
  } else if (address.pathname.startsWith("/assets/")) {
    event.respondWith(answerAsset(request));
  } else if (address.pathname.startsWith("/media/trainings/")) {
    event.respondWith(answerMedia(request));
  }
});

async function answerAsset(request) {
  // The address names the version, so any cache that has it has the right one.
  return (await caches.match(request, { ignoreVary: true })) ?? fetch(request);
}

/** Covers and videos of trainings that the user keeps here; others come from the server. */
async function answerMedia(request) {
  const kept = await caches.match(request.url, { ignoreVary: true });
  if (!kept) return fetch(request);
  const range = request.headers.get("Range");
  if (!range) return kept;
  // Players ask for many parts of one video: the file is opened once.
  if (openFile.address !== request.url) openFile = { address: request.url, file: kept.blob() };
  return rangeOf(await openFile.file, range, kept.headers.get("Content-Type"));
}

let openFile = {};

/** A part of a file. Players request ranges only, and caches store no partial responses. */
function rangeOf(file, range, type) {
  const [whole, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  const headers = { "Accept-Ranges": "bytes", "Content-Type": type };
  // Several ranges, or another unit: the whole file is a valid answer too.
  if (!whole || (!first && !last)) return new Response(file, { headers });
  const start = first ? Number(first) : Math.max(0, file.size - Number(last));
  const end = first && last ? Math.min(Number(last), file.size - 1) : file.size - 1;
  if (start > end) {
    headers["Content-Range"] = `bytes */${file.size}`;
    return new Response(null, { status: 416, headers });
  }
  headers["Content-Range"] = `bytes ${start}-${end}/${file.size}`;
  headers["Content-Length"] = `${end - start + 1}`;
  return new Response(file.slice(start, end + 1), { status: 206, headers });
}

async function answerPage(event, path) {
  const list = await currentList();
  const shell = shellFor(path, list);
  let answer;
  try {
    answer = await withTimeout(fromServer(event), shell?.patience);
  } catch (failure) {
    const kept = await cachedPage(shell, list);
    if (kept) return kept;
    throw failure;
  }
  // A 502, 503 or 504 with a page that works offline: that page is more useful.
  if (!UNREACHABLE.includes(answer.status) || !shell?.path) return answer;
  return (await cachedPage(shell, list)) ?? answer;
}

async function fromServer(event) {
  return (await event.preloadResponse) ?? fetch(event.request);
}

function withTimeout(answer, seconds) {
  if (!seconds) return answer;
  const end = new Promise((_, reject) => {
    setTimeout(() => reject(new Error("no answer in time")), seconds * 1000);
  });
  return Promise.race([answer, end]);
}

/** The shell for a path; the one without a path stands for all other paths. */
function shellFor(path, list) {
  const shells = list?.shells ?? [];
  return shells.find((shell) => fits(shell.path, path)) ?? shells.find((shell) => !shell.path);
}

/** Whether a path matches the pattern of a shell, in which ":id" stands for an identifier. */
function fits(pattern, path) {
  if (!pattern?.includes(":")) return pattern === path;
  const parts = path.split("/");
  const wanted = pattern.split("/");
  return (
    parts.length === wanted.length &&
    wanted.every(
      (part, place) =>
        part === parts[place] || (part.startsWith(":") && /^[0-9a-f-]{36}$/i.test(parts[place])),
    )
  );
}

async function cachedPage(shell, list) {
  if (!shell) return undefined;
  const language = await (await caches.match("/language", { cacheName: READER }))?.text();
  const address = shell.pages[language] ?? shell.pages[browserLanguage()] ?? shell.pages.en;
  return caches.match(address, { cacheName: PREFIX + list.version });
}

/** The language until a page has reported one, chosen as the server does by Accept-Language. */
function browserLanguage() {
  const tag = self.navigator.language.toLowerCase();
  if (!tag.startsWith("zh")) return "en";
  return /hant|tw|hk|mo/.test(tag) ? "zh-Hant" : "zh-Hans";
}

// Push messages.

/** The button of a notification that checks in. */
const CHECK_IN = "check-in";

self.addEventListener("push", (event) => event.waitUntil(showPush(event.data)));

/** Shows a notification. Browsers withdraw the permission if a push shows nothing. */
async function showPush(data) {
  let message = {};
  try {
    message = data?.json() ?? {};
  } catch {
    // Not our format: shows the name alone.
  }
  await self.registration.showNotification(message.title ?? "PairSpot", {
    body: message.body ?? "",
    lang: message.lang ?? "",
    tag: message.tag ?? "",
    icon: "/icons/app-192.png",
    badge: "/icons/app-192.png",
    actions: message.action ? [{ action: CHECK_IN, title: message.action }] : [],
    data: { url: message.url, done: message.done, user: message.user },
  });
}

self.addEventListener("notificationclick", (event) => {
  const { notification } = event;
  notification.close();
  event.waitUntil(
    event.action === CHECK_IN ? checkIn(notification) : openPage(notification.data?.url),
  );
});

/**
 * Checks in for today from a notification, and says so; opens its page if that fails, if a timer
 * still runs, or if another user than the one who was asked is signed in by now.
 */
async function checkIn({ title, tag, lang, data }) {
  try {
    const { token, user } = await session();
    if (!user || user !== data?.user) throw new Error("another user");
    const answer = await fetch("/api/v1/checkin", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": token },
      body: JSON.stringify({ time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
    });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    if ((await answer.json()).timer) throw new Error("a timer runs");
  } catch {
    // No network, signed out, another user, something is missing, or a timer runs, which a check-in
    // does not end: the page says what to do.
    await openPage(data?.url);
    return;
  }
  await self.registration.showNotification(title, {
    body: data?.done ?? "",
    lang,
    tag,
    icon: "/icons/app-192.png",
    badge: "/icons/app-192.png",
    data: { url: data?.url },
  });
}

/** Opens a page of this site, never in a window with another page, which may hold unsaved text. */
async function openPage(path) {
  const url = new URL(typeof path === "string" ? path : "/notifications", self.location.origin);
  if (url.origin !== self.location.origin) return;
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = pages.find((page) => page.url === url.href);
  await (there ? there.focus() : self.clients.openWindow(url.href));
}

self.addEventListener("pushsubscriptionchange", (event) =>
  event.waitUntil(renewSubscription(event)),
);

/**
 * Registers a new push subscription after the browser has replaced the old one, for the sign-in that
 * had it. Another user who is signed in by now has not asked for pushes: then it is given up.
 */
async function renewSubscription({ oldSubscription, newSubscription }) {
  const made =
    newSubscription ??
    (await self.registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: oldSubscription?.options.applicationServerKey ?? (await pushKey()),
    }));
  const { token, user } = await session();
  if (user) {
    const answer = await fetch("/api/v1/push/subscriptions", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": token },
      body: JSON.stringify({ ...made.toJSON(), renewal: true }),
    });
    if (answer.status !== 409) return;
  }
  await made.unsubscribe();
}

async function pushKey() {
  return (await (await fetch("/api/v1/push/key")).json()).public_key;
}

/** A fresh CSRF token, and the pseudonym of the user who is signed in. */
async function session() {
  const answer = await fetch("/csrf", {
    cache: "no-store",
    headers: { Accept: "application/json" },
  });
  return answer.json();
}
