// Sends a form with a large file, and shows how far it is. Leaving the page is asked about meanwhile.
import { busy, ready } from "./base/forms.js";
import { freshToken, tell } from "./base/fetch.js";
import { swap } from "./base/swap.js";

export function start(form) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    if (button.getAttribute("aria-busy") === "true") return;
    const fields = new FormData(form);
    busy(button);
    addEventListener("beforeunload", stay);
    try {
      await send(form, fields, true);
    } catch (failure) {
      tell(failure);
    } finally {
      removeEventListener("beforeunload", stay);
      ready(form);
      form.querySelector("[data-progress]").hidden = true;
    }
  });
}

function stay(event) {
  event.preventDefault();
}

function progress(form, part) {
  const place = form.querySelector("[data-progress]");
  const bar = place.querySelector("[role=progressbar]");
  const words = place.querySelector("[data-progress-words]");
  const percent = Math.floor(part * 100);
  place.hidden = false;
  bar.setAttribute("aria-valuenow", percent);
  bar.firstElementChild.style.width = `${percent}%`;
  // All is sent before all is looked at.
  const { sending, checking } = words.dataset;
  words.textContent = part < 1 ? sending.replace("%", `${percent} %`) : checking;
}

async function send(form, fields, again) {
  const request = new XMLHttpRequest();
  const done = new Promise((resolve) => {
    request.onloadend = () => resolve(request.status);
  });
  request.upload.onprogress = (event) => {
    if (event.lengthComputable) progress(form, event.loaded / event.total);
  };
  request.open("POST", form.action);
  request.responseType = "document";
  request.send(fields);
  const status = await done;
  if (status === 403 && again) {
    fields.set("csrf_token", await freshToken());
    return send(form, fields, false);
  }
  const page = request.response;
  if ((status === 200 || status === 422) && page) {
    removeEventListener("beforeunload", stay);
    if (new URL(request.responseURL).pathname === "/sign-in") location.assign(request.responseURL);
    else await swap(page, status === 422 ? location.href : request.responseURL);
    return;
  }
  throw Object.assign(new Error("not sent"), { status });
}
