// The page `/stories`: shows the photo at once, reads its story as soon as it is chosen, and
// downloads the finished file without leaving the page.
import { get, parsePage, post, showError } from "../base/fetch.js";
import { markBusy, markReady } from "../base/forms.js";
import { showNotice } from "../base/notice.js";
import { swap } from "../base/swap.js";

// The file of this page's photo, so that it need not be downloaded.
let chosen = null;

export function start(form) {
  showPhoto(form.querySelector("[data-story-photo]"));
  const picker = form.querySelector("input[type=file]");
  const words = form.querySelector("[data-story-text]");
  const main = form.querySelector(".form-buttons .button:last-child");
  let sending = false;

  picker?.addEventListener("change", () => {
    if (!fits(form, picker) || words?.value.trim()) return;
    form.requestSubmit(main);
  });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (sending || !fits(form, picker)) return;
    sending = true;
    const button = event.submitter ?? main;
    const fields = new FormData(form);
    if (button.name) fields.set(button.name, button.value);
    markBusy(button);
    try {
      await send(form, fields, picker?.files[0] ?? chosen);
    } catch (failure) {
      showError(failure);
    } finally {
      sending = false;
      markReady(form);
    }
  });
}

async function send(form, fields, file) {
  let response;
  try {
    response = await post(form.getAttribute("action"), fields, { files: true });
  } catch (failure) {
    const page = failure.response && !failure.shown ? await parsePage(failure.response) : null;
    if (!page?.querySelector("[data-stories]")) throw failure;
    await show(page, file);
    return;
  }
  const name = nameOf(response);
  if (!name) {
    await show(await parsePage(response), file);
    return;
  }
  download(await response.blob(), name);
  // Back to the first page, with its confirmation.
  await show(await parsePage(await get(form.getAttribute("action"))), null);
}

async function show(page, file) {
  chosen = page.querySelector("[data-story-photo]") ? file : null;
  await swap(page, location.href, new Map([["file", file ? [file] : []]]));
}

/** Whether the photo is small enough for the server. */
function fits(form, picker) {
  const file = picker?.files[0];
  if (!file || file.size <= Number(form.dataset.mostBytes)) return true;
  picker.value = "";
  showNotice(form.dataset.tooLarge);
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

/** The file name in a response; undefined for a page. */
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
