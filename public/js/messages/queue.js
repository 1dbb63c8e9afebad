// The sender of messages that wait in the outbox. Every page loads this module, so it is small and
// imports the work only when something waits.
import { waitingRows } from "../base/outbox.js";

export const MESSAGE = "message";

const count = async () => (await waitingRows(MESSAGE)).length;

export const messageSender = {
  kind: "messages",
  count,
  hasWork: async () => (await count()) > 0,
  async send() {
    const { sendMessages } = await import("./outgoing.js");
    return sendMessages();
  },
};
