// The messages of a conversation that wait in the outbox or were refused, below those that are
// sent.
import { remove, requeue } from "../base/outbox.js";
import { flush } from "../base/sync.js";
import { queuedMessages } from "./outgoing.js";

export class WaitingList {
  /**
   * @param place the list, with its texts and the template of an item.
   * @param onSent called before messages that were sent disappear from the list.
   * @param onDiscard called when the user has discarded a message.
   */
  constructor(place, conversation, { onSent, onDiscard }) {
    this.place = place;
    this.conversation = conversation;
    this.onSent = onSent;
    this.onDiscard = onDiscard;
    this.isSignedOut = false;
  }

  /** Shows what the outbox has; `isSending` while it is being sent. */
  async show(isSending = false) {
    let queued = [];
    try {
      queued = await queuedMessages(this.conversation);
    } catch {
      // Without storage nothing waits.
    }
    const items = queued.map((row) => this.item(row, isSending));
    this.place.replaceChildren(this.place.querySelector("template"), ...items);
    return queued.length;
  }

  item(row, isSending) {
    const { content } = this.place.querySelector("template");
    const item = content.firstElementChild.cloneNode(true);
    const isRefused = row.state === "refused";
    const { text, voice } = row.fields;
    const words = [text, voice && this.place.dataset.voice].filter(Boolean).join("\n");
    item.querySelector("[data-text]").textContent = words;
    item.querySelector("[data-state]").textContent = this.words(row, isSending);
    item.classList.toggle("is-refused", isRefused);
    const [retry, discard] = item.querySelectorAll("button");
    retry.hidden = discard.hidden = isSending && !isRefused;
    retry.addEventListener("click", () => this.retry(row));
    discard.addEventListener("click", async () => {
      await remove(row);
      this.onDiscard();
    });
    return item;
  }

  words(row, isSending) {
    const { waits, sending, signedOut, refused } = this.place.dataset;
    if (row.state === "refused") return refused.replace("#", row.reason ?? "");
    if (isSending) return sending;
    return this.isSignedOut ? signedOut : waits;
  }

  async retry(row) {
    if (row.state === "refused") await requeue(row);
    await this.send();
  }

  /** Sends what waits now. Gives whether all of it was sent. */
  async send() {
    await this.show(true);
    // A run that has begun may have looked before this message was queued.
    const why = (await flush("messages")) ?? (await flush("messages"));
    this.isSignedOut = why === "signed-out";
    await this.onSent();
    return (await this.show()) === 0;
  }
}
