// Posts that wait in the outbox. Every page loads this module, so it is small.
import { FILES_LEASE } from "../base/exclusive.js";
import { enqueue, waitingRows } from "../base/outbox.js";
import { sendForms } from "../base/sync.js";

export const POST = "post";
export const SENDER = "posts";

const waitingPosts = () => waitingRows(POST);

/**
 * Queues a post. `fields` are the pairs of the form; by its `nonce` the server recognises a post that
 * it has. Throws `StorageFailure` when the browser cannot store it.
 */
export function queuePost(fields) {
  const once = `${POST} ${new Map(fields).get("nonce")}`;
  return enqueue({ kind: POST, sender: SENDER, address: "/posts", fields, at: Date.now(), once });
}

export const postSender = {
  kind: SENDER,
  count: async () => (await waitingPosts()).length,
  hasWork: async () => (await waitingPosts()).length > 0,
  send: () => sendForms("pairspot-posts", waitingPosts, FILES_LEASE),
};
