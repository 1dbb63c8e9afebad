// What was done without a network and waits to be sent: rows of one person each, which nobody else
// on the same browser ever sends or sees. `sync.js` takes them to the server.
import { transact } from "./database.js";
import { stay, user } from "./current-user.js";

// Other tabs show the same counts. A page that is left lets go of the channel, or the back button
// could not bring it back as it was.
let channel;
const listen = () => {
  channel = "BroadcastChannel" in self ? new BroadcastChannel("pairspot-outbox") : undefined;
  channel?.addEventListener("message", ({ data }) => say(data));
};
listen();
addEventListener("pagehide", () => channel?.close());
addEventListener("pageshow", ({ persisted }) => persisted && listen());

/**
 * Keeps a form until the server has it: `kind` names what it is, `fields` what it sends (an
 * object), `at` the moment of the deed in ms, `once` what there may be only one of a person.
 * Gives whether it is new; throws `StorageFailure` when this browser keeps nothing.
 */
export async function queue({ kind, address, fields, at, once }) {
  const owner = await user();
  if (!owner) throw new Error("nobody to keep it for");
  const row = { id: freshId(), user: owner, kind, address, fields, at, state: "waiting" };
  if (once !== undefined) row.once = once;
  try {
    await transact("readwrite", (all) => all.objectStore("outbox").add(row));
  } catch (error) {
    if (error.isRepeated) return false;
    throw error;
  }
  await stay().catch(() => {});
  // Asks that a browser short of room doesn't throw this away.
  navigator.storage?.persist?.().catch(() => {});
  announce({ change: "queued", kind });
  return true;
}

/** What waits, oldest first; of one kind or of all. */
export async function waiting(kind) {
  return (await rows()).filter((row) => row.state === "waiting" && (!kind || row.kind === kind));
}

/** What the server will not take, until the person has read why. */
export async function refused(kind) {
  return (await rows()).filter((row) => row.state === "refused" && (!kind || row.kind === kind));
}

/** All rows of one person, by default of the person of this page. */
export async function rows(owner) {
  const person = owner ?? (await user());
  if (!person) return [];
  const found = await transact("readonly", (all) =>
    all.objectStore("outbox").index("user").getAll(person));
  return found.sort((left, right) => left.at - right.at);
}

/** Takes a row out: it has been sent, or the person has read why it can't be. */
export async function remove(row, change = "removed") {
  await transact("readwrite", (all) => all.objectStore("outbox").delete(row.id));
  announce({ change, kind: row.kind });
}

/** Keeps a row with the server's reason, and lets the same be done anew. */
export async function refuse(row, reason) {
  const { once, ...rest } = row;
  const kept = { ...rest, state: "refused", reason };
  await transact("readwrite", (all) => all.objectStore("outbox").put(kept));
  announce({ change: "refused", kind: row.kind });
}

/** Tells the pages of this browser, by the event `pairspot:outbox` on the document. */
export function announce(detail) {
  say(detail);
  channel?.postMessage(detail);
}

function say(detail) {
  document.dispatchEvent(new CustomEvent("pairspot:outbox", { detail }));
}

function freshId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
