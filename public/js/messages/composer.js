// The form of a new message: words and a voice note are queued and sent at once, or when there is a
// network; pictures are sent with the form.
import { chosenFiles } from "../base/chosen-files.js";
import { callAPI, isUnreachable, parsePage, post, showError } from "../base/fetch.js";
import { markBusy, markReady } from "../base/forms.js";
import { showNotice } from "../base/notice.js";
import { sendForm } from "../base/send-form.js";
import { swap } from "../base/swap.js";
import { text } from "../base/texts.js";
import { shrinkImage } from "../shrink-image.js";
import { clientID, queueMessage } from "./outgoing.js";

// The characters that a message may have; the server shows the error of a longer one.
const LIMIT = 4_000;
const MAX_PICTURES = 9;
const MAX_DESCRIPTION = 300;
// The statuses whose page may have the form with its errors.
const SHOWN = [409, 413, 422, 429, 503, 507];
// The statuses of a message that can't be sent any more.
const REFUSED = [403, 404, 409];
// The others are told of typing at most this often, in ms.
const TYPING = 4_000;

// The descriptions of the pictures of a form that was refused, for the form that takes its place.
let descriptions = [];

/** Starts the form on the page of a conversation. */
export function startComposer(form, page) {
  return new Composer(form, page);
}

/** Starts the form of the first message to a couple: what is refused keeps its files. */
export function startFirstMessage(form) {
  const button = form.querySelector("[data-send]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.getAttribute("aria-busy") === "true") return;
    markBusy(button);
    try {
      await sendForm(form, await fieldsOf(form), {
        showsErrors: true,
        keepsFiles: true,
        onRefused: () => (descriptions = descriptionsOf(form)),
      });
    } catch (failure) {
      showRefusal(failure);
    } finally {
      markReady(form);
    }
  });
}

/** Shows why a message is not sent. */
function showRefusal(failure) {
  if (REFUSED.includes(failure.status)) showNotice(text("unsent"));
  else showError(failure);
}

/** Shows `page` in place of the page of `form`; what is being written goes on in its own form. */
export async function replacePage(page, form) {
  const next = page.querySelector("[data-message-form]");
  const field = form.querySelector("textarea");
  const { value, selectionStart, selectionEnd } = field;
  const hasFocus = field === document.activeElement;
  next.querySelector("textarea").textContent = value;
  next.querySelector("[name=quoted]").setAttribute("value", form.elements.quoted.value);
  const quote = page.importNode(form.querySelector("[data-answering]"), true);
  next.querySelector("[data-answering]").replaceWith(quote);
  descriptions = descriptionsOf(form);
  await swap(page, location.href, chosenFiles(form));
  if (!hasFocus) return;
  const fresh = document.querySelector("[data-message-form] textarea");
  fresh?.focus({ preventScroll: true });
  fresh?.setSelectionRange(selectionStart, selectionEnd);
}

/** Shows the chosen pictures, since the browser's own field is not visible. */
export function watchPictures(form) {
  const picker = form.elements.pictures;
  const place = form.querySelector("[data-chosen]");
  if (!picker) return;
  const clear = place.querySelector("[data-clear]");
  const show = () => {
    if (picker.files.length > MAX_PICTURES) {
      picker.value = "";
      showNotice(text("tooMany"));
    }
    const items = [...picker.files].map((file) => chosenPicture(file, place.dataset.description));
    place.replaceChildren(...items, clear);
    place.hidden = !items.length;
  };
  picker.addEventListener("change", show);
  form.addEventListener("reset", () => setTimeout(show));
  clear.addEventListener("click", () => {
    picker.value = "";
    show();
    picker.focus();
  });
  show();
  place.querySelectorAll("input").forEach((field, index) => {
    field.value = descriptions[index] ?? "";
  });
  descriptions = [];
}

/** A chosen picture with the field of its description, which is sent with the form. */
function chosenPicture(file, label) {
  const image = new Image();
  image.alt = file.name;
  image.onload = image.onerror = () => URL.revokeObjectURL(image.src);
  image.src = URL.createObjectURL(file);
  const field = document.createElement("input");
  field.className = "input";
  field.name = "descriptions";
  field.maxLength = MAX_DESCRIPTION;
  field.autocomplete = "off";
  field.placeholder = label;
  field.setAttribute("aria-label", `${label}: ${file.name}`);
  const item = document.createElement("p");
  item.append(image, field);
  return item;
}

const descriptionsOf = (form) => new FormData(form).getAll("descriptions");

