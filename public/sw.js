// The service worker: keeps the files of one version (styles, scripts, icons) and a short list of
// pages made for nobody in particular, and answers with them when the server can't be reached.
// A page that was made for somebody is never kept.
//
// What to keep is the server's to say (/shells.json), with the version, a hash over all files. A
// page registers this worker with its version in the address, so a new one is noticed at once. It
// takes over without waiting; pages of the old version still find their files, which go when no
// open page names that version any more.
const LIST = "/shells.json";
const PREFIX = "files-";
// Written last: a store without it is not whole, and is not used.
const WHOLE = "/whole";
const READER = "reader";
// In ms: how long a page may take to say which version it has.
const ANSWER_TIME = 3000;
const UNREACHABLE = [502, 503, 504];

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));

async function install() {
  const list = await (await good(LIST)).json();
  const store = await caches.open(PREFIX + list.version);
  if (!(await store.match(WHOLE))) {
    await store.addAll(list.files);
    const pages = list.shells.flatMap((shell) => Object.values(shell.pages));
    for (const page of new Set(pages)) await store.put(page, await shellAt(page, list.version));
  }
  list.since = Date.now();
  await store.put(WHOLE, new Response(JSON.stringify(list)));
  await self.skipWaiting();
}

/** A page for nobody: asked without cookies, and only if it belongs to the files beside it. */
async function shellAt(address, version) {
  const page = await good(address);
  const words = await page.clone().text();
  if (!words.includes(`/assets/${version}/`)) throw new Error(`${address} is of another version`);
  return page;
}

async function good(address) {
  const answer = await fetch(address, { cache: "no-store", credentials: "omit" });
  if (!answer.ok || answer.redirected) throw new Error(`${address}: ${answer.status}`);
  return answer;
}

async function activate() {
  await self.clients.claim();
  // The page is asked for while this worker is still waking up.
  await self.registration.navigationPreload?.enable();
  await tidy();
}

// What pages say.

self.addEventListener("message", (event) => {
  const { language } = event.data ?? {};
  if (typeof language !== "string") return;
  event.waitUntil(
    (async () => {
      const reader = await caches.open(READER);
      await reader.put("/language", new Response(language));
      // A page that was just loading when this worker took over was passed by.
      await self.clients.claim();
      await tidy();
    })(),
  );
});

/** Lets go of versions that no open page uses. With a page that doesn't answer, all stay. */
async function tidy() {
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

/** The list of the newest version that is whole. */
async function currentList() {
  // A worker serves one version: the next one has its own.
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

// What pages ask for.

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    if (request.destination === "document") event.respondWith(page(event, address.pathname));
  } else if (address.pathname.startsWith("/assets/")) {
    event.respondWith(file(request));
  } else if (address.pathname.startsWith("/media/trainings/")) {
    event.respondWith(media(request));
  }
});

async function file(request) {
  // The address names the version, so whichever store has it has the right one.
  return (await caches.match(request, { ignoreVary: true })) ?? fetch(request);
}

/** Covers and films of trainings that somebody keeps here; others come from the server. */
async function media(request) {
  const kept = await caches.match(request.url, { ignoreVary: true });
  if (!kept) return fetch(request);
  const range = request.headers.get("Range");
  if (!range) return kept;
  // A player asks for many parts of one film: it is opened once.
  if (open.address !== request.url) open = { address: request.url, file: kept.blob() };
  return part(await open.file, range, kept.headers.get("Content-Type"));
}

let open = {};

/** A part of a file: players ask for nothing else, and the cache takes none in. */
function part(file, range, type) {
  const [whole, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  const headers = { "Accept-Ranges": "bytes", "Content-Type": type };
  // Several parts at once, or another unit: the whole is an answer too.
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

async function page(event, path) {
  const list = await currentList();
  const shell = shellFor(path, list);
  let answer;
  try {
    answer = await inTime(fromServer(event), shell?.patience);
  } catch (failure) {
    const kept = await keptPage(shell, list);
    if (kept) return kept;
    throw failure;
  }
  // Where something can be done without the server, its "try again later" helps less.
  if (!UNREACHABLE.includes(answer.status) || !shell?.path) return answer;
  return (await keptPage(shell, list)) ?? answer;
}

async function fromServer(event) {
  return (await event.preloadResponse) ?? fetch(event.request);
}

function inTime(answer, seconds) {
  if (!seconds) return answer;
  const end = new Promise((_, reject) => {
    setTimeout(() => reject(new Error("no answer in time")), seconds * 1000);
  });
  return Promise.race([answer, end]);
}

/** The shell for a path; the one without a path is for all others. */
function shellFor(path, list) {
  const shells = list?.shells ?? [];
  return shells.find((shell) => fits(shell.path, path)) ?? shells.find((shell) => !shell.path);
}

/** Whether a path is the one of a shell, in which ":id" stands for an identifier. */
function fits(pattern, path) {
  if (!pattern?.includes(":")) return pattern === path;
  const parts = path.split("/");
  const wanted = pattern.split("/");
  return parts.length === wanted.length
    && wanted.every((part, place) => part === parts[place]
      || (part.startsWith(":") && /^[0-9a-f-]{36}$/i.test(parts[place])));
}

async function keptPage(shell, list) {
  if (!shell) return undefined;
  const told = await (await caches.match("/language", { cacheName: READER }))?.text();
  const address = shell.pages[told] ?? shell.pages[browserLanguage()] ?? shell.pages.en;
  return caches.match(address, { cacheName: PREFIX + list.version });
}

/** Before any page has told: as the server chooses by Accept-Language. */
function browserLanguage() {
  const tag = self.navigator.language.toLowerCase();
  if (!tag.startsWith("zh")) return "en";
  return /hant|tw|hk|mo/.test(tag) ? "zh-Hant" : "zh-Hans";
}

// Being told while no page is open.

self.addEventListener("push", (event) => event.waitUntil(show(event.data)));

/** Something is always shown: a browser that is told in secret takes the permission away. */
async function show(data) {
  let told = {};
  try {
    told = data?.json() ?? {};
  } catch {
    // Not ours to read: the name alone is shown.
  }
  await self.registration.showNotification(told.title ?? "PairSpot", {
    body: told.body ?? "",
    lang: told.lang ?? "",
    tag: told.tag ?? "",
    icon: "/icons/app-192.png",
    badge: "/icons/app-192.png",
    data: { url: told.url },
  });
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data?.url));
});

/** Shows a page of ours; never in a window with another, where something may be half-written. */
async function openPage(path) {
  const url = new URL(typeof path === "string" ? path : "/notifications", self.location.origin);
  if (url.origin !== self.location.origin) return;
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = pages.find((page) => page.url === url.href);
  await (there ? there.focus() : self.clients.openWindow(url.href));
}

self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(subscribeAnew(event)));

/** The browser has given its subscription up for another one: the server hears of that. */
async function subscribeAnew({ oldSubscription, newSubscription }) {
  const made = newSubscription ?? (await self.registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: oldSubscription?.options.applicationServerKey ?? (await pushKey()),
  }));
  await fetch("/api/v1/push/subscriptions", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": await token() },
    body: JSON.stringify(made),
  });
}

async function pushKey() {
  return (await (await fetch("/api/v1/push/key")).json()).public_key;
}

async function token() {
  const answer = await fetch("/csrf", { cache: "no-store", headers: { Accept: "application/json" } });
  return (await answer.json()).token;
}
