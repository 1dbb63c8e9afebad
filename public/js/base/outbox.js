// The outbox: forms that wait until the server can be reached. Each row belongs to one user; other
// users of the browser neither see nor send it. `sync.js` sends the rows.
import { transact } from "./database.js";
import { cancelSignOut, currentUser } from "./current-user.js";

// Other tabs show the same counts. A page with an open channel cannot return from the back-forward
// cache, so it is closed when the page is left.
let channel;
const openChannel = () => {
  channel = "BroadcastChannel" in self ? new BroadcastChannel("pairspot-outbox") : undefined;
  channel?.addEventListener("message", ({ data }) => dispatch(data));
};
openChannel();
addEventListener("pagehide", () => channel?.close());
addEventListener("pageshow", ({ persisted }) => persisted && openChannel());

/**
 * Queues a form: `kind` names what it is, `fields` what it sends (an object, or a list of pairs, which
 * may have files), `at` its moment in ms, `once` a name that may exist once per user, `sender` the
 * module that sends it, if it is not sent with the others. Gives whether the row is new; throws
 * `StorageFailure` when the browser cannot store it.
 */
export async function enqueue({ kind, address, fields, at, once, sender }) {
  const owner = await currentUser();
  if (!owner) throw new Error("no user to queue it for");
  const row = { id: randomID(), user: owner, kind, address, fields, at, state: "waiting" };
  if (once !== undefined) row.once = once;
  if (sender !== undefined) row.sender = sender;
  try {
    await transact("readwrite", (all) => all.objectStore("outbox").add(row));
  } catch (error) {
    if (error.isDuplicate) return false;
    throw error;
  }
  await cancelSignOut().catch(() => {});
  // Asks the browser not to evict the data when space is short.
  navigator.storage?.persist?.().catch(() => {});
  announce({ change: "queued", kind });
  return true;
}

/** Rows that wait to be sent, oldest first; of one kind or of all. */
export async function waitingRows(kind) {
  return (await rows()).filter((row) => row.state === "waiting" && (!kind || row.kind === kind));
}

/** Rows that the server refused, until the user has read the reason. */
export async function refusedRows(kind) {
  return (await rows()).filter((row) => row.state === "refused" && (!kind || row.kind === kind));
}

/** All rows of a user, by default of the current one. */
export async function rows(owner) {
  const person = owner ?? (await currentUser());
  if (!person) return [];
  const found = await transact("readonly", (all) =>
    all.objectStore("outbox").index("user").getAll(person),
  );
  return found.sort((left, right) => left.at - right.at);
}

/** Deletes a row that was sent, or whose refusal the user has read. */
export async function remove(row, change = "removed") {
  await transact("readwrite", (all) => all.objectStore("outbox").delete(row.id));
  announce({ change, kind: row.kind });
}

/** Keeps a row with the server's reason; the same may be queued again. */
export async function markRefused(row, reason) {
  const { once, ...rest } = row;
  const kept = { ...rest, state: "refused", reason };
  await transact("readwrite", (all) => all.objectStore("outbox").put(kept));
  announce({ change: "refused", kind: row.kind });
}

/** Lets a refused row wait again. */
export async function requeue(row) {
  const { reason, ...rest } = row;
  const kept = { ...rest, state: "waiting" };
  await transact("readwrite", (all) => all.objectStore("outbox").put(kept));
  announce({ change: "queued", kind: row.kind });
}

/** Tells all pages of this browser, by the event `pairspot:outbox` on the document. */
export function announce(detail) {
  dispatch(detail);
  channel?.postMessage(detail);
}

function dispatch(detail) {
  document.dispatchEvent(new CustomEvent("pairspot:outbox", { detail }));
}

/** 32 random characters. */
export function randomID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