/** The fields of a form, with smaller pictures. */
async function fieldsOf(form) {
  const fields = new FormData(form);
  fields.delete("pictures");
  for (const file of form.elements.pictures?.files ?? []) {
    const small = await shrinkImage(file);
    fields.append("pictures", small, small.name);
  }
  return fields;
}

class Composer {
  constructor(form, page) {
    this.form = form;
    this.page = page;
    this.field = form.querySelector("textarea");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.field.addEventListener("keydown", (event) => {
      // Enter also ends the composition of an input method.
      if (event.key !== "Enter" || event.isComposing) return;
      if (event.ctrlKey || event.metaKey) form.requestSubmit();
    });
    this.field.addEventListener("input", () => this.tellTyping());
    form.querySelector("[data-answering-end]").addEventListener("click", (event) => {
      event.preventDefault();
      this.setQuote("", "", "");
      this.field.focus();
    });
  }

  get hasPictures() {
    return Boolean(this.form.elements.pictures?.files.length);
  }

  /** The recorded or chosen voice note. */
  get voice() {
    return this.form.elements.voice?.files[0];
  }

  /** Whether the form is being sent or a voice note recorded: another form must not take its place. */
  get isInUse() {
    const recording = this.form.querySelector("[data-recording]");
    return Boolean(this.isBusy || (recording && !recording.hidden));
  }

  /** Sends the form, or queues its words and voice note. */
  async submit() {
    if (this.isBusy) return;
    this.isBusy = true;
    const words = this.field.value.trim();
    const isQueueable = (words || this.voice) && !this.hasPictures && [...words].length <= LIMIT;
    try {
      if (!isQueueable || !(await this.queue(words))) await this.send();
    } finally {
      this.isBusy = false;
      this.page.showPutOff();
    }
  }

  /** Queues the message. Gives false when the browser cannot store it. */
  async queue(words) {
    const { client_id: id, quoted } = this.form.elements;
    const message = {
      text: words,
      voice: this.voice,
      quoted: quoted.value,
      client_id: id.value,
    };
    try {
      await queueMessage(this.page.root.dataset.id, message);
    } catch {
      return false;
    }
    this.clear();
    this.page.sendQueued().catch(() => {});
    return true;
  }

  /** Sends the form with its pictures; the server's page has the message, or the errors. */
  async send() {
    const button = this.form.querySelector("[data-send]");
    markBusy(button);
    try {
      const fields = await fieldsOf(this.form);
      const page = await parsePage(await post(this.form.action, fields, { files: true }));
      if (!this.page.isLive) {
        location.assign(`${this.page.root.dataset.page}#newest`);
        return;
      }
      this.clear();
      this.page.show(page);
    } catch (failure) {
      await this.report(failure);
    } finally {
      markReady(this.form);
    }
  }

  async report(failure) {
    if (failure.shown) return;
    if (failure.response && SHOWN.includes(failure.status)) {
      const page = await parsePage(failure.response);
      if (page.querySelector("[data-message-form]")) {
        descriptions = descriptionsOf(this.form);
        await swap(page, location.href, chosenFiles(this.form));
        return;
      }
    }
    if (isUnreachable(failure)) {
      showNotice(text(this.hasPictures ? "picturesOffline" : "notKept"));
    } else {
      showRefusal(failure);
    }
  }

  /** Empties the form for the next message. */
  clear() {
    this.form.reset();
    this.field.value = "";
    this.form.elements.client_id.value = clientID();
    this.setQuote("", "", "");
    this.field.dispatchEvent(new Event("input"));
    this.field.focus();
  }

  // MARK: Answers

  /** Quotes the message of a link. Gives false if the server has to make its words. */
  quote(link) {
    const message = link.closest("[data-message]");
    const [name, words] = ["name", "words"].map((part) =>
      message.querySelector(`[data-${part}]`)?.textContent.trim(),
    );
    if (!words) return false;
    this.setQuote(link.dataset.answer, name, words);
    link.closest("details").open = false;
    this.field.focus();
    return true;
  }

  setQuote(id, name, words) {
    this.form.elements.quoted.value = id;
    const place = this.form.querySelector("[data-answering]");
    place.hidden = !id;
    place.querySelector("b").textContent = name;
    place.querySelector("span").textContent = words;
  }

  /** Tells the others that the user is typing. It does not matter if they are not told. */
  tellTyping() {
    if (!this.field.value || performance.now() < (this.toldUntil ?? 0)) return;
    this.toldUntil = performance.now() + TYPING;
    callAPI("PUT", `${this.page.address}/writing`, {}).catch(() => {});
  }
}
