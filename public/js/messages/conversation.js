// The page of a conversation: keeps it up to date while it is open, and shows what waits.
import { get, parsePage, post, showError } from "../base/fetch.js";
import { pauseAfter, Stream } from "../base/stream.js";
import { formatText } from "../base/texts.js";
import { replacePage, startComposer, startFirstMessage, watchPictures } from "./composer.js";
import { mergeConversation } from "./merge.js";
import { MESSAGE } from "./queue.js";
import { startRecorder } from "./recorder.js";
import { WaitingList } from "./waiting.js";

// How long "is writing" is shown, in ms: a little longer than the server counts it.
const WRITING = 7_000;
// The pause between questions where there is no stream, in ms.
const POLLING = 5_000;
// The distance from the end of the page at which the user still reads the latest message, in px.
const NEAR_END = 220;
// The number of messages in the live region.
const SPOKEN = 5;

export function start(root) {
  const form = root.querySelector("[data-message-form]");
  if (form) {
    watchPictures(form);
    startRecorder(form);
  }
  // Before the first message to a couple there is no conversation.
  if (root.dataset.id) new ConversationPage(root, form);
  else if (form) startFirstMessage(form);
}

class ConversationPage {
  constructor(root, form) {
    this.root = root;
    this.form = form;
    this.address = `/api/v1/conversations/${root.dataset.id}`;
    this.version = Number(root.dataset.version);
    this.state = root.dataset.state;
    this.isLive = "live" in root.dataset;
    this.tries = 0;
    const place = root.querySelector("[data-waiting-messages]");
    this.waiting = new WaitingList(place, root.dataset.id, {
      onSent: () => this.catchUp(),
      onDiscard: () => {
        this.waiting.show();
        (form?.querySelector("textarea") ?? document.getElementById("main")).focus();
      },
    });
    this.waiting.show();
    if (form) this.composer = startComposer(form, this);
    this.listen();
    if (!this.isLive) return;
    if (!location.hash || location.hash === "#newest") this.scrollToEnd();
    this.stream = new Stream(
      `${this.address}/events`,
      "conversation",
      () => this.catchUp(),
      (state) => this.poll(state),
    );
  }

  listen() {
    const { root } = this;
    root.addEventListener("submit", (event) => {
      if (event.target.matches("[data-react]")) this.react(event);
    });
    root.addEventListener("click", (event) => {
      const link = event.target.closest("[data-answer]");
      if (link && this.composer?.quote(link)) event.preventDefault();
    });
    const newer = root.querySelector("[data-newer-messages]");
    newer.querySelector("button").addEventListener("click", () => {
      this.scrollToEnd();
      root.querySelector("[data-message]:last-child a, textarea")?.focus({ preventScroll: true });
    });
    const onScroll = () => this.isAtEnd() && (newer.hidden = true);
    addEventListener("scroll", onScroll, { passive: true });
    const onOutbox = async ({ detail }) => {
      if (detail.kind !== MESSAGE) return;
      if (detail.change === "sent") await this.catchUp();
      // The page itself shows the state of a message that it queued.
      if (detail.change !== "queued") await this.waiting.show();
    };
    document.addEventListener("pairspot:outbox", onOutbox);
    // A hidden tab holds no connection: browsers allow few to one server without HTTP/2.
    const onHidden = () => {
      if (!document.hidden) return;
      this.stream?.close();
      clearInterval(this.polling);
    };
    document.addEventListener("visibilitychange", onHidden);
    const onAdded = () => {
      if (root.isConnected) return;
      this.end();
      removeEventListener("scroll", onScroll);
      document.removeEventListener("pairspot:outbox", onOutbox);
      document.removeEventListener("visibilitychange", onHidden);
      document.removeEventListener("pairspot:added", onAdded);
    };
    document.addEventListener("pairspot:added", onAdded);
  }

  end() {
    this.stream?.end();
    clearInterval(this.polling);
    clearTimeout(this.retrying);
    this.ended = true;
  }

  // MARK: Changes

  poll(state) {
    clearInterval(this.polling);
    if (state !== "open") this.polling = setInterval(() => this.catchUp(), POLLING);
  }

  /** Asks for what is new and shows it. Nothing counts as read in a hidden tab. */
  async catchUp() {
    if (!this.isLive || this.ended || document.hidden) return;
    if (this.asking) {
      this.isAskedAgain = true;
      await this.asking;
      return;
    }
    this.asking = this.ask().finally(() => (this.asking = undefined));
    await this.asking;
  }

