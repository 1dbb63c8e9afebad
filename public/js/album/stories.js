// `/stories`: shows the photo at once, reads its story as soon as it is chosen, and hands the
// finished file over without leaving the page.
import { get, pageOf, post, tell } from "../base/fetch.js";
import { busy, ready } from "../base/forms.js";
import { notice } from "../base/notice.js";
import { swap } from "../base/swap.js";

// The photo of this page as the person's own file: it need not come back from the server.
let chosen = null;

export function start(form) {
  showPhoto(form.querySelector("[data-story-photo]"));
  const picker = form.querySelector("input[type=file]");
  const words = form.querySelector("[data-story-text]");
  const typing = follow(words);
  const main = form.querySelector(".form-buttons .button:last-child");
  let sending = false;

  picker?.addEventListener("change", () => {
    if (!fits(form, picker) || words.value.trim()) return;
    form.requestSubmit(main);
  });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (sending || !fits(form, picker)) return;
    sending = true;
    const button = event.submitter ?? main;
    const fields = new FormData(form);
    if (button.name) fields.set(button.name, button.value);
    busy(button);
    typing.begin();
    try {
      await send(form, fields, picker?.files[0] ?? chosen, typing);
    } catch (failure) {
      tell(failure);
    } finally {
      sending = false;
      ready(form);
    }
  });
}

async function send(form, fields, file, typing) {
  let response;
  try {
    response = await post(form.getAttribute("action"), fields, { files: true });
  } catch (failure) {
    const page = failure.response && !failure.shown ? await pageOf(failure.response) : null;
    if (!page?.querySelector("[data-stories]")) throw failure;
    await show(page, file, typing);
    return;
  }
  const name = nameOf(response);
  if (!name) {
    await show(await pageOf(response), file, typing);
    return;
  }
  download(await response.blob(), name);
  // The first page again; it says that all went well.
  await show(await pageOf(await get(form.getAttribute("action"))), null, typing);
}

async function show(page, file, typing) {
  await typing.settled();
  chosen = page.querySelector("[data-story-photo]") ? file : null;
  const goOn = typing.bring(page);
  await swap(page, location.href);
  goOn();
}

/** What is typed while the photo travels: it goes on in the page that comes back. */
function follow(field) {
  let sent = field.value;
  let composing = false;
  field.addEventListener("compositionstart", () => (composing = true));
  field.addEventListener("compositionend", () => (composing = false));
  const once = () =>
    new Promise((done) => field.addEventListener("compositionend", done, { once: true }));
  return {
    begin: () => (sent = field.value),
    // Characters that are half composed would be lost with their field.
    async settled() {
      while (composing) {
        await once();
        // Some browsers put the text in after the event.
        await new Promise((done) => setTimeout(done));
      }
    },
    /** Puts the words into `page`; answers what is to be done once it is shown. */
    bring(page) {
      const next = page.querySelector("[data-story-text]");
      if (!next || field.value === sent) return () => {};
      next.defaultValue = field.value;
      const caret = [field.selectionStart, field.selectionEnd];
      if (document.activeElement !== field) return () => {};
      return () => {
        const fresh = document.querySelector("[data-story-text]");
        fresh.focus();
        fresh.setSelectionRange(...caret);
      };
    },
  };
}

/** A photo over the limit would travel for nothing. */
function fits(form, picker) {
  const file = picker?.files[0];
  if (!file || file.size <= Number(form.dataset.mostBytes)) return true;
  picker.value = "";
  notice(form.dataset.tooLarge);
  return false;
}

function showPhoto(place) {
  if (!place) return;
  const image = new Image();
  image.alt = place.dataset.name;
  image.onload = () => chosen && URL.revokeObjectURL(image.src);
  image.src = chosen ? URL.createObjectURL(chosen) : place.dataset.src;
  place.replaceChildren(image);
}

/** The name under which an answer wants to be stored; nothing for a page. */
function nameOf(response) {
  const header = response.headers.get("Content-Disposition") ?? "";
  const name = header.match(/filename\*=UTF-8''([^;]+)/)?.[1];
  return name && decodeURIComponent(name);
}

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
