// Messages that wait in the outbox: each goes once, by its own identifier, and those of one
// conversation in the order in which they were written.
import {
  authorizedFetch,
  csrfTokenFor,
  FILES_TIMEOUT,
  retryAfter,
  SyncError,
} from "../base/authorized-fetch.js";
import { currentUser } from "../base/current-user.js";
import { exclusively, FILES_LEASE } from "../base/exclusive.js";
import { enqueue, markRefused, remove, rows, waitingRows } from "../base/outbox.js";
import { MESSAGE } from "./queue.js";

/** The call that takes the messages of a conversation. */
const addressOf = (conversation) => `/api/v1/conversations/${conversation}/messages`;

/** An identifier that the server recognises a repeated message by. */
export function clientID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Queues a message. Throws `StorageFailure` when the browser cannot store it. */
export async function queueMessage(conversation, { text, quoted, voice, client_id = clientID() }) {
  const waiting = await rows();
  // A clock that was set back does not change the order.
  const at = Math.max(Date.now(), 1 + Math.max(0, ...waiting.map((row) => row.at)));
  const fields = { client_id, text, ...(quoted && { quoted_id: quoted }), ...(voice && { voice }) };
  const address = addressOf(conversation);
  // The form of a page that was sent twice has the same identifier.
  const once = `${MESSAGE} ${client_id}`;
  return enqueue({ kind: MESSAGE, sender: "messages", address, fields, at, once });
}

/** The messages of a conversation that wait or were refused, oldest first. */
export async function queuedMessages(conversation) {
  const address = addressOf(conversation);
  return (await rows()).filter((row) => row.kind === MESSAGE && row.address === address);
}

/** Sends what waits, unless another tab does. Gives the `SyncError` that stopped it. */
export function sendMessages() {
  return exclusively("pairspot-messages", sendAll, FILES_LEASE);
}

async function sendAll(renew) {
  // Conversations whose first message could not be sent: later ones wait behind it.
  const held = new Set();
  try {
    const person = await currentUser();
    let token = await csrfTokenFor(person);
    for (;;) {
      // Reads the rows each time: another tab may have added or discarded some.
      const row = (await waitingRows(MESSAGE)).find(({ address }) => !held.has(address));
      if (!row) return held.size ? new SyncError("later") : undefined;
      await renew();
      let answer = await sendRow(row, token);
      if (answer.status === 403) {
        token = await csrfTokenFor(person);
        answer = await sendRow(row, token);
      }
      if (!(await handleAnswer(row, answer))) held.add(row.address);
    }
  } catch (stop) {
    if (stop instanceof SyncError) return stop;
    throw stop;
  }
}

function sendRow(row, token) {
  const body = new FormData();
  for (const [name, value] of Object.entries(row.fields)) body.append(name, value);
  const headers = { Accept: "application/json", "X-CSRF-Token": token };
  // The server converts a voice note before it answers.
  const timeout = row.fields.voice ? FILES_TIMEOUT : undefined;
  return authorizedFetch(row.address, { method: "POST", headers, body }, timeout);
}

/** Whether the message is sent or refused for good; false for one to send again. */
async function handleAnswer(row, answer) {
  if (answer.ok) {
    await remove(row, "sent");
    return true;
  }
  if (answer.status === 401) throw new SyncError("signed-out");
  if ([429, 502, 503, 504].includes(answer.status)) {
    throw new SyncError("later", retryAfter(answer));
  }
  if (answer.status >= 500 || [408, 425].includes(answer.status)) return false;
  const { error } = await answer.json().catch(() => ({}));
  if (error?.code === "csrf") return false;
  await markRefused(row, Object.values(error?.fields ?? {})[0] ?? error?.message ?? "");
  return true;
}
