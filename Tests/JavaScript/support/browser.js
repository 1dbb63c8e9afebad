// The few parts of a browser that the tested modules use.
import { webcrypto } from "node:crypto";
import { FakeIndexedDB, FakeKeyRange } from "./indexed-db.js";

globalThis.crypto ??= webcrypto;
globalThis.CustomEvent ??= class extends Event {
  constructor(type, { detail }) {
    super(type);
    this.detail = detail;
  }
};
globalThis.self = globalThis;
// Timers for retries would keep the process running.
const { setTimeout: setNodeTimeout } = globalThis;
globalThis.setTimeout = (work, pause) => {
  const timer = setNodeTimeout(work, pause);
  return pause > 1_000 ? timer.unref() : timer;
};
// Channels would keep the process running.
delete globalThis.BroadcastChannel;
globalThis.addEventListener = globalThis.removeEventListener = () => {};
// Without Web Locks a lease in the database takes their place.
Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Test", onLine: true } });
globalThis.location = new URL("https://pairspot.test/");
globalThis.indexedDB = new FakeIndexedDB();
globalThis.IDBKeyRange = FakeKeyRange;
globalThis.document = Object.assign(new EventTarget(), {
  documentElement: { lang: "en", dataset: {} },
  body: { dataset: {} },
  querySelectorAll: () => [],
});

/** Makes the page one of `user`, or of no user, with an empty database. */
export function newPage({ user, isShell = false } = {}) {
  document.body.dataset = { ...(user && { user }), ...(isShell && { shell: "" }) };
  indexedDB.clear();
}

/** Collects the details of `pairspot:outbox` events until the test ends. */
export function outboxEvents(context) {
  const found = [];
  const listen = ({ detail }) => found.push(detail);
  document.addEventListener("pairspot:outbox", listen);
  context.after(() => document.removeEventListener("pairspot:outbox", listen));
  return found;
}

/** Answers requests by `answer(path, options)`, which gives a status and JSON. */
export function serve(answer) {
  const requests = [];
  globalThis.fetch = async (address, options = {}) => {
    const { pathname } = new URL(address, location.origin);
    requests.push({ path: pathname, ...options });
    const { status = 200, json = {}, headers } = await answer(pathname, options);
    const response = new Response(JSON.stringify(json), { status, headers });
    Object.defineProperty(response, "url", { value: new URL(address, location.origin).href });
    return response;
  };
  return requests;
}
