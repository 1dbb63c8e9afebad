// Sends a form with a large file, shows progress, and asks before the page is left meanwhile.
import { markBusy, markReady } from "./base/forms.js";
import { fetchToken, showError } from "./base/fetch.js";
import { swap } from "./base/swap.js";

export function start(form) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    if (button.getAttribute("aria-busy") === "true") return;
    const fields = new FormData(form);
    markBusy(button);
    addEventListener("beforeunload", preventUnload);
    try {
      await send(form, fields, true);
    } catch (failure) {
      showError(failure);
    } finally {
      removeEventListener("beforeunload", preventUnload);
      markReady(form);
      form.querySelector("[data-progress]").hidden = true;
    }
  });
}

function preventUnload(event) {
  event.preventDefault();
}

function showProgress(form, part) {
  const place = form.querySelector("[data-progress]");
  const bar = place.querySelector("[role=progressbar]");
  const words = place.querySelector("[data-progress-words]");
  const percent = Math.floor(part * 100);
  place.hidden = false;
  bar.setAttribute("aria-valuenow", percent);
  bar.firstElementChild.style.width = `${percent}%`;
  // The server checks the file after it has arrived.
  const { sending, checking } = words.dataset;
  words.textContent = part < 1 ? sending.replace("%", `${percent} %`) : checking;
}

async function send(form, fields, mayRetry) {
  const request = new XMLHttpRequest();
  const done = new Promise((resolve) => {
    request.onloadend = () => resolve(request.status);
  });
  request.upload.onprogress = (event) => {
    if (event.lengthComputable) showProgress(form, event.loaded / event.total);
  };
  request.open("POST", form.action);
  request.responseType = "document";
  request.send(fields);
  const status = await done;
  if (status === 403 && mayRetry) {
    fields.set("csrf_token", await fetchToken());
    return send(form, fields, false);
  }
  const page = request.response;
  if ((status === 200 || status === 422) && page) {
    removeEventListener("beforeunload", preventUnload);
    if (new URL(request.responseURL).pathname === "/sign-in") location.assign(request.responseURL);
    else await swap(page, status === 422 ? location.href : request.responseURL);
    return;
  }
  throw Object.assign(new Error("not sent"), { status });
}