  async ask() {
    clearTimeout(this.retrying);
    try {
      do {
        this.isAskedAgain = false;
        await this.askOnce();
      } while (this.isAskedAgain && !this.ended);
      this.tries = 0;
    } catch (failure) {
      if ([403, 404].includes(failure.status)) {
        this.end();
        // A couple that parts before its first message has no conversation to read.
        if (this.version === 0) location.assign(this.root.dataset.list);
        else location.reload();
        return;
      }
      this.retrying = setTimeout(() => this.catchUp(), pauseAfter(this.tries));
      this.tries += 1;
    }
  }

  async askOnce() {
    const response = await get(`${this.address}/messages?after=${this.version}`);
    const changes = await response.json();
    if (this.ended) return;
    this.showWriting(changes.writing);
    const reads = JSON.stringify(changes.reads);
    const isRead = this.reads !== undefined && reads !== this.reads;
    // A request that is answered, a couple that parts, and a deleted account change no message.
    const people = JSON.stringify(changes.people);
    const isOther =
      changes.state !== this.state || (this.people !== undefined && people !== this.people);
    if (changes.messages.length || isRead || isOther || this.isPutOff) await this.refresh();
    this.reads = reads;
    this.people = people;
    this.state = changes.state;
    this.version = changes.version;
    if (changes.has_more) this.isAskedAgain = true;
  }

  async refresh() {
    this.show(await parsePage(await get(this.root.dataset.page)));
  }

  /** Shows the messages of the server's page. */
  show(page) {
    if (this.ended) return;
    this.isPutOff = false;
    const fresh = page.querySelector("[data-conversation]");
    const hasForm = Boolean(fresh?.querySelector("[data-message-form]"));
    const wasAtEnd = this.isAtEnd();
    const added = fresh && mergeConversation(this.root, fresh);
    // A gap: what is being written stays.
    if (fresh && !added && hasForm && this.form && this.isLive) {
      if (this.composer.isInUse) this.putOff();
      else replacePage(page, this.form);
      return;
    }
    // Another page, or a conversation that may now be written in, or no longer.
    if (!added || hasForm !== Boolean(this.form)) {
      location.reload();
      return;
    }
    const others = added.filter((message) => !message.classList.contains("is-own"));
    if (others.length) this.showWriting([]);
    for (const message of others) this.speak(message);
    if (!added.length) return;
    if (wasAtEnd || !others.length) this.scrollToEnd();
    else this.root.querySelector("[data-newer-messages]").hidden = false;
  }

  /** Asks again later for a page that can't take the place of this one now. */
  putOff() {
    this.isPutOff = true;
    clearTimeout(this.retrying);
    this.retrying = setTimeout(() => this.catchUp(), POLLING);
  }

  /** Shows what was put off while the form was being sent. */
  showPutOff() {
    if (this.isPutOff) this.catchUp();
  }

  showWriting(names) {
    clearTimeout(this.stopsWriting);
    const words = names.length ? formatText("writing", names.join(", ")) : "";
    const place = this.root.querySelector("[data-status]");
    if (place.textContent !== words) place.textContent = words;
    if (words) this.stopsWriting = setTimeout(() => this.showWriting([]), WRITING);
  }

  /** Reads a new message out. */
  speak(message) {
    const place = this.root.querySelector("[data-spoken]");
    const line = document.createElement("p");
    const part = (name) => message.querySelector(`[data-${name}]`)?.textContent.trim() ?? "";
    line.textContent = formatText("said", part("name"), part("words"));
    place.append(line);
    while (place.childElementCount > SPOKEN) place.firstElementChild.remove();
  }

  // MARK: The end of the page

  isAtEnd() {
    return scrollY + innerHeight >= document.documentElement.scrollHeight - NEAR_END;
  }

  scrollToEnd() {
    scrollTo(0, document.documentElement.scrollHeight);
    this.root.querySelector("[data-newer-messages]").hidden = true;
  }

  // MARK: Actions

  async react(event) {
    event.preventDefault();
    const form = event.target;
    if (this.isReacting) return;
    this.isReacting = true;
    try {
      const page = await parsePage(await post(form.action, new FormData(form, event.submitter)));
      const menu = form.closest("details");
      menu.open = false;
      menu.querySelector("summary").focus();
      this.show(page);
    } catch (failure) {
      showError(failure);
    } finally {
      this.isReacting = false;
    }
  }

  /** Sends what was queued, after the page has shown that it waits. */
  async sendQueued() {
    await this.waiting.show(true);
    this.scrollToEnd();
    const isSent = await this.waiting.send();
    // Of a page of earlier messages, the latest ones are another page.
    if (isSent && !this.isLive) location.assign(`${this.root.dataset.page}#newest`);
  }
}
